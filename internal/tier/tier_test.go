package tier

import (
	"testing"
	"time"
)

// failed is a test that keeps whether it failed.
type failed struct {
	testing.TB
	failed bool
}

func (f *failed) Helper() {}

func (f *failed) Fatalf(string, ...any) { f.failed = true }

func TestAVariableSetsASize(t *testing.T) {
	const name = "BORDERO_FAULTS"
	count := func(t testing.TB) any { return Set(t, name, 3, 30) }
	seed := func(t testing.TB) any { return Set[uint64](t, name, 4, 40) }
	lasting := func(t testing.TB) any { return Set(t, name, time.Second, time.Minute) }
	for _, c := range []struct {
		long, text string
		of         func(testing.TB) any
		want       any // nil when the value is bad
	}{
		{"", "", count, 3}, {"1", "", count, 30}, {"1", "20", count, 20}, {"", "200k", count, nil},
		{"", "0", count, nil}, {"", "-1", count, nil},
		{"", "", seed, uint64(4)}, {"", "18446744073709551615", seed, uint64(1<<64 - 1)}, {"", "0x1", seed, nil},
		{"", "", lasting, time.Second}, {"", "10m", lasting, 10 * time.Minute}, {"1", "10", lasting, nil},
		{"", "-1s", lasting, nil},
	} {
		t.Setenv(Variable, c.long)
		t.Setenv(name, c.text)
		var test failed
		if got := c.of(&test); test.failed != (c.want == nil) || !test.failed && got != c.want {
			t.Errorf("%q gives %v and not %v; failed: %v", c.text, got, c.want, test.failed)
		}
	}
}
