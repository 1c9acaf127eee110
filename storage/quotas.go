package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/queue"

	"github.com/lib/pq"
)

// SetQuotas is the expression for the quotas that a row q of account_quotas sets, in the order of finance.AllQuotas:
// -1 for one that it does not set, NULL without a row.
var SetQuotas = func() string {
	var set []string
	for _, q := range finance.AllQuotas() {
		set = append(set, fmt.Sprintf("coalesce(q.%s, -1)", q))
	}
	return `CASE WHEN q.account_id IS NOT NULL THEN ARRAY[` + strings.Join(set, ", ") + `] END`
}()

// QuotasOf returns the quotas of an account from the value of SetQuotas.
func QuotasOf(set pq.Int64Array) finance.Quotas {
	all := finance.DefaultQuotas
	for i, most := range set {
		if most >= 0 {
			all[i] = most
		}
	}
	return all
}

// AccountQuotas has the quotas of an account and what it uses of those that the database counts: the others are 0 in
// Used.
type AccountQuotas struct {
	AccountID int64
	Name      string
	Quotas    finance.Quotas
	Set       [len(finance.Quotas{})]bool // by an operator
	Used      finance.Quotas
}

// Counted reports whether the database counts what accounts use of the quota. The others are counted by processes.
func Counted(q finance.Quota) bool { return q >= finance.RunningImports }

// accountQuotas reads the quotas and the use of accounts a; the condition selects them. It reads few rows of
// account_usage, because the scheduler sums them up.
func accountQuotas(condition string) string {
	return `
		SELECT a.id AS account_id, a.name, ` + SetQuotas + ` AS set,
			coalesce(u.file_bytes, 0)::bigint AS file_bytes, coalesce(u.statement_rows, 0)::bigint AS statement_rows,
			(SELECT count(*) FROM webhooks w WHERE w.account_id = a.id AND w.deleted_at IS NULL
				AND ` + EntityVisible("w") + `) AS webhooks,
			(SELECT count(*) FROM jobs WHERE account_id = a.id AND` + queue.RunningImports + `) AS running_imports
		FROM accounts a LEFT JOIN account_quotas q ON q.account_id = a.id
		LEFT JOIN LATERAL (SELECT sum(file_bytes) AS file_bytes, sum(statement_rows) AS statement_rows
			FROM account_usage WHERE account_id = a.id) u ON true
		WHERE ` + condition + ` ORDER BY a.id`
}

var (
	quotasOfAccount = db.Named("quotas.of_account", accountQuotas(`a.id = @account`))
	allQuotas       = db.Named("quotas.of_all", accountQuotas(`true`))
)

type quotasRow struct {
	AccountID                                          int64
	Name                                               string
	Set                                                pq.Int64Array
	FileBytes, StatementRows, Webhooks, RunningImports int64
}

func (r quotasRow) quotas() AccountQuotas {
	a := AccountQuotas{AccountID: r.AccountID, Name: r.Name, Quotas: QuotasOf(r.Set), Used: finance.Quotas{
		finance.RunningImports: r.RunningImports, finance.FileBytes: r.FileBytes,
		finance.StatementRows: r.StatementRows, finance.Webhooks: r.Webhooks,
	}}
	for i, most := range r.Set {
		a.Set[i] = most >= 0
	}
	return a
}

// Quotas reads the quotas of an account and what it uses. An unknown account is ErrNotFound.
func (q Queries) Quotas(ctx context.Context, account int64) (AccountQuotas, error) {
	r, err := db.OneNamed[quotasRow](ctx, q.DB, quotasOfAccount, db.Args{"account": account})
	return r.quotas(), err
}

// AllQuotas is Quotas of all accounts, by id. It is for operators.
func (q Queries) AllQuotas(ctx context.Context) ([]AccountQuotas, error) {
	rows, err := db.ManyNamed[quotasRow](ctx, q.DB, allQuotas)
	all := make([]AccountQuotas, len(rows))
	for i, r := range rows {
		all[i] = r.quotas()
	}
	return all, err
}

// Usage reads how much the account has stored. What a transaction adds that has not committed does not count yet.
func (q Queries) Usage(ctx context.Context, account int64) (finance.Usage, error) {
	return db.OneNamed[finance.Usage](ctx, q.DB, readUsage, db.Args{"account": account})
}

var readUsage = db.Named("quotas.usage", `
	SELECT coalesce(sum(file_bytes), 0)::bigint AS file_bytes,
		coalesce(sum(statement_rows), 0)::bigint AS statement_rows
	FROM account_usage WHERE account_id = @account`)

// PutQuotas sets some quotas of an account, to the default where the value is nil, and emits the event if one has
// another value then. An unknown account is ErrNotFound.
func (tx *Tx) PutQuotas(ctx context.Context, account int64, set map[finance.Quota]*int64) error {
	if err := tx.LockAccount(ctx, account); err != nil {
		return err
	}
	before, err := tx.Quotas(ctx, account)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx.DB, `INSERT INTO account_quotas (account_id) VALUES ($1)
		ON CONFLICT (account_id) DO NOTHING`, account); err != nil {
		return err
	}
	for _, q := range finance.AllQuotas() {
		most, given := set[q]
		if !given {
			continue
		}
		if most != nil && *most < q.Least() {
			return errors.New(q.String() + " is below the least value")
		}
		_, err := db.Exec(ctx, tx.DB, `UPDATE account_quotas SET `+q.String()+` = $2, updated_at = now()
			WHERE account_id = $1`, account, most)
		if err != nil {
			return err
		}
	}
	after, err := tx.Quotas(ctx, account)
	if err != nil {
		return err
	}
	changed := map[string][2]int64{}
	for _, q := range finance.AllQuotas() {
		if was, now := before.Quotas[q], after.Quotas[q]; was != now {
			changed[q.String()] = [2]int64{was, now}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	attributes, err := json.Marshal(changed)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{Family: finance.SettingsFamily, Action: finance.Updated, AccountID: account,
		IDs: []int64{account}, Attributes: string(attributes)})
}

// SumUsage replaces the rows of each account in account_usage by their sum, and returns how many it has replaced. The
// sums are the same before and after. It may run twice at once: a row is deleted, and counts, once.
func (s *Store) SumUsage(ctx context.Context) (int64, error) {
	return db.ExecNamed(ctx, s.DB, sumUsage)
}

var sumUsage = db.Named("quotas.sum_usage", `
	WITH removed AS (
		DELETE FROM account_usage WHERE account_id IN (
			SELECT account_id FROM account_usage GROUP BY account_id HAVING count(*) > 1)
		RETURNING account_id, file_bytes, statement_rows)
	INSERT INTO account_usage (account_id, file_bytes, statement_rows)
	SELECT account_id, sum(file_bytes), sum(statement_rows) FROM removed GROUP BY account_id
	HAVING sum(file_bytes) <> 0 OR sum(statement_rows) <> 0`)
