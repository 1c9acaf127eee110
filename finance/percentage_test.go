package finance

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestPercentageReadsWhatClientsSend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Percentage
		err  error
	}{
		{"2.5", 25000, nil},
		{"1.9999", 19999, nil},
		{"0.199E1", 19900, nil},
		{"-3", -30000, nil},
		{"2.50000", 25000, nil},
		{"99999.9999", 999999999, nil},
		{"1.99999", 0, ErrPercentageDecimals},
		{"100000", 0, ErrPercentageTooLarge},
		{"2,5", 0, ErrNotNumber},
		{"2%", 0, ErrNotNumber},
		{"", 0, ErrNotNumber},
	} {
		got := Percentage(7)
		err := got.UnmarshalText([]byte(c.text))
		if !errors.Is(err, c.err) || err == nil && got != c.want || err != nil && got != 7 {
			t.Errorf("%q is %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
}

func TestPercentageWritesTheShortestFormWithADecimal(t *testing.T) {
	t.Parallel()
	for p, want := range map[Percentage]string{0: "0.0", 1: "0.0001", 25000: "2.5", 100_0000: "100.0",
		-19900: "-1.99"} {
		if got := p.String(); got != want {
			t.Errorf("%d is %s, want %s", int64(p), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := Percentage(rapid.Int64Range(-999999999, 999999999).Draw(t, "percentage"))
		var again Percentage
		if err := again.UnmarshalText([]byte(p.String())); err != nil || again != p {
			t.Fatalf("%s of %d is read as %d, %v", p, int64(p), int64(again), err)
		}
		if err := again.Scan([]byte(p.String())); err != nil || again != p {
			t.Fatalf("%s of %d is kept as %d, %v", p, int64(p), int64(again), err)
		}
	})
}
