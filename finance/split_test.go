package finance

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSharesOfASplit(t *testing.T) {
	t.Parallel()
	fixed := func(a Amount) Part { return Part{Amount: &a} }
	percent := func(p Percentage) Part { return Part{Percentage: &p} }
	for name, c := range map[string]struct {
		whole Amount
		parts []Part
		want  []Amount
		rest  Amount
	}{
		"no part":                       {100, nil, nil, 100},
		"amounts":                       {1000, []Part{fixed(300), fixed(500)}, []Amount{300, 500}, 200},
		"cut to what is left, in order": {1000, []Part{fixed(800), fixed(500), fixed(1)}, []Amount{800, 200, 0}, 0},
		"percentages of the whole":      {1001, []Part{percent(50_0000), percent(25_0000)}, []Amount{501, 250}, 250},
		"half a cent away from zero":    {5, []Part{percent(50_0000), percent(50_0000)}, []Amount{3, 2}, 0},
		"thirds leave a cent":           {100, slices.Repeat([]Part{percent(33_3333)}, 3), []Amount{33, 33, 33}, 1},
		"of a refund":                   {-1000, []Part{fixed(300), percent(50_0000)}, []Amount{-300, -500}, -200},
		"of nothing":                    {0, []Part{fixed(300), percent(50_0000)}, []Amount{0, 0}, 0},
		"neither: all that is left":     {1000, []Part{fixed(300), {}}, []Amount{300, 700}, 0},
	} {
		got, rest := Shares(c.whole, c.parts)
		if !slices.Equal(got, c.want) || rest != c.rest {
			t.Errorf("%s: %v and %d, want %v and %d", name, got, rest, c.want, c.rest)
		}
	}
}

func TestProductOfTwoSplits(t *testing.T) {
	t.Parallel()
	got := Product(1000, []Amount{333, 667}, []Amount{500, 500})
	want := [][]Amount{{166, 166}, {334, 334}}
	// 166.5, 166.5, 333.5 and 333.5: the two cents go to the two largest.
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Product(0, []Amount{0, 0}, []Amount{0}); !slices.EqualFunc(got, [][]Amount{{0}, {0}}, slices.Equal) {
		t.Errorf("of nothing: %v", got)
	}
}

// Each cent is in one group: shares and rest add up to the whole, and so does the product of two splits.
func TestSplitsAddUp(t *testing.T) {
	t.Parallel()
	sum := func(all []Amount) (s Amount) {
		for _, a := range all {
			s += a
		}
		return s
	}
	parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Part {
		if rapid.Bool().Draw(t, "fixed") {
			a := Amount(rapid.Int64Range(0, 100_000).Draw(t, "amount"))
			return Part{Amount: &a}
		}
		p := Percentage(rapid.Int64Range(0, int64(Hundred)).Draw(t, "percentage"))
		return Part{Percentage: &p}
	}), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		whole := Amount(rapid.OneOf(rapid.Int64Range(-200_000, 200_000),
			rapid.Int64Range(-int64(MaxAmount), int64(MaxAmount))).Draw(t, "whole"))
		split := func(name string) []Amount {
			shares, rest := Shares(whole, parts.Draw(t, name))
			all := append(shares, rest)
			if sum(all) != whole {
				t.Fatalf("%v of %d add up to %d", all, whole, sum(all))
			}
			return all
		}
		rows, columns := split("rows"), split("columns")
		var total Amount
		for i, row := range Product(whole, rows, columns) {
			total += sum(row)
			if off := sum(row) - rows[i]; off.Abs() > Amount(len(columns)) {
				t.Fatalf("row %d: %v, of a share of %d", i, row, rows[i])
			}
		}
		if total != whole {
			t.Fatalf("%v × %v add up to %d of %d", rows, columns, total, whole)
		}
	})
}
