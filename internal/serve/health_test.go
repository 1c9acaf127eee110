package serve

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// Until a process is ready it says why: each cause when it is seen first, and again a minute later.
func TestAProcessSaysWhyItIsNotReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		full := func(context.Context) (State, string) { return Down, "is full" }
		health := NewHealth(Check{Name: "redis", Probe: full},
			Check{Name: "postgres", Required: true, Probe: func(context.Context) (State, string) {
				switch past := time.Since(begun); {
				case past < 70*time.Second:
					return Down, "does not answer: connection refused"
				case past < 80*time.Second:
					return Down, "is starting or stopping"
				}
				return OK, ""
			}})
		var out bytes.Buffer
		health.tellUntilReady(t.Context(), slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Int("at", int(time.Since(begun).Seconds()))
				}
				return a
			}})))
		refused := `level=WARN msg="not ready" check=postgres reason="does not answer: connection refused"` + "\n"
		want := "at=2 " + refused + "at=62 " + refused +
			`at=70 level=WARN msg="not ready" check=postgres reason="is starting or stopping"` + "\n" +
			"at=80 level=INFO msg=ready\n"
		if out.String() != want {
			t.Errorf("got\n%s, want\n%s", &out, want)
		}
	})
}
