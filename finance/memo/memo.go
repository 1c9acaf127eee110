// Package memo reads, from the text that a bank wrote about a movement, the identifiers of its Pix and
// the counterpart: the person or company that paid or was paid. It is apart from package finance
// because it knows the habits of banks and no records, and from package statement because
// stored transactions are read too.
package memo

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Text is a bank's text about one movement. Whether it is a debit or a credit does not matter: the
// banks write the other side in the same place.
type Text struct {
	Bank        int64    // its COMPE code; 0 if it is unknown
	Description string   // name and memo, joined by a space
	References  []string // the bank's id, the number of the document; the first that names somebody counts
}

// Payment has the identifiers and the counterpart that Read found. A field is "" if the text lacks it or leaves it
// in doubt.
type Payment struct {
	// EndToEndID identifies the Pix, or with a D in front its return, as it is written.
	EndToEndID string
	// TxID is the receiver's identifier of the charge, as it is written.
	TxID string
	// CounterpartName is as it is written, perhaps cut by the bank. Spaces are single, and the number of
	// a one-person firm is left out.
	CounterpartName string
	// CounterpartDocument is a CPF of 11 or a CNPJ of 14 characters without punctuation, whose check
	// digits are right, or one of the same length that the bank masked: "***123456**".
	CounterpartDocument string
}

// maxText is the number of bytes of a text that are read. The longest description that a bank
// was seen to write has 170.
const maxText = 400

// Read returns the identifiers and the counterpart in the text. It tries the forms of the bank and the forms that
// many banks write; for an unknown bank, all forms. A number is a document if it stands where a form has one, or is
// punctuated like one, and its check digits are right: of the numbers of accounts, one in a hundred has the check
// digits of a CPF.
func Read(t Text) Payment {
	references := make([]line, len(t.References))
	for i, reference := range t.References {
		references[i] = newLine(reference)
		if isCode(reference) { // readers of statements add it to the description
			t.Description = strings.TrimSuffix(t.Description, " "+reference)
		}
	}
	description := newLine(t.Description)
	lines := append([]line{description}, references...)
	p := Payment{EndToEndID: only(line.endToEndIDs, lines), TxID: only(line.txIDs, lines[:1])}
	description = description.without(p)

	var found side
	fits := false
	for i := 0; i < len(references) && !fits; i++ {
		found, fits = read(references[i], referenceForms)
	}
	if !fits {
		found, _ = read(description, formsOf(t.Bank))
	}
	if !found.hasPlace {
		found.document = only(line.documents, lines)
	}
	p.CounterpartName, p.CounterpartDocument = found.name, found.document
	return p
}

// isCode reports whether a reference is neither a number nor words.
func isCode(reference string) bool {
	return strings.ContainsAny(reference, "0123456789_") && strings.Trim(reference, "0123456789") != ""
}

// side is the counterpart in one line. A document with wrong check digits has a place and no value.
type side struct {
	name, document string
	hasPlace       bool
}

// read returns the counterpart by the first form that fits the whole line.
func read(l line, forms []*form) (s side, fits bool) {
	n := digits(l.folded)
	for _, f := range forms {
		if f.document > 0 && n < shownDigits {
			continue
		}
		groups := f.fits(l.folded)
		if groups == nil {
			continue
		}
		s = side{}
		if start, end := f.place(groups, f.name); start >= 0 {
			s.name = cleanName(l.part(start, end))
		}
		if start, end := f.place(groups, f.document); start >= 0 {
			behindNoName := f.name > 0 && f.name < f.document && s.name == ""
			if bare(l.folded[start:end]) && (behindNoName || l.behindAccount(start)) {
				continue
			}
			s.hasPlace, s.document = true, document(l.folded[start:end])
		}
		return s, true
	}
	return side{}, false
}

// only returns the one value in all lines; "" if there is none or they differ.
func only(values func(line) []string, lines []line) string {
	var all []string
	for _, l := range lines {
		all = append(all, values(l)...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 1 {
		return all[0]
	}
	return ""
}

// line is a text and its folded form, in which each character is one byte: ASCII in upper case, without
// accents, so that a place in one is the same place in the other.
type line struct{ text, folded string }

func newLine(text string) line {
	text = strings.ToValidUTF8(text[:min(len(text), maxText)], "\uFFFD")
	text = norm.NFC.String(strings.TrimSpace(text))
	folded := make([]byte, 0, len(text))
	for _, r := range text {
		folded = append(folded, fold(r))
	}
	return line{text, string(folded)}
}

// part returns a part of the text.
func (l line) part(start, end int) string {
	if len(l.text) == len(l.folded) { // ASCII
		return l.text[start:end]
	}
	return string([]rune(l.text)[start:end])
}

// fold returns the character in ASCII; '?' if it has none.
func fold(r rune) byte {
	switch {
	case 'a' <= r && r <= 'z':
		return byte(r) - 'a' + 'A'
	case r < 0x80:
		return byte(r)
	case int(r) < len(latin):
		return latin[r]
	case r == '•' || r == '●':
		return '*'
	case r == '–' || r == '—':
		return '-'
	}
	return '?'
}

// latin has the letters of European languages without their accents.
var latin = func() (table [0x180]byte) {
	for r := range table {
		table[r] = '?'
		if base := strings.ToUpper(norm.NFD.String(string(rune(r))))[0]; base < 0x80 {
			table[r] = base
		}
	}
	table['\u00a0'] = ' '
	return table
}()

// digits returns the number of digits in a text.
func digits(text string) (n int) {
	for i := range len(text) {
		if '0' <= text[i] && text[i] <= '9' {
			n++
		}
	}
	return n
}
