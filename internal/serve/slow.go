package serve

import (
	"io"
	"net/http"
	"time"
)

// A client that sends or receives nothing for slowAfter, or is slower than slowRate, is cut off: it
// occupies a connection, memory, and perhaps a transaction. A whole body or answer may take
// wholeAfter, and longer if it is large: 20 MiB may take 25 minutes.
const (
	slowAfter  = 30 * time.Second
	slowRate   = 4 << 10 // bytes a second, on top of slowAfter
	wholeAfter = 20 * time.Minute
	wholeRate  = 64 << 10    // bytes a second, on top of wholeAfter
	unread     = time.Second // to read the rest of a body that the handler has left unread
)

// pace is how much longer a client may be waited for.
type pace struct {
	left  time.Duration // for its next bytes
	whole time.Duration // for all of them
}

func newPace() pace { return pace{slowAfter, wholeAfter} }

// wait returns how long to wait for n more bytes.
func (p *pace) wait(n int) time.Duration {
	return min(p.left+perByte(n, slowRate), p.whole+perByte(n, wholeRate))
}

// moved counts n bytes, which took so long.
func (p *pace) moved(n int, took time.Duration) {
	p.left = min(p.left+perByte(n, slowRate)-took, slowAfter)
	p.whole += perByte(n, wholeRate) - took
}

func perByte(n int, rate time.Duration) time.Duration { return time.Duration(n) * time.Second / rate }

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
		out := &slowWriter{ResponseWriter: w, c: c, pace: newPace()}
		if r.Body != nil && r.Body != http.NoBody {
			// net/http reads the rest of an unread body, up to 256 KiB. It applies that
			// limit only while its own request has the original body.
			body := &deadlineBody{ReadCloser: r.Body, c: c, pace: newPace()}
			_ = c.SetReadDeadline(time.Now().Add(slowAfter))
			defer body.abandon()
			out.body = body
			r = r.WithContext(r.Context()) // a copy
			r.Body = body
		}
		next.ServeHTTP(out, r)
		_ = c.SetWriteDeadline(time.Now().Add(slowAfter)) // of the bytes that are still buffered
	})
}

// deadlineBody is a request body with a deadline that grows with the bytes received.
type deadlineBody struct {
	io.ReadCloser
	c     *http.ResponseController
	pace  pace
	ended bool
}

func (b *deadlineBody) Read(p []byte) (int, error) {
	began := time.Now()
	_ = b.c.SetReadDeadline(began.Add(b.pace.wait(0)))
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// net/http reads on after the body, to notice when the client disconnects.
		_ = b.c.SetReadDeadline(time.Time{})
		b.ended = true
	}
	b.pace.moved(n, time.Since(began))
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
	body *deadlineBody // of the request, or nil
	pace pace
}

// slowPiece is the size of the pieces of an answer: one deadline for a large answer would be hours
// away.
const slowPiece = 64 << 10

func (w *slowWriter) Write(p []byte) (written int, err error) {
	if w.body != nil {
		w.body.abandon() // net/http reads the rest of it before the first byte of the answer
	}
	for {
		piece := p[written:min(len(p), written+slowPiece)]
		began := time.Now()
		_ = w.c.SetWriteDeadline(began.Add(w.pace.wait(len(piece))))
		n, err := w.ResponseWriter.Write(piece)
		w.pace.moved(n, time.Since(began))
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *slowWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
