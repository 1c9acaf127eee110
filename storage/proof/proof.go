// Package proof compares balances with the balances that bank statements state, and explains the
// differences (decision 0033). It reads the records of storage, and writes only the status of proofs.
package proof

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/list"

	"github.com/lib/pq"
)

// Statement reads one statement of a deposit account of the entity with its balance proof,
// which is nil if the file states no balance. Both are of one snapshot of the database.
func Statement(ctx context.Context, s *storage.Store, scope storage.Scope, depositAccount, id int64) (
	b *finance.BankStatement,
	err error) {
	err = s.InSnapshot(ctx, func(tx *storage.Tx) error {
		if b, err = tx.BankStatement(ctx, scope, depositAccount, id); err == nil {
			b.Proof, err = OfTx(ctx, tx, b)
		}
		return err
	})
	return b, err
}

// provable are the statements b of the @account that state a balance.
const provable = `b.account_id = @account AND b.deleted_at IS NULL AND b.event_status = 'success'
	AND b.ledger_balance IS NOT NULL`

// proofsOf reads the proofs, without explanations, of the provable statements b of one deposit
// account that a condition selects, the newest day first. Our balance on the newest day is the sum
// of the transactions until that day or, if the day is nearer to the last one, the balance without
// the transactions after it. The balance on every other day is the balance on the next day without
// the transactions between, so that a page reads each transaction once.
func proofsOf(selected string) string {
	return `
	SELECT id AS bank_statement_id, bank AS bank_balance, day AS "on", balance AS our_balance,
		bank - balance AS difference,
		CASE WHEN balance IS NULL THEN 'unknown' WHEN balance = bank THEN 'agrees' ELSE 'differs' END AS status
	FROM (
		SELECT s.*, CASE WHEN day IS NOT NULL THEN sum(CASE
			WHEN next IS NOT NULL THEN -coalesce((
				SELECT sum(amount) FROM financial_transactions
				WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id AND occurred_at > day
					AND occurred_at <= next), 0)
			WHEN day - t.first < t.last - day THEN initial + coalesce((
				SELECT sum(amount) FROM financial_transactions
				WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id AND occurred_at <= day),
					0)
			ELSE initial + transactions_sum - coalesce((
				SELECT sum(amount) FROM financial_transactions
				WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id AND occurred_at > day), 0)
			END) OVER (ORDER BY day DESC NULLS LAST, id DESC) END AS balance
		FROM (
			SELECT b.id, b.account_id, b.deposit_account_id, b.ledger_balance AS bank, b.ledger_balance_on AS day,
				lag(b.ledger_balance_on) OVER (ORDER BY b.ledger_balance_on DESC NULLS LAST, b.id DESC) AS next,
				coalesce(d.initial_balance, 0) AS initial, d.transactions_sum
			FROM bank_statements b
			JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
				AND d.deleted_at IS NULL
			WHERE ` + provable + ` AND ` + selected + `) s,
		LATERAL (SELECT min(occurred_at) AS first, max(occurred_at) AS last FROM financial_transactions
			WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id) t) p
	ORDER BY day DESC NULLS LAST, id DESC`
}

var (
	readProof  = db.Named("balance_proofs.read", proofsOf("b.id = @statement"))
	readProofs = db.Named("balance_proofs.read_all", proofsOf("b.id = ANY(@statements)"))
)

// Of proves the balance of a statement (decision 0033); nil if the file states none, or
// before its import has succeeded. A difference is explained if possible.
func Of(ctx context.Context, q storage.Queries, b *finance.BankStatement) (*finance.BalanceProof, error) {
	p, err := compareBalance(ctx, q, b)
	if err == nil && p != nil && p.Status == finance.ProofDiffers {
		err = explain(ctx, q, b, p, limits{})
	}
	return p, err
}

// compareBalance is BalanceProof without explanations.
func compareBalance(ctx context.Context, q storage.Queries, b *finance.BankStatement) (*finance.BalanceProof, error) {
	if b.LedgerBalance == nil || b.EventStatus != finance.ImportSuccess {
		return nil, nil
	}
	p, err := db.OneNamed[finance.BalanceProof](ctx, q.DB, readProof,
		db.Args{"account": b.AccountID, "statement": b.ID})
	return &p, err
}

// List lists one page of the proofs of a deposit account of the entity, the newest day
// first, without explanations. Statements that do not say the day of their balance come last.
func List(ctx context.Context, q storage.Queries, s storage.Scope, depositAccount int64,
	l list.Query) (list.Page[finance.BalanceProof], error) {
	page, err := list.Read[int64](ctx, q.DB, l, nil, "b.id", `bank_statements b
		JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id AND d.deleted_at IS NULL
		WHERE `+provable+` AND d.entity_id = @entity AND b.deposit_account_id = @deposit_account`,
		list.By("b.id", list.DayKey("coalesce(b.ledger_balance_on, '0001-01-01')")).Down(), db.Args{
			"account": s.AccountID, "entity": s.EntityID, "deposit_account": depositAccount,
		})
	listed := list.Page[finance.BalanceProof]{Total: page.Total, Next: page.Next}
	if err != nil {
		return listed, err
	}
	listed.Items, err = db.ManyNamed[finance.BalanceProof](ctx, q.DB, readProofs,
		db.Args{"account": s.AccountID, "statements": pq.Int64Array(page.Items)})
	return listed, err
}

// Opening has the facts that decide whether the initial balance of a deposit account can follow
// from the balance that a statement states.
type Opening struct {
	First       int64        // the earliest statement, by the day of its balance
	Begins      finance.Date // the first day of the statement
	Begun       bool         // a transaction is before that day
	BeingUndone bool         // an import into the deposit account is being undone
}

var readOpening = db.Named("balance_proofs.opening", `
		SELECT s.first AS begins, NOT s.openable AS begun, (
			SELECT CASE WHEN b.ledger_balance_on = f.ledger_balance_on THEN b.id ELSE f.id END FROM bank_statements f
			WHERE f.account_id = @account AND f.deposit_account_id = @deposit_account AND f.deleted_at IS NULL
				AND f.event_status = 'success'
				AND f.ledger_balance IS NOT NULL AND f.ledger_balance_on IS NOT NULL
			ORDER BY f.ledger_balance_on, f.id LIMIT 1) AS first
		FROM bank_statements b, (`+opening+`) s
		WHERE b.account_id = @account AND b.id = @statement`)

// ReadOpening reads the opening of a statement that states a balance and its day, of a locked deposit
// account.
func ReadOpening(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) (Opening, error) {
	o, err := db.OneNamed[Opening](ctx, tx.DB, readOpening, db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "statement": b.ID,
	})
	if err == nil {
		o.BeingUndone, err = undoing(ctx, tx.Queries, b)
	}
	return o, err
}
