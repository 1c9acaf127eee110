package reports

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// addByCash returns the entries of a statement by cash: reconciles by their accounts, and the transactions that are
// neither reconciled nor sides of a transfer. They are added up while they are read: accounts of a reconcile that was
// paid over years are many times as many parts.
func addByCash(ctx context.Context, q storage.Queries, s Scope, ask finance.IncomeStatementQuery, narrow *Narrowing) (
	[]finance.IncomeEntry, error) {
	entries, err := incomeWithoutAccount.add(ctx, q, s, ask, narrow, nil)
	if err != nil {
		return nil, err
	}
	// One by one, as from a disk, the rows of a month would cost more than all accounts, which are in memory.
	if _, err := db.Exec(ctx, q.DB, `SET LOCAL random_page_cost = 1.1`); err != nil {
		return nil, err
	}
	args := db.Args{"account": s.AccountID, "entities": pq.Array(s.EntityIDs), "from": ask.From, "to": ask.To}
	sums := finance.IncomeSums{}
	add := func(e finance.IncomeEntry) error {
		if sums.Add(e); len(sums) > maxIncomeEntries {
			return tooManyIncomeEntries()
		}
		return nil
	}
	var part *finance.IncomeNarrowing
	if narrow == nil {
		paid, err := db.ManyNamed[finance.IncomeEntry](ctx, q.DB, paidWhole, args)
		if err != nil {
			return nil, err
		}
		for _, e := range paid {
			if err := add(e); err != nil {
				return nil, err
			}
		}
	} else {
		part = &finance.IncomeNarrowing{ClassifierID: narrow.Classifier, ID: narrow.ID}
	}
	args["last"], args["all"] = ask.To.Day(31), narrow != nil
	err = db.Each(ctx, q.DB, paidInParts.SQL, func(r *finance.PaidReconcile) error {
		for e := range r.Entries(ask.From, ask.To, part) {
			if err := add(e); err != nil {
				return err
			}
		}
		return nil
	}, paidInParts.Args(args)...)
	return append(entries, sums.Entries()...), err
}

// paidRest is the amount of an account, named f, without the amounts that are in rows of their own.
const paidRest = `(f.total_amount - coalesce(f.interest_amount, 0) - coalesce(f.ticket_amount, 0)
				+ coalesce(f.discount_amount, 0) + coalesce(f.withheld_tax_amount, 0)
				+ CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END * coalesce(f.fee_amount, 0))`

// inParts is the condition for accounts, named f, with purchases or sales among which a difference is divided.
const inParts = `((f.credit_card_invoice_id IS NOT NULL OR f.sale_account_id IS NOT NULL)
				AND f.amount <> ` + paidRest + `)`

// partialReconciles are the reconciles with a transaction that no statement has: of a hidden deposit account, or a side
// of a transfer, which moves no money of the entity.
const partialReconciles = `ARRAY(
				SELECT h.reconcile_id FROM deposit_accounts d JOIN financial_transactions h
					ON h.account_id = @account AND h.deposit_account_id = d.id AND h.reconcile_id IS NOT NULL
				WHERE d.account_id = @account AND d.deleted_at IS NOT NULL
				UNION ALL
				SELECT reconcile_id FROM financial_transactions
				WHERE account_id = @account AND transfer_id IS NOT NULL
					AND reconcile_id IS NOT NULL)`

// ofOneMonth is the condition for reconciles, named r, whose transactions are all of one month. While a deposit
// account is being deleted, partialReconciles are many: NOT IN looks them up in a hash table, which <> ALL does not
// make. Without unnest the planner would not hash what it expects not to fit in work_mem.
const ofOneMonth = `r.account_id = @account AND r.entity_id = ANY(@entities)
				AND r.month = ANY(ARRAY(SELECT CAST(m AS date) FROM generate_series(
					CAST(@from AS timestamp), CAST(@to AS timestamp), interval '1 month') m))
				AND r.id NOT IN (SELECT unnest(` + partialReconciles + `))`

// paidWhole sums the accounts of reconciles of one month, or their purchases or sales, as finance.IncomeEntry.
// Accounts inParts are left out.
var paidWhole = db.Named("income_by_cash.whole", db.PlanEach+`
		SELECT g.month, g.entity_id, g.family, v.kind,
			CASE v.kind WHEN 'category' THEN coalesce(g.category_id, 0) ELSE 0 END AS category_id,
			CAST(v.amount AS text) AS amount
		FROM (
			SELECT r.month, r.entity_id, f.kind || '_accounts' AS family, f.category_id,
				CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END AS sign,
				sum(CASE WHEN f.credit_card_invoice_id IS NULL AND f.sale_account_id IS NULL
					THEN `+paidRest+` END) AS amount,
				sum(f.interest_amount) AS interest, sum(f.ticket_amount) AS fines, sum(f.discount_amount) AS discounts,
				sum(f.withheld_tax_amount) AS withheld, sum(f.fee_amount) AS fees
			FROM reconciles r JOIN financial_accounts f ON f.account_id = r.account_id AND f.reconcile_id = r.id
			WHERE `+ofOneMonth+`
				AND NOT `+inParts+`
			GROUP BY 1, 2, 3, 4, 5
			) g CROSS JOIN LATERAL (VALUES ('category', sign * amount), ('interest', sign * interest),
				('fines', sign * fines), ('discounts', -sign * discounts), ('withheld_tax', -sign * withheld),
				('fees', -fees)) v (kind, amount)
		WHERE v.amount <> 0
		UNION ALL
		SELECT r.month, r.entity_id, 'credit_card_transactions', 'category', coalesce(t.category_id, 0),
			CAST(-sum(t.amount) AS text)
		FROM reconciles r JOIN financial_accounts f ON f.account_id = r.account_id AND f.reconcile_id = r.id
			JOIN credit_card_transactions t ON t.account_id = f.account_id
				AND t.credit_card_invoice_id = f.credit_card_invoice_id
		WHERE `+ofOneMonth+`
			AND NOT `+inParts+`
		GROUP BY 1, 2, 5
		UNION ALL
		SELECT g.month, g.entity_id, 'sales', v.kind,
			CASE v.kind WHEN 'category' THEN coalesce(g.category_id, 0) ELSE 0 END, CAST(v.amount AS text)
		FROM (
			SELECT r.month, r.entity_id, s.category_id, sum(s.total_amount) AS amount,
				sum(s.total_amount - s.receivable_amount) AS fees
			FROM reconciles r JOIN financial_accounts f ON f.account_id = r.account_id AND f.reconcile_id = r.id
				JOIN sales s ON s.account_id = f.account_id AND s.financial_account_id = f.id
			WHERE `+ofOneMonth+`
				AND NOT `+inParts+`
			GROUP BY 1, 2, 3
			) g CROSS JOIN LATERAL (VALUES ('category', amount), ('card_fees', -fees)) v (kind, amount)
		WHERE v.amount <> 0`)

// counted is the condition for transactions, named t, that an income statement by cash counts.
var counted = `t.transfer_id IS NULL AND ` + storage.OwnerVisible("financial_transactions", "t")

// paidInParts has the other reconciles, of several months or with an account inParts, as finance.PaidReconcile; with
// @all those of paidWhole too.
var paidInParts = db.Named("income_by_cash.in_parts", db.PlanEach+`
		WITH several AS MATERIALIZED (
			SELECT id
			FROM (
				SELECT id FROM reconciles WHERE account_id = @account AND entity_id = ANY(@entities) AND month IS NULL
				UNION SELECT unnest(`+partialReconciles+`)) r
			WHERE EXISTS (
				SELECT FROM financial_transactions t WHERE t.account_id = @account AND t.reconcile_id = r.id
					AND t.occurred_at BETWEEN CAST(@from AS date) AND CAST(@last AS date)
					AND `+counted+`)
		)
		SELECT r.entity_id, CAST(NULL AS date) AS month, (
				SELECT coalesce(json_agg(m ORDER BY m.month), '[]')
				FROM (SELECT CAST(date_trunc('month', t.occurred_at) AS date) AS month, sum(t.amount)::text AS amount
					FROM financial_transactions t WHERE t.account_id = @account AND t.reconcile_id = r.id
						AND `+counted+`
					GROUP BY 1) m) AS months, (
				SELECT coalesce(json_agg(a ORDER BY a.id), '[]') FROM (`+paidAccounts+`) a) AS accounts
		FROM several v JOIN reconciles r ON r.account_id = @account AND r.id = v.id AND r.entity_id = ANY(@entities)
		UNION ALL
		SELECT r.entity_id, r.month, CAST('[]' AS json), (
				SELECT coalesce(json_agg(a ORDER BY a.id), '[]') FROM (`+paidAccounts+` AND (@all OR `+inParts+`)) a)
		FROM reconciles r
		WHERE `+ofOneMonth+` AND (@all OR r.id IN (
			SELECT f.reconcile_id FROM financial_accounts f
			WHERE f.account_id = @account AND f.entity_id = ANY(@entities) AND f.reconcile_id IS NOT NULL
				AND `+inParts+`))`)

// paidAccounts selects the accounts of a reconcile, named r, as finance.PaidAccount.
var paidAccounts = `
					SELECT f.id, f.kind, f.category_id, f.classification_center_id, f.amount::text,
						f.total_amount::text AS total,
						f.interest_amount::text AS interest, f.ticket_amount::text AS fine,
						f.discount_amount::text AS discount, f.withheld_tax_amount::text AS withheld,
						f.fee_amount::text AS fee,
						` + storage.Classified("financial_account").Classifications("f") + `, (
						SELECT json_agg(p ORDER BY p.id)
						FROM (
							SELECT t.id, t.category_id, t.classification_center_id, t.amount::text,
								` + storage.Classified("credit_card_transaction").CustomClassifications("t") + `
							FROM credit_card_transactions t WHERE t.account_id = @account
								AND t.credit_card_invoice_id = f.credit_card_invoice_id) p) AS purchases, (
						SELECT json_agg(p ORDER BY p.id)
						FROM (
							SELECT s.id, s.category_id, s.classification_center_id, s.total_amount::text AS amount,
								s.receivable_amount::text AS receivable,
								` + storage.Classified("sale").Classifications("s") + `
							FROM sales s WHERE s.account_id = @account AND s.financial_account_id = f.id) p) AS sales
					FROM financial_accounts f WHERE f.account_id = @account AND f.reconcile_id = r.id`
