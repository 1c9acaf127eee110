// Package panics turns a panic of one piece of work into its error, so that the process goes on
// with the rest. It is apart because jobs, questions and periodic tasks end alike.
package panics

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Caught runs fn and returns a panic as an error. It logs the panic with its stack under the message.
func Caught(log *slog.Logger, message string, fn func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
			log.Error(message, "panic", x, "stack", string(debug.Stack()))
		}
	}()
	return fn()
}
