// Package blobs stores files in a directory or an S3 bucket. It is apart from storage because a
// file is no row: nothing here is transactional, and nothing knows the purpose of a file.
package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"bordero/internal/random"
	"bordero/internal/share"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	"gocloud.dev/blob/s3blob"     // s3:// and compatible
	"gocloud.dev/gcerrors"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sys/unix"
)

// Store is a local directory or an S3 bucket. A key is random and reveals nothing about the
// content of its file; the row that names the key belongs to one tenant.
type Store struct {
	bucket  *blob.Bucket
	local   bool
	name    string              // of the S3 bucket
	prefix  string              // of keys in the S3 bucket
	uploads *semaphore.Weighted // of running uploads to S3
	places  *share.Places       // of each account in uploads
	dir     string              // of a local store
	owner   ownership
}

// s3Uploads limits concurrent uploads to S3: each uses 16 to 32 MiB of memory.
const s3Uploads = 16

// Open opens the store at address: a directory (file:///dir), which is made if it does not exist, or an S3 bucket
// (s3://bucket?region=...).
func Open(ctx context.Context, address string) (*Store, error) { return open(ctx, address, s3Silence) }

// OpenPresent is Open for a store that must exist: a missing directory is an error.
func OpenPresent(ctx context.Context, address string) (*Store, error) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "file" {
		if _, err := os.Stat(u.Path); err != nil {
			return nil, fmt.Errorf("BORDERO_FILES_URL: %w", err)
		}
	}
	return Open(ctx, address)
}

var anyURL = regexp.MustCompile(`([a-z0-9]+://)\S+`)

func open(ctx context.Context, address string, silence time.Duration) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("BORDERO_FILES_URL is not a URL")
	}
	if !blob.DefaultURLMux().ValidBucketScheme(u.Scheme) { // the driver's error would show the whole URL
		return nil, fmt.Errorf("BORDERO_FILES_URL: there is no store %q", u.Scheme)
	}
	var bucket *blob.Bucket
	switch u.Scheme {
	case s3blob.Scheme:
		bucket, err = openS3(ctx, u, silence)
	case "file":
		q := u.Query()
		q.Set("create_dir", "true")
		q.Set("no_tmp_dir", "true") // a file is written in its own directory and renamed
		q.Set("metadata", "skip")   // our rows contain type and name
		u.RawQuery = q.Encode()
		fallthrough
	default:
		bucket, err = blob.OpenBucket(ctx, u.String())
	}
	if err != nil { // gocloud's text has the whole URL, which may have a key of S3
		return nil, errors.New("BORDERO_FILES_URL: " + anyURL.ReplaceAllString(err.Error(), "$1…"))
	}
	return &Store{
		bucket: bucket, local: u.Scheme == "file", name: u.Host, prefix: u.Query().Get("prefix"), dir: u.Path,
		uploads: semaphore.NewWeighted(s3Uploads), places: share.NewPlaces(s3Uploads / 2),
	}, nil
}

// Close releases the store.
func (s *Store) Close() error { return s.bucket.Close() }

// Local reports whether the store is a directory. Its files have no addresses of their
// own: the API itself serves them.
func (s *Store) Local() bool { return s.local }

// usable returns an error if a local store cannot be read or written.
func (s *Store) usable() error {
	if !s.local {
		return nil
	}
	return syscall.Access(s.dir, readWriteSearch)
}

const readWriteSearch = 7

// Space returns how many bytes of the disk with a local store are free for us, and its size.
func (s *Store) Space() (free, size uint64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(s.dir, &fs); err != nil {
		return 0, 0, err
	}
	block := uint64(fs.Bsize) //nolint:gosec // a size
	return fs.Bavail * block, fs.Blocks * block, nil
}

// Address returns a URL of the file in the store itself, valid for life. Signing needs the store's
// credentials; the URL ends with the session of a role if that is earlier. The store answers with the
// given Content-Type and Content-Disposition.
func (s *Store) Address(ctx context.Context, key, contentType, disposition string, life time.Duration) (string, error) {
	return s.bucket.SignedURL(ctx, key, &blob.SignedURLOptions{Expiry: life, BeforeSign: func(as func(any) bool) error {
		var in *s3.GetObjectInput
		if as(&in) {
			in.ResponseContentDisposition, in.ResponseContentType = &disposition, &contentType
		}
		return nil
	}})
}

// IsAddress reports whether an address is the address of the file in a store that is not local. It
// compares scheme, host and path; the store checks the signature.
func (s *Store) IsAddress(ctx context.Context, address, key string) bool {
	own, err := s.bucket.SignedURL(ctx, key, nil) // computed locally, without a request
	if err != nil {
		return false
	}
	place := func(address string) string {
		before, _, _ := strings.Cut(address, "?")
		return before
	}
	return place(address) == place(own)
}

// ErrNotFound is the error of Open for a missing file.
var ErrNotFound = errors.New("not found")

// ErrFull is the error of a store that has no room for a file.
var ErrFull = errors.New("no room for the file")

// ErrUnavailable is the error of a store that fails or does not answer.
var ErrUnavailable = errors.New("the file store is unavailable")

// failed wraps an error of the store with ErrFull if its cause is a lack of room, and with ErrUnavailable
// otherwise.
func failed(err error) error {
	var answered interface{ HTTPStatusCode() int } // S3's
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.As(err, &answered) && answered.HTTPStatusCode() == http.StatusInsufficientStorage {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// source is the reader of a file to store.
type source struct {
	io.Reader
	err error // of the reader, not of the store
}

func (s *source) Read(p []byte) (n int, err error) {
	n, err = s.Reader.Read(p)
	if err != io.EOF {
		s.err = err
	}
	return n, err
}

// Put streams r, a file of an account, to a new random key. Without an error the file is durable,
// like a committed row. It stays until the deletion of its row or the sweep removes it. If r or the
// store fails, no file remains; the sweep aborts parts that remain in S3.
//
// The errors of the store are ErrFull (no room), ErrUnavailable (it failed, or S3 was silent for
// s3Silence) and ErrForeign (it is not the installation's). With s3Uploads already running, or half
// as many of the account, Put waits before it reads.
func (s *Store) Put(ctx context.Context, account int64, r io.Reader) (key string, size int64, err error) {
	if err := s.refuseForeign(ctx); err != nil {
		return "", 0, err
	}
	if !s.local {
		release, err := s.places.Take(ctx, account)
		if err != nil {
			return "", 0, err
		}
		defer release()
		if err := s.uploads.Acquire(ctx, 1); err != nil {
			return "", 0, err
		}
		defer s.uploads.Release(1)
	}
	name := random.Hex(16)
	key = name[:2] + "/" + name[2:]
	// The writer stores nothing if its context is cancelled before Close.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var local *os.File
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: "application/octet-stream", DisableContentTypeDetection: true,
		BufferSize: 5 << 20, MaxConcurrency: 1, // of S3 parts, in memory beside the first 16 MiB: the minimum allowed
		BeforeWrite: func(as func(any) bool) error { as(&local); return nil },
	})
	if err != nil {
		return "", 0, failed(err)
	}
	from := &source{Reader: r}
	if local == nil {
		size, err = io.Copy(w, from)
	} else {
		size, err = copyToDisk(w, local, from)
	}
	if err != nil {
		cancel()
		_ = w.Close()
		if from.err != nil {
			return "", 0, from.err
		}
		return "", 0, failed(err)
	}
	err = w.Close()
	if err == nil && local != nil {
		dir := filepath.Dir(local.Name()) // the temporary file was in the directory of the final one
		if err = errors.Join(syncPath(dir), syncPath(filepath.Dir(dir))); err != nil {
			_ = s.Delete(context.WithoutCancel(ctx), key)
		}
	}
	if err != nil {
		return "", 0, failed(err)
	}
	return key, size, nil
}

// Open opens the file at key, for reading from any offset; the caller closes it. A
// missing file is ErrNotFound, or ErrForeign in a store that is not the installation's.
func (s *Store) Open(ctx context.Context, key string) (*blob.Reader, error) {
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err == nil {
		return r, nil
	}
	code := gcerrors.Code(err)
	if code != gcerrors.NotFound && code != gcerrors.PermissionDenied {
		return nil, failed(err)
	}
	if err := s.refuseForeign(ctx); err != nil {
		return nil, err
	}
	if code == gcerrors.NotFound {
		return nil, fmt.Errorf("file: %w", ErrNotFound)
	}
	// S3 also denies a missing file to credentials that may not list the bucket.
	if !s.readsMark(ctx) {
		return nil, failed(err)
	}
	return nil, fmt.Errorf("file: %w, or denied: %w", ErrNotFound, err) // a policy or a key may deny this file alone
}

// Delete removes the file at key; a missing file is no error, but a store that is not the installation's
// is one, ErrForeign. For S3 it bypasses the bucket's own Delete, which looks the object up first:
// write-only credentials may not.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.refuseForeign(ctx); err != nil {
		return err
	}
	var client *s3.Client
	if s.bucket.As(&client) {
		key = s.prefix + key
		if _, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.name, Key: &key}); err != nil {
			return failed(err)
		}
		return nil
	}
	if err := s.bucket.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return failed(err)
	}
	return nil
}
