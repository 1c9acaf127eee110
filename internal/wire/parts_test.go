package wire

import (
	"errors"
	"io"
	"strings"
	"testing"

	"bordero/internal/messages"
)

// A large part is accepted, whether it is read or not. A large header is refused after its beginning.
func TestTheHeaderOfAPartIsBounded(t *testing.T) {
	t.Parallel()
	const disposition = "Content-Disposition: form-data; name="
	body := strings.NewReader("--b\r\n" + disposition + "a\r\n\r\n" + strings.Repeat("a", 1<<20) + "\r\n" +
		"--b\r\n" + disposition + "b\r\nX: " + strings.Repeat("b", 10_000) + "\r\n\r\n" + strings.Repeat("b", 1<<20) +
		"\r\n--b\r\n" + disposition + strings.Repeat("c", 5<<20) + "\r\n\r\n\r\n--b--\r\n")
	parts := NewParts(body, "b")
	for _, name := range []string{"a", "b"} {
		part, err := parts.Next()
		if err != nil || part.FormName() != name {
			t.Fatal(part, err)
		}
	}
	_, err := parts.Next()
	fault := &messages.Fault{}
	if !errors.As(err, &fault) || fault.Status != 413 || body.Len() < 5<<20-32<<10 {
		t.Errorf("%v after all but %d bytes", err, body.Len())
	}
	parts = NewParts(strings.NewReader("--b--"), "b")
	if _, err := parts.Next(); err != io.EOF {
		t.Error(err)
	}
}
