package wire

import "unicode/utf8"

const replacement = "\uFFFD"

// plain reports, by format, which ASCII bytes are written unescaped.
var plain = func() (t [3][utf8.RuneSelf]bool) {
	for c := range byte(utf8.RuneSelf) {
		t[cells][c] = true // the format of the sheet quotes the cell
	}
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		t[JSON][c] = c != '"' && c != '\\'
		t[XML][c] = c != '&' && c != '<' && c != '>'
	}
	t[XML]['\t'], t[XML]['\n'] = true, true
	return t
}()

// text writes s, escaped for the format.
func (w *Writer) text(s string) {
	plain := &plain[w.format]
	from := 0 // start of the part not written yet
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			if plain[s[i]] {
				i++
				continue
			}
			w.buf = append(w.buf, s[from:i]...)
			w.escape(s[i])
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if other := w.instead(r, size); other != "" {
			w.buf = append(w.buf, s[from:i]...)
			w.buf = append(w.buf, other...)
			from = i + size
		}
		i += size
	}
	w.buf = append(w.buf, s[from:]...)
}

// escape writes an ASCII byte that is not plain.
func (w *Writer) escape(c byte) {
	if w.format == XML {
		switch c {
		case '&':
			w.buf = append(w.buf, "&amp;"...)
		case '<':
			w.buf = append(w.buf, "&lt;"...)
		case '>':
			w.buf = append(w.buf, "&gt;"...)
		case '\r': // a parser reads a bare one as a line feed
			w.buf = append(w.buf, "&#13;"...)
		default: // XML 1.0 has no form for the other control characters
			w.buf = append(w.buf, replacement...)
		}
		return
	}
	switch c {
	case '"', '\\':
		w.buf = append(w.buf, '\\', c)
	case '\n':
		w.buf = append(w.buf, '\\', 'n')
	case '\r':
		w.buf = append(w.buf, '\\', 'r')
	case '\t':
		w.buf = append(w.buf, '\\', 't')
	default:
		const hex = "0123456789abcdef"
		w.buf = append(w.buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
}

// instead returns the replacement of a rune above ASCII, or "".
func (w *Writer) instead(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return replacement
	case w.format == XML && (r == '\uFFFE' || r == '\uFFFF'): // not in XML 1.0
		return replacement
	case w.format == JSON && r == '\u2028': // ends a line in old JavaScript
		return `\u2028`
	case w.format == JSON && r == '\u2029':
		return `\u2029`
	}
	return ""
}
