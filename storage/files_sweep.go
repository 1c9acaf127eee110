package storage

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// sweepBatch is how many keys are asked about at once.
const sweepBatch = 1000

// Sweep removes the files of Put's, written before the moment, that unknown says no
// row names: left behind by a process that died between the file and its row; and
// what S3 holds of those that broke off. It returns how many.
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
	for i := range 256 { // a local store walks all of a listing for each page: by directories
		for it := f.bucket.List(&blob.ListOptions{Prefix: fmt.Sprintf("%02x/", i)}); ; {
			o, err := it.Next(ctx)
			if err == io.EOF || f.local && gcerrors.Code(err) == gcerrors.NotFound { // one went meanwhile: the next sweep looks again
				break
			}
			if err != nil {
				return n, err
			}
			if !o.IsDir && ours.MatchString(o.Key) && o.ModTime.Before(before) {
				keys = append(keys, o.Key)
			}
			if len(keys) == sweepBatch {
				if err := flush(); err != nil {
					return n, err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return n, err
	}
	aborted, err := f.abort(ctx, before)
	return n + aborted, err
}

// ours are the keys that Put makes, and the names that a local store writes them
// under first: what else is in a directory or a bucket is not ours to remove.
var ours = regexp.MustCompile(`^[0-9a-f]{2}/[0-9a-f]{30}(\.[0-9a-f]+\.tmp)?$`)

// abort ends the uploads to S3 that were begun before the moment and broke off: their
// parts are in no listing of files.
func (f *Files) abort(ctx context.Context, before time.Time) (n int, err error) {
	var client *s3.Client
	if !f.bucket.As(&client) {
		return 0, nil
	}
	pages := s3.NewListMultipartUploadsPaginator(client, &s3.ListMultipartUploadsInput{Bucket: &f.name, Prefix: &f.prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, err
		}
		for _, u := range page.Uploads {
			if u.Initiated == nil || !u.Initiated.Before(before) || !ours.MatchString(strings.TrimPrefix(*u.Key, f.prefix)) {
				continue
			}
			_, err := client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &f.name, Key: u.Key, UploadId: u.UploadId})
			if err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}
