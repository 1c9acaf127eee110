package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// measureIdle measures the CPU time, as a share of one core, of all processes and servers of a
// `bordero up` without requests.
func measureIdle(ctx context.Context, h *harness) (ours, floor figure, err error) {
	if err := h.build(ctx); err != nil {
		return nil, nil, err
	}
	addr := freeAddr()
	err = h.start(ctx, nil, "http://"+addr+"/docs", syscall.SIGTERM, h.binary, "up", "--data",
		filepath.Join(h.dir, "idle"), "--addr", addr)
	if err != nil {
		return nil, nil, err
	}
	up := strconv.Itoa(h.started[len(h.started)-1].pid)
	h.few(3)
	progress("idle: resting for %v", h.idle)
	if err := pause(ctx, h.idle); err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, _ time.Duration) (sample, error) {
		before, began := familyCPU(up), time.Now()
		if err := pause(ctx, h.idle); err != nil {
			return sample{}, err
		}
		after, percent := familyCPU(up), 100/time.Since(began).Seconds()
		var sum float64
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(after)) {
			share := (after[name] - before[name]).Seconds() * percent
			sum += share
			parts = append(parts, fmt.Sprintf("%s %.2f", name, share))
		}
		progress("idle: %s", strings.Join(parts, ", "))
		return sample{value: sum}, nil
	}, nil, nil
}

// familyCPU returns the CPU time so far of a process and its descendants, by the last word of
// their command lines. PostgreSQL's are "postgres".
func familyCPU(root string) map[string]time.Duration {
	all := runningProcesses()
	names := map[string]string{root: "up"}
	took := map[string]time.Duration{}
	for found := true; found; { // a child may be listed before its parent
		found = false
		for _, p := range all {
			if names[p.pid] == "" && names[p.parent] != "" {
				names[p.pid], found = familyName(p.pid, names[p.parent]), true
			}
		}
	}
	for _, p := range all {
		if name := names[p.pid]; name != "" {
			took[name] += p.cpu + p.reaped
		}
	}
	return took
}

func familyName(pid, parent string) string {
	if parent == "postgres" {
		return parent
	}
	line, _ := os.ReadFile("/proc/" + pid + "/cmdline") // the process may have ended
	words := strings.Split(strings.TrimRight(string(line), "\x00 "), "\x00")
	switch program := filepath.Base(words[0]); {
	case program == "postgres":
		return program
	case strings.HasPrefix(program, "redis-server"):
		return "redis"
	}
	return words[len(words)-1]
}

// pause waits for d; it returns an error if ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
