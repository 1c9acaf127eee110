package private

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// TempDir creates a directory for the servers of a test, accessible to the user that they run
// as. remove deletes it and its content.
func TempDir() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "bordero")
	if err != nil {
		return "", nil, err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // the servers below drop their rights
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// account returns the user that the servers run as: nil for ours. PostgreSQL refuses root, so as
// root it is the owner of the data directory, at first the user postgres.
func account(dataDir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil // we cannot use another account
	}
	if info, err := os.Stat(dataDir); err == nil {
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 0 {
			return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}, nil
		}
	}
	who, err := user.Lookup("postgres")
	if err != nil { // only Redis may be installed
		who, err = user.Lookup("redis")
	}
	if err != nil {
		return nil, fmt.Errorf("to run PostgreSQL and Redis, root needs the user that Debian's postgresql or "+
			"redis-server creates: %w", err)
	}
	uid, err := strconv.ParseUint(who.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", who.Username, err)
	}
	gid, err := strconv.ParseUint(who.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", who.Username, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// makeDir creates dir for the account alone; an existing one stays as it is.
func makeDir(dir string, as *syscall.Credential) error {
	if err := os.Mkdir(dir, 0o700); errors.Is(err, os.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	if as == nil {
		return nil
	}
	return os.Chown(dir, int(as.Uid), int(as.Gid))
}

// reachable refuses a directory that the account cannot enter. We do not make a closed directory
// open to others.
func reachable(dir string, as *syscall.Credential) error {
	if as == nil {
		return nil
	}
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		owned := info.Sys().(*syscall.Stat_t).Uid == as.Uid
		if mode := info.Mode().Perm(); mode&0o001 == 0 && !(owned && mode&0o100 != 0) {
			return fmt.Errorf("%s (mode %04o) is not accessible to the user that runs PostgreSQL and Redis when root "+
				"starts them: "+
				"run `chmod o+x %s`, or choose a data directory elsewhere", dir, mode, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
