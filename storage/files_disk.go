package storage

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// block is how much goes to the disk at a time, while the next comes in.
const block = 256 << 10

// copyToDisk copies to w, which writes the file, and returns when the disk has it.
func copyToDisk(w io.Writer, file *os.File, r io.Reader) (size int64, err error) {
	// Direct writes need whole pages; and of a heap many uploads would keep twice as much.
	both, err := unix.Mmap(-1, 0, 2*block, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unix.Munmap(both)) }()
	filling, writing := both[:block], both[block:]
	wrote := make(chan error, 1)
	wrote <- nil
	for n := block; n == block; { // a shorter one is the last
		n, err = fill(filling, r)
		if failed := <-wrote; err == nil {
			err = failed
		}
		if err != nil {
			return size, err
		}
		filling, writing = writing, filling
		go func(b []byte) { wrote <- write(w, file, b) }(writing[:n])
		size += int64(n)
	}
	if err := <-wrote; err != nil {
		return size, err
	}
	return size, file.Sync()
}

// fill reads until b is full or r ends. io.ReadFull would not tell an end from a body
// that broke off.
func fill(b []byte, r io.Reader) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// write writes a whole block past the page cache: a copy there, to be synced after,
// costs more processor time than all else of an upload. What the file system does not
// take so, as the end of a file, is written as usual.
func write(w io.Writer, file *os.File, b []byte) error {
	if len(b) == block && direct(file, true) == nil {
		n, err := w.Write(b)
		if !errors.Is(err, syscall.EINVAL) {
			return err
		}
		b = b[n:]
	}
	if err := direct(file, false); err != nil {
		return err
	}
	_, err := w.Write(b)
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
