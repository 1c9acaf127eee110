package matching

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// Chunk is what became of decisions that were stored together.
type Chunk struct {
	Made  int            // reconciliations
	Stale bool           // a record has changed since it was read: decisions on the changed books may differ
	Left  []finance.Date // of the transactions of decisions that have to wait for a job
}

// ReconcileDecided stores decisions on records of the books, each as a reconciliation of its own,
// with a constant number of statements, and a few for each rule that makes accounts. It skips a
// decision if one of its records has changed since it was read. It leaves a decision on an account that a job
// is about to change: the invoice of a card with pending days, or a receivable account of sales that await pricing.
// Other decisions on the same amount may rely on the skipped or left one: those of the chunk are treated alike, and
// after a left decision those of later chunks of the books, too. It emits the events of the reconciliations and of
// their records. An entity that is deleted, or being deleted, is ErrNotFound.
func ReconcileDecided(ctx context.Context, tx *storage.Tx, b *OpenBooks, decided []finance.Decision) (c Chunk,
	err error) {
	e, err := tx.ShareEntity(ctx, b.Scope)
	if err == nil && e.DeletedAt != nil {
		err = storage.ErrNotFound
	}
	if err != nil {
		return c, err
	}
	// The checks of foreign keys are planned once for a session: while there are few reconciliations,
	// each would read all of them, also later.
	if _, err := db.Exec(ctx, tx.DB, `SET LOCAL enable_seqscan = off`); err != nil {
		return c, err
	}
	same, err := sameRules(ctx, tx, b)
	if err != nil || !same {
		return Chunk{Stale: true}, err
	}
	if decided, err = withoutMissing(ctx, tx, b.Scope, decided); err != nil {
		return c, err
	}
	held, err := lockDecided(ctx, tx, b.Scope, decided)
	if err != nil {
		return c, err
	}
	reconciles, changed := make([]*finance.Reconcile, len(decided)), map[finance.Amount]bool{}
	for i, d := range decided {
		if d.Account != nil && held.awaiting[d.Account.ID] {
			b.awaiting[d.Transaction.Amount] = true
			continue
		}
		r, valid := held.reconcile(b.Scope, d)
		if r == nil && valid { // an invalid one is not better when it is tried again
			changed[d.Transaction.Amount] = true
		}
		reconciles[i] = r
	}
	var all []*finance.Reconcile
	for i, r := range reconciles {
		switch t := decided[i].Transaction; {
		case b.awaiting[t.Amount]:
			c.Left = append(c.Left, t.OccurredAt)
		case changed[t.Amount]:
			c.Stale = true
		case r != nil:
			all = append(all, r)
		}
	}
	if c.Made = len(all); c.Made == 0 {
		return c, nil
	}
	return c, insertReconciles(ctx, tx, b.Scope, all)
}

// withoutMissing leaves out the decisions of rules with a reference to a record that is being
// deleted; the deletion clears these rules. It locks the references of the other rules against
// deletion.
func withoutMissing(ctx context.Context, tx *storage.Tx, s storage.Scope, decided []finance.Decision) (
	[]finance.Decision, error) {
	missing := map[int64]bool{}
	for _, d := range decided {
		if d.Account != nil {
			continue
		}
		if _, known := missing[d.Rule.ID]; known {
			continue
		}
		var invalid *finance.Invalid
		err := tx.ShareNewAccounts(ctx, s, finance.Access{}, []finance.FinancialAccount{
			d.Rule.AccountOf(d.Transaction.Amount)})
		if missing[d.Rule.ID] = errors.As(err, &invalid); err != nil && !missing[d.Rule.ID] {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(decided), func(d finance.Decision) bool {
		return d.Account == nil && missing[d.Rule.ID]
	}), nil
}

// heldRecords are the records of decisions that have not changed since they were read.
type heldRecords struct {
	depositAccounts map[int64]bool // the existing ones, and whether they are reconciled automatically
	accounts        map[int64]finance.FinancialAccount
	awaiting        map[int64]bool // accounts that a job is about to change
	transactions    map[int64]finance.FinancialTransaction
}

// version is a column of the row of t that every change of the row changes.
type version struct{ ID, Version int64 }

// lockDecided locks the records of decisions in the order of docs/locking.md.
func lockDecided(ctx context.Context, tx *storage.Tx, s storage.Scope, decided []finance.Decision) (held heldRecords,
	err error) {
	var depositAccounts, transactions, accounts []int64
	versions := map[version]bool{}
	for _, d := range decided {
		transactions, depositAccounts = append(transactions, d.Transaction.ID),
			append(depositAccounts, d.Transaction.DepositAccountID)
		versions[version{d.Transaction.ID, d.Transaction.Version}] = true
		if d.Account != nil {
			accounts = append(accounts, d.Account.ID)
			versions[version{-d.Account.ID, d.Account.Version}] = true
		}
	}
	existing, err := db.Many[struct {
		ID        int64
		Automatic bool
	}](ctx, tx.DB, `
		SELECT id, automatic_reconciliation AS automatic FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`,
		s.AccountID, s.EntityID, depositAccounts)
	if err != nil {
		return held, err
	}
	held = heldRecords{map[int64]bool{}, map[int64]finance.FinancialAccount{}, map[int64]bool{},
		map[int64]finance.FinancialTransaction{}}
	for _, d := range existing {
		held.depositAccounts[d.ID] = d.Automatic
	}
	lockedAccounts, accountVersions, err := db.ManyWith[finance.FinancialAccount, int64](ctx, tx.DB, `
		SELECT `+storage.ReconciledColumns.List("")+`, kind, status, amount, sale_account_id, credit_card_invoice_id,
			CAST(xmin::text AS bigint) AS version FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) ORDER BY id FOR NO KEY UPDATE`, s.AccountID,
		s.EntityID, accounts)
	if err != nil {
		return held, err
	}
	var sameAccounts []finance.FinancialAccount
	for i, f := range lockedAccounts {
		if versions[version{-f.ID, accountVersions[i]}] {
			sameAccounts = append(sameAccounts, f)
		}
	}
	if sameAccounts, err = tx.ShareOwners(ctx, s.AccountID, sameAccounts); err != nil {
		return held, err
	}
	for _, f := range sameAccounts {
		if f.Awaits != nil {
			held.awaiting[f.ID] = true
		} else {
			held.accounts[f.ID] = f
		}
	}
	var same []finance.FinancialTransaction
	lockedTransactions, transactionVersions, err := db.ManyWith[finance.FinancialTransaction, int64](ctx, tx.DB, `
		SELECT id, deposit_account_id, amount, occurred_at, bank_statement_id, CAST(xmin::text AS bigint) AS version
			FROM financial_transactions
		WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, s.AccountID, transactions)
	if err != nil {
		return held, err
	}
	for i, t := range lockedTransactions {
		if versions[version{t.ID, transactionVersions[i]}] {
			same = append(same, t)
		}
	}
	same, err = tx.ShareStatements(ctx, s.AccountID, same)
	for _, t := range same {
		held.transactions[t.ID] = t
	}
	return held, err
}

// reconcile returns the reconciliation that a decision makes; nil if its records are not held, or if the
// new account would not be valid.
func (held heldRecords) reconcile(s storage.Scope, d finance.Decision) (made *finance.Reconcile, valid bool) {
	t, found := held.transactions[d.Transaction.ID]
	automatic, exists := held.depositAccounts[t.DepositAccountID]
	if !found || !exists || d.Rule == nil && !automatic {
		return nil, true
	}
	r := finance.Reconcile{
		AccountID: s.AccountID, EntityID: s.EntityID, Reasons: d.Reasons, Transactions: []finance.FinancialTransaction{
			t},
	}
	if d.Rule != nil {
		r.RuleID = &d.Rule.ID
	}
	if d.Account == nil {
		q := finance.Reconciling{NewAccounts: []finance.FinancialAccount{d.Rule.AccountOf(t.Amount)}}
		if q.ValidateNew(&r) != nil { // its day may be in January of the year 1, which is no competency month
			return nil, false
		}
		return &r, true
	}
	f, found := held.accounts[d.Account.ID]
	if !found {
		return nil, true
	}
	f.SettleOn(t.OccurredAt)
	r.Accounts = append(r.Accounts, f)
	return &r, true
}

// insertReconciles stores new reconciliations of the worker, each of one locked transaction, as
// InsertReconcile does one.
func insertReconciles(ctx context.Context, tx *storage.Tx, s storage.Scope, made []*finance.Reconcile) error {
	ids, err := db.Many[int64](ctx, tx.DB, `SELECT nextval('reconciles_id_seq') FROM generate_series(1, $1)`, len(made))
	if err != nil {
		return err
	}
	slices.Sort(ids)
	var selected, added []finance.FinancialAccount
	var transactions []int64
	rows := make([]automaticRow, len(made))
	for i, r := range made {
		t := &r.Transactions[0]
		f := r.Accounts[0]
		r.ID = ids[i]
		rows[i] = automaticRow{r.ID, f.Kind, r.RuleID, r.Reasons, r.Month().Day(1).String()}
		transactions = append(transactions, t.ID)
		f.ReconcileID, f.ExpectedDepositAccountID = &r.ID, &t.DepositAccountID
		if f.NewInReconcile {
			added = append(added, f)
		} else {
			selected = append(selected, f)
		}
	}
	if err := insertAutomaticRows(ctx, tx, s, rows); err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		UPDATE financial_transactions t SET reconcile_id = n.reconcile_id, updated_at = now()
			FROM unnest($2::bigint[], $3::bigint[]) AS n (id, reconcile_id)
		WHERE t.account_id = $1 AND t.id = n.id`, s.AccountID, transactions, ids)
	if err != nil {
		return err
	}
	document, err := storage.ReconciledColumns.JSON(selected)
	if err != nil {
		return err
	}
	stored, err := db.Many[finance.FinancialAccount](ctx, tx.DB,
		storage.ReconcileSelected+`f.id, f.kind, f.sale_account_id, f.sales_count`, s.AccountID, string(document))
	if err != nil {
		return err
	}
	if len(added) > 0 {
		if err := tx.InsertNewAccounts(ctx, s, nil, added); err != nil {
			return err
		}
	}
	if err := tx.FollowReceivables(ctx, s, stored); err != nil {
		return err
	}
	return tx.EmitReconciled(ctx, s, append(stored, added...), transactions, finance.Created)
}

// automaticRow is a reconciliation of the worker.
type automaticRow struct {
	ID      int64               `json:"id"`
	Kind    finance.AccountKind `json:"kind"`
	RuleID  *int64              `json:"rule_id"`
	Reasons []string            `json:"reasons"`
	Month   string              `json:"month"` // its first day
}

// insertAutomaticRows stores reconciliations of the worker and emits their creation.
func insertAutomaticRows(ctx context.Context, tx *storage.Tx, s storage.Scope, rows []automaticRow) error {
	document, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return tx.ExecEmitting(ctx, "reconciles", `
		INSERT INTO reconciles (account_id, entity_id, id, kind, made_by, rule_id, reasons, month)
		SELECT @account, @entity, id, kind, 'automatic', rule_id, reasons, month
		FROM json_to_recordset(@rows) AS n (id bigint, kind text, rule_id bigint, reasons jsonb, month date)
		ORDER BY id RETURNING`, finance.Created, s.AccountID, db.Args{"entity": s.EntityID, "rows": string(document)})
}
