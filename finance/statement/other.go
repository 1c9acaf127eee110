package statement

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"bordero/internal/messages"

	"golang.org/x/text/transform"
)

// LooksLike returns the fault of a file that begins with head and in which Detect finds no format.
// It names the probable type of the file, if people take such files for statements.
func LooksLike(head []byte) *messages.Fault {
	head = head[:min(len(head), DetectSize)]
	head, _, _ = transform.Bytes(byteOrderMark(), head) // as in Detect
	text := bytes.ToUpper(bytes.TrimSpace(head))        // ASCII stays legible in a binary file, too
	begins := func(marks ...string) bool {
		return anyOf(marks, head, bytes.HasPrefix) || anyOf(marks, text, bytes.HasPrefix)
	}
	has := func(marks ...string) bool { return anyOf(marks, text, bytes.Contains) }
	markup := begins("<")
	switch {
	case begins("\xD0\xCF\x11\xE0"): // XLS
		return messages.Spreadsheet
	case begins("PK\x03\x04") && has("OPENDOCUMENT.SPREADSHEET"):
		return messages.Spreadsheet
	case markup && has("OFFICE:EXCEL", "OFFICE:SPREADSHEET", "EXCEL.SHEET"): // a page that a bank calls XLS
		return messages.Spreadsheet
	case begins("PK\x03\x04", "\x1F\x8B", "Rar!", "7z\xBC\xAF"):
		return messages.Compressed
	case begins("%PDF-"):
		return messages.PDF
	case begins("\x89PNG", "\xFF\xD8\xFF", "GIF8", "II*\x00", "MM\x00*"), begins("RIFF") && has("WEBP"),
		bytes.Contains(head[:min(len(head), 16)], []byte("ftyphei")):
		return messages.Image
	case markup && has(":XSD:CAMT.", "BKTOCSTMR"):
		return messages.CAMT
	case markup && has("<HTML", "<!DOCTYPE HTML", "<BODY"):
		return messages.Page
	case notItems.Match(text):
		return messages.JSON
	case begins("{1:F01", ":20:") && has("\n:25:", "\r:25:"):
		return messages.MT940
	case OfAcquirer(head):
		return messages.AcquirerFile
	case cnab240Header.Match(text) && long(text, recordSize+1):
		return messages.CNAB240
	case cnab400.Match(text) && long(text, 400):
		return messages.CNAB400
	case cnab200.Match(text) && long(text, 200):
		return messages.CNAB200
	case cnab150.Match(text) && long(text, 150):
		return messages.CNAB150
	}
	if header := tableHeader(head); header != "" {
		return messages.CSV.With(header)
	}
	return messages.NotStatement
}

// OfAcquirer reports whether a file that begins with head is a list of card sales, or of their payments, as an acquirer
// sends it: Cielo, Rede, Getnet or Stone.
func OfAcquirer(head []byte) bool {
	head, _, _ = transform.Bytes(byteOrderMark(), head[:min(len(head), DetectSize)]) // as in Detect
	text := bytes.ToUpper(bytes.TrimSpace(head))
	return acquirerHeader.Match(text) || bytes.HasPrefix(text, []byte("<")) &&
		bytes.Contains(text, []byte("<CONCILIATION>")) // Stone
}

// acquirerHeader is the first line, in upper case: of Cielo, with its name in columns 43 to 47; of Rede, with the
// version of EEVC, EEVD (a CSV), EEFI or EESA; of Getnet, with two days and an hour before its mark.
var acquirerHeader = regexp.MustCompile(`^0(\d{41}CIELO\d\d|\d.{60,}V\d\.\d\d ?- ?\d\d/\d{2,4} (- )?EE(VC|VD|FI|SA)|` +
	`\d{22}CEADM100)`)

// tableHeader returns the header of a table, or "" if the text is none, or a broken statement of another format.
func tableHeader(text []byte) string {
	upper := bytes.ToUpper(text)
	if anyOf([]string{"<STMT", "OFXHEADER", "\n^"}, upper, bytes.Contains) {
		return ""
	}
	return headerIn(text)
}

func anyOf(marks []string, text []byte, is func(text, mark []byte) bool) bool {
	for _, m := range marks {
		if is(text, []byte(m)) {
			return true
		}
	}
	return false
}

// notItems is the beginning of JSON.
var notItems = regexp.MustCompile(`^(\{\s*["}]|\[\s*["{\[\]0-9-])`)

// The headers of CNAB files: the bank, lot 0000 and record 0; 0, 1 or 2, and the direction; a statement of 200; and
// A, 1 or 2, the agreement, the company and the bank.
var (
	cnab240Header = regexp.MustCompile(`^\d{3}00000`)
	cnab400       = regexp.MustCompile(`^0(1REMESSA|2RETORNO)`)
	cnab200       = regexp.MustCompile(`^0.{0,20}EXTRATO`)
	cnab150       = regexp.MustCompile(`^A[12].{60,}\d{8}`)
)

// long reports whether the first line has n characters, or n bytes. Blanks at its end may be lacking.
func long(text []byte, n int) bool {
	line := firstLines(text, 1)[0]
	return len(line) > n/2 && utf8.RuneCount(bytes.TrimRight(line, " ")) <= n
}

// separators are the separators of a CSV.
var separators = []string{";", "\t", ","}

// headerIn returns the first of two lines that have as many separators, one after the other, or "".
func headerIn(text []byte) string {
	if bytes.IndexByte(text, 0) >= 0 {
		return ""
	}
	for _, separator := range separators {
		var before []byte
		for _, line := range firstLines(text, 50) {
			n := bytes.Count(line, []byte(separator))
			if n >= 2 && n == bytes.Count(before, []byte(separator)) {
				return string(clean(nil, before[:min(len(before), maxValue)]))
			}
			before = line
		}
	}
	return ""
}

// firstLines returns up to n lines.
func firstLines(text []byte, n int) (lines [][]byte) {
	for line := range bytes.FieldsFuncSeq(text, func(c rune) bool { return c == '\n' || c == '\r' }) {
		if lines = append(lines, line); len(lines) == n {
			break
		}
	}
	return lines
}
