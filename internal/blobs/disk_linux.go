package blobs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// direct sets whether writes to the file bypass the page cache.
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
