package finance

import (
	"cmp"
	"math/bits"
)

// AllocateDifference divides the difference between the received and the expected amount among sales, in
// proportion to the receivable amount of each. The parts are whole cents and sum to the
// difference. The remaining cents go to the largest sales, one each; of equal sales the first
// counts as larger. If all receivable amounts are zero, or their sum is beyond an Amount, as of ten thousand purchases
// of the largest amount in an invoice, the sales have equal weight.
//
// storage/sale_liquidation.go implements the same rule in SQL.
func AllocateDifference(difference Amount, receivable []Amount) []Amount {
	var sum Amount
	for _, r := range receivable {
		if sum += r; sum < 0 {
			sum = 0
			break
		}
	}
	weight := func(i int) Amount {
		if sum == 0 {
			return 1
		}
		return receivable[i]
	}
	parts := make([]Amount, len(receivable))
	left := difference.Abs()
	for i := range receivable {
		high, low := bits.Mul64(uint64(difference.Abs()), uint64(weight(i)))
		part, _ := bits.Div64(high, low, uint64(cmp.Or(sum, Amount(len(receivable)))))
		parts[i] = Amount(part)
		left -= parts[i]
	}
	addCents(parts, receivable, left)
	for i := range parts {
		if difference < 0 {
			parts[i] = -parts[i]
		}
	}
	return parts
}
