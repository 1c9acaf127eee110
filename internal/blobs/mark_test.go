package blobs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bordero/internal/blobs"
	"bordero/internal/blobs/blobstest"
)

func of(id string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return id, nil }
}

// A process with a directory of its own stores nothing there, and does not say that a file of the others is
// gone, until the directory has the mark.
func TestADirectoryWithoutTheMarkIsNotUsed(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	files.BelongTo(of("ours"))
	refused := func() {
		t.Helper()
		_, _, put := files.Put(t.Context(), 1, strings.NewReader("x"))
		_, open := files.Open(t.Context(), "ab/cd")
		for _, err := range []error{put, open, files.Delete(t.Context(), "ab/cd"), files.Check(t.Context())} {
			if !errors.Is(err, blobs.ErrForeign) || !strings.Contains(err.Error(), "installation/ours") {
				t.Errorf("without the mark: %v", err)
			}
		}
	}
	refused()
	if n := stored(t, dir); n != 0 {
		t.Errorf("%d files were stored", n)
	}
	if err := errors.Join(files.Mark(t.Context(), "ours"), files.Recheck(t.Context())); err != nil {
		t.Fatal(err)
	}
	if key, _, err := files.Put(t.Context(), 1, strings.NewReader("x")); err != nil {
		t.Error(err)
	} else if err := files.Delete(t.Context(), key); err != nil {
		t.Error(err)
	}
	if _, err := files.Open(t.Context(), "ab/cd"); !errors.Is(err, blobs.ErrNotFound) {
		t.Errorf("a missing file: %v", err)
	}
	theirs, err := blobs.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	theirs.BelongTo(of("theirs"))
	for _, err := range []error{theirs.Check(t.Context()), theirs.Mark(t.Context(), "theirs")} {
		if !errors.Is(err, blobs.ErrForeign) || !strings.Contains(err.Error(), "installation ours") {
			t.Errorf("for another installation: %v", err)
		}
	}
}

// What is not known does not stop anything: PostgreSQL may be down.
func TestADirectoryOfAnUnknownInstallationIsUsed(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	down := errors.New("down")
	files.BelongTo(func(context.Context) (string, error) { return "", down })
	if err := files.Check(t.Context()); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
	if _, _, err := files.Put(t.Context(), 1, strings.NewReader("x")); err != nil {
		t.Error(err)
	}
	files.BelongTo(of("ours"))
	if err := os.Rename(dir, filepath.Join(t.TempDir(), "away")); err != nil {
		t.Fatal(err)
	}
	if err := files.Check(t.Context()); !errors.Is(err, blobs.ErrUnavailable) {
		t.Errorf("without the directory: %v", err)
	}
}

// The mark is found with the credentials of each process.
func TestTheMarkInS3(t *testing.T) {
	_, filesURL := blobstest.S3(t)
	as := func(key, prefix string) *blobs.Store {
		t.Helper()
		t.Setenv("AWS_ACCESS_KEY_ID", key)
		t.Setenv("AWS_SECRET_ACCESS_KEY", key+"'s secret")
		files, err := blobs.Open(t.Context(), filesURL+"&prefix="+prefix)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = files.Close() })
		files.BelongTo(of("ours"))
		return files
	}
	if err := as("reader", "kept/").Mark(t.Context(), "ours"); err == nil {
		t.Error("it is made without the right to write")
	}
	if err := as("writer", "kept/").Mark(t.Context(), "ours"); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"reader", "writer", "administrator"} {
		if err := as(key, "kept/").Check(t.Context()); err != nil {
			t.Errorf("with the mark, as %s: %v", key, err)
		}
		if err := as(key, "other/").Check(t.Context()); !errors.Is(err, blobs.ErrForeign) {
			t.Errorf("without the mark, as %s: %v", key, err)
		}
		if _, err := as(key, "other/").Open(t.Context(), "ab/cd"); !errors.Is(err, blobs.ErrForeign) {
			t.Errorf("a file without the mark, as %s: %v", key, err)
		}
	}
}
