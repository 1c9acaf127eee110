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

// sweepErrors is how many errors a sweep reports, and how many directories in a row it cannot list until it takes the
// store to be down.
const sweepErrors = 10

// Sweep removes files that Put wrote before the given time and that no row names, because a process
// died between the file and its row. Of the given keys, unknown returns the keys that no row names.
// Sweep also aborts older uploads to S3 that broke off. It returns how many files and uploads it
// removed, and may run again after an error. A file that cannot be removed, or a directory that cannot be
// listed, does not keep it from the others; the first such errors are returned.
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
	n, err = s.sweepFiles(ctx, before, unknown)
	if errors.Is(err, ErrForeign) || ctx.Err() != nil {
		return n, err
	}
	aborted, failed := s.abort(ctx, before)
	return n + aborted, errors.Join(err, failed)
}

// sweepFiles removes the files of Sweep. An error of unknown ends it, as does the mark of another installation.
func (s *Store) sweepFiles(ctx context.Context, before time.Time,
	unknown func(context.Context, []string) ([]string, error)) (n int, err error) {
	var errs firstErrors
	var keys []string
	flush := func() error {
		orphans, err := unknown(ctx, keys)
		if err != nil {
			return err
		}
		for _, key := range orphans {
			err := s.Delete(ctx, key)
			if errors.Is(err, ErrForeign) || ctx.Err() != nil {
				return err
			}
			if err != nil {
				errs.add(fmt.Errorf("%s: %w", key, err))
				continue
			}
			n++
		}
		keys = keys[:0]
		return nil
	}
	unlisted := 0 // directories in a row
	for i := 0; i < directories && unlisted < sweepErrors && ctx.Err() == nil; i++ {
		unlisted++
		listed := true
		for f, err := range s.list(ctx, i) {
			if listed = err == nil; !listed {
				errs.add(err)
				break
			}
			if f.StoredAt.Before(before) {
				keys = append(keys, f.Key)
			}
			if len(keys) == sweepBatch {
				if err := flush(); err != nil {
					return n, errors.Join(append(errs, err)...)
				}
			}
		}
		if listed {
			unlisted = 0
		}
	}
	err = flush()
	return n, errors.Join(append(errs, err)...)
}

// firstErrors are the first errors of a sweep.
type firstErrors []error

func (e *firstErrors) add(err error) {
	if len(*e) < sweepErrors {
		*e = append(*e, err)
	}
}

// File is a file that Put wrote, or began to write.
type File struct {
	Key      string
	StoredAt time.Time // by the clock of the store
}

// Files lists all files, by directory. The sequence ends at an error of the store.
func (s *Store) Files(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for i := range directories {
			for f, err := range s.list(ctx, i) {
				if !yield(f, err) || err != nil {
					return
				}
			}
		}
	}
}

// directories is how many directories the files are in.
const directories = 256

// list lists the files of a directory, until an error.
func (s *Store) list(ctx context.Context, directory int) iter.Seq2[File, error] {
	name := fmt.Sprintf("%02x/", directory)
	if s.local {
		return s.listDirectory(ctx, name)
	}
	return s.listObjects(ctx, name)
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
// of files do not contain their parts. One that cannot be aborted does not keep it from the others. It returns how many
// it aborted.
func (s *Store) abort(ctx context.Context, before time.Time) (n int, err error) {
	var client *s3.Client
	if !s.bucket.As(&client) {
		return 0, nil
	}
	var errs firstErrors
	pages := s3.NewListMultipartUploadsPaginator(client, &s3.ListMultipartUploadsInput{
		Bucket: &s.name, Prefix: &s.prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, errors.Join(append(errs, err)...)
		}
		for _, u := range page.Uploads {
			if u.Initiated == nil || !u.Initiated.Before(before) ||
				!ours.MatchString(strings.TrimPrefix(*u.Key, s.prefix)) {
				continue
			}
			_, err := client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
				Bucket: &s.name, Key: u.Key, UploadId: u.UploadId})
			if err != nil {
				errs.add(err)
				continue
			}
			n++
		}
	}
	return n, errors.Join(errs...)
}
