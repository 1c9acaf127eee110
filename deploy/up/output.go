package up

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
)

// output writes for a person: the steps of `up`, and the lines of the processes, each after the
// process's name, in colours on a terminal.
type output struct {
	mu      sync.Mutex // makes a line's write atomic
	w       io.Writer
	colours bool
	named   int  // processes that have a colour
	halfway bool // a step's line is not finished
}

func newOutput(w io.Writer) *output {
	f, isFile := w.(*os.File)
	return &output{w: w, colours: isFile && isatty.IsTerminal(f.Fd()) && os.Getenv("NO_COLOR") == ""}
}

// print writes whole lines. They do not continue the line of a step.
func (o *output) print(lines string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.halfway {
		fmt.Fprintln(o.w)
		o.halfway = false
	}
	fmt.Fprint(o.w, lines)
}

func (o *output) say(line string) { o.print(line + "\n") }

// step prints what, runs do, and then prints how long do took.
func (o *output) step(what string, do func() error) error {
	o.mu.Lock()
	fmt.Fprintf(o.w, "%s ...", what)
	o.halfway = true
	o.mu.Unlock()

	begun := time.Now()
	err := do()
	end := fmt.Sprintf(" %.1fs\n", time.Since(begun).Seconds())
	if err != nil {
		end = " failed\n"
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.halfway {
		end = what + " ..." + end
	}
	o.halfway = false
	fmt.Fprint(o.w, end)
	return err
}

// process returns the writer for the output of a process.
func (o *output) process(name string) *lines {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := &lines{out: o, prefix: fmt.Sprintf("%-10s | ", name)}
	if o.colours {
		l.prefix = fmt.Sprintf("\x1b[%dm%s\x1b[0m", 31+o.named%6, l.prefix)
	}
	o.named++
	return l
}

// lines is a writer that prints whole lines, each with its prefix.
type lines struct {
	out    *output
	prefix string
	mu     sync.Mutex
	rest   []byte // an unfinished line
}

// longest is the length at which an unfinished line is split.
const longest = 64 << 10

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole && len(l.rest) < longest {
			return len(p), nil
		}
		l.out.print(l.prefix + string(line) + "\n")
		l.rest = rest
	}
}

// flush prints an unfinished line.
func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.out.print(l.prefix + string(l.rest) + "\n")
		l.rest = nil
	}
}
