package serve

import (
	"io"
	"net/http"
	"time"
)

// A client that sends or receives nothing for slowAfter is cut off, and so is one that is
// slower than slowRate: it occupies a connection, and perhaps a transaction.
const (
	slowAfter = 30 * time.Second
	slowRate  = 4 << 10     // bytes a second, on top of slowAfter
	unread    = time.Second // to read the rest of a body that the handler has left unread
)

// withTransferDeadlines cuts off slow clients. The handler's own time does not count, however large the
// body is.
func withTransferDeadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		// The connection may have served other requests, whose deadline has passed.
		if c.SetWriteDeadline(time.Time{}) != nil {
			next.ServeHTTP(w, r) // no connection, as in a test
			return
		}
		out := &slowWriter{ResponseWriter: w, c: c, left: slowAfter}
		if r.Body != nil && r.Body != http.NoBody {
			// net/http reads the rest of an unread body, up to 256 KiB. It applies that
			// limit only while its own request has the original body.
			body := &deadlineBody{ReadCloser: r.Body, c: c, left: slowAfter}
			_ = c.SetReadDeadline(time.Now().Add(slowAfter))
			defer body.abandon()
			out.body = body
			r = r.WithContext(r.Context()) // a copy
			r.Body = body
		}
		next.ServeHTTP(out, r)
		_ = c.SetWriteDeadline(time.Now().Add(slowAfter)) // of what is still buffered
	})
}

// deadlineBody is a request body with a deadline that grows with the bytes received.
type deadlineBody struct {
	io.ReadCloser
	c     *http.ResponseController
	left  time.Duration // remaining time to wait; each received byte adds some
	ended bool
}

func (b *deadlineBody) Read(p []byte) (int, error) {
	began := time.Now()
	_ = b.c.SetReadDeadline(began.Add(b.left))
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// net/http reads on after the body, to notice when the client disconnects.
		_ = b.c.SetReadDeadline(time.Time{})
		b.ended = true
	}
	b.left += time.Duration(n)*time.Second/slowRate - time.Since(began)
	return n, err
}

// abandon limits the wait for the rest of a body that the handler has not read.
func (b *deadlineBody) abandon() {
	if !b.ended {
		_ = b.c.SetReadDeadline(time.Now().Add(unread))
	}
}

// slowWriter is an answer with a deadline that grows with the bytes that the client takes.
type slowWriter struct {
	http.ResponseWriter
	c    *http.ResponseController
	body *deadlineBody // of the request; nil for none
	left time.Duration // remaining time to wait, besides that for each byte
}

// slowPiece is what an answer is written in: one deadline for a large answer would be hours away.
const slowPiece = 64 << 10

func (w *slowWriter) Write(p []byte) (written int, err error) {
	if w.body != nil {
		w.body.abandon() // net/http reads the rest of it before the first byte of the answer
	}
	for {
		piece := p[written:min(len(p), written+slowPiece)]
		began := time.Now()
		allowed := w.left + time.Duration(len(piece))*time.Second/slowRate
		_ = w.c.SetWriteDeadline(began.Add(allowed))
		n, err := w.ResponseWriter.Write(piece)
		w.left = min(allowed-time.Since(began), slowAfter)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *slowWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
