package docs

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/config"
)

// picture returns the words of a picture, in one line.
func picture(t *testing.T, name string) string {
	t.Helper()
	var elements, words []string
	d := xml.NewDecoder(strings.NewReader(read("guides/pictures/" + name + ".svg")))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements = append(elements, token.Name.Local)
			for _, a := range token.Attr {
				if a.Name.Local == "href" || a.Name.Local == "style" {
					t.Errorf("%s has the attribute %s", name, a.Name.Local)
				}
			}
		case xml.CharData:
			words = append(words, strings.Fields(string(token))...)
		}
	}
	if len(elements) < 4 || elements[1] != "title" || elements[2] != "desc" || slices.Contains(elements, "script") {
		t.Errorf("%s has the elements %q", name, elements)
	}
	return " " + strings.Join(words, " ") + " "
}

// The pictures show the states that the service has.
func TestPicturesShowTheStates(t *testing.T) {
	t.Parallel()
	states := map[string][]string{
		"venda": {}, "conta": {}, "webhook": {finance.WebhookActive.Label(), finance.WebhookInError.Label()},
		"importacao": {finance.ImportQueued, finance.ImportProcessing, finance.ImportSuccess, finance.ImportError,
			finance.ImportPreviewed},
		"caixa": {"open", "closed"}, "exclusao": {"deleted_at:"}, "fatura": {"2026-09"},
		"mapa": {"financial_transaction"}, "tentativas": {},
		"saldo": {finance.ProofAgrees, finance.ProofDiffers},
	}
	for _, kind := range finance.ExplanationKinds {
		states["saldo"] = append(states["saldo"], string(kind))
	}
	for _, status := range []int{finance.SaleUnpriced, finance.SalePriced, finance.SaleLiquidated,
		finance.SaleReconciled} {
		states["venda"] = append(states["venda"], fmt.Sprint(status, " ·"))
	}
	for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
		for _, status := range []int64{finance.Outstanding, finance.Settled, finance.Reconciled} {
			account := finance.FinancialAccount{Kind: kind, Status: status}
			states["conta"] = append(states["conta"], fmt.Sprint(status, " ·"), account.StatusName())
		}
	}
	for _, status := range finance.DeliveryStatuses {
		states["webhook"] = append(states["webhook"], string(status))
	}
	c, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	states["webhook"] = append(states["webhook"], inWords(c.WebhookHeldFor))
	for _, delay := range c.WebhookDelays[1:] {
		states["tentativas"] = append(states["tentativas"], "+"+inWords(delay))
	}
	for name, words := range states {
		shown := strings.ReplaceAll(picture(t, name), ",", "")
		for _, word := range words {
			if !strings.Contains(shown, " "+word+" ") {
				t.Errorf("the picture %s lacks %q: %s", name, word, shown)
			}
		}
	}
	if files, _ := sources.ReadDir("guides/pictures"); len(files) != len(states) {
		t.Errorf("%d pictures, of which %d are tested", len(files), len(states))
	}
}

// inWords writes a round duration as the pictures do.
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "dias"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= unit.length && d%unit.length == 0 {
			return fmt.Sprint(int64(d/unit.length), " ", unit.name)
		}
	}
	return fmt.Sprint(int64(d/time.Second), " s")
}
