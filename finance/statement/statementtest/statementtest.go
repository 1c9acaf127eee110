// Package statementtest makes bank statements of any size for tests and
// benchmarks. It is apart so that every room can use it and no product code does.
package statementtest

import (
	"bytes"
	"io"
	"time"

	"bordero/finance"
)

// Option changes what a made statement holds.
type Option func(*file)

type file struct {
	start  finance.Date
	perDay int
	from   int
	seed   int64
}

// account is the account number of every statement.
const account = "12345-6"

// Start is the day of movement 0, 2 January 2025 when not given.
func Start(day finance.Date) Option { return func(f *file) { f.start = day } }

// PerDay is how many movements a day has, 250 when not given: 100,000 of them make
// 400 days, a million 4,000, which is more than there are before today.
func PerDay(n int) Option { return func(f *file) { f.perDay = n } }

// From is the number of the first movement, 0 when not given. Files of the same
// seed hold the same movement under the same number, so From(0) and From(500) of
// 1,000 movements each have 500 in common, and From(1000) shares none with From(0).
func From(n int) Option { return func(f *file) { f.from = n } }

// Seed chooses other amounts for all movements.
func Seed(n int64) Option { return func(f *file) { f.seed = n } }

// Write writes a statement of n movements to w.
type Write func(w io.Writer, n int, options ...Option) error

// Bytes is what write writes.
func Bytes(write Write, n int, options ...Option) []byte {
	var b bytes.Buffer
	if err := write(&b, n, options...); err != nil {
		panic(err) // a Buffer takes all
	}
	return b.Bytes()
}

// OFX is what WriteOFX writes.
func OFX(n int, options ...Option) []byte { return Bytes(WriteOFX, n, options...) }

// Total is the sum of the amounts that are written, in any format.
func Total(n int, options ...Option) finance.Amount {
	f := newFile(options)
	var total finance.Amount
	for i := f.from; i < f.from+n; i++ {
		total += f.amount(i)
	}
	return total
}

func newFile(options []Option) file {
	start, _ := finance.NewDate(2025, time.January, 2)
	f := file{start: start, perDay: 250}
	for _, option := range options {
		option(&f)
	}
	return f
}

func (f file) day(i int) finance.Date { return f.start.AddDays(i / f.perDay) }

// name is the payee's of a movement.
func (f file) name(i int) string {
	if f.amount(i) > 0 {
		return "PIX RECEBIDO"
	}
	return "PIX ENVIADO"
}

// amount goes through the residues of a prime, each once.
func (f file) amount(i int) finance.Amount {
	const prime = 10_000_019
	cents := finance.Amount(1 + (int64(i)*7_919+f.seed*104_729)%prime)
	if i%4 == 0 {
		return cents
	}
	return -cents
}
