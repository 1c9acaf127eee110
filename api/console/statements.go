package console

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"bordero/finance"
	reader "bordero/finance/statement"
)

// bankStatement is an uploaded file, and its preview or import.
type bankStatement struct {
	ID               int64
	DepositAccountID int64  `json:"deposit_account_id"`
	File             string `json:"file_file_name"`
	Imported         int    `json:"imported_items_count"`
	PeriodStart      string `json:"period_start"`
	PeriodEnd        string `json:"period_end"`
	CreatedAt        string `json:"created_at"`
	Event            struct {
		Status, Output string
		Warnings       []struct {
			Code, Message string
			Count         int
		}
	}
	Proof *statementProof `json:"balance_proof"`
	Href  string
}

// statementProof is a proof with the explanations of its difference.
type statementProof struct {
	balanceProof
	OursHref     string `json:"-"` // of the transactions in our balance
	Explanations []struct {
		Kind, Amount string
		IDs          []int64 // of transactions
		Href         string  `json:"-"` // of their list
	}
}

// Waits reports whether a worker is still at the file.
func (b bankStatement) Waits() bool {
	return b.Event.Status == finance.ImportQueued || b.Event.Status == finance.ImportProcessing
}

// Previewed reports whether the file was read, and waits for a confirmation.
func (b bankStatement) Previewed() bool { return b.Event.Status == finance.ImportPreviewed }

// Failed reports whether the file could not be read or was not imported, so that it brought no transactions.
func (b bankStatement) Failed() bool { return b.Event.Status == finance.ImportError }

// Acceptable reports whether a preview may be imported in spite of a warning, if a person says so.
func (b bankStatement) Acceptable(code string) bool { return slices.Contains(finance.Acceptable, code) }

// Opening reports whether the first balance of the bank would explain the difference.
func (b bankStatement) Opening() bool {
	if b.Proof == nil {
		return false
	}
	for _, e := range b.Proof.Explanations {
		if e.Kind == string(finance.OpeningBalance) {
			return true
		}
	}
	return false
}

// statementsPage has the statements of a deposit account or, without one, the deposit accounts to choose from.
type statementsPage struct {
	Deposits   []named
	Deposit    *named
	Statements []bankStatement
	Pager      pager
}

// Columns lists the columns of a table that the form of an upload can name.
func (statementsPage) Columns() []string {
	return []string{"date", "description", "amount", "credit", "debit", "document", "balance"}
}

// deposits reads the deposit accounts of the entity.
func (v *visit) deposits() (all []named, err error) {
	var list []struct {
		Account named `json:"deposit_account"`
	}
	_, err = v.get(v.below()+"/deposit_accounts", nil, &list)
	for _, d := range list {
		all = append(all, d.Account)
	}
	return all, err
}

// listedStatement is a statement in a list of the API.
type listedStatement struct {
	Statement bankStatement `json:"bank_statement"`
}

// statements shows the deposit accounts of the entity, and the form of an upload.
func (v *visit) statements() error {
	deposits, err := v.deposits()
	if err != nil {
		return err
	}
	p := &statementsPage{Deposits: deposits}
	if id := v.r.PathValue("deposit_account"); id != "" {
		i := slices.IndexFunc(p.Deposits, func(d named) bool { return strconv.FormatInt(d.ID, 10) == id })
		if i < 0 {
			return errNoPage
		}
		p.Deposit = &p.Deposits[i]
		var listed []listedStatement
		h, err := v.get(v.depositPath()+"/bank_statements", v.r.URL.Query(), &listed)
		if err != nil {
			return err
		}
		for _, s := range listed {
			s.Statement.Href = v.Path() + "/" + strconv.FormatInt(s.Statement.ID, 10)
			p.Statements = append(p.Statements, s.Statement)
		}
		p.Pager = v.pager(h)
	}
	return v.show(v.status(), "statements", p)
}

// depositPath is the path of the deposit account in the API.
func (v *visit) depositPath() string {
	return v.below() + "/deposit_accounts/" + v.r.PathValue("deposit_account")
}

// statementPath is the path of the statement in the API.
func (v *visit) statementPath() string {
	return v.depositPath() + "/bank_statements/" + v.r.PathValue("bank_statement")
}

// StatementPage is the address of the statement's page.
func (v *visit) StatementPage() string { return v.Root() + v.statementPath() }

// statementPage is a statement and its items.
type statementPage struct {
	Statement bankStatement
	Version   string // the ETag
	Deposit   named
	Outcome   string // of the items that are shown; "" for all
	Items     []statementItem
	Pager     pager
	Suspects  []suspect
	History   *history

	SuspectsPager pager
}

// statementItem is an item of a file, and what became of it or, in a preview, would.
type statementItem struct {
	ID          int64
	Line        int
	OccurredAt  string `json:"occurred_at"`
	Amount      string
	Description string
	Outcome     string
	Suspect     bool
	Replaces    *int64
	Folded      bool   `json:"texts_removed"`
	Transaction *int64 `json:"financial_transaction_id"`
	Href        string `json:"-"` // of the transaction
}

// Outcomes lists the outcomes that items may have.
func (statementPage) Outcomes() []reader.Outcome { return reader.Outcomes }

// statement shows a file: how far its preview or import is, what it brought, and whether the balances agree.
func (v *visit) statement() error {
	var shown struct {
		Statement bankStatement `json:"bank_statement"`
	}
	h, err := v.get(v.statementPath(), nil, &shown)
	if err != nil {
		return err
	}
	p := &statementPage{Statement: shown.Statement, Version: h.Get("ETag")}
	v.linkProof(p.Statement.Proof)
	var of struct {
		Deposit named `json:"deposit_account"`
	}
	if _, err := v.get(v.depositPath(), nil, &of); err != nil {
		return err
	}
	p.Deposit = of.Deposit
	if p.Statement.Proof != nil {
		p.Statement.Proof.CurrencyID = of.Deposit.CurrencyID
	}
	if p.Statement.Waits() { // the page is read again and again until the file is done
		return v.show(v.status(), "statement", p)
	}
	if err := v.readItems(p); err != nil {
		return err
	}
	if err := v.readSuspects(p); err != nil {
		return err
	}
	if p.History, err = v.history("bank_statements", p.Statement.ID); err != nil {
		return err
	}
	return v.show(v.status(), "statement", p)
}

// readItems reads the items that the address of the page asks for.
func (v *visit) readItems(p *statementPage) error {
	query := url.Values{}
	for _, name := range []string{"page", "per_page", "search[outcome]", "search[suspect]"} {
		if text := v.r.URL.Query().Get(name); text != "" {
			query.Set(name, text)
		}
	}
	p.Outcome = query.Get("search[outcome]")
	items, h, err := v.items(query)
	if err != nil {
		return err
	}
	for i := range items {
		if of := items[i].Transaction; of != nil {
			items[i].Href = v.transactionPage(*of)
		}
	}
	p.Items = items
	p.Pager = v.pager(h)
	for _, page := range []*string{&p.Pager.Previous, &p.Pager.Next} { // the items are on this page
		*page = strings.Replace(*page, "/items?", "?", 1)
	}
	return nil
}

// items reads items of the statement, and returns them with the headers.
func (v *visit) items(query url.Values) (items []statementItem, h http.Header, err error) {
	var list []struct {
		Item statementItem `json:"bank_statement_item"`
	}
	h, err = v.get(v.statementPath()+"/items", query, &list)
	for _, i := range list {
		items = append(items, i.Item)
	}
	return items, h, err
}

// mostIDs is the most ids in a filter of the API. Its OpenAPI document states it.
const mostIDs = 500

// linkProof sets the addresses of the lists behind the figures of a proof. A sum of more transactions than a list can
// name has no address.
func (v *visit) linkProof(p *statementProof) {
	if p == nil {
		return
	}
	if p.On != "" {
		p.OursHref = v.transactionsOf("deposit_account_id", v.r.PathValue("deposit_account"), "occurred_at_lte", p.On)
	}
	for i := range p.Explanations {
		e := &p.Explanations[i]
		if len(e.IDs) == 0 || len(e.IDs) > mostIDs {
			continue
		}
		var ids []string
		for _, id := range e.IDs {
			ids = append(ids, strconv.FormatInt(id, 10))
		}
		e.Href = v.transactionsOf("ids", strings.Join(ids, ","))
	}
}

// act returns the handler of a form that asks the API to act on the record of a path: 303 to a page of the console.
func act(method string, of func(*visit) string, document func(*visit) any, show handler, to func(*visit) string,
	what string) handler {
	return func(v *visit) error {
		var sent any
		if document != nil {
			sent = document(v)
		}
		if err := v.send(method, of(v), sent, nil); err != nil {
			return v.again(err, show)
		}
		return v.done(to(v), what)
	}
}

// statementActions are the forms of a statement's page, by the end of their path.
var statementActions = map[string]handler{
	"confirm": act(http.MethodPost, func(v *visit) string { return v.statementPath() + "/confirm" },
		func(v *visit) any { return map[string]any{"accept": v.Sent["accept"]} },
		(*visit).statement, (*visit).StatementPage, "confirmed"),
	"opening_balance": act(http.MethodPost, func(v *visit) string { return v.statementPath() + "/opening_balance" },
		nil, (*visit).statement, (*visit).StatementPage, "opened"),
	"import_suspects": act(http.MethodPost, func(v *visit) string { return v.statementPath() + "/import_suspects" },
		nil, (*visit).statement, (*visit).StatementPage, "imported"),
	"delete": act(http.MethodDelete, (*visit).statementPath, nil, (*visit).statement,
		func(v *visit) string { return v.Root() + v.depositPath() + "/bank_statements" }, "deleted"),
}

// routesOf adds the forms of a page to the routes. A browser that reads their address again is sent to the page.
func routesOf(all map[string]handler, page string, actions map[string]handler) {
	for name, h := range actions {
		all[post+page+"/"+name] = h
		all[get+page+"/"+name] = func(v *visit) error { return v.done(path.Dir(v.Path()), "") }
	}
}
