package storage_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

func openFiles(t *testing.T) (files *storage.Files, dir string) {
	t.Helper()
	dir = t.TempDir()
	files, err := storage.OpenFiles(t.Context(), "file://"+dir)
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
	content := strings.Repeat("OFX\x00\xff", 100_000)
	key, size, err := files.Put(t.Context(), strings.NewReader(content))
	if err != nil || size != int64(len(content)) {
		t.Fatalf("%d bytes, %v", size, err)
	}
	r, err := files.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != content {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	for range 2 { // twice is harmless
		if err := files.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	if _, err := files.Open(t.Context(), key); !errors.Is(err, storage.ErrNotFound) || stored(t, dir) != 0 {
		t.Errorf("deleted, but %v and %d files", err, stored(t, dir))
	}
}

func TestUploadThatBreaksOffLeavesNoFile(t *testing.T) {
	t.Parallel()
	files, dir := openFiles(t)
	broken := errors.New("broken off")
	_, _, err := files.Put(t.Context(), io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20)), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || stored(t, dir) != 0 {
		t.Errorf("%v, and %d files are left", err, stored(t, dir))
	}
}

func TestSweepRemovesOldFilesWithoutARow(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	into := storagetest.NewDepositAccount(t, s, storagetest.NewTenant(t, s).Scope)
	files, dir := openFiles(t)
	put := func(old bool) string {
		key, _, err := files.Put(t.Context(), strings.NewReader("x"))
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
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertBankStatement(t.Context(), &finance.BankStatement{AccountID: into.AccountID, DepositAccountID: into.ID, FileKey: known})
	})
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.txt") // no file of ours
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(foreign, time.Now().Add(-25*time.Hour), time.Now().Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	n, err := files.Sweep(t.Context(), time.Now().Add(-24*time.Hour), s.UnknownFiles)
	if err != nil || n != 1 {
		t.Errorf("%d removed, %v; want 1", n, err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
	for key, kept := range map[string]bool{orphan: false, young: true, known: true} {
		r, err := files.Open(t.Context(), key)
		if (err == nil) != kept {
			t.Errorf("kept %t: %v", kept, err)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}
