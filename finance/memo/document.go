package memo

import (
	"regexp"
	"strings"

	"bordero/finance/taxid"
)

// Shapes of documents in a folded line. Since July 2026 a CNPJ may have letters; a bare one begins
// with a digit here, because words of fourteen letters are many.
const (
	punctuated   = `\d{3}\.\d{3}\.\d{3}-\d{2}|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}[/ ][0-9A-Z]{4}-\d{2}`
	masked       = `\*{3}\.?\d{3}\.?\d{3}-?\*{0,3}|\*{2}\.?\d{3}\.\d{3}/\d{1,4}-?\*{0,3}(?:\d{2})?`
	unpunctuated = `\d{11}|\d[0-9A-Z]{11}\d{2}`
)

// shownDigits is the least number of digits that a mask leaves.
const shownDigits = 6

var alone = regexp.MustCompile(`^(?:` + punctuated + `|` + masked + `)$`)

// documents returns the documents of a line that are recognised by their punctuation.
func (l line) documents() (found []string) {
	if digits(l.folded) < shownDigits || !strings.Contains(l.folded, ".") {
		return nil
	}
	before := ""
	between := func(r rune) bool { return strings.ContainsRune(` ()|@,;:"`, r) }
	for word := range strings.FieldsFuncSeq(l.folded, between) {
		if word = strings.TrimRight(word, "."); alone.MatchString(word) && !accountWords[before] {
			if d := document(word); d != "" {
				found = append(found, d)
			}
		}
		before = word
	}
	return found
}

// bare reports whether a document lacks punctuation, so that it may be another number.
func bare(document string) bool { return !strings.ContainsAny(document, "-*") }

// behindAccount reports whether the number at a place stands where banks put the number of an account.
func (l line) behindAccount(start int) bool {
	if start > 0 && '0' <= l.folded[start-1] && l.folded[start-1] <= '9' { // the form has a number glued to it
		return false
	}
	before := strings.TrimRight(l.folded[:start], " .:(-")
	before = before[strings.LastIndexByte(before, ' ')+1:]
	return accountWords[before] || before != "" && strings.Trim(before, "0123456789./-") == "" // the branch
}

// document returns the compact form of a text of one of the shapes; "" if its check digits are wrong.
// A CPF may be padded to fourteen digits; one that could be a CNPJ as well is in doubt, unless that is
// Banco do Brasil's.
func document(text string) string {
	if strings.Contains(text, "*") {
		return mask(text)
	}
	number := taxid.Compact(text)
	cpf, padded := strings.CutPrefix(number, "000")
	padded = padded && len(cpf) == 11 && taxid.Valid(cpf)
	switch valid := taxid.Valid(number); {
	case padded && valid && !strings.HasPrefix(number, "00000000"):
		return ""
	case valid:
		return number
	case padded:
		return cpf
	}
	return ""
}

// mask returns a masked document with its hidden characters, and what the bank cut, as asterisks.
func mask(text string) string {
	length := 11
	if strings.Contains(text, "/") {
		length = 14
	}
	text = strings.NewReplacer(".", "", "/", "", "-", "").Replace(text)
	return (text + strings.Repeat("*", length))[:length]
}
