package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/tier"
)

// The same script is sent to a site that nothing disturbs, and to others whose processes are killed, whose Redis loses
// its data and whose sessions of PostgreSQL end. At the end of each scene, users see the same on all of them.
func TestATwinThatIsDisturbedSaysTheSame(t *testing.T) {
	t.Parallel()
	drawn := rand.Uint64()
	seed := tier.Set(t, "BORDERO_TWIN_SEED", drawn, drawn)
	t.Logf("BORDERO_TWIN_SEED=%d", seed)
	rounds := tier.Size(1, 5)
	views := make([][]view, 1+rounds)
	t.Run("each", func(t *testing.T) {
		for i := range views {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				w := newTwin(t)
				w.play(i, rand.New(rand.NewPCG(seed, uint64(i))))
				views[i] = w.views
			})
		}
	})
	for i, disturbed := range views[1:] {
		for scene, v := range views[0] {
			if scene >= len(disturbed) {
				t.Fatalf("the site %d was not there for the scene %d", i+1, scene+1)
			}
			if d := differences(v, disturbed[scene]); d != "" {
				t.Fatalf("after the scene %d the site %d differs:\n%s", scene+1, i+1, d)
			}
		}
	}
}

// play sends the script, while faults happen to all sites but the first.
func (w *twin) play(site int, r *rand.Rand) {
	w.t.Helper()
	if site > 0 {
		for range tier.Size(1, 10) {
			w.deck = append(w.deck, "FLUSHALL", "sessions", "sessions")
			w.deck = append(w.deck, twinProcesses...)
		}
		r.Shuffle(len(w.deck), func(i, j int) { w.deck[i], w.deck[j] = w.deck[j], w.deck[i] })
	}
	began, faults := time.Now(), len(w.deck)
	scenes := w.scenes()
	for i, scene := range scenes {
		left := len(scenes) - i
		w.struck(r, (len(w.deck)+left-1)/left, func() { scene(); w.quiet() })
		w.views = append(w.views, w.see())
	}
	last := w.views[len(w.views)-1]
	for _, hook := range w.hooks {
		w.seeNotifications(last, hook)
	}
	w.Settled()
	w.t.Logf("%.1f s, %d values, %d faults", time.Since(began).Seconds(), len(last), faults-len(w.deck))
}

// differences lists what two views do not have in common.
func differences(undisturbed, disturbed view) string {
	all := maps.Clone(undisturbed)
	maps.Copy(all, disturbed)
	var b strings.Builder
	n := 0
	for _, fact := range slices.Sorted(maps.Keys(all)) {
		a, has := undisturbed[fact]
		d, had := disturbed[fact]
		if has && had && a == d {
			continue
		}
		if n++; n <= 40 {
			fmt.Fprintf(&b, "%s\n\tundisturbed: %s\n\tdisturbed:   %s\n", fact, orNone(a, has), orNone(d, had))
		}
	}
	if n > 40 {
		fmt.Fprintf(&b, "and %d more\n", n-40)
	}
	return b.String()
}

func orNone(text string, has bool) string {
	if !has {
		return "(none)"
	}
	return text
}
