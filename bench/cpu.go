package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpu returns the user and system time so far of PostgreSQL, Redis and the path's processes;
// with self also of this process, if it is one side.
func (h *harness) cpu(self bool) (sum time.Duration) {
	for name, took := range h.cpuOf() {
		if self || name != "load" {
			sum += took
		}
	}
	return sum
}

// cpuOf returns that time by the name of the process: "api", "postgres", or "load" for this one.
// Processes of the same name are added up.
func (h *harness) cpuOf() map[string]time.Duration {
	names := map[string]string{strconv.Itoa(os.Getpid()): "load"}
	for _, p := range h.started {
		names[strconv.Itoa(p.pid)] = p.name
	}
	postmaster := ""
	if h.pg != nil {
		postmaster = strconv.Itoa(h.pg.PID())
		names[postmaster], names[strconv.Itoa(h.redis.PID())] = "postgres", "redis"
	}
	took := map[string]time.Duration{}
	for _, p := range runningProcesses() {
		name := names[p.pid]
		if p.parent == postmaster {
			name = "postgres"
		}
		if name == "" {
			continue
		}
		took[name] += p.cpu
		if p.pid == postmaster {
			took[name] += p.reaped
		}
	}
	return took
}

// runningProcess is a process of the machine. cpu is its user and system time so far, reaped the
// time of its ended children.
type runningProcess struct {
	pid, parent string
	cpu, reaped time.Duration
}

func runningProcesses() (all []runningProcess) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		// PID (NAME) STATE PPID ..., utime and stime, then both times of ended children.
		end := strings.LastIndexByte(string(content), ')')
		fields := strings.Fields(string(content[end+1:]))
		var times [4]time.Duration
		for i, field := range fields[11:15] {
			ticks, _ := strconv.ParseInt(field, 10, 64)
			times[i] = time.Duration(ticks) * (time.Second / 100) // Linux reports 100 ticks a second everywhere
		}
		pid, _, _ := strings.Cut(string(content), " ")
		all = append(all, runningProcess{pid, fields[1], times[0] + times[1], times[2] + times[3]})
	}
	return all
}

// machineCPU returns the time that all processes of the machine have used so far.
func machineCPU() (took time.Duration) {
	content, _ := os.ReadFile("/proc/stat") // Linux has it
	line, _, _ := strings.Cut(string(content), "\n")
	// cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ ...
	for i, field := range strings.Fields(line) {
		if i > 0 && i < 8 && i != 4 && i != 5 {
			ticks, _ := strconv.ParseInt(field, 10, 64)
			took += time.Duration(ticks) * (time.Second / 100)
		}
	}
	return took
}
