package api

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"bordero/internal/messages"
)

// sendContent answers with the content, or the part of it that the request asks for. The caller has
// set the headers of the file. A refusal of net/http becomes an error, without these headers.
func (c *call) sendContent(modified time.Time, content io.ReadSeeker) error {
	w := &contentWriter{ResponseWriter: c.Writer}
	http.ServeContent(w, c.Request, "", modified, content)
	if w.refused == 0 {
		return nil
	}
	for _, name := range []string{"Content-Disposition", "Content-Security-Policy", "Accept-Ranges", "Cache-Control",
		"ETag", "Last-Modified"} {
		c.Writer.Header().Del(name)
	}
	switch w.refused {
	case http.StatusRequestedRangeNotSatisfiable:
		return messages.OutsideContent
	case http.StatusPreconditionFailed:
		return messages.OtherVersion
	}
	return fmt.Errorf("serve a file: status %d", w.refused)
}

// contentWriter does not send a refusal to the client.
type contentWriter struct {
	http.ResponseWriter
	refused int // its status
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
	return w.ResponseWriter.Write(b)
}
