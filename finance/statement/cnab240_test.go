package statement

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/finance/memo"
)

// placed returns a record of CNAB 240 of a bank: texts behind their places.
func placed(bank, head string, texts map[int]string) string {
	record := []byte(bank + head + strings.Repeat(" ", 240-3-len(head)))
	for place, text := range texts {
		copy(record[place-1:], text)
	}
	return string(record) + "\r\n"
}

// entry is a segment E of a made-up statement.
type entry struct {
	amount                      int // in cents
	accounting, day             string
	at15, nature, text, further string
}

// cnabFile returns a file with a lot for each account.
func cnabFile(bank string, lots map[string][]entry) string {
	file := placed(bank, "00000", map[int]string{143: "2"})
	n := 2
	for _, account := range []string{"00001 0000000111111", "00002 000000222222 3"} {
		entries, ok := lots[account]
		if !ok {
			continue
		}
		debits, credits := 0, 0
		file += placed(bank, "00011E0440033", map[int]string{53: account,
			143: fmt.Sprintf("01032026%018dCFBRL", 100)})
		for _, e := range entries {
			sign, amount := "C", e.amount
			if amount < 0 {
				sign, amount = "D", -amount
			}
			if e.at15 != "5" && e.nature != "INV" {
				debits, credits = debits-min(e.amount, 0), credits+max(e.amount, 0)
			}
			file += placed(bank, "0001300001E", map[int]string{15: e.at15, 53: account, 109: e.nature,
				135: e.accounting, 143: e.day, 151: fmt.Sprintf("%018d%s2090123", amount, sign),
				177: e.text, 202: e.further})
		}
		closing, sign := 100+credits-debits, "C"
		if closing < 0 {
			closing, sign = -closing, "D"
		}
		file += placed(bank, "00015", map[int]string{53: account, 143: fmt.Sprintf(
			"02032026%018d%sF%06d%018d%018d", closing, sign, len(entries)+2, debits, credits)})
		n += len(entries) + 2
	}
	return file + placed(bank, "99999", map[int]string{18: fmt.Sprintf("000001%06d", n)})
}

const account240 = "00001 0000000111111"

func TestEntriesOfCNAB240(t *testing.T) {
	t.Parallel()
	base := Item{Line: 3, AmountLine: 3, Account: "0001/11111-1", Day: day(2026, 3, 2), Amount: "-5.0"}
	item := func(change func(*Item)) Item {
		i := base
		change(&i)
		return i
	}
	for name, c := range map[string]struct {
		bank  string
		entry entry
		want  Item
	}{
		"the accounting date": {"001", entry{amount: -500, accounting: "02032026", day: "28022026", text: "TARIFA"},
			item(func(i *Item) { i.Description = "TARIFA" })},
		"accents, and a number behind": {"104", entry{amount: 123456, day: "02032026",
			text: "DEP\xD3SITO JO\xC3O & CIA", further: "000123"}, item(func(i *Item) {
			i.Amount, i.Description, i.Document = "1234.56", "DEPÓSITO JOÃO & CIA", "000123"
		})},
		"no date": {"001", entry{amount: -500, accounting: "00000000", day: "31022026"},
			item(func(i *Item) { i.Day = finance.Date{} })},
		"Santander, a number and a CPF": {"033", entry{amount: 1, day: "02032026", text: "PIX RECEBIDO",
			further: "13260852998224725"}, item(func(i *Item) {
			i.Amount, i.Document, i.Description = "0.01", "132608", "PIX RECEBIDO 52998224725"
			i.Payment = memo.Payment{CounterpartDocument: "52998224725"}
		})},
		"Santander, a CNPJ": {"033", entry{amount: 1, day: "02032026", text: "TED", further: "00000011222333000181"},
			item(func(i *Item) {
				i.Amount, i.Description = "0.01", "TED 11222333000181"
				i.Payment = memo.Payment{CounterpartDocument: "11222333000181"}
			})},
		"Itaú, the future": {"341", entry{amount: -500, at15: "5", day: "02032026", text: "BOLETO",
			further: strings.Repeat(" ", 33) + "000188"}, item(func(i *Item) {
			i.Description, i.Document, i.Pending = "BOLETO", "000188", true
		})},
		"Bradesco, an investment": {"237", entry{amount: -500, nature: "INV", day: "02032026", text: "INVEST FACIL",
			further: "0001234SEGUNDA LINHA"}, item(func(i *Item) {
			i.Description, i.Document, i.Pending = "INVEST FACIL SEGUNDA LINHA", "0001234", true
		})},
		"Sicredi, in the text": {"748", entry{amount: 4000, day: "02032026", text: "RECEBIMENTO PIX",
			further: "PIX_CRED  52998224725 ANA LIMA"}, item(func(i *Item) {
			i.Amount, i.Description = "40.0", "RECEBIMENTO PIX PIX_CRED  52998224725 ANA LIMA"
		})},
	} {
		file := cnabFile(c.bank, map[string][]entry{account240: {c.entry}})
		utf8 := string(fromCP1252([]byte(file)))
		for shape, file := range map[string]string{
			"as it is": file, "with LF": strings.ReplaceAll(file, "\r\n", "\n"),
			"with CR": strings.ReplaceAll(file, "\r\n", "\r"), "with 0x1A": file + "\x1A",
			"with a BOM": "\xEF\xBB\xBF" + utf8,
			"in UTF-8":   utf8, "cut lines": regexp.MustCompile(` +\r`).ReplaceAllString(file, ""),
			"more blanks":          strings.ReplaceAll(file, "\r\n", "   \n"),
			"a character too many": strings.ReplaceAll(file, "\r\n", "X\r\n"),
		} {
			r := newReader(strings.NewReader(file))
			items, err := readAll(r)
			if diff := diff([]Item{c.want}, items); diff != "" || err != nil || len(r.Notes()) > 0 {
				t.Errorf("%s, %s: error %v, notes %v, -want +got\n%s", name, shape, err, r.Notes(), diff)
			}
		}
	}
}

// A lot is the statement of an account, an empty one too. A balance that does not follow from the items is a doubt.
func TestLotsOfCNAB240(t *testing.T) {
	t.Parallel()
	file := cnabFile("001", map[string][]entry{account240: {{amount: 7, day: "02032026"}}, "00002 000000222222 3": nil})
	r := newReader(strings.NewReader(file))
	items, err := readAll(r)
	if err != nil || len(items) != 1 || len(r.Notes()) > 0 {
		t.Fatalf("%v, error %v, notes %v", items, err, r.Notes())
	}
	accounts, err := ReadAccounts(strings.NewReader(file))
	if diff := diff([]string{"0001/11111-1", "0002/222222-3"}, accounts.Numbers); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for account, want := range map[string]string{"0001/11111-1": "1.07", "222222-3": "1.0"} {
		s := r.Summary(r.AccountOf(account))
		if s.LedgerBalance.String() != want || *s.LedgerBalanceOn != day(2026, 3, 2) || s.Currency != "BRL" {
			t.Errorf("%s: %+v", account, s)
		}
	}
	r = newReader(strings.NewReader(strings.Replace(file, "000000000000000107C", "000000000000000108C", 1)))
	if _, err := readAll(r); err != nil || diff([]Note{{ClosingDiffers, 1}}, r.Notes()) != "" {
		t.Errorf("notes %v, error %v", r.Notes(), err)
	}
	skipped := strings.Replace(file, "00100011E0440033", "00100011T0140033", 1)
	if items, err := readAll(newReader(strings.NewReader(skipped))); err != nil || len(items) > 0 {
		t.Errorf("of another lot: %v, error %v", items, err)
	}
}

// The period of an account begins with the day of the opening balance if that has a movement, else behind it, and ends
// with the day of the closing balance. Lots whose balances continue have no days between them.
func TestPeriodsOfCNAB240(t *testing.T) {
	t.Parallel()
	file := func(movement string) string {
		return cnabFile("001", map[string][]entry{account240: {{amount: 7, day: movement}}})
	}
	quiet := strings.NewReplacer("02032026000000000000000107C", "31032026000000000000000107C")
	later := strings.NewReplacer("02032026", "10032026", "01032026000000000000000100C", "10032026000000000000000107C",
		"02032026000000000000000107C", "10032026000000000000000114C")
	for name, c := range map[string]struct{ file, want string }{
		"a movement on its first day": {file("01032026"), "2026-03-01..2026-03-02 false"},
		"a balance of the day before": {file("02032026"), "2026-03-02..2026-03-02 false"},
		"quiet last days":             {quiet.Replace(file("01032026")), "2026-03-01..2026-03-31 false"},
		"lots that continue": {file("02032026") + later.Replace(file("02032026")),
			"2026-03-02..2026-03-10 false"},
		"lots with a gap": {file("02032026") + strings.NewReplacer("000000000000000107C", "000000000000000108C",
			"000000000000000114C", "000000000000000115C").Replace(later.Replace(file("02032026"))),
			"2026-03-02..2026-03-10 true"},
		"no day of the opening balance": {strings.Replace(file("02032026"), "01032026", "00000000", 1), "none"},
	} {
		r := newReader(strings.NewReader(c.file))
		if _, err := readAll(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, s := "none", r.Summary("")
		if s.PeriodStart != nil && s.PeriodEnd != nil {
			got = fmt.Sprintf("%v..%v %v", s.PeriodStart, s.PeriodEnd, s.PeriodBroken)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A file whose trailers do not agree with its records is refused, and so is one that is cut off.
func TestFaultsOfCNAB240(t *testing.T) {
	t.Parallel()
	file := cnabFile("001", map[string][]entry{account240: {{amount: 7, day: "02032026"},
		{amount: -9, day: "02032026"}}})
	trailer := file[4*242:]
	for name, c := range map[string]struct{ old, now, want string }{
		"a sum of debits": {"000000000000000009" + "0000000000", "000000000000000010" + "0000000000",
			"linha 5: o trailer do lote soma 0,10 de débitos, e os lançamentos somam 0,09"},
		"a sum of credits": {"000000000000000007  ", "000000000000000006  ",
			"linha 5: o trailer do lote soma 0,06 de créditos, e os lançamentos somam 0,07"},
		"a sum that is blank": {"000000000000000007  ", "                    ",
			`linha 5: as posições 195 a 212 têm ""; esperado um número`},
		"the records of the lot": {"F000004", "F000005", "linha 5: o trailer do lote conta 5 registros, e ele tem 4"},
		"the records of the file": {"000001000006", "000001000007",
			"linha 6: o trailer do arquivo conta 7 registros, e ele tem 6"},
		"the order": {"00100015", "00100019", "linha 5: um registro do tipo '9' não pode vir aqui"},
	} {
		if !strings.Contains(trailer, c.old) {
			t.Fatalf("%s: %q is not in the trailers", name, c.old)
		}
		broken := file[:4*242] + strings.Replace(trailer, c.old, c.now, 1)
		items, err := readAll(newReader(strings.NewReader(broken)))
		if !errors.As(err, new(*Error)) || !strings.HasPrefix(err.Error(), c.want) || len(items) > 0 {
			t.Errorf("%s: %d items, error %v", name, len(items), err)
		}
	}
	for name, c := range map[string]struct{ old, now, want string }{
		"the sign":    {"000000007C209", "000000007X209", `linha 3: a posição 169 tem "X"; esperado D ou C`},
		"the amount":  {"000000007C209", "0000 0007C209", `linha 3: as posições 151 a 168 têm`},
		"a long line": {"2090123", "2090123" + strings.Repeat(" ", 300) + "X", `linha 3: o registro tem`},
	} {
		_, err := readAll(newReader(strings.NewReader(strings.Replace(file, c.old, c.now, 1))))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for end := 2 * 242; end < 5*242+20; end += 11 {
		items, err := readAll(newReader(strings.NewReader(file[:end])))
		if !errors.As(err, new(*Error)) || len(items) > 0 {
			t.Errorf("cut behind %d bytes: %d items, error %v", end, len(items), err)
		}
	}
	if items, err := readAll(newReader(bytes.NewReader([]byte(file + file)))); err != nil || len(items) != 4 {
		t.Errorf("two files in one: %d items, error %v", len(items), err)
	}
}
