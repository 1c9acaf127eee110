package download_test

import (
	"crypto/ed25519"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bordero/internal/download"

	"pgregory.net/rapid"
)

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	content, err := download.NewKey()
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, err := download.ReadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicOf(t *testing.T, keys ...ed25519.PrivateKey) []ed25519.PublicKey {
	t.Helper()
	var texts []string
	for _, key := range keys {
		texts = append(texts, download.PublicText(key))
	}
	public, err := download.PublicKeys(texts)
	if err != nil {
		t.Fatal(err)
	}
	return public
}

var file = download.File{AccountID: 7, Key: "ab/0123456789abcdef0123456789abcd", Expires: time.Unix(1_800_000_000, 0)}

func TestAnAddressIsThatOfOneFile(t *testing.T) {
	t.Parallel()
	before, now, stranger := newKey(t), newKey(t), newKey(t)
	keys := publicOf(t, now, before)
	for name, key := range map[string]ed25519.PrivateKey{"the present key": now, "the one before": before} {
		got, err := download.Verify(keys, download.Sign(key, file))
		if err != nil || got.AccountID != file.AccountID || got.Key != file.Key || !got.Expires.Equal(file.Expires) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, path := range map[string]string{
		"a stranger's key": download.Sign(stranger, file), "nothing": "",
		"no signature": strings.TrimSuffix(download.Prefix, "/"),
	} {
		if _, err := download.Verify(keys, path); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := download.Verify(nil, download.Sign(now, file)); err == nil {
		t.Error("without keys it is taken")
	}
}

// Any change, omission, insertion or repetition makes an address invalid.
func TestNoCharacterOfAnAddressCanChange(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	keys, path := publicOf(t, key), download.Sign(key, file)
	for i := range len(path) {
		for c := range byte(128) {
			changed := path[:i] + string(rune(c)) + path[i+1:]
			if _, err := download.Verify(keys, changed); err == nil && changed != path {
				t.Errorf("%q is taken for %q", changed, path)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(path)).Draw(t, "from")
		to := rapid.IntRange(from, len(path)).Draw(t, "to")
		changed := path[:from] + rapid.StringN(0, 4, 8).Draw(t, "text") + path[to:]
		if _, err := download.Verify(keys, changed); err == nil && changed != path {
			t.Fatalf("%q is taken for %q", changed, path)
		}
	})
}

func TestADispositionHasTheName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"nota.pdf":           `attachment; filename="nota.pdf"`,
		"nota fiscal; 1.pdf": `attachment; filename="nota fiscal; 1.pdf"`,
		"março.pdf":          `attachment; filename="mar_o.pdf"; filename*=UTF-8''mar%C3%A7o.pdf`,
		`a"b\c.pdf`:          `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a%22b%5Cc.pdf`,
		"100%.pdf":           `attachment; filename="100_.pdf"; filename*=UTF-8''100%25.pdf`,
	} {
		if got := download.Disposition(name); got != want {
			t.Errorf("%q: %s, not %s", name, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[^\x00-\x1f]{1,50}`).Filter(utf8.ValidString).Draw(t, "name")
		header := download.Disposition(name)
		if strings.ContainsAny(header, "\r\n") {
			t.Fatalf("%q has lines", header)
		}
		_, parameters, err := mime.ParseMediaType(strings.Replace(header, `filename="`, `plain="`,
			min(1, strings.Count(header, "filename*"))))
		if err != nil || parameters["filename"] != name {
			t.Fatalf("%q reads as %q: %v", header, parameters["filename"], err)
		}
	})
}
