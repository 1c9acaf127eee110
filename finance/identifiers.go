package finance

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"bordero/finance/taxid"
)

// Identifiers are the identifiers of a transaction, or of a financial account, in its texts. Each
// is "" if it is missing or ambiguous.
type Identifiers struct {
	Document            string // the digits of its document without leading zeros; its letters if it has no digits
	EndToEndID          string // of a Pix, as it is written
	TxID                string // of a Pix charge, which the payee chose, as it is written
	CounterpartDocument string // a CPF or CNPJ, without punctuation
}

var (
	taxIDs = []*regexp.Regexp{
		regexp.MustCompile(`\b\d{3}\.?\d{3}\.?\d{3}-?\d{2}\b`),
		regexp.MustCompile(`\b[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}/?[0-9A-Za-z]{4}-?\d{2}\b`),
	}
	// The bank that sent it (ISPB), the minute in UTC, and letters that the bank chose.
	endToEndID = regexp.MustCompile(`\bE\d{8}(\d{12})[0-9A-Za-z]{11}\b`)
	txID       = regexp.MustCompile(`\b[0-9A-Za-z]{26,35}\b`)
)

// IdentifiersOf returns the identifiers in the document and the texts of a record. The counterpart
// is read from the texts alone: numbers of documents look like a CPF too often.
func IdentifiersOf(document string, texts ...string) Identifiers {
	var numbers, pix, charges []string
	for _, word := range longWords(strings.Join(texts, " ")) {
		for _, form := range taxIDs {
			for _, number := range form.FindAllString(word, -1) {
				if taxid.Valid(number) {
					numbers = append(numbers, taxid.Compact(number))
				}
			}
		}
		pix, charges = append(pix, endToEndIDs(word)...), append(charges, txIDs(word)...)
	}
	pix, charges = append(pix, endToEndIDs(document)...), append(charges, txIDs(document)...)
	return Identifiers{Document: documentKey(document), EndToEndID: only(pix), TxID: only(charges),
		CounterpartDocument: only(numbers)}
}

func txIDs(text string) []string {
	return slices.DeleteFunc(txID.FindAllString(text, -1), endToEndID.MatchString)
}

// longWords returns the parts of a text that are long enough for an identifier, so that few are
// compared with patterns.
func longWords(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("./-_", r)
	})
	return slices.DeleteFunc(words, func(word string) bool { return len(word) < 11 })
}

func endToEndIDs(text string) (found []string) {
	for _, id := range endToEndID.FindAllStringSubmatch(text, -1) {
		if _, err := time.Parse("200601021504", id[1]); err == nil {
			found = append(found, id[0])
		}
	}
	return found
}

// Identify sets the identifiers of the movement from its texts, except identifiers that are known. It drops a
// masked counterpart, which is the counterpart of many. Some banks write the counterpart where the number
// of a document should be: such a number becomes part of the text, and the document is empty.
//
// It finds more than package memo, which is silent when in doubt: a number that is no counterpart does little
// harm here. It is compared with the numbers of the account's own people alone, and where it differs from a
// valid one, less is suggested.
func (m *Movement) Identify() {
	if strings.Contains(m.CounterpartDocument, "*") {
		m.CounterpartDocument = ""
	}
	ids := IdentifiersOf(m.Document, m.Text)
	m.EndToEndID, m.TxID = cmp.Or(m.EndToEndID, ids.EndToEndID), cmp.Or(m.TxID, ids.TxID)
	m.CounterpartDocument = cmp.Or(m.CounterpartDocument, ids.CounterpartDocument)
	named := !strings.ContainsFunc(m.Document, unicode.IsDigit) ||
		ids.Document == strings.TrimLeft(m.CounterpartDocument, "0")
	if named && strings.Contains(m.Text, m.Document) {
		m.Document = ""
	}
}

// only returns the one text that all of them are; "" if there is none or they differ.
func only(texts []string) string {
	slices.Sort(texts)
	if texts = slices.Compact(texts); len(texts) == 1 {
		return texts[0]
	}
	return ""
}

// documentKey returns the identifying part of a document: its digits without leading zeros, or its
// letters if it has no digits, without case and accents.
func documentKey(document string) string {
	of := func(in func(rune) bool) string {
		return strings.TrimLeft(strings.Map(func(r rune) rune {
			if in(r) {
				return r
			}
			return -1
		}, plain(document)), "0")
	}
	if digits := of(unicode.IsDigit); digits != "" {
		return digits
	}
	return of(unicode.IsLetter)
}
