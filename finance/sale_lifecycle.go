package finance

import (
	"cmp"
	"math/bits"
	"slices"
)

// Spread divides what was received above, or below, what was to be received among
// the sales that it was received for, given by what each was to bring: in
// proportion, whole cents, and what is left of them to the largest, a cent each.
// The parts sum to the difference. Of sales that bring the same the first counts
// as the larger; where none brings anything all count alike.
// storage/sale_settlement.go says the same in SQL.
func Spread(difference Amount, receivable []Amount) []Amount {
	var sum Amount
	for _, r := range receivable {
		sum += r
	}
	weight := func(i int) Amount {
		if sum == 0 {
			return 1
		}
		return receivable[i]
	}
	parts, largest := make([]Amount, len(receivable)), make([]int, len(receivable))
	left := difference.Abs()
	for i := range receivable {
		high, low := bits.Mul64(uint64(difference.Abs()), uint64(weight(i)))
		part, _ := bits.Div64(high, low, uint64(cmp.Or(sum, Amount(len(receivable)))))
		parts[i], largest[i] = Amount(part), i
		left -= parts[i]
	}
	slices.SortStableFunc(largest, func(a, b int) int { return cmp.Compare(receivable[b], receivable[a]) })
	for _, i := range largest[:min(int(left), len(largest))] {
		parts[i]++
	}
	for i := range parts {
		if difference < 0 {
			parts[i] = -parts[i]
		}
	}
	return parts
}
