// Package statementtest generates bank statements of any size for tests and benchmarks. Every
// package's tests may import it, product code must not.
package statementtest

import (
	"bytes"
	"io"
	"time"

	"bordero/finance"
)

// Option changes the content of a generated statement.
type Option func(*file)

type file struct {
	start  finance.Date
	perDay int
	from   int
	seed   int64
	lead   string // of a record of CNAB 240
}

// Account is the account number of every statement.
const Account = "12345-6"

// Start sets the day of movement 0, by default 2 January 2025.
func Start(day finance.Date) Option { return func(f *file) { f.start = day } }

// PerDay sets the number of movements per day, by default 250. At 250, 100,000 movements take 400
// days and a million takes 4,000, which extends beyond today.
func PerDay(n int) Option { return func(f *file) { f.perDay = n } }

// From sets the number of the first movement, by default 0. Files with the same seed have the same
// movement under the same number: with 1,000 movements each, From(0) and From(500) have 500 in
// common, From(0) and From(1000) have 0.
func From(n int) Option { return func(f *file) { f.from = n } }

// Seed selects other amounts for all movements.
func Seed(n int64) Option { return func(f *file) { f.seed = n } }

// Write writes a statement of n movements to w.
type Write func(w io.Writer, n int, options ...Option) error

// Bytes returns the output of write.
func Bytes(write Write, n int, options ...Option) []byte {
	var b bytes.Buffer
	if err := write(&b, n, options...); err != nil {
		panic(err) // a Buffer never fails
	}
	return b.Bytes()
}

// OFX returns the output of WriteOFX.
func OFX(n int, options ...Option) []byte { return Bytes(WriteOFX, n, options...) }

// Total returns the sum of the amounts of a generated statement, in any format.
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

// name returns the payee of a movement.
func (f file) name(i int) string {
	if f.amount(i) > 0 {
		return "PIX RECEBIDO"
	}
	return "PIX ENVIADO"
}

// amount visits each residue of a prime once.
func (f file) amount(i int) finance.Amount {
	const prime = 10_000_019
	cents := finance.Amount(1 + (int64(i)*7_919+f.seed*104_729)%prime)
	if i%4 == 0 {
		return cents
	}
	return -cents
}
