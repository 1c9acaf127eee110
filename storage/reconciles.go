package storage

import (
	"context"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"

	"github.com/lib/pq"
)

// reconcileColumns are selected with the alias r.
const reconcileColumns = `r.id, r.account_id, r.entity_id, r.kind, r.creator_id, r.created_at`

var reconcileFilters = map[string]filter{
	"financial_account_id": {
		"r.id = (SELECT reconcile_id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND id = ?)", identifier},
	"financial_transaction_id": {
		"r.id = (SELECT reconcile_id FROM financial_transactions WHERE account_id = $1 AND id = ?)", identifier},
}

// Reconciles lists one page of the reconciliations of the entity whose financial accounts
// are of the kinds, newest first, each with the ids of its records.
func (q Queries) Reconciles(ctx context.Context, s Scope, kinds []finance.AccountKind, l List) (Listed[finance.Reconcile], error) {
	return list[finance.Reconcile](ctx, q.DB, l, reconcileFilters, reconcileColumns+`,
		(SELECT coalesce(json_agg(json_build_object('ID', f.id) ORDER BY f.id), '[]')
			FROM financial_accounts f WHERE f.account_id = r.account_id AND f.reconcile_id = r.id) AS account_refs,
		(SELECT coalesce(json_agg(json_build_object('ID', t.id, 'DepositAccountID', t.deposit_account_id) ORDER BY t.id), '[]')
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id) AS transaction_refs`,
		`reconciles r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.kind = ANY($3)`, by("r.id").down(), s.AccountID, s.EntityID, kinds)
}

// Reconcile reads one reconciliation of the entity with all its records.
func (q Queries) Reconcile(ctx context.Context, s Scope, id int64) (*finance.Reconcile, error) {
	r, err := db.One[finance.Reconcile](ctx, q.DB, `SELECT `+reconcileColumns+`
		FROM reconciles r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.id = $3`, s.AccountID, s.EntityID, id)
	if err != nil {
		return nil, err
	}
	r.Accounts, err = db.Many[finance.FinancialAccount](ctx, q.DB, `SELECT `+bareFinancialAccountColumns+`
		FROM financial_accounts f WHERE f.account_id = $1 AND f.reconcile_id = $2 ORDER BY f.id`, s.AccountID, id)
	if err != nil {
		return nil, err
	}
	r.Transactions, err = db.Many[finance.FinancialTransaction](ctx, q.DB, `SELECT `+bareTransactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.reconcile_id = $2 ORDER BY t.id`, s.AccountID, id)
	refer(&r)
	return &r, err
}

// refer sets ReconciledWith of the accounts of a whole reconciliation, as a query of
// financialAccountColumns would for each of them.
func refer(r *finance.Reconcile) {
	var with finance.Refs
	for _, t := range r.Transactions[:min(len(r.Transactions), 20)] {
		with = append(with, finance.Ref{ID: t.ID, DepositAccountID: t.DepositAccountID})
	}
	for i := range r.Accounts {
		r.Accounts[i].ReconciledWith = with
	}
}

// LockReconcilable locks the records of the entity that are to be reconciled
// (docs/locking.md) and reads the columns that the rules check. A concurrent reconciliation
// waits, and sees the result of the first. Records that the entity does not have, or whose
// kind the user may not see, are a finance.Invalid, returned with the records that were
// found. It names transactions of another entity if the user may see that entity.
func (tx *Tx) LockReconcilable(ctx context.Context, a finance.Access, s Scope, accounts, transactions []int64) (*finance.Reconcile, error) {
	r := finance.Reconcile{AccountID: s.AccountID, EntityID: s.EntityID, CreatorID: &a.UserID}
	var err error
	r.Accounts, err = db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT id, kind, status, total_amount FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) AND kind = ANY($4) ORDER BY id FOR NO KEY UPDATE`, s.AccountID, s.EntityID, accounts, pq.Array(a.AccountKinds()))
	if err != nil {
		return nil, err
	}
	r.Transactions, err = db.Many[finance.FinancialTransaction](ctx, tx.DB, `
		SELECT t.id, t.deposit_account_id, t.amount, t.currency_id, t.reconcile_id, t.bank_statement_id
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.id = ANY($3) ORDER BY t.id FOR NO KEY UPDATE OF t`,
		s.AccountID, s.EntityID, transactions)
	if err != nil {
		return nil, err
	}
	if err := tx.leaveDeleted(ctx, &r); err != nil {
		return nil, err
	}
	var invalid finance.Invalid
	if unknown := without(accounts, r.AccountIDs()); len(unknown) > 0 {
		invalid.Add(finance.SelectedAccounts, messages.IDsNotExisting.With(finance.ListIDs(unknown)))
	}
	if unknown := without(transactions, r.TransactionIDs()); len(unknown) > 0 {
		invalid.Add(finance.SelectedTransactions, messages.IDsNotExisting.With(finance.ListIDs(unknown)))
		elsewhere, err := tx.transactionsElsewhere(ctx, a, s, unknown)
		if err != nil {
			return nil, err
		}
		if len(elsewhere) > 0 {
			invalid.Add("entity", messages.OtherEntity.With(finance.ListIDs(elsewhere)))
		}
	}
	return &r, invalid.Err()
}

// leaveDeleted removes from r the transactions whose bank statement is being deleted, and
// locks the statements of the others FOR KEY SHARE, against deletion.
func (tx *Tx) leaveDeleted(ctx context.Context, r *finance.Reconcile) error {
	var brought []int64
	for _, t := range r.Transactions {
		if t.BankStatementID != nil {
			brought = append(brought, *t.BankStatementID)
		}
	}
	if len(brought) == 0 {
		return nil
	}
	held, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM bank_statements WHERE account_id = $1 AND id = ANY($2) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`, r.AccountID, brought)
	r.Transactions = slices.DeleteFunc(r.Transactions, func(t finance.FinancialTransaction) bool {
		return t.BankStatementID != nil && !slices.Contains(held, *t.BankStatementID)
	})
	return err
}

// transactionsElsewhere returns the ids of transactions of other entities that the user may
// see.
func (q Queries) transactionsElsewhere(ctx context.Context, a finance.Access, s Scope, ids []int64) ([]int64, error) {
	return db.Many[int64](ctx, q.DB, `
		SELECT t.id FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id <> $2 AND d.deleted_at IS NULL AND t.id = ANY($3) AND ($4 OR d.entity_id = ANY($5)) ORDER BY t.id`,
		s.AccountID, s.EntityID, ids, a.CanSeeAll(), a.EntityIDs)
}

// without returns, sorted, the ids that are not among the others, which must be sorted.
func without(ids, others []int64) []int64 {
	rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		_, found := slices.BinarySearch(others, id)
		return found
	})
	slices.Sort(rest)
	return rest
}

// InsertReconcile stores a new reconciliation of locked records and fills in its columns.
// Its accounts become reconciled, and expected in the deposit account of the first
// transaction.
func (tx *Tx) InsertReconcile(ctx context.Context, r *finance.Reconcile) error {
	kept, err := db.One[finance.Reconcile](ctx, tx.DB, `
		INSERT INTO reconciles AS r (account_id, entity_id, kind, creator_id) VALUES ($1, $2, $3, $4) RETURNING `+reconcileColumns,
		r.AccountID, r.EntityID, r.Kind, r.CreatorID)
	if err != nil {
		return err
	}
	kept.Transactions, err = db.Many[finance.FinancialTransaction](ctx, tx.DB, `
		UPDATE financial_transactions t SET reconcile_id = $3, updated_at = now()
		WHERE t.account_id = $1 AND t.id = ANY($2) RETURNING `+bareTransactionColumns, r.AccountID, r.TransactionIDs(), kept.ID)
	if err != nil {
		return err
	}
	kept.Accounts, err = db.Many[finance.FinancialAccount](ctx, tx.DB, `
		UPDATE financial_accounts f SET reconcile_id = $3, status = 3, expected_deposit_account_id = $4, updated_at = now()
		WHERE f.account_id = $1 AND f.id = ANY($2) RETURNING `+bareFinancialAccountColumns,
		r.AccountID, r.AccountIDs(), kept.ID, r.Transactions[0].DepositAccountID)
	if err != nil {
		return err
	}
	slices.SortFunc(kept.Transactions, func(a, b finance.FinancialTransaction) int { return int(a.ID - b.ID) })
	slices.SortFunc(kept.Accounts, func(a, b finance.FinancialAccount) int { return int(a.ID - b.ID) })
	refer(&kept)
	*r = kept
	if err := tx.Emit(ctx, reconcileEvent(r, finance.Created)); err != nil {
		return err
	}
	return tx.followReceivables(ctx, Scope{AccountID: r.AccountID, EntityID: r.EntityID}, r.Accounts)
}

// LockReconcileForDelete locks one reconciliation of the entity FOR UPDATE, then its records, and
// reads it, to undo it.
func (tx *Tx) LockReconcileForDelete(ctx context.Context, s Scope, id int64) (*finance.Reconcile, error) {
	_, err := db.One[int64](ctx, tx.DB, `
		SELECT id FROM reconciles WHERE account_id = $1 AND entity_id = $2 AND id = $3 FOR UPDATE`, s.AccountID, s.EntityID, id)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"financial_accounts", "financial_transactions"} {
		_, err := db.Exec(ctx, tx.DB, `SELECT FROM `+table+` WHERE account_id = $1 AND reconcile_id = $2 ORDER BY id FOR NO KEY UPDATE`, s.AccountID, id)
		if err != nil {
			return nil, err
		}
	}
	return tx.Reconcile(ctx, s, id)
}

// RemoveReconcile undoes a locked reconciliation: its accounts become paid or received
// again.
func (tx *Tx) RemoveReconcile(ctx context.Context, r *finance.Reconcile) error {
	if err := tx.release(ctx, r.AccountID, []int64{r.ID}); err != nil {
		return err
	}
	return tx.followReceivables(ctx, Scope{AccountID: r.AccountID, EntityID: r.EntityID}, r.Accounts)
}

// release removes reconciliations whose records are locked, and resets these records.
func (tx *Tx) release(ctx context.Context, account int64, reconciles []int64) error {
	for _, statement := range []string{
		`UPDATE financial_transactions SET reconcile_id = NULL, updated_at = now() WHERE account_id = $1 AND reconcile_id = ANY($2)`,
		`UPDATE financial_accounts SET reconcile_id = NULL, status = 2, updated_at = now() WHERE account_id = $1 AND reconcile_id = ANY($2)`,
	} {
		if _, err := db.Exec(ctx, tx.DB, statement, account, reconciles); err != nil {
			return err
		}
	}
	return tx.Changed(ctx, "reconciles", `DELETE FROM reconciles WHERE account_id = $1 AND id = ANY($2) RETURNING`, finance.Destroyed, account, pq.Int64Array(reconciles))
}

func reconcileEvent(r *finance.Reconcile, action finance.Action) finance.Event {
	return finance.Event{
		Family: finance.ReconcilesFamily, Action: action, AccountID: r.AccountID, EntityID: r.EntityID, IDs: []int64{r.ID},
		Concerns: finance.FamilyList{finance.Family(r.Kind + "_accounts")},
	}
}

// undoReconciles undoes the reconciliations of the records of a table and a condition on the
// account $1 and the ids $2. It locks in the same order as LockReconcileForDelete.
func (tx *Tx) undoReconciles(ctx context.Context, account int64, of string, ids []int64) error {
	reconciles, err := db.Many[finance.Reconcile](ctx, tx.DB, `SELECT id, entity_id FROM reconciles WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT reconcile_id FROM `+of+` AND reconcile_id IS NOT NULL)) ORDER BY id FOR UPDATE`, account, ids)
	if err != nil || len(reconciles) == 0 {
		return err
	}
	undone := make([]int64, len(reconciles))
	for i, r := range reconciles {
		undone[i] = r.ID
	}
	accounts, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT id, kind, sale_account_id, sales_count FROM financial_accounts
		WHERE account_id = $1 AND reconcile_id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, account, undone)
	if err != nil {
		return err
	}
	transactions, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM financial_transactions WHERE account_id = $1 AND reconcile_id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, account, undone)
	if err != nil {
		return err
	}
	if err := tx.release(ctx, account, undone); err != nil {
		return err
	}
	for i := range accounts {
		accounts[i].Status = finance.Settled
	}
	s := Scope{AccountID: account, EntityID: reconciles[0].EntityID} // all are of one entity
	if err := tx.followReceivables(ctx, s, accounts); err != nil {
		return err
	}
	told := map[finance.Family][]int64{}
	for _, f := range accounts {
		family := finance.Family(string(f.Kind) + "_accounts")
		told[family] = append(told[family], f.ID)
	}
	e := finance.Event{Action: finance.Updated, AccountID: account, EntityID: s.EntityID}
	for _, e.Family = range slices.Sorted(maps.Keys(told)) {
		e.IDs = told[e.Family]
		if err := tx.Emit(ctx, e); err != nil {
			return err
		}
	}
	e.Family, e.IDs = finance.FinancialTransactionsFamily, transactions
	return tx.EmitTransactions(ctx, e)
}
