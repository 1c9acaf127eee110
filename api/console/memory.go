package console

import (
	"bytes"
	"errors"
	"net/http"
)

// A page reserves memory of its account for the API's answers that it shows and for its own bytes. So many pages, or
// clients that read slowly, cannot hold more memory than requests to the API can (decision 0037).

// Memory counts the bytes that a page holds.
type Memory interface {
	// Take counts n more bytes, reserved ones first.
	Take(n int64) error
	// Reserve counts n bytes for later calls of Take.
	Reserve(n int64) error
	// Keep gives back all but n bytes.
	Keep(n int64)
}

const (
	leastPage = 64 << 10 // bytes reserved before a form is sent to the API; each page with a secret is smaller
	pageStep  = 16 << 10 // bytes that a growing page takes at once, at least
)

// hold counts the page as a request of its account or, on a page of no account, of the user. A page without room is
// refused before its form is sent to the API.
func (v *visit) hold() error {
	var account int64
	if a := v.Account(); a != nil {
		account = a.ID
	}
	memory, err := v.console.Hold(v.r, v.session, account)
	if errors.Is(err, ErrUnknown) {
		return &refusal{Status: http.StatusUnauthorized}
	}
	if err == nil {
		v.memory = memory
		err = memory.Take(v.read)
	}
	if err == nil {
		err = memory.Reserve(leastPage)
	}
	if err != nil {
		return v.refused(err)
	}
	return nil
}

// take takes memory for n bytes. Bytes that are read before the account is known are counted, and hold takes them.
func (v *visit) take(n int) error {
	if v.memory == nil {
		v.read += int64(n)
		return nil
	}
	return v.memory.Take(int64(n))
}

// refused returns the refusal of the API for an error of LogOut, Hold or a Memory.
func (v *visit) refused(err error) error {
	a := &answer{header: http.Header{}}
	v.console.Refuse(a, v.r, err)
	return a.refusal()
}

// rendered is a page that waits to be sent.
type rendered struct {
	status int
	body   bytes.Buffer
	take   func(int) error
	taken  int
	full   error // why the body is incomplete
}

// Write implements io.Writer for the template.
func (p *rendered) Write(b []byte) (int, error) {
	if more := p.body.Len() + len(b) - p.taken; more > 0 {
		more = max(more, pageStep)
		if p.full = p.take(more); p.full != nil {
			return 0, p.full
		}
		p.taken += more
	}
	return p.body.Write(b)
}

// render makes the page that deliver sends.
func (v *visit) render(status int, name string) error {
	p := &rendered{status: status, take: v.take}
	err := pages()[name].ExecuteTemplate(p, "page", v)
	switch {
	case p.full != nil:
		return v.refused(p.full)
	case err != nil:
		return err
	}
	v.rendered = p
	return nil
}

// deliver sends the page, if there is one: a redirect has been sent. While the client reads, however slowly, the
// visit holds nothing but the bytes of the page. So the handler that made the page must have returned.
func (v *visit) deliver() {
	p := v.rendered
	if p == nil {
		return
	}
	if no := v.Refused; no != nil && no.Status == p.status && no.Code != "" {
		v.w.Header().Set("X-Error-Code", no.Code)
	}
	v.opens, v.Sent, v.Refused, v.Shown = nil, nil, nil, nil
	if v.memory != nil {
		v.memory.Keep(int64(p.body.Len()))
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(p.status)
	_, _ = v.w.Write(p.body.Bytes()) // the client may be gone
}
