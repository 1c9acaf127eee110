//go:build !linux

package api_test

import "errors"

// mountSmall cannot limit a directory; the test that needs it is skipped.
func mountSmall(string) error { return errors.ErrUnsupported }

func unmount(string) {}
