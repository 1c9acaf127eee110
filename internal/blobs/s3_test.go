package blobs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/blobs/blobstest"
	"bordero/internal/download"

	"golang.org/x/sync/errgroup"
)

// An S3 store stores and returns files as a directory does, and serves them at its own
// addresses, with our name and type.
func TestFilesInS3(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	_, filesURL := blobstest.S3(t)
	files, err := blobs.Open(t.Context(), filesURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	if files.Local() {
		t.Error("the API would serve it")
	}
	key, size, err := files.Put(t.Context(), 1, strings.NewReader("content"))
	if err != nil || size != 7 {
		t.Fatalf("%d bytes: %v", size, err)
	}
	address, err := files.Address(t.Context(), key, "text/x-note", download.Disposition("nota 1.txt"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(address)
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
		"response-content-disposition": `attachment; filename="nota 1.txt"`, "response-content-type": "text/x-note",
		"X-Amz-Expires": "3600",
	} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	other, _, _ := strings.Cut(address, "?")
	for not, of := range map[string]string{
		"https://evil.example/" + key:                                     "another host",
		strings.Replace(address, "http://", "https://", 1):                "another scheme",
		strings.Replace(address, "//", "//evil.example@", 1):              "another user",
		strings.Replace(address, key, key[:3]+strings.Repeat("0", 30), 1): "another file",
		other + "/../x": "another path", other + "#?": "a fragment", "": "nothing",
	} {
		if files.IsAddress(t.Context(), not, key) {
			t.Errorf("%s is taken for it: %s", of, not)
		}
	}
	if !files.IsAddress(t.Context(), address, key) {
		t.Error("it is not taken for itself")
	}
	if err := files.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open(t.Context(), key); err == nil {
		t.Error("it is still there")
	}
}

// The process that signs has read-only credentials. The API's are write-only: an address
// signed with them cannot be read.
func TestCredentialsOfS3ThatDoOneThing(t *testing.T) {
	_, filesURL := blobstest.S3(t)
	as := func(key string) *blobs.Store {
		t.Helper()
		t.Setenv("AWS_ACCESS_KEY_ID", key)
		t.Setenv("AWS_SECRET_ACCESS_KEY", key+"'s secret")
		files, err := blobs.Open(t.Context(), filesURL+"&prefix=kept/")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = files.Close() })
		files.BelongTo(of("ours"))
		return files
	}
	api, signing := as("writer"), as("reader")
	if err := api.Mark(t.Context(), "ours"); err != nil {
		t.Fatal(err)
	}
	key, _, err := api.Put(t.Context(), 1, strings.NewReader("content"))
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(of *blobs.Store) (status int, body string) {
		t.Helper()
		address, err := of.Address(t.Context(), key, "text/plain", download.Disposition("a"), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		content, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(content)
	}
	if status, body := fetch(signing); status != http.StatusOK || body != "content" {
		t.Errorf("at the address that was signed: %d %q", status, body)
	}
	if status, body := fetch(api); status != http.StatusForbidden {
		t.Errorf("at an address of the API's own: %d %q", status, body)
	}
	if _, err := api.Open(t.Context(), key); !errors.Is(err, blobs.ErrUnavailable) {
		t.Errorf("the API reads, or takes the file for a missing one: %v", err)
	}
	if _, _, err := signing.Put(t.Context(), 1, strings.NewReader("other")); err == nil {
		t.Error("who signs writes")
	}
	if err := signing.Delete(t.Context(), key); err == nil {
		t.Error("who signs deletes")
	}
	for range 2 { // a missing file is no error
		if err := api.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	if _, err := signing.Open(t.Context(), key); !errors.Is(err, blobs.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
}

// Each upload uses memory: uploads beyond the limit wait, and then succeed. An account has half of the
// places.
func TestUploadsToS3TakeTurns(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	_, filesURL := blobstest.S3(t)
	files, err := blobs.Open(t.Context(), filesURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	reading, goOn := make(chan int64, blobs.S3Uploads), make(chan struct{})
	var all errgroup.Group
	upload := func(account int64) {
		all.Go(func() error {
			_, _, err := files.Put(t.Context(), account, readerFunc(func([]byte) (int, error) {
				reading <- account
				<-goOn
				return 0, io.EOF
			}))
			return err
		})
	}
	for range 2 * blobs.S3Uploads {
		upload(1)
	}
	for range blobs.S3Uploads / 2 {
		<-reading
	}
	for range blobs.S3Uploads {
		upload(2)
	}
	for range blobs.S3Uploads / 2 {
		if account := <-reading; account != 2 {
			t.Fatal("an account has more than half of the places")
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = files.Put(gone, 1, readerFunc(func([]byte) (int, error) {
		t.Error("one more is read")
		return 0, io.EOF
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("one that waits, whose client has gone: %v", err)
	}
	close(goOn)
	for range 2 * blobs.S3Uploads {
		<-reading
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The sweep removes parts of uploads that broke off, and files that no row names.
func TestWhatIsLeftInS3IsSwept(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	server, filesURL := blobstest.S3(t)
	files, err := blobs.Open(t.Context(), filesURL+"&prefix=kept/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	unfinished := func() bool {
		t.Helper()
		res, err := http.Get(server + "/files?uploads")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(body), "<Upload>")
	}
	broken := errors.New("broken off")
	_, _, err = files.Put(t.Context(), 1, io.MultiReader(bytes.NewReader(make([]byte, 20<<20)),
		iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || !unfinished() {
		t.Fatalf("%v, or nothing is left to sweep", err)
	}
	known, _, err := files.Put(t.Context(), 1, strings.NewReader("known"))
	if err != nil {
		t.Fatal(err)
	}
	orphan, _, err := files.Put(t.Context(), 1, strings.NewReader("orphan"))
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Mark(t.Context(), "ours"); err != nil {
		t.Fatal(err)
	}
	n, err := files.Sweep(t.Context(), "ours", time.Now().Add(time.Hour), func(context.Context, []string) ([]string,
		error) {
		return nil, broken
	})
	if !errors.Is(err, broken) || n != 1 || unfinished() {
		t.Errorf("%d swept without the rows, parts are left: %t, %v", n, unfinished(), err)
	}
	n, err = files.Sweep(t.Context(), "ours", time.Now().Add(time.Hour), without(known))
	if err != nil || n != 1 {
		t.Errorf("%d swept, %v", n, err)
	}
	if _, err := files.Open(t.Context(), orphan); !errors.Is(err, blobs.ErrNotFound) {
		t.Errorf("the orphan: %v", err)
	}
	if r, err := files.Open(t.Context(), known); err != nil {
		t.Error(err)
	} else {
		_ = r.Close()
	}
}
