package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
)

// progress shows the progress of a command on one line of the standard error, if that is a terminal.
type progress struct {
	name     string
	terminal bool
}

func newProgress(name string) progress {
	return progress{name, isatty.IsTerminal(os.Stderr.Fd())}
}

const clearLine = "\r\x1b[K"

// show shows the finished part of the work, from 0 to 1, and the current step.
func (p progress) show(part float64, step string) {
	if !p.terminal {
		return
	}
	const width = 20
	full := int(part * width)
	fmt.Fprintf(os.Stderr, clearLine+"%s [%s%s] %s", p.name, strings.Repeat("#", full), strings.Repeat(".", width-full),
		step)
}

// clear removes the line.
func (p progress) clear() {
	if p.terminal {
		fmt.Fprint(os.Stderr, clearLine)
	}
}
