package blobs

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// A file is written to disk in blocks: while one is written, the next ones are read.
const (
	block  = 256 << 10
	blocks = 3
)

// UploadMemory returns how many bytes each Put to a local store uses until it ends, beside the heap. It is 0 for S3,
// where Put limits uploads itself.
func (s *Store) UploadMemory() int64 {
	if !s.local {
		return 0
	}
	return blocks * block
}

// copyToDisk copies r to w, which writes the file, and returns once the data is on disk.
// It bypasses the page cache where the file system supports that: through the cache,
// with a sync afterwards, an upload takes about twice as long.
func copyToDisk(w io.Writer, file *os.File, r io.Reader) (size int64, err error) {
	// Direct writes need whole pages; and on the heap, many uploads would use twice the memory.
	space, err := unix.Mmap(-1, 0, blocks*block, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unix.Munmap(space)) }()
	_ = direct(file, true) // on failure, writes go through the page cache
	if size, err = copyBlocks(w, file, r, space); err != nil {
		return size, err
	}
	return size, file.Sync()
}

// copyBlocks copies through space, which is free again when it returns.
func copyBlocks(w io.Writer, file *os.File, r io.Reader, space []byte) (size int64, err error) {
	free, filled := make(chan []byte, blocks), make(chan []byte, blocks)
	for b := range slices.Chunk(space, block) {
		free <- b
	}
	var writer errgroup.Group
	writer.Go(func() error {
		var failed error
		for b := range filled {
			if failed == nil {
				failed = write(w, file, b)
			}
			free <- b
		}
		return failed
	})
	defer func() {
		close(filled)
		if failed := writer.Wait(); err == nil {
			err = failed
		}
	}()
	for err == nil {
		b := <-free
		var n int
		n, err = fill(b, r)
		size += int64(n)
		filled <- b[:n]
	}
	if err == io.EOF {
		err = nil
	}
	return size, err
}

// fill reads until b is full. It does not use io.ReadFull, since its io.ErrUnexpectedEOF may be the
// end of r or a body that broke off.
func fill(b []byte, r io.Reader) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	return n, err
}

// write falls back to the page cache for bytes that the file system refuses to write directly, such
// as the end of a file.
func write(w io.Writer, file *os.File, b []byte) error {
	n, err := w.Write(b)
	if errors.Is(err, syscall.EINVAL) && direct(file, false) == nil {
		_, err = w.Write(b[n:])
	}
	return err
}

// syncPath makes a file, or the entries of a directory, durable.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) { // the file system does not sync directories
		err = nil
	}
	return errors.Join(err, f.Close())
}
