package statement

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// plain reports whether clean would leave a trimmed text unchanged.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '&' {
			return false
		}
	}
	return true
}

// clean appends the text to dst as valid UTF-8 in one line, with entities decoded once, trimmed,
// without control characters. The text alone determines the charset: headers lie, and some files
// mix two.
func clean(dst, text []byte) []byte {
	return tidy(dst, decodeEntities(decodeCharset(text)))
}

// decodeCharset returns the text as UTF-8. Banks cut texts after a number of bytes, also in the middle of a
// character, which is left out. In a text that is ASCII but for its end, that end is CP1252.
func decodeCharset(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	if whole := wholeRunes(text); utf8.Valid(whole) && utf8.RuneCount(whole) < len(whole) {
		return whole
	}
	return fromCP1252(text)
}

// fromCP1252 decodes CP1252. The five bytes that it leaves undefined become U+FFFD.
func fromCP1252(text []byte) []byte {
	out := make([]byte, 0, 2*len(text))
	for _, c := range text {
		out = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(c))
	}
	return out
}

// decodeEntities decodes &name; and &#number; and leaves every other '&' unchanged. That is
// stricter than HTML, where "SILVA&LTDA" would become "SILVA<DA".
func decodeEntities(text []byte) []byte {
	i := bytes.IndexByte(text, '&')
	if i < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for ; i >= 0; i = bytes.IndexByte(text, '&') {
		out = append(out, text[:i]...)
		text = text[i:]
		n := 1 + bytes.IndexAny(text[1:min(len(text), 34)], ";&")
		if n > 0 && text[n] == ';' {
			decoded := html.UnescapeString(string(text[:n+1]))
			if decoded == ";" || decoded[len(decoded)-1] != ';' {
				out = append(out, decoded...)
				text = text[n+1:]
				continue
			}
		}
		out = append(out, '&')
		text = text[1:]
	}
	return append(out, text...)
}

// tidy appends text to dst, trimmed and without control characters. Each line break and the
// spaces around it become one space.
func tidy(dst, text []byte) []byte {
	broken := true
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		switch {
		case c == '\n' || c == '\r':
			dst = bytes.TrimRight(dst, " ")
			if len(dst) > 0 {
				dst = append(dst, ' ')
			}
			broken = true
		case unicode.IsSpace(c):
			if !broken {
				dst = append(dst, ' ')
			}
		case !unicode.IsControl(c):
			dst = append(dst, text[:n]...)
			broken = false
		}
		text = text[n:]
	}
	return bytes.TrimRight(dst, " ")
}

// maxNumber is the maximum length, in bytes, of an item's FITID and Document. A transaction refuses a
// longer document.
const maxNumber = 255

// bankNumber returns the value of a FITID or Document, truncated to maxNumber bytes.
func bankNumber(text []byte) string {
	return string(bytes.TrimRight(wholeRunes(text[:min(len(text), maxNumber)]), " "))
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// unaccented returns the text in upper case, without accents.
func unaccented(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return unicode.ToUpper(c)
	}, norm.NFD.String(text))
}

// wholeRunes removes an incomplete character at the end of text.
func wholeRunes(text []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(text)); i++ {
		if end := text[len(text)-i:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// describe joins name and memo with a space. Many banks begin one with the other; then it returns
// the longer one.
func describe(name, memo []byte) string {
	switch {
	case bytes.HasPrefix(memo, name):
		return string(memo)
	case bytes.HasPrefix(name, memo):
		return string(name)
	}
	return string(name) + " " + string(memo)
}
