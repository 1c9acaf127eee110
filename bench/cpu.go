package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpu is the user and system time so far of PostgreSQL, Redis and the processes
// that the path has started, and of this one where it is one side. What others do
// on the machine is not in it: where a ratio of rates is noise, a ratio of these
// still tells something.
func (h *house) cpu(self bool) time.Duration {
	ours := map[string]bool{}
	for _, pid := range h.started {
		ours[strconv.Itoa(pid)] = true
	}
	if self {
		ours[strconv.Itoa(os.Getpid())] = true
	}
	postmaster := ""
	if h.pg != nil {
		postmaster = strconv.Itoa(h.pg.PID())
		ours[postmaster], ours[strconv.Itoa(h.redis.PID())] = true, true
	}
	var ticks int64
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, name := range all {
		content, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		// PID (NAME) STATE PPID ..., utime and stime, and those of children that ended.
		end := strings.LastIndexByte(string(content), ')')
		fields := strings.Fields(string(content[end+1:]))
		pid, _, _ := strings.Cut(string(content), " ")
		if !ours[pid] && fields[1] != postmaster {
			continue
		}
		for i, field := range fields[11:15] {
			if i < 2 || pid == postmaster {
				n, _ := strconv.ParseInt(field, 10, 64)
				ticks += n
			}
		}
	}
	return time.Duration(ticks) * (time.Second / 100) // Linux says 100 everywhere
}

// sample is what one side reached, and the CPU time of a unit, if it was taken.
type sample struct {
	value float64
	cpu   time.Duration
}

// cpuRatio compares the CPU of the units of two rates as the ratio of the rates is
// meant: above 1 is less of it on our side.
func cpuRatio(ours, floor sample) string {
	if ours.cpu == 0 || floor.cpu == 0 {
		return ""
	}
	return fmt.Sprintf(", CPU %s against %s µs, ratio %.2f",
		number(ours.cpu.Seconds()*1e6), number(floor.cpu.Seconds()*1e6), floor.cpu.Seconds()/ours.cpu.Seconds())
}
