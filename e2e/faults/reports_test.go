package faults

import (
	"fmt"
	"strconv"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/internal/paths"
)

func number(id int64) string { return strconv.FormatInt(id, 10) }

// The sums of an entity that its reports must show, from the rows alone. Accounts that an invoice or a sale account
// made are the sums of purchases and sales, so an income statement leaves them out.
const (
	transactionsSum = `
		SELECT coalesce(sum(t.amount), 0.00)::text FROM financial_transactions t
			JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE d.account_id = $1 AND d.entity_id = $2`
	openPayables = `
		SELECT coalesce(sum(amount), 0.00)::text FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND kind = 'payable' AND status = 1`
	earned = `
		SELECT ((SELECT coalesce(sum(CASE kind WHEN 'payable' THEN -amount ELSE amount END), 0.00)
				FROM financial_accounts
				WHERE account_id = $1 AND entity_id = $2 AND credit_card_invoice_id IS NULL AND sale_account_id IS NULL)
			+ (SELECT coalesce(sum(coalesce(receivable_amount, nominal_amount)), 0) FROM sales
				WHERE account_id = $1 AND entity_id = $2)
			- (SELECT coalesce(sum(t.amount), 0) FROM credit_card_transactions t
				JOIN credit_cards c ON c.account_id = t.account_id AND c.id = t.credit_card_id
				WHERE c.account_id = $1 AND c.entity_id = $2))::text`
)

// checkReports compares the totals, the aging and the income statement of each tenant's entity with its rows.
func (w *harness) checkReports() {
	w.t.Helper()
	for i, tenant := range w.tenants {
		c, entity := w.clients[perTenant*i], paths.Entity(tenant.Entity)
		var totals struct{ Totals struct{ Sum finance.Amount } }
		var aging struct {
			Aging struct{ Total struct{ Sum finance.Amount } }
		}
		var statement struct {
			IncomeStatement struct{ Total finance.Amount } `json:"income_statement"`
		}
		if !c.get("read totals", entity+"/financial_transactions/totals", &totals) ||
			!c.get("read an aging", entity+"/reports/aging?kind=payable", &aging) ||
			!c.get("read an income statement", entity+"/reports/income_statement?from=2026-01&to=2026-12", &statement) {
			continue
		}
		for _, sum := range []struct {
			name, query string
			shown       finance.Amount
		}{
			{"totals of transactions", transactionsSum, totals.Totals.Sum},
			{"aging of payable accounts", openPayables, aging.Aging.Total.Sum},
			{"income statement", earned, statement.IncomeStatement.Total},
		} {
			stored := e2etest.Value[string](w.t, w.DB, sum.query, tenant.ID, tenant.Entity)
			if cents(sum.shown) != stored {
				w.t.Errorf("%s of account %d: %v, want %s", sum.name, tenant.ID, sum.shown, stored)
			}
		}
	}
	w.report.line("reports\tof %d entities, compared with their rows", len(w.tenants))
}

// checkProofs compares each proof of a balance with the transactions of its deposit account.
func (w *harness) checkProofs() {
	w.t.Helper()
	compared := 0
	for i, tenant := range w.tenants {
		c := w.clients[perTenant*i]
		var accounts []struct {
			DepositAccount struct{ ID int64 } `json:"deposit_account"`
		}
		if !c.get("list deposit accounts", paths.DepositAccounts(tenant.Entity), &accounts) {
			continue
		}
		for _, a := range accounts {
			compared += c.checkProofsOf(a.DepositAccount.ID)
		}
	}
	w.report.line("proofs\t%d, compared with the transactions until their days", compared)
}

// balanceUntil is the balance of a deposit account at the end of a day.
const balanceUntil = `
	SELECT (coalesce(initial_balance, 0.00) + (SELECT coalesce(sum(amount), 0.00) FROM financial_transactions t
		WHERE t.account_id = d.account_id AND t.deposit_account_id = d.id AND t.occurred_at <= $3))::text
	FROM deposit_accounts d WHERE d.account_id = $1 AND d.id = $2`

func (c *client) checkProofsOf(account int64) (compared int) {
	c.t.Helper()
	var proofs []struct {
		Proof struct {
			ID         int64
			Status, On string
			Bank       finance.Amount  `json:"bank_balance"`
			Our        *finance.Amount `json:"our_balance"`
		} `json:"balance_proof"`
	}
	c.get("list balance proofs", paths.DepositAccount(c.tenant.Entity, account)+"/balance_proofs?per_page=500", &proofs)
	for _, one := range proofs {
		p := one.Proof
		if p.Status == "unknown" {
			continue // its file states no balance
		}
		stored := e2etest.Value[string](c.t, c.DB, balanceUntil, c.tenant.ID, account, p.On)
		if p.Our == nil || cents(*p.Our) != stored || (*p.Our == p.Bank) != (p.Status == "agrees") {
			c.t.Errorf("the proof of statement %d says %+v, the transactions until then are %s", p.ID, p, stored)
		}
		compared++
	}
	return compared
}

// checkChains checks that the hashes of each tenant's changes follow each other.
func (w *harness) checkChains() {
	w.t.Helper()
	for _, tenant := range w.tenants {
		said, stderr, err := e2etest.Command(w.t, w.Env, "changes", "verify", "--account", fmt.Sprint(tenant.ID))
		if err != nil {
			w.t.Errorf("changes of account %d: %v\n%s%s", tenant.ID, err, said, stderr)
		}
	}
}
