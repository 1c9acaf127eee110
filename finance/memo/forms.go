package memo

import (
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// Banks whose forms are known, by their COMPE codes.
const (
	anyBank   = 0
	bb        = 1
	santander = 33
	inter     = 77
	caixa     = 104
	stone     = 197
	bradesco  = 237
	nubank    = 260
	itau      = 341
	efi       = 364
	sicredi   = 748
	sicoob    = 756
)

// table lists the forms of the texts in which banks name the counterpart, the most telling first. A form is a regular
// expression for a whole folded line. In it, a space stands for one or more, and names in braces stand for the
// expressions of parts.
var table = []struct {
	bank int64
	text string
}{
	// Names may have " - " in them. The account follows the document.
	{nubank, `(?:ESTORNO - |REEMBOLSO - )?{kind} - {name} - {document}(?: - .*)?`},
	{nubank, `(?:PAGAMENTO|REEMBOLSO) RECEBIDO(?: PELO PIX)? - {name} - {document}(?: - .*)?`},
	{nubank, `PAGAMENTO DE BOLETO EFETUADO - {name}`},

	// The eight digits are the other bank (ISPB), the others its code, branch and account. An OFX file
	// writes a name in front, which is the only one of a boleto's payer.
	{inter, `(?:.* )?{kind}[^:]*: "?CP ?: ?\d{8} ?- ?{name}"?`},
	{inter, `(?:.* )?{kind}[^:]*: "?\d+ (?:\d+ )?\d+ {name}"?`},
	{inter, `{name} BOLETO DE COBRANCA RECEBIDO: .*`},
	{inter, `{kind}[A-Z ]* - \d+ (?:\d+ )?\d+ {name}`},

	// The document and the name fill 26 characters.
	{bb, `(?:\d{3} )?PIX ?- ?[A-Z ]+(?: -)? {moment} {document} {name}`},
	{bb, `(?:\d{3} )?PIX ?- ?[A-Z ]+(?: -)? {moment} {name}`},
	{bb, `TRANSFER[A-Z]+ [A-Z ]+(?: -)? {moment} {name}`},
	{bb, `TRANSFER[A-Z]+ [A-Z ]+(?: -)? {day} {account} {name}`},
	{bb, `(?:PAGAMENTO DE BOLETO|RECEBIMENTO DE PROVENTOS) - {name}`},

	// The day of the payment is glued to the name, which is cut at 7 or 12 characters; newer texts have the
	// cut name, the day, and then the whole name.
	{itau, `PIX [A-Z]+ .{1,12}{day} {name} {document}`},
	{itau, `PIX (?:TRANSF|QRS) {name} ?{day}`},
	{itau, `(?:RECEBIMENTOS|BOLETO PAGO|SISPAG [A-Z]+) {name} {document}`},
	{itau, `(?:SISPAG PIX|PAG BOLETO) {name}`},
	{itau, `TBI \d{4}\.\d{5}-\d ?{name}`},

	// The document alone, in CNAB behind the six digits of another number; or the name alone.
	{santander, `(?:PIX|TED|DOC) [A-Z]+(?: - DIF TIT)? (?:\d{6})?{document}`},
	{santander, `PAGAMENTO DE BOLETO OUTROS BANCOS {name}`},

	// A code of the movement may stand before the document. Older files have the pair in the id alone.
	{sicredi, `(?:{kind}|LIQUIDACAO BOLETO|(?:DEBITO |CREDITO )?TED(?:/IB)?){code} {document} {name}`},
	{sicredi, `RECEBIMENTO PIX ?- ?{name}`},

	// Parts in any order; a free text may follow.
	{sicoob, `[^|]* PIX\|@{name}\|@{document}(?:\|.*)?`},
	{sicoob, `[^|]* PIX\|@{document}\|@{name}(?:\|.*)?`},
	{sicoob, `[^|]* PIX\|@{name}(?:\|@DOC.*)?`},
	{sicoob, `(?:.* )?{kind}{to} {name}(?: -)? \(?(?:CPF:? |CNPJ:? )?{document}\)?(?: .*)?`},
	{sicoob, `(?:.* )?(?:FAV|REM)\.?: {name}(?: DOC\..*)?`},

	{bradesco, `.* (?:REM|DES): {name}(?: {day})?`},
	{bradesco, `.* (?:REMET|DEST)\. ?{name}(?: {day})?`},
	{bradesco, `(?:\d{5} )?(?:TRANSF AUTORIZ|TRANS SAL P/C/C)(?: -)? {name}`},

	{caixa, `[A-Z ]+ \| {name} \| {document}`},
	{caixa, `[A-Z ]*PIX[A-Z ]* \| {name} \|.*`},

	{stone, `{name} - (?:PIX|TED|TRANSFERENCIA|BOLETO) \| [A-Z ]+`},

	{efi, `(?:REPASSE PAGAMENTO|TARIFA REPASSE): \d+ DE {name}`},

	{anyBank, `(?:{kind}|PIX|TED|DOC){to} {document}(?:(?: -)? {name})?`},
	{anyBank, `{kind}{to} {name}(?: -)? \(?(?:CPF:? |CNPJ:? )?{document}\)?(?: .*)?`},
	{anyBank, `{kind}{to} (?:\d{3}\.\d{4} )?{name}(?: TRANSF [A-Z]+ PIX)?`},
	{anyBank, `{kind} ?\| ?{name}`},
	{anyBank, `PAGAMENTO COM QR PIX {name}`},
}

// parts are the parts of forms.
var parts = strings.NewReplacer(
	" ?", ` *`,
	" ", ` +`,
	"{name}", `(?P<name>[^ |][^|]*?)`,
	"{document}", `(?P<document>`+punctuated+`|`+masked+`|`+unpunctuated+`)`,
	"{day}", `\d{2}/\d{2}`,
	"{moment}", `\d{2}/\d{2} +\d{2}:\d{2}`,
	"{account}", `\d{4} +\d+-[\dX]`,
	"{code}", `(?:(?: *-| +)[A-Z0-9_]+)?`,
	"{to}", `(?: +DE| +PARA)?(?: +-)?`,
	"{kind}", `(?:(?:TRANSF[A-Z]*\.? +)?(?:PIX|TED|DOC|TRANSF[A-Z]*) +(?:RECEBID|ENVIAD|DEVOLVID)[OA]`+
		`(?: +PELO PIX| +VIA PIX)?|(?:RECEBIMENTO|PAGAMENTO|DEVOLUCAO)(?: +DE)? +PIX)`,
)

// form is a form as it is compiled; name and document are the places of its groups among the indexes of a
// match, or 0.
type form struct {
	pattern        *regexp.Regexp
	needs          [][]string // a text that fits has one of each: to look for them first is ten times as fast
	name, document int
}

func compile(text string) *form {
	text = parts.Replace(text)
	f := &form{pattern: regexp.MustCompile(`^(?:` + text + `)$`)}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		panic(err)
	}
	f.needs = needs(parsed)
	slices.SortStableFunc(f.needs, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
	for i, group := range f.pattern.SubexpNames() {
		switch group {
		case "name":
			f.name = 2 * i
		case "document":
			f.document = 2 * i
		}
	}
	return f
}

// place returns where a group of a match is; -1 if the form lacks it or it is empty.
func (f *form) place(groups []int, group int) (start, end int) {
	if group == 0 {
		return -1, -1
	}
	return groups[group], groups[group+1]
}

// needs returns lists of literal texts: whatever matches has one of each list.
func needs(pattern *syntax.Regexp) (lists [][]string) {
	switch pattern.Op {
	case syntax.OpLiteral:
		return [][]string{{string(pattern.Rune)}}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range pattern.Sub {
			lists = append(lists, needs(sub)...)
		}
	case syntax.OpAlternate:
		var either []string
		for _, sub := range pattern.Sub {
			ofSub := needs(sub)
			if len(ofSub) == 0 {
				return nil
			}
			either = append(either, slices.MaxFunc(ofSub, func(a, b []string) int {
				return cmp.Compare(len(a[0]), len(b[0]))
			})...)
		}
		return [][]string{either}
	}
	return lists
}

// fits returns the groups of the form in a line, nil if the line has another form.
func (f *form) fits(folded string) []int {
	for _, list := range f.needs {
		if !slices.ContainsFunc(list, func(text string) bool { return strings.Contains(folded, text) }) {
			return nil
		}
	}
	return f.pattern.FindStringSubmatchIndex(folded)
}

// referenceForms are the forms of a bank's id. Sicredi adds a number to keep it unique.
var referenceForms = []*form{compile(`[A-Z0-9_]+ {document} {name}(?:-\d+)?`)}

// forms has the compiled forms of the table.
type forms struct {
	all []*form
	by  map[int64][]*form // by bank, with the forms of any bank
}

// compiled returns the forms of the table. The first text that is read compiles them: most processes read no texts.
var compiled = sync.OnceValue(func() forms {
	f := forms{by: map[int64][]*form{}}
	for _, row := range table {
		form := compile(row.text)
		f.all = append(f.all, form)
		f.by[row.bank] = append(f.by[row.bank], form)
	}
	for bank, own := range f.by {
		if bank != anyBank {
			f.by[bank] = append(own, f.by[anyBank]...)
		}
	}
	return f
})

// formsOf returns the forms that a text of the bank may have.
func formsOf(bank int64) []*form {
	f := compiled()
	if own, known := f.by[bank]; known && bank != anyBank {
		return own
	}
	return f.all
}
