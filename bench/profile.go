package main

import (
	"os"
	"path/filepath"
	"runtime/pprof"
	"syscall"
)

// profiles are the directories for profiles of our side; empty without profiles. Each process of
// each path has files of its own.
type profiles struct{ cpu, mem string }

func (p profiles) wanted() bool { return p != profiles{} }

// file returns the path of a process's profile in dir, or "" if dir is empty.
func (h *harness) file(dir, process, kind string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, h.path.name+"-"+process+"."+kind)
}

// profileEnv returns the variables that name the files for the profiles of a bordero process
// (internal/cli/profile.go).
func (h *harness) profileEnv(process string) []string {
	return []string{
		"BORDERO_CPUPROFILE=" + h.file(h.profiles.cpu, process, "cpu"),
		"BORDERO_MEMPROFILE=" + h.file(h.profiles.mem, process, "mem"),
	}
}

// ending is the signal that ends a process of bordero.
func (p profiles) ending() syscall.Signal {
	if p.wanted() {
		return syscall.SIGUSR1
	}
	return syscall.SIGTERM
}

// profile profiles this process, for paths without a process of bordero, until stop is called.
func (h *harness) profile() (stop func(), err error) {
	stop = func() {}
	if name := h.file(h.profiles.cpu, "bench", "cpu"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			return nil, err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		stop = func() {
			pprof.StopCPUProfile()
			_ = f.Close()
		}
	}
	if name := h.file(h.profiles.mem, "bench", "mem"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			return nil, err
		}
		before := stop
		stop = func() {
			before()
			_ = pprof.Lookup("allocs").WriteTo(f, 0)
			_ = f.Close()
		}
	}
	return stop, nil
}
