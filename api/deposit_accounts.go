package api

import (
	"context"
	"net/http"
	"slices"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var depositAccounts = resource[finance.DepositAccount]{
	root: "deposit_account", plural: "deposit_accounts",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.DepositAccount],
		error) {
		return q.DepositAccounts(ctx, c.scope(), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.DepositAccount, error) {
		return q.DepositAccount(ctx, c.scope(), id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.DepositAccount, error) {
		return tx.LockDepositAccount(ctx, c.scope(), id)
	},
	newRecord: func(c *call) *finance.DepositAccount {
		return &finance.DepositAccount{AccountID: c.access.AccountID, EntityID: c.entityID, CurrencyID: finance.BRL}
	},
	assign:   assignDepositAccount,
	validate: (*finance.DepositAccount).Validate,
	identity: func(_ *call, d *finance.DepositAccount) identity {
		scope := storage.Scope{AccountID: d.AccountID, EntityID: d.EntityID}
		return identity{storage.DepositAccountIDs, scope, d.ID, d.ExternalID}
	},
	lockReferences: lockDepositAccountReferences,
	conflicts:      (*storage.Tx).DepositAccountConflicts,
	insert:         inTurn((*storage.Tx).InsertDepositAccount),
	update:         (*storage.Tx).UpdateDepositAccount,
	remove:         (*storage.Tx).RemoveDepositAccount,
	events:         depositAccountEvents,
	show:           showDepositAccount,
	path:           func(_ *call, d *finance.DepositAccount) string { return paths.DepositAccount(d.EntityID, d.ID) },
}

// destroyDepositAccount removes a deposit account with the reconciliations of its transactions:
// 200, empty. It refuses a user without the permission to undo one of them.
func (a *API) destroyDepositAccount(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		d, err := depositAccounts.lockBy(ctx, tx, c, lockDepositAccountForDelete)
		if err != nil {
			return answer{}, err
		}
		return depositAccounts.destroyed(ctx, tx, c, d, http.StatusOK)
	})
}

func lockDepositAccountForDelete(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.DepositAccount,
	error) {
	d, err := tx.LockDepositAccountForDelete(ctx, c.scope(), id)
	if err != nil {
		return nil, err
	}
	bound, err := tx.ReconciledBeyond(ctx, c.access, d)
	if err == nil && bound {
		err = c.lackingKinds()
	}
	return d, err
}

// lockDepositAccountReferences refuses automatic reconciliation to users without the permission to
// reconcile.
func lockDepositAccountReferences(_ context.Context, _ *storage.Tx, c *call, d *finance.DepositAccount,
	before finance.DepositAccount) error {
	missing := slices.DeleteFunc(slices.Clone(reconcilesAll), c.access.Allows)
	if d.AutomaticReconciliation == before.AutomaticReconciliation || len(missing) == 0 {
		return nil
	}
	return lacking(missing...)
}

func assignDepositAccount(in *wire.Input, d *finance.DepositAccount) {
	in.Has("entity_id") // of the path
	assignExternalID(in, &d.ExternalID)
	in.String("name", &d.Name)
	in.StringPtr("description", &d.Description)
	in.IntPtr("deposit_account_type_id", &d.DepositAccountTypeID)
	in.IntPtr("bank_account_id", &d.BankAccountID)
	in.Int("currency_id", &d.CurrencyID)
	if d.CurrencyID == 0 { // null restores the default
		d.CurrencyID = finance.BRL
	}
	in.StringPtr("account_number", &d.AccountNumber)
	wire.DecodeIntoPtr(in, "initial_balance", &d.InitialBalance)
	assignStatementMapping(in, &d.StatementMapping)
	in.Bool("force_destroy", &d.ForceDestroy)
	in.Bool("automatic_reconciliation", &d.AutomaticReconciliation)
	archive := d.ArchivedAt != nil
	in.Bool("archive", &archive)
	d.SetArchive(archive, in.Now)
}

// assignStatementMapping reads a mapping. It replaces the whole earlier one.
func assignStatementMapping(in *wire.Input, m **finance.StatementMapping) {
	sent := in.Object("statement_mapping")
	if in.Has("statement_mapping") {
		*m = nil
	}
	if sent == nil {
		return
	}
	*m = &finance.StatementMapping{}
	eachMapping(*m, sent.StringPtr)
}

// showStatementMapping shows a mapping, or null.
func showStatementMapping(w *wire.Writer, m *finance.StatementMapping) {
	w.ObjectIf(m != nil, "statement_mapping", func() {
		shown := finance.StatementMapping{}
		if m != nil { // the schema shows it without one
			shown = *m
		}
		eachMapping(&shown, func(name string, value **string) { w.StringPtr(name, *value) })
	})
}

// eachMapping calls f for each attribute of a mapping.
func eachMapping(m *finance.StatementMapping, f func(name string, value **string)) {
	f("separator", &m.Separator)
	f("decimal", &m.Decimal)
	f("date_format", &m.DateFormat)
	f("date", &m.Date)
	f("amount", &m.Amount)
	f("amount_sign", &m.AmountSign)
	f("credit", &m.Credit)
	f("debit", &m.Debit)
	f("description", &m.Description)
	f("document", &m.Document)
	f("balance", &m.Balance)
}

func depositAccountEvents(_ *call, d *finance.DepositAccount, action finance.Action) []finance.Event {
	return []finance.Event{{
		Family: finance.DepositAccountsFamily, Action: action,
		AccountID: d.AccountID, EntityID: d.EntityID, IDs: []int64{d.ID},
	}}
}

func showDepositAccount(c *call, w *wire.Writer, d *finance.DepositAccount) {
	w.Int("id", d.ID)
	w.StringPtr("external_id", d.ExternalID)
	w.Int("entity_id", d.EntityID)
	w.String("name", d.Name)
	w.StringPtr("description", d.Description)
	w.IntPtr("deposit_account_type_id", d.DepositAccountTypeID)
	w.IntPtr("bank_account_id", d.BankAccountID)
	w.Int("currency_id", d.CurrencyID)
	w.StringPtr("account_number", d.AccountNumber)
	w.StringPtr("suggested_account_number", d.SuggestedAccountNumber)
	wire.DecimalPtr(w, "initial_balance", d.InitialBalance)
	wire.Decimal(w, "calculated_balance", d.CalculatedBalance)
	showStatementMapping(w, d.StatementMapping)
	w.Bool("archive", d.ArchivedAt != nil)
	w.TimePtr("archived_at", d.ArchivedAt)
	wire.DatePtr(w, "last_transaction_date", d.LastTransactionDate)
	w.Bool("automatic_reconciliation", d.AutomaticReconciliation)
	w.Bool("force_destroy", d.ForceDestroy)
	w.Bool("imported_from_sync", false)
	w.Null("sync_response")
	w.String("logo_image_url", d.LogoImageURL())
	w.Time("created_at", d.CreatedAt)
	w.Time("updated_at", d.UpdatedAt)
	c.links(w, link{"self", "get", paths.DepositAccount(d.EntityID, d.ID)})
	if d.IsRegister() {
		w.String("register_status", d.LastSession.Status())
		showSession(w, d.LastSession.RegisterSession)
	}
}

var depositAccountFields = openapi.Fields{
	"name": {Doc: "Its name.", Example: "Conta corrente"},
	"deposit_account_type_id": {Doc: ofTypes + " It cannot change from or to 6 once the account has bank statements.",
		Enum: openapi.Enum{Name: "DepositAccountType", Values: finance.DepositAccountTypes}, NotNull: true},
	"bank_account_id": {
		Doc: "A bank of `/banks`; null for the cash types 2 and 8.",
		In:  "One of `/banks`, else 422. Becomes null for the cash types 2 and 8.",
	},
	"currency_id": {
		Doc: "1 is the Brazilian real. The currency cannot change once the account has a transaction, a statement or " +
			"a register session.",
		In: "One of `/currencies`, else 422; the account's, 1, when absent or null.", Nullable: true,
	},
	"account_number": {
		Doc: "The account number at the bank. If set, only a statement's items of this account are imported.",
		In:  "As the bank's files write it; letters and digits count.",
	},
	"suggested_account_number": {Doc: "The account number of the first imported statement that has one, even without " +
		"movements; null once `account_number` is set. " +
		"Files of another account are refused."},
	"statement_mapping": {Doc: "How the bank writes a CSV or XLSX with a header that is none of the known ones: the " +
		"names of its columns. Null if there is none.",
		In: "Replaces the whole mapping. `date`, `description` and `amount`, or `credit` and `debit`, are required. " +
			"Known headers are read without it."},
	"initial_balance": {Doc: "The balance before its first transaction.", Example: "1500.0"},
	"calculated_balance": {Doc: "The initial balance and every transaction, exact at every moment.",
		Example: "1349.01"},
	"archive": {Doc: "Whether it is archived.", In: "Archives the account and brings it back."},
	"automatic_reconciliation": {
		Doc: "Whether the worker reconciles the transactions of the account that match exactly one payable or " +
			"receivable account.",
		In: "A change needs the permissions financial_transactions, payable_accounts and receivable_accounts, else " +
			"403.",
	},
	"last_transaction_date": {Doc: "The newest day of its transactions."},
	"logo_image_url": {Doc: "A neutral picture of its type, relative to the address of the API; it needs no " +
		"token.", Example: "logos/logo-bank-account.png"},
}
