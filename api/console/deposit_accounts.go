package console

import (
	"net/http"
	"strconv"

	"bordero/finance"
)

// depositAccountPage has the form of a new bank account.
type depositAccountPage struct{}

// Types lists the types that a bank account may have.
func (depositAccountPage) Types() []int64 { return finance.DepositAccountTypes }

// Banks lists the banks that offer accounts.
func (depositAccountPage) Banks() []finance.Bank { return finance.Banks }

func (v *visit) newDepositAccount() error {
	return v.show(v.status(), "deposit-account", depositAccountPage{})
}

// createDepositAccount takes the form of a new bank account: 303 to its statements or, for a session that may not see
// them, to the accounts.
func (v *visit) createDepositAccount() error {
	document := map[string]any{"name": v.Sent.Get("name")}
	for _, name := range []string{"deposit_account_type_id", "bank_account_id"} {
		if text := v.Sent.Get(name); text != "" {
			document[name], _ = strconv.ParseInt(text, 10, 64) // the API refuses 0
		}
	}
	if number := v.Sent.Get("account_number"); number != "" {
		document["account_number"] = number
	}
	var made struct {
		Account named `json:"deposit_account"`
	}
	to := v.below() + "/deposit_accounts"
	if err := v.send(http.MethodPost, to, map[string]any{"deposit_account": document}, &made); err != nil {
		return v.again(err, (*visit).newDepositAccount)
	}
	if !v.Sees("financial_transactions") {
		return v.done(v.At()+"/bank_statements", "account_alone")
	}
	return v.done(v.Root()+to+"/"+strconv.FormatInt(made.Account.ID, 10)+"/bank_statements", "account")
}
