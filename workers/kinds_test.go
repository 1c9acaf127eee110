package workers

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/jobs"
	"bordero/storage/storagetest"
	"bordero/workers/runtime/runtimetest"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

func TestAWorkerAcceptsTheTable(t *testing.T) {
	t.Parallel()
	h := runtimetest.New(t, jobs.PriceSalesKind.Queue)
	stop := h.Start(nil, Kinds(Deps{Store: h.Store})...)
	stop() // reports its error
}

// The table in docs/operations/watch.md has each kind with its queue and its attempts.
func TestTheManualHasAllKinds(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../docs/operations/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, known []string
	rows := regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+) \\| ([a-z]+) \\| ([0-9]+) \\|")
	for _, row := range rows.FindAllStringSubmatch(string(manual), -1) {
		for kind := range strings.SplitSeq(row[1], ", ") {
			documented = append(documented, strings.Join([]string{strings.Trim(kind, "`"), row[2], row[3]}, " "))
		}
	}
	for _, h := range Kinds(Deps{}) {
		known = append(known, strings.Join([]string{h.Kind.Name, h.Kind.Queue, strconv.Itoa(h.Kind.Attempts)}, " "))
	}
	slices.Sort(documented)
	slices.Sort(known)
	if !slices.Equal(documented, known) {
		t.Errorf("watch.md has %q, and the workers %q", documented, known)
	}
}
