package cascade_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/tier"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cascade"
	"bordero/storage/members"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// deletions is a store, its database, and a tenant from which records are deleted.
type deletions struct {
	*storage.Store
	storagetest.Tenant
	db *sql.DB
}

func newDeletions(t testing.TB) deletions {
	t.Helper()
	database := storagetest.Borrow(t)
	d := deletions{Store: database.Store, db: database.Owner}
	d.Tenant = storagetest.NewTenant(t, d.Store)
	return d
}

// entity creates an entity of the account with records of every kind.
func (d deletions) entity(t testing.TB, n int) int64 {
	t.Helper()
	var e finance.Entity
	err := d.InTx(t.Context(), func(tx *storage.Tx) error {
		e = storagetest.NewEntity(t, tx, d.AccountID)
		return nil
	})
	if err == nil {
		err = storagetest.Contents(t.Context(), d.db, d.AccountID, e.ID, n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e.ID
}

// rows counts the rows of each table, except tables that the deletion of an entity leaves alone.
func (d deletions) rows(t testing.TB) map[string]int64 {
	t.Helper()
	if _, err := d.SumUsage(t.Context()); err != nil { // a row for each account that keeps something
		t.Fatal(err)
	}
	all, err := d.db.QueryContext(t.Context(), `
		SELECT c.relname,
			(xpath('/row/c/text()', query_to_xml('SELECT count(*) AS c FROM ' || c.oid::regclass, false, true,
				'')))[1]::text::bigint
		FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
			AND relname NOT LIKE ALL ('{%change%,finished_jobs%}')
			AND relname NOT IN ('goose_db_version', 'installation', 'jobs', 'users', 'people', 'categories',
				'custom_classifiers', 'custom_classifier_values', 'memberships')`)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	counts := map[string]int64{}
	for all.Next() {
		var table string
		var n int64
		if err := all.Scan(&table, &n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

func (d deletions) number(t testing.TB, query string, args ...any) (n int64) {
	t.Helper()
	if err := d.db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (d deletions) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := d.db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

// remove requests the removal of an entity as the API does.
func (d deletions) remove(t testing.TB, entity int64) {
	t.Helper()
	err := d.InTx(t.Context(), func(tx *storage.Tx) error {
		e, err := tx.LockEntityForDelete(t.Context(), storage.Scope{AccountID: d.AccountID, EntityID: entity})
		if err != nil {
			return err
		}
		return tx.RemoveEntity(t.Context(), e)
	})
	if err != nil {
		t.Fatal(err)
	}
}

var errBrokenOff = errors.New("broken off")

// work runs the pending cascades, as the worker does. It calls between before each chunk, and
// stops at its error.
func (d deletions) work(ctx context.Context, between func(*cascade.Cascade) error) error {
	waiting, err := d.Free(ctx, jobs.DeleteCascadeKind.Queue, queue.Cursor{}, 1000)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		claimed, err := d.Claim(ctx, time.Minute, []jobs.Ticket{w.Ticket})
		if err != nil {
			return err
		}
		if err := d.run(ctx, claimed[0], between); err != nil {
			return errors.Join(err, d.Release(ctx, claimed[0], false))
		}
	}
	return nil
}

func (d deletions) run(ctx context.Context, job queue.Job, between func(*cascade.Cascade) error) error {
	var args jobs.DeleteCascade
	if err := json.Unmarshal([]byte(job.Args), &args); err != nil {
		return err
	}
	c, err := cascade.Open(ctx, d.Store, args, job.Cursor)
	if errors.Is(err, storage.ErrNotFound) {
		return d.Complete(ctx, job, func(*storage.Tx) error { return nil })
	}
	if err != nil {
		return err
	}
	keep := func(do func(*storage.Tx) error) error { return d.Chunk(ctx, &job, c.Cursor(), do) }
	if !c.Begun() {
		if err := c.Begin(ctx, d.Store, keep); err != nil {
			return err
		}
	}
	for {
		if err := between(c); err != nil {
			return err
		}
		if err := c.Ready(ctx, d.Store); err != nil {
			return err
		}
		if c.Done() {
			return d.Complete(ctx, job, func(tx *storage.Tx) error { return c.Remove(ctx, tx) })
		}
		if err := c.Chunk(ctx, keep); err != nil {
			return err
		}
	}
}

func straight(*cascade.Cascade) error { return nil }

// agree fails the test if a stored total differs from its rows.
func (d deletions) agree(t testing.TB) {
	t.Helper()
	storagetest.Agrees(t, d.Store)
}

// agreeing returns a function that verifies all totals before a chunk; on a push before a drawn third of them.
func (d deletions) agreeing(t testing.TB) func(*cascade.Cascade) error {
	chunk := rand.IntN(3)
	return func(*cascade.Cascade) error {
		if chunk++; tier.Long() || chunk%3 == 0 {
			d.agree(t)
		}
		return nil
	}
}

func same(t testing.TB, got, want map[string]int64) {
	t.Helper()
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if got[table] != want[table] {
			t.Errorf("%s has %d rows, want %d", table, got[table], want[table])
		}
	}
}

func TestADeletedEntityLeavesNothing(t *testing.T) {
	t.Parallel()
	d := newDeletions(t)
	d.entity(t, 20) // stays
	before := d.rows(t)
	entity := d.entity(t, 300)
	d.agree(t)
	for table, n := range d.rows(t) {
		if n == before[table] && !slices.Contains([]string{"accounts", "tokens", "login_codes", "idempotency_keys",
			"deletions", "account_sizes", "account_quotas", "account_usage"}, table) {
			t.Errorf("the entity has no %s: Contents lacks them", table)
		}
	}
	d.remove(t, entity)
	if err := d.work(t.Context(), d.agreeing(t)); err != nil {
		t.Fatal(err)
	}
	same(t, d.rows(t), before)
	d.agree(t)
	if n := d.number(t, `SELECT count(*) FROM jobs WHERE kind = 'delete_cascade'`); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
}

func TestADeletedAccountLeavesNothing(t *testing.T) {
	t.Parallel()
	d := newDeletions(t)
	other := storagetest.NewTenant(t, d.Store)
	if err := storagetest.Contents(t.Context(), d.db, other.AccountID, other.EntityID, 10); err != nil {
		t.Fatal(err)
	}
	before := d.rows(t)
	mine := d.Tenant
	d.Tenant = storagetest.NewTenant(t, d.Store)
	d.entity(t, 20)
	d.entity(t, 20)
	d.exec(t, `INSERT INTO account_sizes VALUES ('sales', $1, 1, 1)`, d.AccountID)
	d.exec(t, `INSERT INTO idempotency_keys VALUES ($1, '/', 'k', 1, '', 200, '', '', '')`, d.AccountID)
	d.exec(t, `INSERT INTO account_quotas (account_id, webhooks) VALUES ($1, 100)`, d.AccountID)
	// One who is a member of both accounts has a token for each, and one for all.
	user, bound := storagetest.NewUser(t, d.Store, finance.Access{AccountID: d.AccountID, AllEntities: true})
	d.exec(t, `INSERT INTO memberships (account_id, user_id, administrator) VALUES ($1, $2, false)`, mine.AccountID,
		user)
	shared := storagetest.NewToken(t, d.Store, members.NewToken{UserID: user})
	kept := storagetest.NewToken(t, d.Store, members.NewToken{UserID: user, AccountID: &mine.AccountID})
	before["tokens"] += 2
	// More than a chunk removes.
	d.exec(t, `INSERT INTO unsealed_changes (account_id, family, action, record_ids)
		SELECT $1, 'people', 'updated', ARRAY[i] FROM generate_series(1, 5000) i`, d.AccountID)
	storagetest.Seal(t, d.Store)
	err := d.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.RemoveAccount(t.Context(), tx, d.AccountID)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{d.Token, bound} {
		if _, accesses, err := members.Accesses(t.Context(), d.Store, token); !errors.Is(err, members.ErrNoToken) {
			t.Errorf("a token for it still enters: %v, %v", accesses, err)
		}
	}
	err = d.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.PutMembership(t.Context(), tx, finance.Access{UserID: mine.UserID, AccountID: d.AccountID,
			Administrator: true, AllEntities: true})
	})
	if !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a new administrator enters: %v", err)
	}
	for _, token := range []string{shared, kept} {
		if _, accesses, err := members.Accesses(t.Context(), d.Store, token); err != nil || len(accesses) != 1 ||
			accesses[0].AccountID != mine.AccountID {
			t.Errorf("a user with another account enters %v, %v", accesses, err)
		}
	}
	agreeing := d.agreeing(t)
	seal := func(c *cascade.Cascade) error { // some changes are sealed, and some are not
		storagetest.Seal(t, d.Store, 3)
		return agreeing(c)
	}
	if err := d.work(t.Context(), seal); err != nil {
		t.Fatal(err)
	}
	same(t, d.rows(t), before)
	d.agree(t)
	for _, table := range []string{"categories", "people", "custom_classifiers", "memberships", "jobs", "deletions",
		"unsealed_changes", "changes", "change_heads"} {
		if n := d.number(t, `SELECT count(*) FROM `+table+` WHERE account_id = $1`, d.AccountID); n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
	err = d.InTx(t.Context(), func(tx *storage.Tx) error { return members.RemoveAccount(t.Context(), tx, d.AccountID) })
	if !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}

// hide hides the record of a table and runs its cascade. It verifies all totals before chunks and
// at the end.
func (d deletions) hide(t testing.TB, root string, id int64) {
	t.Helper()
	d.exec(t, fmt.Sprintf(`UPDATE %s SET deleted_at = now() WHERE id = $1`, root), id)
	err := d.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.Enqueue(t.Context(), d.AccountID, jobs.DeleteCascade{AccountID: d.AccountID, Root: root, ID: id})
	})
	if err == nil {
		err = d.work(t.Context(), d.agreeing(t))
	}
	if err != nil {
		t.Fatalf("%s: %v", root, err)
	}
	d.agree(t)
	if n := d.number(t, fmt.Sprintf(`SELECT count(*) FROM %s WHERE id = $1`, root), id); n != 0 {
		t.Errorf("%s: the record is there", root)
	}
}

// For each root of an entity, the totals of the remaining records agree at every commit.
func TestEveryRootLeavesTheRest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root, id string
		gone     map[string]string // counts that are 0 afterwards
		stays    map[string]string // counts that are not 0
	}{
		{"deposit_accounts", `SELECT min(id) FROM deposit_accounts`, map[string]string{
			"transactions of it, and other sides": `SELECT count(*) FROM financial_transactions WHERE amount <> 4
				OR transfer_id IS NOT NULL`,
			"pairs":               `SELECT count(*) FROM transfers`,
			"statements":          `SELECT count(*) FROM bank_statements`,
			"reconciles":          `SELECT count(*) FROM reconciles`,
			"reconciled accounts": `SELECT count(*) FROM financial_accounts WHERE status = 3`,
			"expectations": `SELECT count(*) FROM financial_accounts
				WHERE expected_deposit_account_id IS NOT NULL`,
			"its rules": `SELECT count(*) FROM reconciliation_rules
				WHERE deposit_account_id IS NOT NULL`,
			"files of its transactions": `SELECT count(*) FROM financial_transaction_attachments`,
			"the other account's balance": `SELECT count(*) FROM deposit_accounts
				WHERE transactions_sum <> 4 * transactions_count`,
		}, map[string]string{
			"other sides of pairs": `SELECT count(*) FROM financial_transactions`,
			"told of pairs": `SELECT count(*) FROM unsealed_changes WHERE family = 'transfers'
				AND action = 'destroyed'`,
			"accounts that are paid": `SELECT count(*) FROM financial_accounts WHERE status = 2`,
			"the register":           `SELECT count(*) FROM register_sessions`,
			"other rules":            `SELECT count(*) FROM reconciliation_rules`,
			"told of the accounts": `SELECT count(*) FROM deliveries WHERE family = 'receivable_accounts'
				AND action = 'updated'`,
			"told of transactions": `SELECT count(*) FROM deliveries WHERE family = 'financial_transactions'
				AND action = 'destroyed' AND entity_id IS NOT NULL AND parent_id IS NOT NULL`,
		}},
		{"credit_cards", `SELECT min(id) FROM credit_cards`, map[string]string{
			"purchases":      `SELECT count(*) FROM credit_card_transactions`,
			"invoices":       `SELECT count(*) FROM credit_card_invoices`,
			"their payables": `SELECT count(*) FROM financial_accounts WHERE credit_card_invoice_id IS NOT NULL`,
			"told of another": `SELECT count(*) FROM deliveries WHERE family = 'credit_card_transactions'
				AND action <> 'destroyed'`,
		}, map[string]string{
			"other payables": `SELECT count(*) FROM financial_accounts WHERE kind = 'payable'`,
			"told of the others": `SELECT count(*) FROM deliveries WHERE family = 'credit_card_transactions'
				AND parent_id IS NOT NULL`,
		}},
		{"sale_accounts", `SELECT min(id) FROM sale_accounts`, map[string]string{
			"sales": `SELECT count(*) FROM sales`, "rules": `SELECT count(*) FROM sale_rules`,
			"applications": `SELECT count(*) FROM sale_rule_applications`,
			"receivables":  `SELECT count(*) FROM financial_accounts WHERE sale_account_id IS NOT NULL`,
		}, map[string]string{"other receivables": `SELECT count(*) FROM financial_accounts WHERE kind = 'receivable'`}},
		{"categories", `SELECT max(category_id) FROM sales`, map[string]string{
			"sales with it":        `SELECT count(*) FROM sales WHERE category_id IS NOT NULL`,
			"transactions with it": `SELECT count(*) FROM financial_transactions WHERE category_id IS NOT NULL`,
			"accounts with it":     `SELECT count(*) FROM financial_accounts WHERE category_id IS NOT NULL`,
			"rules with it":        `SELECT count(*) FROM reconciliation_rules WHERE category_id IS NOT NULL OR match`,
		}, map[string]string{"rules of new accounts": `SELECT count(*) FROM reconciliation_rules`,
			"sales": `SELECT count(*) FROM sales`, "told": `SELECT count(*) FROM deliveries
			WHERE family = 'sale_accounts' AND action = 'updated'`}},
		{"people", `SELECT max(person_id) FROM sales`, map[string]string{
			"cards with it": `SELECT count(*) FROM credit_cards WHERE person_id IS NOT NULL`,
			"rules with it": `SELECT count(*) FROM reconciliation_rules WHERE person_id IS NOT NULL OR match`,
		}, map[string]string{"sales": `SELECT count(*) FROM sales`}},
		{"classification_centers", `SELECT min(id) FROM classification_centers`, map[string]string{
			"sales with it":       `SELECT count(*) FROM sales WHERE classification_center_id IS NOT NULL`,
			"sales divided by it": `SELECT count(*) FROM sale_center_classifications`,
		}, map[string]string{"sales": `SELECT count(*) FROM sales`}},
		{"custom_classifier_values", `SELECT min(id) FROM custom_classifier_values`, map[string]string{
			"sales with it": `SELECT count(*) FROM sale_custom_classifications`,
		}, map[string]string{"sales": `SELECT count(*) FROM sales`}},
		{"custom_classifiers", `SELECT min(id) FROM custom_classifiers`, map[string]string{
			"values": `SELECT count(*) FROM custom_classifier_values`,
		}, map[string]string{"sales": `SELECT count(*) FROM sales`}},
		{"webhooks", `SELECT min(id) FROM webhooks`, map[string]string{
			"deliveries": `SELECT count(*) FROM deliveries`, "attempts": `SELECT count(*) FROM delivery_attempts`,
		}, nil},
	} {
		t.Run(c.root, func(t *testing.T) {
			t.Parallel()
			d := newDeletions(t)
			d.entity(t, 130)
			d.hide(t, c.root, d.number(t, c.id))
			for name, query := range c.gone {
				if n := d.number(t, query); n != 0 {
					t.Errorf("%s: %d", name, n)
				}
			}
			for name, query := range c.stays {
				if n := d.number(t, query); n == 0 {
					t.Errorf("%s: none", name)
				}
			}
			d.remove(t, d.number(t, `SELECT max(id) FROM entities`)) // the rest of it can still be removed
			if err := d.work(t.Context(), straight); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A rule that goes with what it matches by may have kept a transaction from its account; one that goes
// with its entity has not.
func TestRulesThatGoAreFollowedByAutomaticReconciliation(t *testing.T) {
	t.Parallel()
	d := newDeletions(t)
	entity := d.entity(t, 130)
	d.exec(t, `UPDATE deposit_accounts SET automatic_reconciliation = true`)
	d.exec(t, `DELETE FROM reconciliation_rules WHERE NOT match OR person_id IS NULL OR deposit_account_id IS NOT NULL`)
	everything := func() int64 {
		return d.number(t, `SELECT count(*) FROM jobs WHERE kind = 'reconcile_automatically'
			AND args::json ->> 'from' IS NULL`)
	}
	rules := d.number(t, `SELECT count(*) FROM reconciliation_rules`)
	d.hide(t, "people", d.number(t, `SELECT max(person_id) FROM reconciliation_rules`))
	if left, n := d.number(t, `SELECT count(*) FROM reconciliation_rules`), everything(); rules != 1 || left != 0 ||
		n != 1 {
		t.Errorf("%d jobs for all days after %d of %d rules", n, rules-left, rules)
	}
	d.exec(t, `DELETE FROM jobs WHERE kind = 'reconcile_automatically'`)
	d.exec(t, `INSERT INTO reconciliation_rules (account_id, entity_id, name, position, new_account, match, automatic,
		text_contains)
		VALUES ($1, $2, 'Tarifas', 1, true, false, true, '["tarifa"]')`, d.AccountID, entity)
	d.remove(t, entity)
	if err := d.work(t.Context(), straight); err != nil {
		t.Fatal(err)
	}
	if left, n := d.number(t, `SELECT count(*) FROM reconciliation_rules`), everything(); left != 0 || n != 0 {
		t.Errorf("%d jobs for all days of an entity that goes, %d rules are left", n, left)
	}
}

// A rule that a client turns into one that matches by the category, after the step that removes such rules, never
// matches accounts of all categories: the cascade begins again and removes it.
func TestARuleThatComesToMatchByWhatGoesIsRemoved(t *testing.T) {
	t.Parallel()
	d := newDeletions(t)
	d.entity(t, 3)
	id := d.number(t, `SELECT max(category_id) FROM reconciliation_rules WHERE new_account`)
	d.exec(t, `UPDATE categories SET deleted_at = now() WHERE id = $1`, id)
	err := d.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.Enqueue(t.Context(), d.AccountID,
			jobs.DeleteCascade{AccountID: d.AccountID, Root: "categories", ID: id})
	})
	if err != nil {
		t.Fatal(err)
	}
	err = d.work(t.Context(), func(c *cascade.Cascade) error {
		if strings.Contains(c.Cursor(), "sales.category_id") {
			d.exec(t, `UPDATE reconciliation_rules SET new_account = false, match = true WHERE category_id = $1`, id)
		}
		return nil
	})
	const ofAll = `SELECT count(*) FROM reconciliation_rules WHERE match AND category_id IS NULL`
	if n := d.number(t, ofAll); !errors.Is(err, cascade.ErrReferred) || n != 0 {
		t.Errorf("%v, and %d rules match accounts of all categories", err, n)
	}
	d.exec(t, `UPDATE jobs SET cursor = NULL`) // as the worker does after ErrReferred
	if err := d.work(t.Context(), straight); err != nil {
		t.Error(err)
	}
	if n := d.number(t, ofAll); n != 0 {
		t.Errorf("%d rules match accounts of all categories in the end", n)
	}
}
