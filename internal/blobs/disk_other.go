//go:build !linux

package blobs

import (
	"errors"
	"os"
)

// direct leaves the page cache in use. Production is Linux.
func direct(*os.File, bool) error { return errors.ErrUnsupported }
