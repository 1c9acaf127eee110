package storage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	_ "gocloud.dev/blob/s3blob"   // s3:// and compatible
	"gocloud.dev/gcerrors"
)

// Files are the files in object storage. A key is random and says nothing about
// its content; a row that names it belongs to one tenant.
type Files struct{ bucket *blob.Bucket }

// OpenFiles opens the store at address: a directory (file:///dir), or an S3
// bucket (s3://bucket?region=...).
func OpenFiles(ctx context.Context, address string) (*Files, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("BORDERO_FILES_URL is not a URL")
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
	return &Files{bucket}, nil
}

// Close releases the store.
func (f *Files) Close() error { return f.bucket.Close() }

// Put streams r to a fresh key. A failure of r or of the store leaves nothing
// behind. The file lives until a row's deletion or the sweep removes it.
func (f *Files) Put(ctx context.Context, r io.Reader) (key string, size int64, err error) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	name := hex.EncodeToString(random[:])
	key = name[:2] + "/" + name[2:]
	// The writer keeps nothing when its context is cancelled before Close.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := f.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream", DisableContentTypeDetection: true})
	if err != nil {
		return "", 0, fmt.Errorf("file: %w", err)
	}
	size, err = io.Copy(w, r)
	if err != nil {
		cancel()
		_ = w.Close()
		return "", 0, err
	}
	if err := w.Close(); err != nil {
		return "", 0, fmt.Errorf("file: %w", err)
	}
	return key, size, nil
}

// Open reads the file at key, from any place; the caller closes it. A missing one
// is ErrNotFound.
func (f *Files) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	r, err := f.bucket.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("file: %w", ErrNotFound)
	}
	return r, err
}

// Delete removes the file at key; one that is gone already is fine.
func (f *Files) Delete(ctx context.Context, key string) error {
	err := f.bucket.Delete(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return err
}

// sweepBatch is how many keys are asked about at once.
const sweepBatch = 1000

// Sweep removes the files written before the moment that unknown says no row
// names: left behind by a process that died between the file and its row. It
// returns how many.
func (f *Files) Sweep(ctx context.Context, before time.Time, unknown func(context.Context, []string) ([]string, error)) (n int, err error) {
	var keys []string
	flush := func() error {
		orphans, err := unknown(ctx, keys)
		if err != nil {
			return err
		}
		for _, key := range orphans {
			if err := f.Delete(ctx, key); err != nil {
				return err
			}
			n++
		}
		keys = keys[:0]
		return nil
	}
	for it := f.bucket.List(nil); ; {
		o, err := it.Next(ctx)
		if err == io.EOF {
			return n, flush()
		}
		if err != nil {
			return n, err
		}
		if !o.IsDir && o.ModTime.Before(before) {
			keys = append(keys, o.Key)
		}
		if len(keys) == sweepBatch {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
}
