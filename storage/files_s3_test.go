package storage_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"bordero/internal/download"
	"bordero/storage"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// A store that speaks S3 keeps, gives and sweeps files as a directory does, and
// answers at addresses of its own, under our name and type.
func TestFilesInS3(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	query := url.Values{"endpoint": {server.URL}, "region": {"us-east-1"}, "use_path_style": {"true"}}
	files, err := storage.OpenFiles(t.Context(), "s3://files?"+query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	if files.Local() {
		t.Error("the API would serve it")
	}
	key, size, err := files.Put(t.Context(), strings.NewReader("content"))
	if err != nil || size != 7 {
		t.Fatalf("%d bytes: %v", size, err)
	}
	address, err := files.Address(t.Context(), storage.StoredFile{FileKey: key, ContentType: "text/x-note"}, download.Disposition("nota 1.txt"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(address) //nolint:noctx,gosec // our own server
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || string(body) != "content" {
		t.Errorf("%s %q: %v", res.Status, body, err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"response-content-disposition": `attachment; filename="nota 1.txt"`, "response-content-type": "text/x-note", "X-Amz-Expires": "3600",
	} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	if err := files.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open(t.Context(), key); err == nil {
		t.Error("it is still there")
	}
}
