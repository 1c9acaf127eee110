package process

import "syscall"

// signalOnDeath makes the kernel send a signal to the child when this process dies.
func signalOnDeath(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }
