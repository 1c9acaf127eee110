package serve

import (
	"io"
	"net/http"
	"time"
)

// A client that sends nothing, or takes nothing, for as long is cut off, and so is
// one that does it more slowly than any line: it holds a connection, and may hold
// the place of a transaction.
const (
	slowAfter = 30 * time.Second
	slowRate  = 4 << 10     // bytes a second, on top of slowAfter
	unread    = time.Second // for the rest of a body that the handler has not read
)

// unhurried gives up on slow clients. The time that a handler takes for itself does
// not count, however large the body is.
func unhurried(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		// The connection may have served others, whose deadline has passed by now.
		if c.SetWriteDeadline(time.Time{}) != nil {
			next.ServeHTTP(w, r) // no connection
			return
		}
		if r.Body != nil && r.Body != http.NoBody {
			// net/http reads the rest of a body that the handler leaves, up to 256 KiB. It
			// knows that bound only while its own request has the original body.
			body := &slowBody{ReadCloser: r.Body, c: c, left: slowAfter}
			_ = c.SetReadDeadline(time.Now().Add(slowAfter))
			defer body.abandon()
			r = r.WithContext(r.Context()) // a copy
			r.Body = body
		}
		next.ServeHTTP(&slowWriter{w, c}, r)
		_ = c.SetWriteDeadline(time.Now().Add(slowAfter)) // of what is still buffered
	})
}

// slowBody is a body that comes in time or not at all.
type slowBody struct {
	io.ReadCloser
	c     *http.ResponseController
	left  time.Duration // that may still be waited; each byte earns some
	ended bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	began := time.Now()
	_ = b.c.SetReadDeadline(began.Add(b.left))
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// net/http reads on after the body, to notice that the client has gone.
		_ = b.c.SetReadDeadline(time.Time{})
		b.ended = true
	}
	b.left += time.Duration(n)*time.Second/slowRate - time.Since(began)
	return n, err
}

// abandon bounds the wait for the part of the body that the handler has not read.
func (b *slowBody) abandon() {
	if !b.ended {
		_ = b.c.SetReadDeadline(time.Now().Add(unread))
	}
}

// slowWriter is an answer that is taken in time or not at all.
type slowWriter struct {
	http.ResponseWriter
	c *http.ResponseController
}

func (w *slowWriter) Write(p []byte) (int, error) {
	_ = w.c.SetWriteDeadline(time.Now().Add(slowAfter + time.Duration(len(p))*time.Second/slowRate))
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *slowWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
