// Package download signs and verifies the addresses that serve private files without a
// token for a while, and names files for the client. A worker signs an address and the API
// verifies it: only the worker has the key.
package download

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// SigningQueue is the queue of questions for the address of a file.
const SigningQueue = "signing"

// SignURL is the question for an address that serves a file without a token.
type SignURL struct {
	AccountID int64  `json:"account_id"`
	FileKey   string `json:"file_key"`
}

// Prefix is the beginning of the paths of files.
const Prefix = "/files/"

// File is a file of an account, and the end of its address's validity in whole seconds.
type File struct {
	AccountID int64
	Key       string
	Expires   time.Time
}

// path returns the address without its signature.
func (f File) path() string {
	return Prefix + strconv.FormatInt(f.AccountID, 10) + "/" + f.Key + "/" + strconv.FormatInt(f.Expires.Unix(), 10)
}

// encoding is strict, so that a signature has only one spelling.
var encoding = base64.RawURLEncoding.Strict()

// Sign returns the path that serves the file.
func Sign(key ed25519.PrivateKey, f File) string {
	return f.path() + "/" + encoding.EncodeToString(ed25519.Sign(key, message(f.path())))
}

// message returns the signed text. Nothing else that the key signs begins like this.
func message(path string) []byte { return []byte("bordero file\n" + path) }

var signed = regexp.MustCompile(`^` + Prefix + `([1-9]\d{0,18})/([0-9a-z]+/[0-9a-z]+)/([1-9]\d{0,11})/([\w-]{86})$`)

// ErrNotSigned is the error of an address that is not signed, as it is, by any of the keys.
var ErrNotSigned = errors.New("the address is not signed")

// Verify returns the file that a path is signed for. The caller checks whether it has
// expired, by the clock that was used to sign it.
func Verify(keys []ed25519.PublicKey, path string) (File, error) {
	parts := signed.FindStringSubmatch(path)
	if parts == nil {
		return File{}, ErrNotSigned
	}
	signature, err := encoding.DecodeString(parts[4])
	if err != nil {
		return File{}, ErrNotSigned
	}
	account, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return File{}, ErrNotSigned
	}
	seconds, err := strconv.ParseInt(parts[3], 10, 64)
	if err != nil {
		return File{}, ErrNotSigned
	}
	f := File{AccountID: account, Key: parts[2], Expires: time.Unix(seconds, 0)}
	for _, key := range keys {
		if ed25519.Verify(key, message(f.path()), signature) {
			return f, nil
		}
	}
	return File{}, ErrNotSigned
}

// Disposition returns the Content-Disposition of a file that is downloaded and never shown
// within a page: with its name in ASCII for old clients, and in full (RFC 6266).
func Disposition(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
	if plain == name {
		return fmt.Sprintf(`attachment; filename="%s"`, plain)
	}
	_, extended, _ := strings.Cut(mime.FormatMediaType("a", map[string]string{"filename": "\u00a0" + name}), "''%C2%A0")
	return fmt.Sprintf(`attachment; filename="%s"; filename*=UTF-8''%s`, plain, extended)
}
