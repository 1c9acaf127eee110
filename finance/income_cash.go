package finance

import "iter"

// PaidReconcile is a reconcile, or some accounts of one of a single month, as an income statement by cash divides it
// (OpenAPI: IncomeStatement, decision 0043).
type PaidReconcile struct {
	EntityID int64
	Month    *Month       // of all transactions; nil: Months has the transactions, and Accounts all accounts
	Months   PaidMonths   // in their order
	Accounts PaidAccounts // in the order of ids
}

// PaidMonths are the sums of the transactions of a reconcile by month.
type PaidMonths []PaidMonth

// PaidMonth is the sum of the transactions of a month.
type PaidMonth struct {
	Month  Month
	Amount stored // with its sign
}

// stored is an amount that is read as JSON. The sum of a month, or of a day's sales, may have more digits than
// UnmarshalText of an Amount accepts from a client.
type stored Amount

func (s *stored) UnmarshalText(text []byte) error { return (*Amount)(s).Scan(text) }

// Scan implements sql.Scanner for a JSON list of sums.
func (m *PaidMonths) Scan(src any) error { return scanJSON(src, m) }

// PaidAccounts are accounts of a PaidReconcile.
type PaidAccounts []PaidAccount

// Scan implements sql.Scanner for a JSON list of accounts.
func (a *PaidAccounts) Scan(src any) error { return scanJSON(src, a) }

// PaidAccount is a payable or receivable account with the purchases of its invoice or with its sales.
type PaidAccount struct {
	PaidRecord
	Kind      AccountKind
	Total     stored // that was paid or received
	Interest  Amount
	Fine      Amount
	Discount  Amount
	Withheld  Amount
	Fee       Amount
	Purchases []PaidRecord // in the order of ids
	Sales     []PaidRecord // in the order of ids
}

// PaidRecord is an account, a purchase or a sale in a PaidAccount.
type PaidRecord struct {
	CategoryID             int64                 `json:"category_id"`
	Amount                 stored                // of a sale the total
	Receivable             Amount                // of a sale
	ClassificationCenterID int64                 `json:"classification_center_id"`
	CenterClassifications  CenterClassifications `json:"center_classifications"`
	CustomClassifications  CustomClassifications `json:"custom_classifications"`
}

// IncomeNarrowing narrows an income statement to a center or, with a ClassifierID, to a value of that classifier.
type IncomeNarrowing struct{ ClassifierID, ID int64 }

// paidPart is a part of the sum of a reconcile. Expenses are negative.
type paidPart struct {
	category int64
	kind     string
	family   Family
	amount   Amount
	of       *PaidRecord
}

// Entries divides the sums of the transactions of each month among the parts of the accounts, in proportion, and yields
// the shares of the months from one to another. Up to the end of a month a part has its share of all sums so far
// (Portions): no month and no part loses a cent. With narrow, only the shares of its center or value are entries.
func (r *PaidReconcile) Entries(from, to Month, narrow *IncomeNarrowing) iter.Seq[IncomeEntry] {
	return func(yield func(IncomeEntry) bool) {
		var parts []paidPart
		for i := range r.Accounts {
			parts = append(parts, r.Accounts[i].parts()...)
		}
		var whole, upToNow Amount
		amounts, before := make([]Amount, len(parts)), make([]Amount, len(parts))
		for i, p := range parts {
			amounts[i] = p.amount
			whole += p.amount
		}
		months := r.Months
		if r.Month != nil {
			months = PaidMonths{{*r.Month, stored(whole)}}
		}
		for len(months) > 0 && months[0].Month.Before(from) {
			upToNow, before, months = upToNow+Amount(months[0].Amount), nil, months[1:]
		}
		if before == nil {
			before = Portions(upToNow, whole, amounts)
		}
		for _, m := range months {
			if to.Before(m.Month) {
				return
			}
			upToNow += Amount(m.Amount)
			upTo := Portions(upToNow, whole, amounts)
			for i, p := range parts {
				amount := narrow.share(p.of, upTo[i]) - narrow.share(p.of, before[i])
				if amount != 0 && !yield(IncomeEntry{p.category, p.kind, m.Month,
					IncomeList{r.EntityID, p.family, Sum(amount.String())}}) {
					return
				}
			}
			before = upTo
		}
	}
}

// parts returns the parts of the total of an account.
func (a *PaidAccount) parts() (parts []paidPart) {
	own, sign := ReceivableAccountsFamily, Amount(1)
	if a.Kind == Payable {
		own, sign = PayableAccountsFamily, -1
	}
	rest := sign * Amount(a.Total)
	adjust := func(kind string, amount Amount) {
		if amount != 0 {
			parts = append(parts, paidPart{kind: kind, family: own, amount: amount, of: &a.PaidRecord})
			rest -= amount
		}
	}
	adjust(InterestRow, sign*a.Interest)
	adjust(FinesRow, sign*a.Fine)
	adjust(DiscountsRow, -sign*a.Discount)
	adjust(WithheldTaxRow, -sign*a.Withheld)
	adjust(FeesRow, -a.Fee) // an expense of both kinds
	switch {
	case len(a.Sales) > 0:
		return append(parts, salesParts(rest, a.Sales)...)
	case len(a.Purchases) > 0:
		return append(parts, purchaseParts(rest, a.Purchases)...)
	}
	return append(parts, paidPart{a.CategoryID, CategoryRow, own, rest, &a.PaidRecord})
}

// salesParts divides an amount among sales: each has its total less its fee, and a share of the difference.
func salesParts(amount Amount, sales []PaidRecord) (parts []paidPart) {
	weights := make([]Amount, len(sales))
	for i, s := range sales {
		weights[i] = s.Receivable
		amount -= s.Receivable
	}
	for i, difference := range AllocateDifference(amount, weights) {
		s := &sales[i]
		parts = append(parts, paidPart{s.CategoryID, CategoryRow, SalesFamily, Amount(s.Amount) + difference, s},
			paidPart{0, CardFeesRow, SalesFamily, s.Receivable - Amount(s.Amount), s})
	}
	return parts
}

// purchaseParts divides an amount, which is negative, among purchases: each has its amount and a share of the
// difference.
func purchaseParts(amount Amount, purchases []PaidRecord) (parts []paidPart) {
	weights := make([]Amount, len(purchases))
	for i, p := range purchases {
		weights[i] = Amount(p.Amount).Abs() // a refund is negative
		amount += Amount(p.Amount)
	}
	for i, difference := range AllocateDifference(amount, weights) {
		p := &purchases[i]
		parts = append(parts,
			paidPart{p.CategoryID, CategoryRow, CardTransactionsFamily, difference - Amount(p.Amount), p})
	}
	return parts
}

// share returns the share of a center or value in an amount of a record, as SharesOf divides it by the record's own
// amount. It is the whole amount for nil.
func (n *IncomeNarrowing) share(r *PaidRecord, amount Amount) (share Amount) {
	if n == nil {
		return amount
	}
	parts := r.split(n.ClassifierID)
	shares, _ := SharesOf(amount, Amount(r.Amount), parts)
	for i, part := range parts {
		if part.By == n.ID {
			share += shares[i]
		}
	}
	return share
}

// split returns the parts of a record by a classifier's values, or by centers for 0.
func (r *PaidRecord) split(classifier int64) (parts []Part) {
	if classifier != 0 {
		for _, c := range r.CustomClassifications {
			if c.CustomClassifierID == classifier {
				parts = append(parts, Part{c.ValueID, c.Amount, c.Percentage})
			}
		}
		return parts
	}
	for _, c := range r.CenterClassifications {
		parts = append(parts, Part{c.ClassificationCenterID, c.Amount, c.Percentage})
	}
	if len(parts) == 0 && r.ClassificationCenterID != 0 {
		parts = append(parts, Part{By: r.ClassificationCenterID})
	}
	return parts
}
