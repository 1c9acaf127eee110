package finance

import (
	"slices"

	"bordero/internal/messages"
)

// The lengths of the buckets of a cash flow.
const (
	ByDay   = "day"
	ByWeek  = "week" // from Monday
	ByMonth = "month"
)

// BucketLengths lists the lengths of the buckets of a cash flow, the shortest first.
var BucketLengths = []string{ByDay, ByWeek, ByMonth}

// MaxBuckets is the maximum number of buckets of a cash flow.
const MaxBuckets = 400

// MaxAccountBuckets is the maximum number of buckets of all deposit accounts of a cash flow by account.
const MaxAccountBuckets = 100_000

// CashFlowQuery has the parameters of a cash flow. From and To are included.
type CashFlowQuery struct {
	From, To   Date
	By         string // of BucketLengths
	CurrencyID int64
	ByAccount  bool
	Today      Date // the day on which overdue accounts are expected
}

// CashFlow is the money of deposit accounts in one currency, realised and expected, in buckets of
// days (OpenAPI: CashFlow).
type CashFlow struct {
	CashFlowQuery
	Opening, Closing Sum
	Buckets          []CashFlowBucket
	Lowest           LowestClosing
	Accounts         []DepositAccountCashFlow // nil unless ByAccount
	// OtherCurrencies are the currencies of deposit accounts that are left out.
	OtherCurrencies []int64
	// PaidWithoutTransaction are the accounts that were paid or received in the period and are not
	// reconciled with a transaction.
	PaidWithoutTransaction InOut
}

// DepositAccountCashFlow is the part of one deposit account in a cash flow, its transfers included.
type DepositAccountCashFlow struct {
	DepositAccountID   *int64  // nil: money that no deposit account expects
	DepositAccountName *string // nil also of one that is being deleted
	Opening            Sum
	Buckets            []CashFlowBucket
}

// LowestClosing is the earliest of the days of a cash flow that end with the least money.
type LowestClosing struct {
	On      Date
	Closing Sum
}

// InOut is money that came in and went out. Both are positive.
type InOut struct{ In, Out Sum }

// Flow is money that comes in and goes out. All sums are positive.
type Flow struct {
	RealisedIn, RealisedOut Sum // transactions
	ExpectedIn, ExpectedOut Sum // open accounts
}

// EntityFlow is the flow of one entity.
type EntityFlow struct {
	EntityID int64
	Flow
}

// DayFlow is the flow of one day.
type DayFlow struct {
	Day Date
	Flow
}

// CashFlowBucket is the flow from the day From to the day To, both included. Closing is Opening
// with its Flow, and the Opening of the next bucket.
type CashFlowBucket struct {
	From, To Date
	Opening  Sum
	Flow
	Closing  Sum
	Entities []EntityFlow // the parts of its Flow, by entity
}

// Plus returns the sums of both flows.
func (f Flow) Plus(g Flow) Flow {
	return Flow{
		RealisedIn: f.RealisedIn.Plus(g.RealisedIn), RealisedOut: f.RealisedOut.Plus(g.RealisedOut),
		ExpectedIn: f.ExpectedIn.Plus(g.ExpectedIn), ExpectedOut: f.ExpectedOut.Plus(g.ExpectedOut),
	}
}

// Net returns the money that comes in less the money that goes out.
func (f Flow) Net() Sum {
	return f.RealisedIn.Plus(f.ExpectedIn).Minus(f.RealisedOut).Minus(f.ExpectedOut)
}

// Validate refuses days that are none, To before From, another By, an unknown currency, and more than
// MaxBuckets buckets.
func (q *CashFlowQuery) Validate() error {
	var invalid Invalid
	validateDate(&invalid, "from", &q.From)
	validateDate(&invalid, "to", &q.To)
	if !slices.Contains(BucketLengths, q.By) {
		invalid.Add("by", messages.NotOneOf(BucketLengths))
	}
	if !slices.ContainsFunc(Currencies, func(c Currency) bool { return c.ID == q.CurrencyID }) {
		invalid.Add("currency_id", messages.NotExisting)
	}
	switch {
	case q.From.IsZero() || q.To.IsZero():
	case q.To.Before(q.From):
		invalid.Add("to", messages.BeforeFrom)
	case slices.Contains(BucketLengths, q.By) && q.count() > MaxBuckets:
		invalid.Add("by", q.tooMany())
	}
	return invalid.Err()
}

// RefuseAccounts refuses a cash flow by account with so many deposit accounts that they have more than
// MaxAccountBuckets buckets.
func (q *CashFlowQuery) RefuseAccounts(accounts int) error {
	if all := accounts * q.count(); all > MaxAccountBuckets {
		return Refuse("by_account", messages.TooManyOfAccounts.With(all, q.count(), accounts, MaxAccountBuckets))
	}
	return nil
}

// tooMany returns the refusal of the buckets, with the shortest length of buckets that fits.
func (q *CashFlowQuery) tooMany() *messages.Fault {
	for _, by := range BucketLengths {
		longer := CashFlowQuery{From: q.From, To: q.To, By: by}
		if longer.count() <= MaxBuckets {
			return messages.TooManyBuckets.With(q.count(), MaxBuckets, by)
		}
	}
	return messages.TooManyOfAll.With(q.count(), MaxBuckets)
}

// count returns the number of buckets.
func (q *CashFlowQuery) count() int {
	switch q.By {
	case ByMonth:
		return MonthOf(q.To).Since(MonthOf(q.From)) + 1
	case ByWeek:
		return (q.To.DaysSince(q.From.AddDays(-sinceMonday(q.From))))/7 + 1
	}
	return q.To.DaysSince(q.From) + 1
}

// sinceMonday returns how many days d is after a Monday.
func sinceMonday(d Date) int { return (int(d.Weekday()) + 6) % 7 }

// Buckets returns the empty buckets of the period. The first and the last are cut at its ends.
func (q *CashFlowQuery) Buckets() []CashFlowBucket {
	buckets := make([]CashFlowBucket, 0, q.count())
	for from := q.From; !from.After(q.To); {
		to := from
		switch q.By {
		case ByMonth:
			to = MonthOf(from).Day(31)
		case ByWeek:
			to = from.AddDays(6 - sinceMonday(from))
		}
		if to.After(q.To) {
			to = q.To
		}
		buckets = append(buckets, CashFlowBucket{From: from, To: to})
		from = to.AddDays(1)
	}
	return buckets
}

// Expects reports whether anything may be expected in the period or before it. Open accounts are
// due, or overdue and expected today: none is expected on a day before today.
func (q *CashFlowQuery) Expects() bool { return q.CurrencyID == BRL && !q.To.Before(q.Today) }

// DueFrom returns the first due date of the open accounts that are expected in the bucket. ok is
// false if there is none, because the bucket contains today, on which all that is overdue is expected.
func (q *CashFlowQuery) DueFrom(b *CashFlowBucket) (from Date, ok bool) {
	return b.From, b.From.After(q.Today)
}

// Carry sets the opening and closing of each bucket, from the opening of the first one, and returns the closing
// of the last one.
func Carry(opening Sum, buckets []CashFlowBucket) (closing Sum) {
	for i := range buckets {
		b := &buckets[i]
		b.Opening, b.Closing = opening, opening.Plus(b.Net())
		opening = b.Closing
	}
	return opening
}

// LowestOf returns the earliest day that ends with the least money. days are those from the day from
// on with a flow, in any order.
func LowestOf(opening Sum, from Date, days []DayFlow) LowestClosing {
	days = append([]DayFlow{{Day: from}}, days...) // the first day ends with the opening if nothing moves
	slices.SortStableFunc(days, func(a, b DayFlow) int { return a.Day.Compare(b.Day) })
	var lowest LowestClosing
	for i, d := range days {
		opening = opening.Plus(d.Net())
		if next := i + 1; next < len(days) && days[next].Day == d.Day {
			continue
		}
		if lowest.On.IsZero() || opening.Less(lowest.Closing) {
			lowest = LowestClosing{d.Day, opening}
		}
	}
	return lowest
}
