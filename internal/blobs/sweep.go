package blobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
)

// sweepBatch is how many keys one call of unknown checks.
const sweepBatch = 1000

// Sweep removes files that Put wrote before the given time and that no row names, because a process
// died between the file and its row. Of the given keys, unknown returns the keys that no row names.
// Sweep also aborts older uploads to S3 that broke off. It returns how many files and uploads it
// removed, and may run again after an error.
//
// In a store without the installation's mark, or with the mark of another installation, whose rows
// name the files, it removes nothing and returns ErrForeign.
func (s *Store) Sweep(ctx context.Context, installation string, before time.Time,
	unknown func(context.Context, []string) ([]string, error)) (n int, err error) {
	found, err := s.marks(ctx)
	if err != nil {
		return 0, err
	}
	if err := others(found, installation); err != nil {
		return 0, err
	}
	if !slices.Contains(found, installation) {
		return 0, missing(installation)
	}
	var keys []string
	flush := func() error {
		orphans, err := unknown(ctx, keys)
		if err != nil {
			return err
		}
		for _, key := range orphans {
			if err := s.Delete(ctx, key); err != nil {
				return err
			}
			n++
		}
		keys = keys[:0]
		return nil
	}
	for f, err := range s.Files(ctx) {
		if err != nil {
			return n, err
		}
		if f.StoredAt.Before(before) {
			keys = append(keys, f.Key)
		}
		if len(keys) == sweepBatch {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	if err := flush(); err != nil {
		return n, err
	}
	aborted, err := s.abort(ctx, before)
	return n + aborted, err
}

// File is a file that Put wrote, or began to write.
type File struct {
	Key      string
	StoredAt time.Time // by the clock of the store
}

// Files lists all files, by directory. The sequence ends at an error of the store.
func (s *Store) Files(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		list := s.listObjects
		if s.local {
			list = s.listDirectory
		}
		for i := range 256 {
			for f, err := range list(ctx, fmt.Sprintf("%02x/", i)) {
				if !yield(f, err) || err != nil {
					return
				}
			}
		}
	}
}

// listObjects lists the files in S3 whose keys begin with the name of a directory.
func (s *Store) listObjects(ctx context.Context, directory string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for it := s.bucket.List(&blob.ListOptions{Prefix: directory}); ; {
			o, err := it.Next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(File{}, failed(err))
				return
			}
			if !o.IsDir && ours.MatchString(o.Key) && !yield(File{o.Key, o.ModTime}, nil) {
				return
			}
		}
	}
}

// listDirectory lists the files in a directory of a local store. The listing of the bucket fails if one of them is
// removed or renamed meanwhile.
func (s *Store) listDirectory(ctx context.Context, directory string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		entries, err := os.ReadDir(filepath.Join(s.dir, directory))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(File{}, failed(err))
			return
		}
		for _, e := range entries {
			if !ours.MatchString(directory + e.Name()) {
				continue
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(File{}, failed(err))
				return
			}
			if !info.IsDir() && !yield(File{directory + e.Name(), info.ModTime()}, nil) {
				return
			}
		}
	}
}

// Missing returns the keys that have no file, of keys that Files did not list: the listing of a directory that changes
// meanwhile may leave files out, for example over NFS. The listing of a bucket leaves nothing out.
func (s *Store) Missing(keys []string) (missing []string, err error) {
	if !s.local {
		return keys, nil
	}
	for _, key := range keys {
		_, err := os.Lstat(filepath.Join(s.dir, key))
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, key)
		} else if err != nil {
			return nil, failed(err)
		}
	}
	return missing, nil
}

// ours matches the keys that Put makes, and the temporary names under which a local store
// writes them first. The sweep removes no other files of a directory or bucket.
var ours = regexp.MustCompile(`^[0-9a-f]{2}/[0-9a-f]{30}(\.[0-9a-f]+\.tmp)?$`)

// abort aborts the uploads to S3 that began before the given time and broke off. Listings
// of files do not contain their parts. It returns how many it aborted.
func (s *Store) abort(ctx context.Context, before time.Time) (n int, err error) {
	var client *s3.Client
	if !s.bucket.As(&client) {
		return 0, nil
	}
	pages := s3.NewListMultipartUploadsPaginator(client, &s3.ListMultipartUploadsInput{
		Bucket: &s.name, Prefix: &s.prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, err
		}
		for _, u := range page.Uploads {
			if u.Initiated == nil || !u.Initiated.Before(before) ||
				!ours.MatchString(strings.TrimPrefix(*u.Key, s.prefix)) {
				continue
			}
			_, err := client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
				Bucket: &s.name, Key: u.Key, UploadId: u.UploadId})
			if err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}
