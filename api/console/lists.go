package console

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bordero/finance"
)

// total has the count and the sums of a list: Sum of transactions, Amount and Due of accounts; the others of sales.
type total struct {
	Count      int
	Sum        string
	Amount     string
	Due        string `json:"due_amount"`
	Nominal    string `json:"nominal_amount"`
	Total      string `json:"total_amount"`
	Net        string `json:"net_amount"`        // the total less the taxes
	Receivable string `json:"receivable_amount"` // the total less the fees, of priced sales alone
}

// totals reads the count and the sums of the filtered list of the entity; nil for records in several currencies.
func (v *visit) totals(list string, query url.Values) (*total, error) {
	search := url.Values{}
	for name, value := range query {
		if strings.HasPrefix(name, "search[") {
			search[name] = value
		}
	}
	var shown struct{ Totals *total }
	_, err := v.get(v.below()+"/"+list+"/totals", search, &shown)
	if refusedWith(err, http.StatusUnprocessableEntity) != nil { // the list itself was not refused
		return nil, nil
	}
	return shown.Totals, err
}

// listPage is a list of the entity.
type listPage struct {
	List    string // its name in the path
	Filters []filter
	Rows    []row
	Totals  *total
	Initial string // of deposit accounts whose transactions are listed from the first one on; else ""
	Balance string // with the transactions
	Pager   pager
	Sought  search

	currencyID int64 // of the deposit accounts of Balance; 0 without one
}

// search is the form of a list: the days and the state that are shown. Its fields are filters of the API.
type search struct {
	Day            string // the name of the day in the filters
	From, To       string
	State, StateIs string   // the name of the filter and its value
	States         []string // its values
	Others         []filter // the filters of the address that the form keeps
}

// searchOf returns the form of a list as an address fills it in.
func searchOf(k kind, query url.Values) search {
	s := search{Day: k.day, State: k.state, States: k.states}
	fields := map[string]*string{"search[" + k.day + "_gte]": &s.From, "search[" + k.day + "_lte]": &s.To,
		"search[" + k.state + "]": &s.StateIs}
	for name := range query {
		if field := fields[name]; field != nil {
			*field = query.Get(name)
		} else if name != "page" {
			s.Others = append(s.Others, filter{name, query.Get(name)})
		}
	}
	return s
}

// OtherState returns the filtered state if States, the choices of the form, do not have it. The API knows further
// states, such as 4 of sales. The form keeps such a state.
func (s search) OtherState() string {
	if slices.Contains(s.States, s.StateIs) {
		return ""
	}
	return s.StateIs
}

// Unseen lists the filters for which the form has no field.
func (p *listPage) Unseen() (of []filter) {
	for _, f := range p.Filters {
		if f.Name != p.Sought.State && f.Name != p.Sought.Day+"_gte" && f.Name != p.Sought.Day+"_lte" {
			of = append(of, f)
		}
	}
	return of
}

// CurrencyID returns the currency of the sums, which the API makes of records in one currency alone; without records,
// that of the balance.
func (p *listPage) CurrencyID() int64 {
	if len(p.Rows) == 0 {
		return p.currencyID
	}
	return p.Rows[0].CurrencyID
}

// filter is a filter of a list, as the address of the page has it.
type filter struct{ Name, Value string }

// row is a record of a list: a transaction, an account to pay or to receive, or a sale.
type row struct {
	ID          int64
	Href        string `json:"-"`
	OccurredAt  string `json:"occurred_at"`
	DueDate     string `json:"due_date"`
	Description string
	UserText    string `json:"user_description"`
	BankText    string `json:"original_description"`
	Counterpart string `json:"counterpart_name"`
	Document    string
	Amount      string
	TotalAmount string `json:"total_amount"`
	Nominal     string `json:"nominal_amount"`
	Net         string `json:"net_amount"`
	Receivable  string `json:"receivable_amount"` // "" until the sale is priced
	Status      string `json:"status_name"`
	Stage       int    `json:"status"` // of sales, which have no Status
	Reconciled  bool
	TransferID  *int64 `json:"transfer_id"`
	DepositID   int64  `json:"deposit_account_id"`
	CurrencyID  int64  `json:"currency_id"` // of transactions
	PersonID    int64  `json:"person_id"`
	Person      string `json:"-"`
	Deposit     string `json:"-"`
}

// kind is a kind of records, as the API names it: the root of a record, the filter of its day, and the filter of its
// state with its values.
type kind struct {
	root, day, state string
	states           []string
}

// lists has the lists that list shows.
var lists = map[string]kind{
	"financial_transactions": {"financial_transaction", "occurred_at", "left", []string{"true", "false"}},
	"payable_accounts":       {"payable_account", "due_date", "status", []string{"1", "2", "3"}},
	"receivable_accounts":    {"receivable_account", "due_date", "status", []string{"1", "2", "3"}},
	"sales":                  {"sale", "occurred_at", "status", []string{"0", "1", "2", "3"}},
}

// list shows a page of a list of the entity, with the sums of the whole list. The address has the filters of the API.
func (v *visit) list() error {
	p := &listPage{List: v.r.PathValue("list")}
	of, known := lists[p.List]
	if !known {
		return errNoPage
	}
	query := v.r.URL.Query()
	// The page shows it, and no later search repeats it.
	query.Del("done")
	maps.DeleteFunc(query, func(_ string, sent []string) bool { return strings.Join(sent, "") == "" }) // not filled in
	p.Sought = searchOf(of, query)
	var records []map[string]row
	h, err := v.get(v.below()+"/"+p.List, query, &records)
	if err != nil {
		return v.again(err, func(v *visit) error { return v.show(v.status(), "list", p) })
	}
	p.Pager = v.pager(h)
	for _, r := range records {
		p.Rows = append(p.Rows, r[of.root])
	}
	v.locate(p.List, p.Rows)
	if p.Totals, err = v.totals(p.List, query); err != nil {
		return err
	}
	if err := v.readNames(p.Rows); err != nil {
		return err
	}
	for name := range query {
		if of, is := strings.CutPrefix(name, "search["); is {
			p.Filters = append(p.Filters, filter{strings.TrimSuffix(of, "]"), query.Get(name)})
		}
	}
	if err := v.readBalance(p); err != nil {
		return err
	}
	if err := v.nameFilters(p.Filters); err != nil {
		return err
	}
	slices.SortFunc(p.Filters, func(a, b filter) int { return strings.Compare(a.Name, b.Name) })
	return v.show(http.StatusOK, "list", p)
}

// locate sets the addresses of the pages of rows of a list.
func (v *visit) locate(list string, rows []row) {
	for i, r := range rows {
		path := v.At()
		if list == "financial_transactions" {
			path += "/deposit_accounts/" + strconv.FormatInt(r.DepositID, 10)
		}
		rows[i].Href = path + "/" + list + "/" + strconv.FormatInt(r.ID, 10)
	}
}

// readBalance reads the initial balances that a balance has beside the transactions of the list, if the list has all
// of a deposit account, or of a currency, until some day.
func (v *visit) readBalance(p *listPage) error {
	only := map[string]string{}
	for _, f := range p.Filters {
		only[strings.TrimSuffix(f.Name, "_equals")] = f.Value
	}
	id, currency := only["deposit_account_id"], only["currency_id"]
	for _, name := range []string{"deposit_account_id", "currency_id", "occurred_at_lte"} {
		delete(only, name)
	}
	if p.List != "financial_transactions" || p.Totals == nil || len(only) > 0 || id == "" && currency == "" {
		return nil
	}
	var list []struct {
		Account struct {
			ID         int64
			CurrencyID int64       `json:"currency_id"`
			Initial    finance.Sum `json:"initial_balance"`
		} `json:"deposit_account"`
	}
	if _, err := v.get(v.below()+"/deposit_accounts", nil, &list); err != nil {
		return err
	}
	var initial, moved finance.Sum
	for _, d := range list {
		if (id == "" || strconv.FormatInt(d.Account.ID, 10) == id) &&
			(currency == "" || strconv.FormatInt(d.Account.CurrencyID, 10) == currency) {
			initial, p.currencyID = initial.Plus(d.Account.Initial), d.Account.CurrencyID
		}
	}
	err := moved.UnmarshalText([]byte(p.Totals.Sum))
	p.Initial, p.Balance = string(initial), string(initial.Plus(moved))
	return err
}

// nameFilters replaces the id of a deposit account by its name.
func (v *visit) nameFilters(all []filter) error {
	for i, f := range all {
		id, err := strconv.ParseInt(f.Value, 10, 64)
		if strings.TrimSuffix(f.Name, "_equals") != "deposit_account_id" || err != nil {
			continue
		}
		names, err := v.names(v.below()+"/deposit_accounts", "deposit_account", []row{{DepositID: id}},
			func(r row) int64 { return r.DepositID })
		if err != nil {
			return err
		}
		all[i] = filter{"deposit_account_id", names[id]}
	}
	return nil
}

// readNames reads the names of the people and deposit accounts of the rows.
func (v *visit) readNames(rows []row) error {
	people, err := v.names("/people", "person", rows, func(r row) int64 { return r.PersonID })
	if err != nil {
		return err
	}
	deposits, err := v.names(v.below()+"/deposit_accounts", "deposit_account", rows,
		func(r row) int64 { return r.DepositID })
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Person, rows[i].Deposit = people[rows[i].PersonID], deposits[rows[i].DepositID]
	}
	return nil
}

// names reads the names of records that rows refer to.
func (v *visit) names(list, root string, rows []row, of func(row) int64) (map[int64]string, error) {
	var ids []string
	for _, r := range rows {
		if id := strconv.FormatInt(of(r), 10); of(r) != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var records []map[string]named
	if _, err := v.get(list, filters("ids", strings.Join(ids, ",")), &records); err != nil {
		return nil, err
	}
	names := map[int64]string{}
	for _, r := range records {
		names[r[root].ID] = r[root].Name
	}
	return names, nil
}
