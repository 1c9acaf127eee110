package demo

import (
	"context"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/db"
)

// sales stores the sales with their receivable accounts; settle computes the sums of the accounts.
func (f *loader) sales(ctx context.Context) error {
	return inChunks(f.c.Sales(f.options.Sales), func(chunk []*finance.Sale) error {
		if err := f.gather(ctx, chunk); err != nil {
			return err
		}
		rows, err := f.storeSales(ctx, chunk)
		if err != nil {
			return err
		}
		f.stats.Sales += len(chunk)
		return f.committed("sales", f.stats.Sales, f.options.Sales, rows)
	})
}

// gather puts each priced sale into the receivable account of its day, or into one of its own
// if its sale account does not consolidate.
func (f *loader) gather(ctx context.Context, chunk []*finance.Sale) error {
	ids, err := f.ids(ctx, "financial_accounts", len(chunk)) // more than needed
	if err != nil {
		return err
	}
	of := map[int64]*finance.SaleAccount{}
	for _, o := range f.c.Outlets {
		of[o.Account.ID] = &o.Account
	}
	var opened [][]any
	for i, s := range chunk {
		if s.ReceivableAmount == nil {
			continue
		}
		a, day := of[s.SaleAccountID], *s.EstimatedLiquidatedAt
		home, found := f.gathering[gatheringKey{a.ID, day}]
		if !found || !a.Consolidate {
			home = ids[i]
			f.gathering[gatheringKey{a.ID, day}] = home
			opened = append(opened, receivableOf(home, a, s))
		}
		s.FinancialAccountID = &home
	}
	f.stats.FinancialAccounts += len(opened)
	f.stats.Rows += len(opened)
	return f.copy(ctx, "financial_accounts", []string{"id", "account_id", "entity_id", "kind", "status", "due_date",
		"occurred_at", "amount",
		"total_amount", "competency_month", "description", "sale_account_id", "consolidated", "gathering",
		"expected_deposit_account_id"}, opened)
}

// receivableOf returns the row of the receivable account that pricing would open for the sale,
// without a sum.
func receivableOf(id int64, a *finance.SaleAccount, s *finance.Sale) []any {
	day := *s.EstimatedLiquidatedAt
	description := *s.Description
	if written := day.String(); a.Consolidate {
		description = a.Name + " " + written[8:] + "/" + written[5:7] + "/" + written[:4]
	}
	var total *finance.Amount
	if s.Status == finance.SaleLiquidated {
		total = new(finance.Amount)
	}
	return []any{id, a.AccountID, a.EntityID, finance.Receivable, s.Status, day, s.LiquidatedAt, finance.Amount(0),
		total, finance.MonthOf(day),
		description, a.ID, a.Consolidate, a.Consolidate, a.ExpectedDepositAccountID}
}

// storeSales stores the sales with their taxes and classifications, and returns the number of
// rows.
func (f *loader) storeSales(ctx context.Context, chunk []*finance.Sale) (int, error) {
	ids, err := f.ids(ctx, "sales", len(chunk))
	if err != nil {
		return 0, err
	}
	var sales, taxes, classified [][]any
	for i, s := range chunk {
		sales = append(sales, []any{ids[i], s.AccountID, s.EntityID, s.SaleAccountID, s.Status, false, s.PaymentMethod,
			s.Issuer, s.Document,
			s.ProviderCode, s.OccurredAt, s.CompetencyMonth, s.Description, s.NominalAmount, s.DiscountAmount,
			s.TotalAmount, s.TotalTaxes,
			s.SaleRuleID, s.FinancialAccountID, s.FeePercentage, s.FeePercentageAmount, s.FixedFeeAmount,
			s.ReceivableAmount, s.DaysToLiquidation,
			s.LiquidationWeekday, s.EstimatedLiquidatedAt, s.LiquidatedAt, s.InstallmentNumber, s.InstallmentCount,
			s.CategoryID, s.PersonID,
			s.ClassificationCenterID})
		for _, t := range s.Taxes {
			taxes = append(taxes, []any{s.AccountID, ids[i], t.TaxID, t.Amount})
		}
		for _, k := range s.CustomClassifications {
			classified = append(classified, []any{s.AccountID, ids[i], k.ValueID, k.Amount})
		}
	}
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{
		{"sales", []string{"id", "account_id", "entity_id", "sale_account_id", "status", "awaiting_pricing",
			"payment_method", "issuer", "document",
			"provider_code", "occurred_at", "competency_month", "description", "nominal_amount", "discount_amount",
			"total_amount", "total_taxes",
			"sale_rule_id", "financial_account_id", "fee_percentage", "fee_percentage_amount", "fixed_fee_amount",
			"receivable_amount",
			"days_to_liquidation", "liquidation_weekday", "estimated_liquidated_at", "liquidated_at",
			"installment_number", "installment_count",
			"category_id", "person_id", "classification_center_id"}, sales},
		{"sale_taxes", []string{"account_id", "sale_id", "tax_id", "amount"}, taxes},
		{"sale_custom_classifications", []string{"account_id", "sale_id", "custom_classifier_value_id", "amount"},
			classified},
	} {
		if err := f.copy(ctx, table.name, table.columns, table.rows); err != nil {
			return 0, err
		}
	}
	return len(sales) + len(taxes) + len(classified), nil
}

// settle analyses the tables, because the planner needs statistics at once, then computes the
// stored sums of movements and sales and ends the imports. With two roles it may not analyse them: without statistics
// of the account, the planner would sum up all its sales once for each of its receivable accounts.
func (f *loader) settle(ctx context.Context) error {
	f.step("sums", 0, 1)
	if _, err := db.Exec(ctx, f.tx.DB, `SET LOCAL enable_nestloop = off`); err != nil {
		return err
	}
	for _, table := range []string{"people", "bank_statements", "imported_items", "reconciles",
		"financial_transactions", "financial_accounts",
		"financial_account_custom_classifications", "sales", "sale_taxes", "sale_custom_classifications",
		"deposit_accounts"} {
		if _, err := db.Exec(ctx, f.tx.DB, `ANALYZE `+table); err != nil {
			return err
		}
	}
	for _, query := range []string{`
		UPDATE deposit_accounts d SET transactions_sum = t.sum, transactions_count = t.count,
			last_transaction_date = t.last
		FROM (SELECT t.deposit_account_id AS id, sum(t.amount) AS sum, count(*) AS count, max(t.occurred_at) AS last
			FROM financial_transactions t JOIN deposit_accounts o ON o.account_id = t.account_id
				AND o.id = t.deposit_account_id
			WHERE t.account_id = $1 AND o.entity_id = $2 GROUP BY 1) t
		WHERE d.account_id = $1 AND d.entity_id = $2 AND d.id = t.id`, `
		UPDATE financial_accounts f SET amount = s.sum, sales_count = s.count, total_amount = CASE f.status WHEN 2
			THEN s.sum END
		FROM (SELECT financial_account_id AS id, sum(receivable_amount) AS sum, count(*) AS count
			FROM sales WHERE account_id = $1 AND entity_id = $2 AND financial_account_id IS NOT NULL GROUP BY 1) s
		WHERE f.account_id = $1 AND f.id = s.id`} {
		if _, err := db.Exec(ctx, f.tx.DB, query, f.options.AccountID, f.stats.EntityID); err != nil {
			return err
		}
	}
	if err := f.settleStatements(ctx); err != nil {
		return err
	}
	f.step("sums", 1, 1)
	return nil
}

// settleStatements ends the import of each statement, and deletes statements without items.
func (f *loader) settleStatements(ctx context.Context) error {
	now, format := time.Now(), string(statement.OFX) // without a format, a job would read the payments again
	for i := range f.c.Statements {
		b := &f.c.Statements[i]
		n := int64(f.numbers[b.ID])
		if n == 0 {
			if _, err := db.Exec(ctx, f.tx.DB, `DELETE FROM bank_statements WHERE account_id = $1 AND id = $2`,
				b.AccountID, b.ID); err != nil {
				return err
			}
			continue
		}
		b.ItemsCount, b.ImportedItemsCount = &n, n
		output := b.Output(finance.Period{}, nil)
		b.EventStatus, b.EventOutput, b.EventFinishedAt = finance.ImportSuccess, &output, &now
		b.FileFormat = &format
		if err := f.tx.FinishImport(ctx, b); err != nil {
			return err
		}
	}
	return nil
}
