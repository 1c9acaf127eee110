package messages

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Programs rely on the codes, and the error page has one entry for each.
func TestCatalogue(t *testing.T) {
	word := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	ended := map[string]bool{Invalid: true}
	last := ""
	for _, f := range Catalogue {
		if !word.MatchString(f.Code) {
			t.Errorf("%q is not a snake_case word", f.Code)
		}
		if f.Code != last {
			if ended[f.Code] {
				t.Errorf("%s stands in two places of the catalogue", f.Code)
			}
			ended[f.Code], last = true, f.Code
		}
		if f.Status < 400 || http.StatusText(f.Status) == "" {
			t.Errorf("%s has the status %d", f.Code, f.Status)
		}
		if f.Text == "" || !strings.HasSuffix(f.Hint, ".") && !strings.HasSuffix(f.Hint, "'.") {
			t.Errorf("%s has the text %q and the hint %q", f.Code, f.Text, f.Hint)
		}
		if strings.Contains(f.Title(), "%s") || strings.Contains(f.Title(), "%d") {
			t.Errorf("%s has the title %q", f.Code, f.Title())
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1.000", 100_000: "100.000",
		1_234_567: "1.234.567"} {
		if got := Number(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
	if got := TooMany.With(600, Seconds(1)).Text; !strings.HasSuffix(got, " Tente de novo em 1 segundo.") {
		t.Error(got)
	}
	if got := TooManyGuesses.With(Seconds(2)).Text; !strings.HasSuffix(got, " Tente de novo em 2 segundos.") {
		t.Error(got)
	}
}

func TestAnOccurrenceLeavesTheCatalogueAsItIs(t *testing.T) {
	long := TooLong.With(255)
	if long.Text != "é muito longo (máximo: 255 caracteres)" || long.Code != TooLong.Code ||
		!strings.Contains(TooLong.Text, "%d") {
		t.Errorf("%+v of %+v", long, TooLong)
	}
	if one := NotOneOf([]int64{1, 2}); strings.Join(one.Allowed, " ") != "1 2" || NotInList.Allowed != nil {
		t.Errorf("%+v of %+v", one, NotInList)
	}
	if got := TooLong.Title(); got != "é muito longo (máximo: … caracteres)" {
		t.Errorf("title %q", got)
	}
	if got := PercentagesSum.Title(); got != "somam mais de 100% no classificador …" {
		t.Errorf("title %q", got)
	}
	if Title("nothing") != SeveralFaults || Title("blank") != Blank.Text {
		t.Errorf("titles %q, %q", Title("nothing"), Title("blank"))
	}
}
