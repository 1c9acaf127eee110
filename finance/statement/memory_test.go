package statement_test

import (
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/finance/statement/statementtest"
	"bordero/internal/tier"
)

const (
	heapBound = 64 << 20
	csvHead   = "Data,Valor,Identificador,Descrição\n"
)

var formats = map[string]statementtest.Write{
	"OFX": statementtest.WriteOFX, "OFC": statementtest.WriteOFC, "QIF": statementtest.WriteQIF,
	"CSV":  statementtest.WriteCSV,
	"JSON": statementtest.WriteJSON, "CNAB 240": statementtest.WriteCNAB240,
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// Reading a file takes no more memory if the file is longer.
func TestMemoryIsBounded(t *testing.T) {
	n := tier.Size(100_000, 1_000_000)
	for format, write := range formats {
		r := statement.NewReader(statementtest.Replay(write, n), finance.Date{})
		runtime.GC() // frees the garbage of other tests
		var peak uint64
		for i := range n {
			if _, err := r.Next(); err != nil {
				t.Fatalf("%s, item %d: %v", format, i, err)
			}
			if i%10_000 == 0 {
				peak = max(peak, heapInUse())
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatal(format, err)
		}
		if peak > heapBound {
			t.Errorf("%s: %d MiB of heap in use, want at most %d", format, peak>>20, heapBound>>20)
		}
		t.Logf("%s: %.1f MiB of heap in use at most", format, float64(peak)/(1<<20))
	}
}

// The reader does not store a hostile file of the maximum size, and passes over it once per read.
// With time quadratic in the size, the test would not end. A push reads a drawn third of the files.
func TestHostileFilesAreBounded(t *testing.T) {
	size := tier.Size(10<<20, 50<<20)
	cnab := string(statementtest.Bytes(statementtest.WriteCNAB240, 1)[:2*242])
	const movement = "<OFX><STMTTRN><MEMO>"
	drawn := rand.IntN(3)
	for i, c := range []filled{
		{head: movement, fill: "x"}, {head: movement, fill: "<"}, {head: movement, fill: "\x00"},
		{head: movement, fill: "<STMTTRN>"}, {head: movement, fill: "<A>"},
		{head: movement + "<![CDATA[", fill: "x"}, {head: "<OFX><!--", fill: "x"}, {head: "<OFX><A ", fill: "x"},
		{head: "<OFC><STMTRS>", fill: "<STMTTRN></STMTTRN>"},
		{head: "!Type:Bank\n", fill: "x"}, {head: "!Type:Bank\n", fill: "<"}, {head: "!Type:Bank\n", fill: "\x00"},
		{head: "!Type:Bank\n", fill: "^\n"}, {head: "!Type:Bank\n", fill: "D\nT\n^\n"},
		{head: "!Account\n", fill: "Nx\n^\n"},
		{head: csvHead, fill: "x"}, {head: csvHead, fill: ","}, {head: csvHead, fill: "\x00"},
		{head: csvHead, fill: "\""},
		{head: csvHead, fill: "x\n"}, {head: csvHead, fill: "\"\n"}, {head: csvHead, fill: "1,1,1,1\n"},
		{head: csvHead, fill: "01/02/2026,1.00,,\n"}, {head: csvHead, fill: "Conta 12345\n"},
		{head: `[{"amount":1,"id":"`, fill: "x"}, {head: `[{"amount":1,"id":`, fill: "1"},
		{head: `[{"amount":1,"`, fill: "x"},
		{head: `[{"amount":1,"x":`, fill: "["}, {head: `[{"amount":1,"x":[[`, fill: `],[`},
		{head: `[{"amount":1,`, fill: `"id":null,`},
		{head: cnab, fill: "3"}, {head: cnab, fill: "0010001300001E\n"}, {head: cnab, fill: "\n"},
		{head: "[", fill: " "}, {head: `[{"amount":1}`, fill: `,{"amount":1}`},
	} {
		if !tier.Long() && i%3 != drawn {
			continue
		}
		began := time.Now()
		c.size = size
		r := statement.NewReader(&c, finance.Date{})
		var err error
		items := 0
		for ; err == nil; items++ {
			_, err = r.Next()
		}
		inUse := heapInUse()
		if inUse > heapBound {
			t.Errorf("%q and %d MiB of %q: %d MiB of heap in use after %d items", c.head, size>>20, c.fill, inUse>>20,
				items)
		}
		t.Logf("%q and %q: %v, %d MiB, %d items, %v", c.head, c.fill, time.Since(began), inUse>>20, items, err)
	}
}

// filled is a file that repeats itself after its head.
type filled struct {
	head, fill string
	filler     string // fill, repeated
	size, pos  int
}

func (f *filled) Read(p []byte) (n int, err error) {
	for n < len(p) && f.pos < f.size {
		text := f.head[min(f.pos, len(f.head)):]
		if text == "" {
			if f.filler == "" {
				f.filler = strings.Repeat(f.fill, 1<<10)
			}
			text = f.filler[(f.pos-len(f.head))%len(f.fill):]
		}
		c := copy(p[n:min(len(p), n+f.size-f.pos)], text)
		n, f.pos = n+c, f.pos+c
	}
	if n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

func (f *filled) Seek(offset int64, _ int) (int64, error) {
	f.pos = int(offset)
	return offset, nil
}
