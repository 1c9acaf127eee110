package api

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/reports"
)

// showCashFlow shows the cash flow of the entity of the path or, on a path without one, of the entities that
// the user sees: 200.
func (a *API) showCashFlow(c *call) error {
	if err := c.readParameters(); err != nil {
		return err
	}
	query, invalid := c.cashFlowQuery()
	var flow *finance.CashFlow
	err := c.readReport(invalid, func(tx *storage.Tx, in reports.Scope) (err error) {
		flow, err = reports.CashFlow(c.ctx(), tx.Queries, in, query)
		return err
	})
	if err != nil {
		return err
	}
	if c.sheet != nil {
		return sendCashFlowSheet(c, flow)
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object(cashFlowRoot, func() {
			if c.entityID != 0 {
				writeCashFlow(c, w, flow, listOfEntity)
				return
			}
			writeCashFlow(c, w, flow, listsOfEntities)
		})
	}))
}

const cashFlowRoot = "cash_flow"

// cashFlowQuery reads the parameters of a cash flow.
func (c *call) cashFlowQuery() (q finance.CashFlowQuery, invalid finance.Invalid) {
	q = finance.CashFlowQuery{
		From: c.day(&invalid, "from"), To: c.day(&invalid, "to"), Today: finance.DateOf(c.api.now()),
		By: cmp.Or(c.parameter("by"), finance.ByMonth), CurrencyID: finance.BRL,
	}
	parse := func(name string, parse list.Type, set func(any)) {
		text := c.parameter(name)
		if text == "" {
			return
		}
		v, err := parse.Parse(text)
		if err != nil {
			invalid.Add(name, messages.FaultOf(err))
			return
		}
		set(v)
	}
	parse("currency_id", list.ID, func(v any) { q.CurrencyID = v.(int64) })
	parse("by_account", list.Boolean, func(v any) { q.ByAccount = v.(bool) })
	_ = invalid.Join(q.Validate()) // which returns nothing else
	return q, invalid
}

// flowList is the list whose sum is a sum of a bucket.
type flowList struct {
	name    string
	sum     func(finance.Flow) finance.Sum
	address func(entity int64) string
}

// listsWriter writes the addresses of a list in the entities with a part of its sum.
type listsWriter func(*call, *wire.Writer, *finance.CashFlowBucket, flowList)

func listOfEntity(c *call, w *wire.Writer, _ *finance.CashFlowBucket, l flowList) {
	w.String(l.name, c.url(l.address(c.entityID)))
}

func listsOfEntities(c *call, w *wire.Writer, b *finance.CashFlowBucket, l flowList) {
	var of []int64
	for _, e := range b.Entities {
		if !l.sum(e.Flow).IsZero() {
			of = append(of, e.EntityID)
		}
	}
	w.Objects(l.name, "list", len(of), func(i int) {
		w.Int("entity_id", of[i])
		w.String("href", c.url(l.address(of[i])))
	})
}

func writeCashFlow(c *call, w *wire.Writer, f *finance.CashFlow, lists listsWriter) {
	wire.Date(w, "from", f.From)
	wire.Date(w, "to", f.To)
	w.String("by", f.By)
	w.Int("currency_id", f.CurrencyID)
	wire.Decimal(w, "opening", f.Opening)
	wire.Decimal(w, "closing", f.Closing)
	w.Object("lowest", func() {
		wire.Date(w, "on", f.Lowest.On)
		wire.Decimal(w, "closing", f.Lowest.Closing)
	})
	buckets := func(all []finance.CashFlowBucket, of *finance.DepositAccountCashFlow) {
		w.Objects("buckets", "bucket", len(all), func(i int) {
			sums := listsOf(f, &all[i], of)
			writeBucket(w, &all[i])
			w.Object("lists", func() {
				for _, l := range sums {
					if !l.sum(all[i].Flow).IsZero() {
						lists(c, w, &all[i], l)
					}
				}
			})
		})
	}
	buckets(f.Buckets, nil)
	if f.ByAccount {
		w.Objects("accounts", "account", len(f.Accounts), func(i int) {
			a := &f.Accounts[i]
			writeDepositAccount(w, a)
			buckets(a.Buckets, a)
		})
	}
	w.IntArray("other_currencies", "currency_id", f.OtherCurrencies)
	w.Object("paid_without_transaction", func() {
		wire.Decimal(w, "in", f.PaidWithoutTransaction.In)
		wire.Decimal(w, "out", f.PaidWithoutTransaction.Out)
	})
}

func writeDepositAccount(w *wire.Writer, a *finance.DepositAccountCashFlow) {
	w.IntPtr("deposit_account_id", a.DepositAccountID)
	w.StringPtr("deposit_account_name", a.DepositAccountName)
}

func writeBucket(w *wire.Writer, b *finance.CashFlowBucket) {
	wire.Date(w, "from", b.From)
	wire.Date(w, "to", b.To)
	wire.Decimal(w, "opening", b.Opening)
	wire.Decimal(w, "realised_in", b.RealisedIn)
	wire.Decimal(w, "realised_out", b.RealisedOut)
	wire.Decimal(w, "expected_in", b.ExpectedIn)
	wire.Decimal(w, "expected_out", b.ExpectedOut)
	wire.Decimal(w, "closing", b.Closing)
}

// sendCashFlowSheet answers with a row for each bucket or, by account, for each bucket of each deposit account.
func sendCashFlowSheet(c *call, f *finance.CashFlow) error {
	if !f.ByAccount {
		return sendSheet(c, cashFlowRoot, f.Buckets, func(_ *call, w *wire.Writer, b *finance.CashFlowBucket) {
			writeBucket(w, b)
		})
	}
	c.unsummed = true // a transfer is in the sums of two accounts
	type row struct {
		Account finance.DepositAccountCashFlow
		Bucket  finance.CashFlowBucket
	}
	each := len(f.Buckets)
	pair := func(i int) *row {
		a := &f.Accounts[i/each]
		return &row{*a, a.Buckets[i%each]}
	}
	return sendSheetOf(c, cashFlowRoot, len(f.Accounts)*each, pair, func(_ *call, w *wire.Writer, r *row) {
		writeDepositAccount(w, &r.Account)
		writeBucket(w, &r.Bucket)
	})
}

// listsOf returns the lists of a bucket's sums: of all deposit accounts, or of one.
func listsOf(f *finance.CashFlow, b *finance.CashFlowBucket, of *finance.DepositAccountCashFlow) []flowList {
	realised := func(kind string) func(int64) string {
		filters := url.Values{}
		filter(filters, "type", kind)
		filter(filters, "occurred_at_gte", b.From.String())
		filter(filters, "occurred_at_lte", b.To.String())
		if of == nil {
			filter(filters, "currency_id", strconv.FormatInt(f.CurrencyID, 10))
			filter(filters, "transfer_id_is_null", "true")
		} else if of.DepositAccountID != nil {
			filter(filters, "deposit_account_id", strconv.FormatInt(*of.DepositAccountID, 10))
		}
		return func(entity int64) string {
			return paths.Entity(entity) + "/financial_transactions?" + filters.Encode()
		}
	}
	expected := func(kind finance.AccountKind) func(int64) string {
		filters := url.Values{}
		filter(filters, "status", strconv.Itoa(finance.Outstanding))
		if from, ok := f.DueFrom(b); ok {
			filter(filters, "due_date_gte", from.String())
		}
		filter(filters, "due_date_lte", b.To.String())
		switch {
		case of == nil:
		case of.DepositAccountID == nil:
			filter(filters, "expected_deposit_account_id_is_null", "true")
		default:
			filter(filters, "expected_deposit_account_id", strconv.FormatInt(*of.DepositAccountID, 10))
		}
		return func(entity int64) string {
			return paths.FinancialAccounts(entity, string(kind)) + "?" + filters.Encode()
		}
	}
	return []flowList{
		{"realised_in", func(f finance.Flow) finance.Sum { return f.RealisedIn }, realised(finance.Credit)},
		{"realised_out", func(f finance.Flow) finance.Sum { return f.RealisedOut }, realised(finance.Debit)},
		{"expected_in", func(f finance.Flow) finance.Sum { return f.ExpectedIn }, expected(finance.Receivable)},
		{"expected_out", func(f finance.Flow) finance.Sum { return f.ExpectedOut }, expected(finance.Payable)},
	}
}

func filter(filters url.Values, name, value string) { filters.Set("search["+name+"]", value) }

// The OpenAPI document describes two forms: with one address for each sum and, over the entities of an
// account, with an address for each entity.

func showCashFlowOfEntity(c *call, w *wire.Writer, f *finance.CashFlow) {
	writeCashFlow(c, w, withFlows(f), listOfEntity)
}

func showCashFlowOfEntities(c *call, w *wire.Writer, f *finance.CashFlow) {
	writeCashFlow(c, w, withFlows(f), listsOfEntities)
}

// withFlows gives the first bucket of each list of a sample flows, which have lists.
func withFlows(f *finance.CashFlow) *finance.CashFlow {
	f.ByAccount = f.Accounts != nil
	flow := finance.Flow{RealisedIn: "1.0", RealisedOut: "1.0", ExpectedIn: "1.0", ExpectedOut: "1.0"}
	fill := func(all []finance.CashFlowBucket) {
		if len(all) > 0 {
			all[0].Flow, all[0].Entities = flow, []finance.EntityFlow{{Flow: flow}}
		}
	}
	fill(f.Buckets)
	for _, a := range f.Accounts {
		fill(a.Buckets)
	}
	return f
}

var bucketLength = openapi.Enum{Name: "BucketLength", Values: finance.BucketLengths}

var bucketFields = openapi.Fields{
	"from":         {Doc: "The first day."},
	"to":           {Doc: "The last day."},
	"opening":      {Doc: "The money before the first day: the closing of the bucket before.", Example: "1500.0"},
	"realised_in":  {Doc: "The credits.", Example: "300.0"},
	"realised_out": {Doc: "The debits, positive.", Example: "120.5"},
	"expected_in":  {Doc: "The amounts due of open receivable accounts.", Example: "80.0"},
	"expected_out": {Doc: "The amounts due of open payable accounts.", Example: "59.9"},
	"closing":      {Doc: "`opening` with the four sums.", Example: "1699.6"},
	"lists": {Doc: "For each of the four sums that is not zero, the list whose sum it is. A list needs the " +
		"permission of its records."},
	"lists.realised_in":            {Doc: "The list of the credits.", Format: "uri"},
	"lists.realised_out":           {Doc: "The list of the debits.", Format: "uri"},
	"lists.expected_in":            {Doc: "The list of the receivable accounts.", Format: "uri"},
	"lists.expected_out":           {Doc: "The list of the payable accounts.", Format: "uri"},
	"lists.realised_in.entity_id":  {Doc: "The entity of the list."},
	"lists.realised_out.entity_id": {Doc: "The entity of the list."},
	"lists.expected_in.entity_id":  {Doc: "The entity of the list."},
	"lists.expected_out.entity_id": {Doc: "The entity of the list."},
	"lists.realised_in.href":       {Doc: "The address of the list.", Format: "uri"},
	"lists.realised_out.href":      {Doc: "The address of the list.", Format: "uri"},
	"lists.expected_in.href":       {Doc: "The address of the list.", Format: "uri"},
	"lists.expected_out.href":      {Doc: "The address of the list.", Format: "uri"},
}

var cashFlowFields = fieldsOf(below("buckets", bucketFields), below("accounts.buckets", bucketFields), openapi.Fields{
	"from":           {Doc: "The first day, as asked."},
	"to":             {Doc: "The last day, as asked."},
	"by":             {Doc: "The length of the buckets.", Enum: bucketLength},
	"currency_id":    {Doc: "The currency of all sums."},
	"opening":        {Doc: "The money before the first day.", Example: "1500.0"},
	"closing":        {Doc: "The money after the last day.", Example: "1699.6"},
	"lowest":         {Doc: "The earliest of the days that end with the least money, whatever the buckets."},
	"lowest.on":      {Doc: "The day."},
	"lowest.closing": {Doc: "The money at the end of that day.", Example: "1380.1"},
	"buckets":        {Doc: "The buckets, also those without any money, in order."},
	"accounts": {Doc: "With `by_account`, the same by deposit account, with transfers: all in the currency, then " +
		"others in which money is expected."},
	"accounts.deposit_account_id": {Doc: "The deposit account; null: the money that no deposit account expects."},
	"accounts.deposit_account_name": {
		Doc: "Its name; null without a deposit account, and of one that is being deleted."},
	"accounts.buckets": {Doc: "Its buckets, the same as above."},
	"other_currencies": {Doc: "The currencies of deposit accounts that are left out."},
	"paid_without_transaction": {Doc: "Accounts that were paid or received in the period and are not reconciled. " +
		"They are in no bucket: their money counts once it is a transaction."},
	"paid_without_transaction.in":  {Doc: "The sum received.", Example: "0.0"},
	"paid_without_transaction.out": {Doc: "The sum paid.", Example: "45.0"},
})
