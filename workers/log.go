package workers

import (
	"fmt"
	"log/slog"
)

// asynqLog writes Asynq's log to ours.
type asynqLog struct{ *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.Logger.Debug(fmt.Sprint(args...)) }
func (l asynqLog) Info(args ...any)  { l.Logger.Info(fmt.Sprint(args...)) }
func (l asynqLog) Warn(args ...any)  { l.Logger.Warn(fmt.Sprint(args...)) }
func (l asynqLog) Error(args ...any) { l.Logger.Error(fmt.Sprint(args...)) }

// Fatal does not end the process: only main does.
func (l asynqLog) Fatal(args ...any) { l.Logger.Error(fmt.Sprint(args...)) }
