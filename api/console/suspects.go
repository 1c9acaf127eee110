package console

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"bordero/finance"
)

// suspect is an item of a file that did not come in, although it may be a movement of its own, with the transactions
// for which it was left out.
type suspect struct {
	statementItem
	Twins []row
}

// suspectsShown is how many suspects a page shows: each asks the API for its twins.
const suspectsShown = 20

// readSuspects reads a page of the suspects of an imported file, with their twins. The parameter suspects of the
// address has the number of the page.
func (v *visit) readSuspects(p *statementPage) error {
	if p.Statement.Event.Status != finance.ImportSuccess {
		return nil
	}
	query := filters("suspect", "true")
	query.Set("per_page", strconv.Itoa(suspectsShown))
	query.Set("page", cmp.Or(v.r.URL.Query().Get("suspects"), "1"))
	items, h, err := v.items(query)
	if err != nil {
		return err
	}
	p.SuspectsPager = v.pager(h)
	p.SuspectsPager.within(func(page string) string {
		return v.StatementPage() + "?suspects=" + page + "#suspects"
	})
	for _, i := range items {
		twins, err := v.twins(i)
		if err != nil {
			return err
		}
		p.Suspects = append(p.Suspects, suspect{i, twins})
	}
	return nil
}

// twins reads the transactions that an item may be: the one that it replaces, or those of its day and amount.
func (v *visit) twins(i statementItem) ([]row, error) {
	search := filters("occurred_at_gte", i.OccurredAt, "occurred_at_lte", i.OccurredAt, "amount_equals", i.Amount)
	if i.Replaces != nil {
		search = filters("ids", strconv.FormatInt(*i.Replaces, 10))
	}
	search.Set("per_page", "5")
	return v.transactions(search)
}

// transactions reads transactions of the deposit account of the page, with their addresses.
func (v *visit) transactions(query url.Values) (rows []row, err error) {
	var list []struct {
		Transaction row `json:"financial_transaction"`
	}
	_, err = v.get(v.depositPath()+"/financial_transactions", query, &list)
	for _, t := range list {
		t.Transaction.Href = v.transactionPage(t.Transaction.ID)
		rows = append(rows, t.Transaction)
	}
	return rows, err
}

// transactionPage is the address of a transaction of the deposit account of the page.
func (v *visit) transactionPage(id int64) string {
	return v.Root() + v.depositPath() + "/financial_transactions/" + strconv.FormatInt(id, 10)
}

// OfOwn reports whether some suspect replaces no transaction: these come in together.
func (p *statementPage) OfOwn() bool {
	for _, s := range p.Suspects {
		if s.Replaces == nil {
			return true
		}
	}
	return false
}

// itemActions are the forms of an item of a statement.
var itemActions = map[string]handler{
	"import": act(http.MethodPost, func(v *visit) string {
		return v.statementPath() + "/items/" + v.r.PathValue("item") + "/import"
	}, nil, (*visit).statement, (*visit).StatementPage, "imported"),
}
