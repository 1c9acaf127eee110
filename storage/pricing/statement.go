package pricing

import (
	"context"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// selection is the sales of a sale account that a batch prices. It has the statements that select
// and lock them, and the statements that price them, in one receivable account for each sale or for
// each day.
type selection struct{ pick, lock, apart, together db.Statement }

var (
	// needsPricing is the condition for sales that await pricing. Sales of a received account wait
	// until the account is open again.
	needsPricing = selectionOf("awaiting", `s.awaiting_pricing AND s.status < 2 AND (
		s.financial_account_id IS NULL OR EXISTS (
		SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id
			AND f.status = 1))`,
		rulesOf, priceByRule)
	// matchesRule is the condition for sales that match the rule of an application. Sales that were
	// changed after the application are left to needsPricing.
	matchesRule = selectionOf("application",
		`s.status < 2 AND s.payment_method = @method AND coalesce(s.issuer, '') = @issuer
		AND coalesce(s.asked_pricing, 0) < @application`, ruleApplied, priceByRule)
	// inOpenReceivable are the sales that are grouped again.
	inOpenReceivable = selectionOf("grouping", `s.status = 1`, rulesOf, priceAsIs)
)

// selectionOf returns the selection of the sales of a condition; rules set the prices of these
// sales.
func selectionOf(name, condition, rules, price string) *selection {
	sales := `sales s WHERE s.account_id = @account AND s.sale_account_id = @sale_account AND s.id > @after
		AND s.id <= @up_to AND ` + condition
	return &selection{
		pick:     db.Named("pricing."+name+".pick", pickSales(sales)),
		lock:     db.Named("pricing."+name+".lock", lockSales(sales)),
		apart:    db.Named("pricing."+name+".apart", priceSales(rules, price, placeApart)),
		together: db.Named("pricing."+name+".together", priceSales(rules, price, placeTogether)),
	}
}

// batch is the work of one pricing transaction: sales of a sale account in the order of
// their ids.
type batch struct {
	tx *storage.Tx
	pricedSaleAccount
	*selection
	account, saleAccount int64
	after, upTo          int64 // the id of the last sale before, and the largest possible one
	application          int64 // the application of the rule; 0 for all rules of the sale account
	method, issuer       string
	most                 int
}

// price prices the batch, and returns how many sales it read and the id of the last.
func (b batch) price(ctx context.Context) (looked int, last int64, err error) {
	found, err := db.OneNamed[struct {
		Count    int
		Last     int64
		Accounts pq.Int64Array
		Large    bool
	}](ctx, b.tx.DB, b.pick, b.args(), db.Args{"most": b.most})
	if err != nil || found.Count == 0 {
		return 0, 0, err
	}
	b.upTo = found.Last
	// The accounts of the sales, and the accounts to which they may move.
	open, err := db.Many[struct {
		ID    int64
		Large bool
	}](ctx, b.tx.DB, `
		SELECT f.id, f.amount > 8e15 AS large FROM financial_accounts f
		WHERE f.account_id = $1 AND f.status = 1 AND f.id = ANY(ARRAY(
			SELECT unnest($3::bigint[])
			UNION SELECT g.id FROM financial_accounts g WHERE g.account_id = $1 AND g.sale_account_id = $2
				AND g.gathering AND g.status = 1))
		ORDER BY f.id FOR NO KEY UPDATE`, b.account, b.saleAccount, found.Accounts)
	if err != nil {
		return 0, 0, err
	}
	if found.Count > 1000 { // room to sort and hash them in
		if _, err := db.Exec(ctx, b.tx.DB, `SET LOCAL work_mem = '32MB'`); err != nil {
			return 0, 0, err
		}
	}
	accounts, large := make([]int64, len(open)), found.Large
	for i, f := range open {
		accounts[i], large = f.ID, large || f.Large
	}
	held, err := db.ManyNamed[int64](ctx, b.tx.DB, b.lock, b.args(), db.Args{"accounts": accounts})
	if err != nil {
		return 0, 0, err
	}
	priced := b.priceLocked
	if large {
		priced = b.priceLarge
	}
	changed, err := priced(ctx, held)
	if err != nil {
		return 0, 0, err
	}
	if err := b.finish(ctx, changed); err != nil {
		return 0, 0, err
	}
	return found.Count, found.Last, nil
}

// priceLocked prices locked sales, and returns the changes of receivable accounts.
func (b batch) priceLocked(ctx context.Context, held []int64) ([]storage.Receivable, error) {
	priced := b.apart
	if b.Consolidate {
		priced = b.together
	}
	args := db.Args{"account": b.account, "sale_account": b.saleAccount, "sales": held}
	if b.application != 0 {
		args["application"] = b.application
	}
	statement := priced.SQL
	if len(held) < 64 { // to plan it takes twice as long as to price one
		statement = db.CachePlan(statement)
	}
	return db.Many[storage.Receivable](ctx, b.tx.DB, statement, priced.Args(args)...)
}

// priceLarge is priceLocked for sums near the limit of a receivable account: a sale that no longer
// fits into its account is left without a price.
func (b batch) priceLarge(ctx context.Context, held []int64) ([]storage.Receivable, error) {
	if _, err := db.Exec(ctx, b.tx.DB, `SAVEPOINT pricing`); err != nil {
		return nil, err
	}
	changed, err := b.priceLocked(ctx, held)
	if err == nil { // an account that is empty now takes no sale of the other half
		return changed, b.tx.RemoveEmptiedKeepingFiles(ctx, b.account, changed)
	}
	if pq.As(err, pqerror.NumericValueOutOfRange) == nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, b.tx.DB, `ROLLBACK TO SAVEPOINT pricing`); err != nil {
		return nil, err
	}
	if len(held) == 1 {
		return nil, b.leave(ctx, held)
	}
	changed, err = b.priceLarge(ctx, held[:len(held)/2])
	if err != nil {
		return nil, err
	}
	more, err := b.priceLarge(ctx, held[len(held)/2:])
	return append(changed, more...), err
}

// leave removes sales from their accounts and clears their prices; they do not await pricing.
func (b batch) leave(ctx context.Context, sales []int64) error {
	err := b.tx.WithdrawSales(ctx, b.account, sales, b.tx.RemoveEmptiedKeepingFiles)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, b.tx.DB, `UPDATE sales SET awaiting_pricing = false, updated_at = now()
		WHERE account_id = $1 AND id = ANY($2)`, b.account, sales)
	return err
}

// args are the parameters of the statements that select the sales.
func (b batch) args() db.Args {
	args := db.Args{"account": b.account, "sale_account": b.saleAccount, "after": b.after, "up_to": b.upTo}
	if b.application != 0 {
		args["method"], args["issuer"], args["application"] = b.method, b.issuer, b.application
	}
	return args
}

// finish copies the attributes of the sale account to the new receivable accounts, removes the empty
// ones, and emits the events of all changed ones.
func (b batch) finish(ctx context.Context, changed []storage.Receivable) error {
	if err := classifyReceivables(ctx, b.tx, b.account, b.saleAccount,
		storage.IDsOf(changed, finance.Created)); err != nil {
		return err
	}
	if err := b.tx.RemoveEmptiedKeepingFiles(ctx, b.account, changed); err != nil {
		return err
	}
	return b.tx.EmitReceivables(ctx, b.account, changed)
}

// classifyReceivables copies the classifications of a sale account to new
// receivable accounts.
func classifyReceivables(ctx context.Context, tx *storage.Tx, account, saleAccount int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	for _, list := range []struct{ Table, column string }{
		{"custom_classifications", "custom_classifier_value_id"},
		{"center_classifications", "classification_center_id"},
	} {
		_, err := db.Exec(ctx, tx.DB, strings.NewReplacer("{table}", list.Table, "{column}", list.column).Replace(`
			INSERT INTO financial_account_{table} (account_id, financial_account_id, {column}, amount, percentage)
			SELECT x.account_id, f.id, x.{column}, x.amount, x.percentage
			FROM sale_account_{table} x, unnest($3::bigint[]) AS f (id)
			WHERE x.account_id = $1 AND x.sale_account_id = $2 ORDER BY f.id, x.id`), account, saleAccount, ids)
		if err != nil {
			return err
		}
	}
	return nil
}

// rulesOf selects the rules of the sale account, ruleApplied the rule of the @application,
// as it was when it was requested. Shifts are, from Sunday on, the days until the next weekday of
// the rule.
const (
	rulesOf = `SELECT id, ` + ruleColumns + ` FROM sale_rules WHERE account_id = @account
		AND sale_account_id = @sale_account`
	ruleApplied = `SELECT sale_rule_id AS id, ` + ruleColumns + ` FROM sale_rule_applications
		WHERE account_id = @account AND sale_account_id = @sale_account AND id = @application
			AND sale_rule_id IS NOT NULL`
	ruleColumns = `payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount,
		minimum_fee_amount, days_to_liquidation, weekdays,
		` + shifts
	shifts = `ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0)
		FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts`
)

// lockedColumns are the columns of the sales s that a batch or a preview reads.
const lockedColumns = `s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount,
	coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, ` +
	`s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at`

// priceByRule is finance.SaleRule.Price. PostgreSQL, too, rounds numerics half
// away from zero. A sale without a rule has no day.
const priceByRule = `
	SELECT h.*, false AS awaits, r.id AS rule, r.fee_percentage AS percentage, p.part, r.fixed_fee_amount AS fixed,
		greatest(h.total_amount - greatest(coalesce(p.part, 0) + coalesce(r.fixed_fee_amount, 0),
			coalesce(r.minimum_fee_amount, 0)), 0) AS receivable,
		r.days_to_liquidation AS days, CASE WHEN r.weekdays IS NOT NULL
			THEN extract(dow FROM d.day)::smallint END AS weekday,
		CASE WHEN r.id IS NOT NULL THEN d.day END AS day
	FROM sales_to_price h
	LEFT JOIN rules r ON r.payment_method = h.payment_method AND r.issuer = h.issuer
	CROSS JOIN LATERAL (SELECT round(h.total_amount * r.fee_percentage * 0.01, 2) AS part,
		h.sold_on + r.days_to_liquidation AS first) p
	CROSS JOIN LATERAL (SELECT least(p.first + r.shifts[extract(dow FROM p.first)::int + 1],
		date '9999-12-31') AS day) d`

// priceAsIs leaves prices unchanged; sales that await pricing continue to await it.
const priceAsIs = `
	SELECT h.*, h.awaiting_pricing AS awaits, h.sale_rule_id AS rule, h.fee_percentage AS percentage,
		h.fee_percentage_amount AS part, h.fixed_fee_amount AS fixed,
		h.receivable_amount AS receivable, h.days_to_liquidation AS days, h.liquidation_weekday AS weekday,
			h.estimated_liquidated_at AS day
	FROM sales_to_price h`

// placeTogether finds the account that takes the sales of the day, placeApart the account of a
// single sale.
const (
	placeTogether = `
	SELECT p.*, g.id AS target, 0::bigint AS apart FROM priced p
	LEFT JOIN (SELECT id, due_date FROM financial_accounts
		WHERE account_id = @account AND sale_account_id = @sale_account AND gathering AND status = 1) g
			ON g.due_date = p.day`
	placeApart = `
	SELECT p.*, g.id AS target, p.id AS apart FROM priced p
	LEFT JOIN financial_accounts g ON p.day IS NOT NULL
		AND g.account_id = @account AND g.id = p.financial_account_id AND g.sale_account_id = @sale_account
			AND NOT g.consolidated`
)

// pickSales returns the statement that selects the sales of a batch.
func pickSales(sales string) string {
	return `
	WITH picked AS MATERIALIZED (SELECT s.id, s.financial_account_id, s.total_amount FROM ` + sales +
		` ORDER BY s.id LIMIT @most)
	SELECT count(*) AS count, coalesce(max(id), 0) AS last, coalesce(sum(total_amount) > 1e15, false) AS large,
		ARRAY(SELECT DISTINCT financial_account_id FROM picked WHERE financial_account_id IS NOT NULL) AS accounts
			FROM picked`
}

// lockSales returns the statement that locks the sales of a batch that are in no receivable account
// or in one of the @accounts, which are locked and open. It is a separate statement: a statement
// that locked and changed sales would compute with the latest version of a sale, but select it by
// the version of the snapshot, so that an account might change without its sale. A subquery is
// hashed, also in a plan that is reused; an array would be searched for each sale.
func lockSales(sales string) string {
	return `
	SELECT s.id FROM ` + sales + ` AND (s.financial_account_id IS NULL
		OR s.financial_account_id IN (SELECT unnest(@accounts::bigint[])))
	ORDER BY s.id FOR NO KEY UPDATE`
}

// priceSales returns the statement that prices the locked @sales. Each is found by its key, because
// the planner's statistics may still describe an empty table. It opens missing accounts, moves the
// sales, and adds to each account the difference of its sales. A sale without a change is not
// updated, unless it awaits its pricing. The ids of new accounts are drawn beside the sales, not
// joined: the planner, which cannot know how many there are, would compare each with each.
func priceSales(rules, price, place string) string {
	return `
	WITH rules AS MATERIALIZED (` + rules + `),
	sales_to_price AS MATERIALIZED (
		SELECT h.* FROM unnest(@sales::bigint[]) AS l (id),
		LATERAL (SELECT ` + lockedColumns + ` FROM sales s WHERE s.account_id = @account AND s.id = l.id OFFSET 0) h),
	priced AS (` + price + `),
	candidates AS MATERIALIZED (` + place + `),
	new_ids AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1
			THEN nextval('financial_accounts_id_seq') END AS first
		FROM candidates t WHERE day IS NOT NULL AND target IS NULL),
	in_new_accounts AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS target_id
		FROM new_ids),
	placed AS (SELECT t.*, target AS target_id FROM candidates t WHERE day IS NULL OR target IS NOT NULL UNION ALL
		SELECT * FROM in_new_accounts),
	new_accounts AS MATERIALIZED (
		SELECT target_id AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count,
			min(description) AS description
		FROM in_new_accounts GROUP BY target_id),
	inserted_accounts AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount,
			sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id,
				expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count,
			a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description,
				a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM new_accounts n, sale_accounts a WHERE a.account_id = @account AND a.id = @sale_account ORDER BY n.id),
	updated_sales AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.target_id, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = @account AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount,
				p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.target_id, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	account_deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due
				FROM candidates WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM candidates WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	updated_accounts AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount,` + storage.DiscountWithin("f.amount + d.amount") +
		`, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE f.competency_month WHEN date_trunc('month', f.due_date)::date
				THEN date_trunc('month', coalesce(d.due, f.due_date))::date ELSE f.competency_month END,
			updated_at = now()
		FROM account_deltas d
		WHERE f.account_id = @account AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM updated_accounts
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM new_accounts n, sale_accounts a WHERE a.account_id = @account
		AND a.id = @sale_account`
}
