// Package blobstest has an S3 server for tests. It is apart from blobs so that the binary has no
// test code.
package blobstest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// S3 starts an S3 server with a bucket, files, and returns its URL and the bucket's URL, as
// BORDERO_FILES_URL contains it. The access key "reader" can only read files, and is denied a missing one, as by AWS
// without s3:ListBucket; the access key "writer" can only write and list them; any other can do all.
func S3(t testing.TB) (server, filesURL string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	store := gofakes3.New(backend).Server()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Query().Get("X-Amz-Credential") + r.Header.Get("Authorization")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		lists := r.URL.Query().Has("list-type") || r.URL.Query().Has("uploads")
		_, missing := backend.HeadObject("files", strings.TrimPrefix(r.URL.Path, "/files/"))
		if reads && !lists && strings.Contains(key, "writer/") ||
			(lists || !reads || missing != nil) && strings.Contains(key, "reader/") {
			http.Error(w, `<Error><Code>AccessDenied</Code></Error>`, http.StatusForbidden)
			return
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	query := url.Values{"endpoint": {s.URL}, "region": {"us-east-1"}, "use_path_style": {"true"}}
	return s.URL, "s3://files?" + query.Encode()
}
