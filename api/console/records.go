package console

import (
	"net/http"
	"slices"
	"strconv"
)

// record is a record on a page of its own: a transaction, an account to pay or to receive, or a sale.
type record struct {
	row
	Observation  string
	Competency   string `json:"competency_month"`
	Interest     string `json:"interest_amount"`
	Ticket       string `json:"ticket_amount"`
	Discount     string `json:"discount_amount"`
	Withheld     string `json:"withheld_tax_amount"`
	Fee          string `json:"fee_amount"`
	ExternalID   string `json:"external_id"`
	Parcel       int    `json:"current_parcel"`
	Parcels      int    `json:"number_of_parcels"`
	CreatedAt    string `json:"created_at"`
	UpdatedAt    string `json:"updated_at"`
	StatementID  int64  `json:"bank_statement_id"`
	ReconcileID  int64  `json:"reconcile_id"`
	CategoryID   int64  `json:"category_id"`
	SalesCount   int    `json:"sales_count"`
	ReceivableID int64  `json:"financial_account_id"` // of a sale
	EstimatedAt  string `json:"estimated_liquidated_at"`
	LiquidatedAt string `json:"liquidated_at"`
	Method       string `json:"payment_method"`
	Issuer       string
	OtherDeposit int64 `json:"transfer_deposit_account_id"`
	Links        []struct{ Rel, Href string }
}

// Removable reports whether the API would delete the record now.
func (r record) Removable() bool {
	return slices.ContainsFunc(r.Links, func(l struct{ Rel, Href string }) bool { return l.Rel == "destroy" })
}

// recordPage is a record, the other records of its reconcile, and its history.
type recordPage struct {
	List       string // that the record is of
	Href       string // of the page: a refused form shows it at another address
	Record     record
	Category   string
	OtherSide  figure // of a transfer, by its deposit account
	Typed      bool   // whether the transfer was typed as one, so that its sides are deleted together
	Reconciled []row
	History    *history
}

// recordOf returns the handler of the page of a record of a list.
func recordOf(list string) handler { return func(v *visit) error { return v.record(list) } }

// record shows a record of a list: its amounts, its references and its history.
func (v *visit) record(list string) error {
	p := &recordPage{List: list, Href: v.Root() + v.recordPath(list)}
	var shown map[string]record
	if _, err := v.get(v.recordPath(list), nil, &shown); err != nil {
		return err
	}
	p.Record = shown[lists[list].root]
	rows := []row{p.Record.row, {DepositID: p.Record.OtherDeposit}}
	if err := v.readNames(rows); err != nil {
		return err
	}
	p.Record.row = rows[0]
	if err := v.readOtherSide(p, rows[1].Deposit); err != nil {
		return err
	}
	categories, err := v.names("/categories", "category", []row{{ID: p.Record.CategoryID}},
		func(r row) int64 { return r.ID })
	if err != nil {
		return err
	}
	p.Category = categories[p.Record.CategoryID]
	if err := v.readReconciled(p); err != nil {
		return err
	}
	if p.History, err = v.history(list, p.Record.ID); err != nil {
		return err
	}
	return v.show(v.status(), "record", p)
}

// readOtherSide sets what the page shows of the other side of a transfer, which is in a named deposit account. A
// transfer that is no pair was typed as one.
func (v *visit) readOtherSide(p *recordPage, deposit string) error {
	r := p.Record
	if r.TransferID == nil {
		return nil
	}
	p.OtherSide = figure{Name: deposit, Href: v.At() + "/deposit_accounts/" + strconv.FormatInt(r.OtherDeposit, 10) +
		"/financial_transactions/" + strconv.FormatInt(*r.TransferID, 10)}
	var pairs []struct{}
	_, err := v.get(v.below()+"/transfers", filters("financial_transaction_id", strconv.FormatInt(r.ID, 10)), &pairs)
	p.Typed = len(pairs) == 0
	return err
}

// recordPath is the path of the record of the page in the API.
func (v *visit) recordPath(list string) string {
	of := v.below()
	if list == "financial_transactions" {
		of = v.depositPath()
	}
	return of + "/" + list + "/" + v.r.PathValue("record")
}

// readReconciled reads the other records of the reconcile of a record. The API hides it from members without the
// permission.
func (v *visit) readReconciled(p *recordPage) error {
	if p.Record.ReconcileID == 0 {
		return nil
	}
	var shown struct {
		Reconcile struct {
			Transactions []record `json:"financial_transactions"`
			Accounts     []record `json:"financial_accounts"`
		}
	}
	path := v.below() + "/reconciles/" + strconv.FormatInt(p.Record.ReconcileID, 10)
	if _, err := v.get(path, nil, &shown); err != nil {
		return err
	}
	for _, r := range slices.Concat(shown.Reconcile.Transactions, shown.Reconcile.Accounts) {
		for _, l := range r.Links {
			if l.Rel == "self" {
				r.Href = v.link(l.Href)
			}
		}
		if r.Href != p.Href {
			p.Reconciled = append(p.Reconciled, r.row)
		}
	}
	return nil
}

// movementActions are the forms of a transaction's page.
var movementActions = map[string]handler{
	"delete": act(http.MethodDelete, func(v *visit) string { return v.recordPath("financial_transactions") }, nil,
		recordOf("financial_transactions"), func(v *visit) string {
			return v.transactionsOf("deposit_account_id", v.r.PathValue("deposit_account"))
		}, "deleted"),
}
