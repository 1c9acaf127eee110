package blobs_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"bordero/internal/blobs"
)

func openFiles(t *testing.T) (files *blobs.Store, dir string) {
	t.Helper()
	dir = t.TempDir()
	files, err := blobs.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files, dir
}

// stored counts the files below a directory.
func stored(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFileComesBackAsItWent(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	const block = blobs.Block
	for _, size := range []int{0, 1, block - 1, block, block + 1, 2*block - 1, 2 * block, 5*block + 4096,
		5*block + 4097} {
		content := make([]byte, size)
		_, _ = rand.Read(content) // never fails
		key, kept, err := files.Put(t.Context(), 1, iotest.HalfReader(bytes.NewReader(content)))
		if err != nil || kept != int64(size) {
			t.Fatalf("%d of %d bytes, %v", kept, size, err)
		}
		r, err := files.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, content) {
			t.Errorf("of %d bytes others came back: %d, %v", size, len(got), err)
		}
		for range 2 { // it may run twice
			if err := files.Delete(t.Context(), key); err != nil {
				t.Error(err)
			}
		}
		if _, err := files.Open(t.Context(), key); !errors.Is(err, blobs.ErrNotFound) || stored(t, dir) != 0 {
			t.Errorf("deleted, but %v and %d files", err, stored(t, dir))
		}
	}
}

// stubborn takes half of its first write and refuses the rest.
type stubborn struct {
	bytes.Buffer
	why     error
	refused bool
}

func (s *stubborn) Write(b []byte) (int, error) {
	if s.refused {
		return s.Buffer.Write(b)
	}
	s.refused = true
	n, _ := s.Buffer.Write(b[:len(b)/2])
	return n, s.why
}

func TestAFileGoesThroughThePageCacheWhereItMust(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content := make([]byte, 2*blobs.Block+1)
	_, _ = rand.Read(content)             // never fails
	disk := stubborn{why: syscall.EINVAL} // as a file system that refuses a direct write
	size, err := blobs.CopyToDisk(&disk, file, bytes.NewReader(content))
	if err != nil || size != int64(len(content)) || !bytes.Equal(disk.Bytes(), content) {
		t.Errorf("%d of %d bytes: %v", size, len(content), err)
	}
}

func TestAFileThatTheDiskHasNotIsAnError(t *testing.T) {
	t.Parallel()
	open := func(name string) *os.File {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	file, unsynced := open(filepath.Join(t.TempDir(), "file")), open("/dev/null") // which has nothing to sync
	for _, size := range []int{1, blobs.Block, 3*blobs.Block + 1} {
		content := make([]byte, size)
		if _, err := blobs.CopyToDisk(&stubborn{why: syscall.ENOSPC}, file, bytes.NewReader(content)); !errors.Is(err,
			syscall.ENOSPC) {
			t.Errorf("%d bytes of which the first were refused: %v", size, err)
		}
		if _, err := blobs.CopyToDisk(io.Discard, unsynced, bytes.NewReader(content)); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%d bytes that were not synced: %v", size, err)
		}
	}
}

func TestUploadThatBreaksOffLeavesNoFile(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	for _, broken := range []error{errors.New("broken off"), io.ErrUnexpectedEOF} {
		for _, size := range []int{0, 1, blobs.Block, 4*blobs.Block + 1} {
			_, _, err := files.Put(t.Context(), 1, io.MultiReader(strings.NewReader(strings.Repeat("x", size)),
				iotest.ErrReader(broken)))
			if !errors.Is(err, broken) || stored(t, dir) != 0 {
				t.Errorf("%d bytes: %v, and %d files are left", size, err, stored(t, dir))
			}
		}
	}
}

// without returns what a Sweep asks when only one key has a row.
func without(known string) func(context.Context, []string) ([]string, error) {
	return func(_ context.Context, keys []string) ([]string, error) {
		return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == known }), nil
	}
}

func TestSweepRemovesOldFilesWithoutARow(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	put := func(old bool) string {
		key, _, err := files.Put(t.Context(), 1, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if old {
			at := time.Now().Add(-25 * time.Hour)
			if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(key)), at, at); err != nil {
				t.Fatal(err)
			}
		}
		return key
	}
	orphan, young, known := put(true), put(false), put(true)
	foreign := filepath.Join(dir, "foreign.txt") // not written by Put
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(foreign, time.Now().Add(-25*time.Hour), time.Now().Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	sweep := func(installation string, want int) error {
		t.Helper()
		n, err := files.Sweep(t.Context(), installation, time.Now().Add(-24*time.Hour), without(known))
		if n != want {
			t.Errorf("%d removed, %v; want %d", n, err, want)
		}
		return err
	}
	unfinished := filepath.Join(dir, "installation", "ours.1f.tmp") // a mark that was not written to its end
	if err := errors.Join(os.Mkdir(filepath.Dir(unfinished), 0o700), os.WriteFile(unfinished, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := sweep("ours", 0); !errors.Is(err, blobs.ErrForeign) {
		t.Errorf("the sweep of a store without a mark: %v", err)
	}
	if err := errors.Join(files.Mark(t.Context(), "ours"), sweep("ours", 1), sweep("ours", 0)); err != nil {
		t.Error(err)
	}
	remaining := put(true)
	if err := sweep("theirs", 0); !errors.Is(err, blobs.ErrForeign) {
		t.Errorf("the sweep of another installation: %v", err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
	for key, kept := range map[string]bool{orphan: false, young: true, known: true, remaining: true} {
		r, err := files.Open(t.Context(), key)
		if (err == nil) != kept {
			t.Errorf("kept %t: %v", kept, err)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}

// A directory that cannot be listed and a file that cannot be removed do not keep the sweep from the others.
func TestSweepGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	if err := files.Mark(t.Context(), "ours"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "00"), nil, 0o600); err != nil { // no directory
		t.Fatal(err)
	}
	stuck, orphan := "7e/"+strings.Repeat("0", 30), "7f/"+strings.Repeat("0", 30)
	for _, key := range []string{stuck, orphan} {
		name := filepath.Join(dir, key)
		if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	n, err := files.Sweep(t.Context(), "ours", time.Now().Add(time.Hour),
		func(_ context.Context, keys []string) ([]string, error) {
			name := filepath.Join(dir, stuck) // becomes a directory that is not empty
			return keys, errors.Join(os.Remove(name), os.MkdirAll(filepath.Join(name, "x"), 0o700))
		})
	if n != 1 || !errors.Is(err, syscall.ENOTDIR) || !errors.Is(err, syscall.ENOTEMPTY) ||
		!strings.Contains(err.Error(), stuck) {
		t.Errorf("%d removed, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(dir, orphan)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file behind them: %v", err)
	}
}

// The files of a directory are all listed, whatever is written to it or removed meanwhile.
func TestAllFilesAreListedWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	var keys []string
	for i := range 100 {
		keys = append(keys, fmt.Sprintf("7f/%030x", i))
	}
	other := filepath.Join(dir, "7f", strings.Repeat("1", 30))
	if err := os.Mkdir(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if err := os.WriteFile(filepath.Join(dir, key), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil { // as an upload, and a deletion
			if err := errors.Join(os.WriteFile(other+".1f.tmp", nil, 0o600), os.Rename(other+".1f.tmp", other),
				os.Remove(other)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer group.Wait()
	defer end()
	for range 200 {
		var got []string
		for f, err := range files.Files(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(keys, f.Key) {
				got = append(got, f.Key)
			}
		}
		if !slices.Equal(got, keys) {
			t.Fatalf("%d files are listed, not %d", len(got), len(keys))
		}
	}
}

func TestAFileThatAListingLeftOutIsNotMissing(t *testing.T) {
	t.Parallel()
	files, _ := openFiles(t)
	key, _, err := files.Put(t.Context(), 1, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	none := "00/" + strings.Repeat("1", 30)
	if missing, err := files.Missing([]string{key, none}); err != nil || !slices.Equal(missing, []string{none}) {
		t.Errorf("missing are %q, %v", missing, err)
	}
}

func TestSpace(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	if free, size, err := files.Space(); err != nil || free == 0 || size < free {
		t.Errorf("%d bytes of %d are free, %v", free, size, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := files.Space(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no directory: %v", err)
	}
}

// A parameter that a store does not know may be a key: no error shows the URL.
func TestAWrongURLIsNotShown(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"s3://b?secret_key=hunter2", "s3://key:hunter2@b?regio=x"} {
		if _, err := blobs.Open(t.Context(), address); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
