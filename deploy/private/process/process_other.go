//go:build !linux

package process

import "syscall"

// signalOnDeath does nothing: only Linux has such a signal.
func signalOnDeath(*syscall.SysProcAttr, syscall.Signal) {}
