package storage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	_ "gocloud.dev/blob/s3blob"   // s3:// and compatible
	"gocloud.dev/gcerrors"
)

// Files are the files in object storage. A key is random and says nothing about
// its content; a row that names it belongs to one tenant.
type Files struct {
	bucket  *blob.Bucket
	local   bool
	name    string        // of a bucket of S3
	prefix  string        // of its keys
	uploads chan struct{} // what is on its way to it
	dir     string        // of a local store
}

// s3Uploads go to S3 at once, at most: each holds 16 to 32 MiB of memory.
const s3Uploads = 16

// OpenFiles opens the store at address: a directory (file:///dir), or an S3
// bucket (s3://bucket?region=...).
func OpenFiles(ctx context.Context, address string) (*Files, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("BORDERO_FILES_URL is not a URL")
	}
	if !blob.DefaultURLMux().ValidBucketScheme(u.Scheme) { // the driver's error would show all of the URL
		return nil, fmt.Errorf("BORDERO_FILES_URL: there is no store %q", u.Scheme)
	}
	if u.Scheme == "file" {
		q := u.Query()
		q.Set("create_dir", "true")
		q.Set("no_tmp_dir", "true") // a file is written beside its place and renamed
		q.Set("metadata", "skip")   // our rows know type and name
		u.RawQuery = q.Encode()
	}
	bucket, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("BORDERO_FILES_URL: %w", err)
	}
	return &Files{
		bucket: bucket, local: u.Scheme == "file", name: u.Host, prefix: u.Query().Get("prefix"), dir: u.Path,
		uploads: make(chan struct{}, s3Uploads),
	}, nil
}

// Close releases the store.
func (f *Files) Close() error { return f.bucket.Close() }

// Local tells whether the API itself serves the files: their store has no
// addresses of its own.
func (f *Files) Local() bool { return f.local }

// Usable tells whether a local store can be read and written. Of another one it
// says nothing: that costs a request, and the first use tells.
func (f *Files) Usable() error {
	if !f.local {
		return nil
	}
	return syscall.Access(f.dir, readWriteSearch)
}

const readWriteSearch = 7

// Address is a temporary address of the file in the store itself, which needs its
// credentials and answers with our name and type of the file.
func (f *Files) Address(ctx context.Context, file StoredFile, disposition string, life time.Duration) (string, error) {
	return f.bucket.SignedURL(ctx, file.FileKey, &blob.SignedURLOptions{Expiry: life, BeforeSign: func(as func(any) bool) error {
		var in *s3.GetObjectInput
		if as(&in) {
			in.ResponseContentDisposition, in.ResponseContentType = &disposition, &file.ContentType
		}
		return nil
	}})
}

// IsAddress reports whether an address leads to the file in a store that is not local:
// by its scheme, host and path. Its signature is the store's to check.
func (f *Files) IsAddress(ctx context.Context, address, key string) bool {
	own, err := f.bucket.SignedURL(ctx, key, nil) // made here, without a request
	if err != nil {
		return false
	}
	place := func(address string) string {
		before, _, _ := strings.Cut(address, "?")
		return before
	}
	return place(address) == place(own)
}

// ErrFull is the error of a store that has no room for a file.
var ErrFull = errors.New("no room for the file")

// full tells what of a failure is a lack of room.
func full(err error) error {
	var answered interface{ HTTPStatusCode() int } // S3's
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.As(err, &answered) && answered.HTTPStatusCode() == http.StatusInsufficientStorage {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Put streams r to a fresh key. A failure of r or of the store leaves no file
// behind; parts of one that S3 holds, the sweep aborts. ErrFull says that it has no
// room. Without an error the file outlasts a loss of power, as a row of it would. It
// lives until a row's deletion or the sweep removes it. Beyond s3Uploads it waits for
// its turn, before it reads.
func (f *Files) Put(ctx context.Context, r io.Reader) (key string, size int64, err error) {
	if !f.local {
		select {
		case f.uploads <- struct{}{}:
			defer func() { <-f.uploads }()
		case <-ctx.Done():
			return "", 0, ctx.Err()
		}
	}
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	name := hex.EncodeToString(random[:])
	key = name[:2] + "/" + name[2:]
	// The writer keeps nothing when its context is cancelled before Close.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var local *os.File
	w, err := f.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: "application/octet-stream", DisableContentTypeDetection: true,
		BufferSize: 5 << 20, MaxConcurrency: 1, // of parts in S3, held in memory beside the first 16 MiB: the least that it takes
		BeforeWrite: func(as func(any) bool) error { as(&local); return nil },
	})
	if err != nil {
		return "", 0, full(fmt.Errorf("file: %w", err))
	}
	if local == nil {
		size, err = io.Copy(w, r)
	} else {
		size, err = copyToDisk(w, local, r)
	}
	if err != nil {
		cancel()
		_ = w.Close()
		return "", 0, full(err)
	}
	err = w.Close()
	if err == nil && local != nil {
		dir := filepath.Dir(local.Name()) // it was written beside its place
		if err = errors.Join(syncDir(dir), syncDir(filepath.Dir(dir))); err != nil {
			_ = f.Delete(context.WithoutCancel(ctx), key)
		}
	}
	if err != nil {
		return "", 0, full(fmt.Errorf("file: %w", err))
	}
	return key, size, nil
}

// Open reads the file at key, from any place; the caller closes it. A missing one
// is ErrNotFound.
func (f *Files) Open(ctx context.Context, key string) (*blob.Reader, error) {
	r, err := f.bucket.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("file: %w", ErrNotFound)
	}
	return r, err
}

// Delete removes the file at key; one that is gone already is fine. A bucket looks
// for it first, which credentials that only write may not: S3 does not ask for that.
func (f *Files) Delete(ctx context.Context, key string) error {
	var client *s3.Client
	if f.bucket.As(&client) {
		key = f.prefix + key
		_, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &f.name, Key: &key})
		return err
	}
	err := f.bucket.Delete(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return err
}
