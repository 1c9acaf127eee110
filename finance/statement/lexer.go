package statement

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/transform"
)

// Bounds of the lexer's memory, whatever the file contains.
const (
	windowSize = 64 << 10 // of the file
	maxValue   = 4 << 10  // of one value; the rest is skipped
	maxTag     = 1 << 10  // of one tag; a '<' without a '>' within this distance is text
)

const blanks = " \t\r\n"

// lexer splits a file into tags and the text after each. It treats SGML and XML alike, since it
// ignores headers and nesting. A '<' without a letter or '/' after it is text.
type lexer struct {
	r      io.Reader
	buf    []byte // the window: bytes read that may still be needed
	pos    int    // current position in buf
	tagLen int    // length of the tag at pos, which the next call skips
	err    error  // of the last Read

	lines   int // the line of buf[counted]
	counted int
	afterCR bool
	cut     bool // the file ends within a tag or section

	name   [24]byte
	joined []byte // a value of several parts
	tidied []byte // a value that needed cleaning
}

func newLexer(r io.Reader) lexer {
	return lexer{
		r:     transform.NewReader(r, byteOrderMark()),
		buf:   make([]byte, 0, windowSize),
		lines: 1,
	}
}

// tag advances to the next tag and returns its name in upper case, valid until the next call. It
// returns io.EOF after the last one.
func (l *lexer) tag() (name []byte, closing bool, err error) {
	l.pass()
	for {
		switch l.findMarkup() {
		case tagMark:
			if name, closing, ok := l.scanTag(); ok {
				return name, closing, nil
			}
		case commentMark:
			l.section(commentStart, commentEnd, nil, 0)
		case cdataMark:
			l.section(cdataStart, cdataEnd, nil, 0)
		case cutMark:
			l.cutHere()
		case endMark:
			return nil, false, l.err
		}
	}
}

// value returns the cleaned text after the tag, valid until the next call.
func (l *lexer) value() []byte {
	l.pass()
	l.skipBlanks()
	text, next := l.text()
	if next != cdataMark && next != commentMark && next != noMark {
		text = bytes.TrimRight(text, blanks)
		if plain(text) {
			return text
		}
		l.tidied = clean(l.tidied[:0], text)
		return l.tidied
	}
	joined := append(l.joined[:0], text...)
	for (next == cdataMark || next == commentMark) && len(joined) < maxValue {
		if next == cdataMark {
			joined = l.section(cdataStart, cdataEnd, joined, maxValue-len(joined))
		} else {
			l.section(commentStart, commentEnd, nil, 0)
		}
		text, next = l.text()
		joined = append(joined, text...)
	}
	if next == noMark || len(joined) >= maxValue { // the value is longer than maxValue
		joined = append(wholeRunes(joined), "&hellip;"...)
	}
	l.joined = joined
	l.tidied = clean(l.tidied[:0], joined)
	return l.tidied
}

// line returns the line of the last tag. It is valid until the tag's value is read.
func (l *lexer) line() int {
	passed := l.buf[l.counted:l.pos]
	if len(passed) > 0 && l.afterCR && passed[0] == '\n' { // the end of that line
		l.lines--
	}
	l.lines += bytes.Count(passed, []byte("\n"))
	for cr := bytes.IndexByte(passed, '\r'); cr >= 0; cr = bytes.IndexByte(passed, '\r') {
		if passed = passed[cr+1:]; len(passed) == 0 || passed[0] != '\n' {
			l.lines++
		}
	}
	if l.pos > l.counted {
		l.afterCR = l.buf[l.pos-1] == '\r'
	}
	l.counted = l.pos
	return l.lines
}

// pass skips the last tag.
func (l *lexer) pass() {
	l.pos += l.tagLen
	l.tagLen = 0
}

// cutHere records that the file ends within the token that begins at pos.
func (l *lexer) cutHere() {
	l.cut = true
	l.pos = len(l.buf)
}

// fill reads more of the file, and reports whether there was more. It discards the bytes before
// pos.
func (l *lexer) fill() bool {
	l.line()
	kept := copy(l.buf, l.buf[l.pos:])
	l.buf = l.buf[:kept]
	l.pos, l.counted = 0, 0
	for tries := 0; l.err == nil && len(l.buf) == kept; tries++ {
		if tries == 100 {
			l.err = io.ErrNoProgress
			break
		}
		var n int
		n, l.err = l.r.Read(l.buf[kept:cap(l.buf)])
		l.buf = l.buf[:kept+n]
	}
	return len(l.buf) > kept
}

// findMarkup advances to the next markup and returns its kind.
func (l *lexer) findMarkup() mark {
	for {
		i := bytes.IndexByte(l.buf[l.pos:], '<')
		if i < 0 {
			l.pos = len(l.buf)
			if !l.fill() {
				return endMark
			}
			continue
		}
		m := l.markAt(i)
		l.pos += i
		if m != noMark {
			return m
		}
		l.pos++
	}
}

// scanTag reads the tag at pos. If another '<' comes before its '>', it is not a tag, and its '<'
// is skipped as text.
func (l *lexer) scanTag() (name []byte, closing, ok bool) {
	name, inName := l.name[:0], true
	closing = l.buf[l.pos+1] == '/'
	i := 1
	if closing {
		i = 2
	}
	for ; ; i++ {
		if l.pos+i == len(l.buf) && !l.fill() {
			l.cutHere()
			return nil, false, false
		}
		c := l.buf[l.pos+i]
		switch {
		case c == '>':
			l.tagLen = i + 1
			return name, closing, true
		case c == '<' || i == maxTag:
			l.pos++
			return nil, false, false
		case c <= ' ' || c == '/' || len(name) == len(l.name):
			inName = false
		case inName:
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			name = append(name, c)
		}
	}
}

// skipBlanks skips the padding before a value, which does not count towards maxValue.
func (l *lexer) skipBlanks() {
	for {
		for l.pos < len(l.buf) && l.buf[l.pos] <= ' ' {
			l.pos++
		}
		if l.pos < len(l.buf) || !l.fill() {
			return
		}
	}
}

// text consumes and returns the text before the next markup, valid until the next read. The mark
// is noMark if there is more text than is returned.
func (l *lexer) text() ([]byte, mark) {
	n, next := 0, noMark
	for n < maxValue && next == noMark {
		if i := bytes.IndexByte(l.buf[l.pos+n:], '<'); i >= 0 {
			n += i
			if next = l.markAt(n); next == noMark {
				n++
			}
			continue
		}
		n = len(l.buf) - l.pos
		if n < maxValue && !l.fill() {
			next = endMark
		}
	}
	if n > maxValue {
		n, next = maxValue, noMark
	}
	text := l.buf[l.pos : l.pos+n]
	l.pos += n
	return text, next
}

// mark is the kind of token that a '<' begins.
type mark int

const (
	noMark mark = iota // text
	tagMark
	commentMark
	cdataMark
	cutMark // the file ends before its kind is clear
	endMark // there is no further '<'
)

const (
	cdataStart, cdataEnd     = "<![CDATA[", "]]>"
	commentStart, commentEnd = "<!--", "-->"
)

// markAt returns the kind of token that the '<' n bytes ahead begins.
func (l *lexer) markAt(n int) mark {
	if l.pos+n+1 == len(l.buf) && !l.fill() {
		return cutMark
	}
	c := l.buf[l.pos+n+1]
	if letter := c | 0x20; c == '/' || 'a' <= letter && letter <= 'z' {
		return tagMark
	}
	if c != '!' {
		return noMark
	}
	for l.pos+n+len(cdataStart) > len(l.buf) && l.fill() {
	}
	ahead := string(l.buf[l.pos+n : min(l.pos+n+len(cdataStart), len(l.buf))])
	switch {
	case strings.HasPrefix(ahead, commentStart):
		return commentMark
	case ahead == cdataStart:
		return cdataMark
	case strings.HasPrefix(cdataStart, ahead), strings.HasPrefix(commentStart, ahead):
		return cutMark
	}
	return noMark
}

// section consumes the comment or CDATA section at pos and appends up to room bytes of its text
// to dst. It escapes each '&': the text is decoded later, and a section has no entities.
func (l *lexer) section(start, end string, dst []byte, room int) []byte {
	l.pos += len(start)
	for {
		i := bytes.Index(l.buf[l.pos:], []byte(end))
		n := i
		if i < 0 {
			n = max(0, len(l.buf)-l.pos-len(end)+1)
		}
		kept := l.buf[l.pos : l.pos+min(n, room)]
		room -= len(kept)
		dst = append(dst, bytes.ReplaceAll(kept, []byte("&"), []byte("&amp;"))...)
		l.pos += n
		if i >= 0 {
			l.pos += len(end)
			return dst
		}
		if !l.fill() {
			l.cutHere()
			return dst
		}
	}
}
