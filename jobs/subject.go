package jobs

import "encoding/json"

// Subject returns the table and the id of the record that a job is about, by its arguments; zeros if they name none or
// cannot be decoded, which may be the cause of a failure.
func Subject(args string) (table string, id int64) {
	var of struct {
		BankStatementID  int64 `json:"bank_statement_id"`
		SaleAccountID    int64 `json:"sale_account_id"`
		WebhookID        int64 `json:"webhook_id"`
		DepositAccountID int64 `json:"deposit_account_id"`
		CreditCardID     int64 `json:"credit_card_id"`
		EntityID         int64 `json:"entity_id"`
		Root             string
		ID               int64
	}
	if json.Unmarshal([]byte(args), &of) != nil {
		return "", 0
	}
	switch {
	case of.BankStatementID != 0:
		return "bank_statements", of.BankStatementID
	case of.SaleAccountID != 0:
		return "sale_accounts", of.SaleAccountID
	case of.WebhookID != 0:
		return "webhooks", of.WebhookID
	case of.DepositAccountID != 0:
		return "deposit_accounts", of.DepositAccountID
	case of.CreditCardID != 0:
		return "credit_cards", of.CreditCardID
	case of.EntityID != 0:
		return "entities", of.EntityID
	}
	return of.Root, of.ID
}
