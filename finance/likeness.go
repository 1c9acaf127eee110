package finance

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// dictionary maps words to numbers, so that texts can be compared as numbers.
type dictionary map[string]int32

// noise lists words that banks write into every description and that distinguish nothing.
var noise = map[string]bool{
	"pix": true, "ted": true, "doc": true, "pag": true, "pagto": true, "pgto": true, "pagamento": true,
	"pagamentos": true,
	"boleto":     true, "enviado": true, "enviada": true, "recebido": true, "recebida": true, "recebimento": true,
	"transferencia": true,
	"transf":        true, "credito": true, "debito": true, "cred": true, "deb": true, "compra": true, "conta": true,
	"cartao": true, "ltda": true, "eireli": true,
	"para": true, "por": true, "com": true, "nota": true, "fiscal": true, "ref": true,
}

// words returns the numbers of the distinct words of a text, sorted. It ignores case, accents,
// leading zeros, noise, and words of fewer than three characters.
func (d dictionary) words(text string) (numbers []int32) {
	for _, w := range split(text) {
		w = strings.TrimLeft(w, "0")
		if len(w) >= 3 && !noise[w] {
			numbers = append(numbers, d.number(w))
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// split returns the words of a text, without case and accents.
func split(text string) []string {
	return strings.FieldsFunc(plain(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// document returns the number of a document's identifying part; 0 if that is empty.
func (d dictionary) document(text string) int32 { return d.key(documentKey(text)) }

// key returns the number of an identifier, whatever its case; 0 if that is empty.
func (d dictionary) key(identifier string) int32 {
	if identifier == "" {
		return 0
	}
	return d.number(strings.ToLower(identifier))
}

// number never returns 0.
func (d dictionary) number(word string) int32 {
	n, known := d[word]
	if !known {
		n = int32(len(d)) + 1
		d[word] = n
	}
	return n
}

// plain removes case and accents.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
}

// likeness returns the percentage of the shorter word list that is also in the other.
func likeness(a, b []int32) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return 100 * common / min(len(a), len(b))
}
