package statement

import (
	"bufio"
	"bytes"
	"io"
)

// lines splits a text into lines that end in LF, CR or CRLF.
type lines struct {
	r       *bufio.Reader
	number  int    // of the line returned last, counted from 1
	line    []byte // that line's first maxValue bytes
	more    bool   // the line is longer than that
	ended   bool   // the file ended with that line, without a line break
	afterCR bool
}

func newLines(text io.Reader) lines { return lines{r: bufio.NewReaderSize(text, windowSize)} }

// next returns the next line, trimmed and valid until the next call, and io.EOF after the last
// one.
func (l *lines) next() ([]byte, error) {
	l.number++
	l.line, l.more = l.line[:0], false
	for begun := false; ; {
		_, err := l.r.Peek(1)
		if err == io.EOF && begun {
			l.ended = true
			return trimmed(l.line), nil
		}
		if err != nil {
			return nil, err
		}
		window, _ := l.r.Peek(l.r.Buffered())
		if l.afterCR && window[0] == '\n' {
			window = window[1:]
			_, _ = l.r.Discard(1)
		}
		begun, l.afterCR = begun || len(window) > 0, false
		end := bytes.IndexAny(window, "\r\n")
		if end < 0 {
			l.store(window)
			continue
		}
		l.afterCR = window[end] == '\r'
		l.store(window[:end])
		_, _ = l.r.Discard(1)
		return trimmed(l.line), nil
	}
}

// store consumes a part of the line, and stores it up to maxValue bytes.
func (l *lines) store(part []byte) {
	kept := part[:min(len(part), maxValue-len(l.line))]
	l.line = append(l.line, kept...)
	l.more = l.more || len(kept) < len(part)
	_, _ = l.r.Discard(len(part)) // cannot fail, part is buffered
}

// trimmed returns the line without spaces and control characters around it.
func trimmed(line []byte) []byte {
	for len(line) > 0 && line[0] <= ' ' {
		line = line[1:]
	}
	for len(line) > 0 && line[len(line)-1] <= ' ' {
		line = line[:len(line)-1]
	}
	return line
}
