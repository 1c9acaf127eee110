package storage

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/messages"
)

const depositAccountColumns = `id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at`

var depositAccountFilters = map[string]filter{
	"deposit_account_type_id": {"deposit_account_type_id = ?", integer},
	"bank_account_id":         {"bank_account_id = ?", integer},
	"name":                    {"name = ?", text},
	"name_contains":           {"fold(name) LIKE fold(?)", containing},
	"updated_at_gte":          changedSince,
}

// DepositAccounts lists the deposit accounts of the entity, by name as people
// sort it.
func (q Queries) DepositAccounts(ctx context.Context, s Scope, l List) (Listed[finance.DepositAccount], error) {
	return list[finance.DepositAccount](ctx, q.q, l, depositAccountFilters, depositAccountColumns,
		`deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL`, "fold(name), id", s.AccountID, s.EntityID)
}

// DepositAccount reads one deposit account of the entity.
func (q Queries) DepositAccount(ctx context.Context, s Scope, id int64) (*finance.DepositAccount, error) {
	d, err := one[finance.DepositAccount](ctx, q.q, `SELECT `+depositAccountColumns+`
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL`, s.AccountID, s.EntityID, id)
	return &d, err
}

// LockDepositAccount reads one deposit account of the entity to change it.
func (tx *Tx) LockDepositAccount(ctx context.Context, s Scope, id int64) (*finance.DepositAccount, error) {
	d, err := one[finance.DepositAccount](ctx, tx.q, `SELECT `+depositAccountColumns+`
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL FOR NO KEY UPDATE`, s.AccountID, s.EntityID, id)
	return &d, err
}

// LockDepositAccountToRemove is LockDepositAccount for one that goes. It waits for
// who writes below it before it holds anything: they settle the balance at the end.
func (tx *Tx) LockDepositAccountToRemove(ctx context.Context, s Scope, id int64) (*finance.DepositAccount, error) {
	d, err := one[finance.DepositAccount](ctx, tx.q, `SELECT `+depositAccountColumns+`
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL FOR UPDATE`, s.AccountID, s.EntityID, id)
	return &d, err
}

// ReconciledBeyond reports whether a transaction of an account that was locked, or the
// other side of a transfer, is reconciled with accounts of a kind that the user may
// not see.
func (tx *Tx) ReconciledBeyond(ctx context.Context, a finance.Access, d *finance.DepositAccount) (bool, error) {
	if a.Allows(finance.PayableAccounts) && a.Allows(finance.ReceivableAccounts) {
		return false, nil // without a look at all transactions
	}
	return one[bool](ctx, tx.q, `
		SELECT EXISTS (
			SELECT FROM financial_transactions t
			LEFT JOIN financial_transactions o ON o.account_id = t.account_id AND o.id = t.transfer_id
			JOIN reconciles r ON r.account_id = t.account_id AND r.id IN (t.reconcile_id, o.reconcile_id)
			WHERE t.account_id = $1 AND t.deposit_account_id = $2 AND r.kind || '_accounts' = ANY($3))`,
		d.AccountID, d.ID, a.Denied)
}

// HoldDepositAccount holds a deposit account of the entity against its deletion
// until the transaction ends, for what is written below it.
func (tx *Tx) HoldDepositAccount(ctx context.Context, s Scope, id int64) error {
	_, err := one[int64](ctx, tx.q, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL FOR KEY SHARE`, s.AccountID, s.EntityID, id)
	return err
}

// InsertDepositAccount keeps a new account and completes it with what the
// database gave.
func (tx *Tx) InsertDepositAccount(ctx context.Context, d *finance.DepositAccount) (err error) {
	*d, err = one[finance.DepositAccount](ctx, tx.q, `
		INSERT INTO deposit_accounts (account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
			account_number, initial_balance, force_destroy, archived_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING `+depositAccountColumns,
		d.AccountID, d.EntityID, d.Name, d.Description, d.DepositAccountTypeID, d.BankAccountID, d.CurrencyID,
		d.AccountNumber, d.InitialBalance, d.ForceDestroy, d.ArchivedAt)
	return err
}

// UpdateDepositAccount keeps what has changed of an account. Its balance follows
// from the initial one and its transactions. Once it has one, an import or a session,
// another currency is a finance.Invalid, and so is another type while its register is
// open.
func (tx *Tx) UpdateDepositAccount(ctx context.Context, d *finance.DepositAccount) error {
	fixed, err := one[struct{ Changes, Currency, Type bool }](ctx, tx.q, `
		SELECT currency_id <> $3 AS changes, currency_id <> $3 AND (transactions_count > 0
				OR EXISTS (SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL)
				OR EXISTS (SELECT FROM register_sessions r WHERE r.account_id = $1 AND r.deposit_account_id = $2)) AS currency,
			deposit_account_type_id IS DISTINCT FROM $4 AND EXISTS (
				SELECT FROM register_sessions r WHERE r.account_id = $1 AND r.deposit_account_id = $2 AND r.closed_at IS NULL) AS type
		FROM deposit_accounts WHERE account_id = $1 AND id = $2`, d.AccountID, d.ID, d.CurrencyID, d.DepositAccountTypeID)
	if err != nil {
		return err
	}
	var invalid finance.Invalid
	if fixed.Currency {
		invalid.Add("currency", messages.CurrencyFixed)
	}
	if fixed.Type {
		invalid.Add("deposit_account_type", messages.TypeFixed)
	}
	if err := invalid.Err(); err != nil {
		return err
	}
	if fixed.Changes {
		// A transaction that is being written below the account has the old currency, and
		// will wait for this one to settle the balance: to wait for it here is a deadlock.
		_, err := one[int64](ctx, tx.q, `SELECT id FROM deposit_accounts WHERE account_id = $1 AND id = $2 FOR UPDATE NOWAIT`, d.AccountID, d.ID)
		if locked(err) {
			return finance.Refuse("currency", messages.CurrencyFixed)
		}
		if err != nil {
			return err
		}
	}
	*d, err = one[finance.DepositAccount](ctx, tx.q, `
		UPDATE deposit_accounts
		SET name = $3, description = $4, deposit_account_type_id = $5, bank_account_id = $6, currency_id = $7,
			account_number = $8, initial_balance = $9, force_destroy = $10, archived_at = $11, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING `+depositAccountColumns,
		d.AccountID, d.ID, d.Name, d.Description, d.DepositAccountTypeID, d.BankAccountID, d.CurrencyID,
		d.AccountNumber, d.InitialBalance, d.ForceDestroy, d.ArchivedAt)
	return refused(err)
}

// RemoveDepositAccount hides an account. Its transactions, statements and sessions go
// in the background; reconciles that hold one of the transactions are undone.
func (tx *Tx) RemoveDepositAccount(ctx context.Context, d *finance.DepositAccount) error {
	return tx.hide(ctx, "deposit_accounts", d.AccountID, d.ID)
}

// movement is a change of the transactions of a deposit account.
type movement struct {
	sum     finance.Amount
	count   int64
	newest  finance.Date // of the transactions that came, zero for none
	settled bool         // transactions went or changed their day: the last day is to be looked for
}

// and is the movement that two make together.
func (m movement) and(n movement) movement {
	if m.newest.Before(n.newest) {
		m.newest = n.newest
	}
	return movement{sum: m.sum + n.sum, count: m.count + n.count, newest: m.newest, settled: m.settled || n.settled}
}

// depositAccountKey names a deposit account.
type depositAccountKey struct{ account, id int64 }

// move adds a movement to the balance of a deposit account at the end of the transaction: the
// account's row is locked from then on, so that writers of one account take turns
// for little more than a commit.
func (tx *Tx) move(account, depositAccount int64, m movement) {
	if tx.moved == nil {
		tx.moved = map[depositAccountKey]movement{}
	}
	key := depositAccountKey{account, depositAccount}
	tx.moved[key] = tx.moved[key].and(m)
}

// settle keeps the balances of what has moved, the account of the lower id first, so
// that transfers that cross wait for each other in turn.
func (tx *Tx) settle(ctx context.Context) error {
	for _, key := range slices.SortedFunc(maps.Keys(tx.moved), func(a, b depositAccountKey) int { return cmp.Compare(a.id, b.id) }) {
		if err := tx.settleOne(ctx, key.account, key.id, tx.moved[key]); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) settleOne(ctx context.Context, account, depositAccount int64, m movement) error {
	_, err := exec(ctx, tx.q, `
		UPDATE deposit_accounts
		SET transactions_sum = transactions_sum + $3, transactions_count = transactions_count + $4,
			last_transaction_date = greatest(last_transaction_date, $5), updated_at = now()
		WHERE account_id = $1 AND id = $2`, account, depositAccount, m.sum, m.count, m.newest)
	if err != nil || !m.settled {
		return err
	}
	// A statement of its own: it sees what was committed before the row was ours.
	_, err = exec(ctx, tx.q, `
		UPDATE deposit_accounts
		SET last_transaction_date = (
			SELECT max(occurred_at) FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2)
		WHERE account_id = $1 AND id = $2`, account, depositAccount)
	return err
}
