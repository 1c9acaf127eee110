package demo

import (
	"context"
	"iter"

	"bordero/finance"
	books "bordero/finance/demo"
	"bordero/storage/imports"
)

// movements stores the transactions, the financial accounts that they paid, and the
// reconciliations of both.
func (f *loader) movements(ctx context.Context) error {
	all := f.read(f.c.Movements(f.options.Transactions))
	return inChunks(all, func(chunk []*books.Movement) error {
		if err := f.storeMovements(ctx, chunk); err != nil {
			return err
		}
		f.stats.FinancialTransactions += len(chunk)
		return f.committed("transactions", f.stats.FinancialTransactions, f.options.Transactions, 2*len(chunk))
	})
}

func (f *loader) storeMovements(ctx context.Context, chunk []*books.Movement) error {
	var paid []*books.Movement
	var accounts []*finance.FinancialAccount
	var reconciles [][]any
	for _, m := range chunk {
		if m.Account == nil {
			continue
		}
		paid, accounts = append(paid, m), append(accounts, m.Account)
	}
	ids, err := f.ids(ctx, "reconciles", len(paid))
	if err != nil {
		return err
	}
	for i, m := range paid {
		if m.Reconciled {
			m.Account.ReconcileID, m.Transaction.ReconcileID = &ids[i], &ids[i]
			reconciles = append(reconciles, []any{ids[i], f.options.AccountID, f.stats.EntityID, m.Account.Kind})
		}
	}
	if err := f.copy(ctx, "reconciles", []string{"id", "account_id", "entity_id", "kind"}, reconciles); err != nil {
		return err
	}
	f.stats.Reconciles += len(reconciles)
	if err := f.storeAccounts(ctx, accounts); err != nil {
		return err
	}
	if ids, err = f.ids(ctx, "financial_transactions", len(chunk)); err != nil {
		return err
	}
	var transactions, items [][]any
	for i, m := range chunk {
		t := &m.Transaction
		t.ID = ids[i]
		transactions = append(transactions, []any{ids[i], t.AccountID, t.DepositAccountID, t.Amount, t.OccurredAt,
			t.GUID, t.Document,
			t.OriginalDescription, t.BankStatementID, t.CurrencyID, t.CategoryID, t.PersonID, t.ClassificationCenterID,
			t.ReconcileID, t.EndToEndID, t.Txid, t.CounterpartName, t.CounterpartDocument})
		number, ordinal := f.item(t)
		items = append(items, []any{t.AccountID, t.DepositAccountID, t.OccurredAt, t.Amount, ordinal, t.GUID,
			t.OriginalDescription,
			t.BankStatementID, number, number, t.Document, ids[i], false})
	}
	err = f.copy(ctx, "financial_transactions", []string{"id", "account_id", "deposit_account_id", "amount",
		"occurred_at", "guid", "document",
		"original_description", "bank_statement_id", "currency_id", "category_id", "person_id",
		"classification_center_id", "reconcile_id", "end_to_end_id", "txid", "counterpart_name",
		"counterpart_document"}, transactions)
	if err != nil {
		return err
	}
	return f.copy(ctx, "imported_items", []string{"account_id", "deposit_account_id", "day", "amount", "ordinal",
		"fitid", "description",
		"bank_statement_id", "number", "line", "document", "financial_transaction_id", "card"}, items)
}

// read sets what an import reads in the texts of the transactions. It works while the chunk before is stored.
func (f *loader) read(all iter.Seq[*books.Movement]) iter.Seq[*books.Movement] {
	banks := map[int64]int64{}
	for _, d := range f.c.Banks {
		banks[d.ID] = finance.OrZero(d.BankAccountID)
	}
	return func(yield func(*books.Movement) bool) {
		for m := range all {
			t := &m.Transaction
			p := imports.PaymentOf(banks[t.DepositAccountID], finance.OrZero(t.OriginalDescription),
				finance.OrZero(t.Document), finance.OrZero(t.GUID))
			t.EndToEndID, t.Txid = written(p.EndToEndID), written(p.TxID)
			t.CounterpartName, t.CounterpartDocument = written(p.CounterpartName), written(p.CounterpartDocument)
			if !yield(m) {
				return
			}
		}
	}
}

// written returns nil for a missing text.
func written(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// item returns the number of the transaction's item in its statement, and its ordinal among the
// items of the same deposit account, day and amount. Transactions must come in order of day.
func (f *loader) item(t *finance.FinancialTransaction) (number, ordinal int) {
	if t.OccurredAt != f.day {
		f.day = t.OccurredAt
		clear(f.ordinals)
	}
	f.numbers[*t.BankStatementID]++
	same := ordinalKey{t.DepositAccountID, t.Amount}
	f.ordinals[same]++
	return f.numbers[*t.BankStatementID], f.ordinals[same]
}

// open stores the open financial accounts.
func (f *loader) open(ctx context.Context) error {
	return inChunks(f.c.Open(f.options.Transactions), func(chunk []*finance.FinancialAccount) error {
		return f.storeAccounts(ctx, chunk)
	})
}

var accountColumns = []string{"id", "account_id", "entity_id", "kind", "status", "due_date", "occurred_at", "amount",
	"total_amount",
	"competency_month", "description", "document", "category_id", "person_id", "classification_center_id",
	"expected_deposit_account_id", "reconcile_id"}

// storeAccounts stores financial accounts and sets their ids.
func (f *loader) storeAccounts(ctx context.Context, accounts []*finance.FinancialAccount) error {
	ids, err := f.ids(ctx, "financial_accounts", len(accounts))
	if err != nil {
		return err
	}
	var rows, classified [][]any
	for i, a := range accounts {
		a.ID = ids[i]
		for _, k := range a.CustomClassifications {
			classified = append(classified, []any{a.AccountID, a.ID, k.ValueID, k.Amount})
		}
		rows = append(rows, []any{a.ID, a.AccountID, a.EntityID, a.Kind, a.Status, a.DueDate, a.OccurredAt, a.Amount,
			a.TotalAmount, a.CompetencyMonth,
			a.Description, a.Document, a.CategoryID, a.PersonID, a.ClassificationCenterID, a.ExpectedDepositAccountID,
			a.ReconcileID})
	}
	f.stats.FinancialAccounts += len(rows)
	f.stats.Rows += len(rows) + len(classified)
	if err := f.copy(ctx, "financial_accounts", accountColumns, rows); err != nil {
		return err
	}
	return f.copy(ctx, "financial_account_custom_classifications",
		[]string{"account_id", "financial_account_id", "custom_classifier_value_id", "amount"}, classified)
}
