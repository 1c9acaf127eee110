package finance

import (
	"cmp"
	"math/bits"
	"slices"
)

// Part is one part of an amount that classifications split: a fixed amount or a percentage.
type Part struct {
	By         int64 // the id of the center or of the value
	Amount     *Amount
	Percentage *Percentage
}

// Shares returns the share of each part in an amount, and the rest, which belongs to no part. A part counts its
// amount, else its percentage of the whole rounded half away from zero, but at most what the parts before it
// left. Without an amount or a percentage a part has all that is left. The shares and the rest of a negative
// amount are negative.
func Shares(whole Amount, parts []Part) (shares []Amount, rest Amount) {
	left := whole.Abs()
	for _, p := range parts {
		share := left
		switch {
		case p.Amount != nil:
			share = min(*p.Amount, left)
		case p.Percentage != nil:
			share = min(p.Percentage.Of(whole.Abs()), left)
		}
		left -= share
		shares = append(shares, signed(share, whole))
	}
	return shares, signed(left, whole)
}

// SharesOf returns the share of each part in an amount of a record, and the rest, in the proportion of their shares in
// the whole of the record; without a whole, as if it were the amount.
func SharesOf(amount, whole Amount, parts []Part) (shares []Amount, rest Amount) {
	if whole == 0 { // the parts of nothing have no proportion
		whole = amount
	}
	weights, left := Shares(whole.Abs(), parts)
	all := AllocateDifference(amount, append(weights, left))
	return all[:len(parts)], all[len(parts)]
}

// Product returns the amounts of an amount that is split in two ways, by the shares of each way: whole × row ÷
// whole × column ÷ whole, rounded down to cents; the cents left go to the largest amounts, one each, of equal
// ones to the first. The shares of each way add up to the whole.
func Product(whole Amount, rows, columns []Amount) [][]Amount {
	type cell struct {
		row, column int
		high, low   uint64 // of row × column
	}
	product := make([][]Amount, len(rows))
	var cells []cell
	left := whole.Abs()
	for i, row := range rows {
		product[i] = make([]Amount, len(columns))
		for j, column := range columns {
			high, low := bits.Mul64(uint64(row.Abs()), uint64(column.Abs()))
			if high|low == 0 {
				continue
			}
			amount, _ := bits.Div64(high, low, uint64(whole.Abs()))
			product[i][j] = signed(Amount(amount), whole)
			left -= Amount(amount)
			cells = append(cells, cell{i, j, high, low})
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(b.high, a.high), cmp.Compare(b.low, a.low))
	})
	for _, c := range cells[:min(int(left), len(cells))] {
		product[c.row][c.column] += signed(1, whole)
	}
	return product
}

// Portions returns the part of each amount in a portion of their sum: portion × amount ÷ sum, cut to cents; the cents
// left go to the largest amounts, one each, of equal ones to the first. The parts add up to the portion, which is
// between zero and the sum; each is between zero and its amount, but for that cent. Amounts of both signs are allowed.
func Portions(portion, sum Amount, amounts []Amount) []Amount {
	if portion.Abs() >= sum.Abs() {
		return slices.Clone(amounts)
	}
	parts := make([]Amount, len(amounts))
	left := portion
	for i, a := range amounts {
		high, low := bits.Mul64(uint64(a.Abs()), uint64(portion.Abs()))
		part, _ := bits.Div64(high, low, uint64(sum.Abs()))
		parts[i] = signed(Amount(part), a)
		left -= parts[i]
	}
	addCents(parts, amounts, left)
	return parts
}

// takePortion takes the first of n equal portions of the sum of amounts from them, and returns the part of each: in
// proportion, to the nearest cent. The parts add up to the portion, which has the cents that cannot be divided, and
// none is more than its amount. The amounts must not be negative.
func takePortion(amounts []Amount, n int64) (taken []Amount) {
	var sum Amount
	for _, a := range amounts {
		sum += a
	}
	portion, _ := sum.split(n)
	for i, a := range amounts {
		var part Amount
		if a > 0 {
			high, low := bits.Mul64(uint64(a), uint64(portion))
			low, carry := bits.Add64(low, uint64(sum)/2, 0)
			nearest, _ := bits.Div64(high+carry, low, uint64(sum))
			part = Amount(nearest)
		}
		taken = append(taken, part)
		amounts[i] -= part
		portion, sum = portion-part, sum-a // the next parts make up for the rounding of this one
	}
	return taken
}

// addCents adds the cents left to the parts of the largest amounts, one each; of equal ones the first counts as larger.
func addCents(parts, amounts []Amount, left Amount) {
	largest := make([]int, len(parts))
	for i := range largest {
		largest[i] = i
	}
	slices.SortStableFunc(largest, func(i, j int) int { return cmp.Compare(amounts[j].Abs(), amounts[i].Abs()) })
	for _, i := range largest[:min(int(left.Abs()), len(largest))] {
		parts[i] += signed(1, left)
	}
}

// signed returns an amount with the sign of another.
func signed(a, as Amount) Amount {
	if as < 0 {
		return -a
	}
	return a
}
