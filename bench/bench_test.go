package main

import (
	"context"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/internal/tier"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(floorAddr); addr != "" { // the test binary is the floor, too
		log.Fatal(serveFloor(addr))
	}
	check(os.Chdir("..")) // the root of the module
	os.Exit(m.Run())
}

// The further lines of a measurement are values of the same samples; a bound takes the place of a floor.
func TestPairsTakeTurnsAfterAWarmUp(t *testing.T) {
	t.Parallel()
	var turns strings.Builder
	side := func(name string, values ...float64) figure {
		return func(context.Context, time.Duration) sample {
			turns.WriteString(name)
			v := values[0]
			values = values[1:]
			return sample{v, map[string]float64{"accept": 2 * v}}
		}
	}
	lines := []line{{name: "x"}, {name: "x.accept", target: target{bound: 80}}}
	r := compare(t.Context(), lines, effort{pairs: 3}, side("o", 1000, 10, 30, 20), side("f", 1, 10, 10, 10))
	if want := []result{{20, 10, 2, 3}, {40, 80, 0.5, 3}}; turns.String() != "offooffo" || !slices.Equal(r, want) {
		t.Errorf("turns %s, %v", turns.String(), r)
	}
	turns.Reset()
	e := effort{pairs: 5}
	e.few(2)
	r = compare(t.Context(), lines[:1], e, side("o", 10, 20), side("f", 10, 10))
	if turns.String() != "foof" || r[0] != (result{10, 10, 1, 2}) {
		t.Errorf("turns %s of few, %v", turns.String(), r)
	}
}

// A row replaces the earlier one of its line, in the order of the report. The rest of the document
// does not change.
func TestRecording(t *testing.T) {
	t.Parallel()
	document := filepath.Join(t.TempDir(), "performance.md")
	kept := "| `reconcile` | 9.39 | 15.9 | requests/s | 0.59 | ≥ 0.6 | MISS | 5 |"
	old := "| `job.run` | 1 | 2 | jobs/s | 0.50 | ≥ 0.72 | MISS | 1 |"
	write := func(rows string) string { return "# Figures\n\n" + recordHead + rows + recordEnd + "\n\nMore.\n" }
	check(os.WriteFile(document, []byte(write(old+"\n"+kept)), 0o600))
	check(record(document, line{"job.run", "jobs/s", target{least: 0.72}}, result{1235, 2000, 0.6173, 3}))
	check(record(document, line{"api.get", "requests/s", target{least: 0.8}}, result{1234567, 9.876, 0.8, 5}))
	check(record(document, line{"idle", "%", target{bound: 2}}, result{2.1, 2, 1.05, 3}))
	got := string(must(os.ReadFile(document)))
	want := write("| `job.run` | 1,235 | 2,000 | jobs/s | 0.62 | ≥ 0.72 | MISS | 3 |\n" +
		"| `api.get` | 1,235,000 | 9.88 | requests/s | 0.80 | ≥ 0.8 | pass | 5 |\n" + kept +
		"\n| `idle` | 2.1 | 2 | % | 1.05 | ≤ 1 | MISS | 3 |")
	if got != want {
		t.Errorf("%s", got)
	}
	check(os.WriteFile(document, []byte("# Figures\n"), 0o600))
	if err := record(document, line{name: "job.run"}, result{}); err == nil {
		t.Error("a document without a table was written to")
	}
}

func TestChoosing(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"job": "job.pickup job.run", "job.pickup.p99": "job.pickup", "api.list job.run": "api.list job.run",
	} {
		chosen, err := choose(strings.Fields(names))
		var got []string
		for _, m := range chosen {
			got = append(got, m.lines[0].name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v %v", names, got, err)
		}
	}
	if all, err := choose(nil); err != nil || len(all) != len(measurements) {
		t.Errorf("%d of %d %v", len(all), len(measurements), err)
	}
	if _, err := choose([]string{"api.li"}); err == nil {
		t.Error("half a name was taken")
	}
}

// One measurement of each sort runs; its figures are not checked. The ones that compare documents or
// rows fail if the two sides differ.
func TestMeasurementsRun(t *testing.T) {
	t.Parallel()
	tier.NeedsLong(t, "a tool, which ships nothing")
	chosen := must(choose([]string{"statement", "job.run", "api", "batch", "reconcile", "sales.price", "entity.delete",
		"totals", "cash_flow", "aging", "income_statement"}))
	h := &harness{effort: effort{pairs: 1, each: time.Millisecond, items: 300, deleted: 1500, sales: 400,
		summed: 2000, priced: 100, samples: 5}}
	unreported := 0
	for _, m := range chosen {
		unreported += len(m.lines)
	}
	err := run(t.Context(), h, chosen, func(l line, r result) {
		unreported--
		if r.floor <= 0 || r.ours <= 0 {
			t.Errorf("%s: %v", l.name, r)
		}
	})
	if err != nil || unreported != 0 {
		t.Errorf("%d lines are missing: %v", unreported, err)
	}
}

// The server answers only after all requests have arrived: a client that waits for an answer
// before it sends the next would wait for ever.
func TestArrivalsDoNotWaitForAnswers(t *testing.T) {
	t.Parallel()
	const all = 20
	var came atomic.Int64
	everybody := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := came.Add(1)
		if n == all {
			close(everybody)
		}
		<-everybody
		if n == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer s.Close()
	got := loaded{rate: 200}
	got.arrive(t.Context(), all*time.Second/200, func(ctx context.Context, _ *rand.Rand) *http.Request {
		return must(http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil))
	})
	// The first was due 95 ms before the last arrived, and waited that long.
	if len(got.took) != all || got.failed != 1 || percentile(got.took, 100) < 90 {
		t.Errorf("%+v", got)
	}
}

// The load runs; its figures are not checked.
func TestLoadRuns(t *testing.T) {
	tier.NeedsLong(t, "a load on the whole service")
	t.Parallel()
	e := effort{books: 100, step: 300 * time.Millisecond, items: 300, rate: 50, more: 8}
	count := map[string]int{}
	print := printLoads(io.Discard)
	err := runLoad(t.Context(), &harness{effort: e}, func(l loaded) {
		count[l.load]++
		print(l)
		if l.load == "neighbour" && (len(l.took) != 30 || l.failed > 0 || l.cost <= 0 || len(l.receipts) == 0) {
			t.Errorf("%+v", l)
		}
	})
	if err != nil || count["neighbour"] != 4 || count["mixed"] < 2 {
		t.Errorf("lines %v %v", count, err)
	}
}
