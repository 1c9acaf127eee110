package finance

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"bordero/finance/taxid"
)

// Identifiers are what the texts of a transaction, or of a financial account, name it by. Each is
// "" where there is none, or more than one.
type Identifiers struct {
	Document            string // the digits of its document without leading zeros; its letters if it has no digits
	EndToEndID          string // of a Pix, as it is written
	CounterpartDocument string // a CPF or CNPJ, without punctuation
}

var (
	taxIDs = []*regexp.Regexp{
		regexp.MustCompile(`\b\d{3}\.?\d{3}\.?\d{3}-?\d{2}\b`),
		regexp.MustCompile(`\b[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}/?[0-9A-Za-z]{4}-?\d{2}\b`),
	}
	// The bank that sent it (ISPB), the minute in UTC, and what that bank chose.
	endToEndID = regexp.MustCompile(`\bE\d{8}(\d{12})[0-9A-Za-z]{11}\b`)
)

// IdentifiersOf returns what the document and the texts of a record say. The counterpart is read
// from the texts alone: numbers of documents look like a CPF too often.
func IdentifiersOf(document string, texts ...string) Identifiers {
	said := strings.Join(texts, "\n")
	var numbers, pix []string
	for _, form := range taxIDs {
		for _, number := range form.FindAllString(said, -1) {
			if taxid.Valid(number) {
				numbers = append(numbers, taxid.Compact(number))
			}
		}
	}
	for _, found := range endToEndID.FindAllStringSubmatch(document+"\n"+said, -1) {
		if _, err := time.Parse("200601021504", found[1]); err == nil {
			pix = append(pix, found[0])
		}
	}
	return Identifiers{Document: documentKey(document), EndToEndID: only(pix), CounterpartDocument: only(numbers)}
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
