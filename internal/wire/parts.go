package wire

import (
	"io"
	"math"
	"mime/multipart"

	"bordero/internal/messages"
)

// mostHead is how many bytes the header of a part may have, with the boundary before it: package
// mime/multipart accepts 10 MiB, all of it in memory.
const mostHead = 16 << 10

// Parts reads the parts of a multipart form.
type Parts struct {
	reader *multipart.Reader
	body   *io.LimitedReader
	part   *multipart.Part
}

// NewParts returns the parts of a body.
func NewParts(body io.Reader, boundary string) *Parts {
	limited := &io.LimitedReader{R: body}
	return &Parts{reader: multipart.NewReader(limited, boundary), body: limited}
}

// Next returns the next part; io.EOF after the last.
func (p *Parts) Next() (*multipart.Part, error) {
	if p.part != nil {
		_ = p.part.Close() // reads the rest of the part; NextPart returns its errors, too
	}
	p.body.N = mostHead
	part, err := p.reader.NextPart()
	if err != nil && p.body.N == 0 { // err may be the io.EOF of p.body
		return nil, messages.PartHead.With(mostHead)
	}
	p.part, p.body.N = part, math.MaxInt64
	return part, err
}
