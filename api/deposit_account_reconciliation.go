package api

import (
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
)

// showDepositAccountReconciliation shows how much of a deposit account is reconciled in a period:
// 200.
func (a *API) showDepositAccountReconciliation(c *call) error {
	id := c.pathID("deposit_account_id")
	from, to, err := c.period()
	if err != nil {
		return err
	}
	r, err := a.Store.DepositAccountReconciliation(c.ctx(), c.scope(), id, from, to)
	if err != nil {
		return found(err, depositAccounts.root, id)
	}
	return c.send(rootless(c, http.StatusOK, showPeriod, r))
}

// period reads the parameters from and to, both of which are required.
func (c *call) period() (from, to finance.Date, err error) {
	if err := c.readParameters(); err != nil {
		return from, to, err
	}
	var invalid finance.Invalid
	if err := invalid.Join(c.bodyFaults()); err != nil {
		return from, to, err
	}
	from, to = c.day(&invalid, "from"), c.day(&invalid, "to")
	if invalid.Err() == nil && to.Before(from) {
		invalid.Add("to", messages.BeforeFrom)
	}
	return from, to, invalid.Err()
}

// day reads a required parameter with a day.
func (c *call) day(invalid *finance.Invalid, name string) (d finance.Date) {
	text := c.parameter(name)
	if text == "" {
		invalid.Add(name, messages.Blank)
	} else if err := d.UnmarshalText([]byte(text)); err != nil {
		invalid.Add(name, messages.NotDate)
	}
	return d
}

func showPeriod(_ *call, w *wire.Writer, r *finance.DepositAccountReconciliation) {
	wire.Date(w, "from", r.From)
	wire.Date(w, "to", r.To)
	tally := func(name string, t finance.Tally) {
		w.Object(name, func() {
			w.Int("count", t.Count)
			wire.Decimal(w, "sum", t.Sum)
		})
	}
	tally("lines", r.Lines)
	tally("reconciled", r.Reconciled)
	tally("paired", r.Paired)
	tally("left", r.Left)
}

var depositAccountReconciliationFields = openapi.Fields{
	"from":             {Doc: "The first day of the period."},
	"to":               {Doc: "The last day of the period."},
	"lines":            {Doc: "All transactions of the period."},
	"lines.count":      {Doc: "How many."},
	"lines.sum":        {Doc: "The sum of their amounts, debits negative.", Example: "-151.00"},
	"reconciled":       {Doc: "The transactions that are part of a reconcile."},
	"reconciled.count": {Doc: "How many."},
	"reconciled.sum":   {Doc: "The sum of their amounts.", Example: "-100.00"},
	"paired":           {Doc: "The transactions that are one side of a transfer, typed or paired, and not reconciled."},
	"paired.count":     {Doc: "How many."},
	"paired.sum":       {Doc: "The sum of their amounts.", Example: "-50.00"},
	"left":             {Doc: "The other transactions, which are still to be reconciled or paired."},
	"left.count":       {Doc: "How many."},
	"left.sum":         {Doc: "The sum of their amounts.", Example: "-1.00"},
}
