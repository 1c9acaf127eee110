package statement_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"bordero/finance/statement"
	"bordero/finance/statement/statementtest"
)

// However long the file is, reading it takes no more memory.
func TestMemoryIsBounded(t *testing.T) {
	const n, bound = 1_000_000, 64 << 20
	pr, pw := io.Pipe()
	go func() { pw.CloseWithError(statementtest.WriteOFX(pw, n)) }()
	r := statement.NewReader(pr)
	runtime.GC() // what other tests left
	var peak uint64
	for i := range n {
		if _, err := r.Next(); err != nil {
			t.Fatalf("item %d: %v", i, err)
		}
		if i%10_000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatal(err)
	}
	if peak > bound {
		t.Errorf("%d MiB of heap in use, want at most %d", peak>>20, bound>>20)
	}
	t.Logf("%.1f MiB of heap in use at most", float64(peak)/(1<<20))
}

// One endless value is no way around that.
func TestMemoryIsBoundedInOneValue(t *testing.T) {
	for _, start := range []string{"<OFX><STMTTRN><MEMO>", "<OFX><STMTTRN><MEMO><![CDATA[", "<OFX><!--", "<OFX><A "} {
		filler := io.LimitReader(endless('x'), 256<<20)
		r := statement.NewReader(io.MultiReader(strings.NewReader(start), filler))
		if _, err := r.Next(); err == nil {
			t.Errorf("%s: an item", start)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapInuse > 64<<20 {
			t.Errorf("%s: %d MiB of heap in use", start, m.HeapInuse>>20)
		}
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
