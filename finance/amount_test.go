package finance

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestAmountReadsWhatClientsSend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Amount
		err  error
	}{
		{"12.50", 1250, nil},
		{"12.5", 1250, nil},
		{"12", 1200, nil},
		{"-0.01", -1, nil},
		{"+3", 300, nil},
		{".5", 50, nil},
		{"5.", 500, nil},
		{"0.199E3", 19900, nil},
		{"0.199e+3", 19900, nil},
		{"19900e-2", 19900, nil},
		{"-0", 0, nil},
		{"0e60", 0, nil},
		{"12.5000000", 1250, nil},
		{"0012.50", 1250, nil},
		{"9999999999999.99", MaxAmount, nil},
		{"-9999999999999.99", -MaxAmount, nil},
		{"12.505", 0, ErrTooManyDecimals},
		{"1e-3", 0, ErrTooManyDecimals},
		{"10000000000000", 0, ErrAmountTooLarge},
		{"1e13", 0, ErrAmountTooLarge},
		{"1e64", 0, ErrAmountTooLarge},
		{"", 0, ErrNotNumber},
		{".", 0, ErrNotNumber},
		{"-", 0, ErrNotNumber},
		{"1,5", 0, ErrNotNumber},
		{"1.2.3", 0, ErrNotNumber},
		{"1e", 0, ErrNotNumber},
		{"1e65", 0, ErrAmountTooLarge},
		{"1e400", 0, ErrAmountTooLarge},
		{"-1e99999999999999999999", 0, ErrAmountTooLarge},
		{"1e-400", 0, ErrTooManyDecimals},
		{"0e400", 0, nil},
		{"1e1.5", 0, ErrNotNumber},
		{"0x10", 0, ErrNotNumber},
		{"NaN", 0, ErrNotNumber},
		{"--1", 0, ErrNotNumber},
		{"1 000", 0, ErrNotNumber},
	} {
		got := Amount(7)
		err := got.UnmarshalText([]byte(c.text))
		if !errors.Is(err, c.err) || err == nil && got != c.want || err != nil && got != 7 {
			t.Errorf("%q is %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
}

func TestAmountWritesTheShortestFormWithADecimal(t *testing.T) {
	t.Parallel()
	for a, want := range map[Amount]string{0: "0.0", 15099: "150.99", 15000: "150.0", -6850: "-68.5", -1: "-0.01",
		5: "0.05", MaxAmount: "9999999999999.99"} {
		if a.String() != want {
			t.Errorf("%d is %s, want %s", int64(a), a, want)
		}
	}
}

func TestAmountIsTheSameAfterEveryWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		a := Amount(rapid.Int64Range(-int64(MaxAmount), int64(MaxAmount)).Draw(r, "cents"))
		var read, scanned Amount
		if err := read.UnmarshalText([]byte(a.String())); err != nil || read != a {
			r.Fatalf("%d read back is %d, %v", a, read, err)
		}
		v, err := a.Value()
		if err != nil {
			r.Fatal(err)
		}
		if err := scanned.Scan([]byte(v.(string))); err != nil || scanned != a {
			r.Fatalf("%d scanned back is %d, %v", a, scanned, err)
		}
		exact, ok := new(big.Rat).SetString(a.String())
		if !ok || exact.Cmp(big.NewRat(int64(a), 100)) != 0 {
			r.Fatalf("%d is written %s", a, a)
		}
	})
}

func TestAmountsForPeople(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]Amount{"0,00": 0, "-0,05": -5, "-58,00": -5800, "999,99": 99999,
		"1.000,00": 1000_00, "-9.999.999.999.999,99": -MaxAmount} {
		if got := a.Brazilian(); got != want {
			t.Errorf("%d is %s, want %s", a, got, want)
		}
	}
}

func TestAmountScansNumerics(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Amount{"0": 0, "12": 1200, "12.5": 1250, "-12.50": -1250,
		"9999999999999999.99": 999999999999999999} {
		var a Amount
		if err := a.Scan([]byte(text)); err != nil || a != want {
			t.Errorf("%s is %d, %v; want %d", text, a, err, want)
		}
	}
	for _, src := range []any{nil, 1.5, []byte("1.234"), []byte("NaN"), []byte("1-2")} {
		if err := new(Amount).Scan(src); err == nil {
			t.Errorf("%v is taken", src)
		}
	}
	// A sum that overflows must not become another amount.
	for _, text := range []string{"12345678901234567890.12", "92233720368547759.00", "99999999999999999.99",
		"-184467440737095517.16", "922337203685477580"} {
		if err := new(Amount).Scan([]byte(text)); !errors.Is(err, ErrAmountTooLarge) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
