//go:build profile

package cli

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// A binary built with -tags profile writes its profiles to the files that these two variables name, and
// ends, on SIGUSR1.
func init() {
	cpu, mem := create("BORDERO_CPUPROFILE"), create("BORDERO_MEMPROFILE")
	if cpu != nil {
		check(pprof.StartCPUProfile(cpu))
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		<-asked
		pprof.StopCPUProfile()
		if mem != nil {
			check(pprof.Lookup("allocs").WriteTo(mem, 0))
		}
		check(syscall.Kill(os.Getpid(), syscall.SIGTERM))
	}()
}

// create creates the file that a variable names; nil if it is unset.
func create(variable string) *os.File {
	name := os.Getenv(variable)
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	check(err)
	return f
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
