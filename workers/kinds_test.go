package workers

import (
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
