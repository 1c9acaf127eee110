package statement

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// FuzzReader holds what must be true of any input: reading it ends without a
// panic, finds no more items than there are <STMTTRN, and the same ones however
// the input is cut into reads, and every text can be stored.
func FuzzReader(f *testing.F) {
	for _, row := range manifest(f) {
		f.Add(corpusFile(f, row))
	}
	for _, text := range []string{"<OFX><STMTTRN><MEMO><![CDATA[a&b]]>c", "\xFF\xFE<\x00O\x00", "<OFX><STMTTRN", "<OFX><!--><!-->"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		items, err := readAll(NewReader(bytes.NewReader(file)))
		again, errAgain := readAll(NewReader(iotest.OneByteReader(bytes.NewReader(file))))
		if diff := diff(items, again); diff != "" || (err == nil) != (errAgain == nil) ||
			err != nil && err.Error() != errAgain.Error() {
			t.Errorf("read byte by byte it differs, errors %v and %v:\n%s", err, errAgain, diff)
		}
		decoded, err := io.ReadAll(transform.NewReader(bytes.NewReader(file), byteOrderMark()))
		if err != nil {
			t.Fatal(err)
		}
		if most := strings.Count(strings.ToUpper(string(decoded)), "<STMTTRN"); len(items) > most {
			t.Errorf("%d items, but %d begin", len(items), most)
		}
		lines := 1 + strings.Count(string(decoded), "\n") + strings.Count(string(decoded), "\r")
		for _, item := range items {
			if item.Line < 1 || item.AmountLine < item.Line || item.AmountLine > lines {
				t.Errorf("an item at line %d, its amount at %d, of %d", item.Line, item.AmountLine, lines)
			}
			if len(item.FITID) > maxFITID {
				t.Errorf("a FITID of %d bytes", len(item.FITID))
			}
			for _, text := range []string{item.Account, item.Amount, item.FITID, item.Document, item.Description} {
				if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) ||
					strings.TrimSpace(text) != text || len(text) > 4*maxValue {
					t.Errorf("%q is not clean", text)
				}
			}
			_, _, _ = Classify(item, "1", day(2026, 3, 2))
			_, _, _ = Classify(item, "", day(2026, 3, 2))
			_ = Instalment(item.Description)
		}
		_ = Detect(file)
	})
}
