package api

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/messages"
)

// sendContent answers with the content, or the part of it that the request asks for. The caller has
// set the headers of the file. A refusal of net/http becomes an error, without these headers, and so does content that
// could not be sent to its end.
func (c *call) sendContent(modified time.Time, content io.ReadSeeker) error {
	w, read := &contentWriter{ResponseWriter: c.Writer}, &contentReader{ReadSeeker: content}
	http.ServeContent(w, c.Request, "", modified, read)
	h := c.Writer.Header()
	length, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64) // not of a 304
	broken := err == nil && w.sent < length && c.Request.Method != http.MethodHead
	if w.refused == 0 && !broken {
		return nil
	}
	for _, name := range []string{"Content-Disposition", "Content-Security-Policy", "Accept-Ranges", "Cache-Control",
		"ETag", "Last-Modified"} {
		h.Del(name)
	}
	switch w.refused {
	case 0:
		h.Del("Content-Range")
		err := fmt.Errorf("serve a file: %d of %d bytes were sent", w.sent, length)
		if failed := read.failed.Load(); failed != nil {
			err = fmt.Errorf("%w: %w: %w", err, blobs.ErrUnavailable, *failed)
		}
		return err
	case http.StatusRequestedRangeNotSatisfiable:
		return messages.OutsideContent
	case http.StatusPreconditionFailed:
		return messages.OtherVersion
	}
	return fmt.Errorf("serve a file: status %d", w.refused)
}

// contentReader keeps the first error of a store, which net/http drops. Several ranges are read in another goroutine.
type contentReader struct {
	io.ReadSeeker
	failed atomic.Pointer[error]
}

func (r *contentReader) Read(b []byte) (int, error) {
	n, err := r.ReadSeeker.Read(b)
	if err != nil && err != io.EOF {
		r.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// contentWriter does not send a refusal to the client.
type contentWriter struct {
	http.ResponseWriter
	refused int   // its status
	sent    int64 // bytes
}

func (w *contentWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *contentWriter) Write(b []byte) (int, error) {
	if w.refused != 0 {
		return len(b), nil
	}
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	return n, err
}
