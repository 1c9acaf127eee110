package storage

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage/list"
)

// depositAccountWritable are the columns that a client's document sets.
var depositAccountWritable = db.ColumnsOf[finance.DepositAccount](
	`external_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, force_destroy, archived_at, automatic_reconciliation,
	statement_mapping`)

var depositAccountColumns = `id, account_id, entity_id, ` + depositAccountWritable.List("") + `,
	coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count, last_transaction_date,` +
	` created_at, updated_at,
	` + lastSession + ` AS last_session, ` + suggestedNumber + ` AS suggested_account_number`

var (
	insertDepositAccount = db.Named("deposit_accounts.insert",
		`INSERT INTO deposit_accounts (account_id, entity_id, `+depositAccountWritable.List("")+`)
		VALUES (@account, @entity, `+depositAccountWritable.Parameters()+`) RETURNING `+depositAccountColumns)
	updateDepositAccount = db.Named("deposit_accounts.update",
		`UPDATE deposit_accounts SET `+depositAccountWritable.Assignments()+`, updated_at = now()
		WHERE account_id = @account AND id = @id RETURNING `+depositAccountColumns)
)

var depositAccountFilters = list.Table("DepositAccount", map[string]list.Filter{
	"deposit_account_type_id": list.Where("deposit_account_type_id = ?", list.Integer, "Type."),
	"bank_account_id":         list.Where("bank_account_id = ?", list.Integer, "Bank."),
	"name":                    list.Where("name = ?", list.Text, "Exact name."),
	"name_contains": list.Where("fold(name) LIKE fold(?)", list.Containing,
		"Part of the name, whatever its case and accents."),
	"external_id_equals": list.ExternalID(""),
	"updated_at_gte":     list.ChangedSince(""),
})

// DepositAccounts lists the deposit accounts of the entity, by name without regard to case and
// accents.
func (q Queries) DepositAccounts(ctx context.Context, s Scope, l list.Query) (list.Page[finance.DepositAccount],
	error) {
	return list.Read[finance.DepositAccount](ctx, q.DB, l, depositAccountFilters, depositAccountColumns,
		`deposit_accounts WHERE account_id = @account AND entity_id = @entity AND deleted_at IS NULL`,
		list.By("id", list.TextKey("fold(name)")), db.Args{"account": s.AccountID, "entity": s.EntityID})
}

// DepositAccount reads one deposit account of the entity.
func (q Queries) DepositAccount(ctx context.Context, s Scope, id int64) (*finance.DepositAccount, error) {
	d, err := db.One[finance.DepositAccount](ctx, q.DB, `SELECT `+depositAccountColumns+`
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL`, s.AccountID,
		s.EntityID, id)
	return &d, err
}

// LockDepositAccount locks one deposit account of the entity FOR NO KEY UPDATE, to change it, and
// reads it. The lock is a separate statement: the transaction that it waited for may have opened
// or closed the register.
func (tx *Tx) LockDepositAccount(ctx context.Context, s Scope, id int64) (*finance.DepositAccount, error) {
	_, err := db.One[int64](ctx, tx.DB, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3
			AND deleted_at IS NULL FOR NO KEY UPDATE`, s.AccountID, s.EntityID, id)
	if err != nil {
		return nil, err
	}
	return tx.DepositAccount(ctx, s, id)
}

// LockDepositAccountForDelete is LockDepositAccount with FOR UPDATE, for a removal. While it waits
// for writers below the account, it has no lock that would block them: each writer updates the
// balance at its end.
func (tx *Tx) LockDepositAccountForDelete(ctx context.Context, s Scope, id int64) (*finance.DepositAccount, error) {
	_, err := db.One[int64](ctx, tx.DB, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3
			AND deleted_at IS NULL FOR UPDATE`, s.AccountID, s.EntityID, id)
	if err != nil {
		return nil, err
	}
	return tx.DepositAccount(ctx, s, id)
}

// ReconciledBeyond reports whether a transaction of a locked deposit account, or the other side
// of a transfer, is reconciled with financial accounts of a kind that the user may not see.
func (tx *Tx) ReconciledBeyond(ctx context.Context, a finance.Access, d *finance.DepositAccount) (bool, error) {
	return tx.SelectedReconciledBeyond(ctx, a, `t.deposit_account_id = @id`, d.AccountID, d.ID)
}

// SelectedReconciledBeyond is ReconciledBeyond for the transactions t of a condition on the @id and their
// reconciliations r.
func (tx *Tx) SelectedReconciledBeyond(ctx context.Context, a finance.Access, condition string, account, id int64) (
	bool, error) {
	if a.Allows(finance.PayableAccounts) && a.Allows(finance.ReceivableAccounts) {
		return false, nil // spares reading all transactions
	}
	beyond := db.Bind(`
		SELECT EXISTS (
			SELECT FROM financial_transactions t
			LEFT JOIN financial_transactions o ON o.account_id = t.account_id AND o.id = t.transfer_id
			JOIN reconciles r ON r.account_id = t.account_id AND r.id IN (t.reconcile_id, o.reconcile_id)
			WHERE t.account_id = @account AND ` + condition + ` AND r.kind || '_accounts' = ANY(@denied))`)
	return db.OneNamed[bool](ctx, tx.DB, beyond, db.Args{"account": account, "id": id, "denied": a.Denied})
}

// ShareDepositAccount locks a deposit account of the entity FOR KEY SHARE until the transaction
// ends, so that it is not deleted while records are written below it.
func (tx *Tx) ShareDepositAccount(ctx context.Context, s Scope, id int64) error {
	_, err := db.One[int64](ctx, tx.DB, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3
			AND deleted_at IS NULL FOR KEY SHARE`, s.AccountID, s.EntityID, id)
	return err
}

// NumberedAccount is a deposit account with an account number.
type NumberedAccount struct {
	ID            int64
	AccountNumber string
}

// NumberedDepositAccounts reads the deposit accounts of the entity that have an account number, by id.
func (q Queries) NumberedDepositAccounts(ctx context.Context, s Scope) ([]NumberedAccount, error) {
	return db.Many[NumberedAccount](ctx, q.DB, `
		SELECT id, account_number FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND account_number IS NOT NULL ORDER BY id`,
		s.AccountID, s.EntityID)
}

// ShareDepositAccounts is ShareDepositAccount for several. It returns the ids of the accounts that exist.
func (tx *Tx) ShareDepositAccounts(ctx context.Context, s Scope, ids []int64) ([]int64, error) {
	return db.Many[int64](ctx, tx.DB, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3)
			AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`, s.AccountID, s.EntityID, ids)
}

// InsertDepositAccount stores a new deposit account and fills in the columns that the database
// sets.
func (tx *Tx) InsertDepositAccount(ctx context.Context, d *finance.DepositAccount) (err error) {
	*d, err = db.OneNamed[finance.DepositAccount](ctx, tx.DB, insertDepositAccount,
		depositAccountWritable.Args(d), db.Args{
			"account": d.AccountID, "entity": d.EntityID,
		})
	return err
}

// UpdateDepositAccount stores the changes of a deposit account. Its balance follows from the
// initial balance and the transactions. Another currency is a finance.Invalid once there is a
// transaction, a bank statement or a session, or while one is being written. Another type is a
// finance.Invalid while the register is open, and from or to CardAccount once there is a bank
// statement: the same lines of an account of the other type are other items. If automatic
// reconciliation is now enabled, it enqueues a job that looks at the account.
func (tx *Tx) UpdateDepositAccount(ctx context.Context, d *finance.DepositAccount) error {
	automatic, err := tx.fixedAttributes(ctx, d)
	if err != nil {
		return err
	}
	*d, err = db.OneNamed[finance.DepositAccount](ctx, tx.DB, updateDepositAccount,
		depositAccountWritable.Args(d), db.Args{
			"account": d.AccountID, "id": d.ID,
		})
	if err != nil || automatic || !d.AutomaticReconciliation {
		return refused(err)
	}
	return tx.Enqueue(ctx, d.AccountID, jobs.ReconcileAutomatically{AccountID: d.AccountID, EntityID: d.EntityID})
}

// DepositAccountConflicts returns the conflicts that UpdateDepositAccount would refuse.
func (tx *Tx) DepositAccountConflicts(ctx context.Context, d *finance.DepositAccount) error {
	if d.ID == 0 {
		return nil
	}
	_, err := tx.fixedAttributes(ctx, d)
	return err
}

// fixedAttributes refuses the changes of a deposit account that UpdateDepositAccount refuses, and reports
// whether it was reconciled automatically before.
func (tx *Tx) fixedAttributes(ctx context.Context, d *finance.DepositAccount) (automatic bool, err error) {
	// An open transaction that writes below the deposit account uses the old currency, and will
	// wait for our lock to update the balance. Waiting for it here would be a deadlock.
	_, err = db.One[int64](ctx, tx.DB, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND id = $2 AND currency_id <> $3 FOR UPDATE NOWAIT`,
		d.AccountID, d.ID, d.CurrencyID)
	if db.Locked(err) {
		return false, finance.Refuse("currency", messages.CurrencyFixed)
	}
	if err != nil && !errors.Is(err, ErrNotFound) { // not found: the currency stays
		return false, err
	}
	fixed, err := db.One[struct{ Currency, Card, Type, Automatic bool }](ctx, tx.DB, `
		SELECT currency_id <> $3 AND (transactions_count > 0 OR b.stay
				OR EXISTS (SELECT FROM register_sessions r WHERE r.account_id = $1
					AND r.deposit_account_id = $2)) AS currency,
			b.stay AND (deposit_account_type_id IS NOT DISTINCT FROM $5) <> ($4 IS NOT DISTINCT FROM $5) AS card,
			deposit_account_type_id IS DISTINCT FROM $4 AND EXISTS (
				SELECT FROM register_sessions r WHERE r.account_id = $1 AND r.deposit_account_id = $2
					AND r.closed_at IS NULL) AS type,
			automatic_reconciliation AS automatic
		FROM deposit_accounts, (SELECT EXISTS (
			SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.deposit_account_id = $2
				AND b.preview_until IS NULL AND b.deleted_at IS NULL) AS stay) b
		WHERE account_id = $1 AND id = $2`, d.AccountID, d.ID, d.CurrencyID, d.DepositAccountTypeID,
		finance.CardAccount)
	if err != nil {
		return false, err
	}
	var invalid finance.Invalid
	if fixed.Currency {
		invalid.Add("currency", messages.CurrencyFixed)
	}
	if fixed.Card {
		invalid.Add("deposit_account_type", messages.CardTypeFixed)
	}
	if fixed.Type {
		invalid.Add("deposit_account_type", messages.TypeFixed)
	}
	return fixed.Automatic, invalid.Err()
}

// RemoveDepositAccount hides a deposit account and enqueues its removal with its transactions,
// statements and sessions. The job undoes the reconciliations of these transactions.
func (tx *Tx) RemoveDepositAccount(ctx context.Context, d *finance.DepositAccount) error {
	return tx.Hide(ctx, "deposit_accounts", d.AccountID, d.ID)
}

// BalanceChange is a change of the transactions of a deposit account.
type BalanceChange struct {
	Sum            finance.Amount
	Count          int64
	Newest         finance.Date // of the new transactions; zero without any
	LastDayUnknown bool         // transactions were removed or changed their day: query the last day
	beyond         bool         // the sum is beyond an Amount
}

// and returns the sum of two movements.
func (m BalanceChange) and(n BalanceChange) BalanceChange {
	if m.Newest.Before(n.Newest) {
		m.Newest = n.Newest
	}
	sum := m.Sum + n.Sum
	beyond := (n.Sum > 0) != (sum > m.Sum) && n.Sum != 0
	return BalanceChange{
		Sum: sum, Count: m.Count + n.Count, Newest: m.Newest, LastDayUnknown: m.LastDayUnknown || n.LastDayUnknown,
		beyond: m.beyond || n.beyond || beyond,
	}
}

// depositAccountKey identifies a deposit account.
type depositAccountKey struct{ account, id int64 }

// Move records a movement, which addMovements adds to the balance at the end of the transaction. The
// row is locked only from then on, so that its writers wait for little more than a commit.
func (tx *Tx) Move(account, depositAccount int64, m BalanceChange) {
	if tx.balanceChanges == nil {
		tx.balanceChanges = map[depositAccountKey]BalanceChange{}
	}
	key := depositAccountKey{account, depositAccount}
	tx.balanceChanges[key] = tx.balanceChanges[key].and(m)
}

// ApplyMovements adds the recorded movements to the balances before the end of the transaction, for a
// statement that reads a balance.
func (tx *Tx) ApplyMovements(ctx context.Context) error {
	err := tx.addMovements(ctx)
	tx.balanceChanges = nil
	return err
}

// addMovements updates the balances of the deposit accounts with movements, by ascending id, so
// that opposite transfers do not deadlock. A sum beyond an Amount is a finance.Invalid.
func (tx *Tx) addMovements(ctx context.Context) error {
	for _, key := range slices.SortedFunc(maps.Keys(tx.balanceChanges), func(a, b depositAccountKey) int {
		return cmp.Compare(a.id, b.id)
	}) {
		if tx.balanceChanges[key].beyond {
			return finance.Refuse("amount", messages.BalanceTooLarge)
		}
		if err := tx.addMovement(ctx, key.account, key.id, tx.balanceChanges[key]); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) addMovement(ctx context.Context, account, depositAccount int64, m BalanceChange) error {
	_, err := db.Exec(ctx, tx.DB, `
		UPDATE deposit_accounts
		SET transactions_sum = transactions_sum + $3, transactions_count = transactions_count + $4,
			last_transaction_date = greatest(last_transaction_date, $5), updated_at = now()
		WHERE account_id = $1 AND id = $2`, account, depositAccount, m.Sum, m.Count, m.Newest)
	if err != nil || !m.LastDayUnknown {
		return err
	}
	// A separate statement, because it must see every transaction that was committed before the row
	// was locked.
	_, err = db.Exec(ctx, tx.DB, `
		UPDATE deposit_accounts
		SET last_transaction_date = (
			SELECT max(occurred_at) FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2)
		WHERE account_id = $1 AND id = $2`, account, depositAccount)
	return err
}

// suggestedNumber selects, for a row of deposit_accounts without an account number, the number that
// its first statement names.
const suggestedNumber = `CASE WHEN account_number IS NULL THEN (
		SELECT b.file_account_number FROM bank_statements b
		WHERE ` + NamesNumber + ` AND b.deleted_at IS NULL ORDER BY b.id LIMIT 1) END`

// NamesNumber is the condition for imported statements b of a row of deposit_accounts that name an
// account number.
const NamesNumber = `b.account_id = deposit_accounts.account_id AND b.deposit_account_id = deposit_accounts.id
			AND b.event_status = 'success' AND b.file_account_number IS NOT NULL`
