package statement_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/finance/statement/statementtest"
)

// BenchmarkReader's cost per item must not depend on the number of items.
func BenchmarkReader(b *testing.B) {
	for format, write := range formats {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			file := statementtest.Bytes(write, n)
			b.Run(fmt.Sprint(format, "/", n), func(b *testing.B) { benchmarkReader(b, file, n) })
		}
	}
}

func benchmarkReader(b *testing.B, file []byte, n int) {
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		r := statement.NewReader(bytes.NewReader(file), finance.Date{})
		items := 0
		for {
			_, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			items++
		}
		if items != n {
			b.Fatalf("%d items of %d", items, n)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "items/s")
}
