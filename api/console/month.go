package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bordero/finance"
)

// monthPage is an entity's month at a glance. Every figure links to the page with its records.
type monthPage struct {
	Month          time.Time
	Previous, Next string // months, as 2026-08
	Last           string // the last day
	Lists          []figure

	Accounts []depositAccount
	Pager    pager

	Flow                *cashFlow
	FlowRefused         *refusal // instead of Flow
	Payables            *dues
	PayablesRefused     *refusal
	Receivables         *dues
	ReceivablesRefused  *refusal
	Left                []figure // by deposit account
	TransactionsRefused *refusal // instead of the proofs and Left
}

// figure is a count and a sum of records, with the address of the page that lists these records.
type figure struct {
	Name   string
	Count  int
	Amount string
	Href   string

	CurrencyID int64 // 0 for that of the country
}

// depositAccount is a bank account with its balance and the last proof of it.
type depositAccount struct {
	ID         int64
	Name       string
	Archive    bool
	CurrencyID int64       `json:"currency_id"`
	Initial    finance.Sum `json:"initial_balance"`
	Balance    string      `json:"calculated_balance"`
	LastDay    string      `json:"last_transaction_date"`
	AfterToday bool        `json:"-"` // the balance contains transactions after today
	Href       string
	Proof      *balanceProof
}

// balanceProof compares the balance that the bank states with ours.
type balanceProof struct {
	ID         int64 // of the statement
	Status, On string
	Bank       string `json:"bank_balance"`
	Ours       string `json:"our_balance"`
	Difference string
	Href       string
	CurrencyID int64 `json:"-"`
}

// dues are the overdue payable or receivable accounts, and the open ones that fall due in the month.
type dues struct{ Overdue, Due figure }

// cashFlow is the money that came, went, and is expected, day by day.
type cashFlow struct {
	Opening, Closing string
	OpeningHref      string
	Lowest           struct{ On, Closing string }
	Buckets          []struct {
		From        string
		RealisedIn  string `json:"realised_in"`
		RealisedOut string `json:"realised_out"`
		ExpectedIn  string `json:"expected_in"`
		ExpectedOut string `json:"expected_out"`
		Closing     string
		Lists       map[string]string
	}
	OtherCurrencies []int64 `json:"other_currencies"`
}

// accountsShown is how many deposit accounts a page shows: each asks the API for its last proof.
const accountsShown = 20

// month shows an entity's month: the balances and their proofs, the cash flow, the overdue accounts and the
// transactions left to reconcile. In place of a part that the session has no permission for, the page says so.
func (v *visit) month() error {
	now := v.console.Now()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	if text := v.r.URL.Query().Get("month"); text != "" {
		asked, err := time.Parse("2006-01", text)
		if err != nil || asked.Year() < 1900 || asked.Year() > 2999 {
			return errNoPage
		}
		first = asked
	}
	p := &monthPage{Month: first, Previous: first.AddDate(0, -1, 0).Format("2006-01"),
		Next: first.AddDate(0, 1, 0).Format("2006-01")}
	from, to := first.Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly)
	p.Last = to
	for _, list := range []string{"financial_transactions", "payable_accounts", "receivable_accounts", "sales"} {
		if !v.Sees(list) {
			continue
		}
		query := filters(lists[list].day+"_gte", from, lists[list].day+"_lte", to)
		p.Lists = append(p.Lists, figure{Name: list, Href: v.At() + "/" + list + "?" + query.Encode()})
	}
	today, yesterday := now.Format(time.DateOnly), now.AddDate(0, 0, -1).Format(time.DateOnly)
	for _, part := range []struct {
		read    func() error
		refused **refusal
	}{
		{func() error { return v.readAccounts(p, today) }, nil},
		{func() error { return v.readToday(p, today) }, &p.TransactionsRefused},
		{func() error { return v.readProofs(p) }, &p.TransactionsRefused},
		{func() error { return v.readLeft(p, from, to) }, &p.TransactionsRefused},
		{func() (err error) { p.Flow, err = v.cashFlow(from, to); return err }, &p.FlowRefused},
		{func() (err error) { p.Payables, err = v.dues("payable", from, to, yesterday); return err },
			&p.PayablesRefused},
		{func() (err error) { p.Receivables, err = v.dues("receivable", from, to, yesterday); return err },
			&p.ReceivablesRefused},
	} {
		err := part.read()
		if no := refusedWith(err, http.StatusForbidden); no != nil && part.refused != nil {
			*part.refused = no
		} else if err != nil {
			return err
		}
	}
	return v.show(http.StatusOK, "month", p)
}

func (v *visit) readAccounts(p *monthPage, today string) error {
	var list []struct {
		Account depositAccount `json:"deposit_account"`
	}
	query := url.Values{"per_page": {strconv.Itoa(accountsShown)}, "page": {cmp.Or(v.r.URL.Query().Get("page"), "1")}}
	h, err := v.get(v.below()+"/deposit_accounts", query, &list)
	if err != nil {
		return err
	}
	for _, d := range list {
		d.Account.AfterToday = d.Account.LastDay > today
		if v.Sees("financial_transactions") {
			d.Account.Href = v.transactionsOf("deposit_account_id", strconv.FormatInt(d.Account.ID, 10))
		}
		p.Accounts = append(p.Accounts, d.Account)
	}
	p.Pager = v.pager(h)
	p.Pager.within(func(page string) string {
		return "?" + url.Values{"month": {p.Month.Format("2006-01")}, "page": {page}}.Encode()
	})
	return nil
}

// transactionsOf returns the address of the transactions with the filters.
func (v *visit) transactionsOf(pairs ...string) string {
	return v.At() + "/financial_transactions?" + filters(pairs...).Encode()
}

// readToday replaces the balances that contain transactions after today by those until today.
func (v *visit) readToday(p *monthPage, today string) error {
	for i := range p.Accounts {
		a := &p.Accounts[i]
		if !a.AfterToday {
			continue
		}
		until := []string{"deposit_account_id", strconv.FormatInt(a.ID, 10), "occurred_at_lte", today}
		t, err := v.totals("financial_transactions", filters(until...))
		if t == nil || err != nil { // one account has one currency
			return err
		}
		var moved finance.Sum
		if err := moved.UnmarshalText([]byte(t.Sum)); err != nil {
			return err
		}
		a.Balance, a.Href, a.AfterToday = string(a.Initial.Plus(moved)), v.transactionsOf(until...), false
	}
	return nil
}

func (v *visit) readProofs(p *monthPage) error {
	for i := range p.Accounts {
		var list []struct {
			Proof *balanceProof `json:"balance_proof"`
		}
		of := "/deposit_accounts/" + strconv.FormatInt(p.Accounts[i].ID, 10)
		_, err := v.get(v.below()+of+"/balance_proofs", url.Values{"per_page": {"1"}}, &list)
		if refusedWith(err, http.StatusNotFound) != nil {
			continue // deleted since it was listed
		}
		if err != nil {
			return err
		}
		if len(list) > 0 {
			p.Accounts[i].Proof = list[0].Proof
			list[0].Proof.CurrencyID = p.Accounts[i].CurrencyID
			list[0].Proof.Href = v.At() + of + "/bank_statements/" + strconv.FormatInt(list[0].Proof.ID, 10)
		}
	}
	return nil
}

func (v *visit) readLeft(p *monthPage, from, to string) error {
	month := []string{"left", "true", "occurred_at_gte", from, "occurred_at_lte", to}
	query := filters(month...)
	query.Set("group_by", "deposit_account")
	var shown struct {
		Totals []struct {
			Total struct {
				ID    int64  `json:"deposit_account_id"`
				Name  string `json:"deposit_account_name"`
				Count int
				Sum   string
			}
		}
	}
	if _, err := v.get(v.below()+"/financial_transactions/totals", query, &shown); err != nil {
		return err
	}
	if len(shown.Totals) == 0 {
		return nil
	}
	deposits, err := v.deposits()
	if err != nil {
		return err
	}
	currencies := map[int64]int64{}
	for _, d := range deposits {
		currencies[d.ID] = d.CurrencyID
	}
	for _, t := range shown.Totals {
		id := strconv.FormatInt(t.Total.ID, 10)
		p.Left = append(p.Left, figure{t.Total.Name, t.Total.Count, t.Total.Sum,
			v.transactionsOf(slices.Concat(month, []string{"deposit_account_id", id})...), currencies[t.Total.ID]})
	}
	return nil
}

func (v *visit) cashFlow(from, to string) (*cashFlow, error) {
	var shown struct {
		Flow *cashFlow `json:"cash_flow"`
	}
	_, err := v.get(v.below()+"/cash_flow", url.Values{"from": {from}, "to": {to}, "by": {"day"}}, &shown)
	if err != nil {
		return nil, err
	}
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return nil, err
	}
	// The opening links to the closing of the day before. No list of transactions has this sum: it contains expected
	// records, and leaves out the sides of transfers under way.
	before := first.AddDate(0, 0, -1)
	shown.Flow.OpeningHref = before.Format("?month=2006-01#d2006-01-02")
	for _, b := range shown.Flow.Buckets {
		for name, address := range b.Lists {
			b.Lists[name] = ""
			if v.Sees(listOf[name]) {
				b.Lists[name] = v.link(address)
			}
		}
	}
	return shown.Flow, nil
}

// listOf has the list behind each sum of a cash flow.
var listOf = map[string]string{"realised_in": "financial_transactions", "realised_out": "financial_transactions",
	"expected_in": "receivable_accounts", "expected_out": "payable_accounts"}

// dues sums the open accounts of a kind that were due until yesterday, and those due in the month.
func (v *visit) dues(kind, from, to, yesterday string) (*dues, error) {
	sum := func(pairs ...string) (figure, error) {
		query := filters(append(pairs, "status", "1")...)
		f := figure{Href: v.At() + "/" + kind + "_accounts?" + query.Encode()}
		t, err := v.totals(kind+"_accounts", query)
		if t != nil {
			f.Count, f.Amount = t.Count, t.Due
		}
		return f, err
	}
	overdue, err := sum("due_date_lte", yesterday)
	if err != nil {
		return nil, err
	}
	due, err := sum("due_date_gte", from, "due_date_lte", to)
	return &dues{overdue, due}, err
}
