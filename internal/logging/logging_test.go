package logging_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"bordero/internal/logging"
)

// In both formats the value is a plain number, however long the duration.
func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0", 4213999 * time.Nanosecond: "4.213", 999999 * time.Microsecond: "999.999", time.Second: "1000",
		100 * time.Hour: "360000000", -1500 * time.Microsecond: "-1.5",
	} {
		var json, text bytes.Buffer
		slog.New(slog.NewJSONHandler(&json, nil)).Info("", logging.Milliseconds("took_ms", d))
		slog.New(slog.NewTextHandler(&text, nil)).Info("", logging.Milliseconds("took_ms", d))
		if !strings.HasSuffix(json.String(), `"took_ms":`+want+"}\n") || !strings.HasSuffix(text.String(),
			"took_ms="+want+"\n") {
			t.Errorf("%v is logged as %s%s", d, json.String(), text.String())
		}
	}
}
