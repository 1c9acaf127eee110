package memo

import (
	"cmp"
	"regexp"
)

var (
	givenDocument = regexp.MustCompile(`^(?:` + punctuated + `|` + masked + `|` + unpunctuated + `)$`)
	givenTxID     = regexp.MustCompile(`^[0-9A-Za-z]{1,35}$`)
)

// Given returns the payment that the fields of a record name, by the rules of Read: a document with wrong check
// digits, a name that is none and an identifier of another shape are left out.
func Given(p Payment) Payment {
	p.CounterpartName = cleanName(newLine(p.CounterpartName).text)
	if text := newLine(p.CounterpartDocument).folded; givenDocument.MatchString(text) {
		p.CounterpartDocument = document(text)
	} else {
		p.CounterpartDocument = ""
	}
	if ids := newLine(p.EndToEndID).endToEndIDs(); len(ids) != 1 || ids[0] != p.EndToEndID {
		p.EndToEndID = ""
	}
	if !givenTxID.MatchString(p.TxID) {
		p.TxID = ""
	}
	return p
}

// Or returns p, with the fields of q where p has none.
func (p Payment) Or(q Payment) Payment {
	return Payment{
		EndToEndID: cmp.Or(p.EndToEndID, q.EndToEndID), TxID: cmp.Or(p.TxID, q.TxID),
		CounterpartName:     cmp.Or(p.CounterpartName, q.CounterpartName),
		CounterpartDocument: cmp.Or(p.CounterpartDocument, q.CounterpartDocument),
	}
}
