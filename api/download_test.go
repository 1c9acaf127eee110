package api_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/api"
	"bordero/internal/blobs"
	"bordero/internal/blobs/blobstest"
	"bordero/internal/download"
	"bordero/internal/rpc"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// counting returns a service, the number of URLs it has asked for, and a switch that makes asking
// fail.
func counting(t *testing.T, life time.Duration) (*service, *atomic.Int64, *atomic.Bool) {
	t.Helper()
	var asked atomic.Int64
	var down atomic.Bool
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
		c.URLLife = life
		sign := c.SignURL
		c.SignURL = func(ctx context.Context, file download.SignURL) (string, error) {
			asked.Add(1)
			if down.Load() {
				return "", rpc.ErrNoAnswer
			}
			return sign(ctx, file)
		}
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, &asked, &down
}

// address returns the path of the URL that a download redirects to.
func (s *service) address(t testing.TB, path string) string {
	t.Helper()
	a := s.call(t, "GET", path+"/download").want(t, http.StatusFound)
	equal(t, a.at(t, "redirect_to"), a.header.Get("Location"))
	address, ours := strings.CutPrefix(a.header.Get("Location"), publicURL)
	if !ours {
		t.Fatalf("another's address: %s", a.header.Get("Location"))
	}
	return address
}

// fetch requests a file without a token.
func (s *service) fetch(t testing.TB, method, address string, options ...option) answer {
	t.Helper()
	a, err := s.send(t.Context(), method, address, append([]option{as("")}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAFileIsServedByItsSignedURL(t *testing.T) {
	t.Parallel()
	s := newService(t)
	content := strings.Repeat("0123456789", 10_000)
	a := s.call(t, "POST", "/entities/1/attachments", parts(attachment("março \"1\".html", "text/html", content))).want(
		t, 201)
	address := s.address(t, strings.TrimPrefix(a.header.Get("Location"), publicURL))

	whole := s.fetch(t, "GET", address, with("Accept-Encoding", "gzip")).want(t, 200)
	equal(t, whole.body == content, true)
	for name, want := range map[string]string{
		"Content-Type": "text/html", "Content-Length": "100000", "X-Content-Type-Options": "nosniff",
		"Content-Encoding": "", "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache",
		"Content-Disposition": `attachment; filename="mar_o _1_.html"; filename*=UTF-8''mar%C3%A7o%20%221%22.html`,
	} {
		equal(t, whole.header.Get(name), want)
	}
	head := s.fetch(t, "HEAD", address).want(t, 200)
	equal(t, head.body+head.header.Get("Content-Length"), "100000")

	part := s.fetch(t, "GET", address, with("Range", "bytes=99998-")).wantBody(t, 206, "89")
	equal(t, part.header.Get("Content-Range"), "bytes 99998-99999/100000")
	s.fetch(t, "GET", address, with("Range", "bytes=-1")).wantBody(t, 206, "9")
	s.fetch(t, "GET", address, with("Range", "bytes=-1"), with("If-Range", whole.header.Get("ETag"))).wantBody(t, 206,
		"9")
	beyond := s.fetch(t, "GET", address, with("Range", "bytes=100000-")).wantBody(t, 416,
		`{"error":"O intervalo pedido fica fora do arquivo."}`)
	equal(t, beyond.header.Get("X-Error-Code")+beyond.header.Get("Content-Range")+beyond.header.Get(
		"Content-Disposition"), "outside_contentbytes */100000")
	changed := s.fetch(t, "GET", address, with("If-Match", `"x"`)).want(t, 412)
	equal(t, changed.header.Get("X-Error-Code"), "other_version")
	s.fetch(t, "GET", address, with("If-Modified-Since", whole.header.Get("Last-Modified"))).wantBody(t, 304, "")
	s.fetch(t, "GET", address, with("If-Modified-Since", "Thu, 01 Jan 2015 00:00:00 GMT")).want(t, 200)
	equal(t, part.header.Get("Content-Length"), "2")
	s.fetch(t, "GET", address, with("If-None-Match", whole.header.Get("ETag"))).wantBody(t, 304, "")
	s.fetch(t, "POST", address, document(`{}`)).want(t, 405)
}

func TestAStatementIsDownloaded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t) + "/bank_statements"
	s.call(t, "POST", path, parts(file("extrato.ofx", ofx))).want(t, 201)
	got := s.fetch(t, "GET", s.address(t, path+"/1")).wantBody(t, 200, ofx)
	equal(t, got.header.Get("Content-Disposition"), `attachment; filename="extrato.ofx"`)
}

const badAddress = `{"error":"O endereço do arquivo não é válido ou expirou. Peça outro pelo download."}`

func TestAnAddressThatWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	address, other := s.address(t, s.newAttachment(t)), s.address(t, s.newAttachment(t))
	part, others := strings.Split(address, "/"), strings.Split(other, "/")
	for i := range part {
		if i < 2 { // "", "files": another path
			continue
		}
		changed := strings.Split(address, "/")
		changed[i] += "0"
		s.fetch(t, "GET", strings.Join(changed, "/")).wantBody(t, 403, badAddress)
		if changed[i] = others[i]; others[i] != part[i] {
			s.fetch(t, "GET", strings.Join(changed, "/")).wantBody(t, 403, badAddress)
		}
	}
	for _, changed := range []string{
		address + "?", address + "?a=1", address + "/", address + ".json", address[:len(address)-1],
		strings.Replace(address, "files", "file%73", 1), strings.ToUpper(address[:12]) + address[12:], "/files",
		"/files/", "/files/1",
	} {
		if a := s.fetch(t, "GET", changed); a.status != 403 && a.status != 404 {
			t.Errorf("%s: %d %s", changed, a.status, a.body)
		}
	}
	s.fetch(t, "GET", address).want(t, 200)
	s.fetch(t, "GET", address+"x", with("Accept", "application/xml")).
		wantBody(t, 403, `<?xml version="1.0" encoding="UTF-8"?><errors><error>O endereço do arquivo não é válido ou `+
			`expirou. Peça outro pelo download.</error></errors>`)
	refused := s.fetch(t, "GET", address+"x", with("Accept", "application/problem+json")).want(t, 403)
	equal(t, refused.header.Get("Content-Type"), "application/problem+json")
}

// The deletion of an account closes it at once: the job that removes its files does not run here.
func TestAnAddressEndsWithItsAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	address := s.address(t, s.newAttachment(t))
	s.fetch(t, "GET", address).want(t, 200)
	if err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.RemoveAccount(t.Context(), tx, s.AccountID)
	}); err != nil {
		t.Fatal(err)
	}
	s.fetch(t, "GET", address).wantBody(t, 404, `{"error":"O arquivo não existe mais."}`)
}

func TestAnAddressEnds(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newAttachment(t)
	address := s.address(t, path)
	s.call(t, "DELETE", path).want(t, 200)
	s.fetch(t, "GET", address).wantBody(t, 404, `{"error":"O arquivo não existe mais."}`)
	s.call(t, "GET", path+"/download").want(t, 404)

	// The file of a deleted statement is a 404 at once, before the deletion job runs.
	statement := s.newDepositAccount(t) + "/bank_statements"
	statement += "/" + fmt.Sprint(
		lastID(s.call(t, "POST", statement, parts(file("a.ofx", ofx))).want(t, 201).header.Get("Location")))
	s.finishImport(t, lastID(statement))
	address = s.address(t, statement)
	s.fetch(t, "GET", address).want(t, 200)
	s.call(t, "DELETE", statement).want(t, 202)
	s.fetch(t, "GET", address).wantBody(t, 404, `{"error":"O arquivo não existe mais."}`)

	// A file that is lost, as after a restore of PostgreSQL alone, is a failure that operators see.
	address = s.address(t, s.newAttachment(t))
	for _, name := range s.storedFiles(t) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, s.fetch(t, "GET", address).want(t, 500).header.Get("X-Error-Code"), "failed")
}

// The clock of the serving process does not decide whether a URL is valid.
func TestAnAddressLivesByOneClock(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-30 * time.Second, 30 * time.Second, 24 * time.Hour} {
		databaseURL := storagetest.DatabaseURL(t)
		s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
			c.Now = func() time.Time { return time.Now().Add(off) }
		})
		s.db = storagetest.DB(t, databaseURL)
		s.Tenant = storagetest.NewTenant(t, s.store)
		s.fetch(t, "GET", s.address(t, s.newAttachment(t))).want(t, 200)
	}
}

// Permission is checked before a URL is reused.
func TestAnAddressIsReused(t *testing.T) {
	t.Parallel()
	s, asked, down := counting(t, time.Hour)
	path := s.newAttachment(t)
	first := s.address(t, path)
	ends, err := strconv.ParseInt(strings.Split(first, "/")[5], 10, 64)
	if left := time.Until(time.Unix(ends, 0)); err != nil || left < time.Hour+30*time.Second {
		t.Errorf("valid for %v, so that the last answer with it is not for an hour: %v", left, err)
	}
	equal(t, s.address(t, path), first)
	equal(t, asked.Load(), 1)
	stranger := *s
	stranger.Tenant = storagetest.NewTenant(t, s.store)
	s.call(t, "GET", path+"/download", as(stranger.Token)).want(t, 404)

	down.Store(true)
	equal(t, s.address(t, path), first)
	another := s.newAttachment(t)
	a := s.call(t, "GET", another+"/download").wantBody(t, 503,
		`{"error":"O endereço do arquivo não pôde ser gerado agora. Tente de novo em alguns segundos."}`)
	equal(t, a.header.Get("Retry-After"), "2")
	down.Store(false)
	s.address(t, another)
}

// A URL is reused for a sixtieth of its life, which is one second here.
func TestAnAddressIsNotReusedForLong(t *testing.T) {
	t.Parallel()
	s, asked, _ := counting(t, time.Minute)
	path := s.newAttachment(t)
	for begun := time.Now(); asked.Load() < 2; s.address(t, path) {
		if time.Since(begun) > testkit.Patience {
			t.Fatal("it is given again for a third of its life")
		}
	}
}

func TestAnAddressThatHasExpiredIsRefused(t *testing.T) {
	t.Parallel()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
		c.SigningKeys = []ed25519.PublicKey{public}
		c.SignURL = func(_ context.Context, file download.SignURL) (string, error) {
			return publicURL + download.Sign(key, download.File{AccountID: file.AccountID, Key: file.FileKey,
				Expires: time.Now().Add(-time.Second)}), nil
		}
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	s.fetch(t, "GET", s.address(t, s.newAttachment(t))).wantBody(t, 403, badAddress)
}

// Redis carries the answer, which may be forged.
func TestADownloadLeadsToItsFileAlone(t *testing.T) {
	t.Parallel()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, strange, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var answer func(download.SignURL) string
	var log lines
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
		c.SigningKeys = []ed25519.PublicKey{public}
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
		c.SignURL = func(_ context.Context, file download.SignURL) (string, error) { return answer(file), nil }
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	file := s.newAttachment(t)
	sign := func(key ed25519.PrivateKey, account int64, name string) string {
		return download.Sign(key, download.File{AccountID: account, Key: name, Expires: time.Now().Add(time.Hour)})
	}
	const elsewhere, otherKey, otherFile = "not below the BORDERO_PUBLIC_URL of the API",
		"signed by a key that BORDERO_SIGNING_PUBLIC_KEYS lacks", "the address of another file"
	for name, c := range map[string]struct {
		forged func(download.SignURL) string
		logged string
	}{
		"another site": {func(download.SignURL) string { return "https://evil.example/phish" }, elsewhere},
		"a signed path elsewhere": {func(f download.SignURL) string {
			return "https://evil.example" + sign(key, f.AccountID, f.FileKey)
		}, elsewhere},
		"a host that begins alike": {func(f download.SignURL) string {
			return publicURL + ".evil.example" + sign(key, f.AccountID, f.FileKey)
		}, elsewhere},
		"another key": {func(f download.SignURL) string {
			return publicURL + sign(strange, f.AccountID, f.FileKey)
		}, otherKey},
		"another account": {func(f download.SignURL) string {
			return publicURL + sign(key, f.AccountID+1, f.FileKey)
		}, otherFile},
		"another file": {func(f download.SignURL) string {
			return publicURL + sign(key, f.AccountID, "aa/00000000000000000000000000000000"[:33])
		}, otherFile},
		"nothing": {func(download.SignURL) string { return "" }, elsewhere},
	} {
		answer = c.forged
		a := s.call(t, "GET", file+"/download").want(t, http.StatusServiceUnavailable)
		if where := a.header.Get("Location"); where != "" || strings.Contains(a.body, "evil") {
			t.Errorf("%s: sent to %q, %s", name, where, a.body)
		}
		if cause := log.failed(a.header.Get("X-Request-Id")); !strings.HasSuffix(cause, c.logged) {
			t.Errorf("%s: the log says %q, not %q", name, cause, c.logged)
		}
	}
	answer = func(f download.SignURL) string { return publicURL + sign(key, f.AccountID, f.FileKey) }
	s.fetch(t, "GET", s.address(t, file)).want(t, http.StatusOK) // no forged URL was remembered
}

func TestAFullStoreStoresNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if err := mountSmall(s.files); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { unmount(s.files) })
	path := "/entities/1/attachments"
	s.call(t, "POST", path, parts(attachment("a", "", strings.Repeat("a", 2<<20)))).
		wantBody(t, 507, `{"error":"Não há espaço para guardar o arquivo. Nada foi gravado."}`)
	s.noAttachment(t)
	s.call(t, "POST", path, parts(attachment("a", "", "a"))).want(t, 201)
}

func TestABucketThatFailsStoresNothing(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	var answers atomic.Int64
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(int(answers.Load()))
		fmt.Fprint(w, `<Error><Code>XMinioStorageFull</Code></Error>`)
	}))
	t.Cleanup(bucket.Close)
	address := url.Values{"endpoint": {bucket.URL}, "region": {"us-east-1"}, "use_path_style": {"true"}}
	files, err := blobs.Open(t.Context(), "s3://files?"+address.Encode())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	databaseURL := storagetest.DatabaseURL(t)
	var log bytes.Buffer
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
		c.Files, c.Log = files, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	for _, c := range []struct {
		bucket, status int
		body, log      string
	}{
		{507, 507, `{"error":"Não há espaço para guardar o arquivo. Nada foi gravado."}`, "no space for a file"},
		{403, 503, unavailable, "file store unavailable"},
	} {
		answers.Store(int64(c.bucket))
		a := s.call(t, "POST", "/entities/1/attachments", parts(attachment("a", "", "a")))
		a.wantBody(t, c.status, c.body)
		if c.status == 503 {
			equal(t, a.header.Get("Retry-After"), "2")
		}
		if !strings.Contains(log.String(), c.log) {
			t.Errorf("a bucket that answers %d: %s", c.bucket, log.String())
		}
		s.noAttachment(t)
	}
}

// A request whose file is removed from a bucket that hangs is answered, and keeps no place meanwhile.
func TestARemovalFromABucketThatHangs(t *testing.T) {
	t.Parallel()
	server, filesURL := blobstest.S3(t)
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	removing, over := make(chan struct{}, 1), make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			removing <- struct{}{}
			<-over
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(over); front.Close() })
	files, err := blobs.Open(t.Context(), strings.Replace(filesURL, url.QueryEscape(server),
		url.QueryEscape(front.URL), 1)+"&anonymous=true")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
		c.Files, c.Places, c.Patience = files, 1, time.Millisecond
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	path := s.newAttachment(t)
	long := text("attachment[title]", strings.Repeat("a", 256))
	for _, c := range []struct {
		method, path string
		sent         option
		status       int
	}{
		{"DELETE", path, document(`{}`), 200},
		{"POST", "/entities/1/attachments", parts(attachment("a", "", "a"), long), 422},
	} {
		answered := make(chan error, 1)
		begun := time.Now()
		go func() {
			a, err := s.send(t.Context(), c.method, c.path, c.sent)
			if err == nil && a.status != c.status {
				err = fmt.Errorf("%d %s", a.status, a.body)
			}
			answered <- err
		}()
		<-removing
		s.call(t, "GET", path).want(t, 404)
		if err := <-answered; err != nil {
			t.Errorf("%s: %v", c.method, err)
		}
		if took := time.Since(begun); took > 8*time.Second { // a silent bucket is given up after 10
			t.Errorf("%s: answered after %v", c.method, took)
		}
	}
}
