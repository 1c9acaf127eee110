package storage

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// A file goes to the disk by blocks: while one is written, the next come in.
const (
	block  = 256 << 10
	blocks = 3
)

// copyToDisk copies to w, which writes the file, and returns when the disk has it. It
// goes past the page cache where the file system knows how: with a copy there, to be
// synced after, an upload takes about twice as long.
func copyToDisk(w io.Writer, file *os.File, r io.Reader) (size int64, err error) {
	// Direct writes need whole pages; and of a heap many uploads would keep twice as much.
	space, err := unix.Mmap(-1, 0, blocks*block, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unix.Munmap(space)) }()
	_ = direct(file, true) // else it goes as usual
	if size, err = copyBlocks(w, file, r, space); err != nil {
		return size, err
	}
	return size, file.Sync()
}

// copyBlocks copies through space, which nothing uses any more when it returns.
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

// fill reads until b is full. io.ReadFull would not tell the end of r from a body that
// broke off.
func fill(b []byte, r io.Reader) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	return n, err
}

// write writes as usual what the file system does not take past the page cache, as
// the end of a file.
func write(w io.Writer, file *os.File, b []byte) error {
	n, err := w.Write(b)
	if errors.Is(err, syscall.EINVAL) && direct(file, false) == nil {
		_, err = w.Write(b[n:])
	}
	return err
}

// direct sets whether writes to the file go past the page cache.
func direct(file *os.File, on bool) error {
	connection, err := file.SyscallConn()
	if err != nil {
		return err
	}
	failed := connection.Control(func(descriptor uintptr) {
		var flags int
		if flags, err = unix.FcntlInt(descriptor, unix.F_GETFL, 0); err != nil {
			return
		}
		flags &^= unix.O_DIRECT
		if on {
			flags |= unix.O_DIRECT
		}
		_, err = unix.FcntlInt(descriptor, unix.F_SETFL, flags)
	})
	return errors.Join(failed, err)
}

// syncDir keeps what a directory lists.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) { // a file system without that keeps it in its own way
		err = nil
	}
	return errors.Join(err, d.Close())
}
