package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"bordero/finance"
)

// flowBooks are random rows as a test reads them, and the cash flow that follows from them row by row.
type flowBooks struct {
	*service
	today     finance.Date
	deposits  []depositRow
	moves     []moveRow
	accounts  []accountRow
	entityIDs []int64
}

type depositRow struct {
	id, entity, currency int64
	initial              finance.Amount
	hidden               bool
}

type moveRow struct {
	deposit  depositRow
	day      finance.Date
	amount   finance.Amount
	transfer *depositRow // of the other side
}

type accountRow struct {
	entity     int64
	receivable bool
	status     int
	due, paid  finance.Date
	owed       finance.Amount // the amount due, or the amount paid
	deposit    *int64
	hidden     bool
}

// shownBucket is a bucket of an answer.
type shownBucket struct {
	From, To         finance.Date
	Opening, Closing finance.Amount
	RealisedIn       finance.Amount `json:"realised_in"`
	RealisedOut      finance.Amount `json:"realised_out"`
	ExpectedIn       finance.Amount `json:"expected_in"`
	ExpectedOut      finance.Amount `json:"expected_out"`
	Lists            map[string]json.RawMessage
}

type shownFlow struct {
	CashFlow struct {
		Opening, Closing finance.Amount
		Buckets          []shownBucket
		Lowest           struct {
			On      finance.Date
			Closing finance.Amount
		}
		Accounts []struct {
			DepositAccountID *int64 `json:"deposit_account_id"`
			Buckets          []shownBucket
		}
		Paid struct{ In, Out finance.Amount } `json:"paid_without_transaction"`
	} `json:"cash_flow"`
}

func (b shownBucket) sums() [4]finance.Amount {
	return [4]finance.Amount{b.RealisedIn, b.RealisedOut, b.ExpectedIn, b.ExpectedOut}
}

// Every figure of a cash flow follows from the rows, and is the sum of the list at its address.
func TestCashFlowFollowsFromTheRows(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	b := newFlowBooks(t, r)
	for range 12 {
		from := b.today.AddDays(r.IntN(80) - 45)
		to := from.AddDays(r.IntN(50))
		by := finance.BucketLengths[r.IntN(3)]
		currency := int64(1)
		if r.IntN(5) == 0 {
			currency = 2
		}
		path, entities := "/cash_flow", b.entityIDs
		switch i := r.IntN(len(entities) + 2); {
		case i < len(entities):
			entities = entities[i : i+1]
			path = fmt.Sprintf("/entities/%d/cash_flow", entities[0])
		case i == len(entities):
			entities = entities[1:]
			path += "?entities=" + finance.ListIDs(entities)
		}
		b.check(t, path, entities, currency, from, to, by)
	}
}

// newFlowBooks makes books of three entities around a day.
func newFlowBooks(t *testing.T, r *rand.Rand) *flowBooks {
	t.Helper()
	b := &flowBooks{service: newServiceOn(t, "2026-03-15")}
	b.today, _ = finance.NewDate(2026, time.March, 15)
	b.entityIDs = []int64{b.EntityID, b.anotherEntity(t).ID, b.anotherEntity(t).ID}
	cents := func() finance.Amount { return finance.Amount(1 + r.IntN(90000)) }
	day := func() finance.Date { return b.today.AddDays(r.IntN(90) - 50) }
	for _, entity := range b.entityIDs {
		for i := range 4 {
			d := depositRow{entity: entity, currency: 1 + int64(i/3), initial: cents() - 40000, hidden: i == 2}
			d.id = query[int64](t, b.service, `INSERT INTO deposit_accounts (account_id, entity_id, name,
				deposit_account_type_id, currency_id, initial_balance, deleted_at) VALUES ($1, $2, $3, 1, $4, $5,
				CASE WHEN $6 THEN now() END) RETURNING id`, b.AccountID, entity, fmt.Sprint("B", i), d.currency,
				d.initial, d.hidden)
			b.deposits = append(b.deposits, d)
		}
	}
	insert := func(m moveRow) int64 {
		b.moves = append(b.moves, m)
		return query[int64](t, b.service, `WITH moved AS (UPDATE deposit_accounts SET transactions_sum =
				transactions_sum + $3, transactions_count = transactions_count + 1,
				last_transaction_date = greatest(last_transaction_date, $4) WHERE id = $2)
			INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
			VALUES ($1, $2, $3, $4, $5) RETURNING id`, b.AccountID, m.deposit.id, m.amount, m.day, m.deposit.currency)
	}
	for range 250 {
		m := moveRow{deposit: b.deposits[r.IntN(len(b.deposits))], day: day(), amount: cents()}
		if r.IntN(2) == 0 {
			m.amount = -m.amount
		}
		if r.IntN(4) > 0 {
			insert(m)
			continue
		}
		// a transfer, whose sides are up to some days apart
		i := slices.IndexFunc(b.deposits, func(d depositRow) bool {
			return d.id != m.deposit.id && d.entity == m.deposit.entity && d.currency == m.deposit.currency &&
				d.hidden == (r.IntN(3) == 0)
		})
		if i < 0 {
			continue
		}
		other := moveRow{deposit: b.deposits[i], day: m.day.AddDays(r.IntN(7) - 3), amount: -m.amount}
		m.transfer, other.transfer = &other.deposit, &m.deposit
		here, there := insert(m), insert(other)
		b.exec(t, `UPDATE financial_transactions t SET transfer_id = $1 + $2 - t.id,
				transfer_deposit_account_id = o.deposit_account_id
			FROM financial_transactions o WHERE t.id IN ($1, $2) AND o.id = $1 + $2 - t.id`, here, there)
	}
	b.makeAccounts(t, r, cents, day)
	return b
}

// makeAccounts makes accounts of all statuses, some of them below a sale account that is being deleted.
func (b *flowBooks) makeAccounts(t *testing.T, r *rand.Rand, cents func() finance.Amount, day func() finance.Date) {
	t.Helper()
	shops := map[int64]int64{}
	for _, entity := range b.entityIDs {
		shops[entity] = query[int64](t, b.service, `INSERT INTO sale_accounts (account_id, entity_id, name, provider,
			payment_methods, deleted_at) VALUES ($1, $2, 'S', 'cielo', '{credit}', now()) RETURNING id`,
			b.AccountID, entity)
	}
	for range 300 {
		a := accountRow{entity: b.entityIDs[r.IntN(len(b.entityIDs))], receivable: r.IntN(2) == 0, due: day(),
			status: 1 + max(0, r.IntN(5)-2), paid: day()}
		kind := "payable"
		var shop *int64
		if a.receivable {
			kind = "receivable"
			if a.hidden = r.IntN(6) == 0; a.hidden {
				id := shops[a.entity]
				shop = &id
			}
		}
		for _, d := range b.deposits {
			if d.entity == a.entity && r.IntN(6) == 0 {
				a.deposit = &d.id
			}
		}
		amount, fine, interest, discount := cents(), cents(), cents(), finance.Amount(r.IntN(5))
		var paid *finance.Date
		var total *finance.Amount
		if a.owed = amount + fine + interest - discount; a.status > 1 {
			paid, total = &a.paid, &a.owed
		}
		var reconcile *int64
		if a.status == 3 {
			id := query[int64](t, b.service, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES ($1, $2, $3)
				RETURNING id`, b.AccountID, a.entity, kind)
			reconcile = &id
		}
		b.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
				ticket_amount, interest_amount, discount_amount, total_amount, competency_month,
				expected_deposit_account_id, sale_account_id, reconcile_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '2026-03-01', $12, $13, $14)`, b.AccountID, a.entity,
			kind,
			a.status, a.due, paid, amount, fine, interest, discount, total, a.deposit, shop, reconcile)
		b.accounts = append(b.accounts, a)
	}
}

// flowScope selects the rows of a cash flow: of all deposit accounts of entities, or of one.
type flowScope struct {
	entities []int64
	currency int64
	deposit  **int64 // nil: all; nil within: without one
}

// opening returns the money before a day, and flow what moves on a day, row by row.
func (b *flowBooks) opening(s flowScope, from finance.Date) (sum finance.Amount) {
	for _, d := range b.deposits {
		if s.holds(d) {
			sum += d.initial
		}
	}
	for _, m := range b.moves {
		switch {
		case !s.holds(m.deposit):
		case s.deposit == nil && m.transfer != nil && !m.transfer.hidden: // both sides are inside
		case s.deposit == nil && m.transfer != nil: // the other side is being deleted, and this one soon
			sum += m.amount
		case m.day.Before(from):
			sum += m.amount
		}
	}
	for _, a := range b.accounts {
		if day, ok := b.expected(s, a); ok && day.Before(from) {
			sum += a.signed()
		}
	}
	return sum
}

func (b *flowBooks) flow(s flowScope, from, to finance.Date) (sums [4]finance.Amount) {
	within := func(d finance.Date) bool { return !d.Before(from) && !d.After(to) }
	for _, m := range b.moves {
		if s.holds(m.deposit) && within(m.day) && (s.deposit != nil || m.transfer == nil) {
			sums[out(m.amount)] += m.amount.Abs()
		}
	}
	for _, a := range b.accounts {
		if day, ok := b.expected(s, a); ok && within(day) {
			sums[2+out(a.signed())] += a.owed
		}
	}
	return sums
}

func out(amount finance.Amount) int {
	if amount < 0 {
		return 1
	}
	return 0
}

func (a accountRow) signed() finance.Amount {
	if a.receivable {
		return a.owed
	}
	return -a.owed
}

func (s flowScope) holds(d depositRow) bool {
	return !d.hidden && d.currency == s.currency && slices.Contains(s.entities, d.entity) &&
		(s.deposit == nil || *s.deposit != nil && **s.deposit == d.id)
}

// expected returns the day on which an account is expected.
func (b *flowBooks) expected(s flowScope, a accountRow) (day finance.Date, ok bool) {
	if a.status != 1 || a.hidden || s.currency != 1 || !slices.Contains(s.entities, a.entity) ||
		s.deposit != nil && !finance.SameID(*s.deposit, a.deposit) {
		return day, false
	}
	if a.due.Before(b.today) {
		return b.today, true
	}
	return a.due, true
}

// check compares a cash flow with the rows and with its lists, by day and with another length of buckets.
func (b *flowBooks) check(t *testing.T, path string, entities []int64, currency int64, from, to finance.Date,
	by string) {
	t.Helper()
	ask := func(from, to finance.Date, by string) (f shownFlow) {
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		for name, value := range map[string]string{"from": from.String(), "to": to.String(), "by": by,
			"currency_id": fmt.Sprint(currency), "by_account": "true"} {
			q.Set(name, value)
		}
		u.RawQuery = q.Encode()
		if err := json.Unmarshal([]byte(b.call(t, "GET", u.String()).want(t, 200).body), &f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	f, all := ask(from, to, by), flowScope{entities: entities, currency: currency}
	b.checkBuckets(t, f.CashFlow.Buckets, all, from, to)
	if next := ask(to.AddDays(1), to.AddDays(9), by); next.CashFlow.Opening != f.CashFlow.Closing {
		t.Errorf("%s %s..%s closes with %s, and the next opens with %s", path, from, to, f.CashFlow.Closing,
			next.CashFlow.Opening)
	}
	expected := [4]finance.Amount{}
	for _, a := range f.CashFlow.Accounts {
		b.checkBuckets(t, a.Buckets, flowScope{entities, currency, &a.DepositAccountID}, from, to)
		for _, bucket := range a.Buckets {
			expected[2] += bucket.ExpectedIn
			expected[3] += bucket.ExpectedOut
		}
	}
	if sums := b.flow(all, from, to); expected[2] != sums[2] || expected[3] != sums[3] {
		t.Errorf("%s %s..%s: the accounts expect %v, together %v", path, from, to, expected, sums)
	}
	b.checkDays(t, f, all, from, to, ask(from, to, finance.ByDay))
	var paid [2]finance.Amount
	for _, a := range b.accounts {
		if a.status == 2 && !a.hidden && currency == 1 && slices.Contains(entities, a.entity) &&
			!a.paid.Before(from) && !a.paid.After(to) {
			paid[out(a.signed())] += a.owed
		}
	}
	equal(t, [2]finance.Amount{f.CashFlow.Paid.In, f.CashFlow.Paid.Out}, paid)
}

// checkDays checks that the buckets are sums of days, and the lowest day.
func (b *flowBooks) checkDays(t *testing.T, f shownFlow, s flowScope, from, to finance.Date, days shownFlow) {
	t.Helper()
	sums := map[finance.Date][4]finance.Amount{}
	lowest := f.CashFlow.Lowest
	lowest.On = finance.Date{}
	for _, d := range days.CashFlow.Buckets {
		for _, bucket := range f.CashFlow.Buckets {
			if !d.From.Before(bucket.From) && !d.To.After(bucket.To) {
				sum := sums[bucket.From]
				for i, n := range d.sums() {
					sum[i] += n
				}
				sums[bucket.From] = sum
			}
		}
		if lowest.On.IsZero() || d.Closing < lowest.Closing {
			lowest.On, lowest.Closing = d.From, d.Closing
		}
	}
	for _, bucket := range f.CashFlow.Buckets {
		equal(t, bucket.sums(), sums[bucket.From])
	}
	if lowest != f.CashFlow.Lowest || days.CashFlow.Lowest != lowest {
		t.Errorf("%v..%v: the lowest is %v and by day %v, want %v", from, to, f.CashFlow.Lowest, days.CashFlow.Lowest,
			lowest)
	}
	if want := b.opening(s, to.AddDays(1)); f.CashFlow.Closing != want {
		t.Errorf("%v..%v closes with %v, want %v", from, to, f.CashFlow.Closing, want)
	}
}

// checkBuckets compares buckets with the rows and with the lists at their addresses.
func (b *flowBooks) checkBuckets(t *testing.T, buckets []shownBucket, s flowScope, from, to finance.Date) {
	t.Helper()
	opening, next := b.opening(s, from), from
	for _, bucket := range buckets {
		want := b.flow(s, bucket.From, bucket.To)
		if bucket.Opening != opening || bucket.sums() != want || bucket.From != next {
			t.Fatalf("%+v of %+v, want the opening %s and %v", bucket, s, opening, want)
		}
		opening += want[0] - want[1] + want[2] - want[3]
		if bucket.Closing != opening {
			t.Fatalf("%+v closes with %s, want %s", bucket, bucket.Closing, opening)
		}
		next = bucket.To.AddDays(1)
		b.checkLists(t, bucket)
	}
	equal(t, next.String(), to.AddDays(1).String())
}

func (b *flowBooks) checkLists(t *testing.T, bucket shownBucket) {
	t.Helper()
	for i, name := range []string{"realised_in", "realised_out", "expected_in", "expected_out"} {
		sum, listed := bucket.sums()[i], finance.Amount(0)
		text, there := bucket.Lists[name]
		var hrefs []string
		if there {
			var one string
			var several []struct{ Href string }
			if json.Unmarshal(text, &one) == nil {
				hrefs = []string{one}
			} else if err := json.Unmarshal(text, &several); err != nil {
				t.Fatal(err)
			}
			for _, l := range several {
				hrefs = append(hrefs, l.Href)
			}
		}
		for _, href := range hrefs {
			part := b.sumOfList(t, href)
			if listed += part; part == 0 {
				t.Errorf("the list %s is empty", href)
			}
		}
		if listed != sum || there != (sum != 0) {
			t.Errorf("%s of %s..%s is %s, its list %s: %v", name, bucket.From, bucket.To, sum, listed, hrefs)
		}
	}
}

// sumOfList returns the sum of the amounts in the list at an address: due of accounts, signed of transactions.
func (b *flowBooks) sumOfList(t *testing.T, href string) (sum finance.Amount) {
	t.Helper()
	a := b.call(t, "GET", href[len(publicURL):]+"&per_page=500").want(t, 200)
	var list []map[string]struct {
		Type     string
		Amount   finance.Amount
		Fine     finance.Amount `json:"ticket_amount"`
		Interest finance.Amount `json:"interest_amount"`
		Discount finance.Amount `json:"discount_amount"`
	}
	if err := json.Unmarshal([]byte(a.body), &list); err != nil {
		t.Fatal(err)
	}
	for _, record := range list {
		for _, r := range record {
			sum += r.Amount.Abs() + r.Fine + r.Interest - r.Discount
		}
	}
	return sum
}
