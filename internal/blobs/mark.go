package blobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"
	"golang.org/x/sync/singleflight"
)

// ErrForeign is the error of a store without the files of this installation: a process with a
// directory of its own would lose the files of other processes.
var ErrForeign = errors.New("the files of BORDERO_FILES_URL are not those of this installation")

// markPrefix is the beginning of the keys of marks. The id is in the key of an empty object, because the
// credentials of the API and the scheduler need not read objects.
const markPrefix = "installation/"

// ownership is the knowledge about the installation that owns the store's files.
type ownership struct {
	installation func(context.Context) (string, error) // nil if it does not matter
	asking       singleflight.Group
	known        atomic.Pointer[verdict]
}

type verdict struct {
	err error // nil, ErrForeign or ErrUnavailable
	at  time.Time
}

// verdictAge is how long an answer about the mark is reused.
const verdictAge = 2 * time.Second

// BelongTo makes the store refuse work with ErrForeign unless it has the mark of the installation. It
// must be called before the store is used.
func (s *Store) BelongTo(installation func(context.Context) (string, error)) {
	s.owner.installation = installation
}

// Check returns nil if the store can be used and has the mark of the installation. Otherwise the error is
// ErrForeign, ErrUnavailable, or why the id of the installation is not known. Answers are reused for some
// seconds, and a store that hangs, such as a directory of NFS, is asked once.
func (s *Store) Check(ctx context.Context) error {
	if s.owner.installation == nil {
		return nil
	}
	if v := s.owner.known.Load(); v != nil && time.Since(v.at) < verdictAge {
		return v.err
	}
	id, err := s.owner.installation(ctx)
	if err != nil {
		return err
	}
	answer := s.owner.asking.DoChan("", func() (any, error) {
		err := s.belongs(context.WithoutCancel(ctx), id) // others wait for the answer, too
		s.owner.known.Store(&verdict{err, time.Now()})
		return nil, err
	})
	select {
	case r := <-answer:
		return r.Err
	case <-ctx.Done():
		return fmt.Errorf("%w: it does not answer", ErrUnavailable)
	}
}

// Recheck is Check with a new answer.
func (s *Store) Recheck(ctx context.Context) error {
	s.owner.known.Store(nil)
	return s.Check(ctx)
}

// refuseForeign returns ErrForeign if the store is known to have the files of others.
func (s *Store) refuseForeign(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second) // a store that hangs will hang again
	defer cancel()
	if err := s.Check(ctx); errors.Is(err, ErrForeign) {
		return err
	}
	return nil
}

// CheckMark returns ErrForeign unless the store has the mark of the installation. The store need not be writable, as
// that of a replica.
func (s *Store) CheckMark(ctx context.Context) error {
	id, err := s.owner.installation(ctx)
	if err != nil {
		return err
	}
	return s.marked(ctx, id)
}

// readsMark reports whether the installation's mark is there, and the credentials can read it.
func (s *Store) readsMark(ctx context.Context) bool {
	if s.owner.installation == nil {
		return false
	}
	id, err := s.owner.installation(ctx)
	if err != nil {
		return false
	}
	there, _ := s.bucket.Exists(ctx, markPrefix+id)
	return there
}

func (s *Store) belongs(ctx context.Context, installation string) error {
	if err := s.usable(); err != nil {
		return fmt.Errorf("%w: the directory of BORDERO_FILES_URL cannot be used: %w", ErrUnavailable, err)
	}
	return s.marked(ctx, installation)
}

// marked asks the store. Credentials that only read find the mark itself, credentials that only
// write find it in the list.
func (s *Store) marked(ctx context.Context, installation string) error {
	there, err := s.bucket.Exists(ctx, markPrefix+installation)
	if there {
		return nil
	}
	if err != nil && !denied(err) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	found, err := s.marks(ctx)
	switch {
	case denied(err):
		return missing(installation)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case slices.Contains(found, installation):
		return nil
	}
	return cmp.Or(others(found, installation), missing(installation))
}

// marks returns the ids of the installations with a mark in the store.
func (s *Store) marks(ctx context.Context) (found []string, err error) {
	for it := s.bucket.List(&blob.ListOptions{Prefix: markPrefix}); ; {
		o, err := it.Next(ctx)
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(o.Key, ".tmp") { // a process died while it wrote the mark to a local store
			found = append(found, strings.TrimPrefix(o.Key, markPrefix))
		}
	}
}

// others returns ErrForeign if one of the marks is another installation's.
func others(found []string, installation string) error {
	for _, theirs := range found {
		if theirs != installation {
			return fmt.Errorf("%w: it has the files of installation %s, and this one is %s; give each a store of its "+
				"own, "+
				"or remove %s from it if %[2]s no longer exists", ErrForeign, theirs, installation, markPrefix+theirs)
		}
	}
	return nil
}

func missing(installation string) error {
	return fmt.Errorf("%w: it has no file %s; share the directory or the bucket of the other processes, "+
		"or make that file, empty, if it has their files", ErrForeign, markPrefix+installation)
}

// denied reports whether S3 refused a request for want of rights.
func denied(err error) bool {
	var answered interface{ HTTPStatusCode() int }
	return errors.As(err, &answered) && answered.HTTPStatusCode() == http.StatusForbidden
}

// Mark marks the store as the installation's, durably. It returns ErrForeign if another one's mark is there.
func (s *Store) Mark(ctx context.Context, installation string) error {
	found, err := s.marks(ctx)
	if err != nil {
		return err
	}
	if err := others(found, installation); err != nil {
		return err
	}
	if !slices.Contains(found, installation) {
		err := s.bucket.WriteAll(ctx, markPrefix+installation, nil, &blob.WriterOptions{
			ContentType: "application/octet-stream"})
		if err != nil {
			return err
		}
	}
	if !s.local {
		return nil
	}
	// Also a mark that is there: the process that wrote it may have been killed before this.
	return errors.Join(syncPath(filepath.Join(s.dir, markPrefix)), syncPath(s.dir))
}
