package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"

	"github.com/lib/pq"
)

// reconcileColumns are selected with the alias r.
const reconcileColumns = `r.id, r.account_id, r.entity_id, r.kind, r.creator_id, r.created_at, r.made_by, r.rule_id, ` +
	`coalesce(r.reasons, '[]') AS reasons`

// ReconciledIn returns the filter by a month in which a record is reconciled. condition has %s for the ids of the
// reconciles.
func ReconciledIn(condition string) list.Filter {
	return list.Where(fmt.Sprintf(condition, `(
		SELECT r.id FROM reconciles r WHERE r.account_id = @account AND r.month = CAST(? AS date)
		UNION ALL
		SELECT r.id FROM reconciles r WHERE r.account_id = @account AND r.month IS NULL AND EXISTS (
			SELECT FROM financial_transactions x WHERE x.account_id = @account AND x.reconcile_id = r.id
				AND x.occurred_at >= CAST(? AS date) AND x.occurred_at < CAST(? AS date) + interval '1 month'))`),
		list.Month, "Reconciled with a transaction of this month, `YYYY-MM`. It needs the permission "+
			"`financial_transactions`.")
}

var reconcileFilters = list.Table("Reconcile", map[string]list.Filter{
	"financial_account_id": list.Where(
		"r.id = (SELECT reconcile_id FROM financial_accounts WHERE account_id = @account AND entity_id = @entity "+
			"AND id = ?)", list.ID,
		"Of the reconcile that holds this payable or receivable account."),
	"financial_transaction_id": list.Where(
		"r.id = (SELECT reconcile_id FROM financial_transactions WHERE account_id = @account AND id = ?)", list.ID,
		"Of the reconcile that holds this transaction."),
})

// Reconciles lists one page of the reconciliations of the entity with financial accounts of the
// kinds, newest first, each with the ids of its records.
func (q Queries) Reconciles(ctx context.Context, s Scope, kinds []finance.AccountKind,
	l list.Query) (list.Page[finance.Reconcile], error) {
	return list.Read[finance.Reconcile](ctx, q.DB, l, reconcileFilters, reconcileColumns+`,
		(SELECT coalesce(json_agg(json_build_object('ID', f.id) ORDER BY f.id), '[]')
			FROM financial_accounts f WHERE f.account_id = r.account_id AND f.reconcile_id = r.id) AS account_refs,
		(SELECT coalesce(json_agg(json_build_object('ID', t.id, 'DepositAccountID', t.deposit_account_id)
			ORDER BY t.id), '[]')
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id AND `+
		OwnerVisible("financial_transactions", "t")+`) AS transaction_refs`,
		`reconciles r WHERE r.account_id = @account AND r.entity_id = @entity AND r.kind = ANY(@kinds)`,
		list.By("r.id").Down(), db.Args{"account": s.AccountID, "entity": s.EntityID, "kinds": kinds})
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
	r.Transactions, err = db.Many[finance.FinancialTransaction](ctx, q.DB, `SELECT `+BareTransactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.reconcile_id = $2 AND `+
		OwnerVisible("financial_transactions", "t")+` ORDER BY t.id`, s.AccountID, id)
	refer(&r)
	return &r, err
}

// refer sets the fields that follow from the records of a whole reconciliation: NewAccountIDs, and
// ReconciledWith of the accounts, as a query of FinancialAccountColumns would for each of them.
func refer(r *finance.Reconcile) {
	r.NewAccountIDs = finance.NewAccounts(r.Accounts)
	var with finance.Refs
	for _, t := range r.Transactions[:min(len(r.Transactions), 20)] {
		with = append(with, finance.Ref{ID: t.ID, DepositAccountID: t.DepositAccountID})
	}
	for i := range r.Accounts {
		r.Accounts[i].ReconciledWith = with
	}
}

// LockReconcilable locks the records of the entity that are to be reconciled FOR NO KEY UPDATE
// (docs/locking.md) and reads the columns that the rules check. A concurrent reconciliation waits,
// and sees the result of the first. Records that the entity does not have, or of a kind that the
// user may not see, are a finance.Invalid, returned with the records that were found. It names
// transactions of another entity if the user may see that entity.
func (tx *Tx) LockReconcilable(ctx context.Context, a finance.Access, s Scope, accounts, transactions []int64) (
	*finance.Reconcile, error) {
	r := finance.Reconcile{AccountID: s.AccountID, EntityID: s.EntityID, CreatorID: &a.UserID}
	var err error
	r.Accounts, err = db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT id, kind, status, occurred_at, amount, ticket_amount, interest_amount, discount_amount, total_amount,
			sale_account_id,
			credit_card_invoice_id FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) AND kind = ANY($4) ORDER BY id FOR NO KEY UPDATE`,
		s.AccountID, s.EntityID, accounts, pq.Array(a.AccountKinds()))
	if err == nil {
		r.Accounts, err = tx.ShareOwners(ctx, s.AccountID, r.Accounts)
	}
	if err != nil {
		return nil, err
	}
	r.Transactions, err = tx.lockSelected(ctx, s, transactions)
	if err != nil {
		return nil, err
	}
	var invalid finance.Invalid
	addUnknown(&invalid, finance.SelectedAccounts, Without(accounts, r.AccountIDs()))
	if unknown := Without(transactions, r.TransactionIDs()); len(unknown) > 0 {
		addUnknown(&invalid, finance.SelectedTransactions, unknown)
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

// LockForReconciles locks the records of several reconciliations of one database transaction FOR NO
// KEY UPDATE, in the order of docs/locking.md. Each reconciliation then locks its own records
// again, and reports the missing ones. It returns the amounts of the transactions.
func (tx *Tx) LockForReconciles(ctx context.Context, s Scope, accounts, transactions []int64) (
	map[int64]finance.Amount, error) {
	_, err := db.Exec(ctx, tx.DB, `
		SELECT FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3)
			ORDER BY id FOR NO KEY UPDATE`,
		s.AccountID, s.EntityID, accounts)
	if err != nil {
		return nil, err
	}
	held, err := db.Many[finance.FinancialTransaction](ctx, tx.DB, `
		SELECT t.id, t.amount FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND t.id = ANY($3) ORDER BY t.id FOR NO KEY UPDATE OF t`,
		s.AccountID, s.EntityID, transactions)
	amounts := map[int64]finance.Amount{}
	for _, t := range held {
		amounts[t.ID] = t.Amount
	}
	return amounts, err
}

// lockSelected locks transactions of the entity that are to be reconciled or paired, and reads the
// columns that the rules of both check. It leaves out transactions of bank statements that are
// being deleted.
func (tx *Tx) lockSelected(ctx context.Context, s Scope, ids []int64) ([]finance.FinancialTransaction, error) {
	found, err := db.Many[finance.FinancialTransaction](ctx, tx.DB, `
		SELECT t.id, t.deposit_account_id, t.amount, t.occurred_at, t.currency_id, t.reconcile_id, t.transfer_id,
			t.pair_id, t.bank_statement_id
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.id = ANY($3)
			ORDER BY t.id FOR NO KEY UPDATE OF t`,
		s.AccountID, s.EntityID, ids)
	if err != nil {
		return nil, err
	}
	return tx.ShareStatements(ctx, s.AccountID, found)
}

// transactionsElsewhere returns the ids of transactions of other entities that the user may
// see.
func (q Queries) transactionsElsewhere(ctx context.Context, a finance.Access, s Scope, ids []int64) ([]int64, error) {
	return db.Many[int64](ctx, q.DB, `
		SELECT t.id FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id <> $2 AND d.deleted_at IS NULL AND t.id = ANY($3)
			AND ($4 OR d.entity_id = ANY($5)) ORDER BY t.id`,
		s.AccountID, s.EntityID, ids, a.CanSeeAll(), a.EntityIDs)
}

// Without returns, sorted, the ids that are not among the others, which must be sorted.
func Without(ids, others []int64) []int64 {
	rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		_, found := slices.BinarySearch(others, id)
		return found
	})
	slices.Sort(rest)
	return rest
}

// ReconciledColumns are the columns that a reconciliation may change in existing accounts.
var ReconciledColumns = db.ColumnsOf[finance.FinancialAccount](
	`id, reconcile_id, expected_deposit_account_id, occurred_at, total_amount, ticket_amount,
	interest_amount, discount_amount, withheld_tax_amount, fee_amount`)

// restoredColumns are the columns that an account gets back when its reconciliation is undone.
var restoredColumns = db.ColumnsOf[finance.FinancialAccount](
	`status, occurred_at, total_amount, ticket_amount, interest_amount,
	discount_amount, withheld_tax_amount, fee_amount, expected_deposit_account_id`)

// InsertReconcile stores a new reconciliation of locked records, and the new accounts that it
// makes, and fills in its columns. Its accounts become reconciled, and expected in the deposit
// account of the first transaction; each keeps its former values. It emits the events of all.
func (tx *Tx) InsertReconcile(ctx context.Context, r *finance.Reconcile) error {
	kept, err := db.One[finance.Reconcile](ctx, tx.DB, `
		INSERT INTO reconciles AS r (account_id, entity_id, kind, creator_id, month) VALUES ($1, $2, $3, $4, $5)
		RETURNING `+reconcileColumns,
		r.AccountID, r.EntityID, r.Kind, r.CreatorID, r.Month())
	if err != nil {
		return err
	}
	kept.Transactions, err = db.Many[finance.FinancialTransaction](ctx, tx.DB, `
		UPDATE financial_transactions t SET reconcile_id = $3, updated_at = now()
		WHERE t.account_id = $1 AND t.id = ANY($2) RETURNING `+BareTransactionColumns, r.AccountID, r.TransactionIDs(),
		kept.ID)
	if err != nil {
		return err
	}
	if err := tx.reconcileAccounts(ctx, &kept, r); err != nil {
		return err
	}
	slices.SortFunc(kept.Transactions, func(a, b finance.FinancialTransaction) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(kept.Accounts, func(a, b finance.FinancialAccount) int { return cmp.Compare(a.ID, b.ID) })
	refer(&kept)
	*r = kept
	if err := tx.Emit(ctx, reconcileEvent(r, finance.Created)); err != nil {
		return err
	}
	s := Scope{AccountID: r.AccountID, EntityID: r.EntityID}
	if err := tx.FollowReceivables(ctx, s, r.Accounts); err != nil {
		return err
	}
	return tx.EmitReconciled(ctx, s, r.Accounts, r.TransactionIDs(), finance.Created)
}

// reconcileAccounts stores the accounts of r as accounts of the stored reconciliation kept.
func (tx *Tx) reconcileAccounts(ctx context.Context, kept, r *finance.Reconcile) error {
	first := r.Transactions[0].DepositAccountID
	var selected, added []finance.FinancialAccount
	for _, f := range r.Accounts {
		f.ReconcileID, f.ExpectedDepositAccountID = &kept.ID, &first
		if f.NewInReconcile {
			added = append(added, f)
		} else {
			selected = append(selected, f)
		}
	}
	if len(selected) > 0 {
		rows, err := ReconciledColumns.JSON(selected)
		if err != nil {
			return err
		}
		kept.Accounts, err = db.Many[finance.FinancialAccount](ctx, tx.DB,
			ReconcileSelected+bareFinancialAccountColumns, r.AccountID, string(rows))
		if err != nil {
			return err
		}
	}
	if len(added) == 0 {
		return nil
	}
	if err := tx.InsertNewAccounts(ctx, Scope{AccountID: r.AccountID, EntityID: r.EntityID}, r.CreatorID,
		added); err != nil {
		return err
	}
	ids := make([]int64, len(added))
	for i, f := range added {
		ids[i] = f.ID
	}
	stored, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `SELECT `+bareFinancialAccountColumns+`
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2)`, r.AccountID, ids)
	kept.Accounts = append(kept.Accounts, stored...)
	return err
}

// ReconcileSelected reconciles the accounts $2, whose columns are ReconciledColumns, and returns
// the columns that are added to it. Each account keeps its former values.
var ReconcileSelected = `
	UPDATE financial_accounts f SET reconcile_id = n.reconcile_id, status = 3,
		expected_deposit_account_id = n.expected_deposit_account_id, updated_at = now(),
		occurred_at = n.occurred_at, total_amount = n.total_amount, ticket_amount = n.ticket_amount,
			interest_amount = n.interest_amount,
		discount_amount = n.discount_amount, withheld_tax_amount = n.withheld_tax_amount, fee_amount = n.fee_amount,
		before_reconcile = (SELECT to_jsonb(b) FROM (SELECT ` + restoredColumns.List("f.") + `) b)
	FROM json_populate_recordset(NULL::financial_accounts, $2) n
	WHERE f.account_id = $1 AND f.id = n.id RETURNING `

// LockReconcileForDelete locks one reconciliation of the entity FOR UPDATE, then its records, and
// reads it, to undo it. It begins with the sale accounts of receivable accounts that open again.
func (tx *Tx) LockReconcileForDelete(ctx context.Context, s Scope, id int64) (*finance.Reconcile, error) {
	_, err := db.Exec(ctx, tx.DB, `
		SELECT FROM sale_accounts WHERE account_id = $1 AND id IN (
			SELECT sale_account_id FROM financial_accounts WHERE account_id = $1 AND reconcile_id = $2
				AND before_reconcile -> 'status' = '1')
		ORDER BY id FOR NO KEY UPDATE`, s.AccountID, id)
	if err != nil {
		return nil, err
	}
	_, err = db.One[int64](ctx, tx.DB, `
		SELECT id FROM reconciles WHERE account_id = $1 AND entity_id = $2 AND id = $3 FOR UPDATE`, s.AccountID,
		s.EntityID, id)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"financial_accounts", "financial_transactions"} {
		_, err := db.Exec(ctx, tx.DB, `SELECT FROM `+table+` WHERE account_id = $1 AND reconcile_id = $2
			ORDER BY id FOR NO KEY UPDATE`, s.AccountID, id)
		if err != nil {
			return nil, err
		}
	}
	return tx.Reconcile(ctx, s, id)
}

// RemoveReconcile undoes a locked reconciliation for a person: its accounts get their former values
// back, and accounts that it made are removed. From then on the worker leaves its transactions to
// people, so that the worker does not overtake the correction. It emits the events of all.
func (tx *Tx) RemoveReconcile(ctx context.Context, r *finance.Reconcile) error {
	s := Scope{AccountID: r.AccountID, EntityID: r.EntityID}
	return tx.removeReconciles(ctx, s, []int64{r.ID}, r.Accounts, r.TransactionIDs(), true)
}

// removeReconciles removes reconciliations whose accounts and transactions are locked. It removes the
// accounts that they made, and gives the others their former values back. An account becomes paid
// or received if the release that reconciled it kept no former values. With leave the worker
// reconciles the transactions no more.
func (tx *Tx) removeReconciles(ctx context.Context, s Scope, reconciles []int64, accounts []finance.FinancialAccount,
	transactions []int64, leave bool) error {
	expected, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NULL AND id IN (
			SELECT CAST(before_reconcile ->> 'expected_deposit_account_id' AS bigint) FROM financial_accounts
				WHERE account_id = $1 AND reconcile_id = ANY($2))
		ORDER BY id FOR KEY SHARE`, s.AccountID, reconciles)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		UPDATE financial_transactions SET reconcile_id = NULL, left_to_people = left_to_people OR $3, updated_at = now()
		WHERE account_id = $1 AND reconcile_id = ANY($2)`, s.AccountID, reconciles, leave)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(accounts, func(f finance.FinancialAccount) bool { return f.SaleAccountID != nil }) {
		reopened, err := db.Many[int64](ctx, tx.DB, `
			SELECT id FROM financial_accounts
			WHERE account_id = $1 AND reconcile_id = ANY($2) AND sale_account_id IS NOT NULL
				AND before_reconcile -> 'status' = '1'`, s.AccountID, reconciles)
		if err != nil {
			return err
		}
		if err := tx.reinstateDailyReceivables(ctx, s.AccountID, reopened); err != nil {
			return err
		}
	}
	_, err = db.Exec(ctx, tx.DB, `
		UPDATE financial_accounts f SET (`+restoredColumns.List("")+`) = (
				SELECT b.status, b.occurred_at, b.total_amount, b.ticket_amount, b.interest_amount, b.discount_amount,
					b.withheld_tax_amount, b.fee_amount,
					CASE WHEN f.before_reconcile IS NULL OR b.expected_deposit_account_id = ANY($3)
						THEN b.expected_deposit_account_id END
				FROM jsonb_populate_record(f, coalesce(f.before_reconcile, '{"status": 2}')) b),
			reconcile_id = NULL, before_reconcile = NULL, updated_at = now()
		WHERE f.account_id = $1 AND f.reconcile_id = ANY($2) AND f.before_reconcile -> 'new' IS NULL`, s.AccountID,
		reconciles, expected)
	if err != nil {
		return err
	}
	if err := tx.FollowReceivables(ctx, s, accounts); err != nil {
		return err
	}
	if err := tx.removeAccounts(ctx, s.AccountID, finance.NewAccounts(accounts)); err != nil {
		return err
	}
	err = tx.ExecEmitting(ctx, "reconciles", `
		DELETE FROM reconciles WHERE account_id = @account AND id = ANY(@ids) RETURNING`,
		finance.Destroyed, s.AccountID, db.Args{"ids": reconciles})
	if err != nil {
		return err
	}
	return tx.EmitReconciled(ctx, s, accounts, transactions, finance.Destroyed)
}

// EmitReconciled emits the updates of the records of reconciliations, and the events of the
// accounts that the reconciliations made.
func (tx *Tx) EmitReconciled(ctx context.Context, s Scope, accounts []finance.FinancialAccount, transactions []int64,
	made finance.Action) error {
	type change struct {
		family finance.Family
		action finance.Action
	}
	changed := map[change][]int64{}
	for _, f := range accounts {
		c := change{finance.Family(f.Kind + "_accounts"), finance.Updated}
		if f.NewInReconcile {
			c.action = made
		}
		changed[c] = append(changed[c], f.ID)
	}
	e := finance.Event{AccountID: s.AccountID, EntityID: s.EntityID}
	for _, e.Family = range []finance.Family{finance.PayableAccountsFamily, finance.ReceivableAccountsFamily} {
		for _, e.Action = range []finance.Action{finance.Updated, made} {
			if e.IDs = changed[change{e.Family, e.Action}]; len(e.IDs) == 0 {
				continue
			}
			if err := tx.Emit(ctx, e); err != nil {
				return err
			}
		}
	}
	e.Family, e.Action, e.IDs = finance.FinancialTransactionsFamily, finance.Updated, transactions
	return tx.emitTransactions(ctx, e)
}

func reconcileEvent(r *finance.Reconcile, action finance.Action) finance.Event {
	return finance.Event{
		Family: finance.ReconcilesFamily, Action: action, AccountID: r.AccountID, EntityID: r.EntityID, IDs: []int64{
			r.ID},
		VisibleTo: finance.FamilyList{finance.Family(r.Kind + "_accounts")},
	}
}

// OfTransactions selects, for UndoReconciles, transactions by their @ids.
const OfTransactions = `financial_transactions WHERE account_id = @account AND id = ANY(@ids)`

// UndoReconcilesAround undoes the reconciliations of the records that of selects, as UndoReconciles
// does, before lock locks the records, in the order of docs/locking.md, and again after it: one may
// have been made while a lock was awaited.
func (tx *Tx) UndoReconcilesAround(ctx context.Context, account int64, of string, ids []int64,
	lock func() error) error {
	if err := tx.UndoReconciles(ctx, account, of, ids); err != nil {
		return err
	}
	if err := lock(); err != nil {
		return err
	}
	return tx.UndoReconciles(ctx, account, of, ids)
}

// UndoReconciles undoes the reconciliations of the records of a table and a condition on @account and
// @ids. It locks in the same order as LockReconcileForDelete.
func (tx *Tx) UndoReconciles(ctx context.Context, account int64, of string, ids []int64) error {
	lock := db.Bind(`SELECT id, entity_id FROM reconciles WHERE account_id = @account AND id = ANY(ARRAY(
		SELECT reconcile_id FROM ` + of + ` AND reconcile_id IS NOT NULL)) ORDER BY id FOR UPDATE`)
	reconciles, err := db.ManyNamed[finance.Reconcile](ctx, tx.DB, lock, db.Args{"account": account, "ids": ids})
	if err != nil || len(reconciles) == 0 {
		return err
	}
	undone := make([]int64, len(reconciles))
	for i, r := range reconciles {
		undone[i] = r.ID
	}
	accounts, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT id, kind, sale_account_id, sales_count, before_reconcile -> 'new' IS NOT NULL AS new_in_reconcile
			FROM financial_accounts
		WHERE account_id = $1 AND reconcile_id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, account, undone)
	if err != nil {
		return err
	}
	transactions, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM financial_transactions WHERE account_id = $1 AND reconcile_id = ANY($2)
			ORDER BY id FOR NO KEY UPDATE`, account, undone)
	if err != nil {
		return err
	}
	s := Scope{AccountID: account, EntityID: reconciles[0].EntityID} // all are of one entity
	return tx.removeReconciles(ctx, s, undone, accounts, transactions, false)
}

// ShareStatements locks the bank statements of transactions FOR KEY SHARE, against deletion, and
// leaves out the transactions of statements that are being deleted.
func (tx *Tx) ShareStatements(ctx context.Context, account int64, transactions []finance.FinancialTransaction) (
	[]finance.FinancialTransaction, error) {
	var brought []int64
	for _, t := range transactions {
		if t.BankStatementID != nil {
			brought = append(brought, *t.BankStatementID)
		}
	}
	if len(brought) == 0 {
		return transactions, nil
	}
	held, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM bank_statements WHERE account_id = $1 AND id = ANY($2) AND deleted_at IS NULL
			ORDER BY id FOR KEY SHARE`, account, brought)
	return slices.DeleteFunc(transactions, func(t finance.FinancialTransaction) bool {
		return t.BankStatementID != nil && !slices.Contains(held, *t.BankStatementID)
	}), err
}
