package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/tier"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(floorAddr); addr != "" { // the test binary is the floor, too
		exit(serveFloor(addr))
	}
	os.Exit(m.Run())
}

func TestMedianAndPercentile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values      []float64
		median, p99 float64
	}{
		{[]float64{3}, 3, 3},
		{[]float64{3, 1}, 2, 3},
		{[]float64{9, 1, 5}, 5, 9},
		{[]float64{4, 1, 3, 2}, 2.5, 4},
	} {
		if got := median(c.values); got != c.median {
			t.Errorf("median of %v is %v, not %v", c.values, got, c.median)
		}
		if got := percentile(c.values, 99); got != c.p99 {
			t.Errorf("p99 of %v is %v, not %v", c.values, got, c.p99)
		}
	}
	var waits []time.Duration
	for i := range 1000 {
		waits = append(waits, time.Duration(1000-i))
	}
	if got := percentile(waits, 99); got != 990 {
		t.Errorf("p99 of 1 to 1000 is %d", got)
	}
}

func TestPairsTakeTurnsAfterAWarmUp(t *testing.T) {
	t.Parallel()
	var turns strings.Builder
	side := func(name string, values ...float64) figure {
		return func(context.Context, time.Duration) (sample, error) {
			turns.WriteString(name)
			v := values[0]
			values = values[1:]
			return sample{value: v}, nil
		}
	}
	lines := []path{{name: "x", unit: "u"}}
	r, err := compare(t.Context(), lines, effort{pairs: 3}, side("o", 1000, 10, 30, 20), side("f", 1, 10, 10, 10),
		func(string) {})
	if err != nil || turns.String() != "offooffo" {
		t.Errorf("turns %s %v", turns.String(), err)
	}
	if want := []result{{Path: "x", Unit: "u", Ours: 20, Floor: 10, Ratio: 2, N: 3}}; !slices.Equal(r, want) {
		t.Errorf("%+v", r)
	}
	turns.Reset()
	e := effort{pairs: 5}
	e.few(2)
	r, err = compare(t.Context(), lines, e, side("o", 10, 20), side("f", 10, 10), func(string) {})
	if err != nil || turns.String() != "foof" || r[0].N != 2 || r[0].Ratio != 1.5 {
		t.Errorf("turns %s of few, %+v %v", turns.String(), r, err)
	}
	broken := func(context.Context, time.Duration) (sample, error) { return sample{}, errors.New("broken") }
	if _, err := compare(t.Context(), lines, effort{pairs: 1}, broken, broken, func(string) {}); err == nil {
		t.Error("a side that fails was a result")
	}
}

// The further lines of a measurement are values of the same samples; a bound takes the place of
// a floor.
func TestLinesShareAMeasurement(t *testing.T) {
	t.Parallel()
	ours := func(context.Context, time.Duration) (sample, error) {
		return sample{6, map[string]float64{"p99": 9, "cpu": 2}}, nil
	}
	floor := func(context.Context, time.Duration) (sample, error) {
		return sample{3, map[string]float64{"p99": 1}}, nil
	}
	lines := []path{{name: "x.y"}, {name: "x.y.p99"}, {name: "x.y.cpu", target: target{bound: 4}}}
	r, err := compare(t.Context(), lines, effort{pairs: 1}, ours, floor, func(string) {})
	want := []result{{"x.y", "", 6, 3, 2, 1}, {"x.y.p99", "", 9, 1, 9, 1}, {"x.y.cpu", "", 2, 4, 0.5, 1}}
	if err != nil || !slices.Equal(r, want) {
		t.Errorf("%+v %v", r, err)
	}
	r, err = compare(t.Context(), []path{{name: "x", target: target{bound: 4}}}, effort{pairs: 1}, ours, nil,
		func(string) {})
	if err != nil || !slices.Equal(r, []result{{"x", "", 6, 4, 1.5, 1}}) {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := compare(t.Context(), []path{{name: "x"}, {name: "x.memory"}}, effort{pairs: 1}, ours, floor,
		func(string) {}); err == nil {
		t.Error("a line without a value was a result")
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target target
		result result
		met    bool
		text   string
	}{
		{target{least: 0.5, aim: 0.6}, result{Ratio: 0.5}, true, "≥ 0.5 (aim 0.6)"},
		{target{least: 0.5}, result{Ratio: 0.49}, false, "≥ 0.5"},
		{target{most: 1.2}, result{Ratio: 1.2}, true, "≤ 1.2"},
		{target{most: 1.2}, result{Ratio: 1.21}, false, "≤ 1.2"},
		{target{bound: 2}, result{Ours: 2, Ratio: 1}, true, "≤ 1"},
		{target{bound: 2}, result{Ours: 2.1, Ratio: 1.05}, false, "≤ 1"},
		{target{within: 2}, result{Ours: 2, Ratio: 9}, true, "ours ≤ 2"},
		{target{within: 2}, result{Ours: 2.1, Ratio: 0.5}, false, "ours ≤ 2"},
	} {
		if c.target.met(c.result) != c.met || c.target.String() != c.text {
			t.Errorf("%v: %v %v", c, c.target.met(c.result), c.target)
		}
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := result{Path: "job.run", Unit: "jobs/s", Ours: rounded(1234.567), Floor: 2000, Ratio: rounded(0.6172839), N: 3}
	report, end := printJSON(&out)
	report(r)
	end()
	want := `{"path":"job.run","unit":"jobs/s","ours":1235,"floor":2000,"ratio":0.6173,"n":3}` + "\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	report, end = printTable(&out)
	report(r)
	end()
	if !strings.Contains(out.String(), "1,235        2,000  jobs/s        0.62  ≥ 0.72") {
		t.Errorf("%s", out.String())
	}
}

// A row replaces the path's earlier one, in the order of the report. The rest of the document
// does not change.
func TestRecording(t *testing.T) {
	t.Parallel()
	document := filepath.Join(t.TempDir(), "performance.md")
	kept := "| `reconcile` | 9.39 | 15.9 | requests/s | 0.59 | ≥ 0.5 | pass | 5 |"
	old := "| `job.run` | 1 | 2 | jobs/s | 0.50 | ≥ 0.72 | MISS | 1 |"
	write := func(rows string) string { return "# Figures\n\n" + recordHead + rows + recordEnd + "\n\nMore.\n" }
	if err := os.WriteFile(document, []byte(write(old+"\n"+kept)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []result{{"job.run", "jobs/s", 1235, 2000, 0.6173, 3}, {"api.get", "requests/s", 9, 10, 0.9, 5}} {
		if err := record(document, r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	want := write("| `job.run` | 1,235 | 2,000 | jobs/s | 0.62 | ≥ 0.72 | MISS | 3 |\n| `api.get` | 9 | 10 | " +
		"requests/s | 0.90 | ≥ 0.8 | pass | 5 |\n" + kept)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if err := os.WriteFile(document, []byte("# Figures\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := record(document, result{Path: "job.run"}); err == nil {
		t.Error("a document without a table was written to")
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 0.12345: "0.123", 99.94: "99.9", 100.4: "100", 1234567: "1,234,567",
		-1234: "-1,234"} {
		if got := number(v); got != want {
			t.Errorf("%v: %s", v, got)
		}
	}
}

func TestChoosingPaths(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"job": "job.pickup job.pickup.p99 job.run", "job.pickup.p99": "job.pickup job.pickup.p99",
		"statement.import": "statement.import", "job.run api.list": "job.run api.list",
		"job.run job": "job.pickup job.pickup.p99 job.run",
	} {
		chosen, err := choose(strings.Fields(names))
		var got []string
		for _, p := range slices.Concat(chosen...) {
			got = append(got, p.name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v %v", names, got, err)
		}
	}
	if all, err := choose(nil); err != nil || len(slices.Concat(all...)) != len(paths) {
		t.Errorf("%d of %d paths %v", len(all), len(paths), err)
	}
	if _, err := choose([]string{"api.li"}); err == nil {
		t.Error("half a name was taken")
	}
}

// One path of each sort runs; its figures are not checked. The paths that compare documents or
// rows fail if the two sides differ.
func TestPathsRun(t *testing.T) {
	t.Parallel()
	tier.NeedsLong(t, "a tool, which ships nothing")
	chosen, err := choose([]string{"statement.parse", "statement.import", "job.run", "api.create_transaction",
		"api.list", "api.search", "reconcile", "entity.delete"})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{effort: effort{pairs: 1, each: time.Millisecond, items: 300, deleted: 1500, sales: 400}}
	reported := 0
	err = run(t.Context(), h, chosen, func(r result) {
		reported++
		if r.Floor <= 0 || r.Ours <= 0 && !strings.HasSuffix(r.Path, ".cpu") && !strings.HasSuffix(r.Path, ".memory") {
			t.Errorf("%+v", r) // so little work may take no tick of the CPU's clock, nor memory
		}
	})
	if want := len(slices.Concat(chosen...)); err != nil || reported != want {
		t.Errorf("%d paths of %d: %v", reported, want, err)
	}
}
