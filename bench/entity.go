package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"time"

	"bordero/storage/storagetest"
)

// measureEntityDelete compares the deletion of an entity, from the request to the end of its job,
// with one DELETE for each table.
func measureEntityDelete(ctx context.Context, h *harness) (ours, floor figure) {
	h.few(3)
	// If a minute ends meanwhile, the scheduler asks for proofs, and rest waits for them.
	s := h.service(ctx, "api", "scheduler", "work deletions", "work statements")
	return s.removed(func(ctx context.Context, entity int64) {
			s.ask(ctx, http.MethodDelete, fmt.Sprintf("/entities/%d?force_destroy=true", entity), "", nil)
			s.rest(ctx)
		}), s.removed(func(ctx context.Context, entity int64) {
			for _, t := range owned {
				s.exec(ctx, `DELETE FROM `+t[0]+` WHERE `+ownedBy(t[0]), s.AccountID, entity)
			}
		})
}

// removed fills an entity and measures how fast it is removed.
func (s *service) removed(remove func(ctx context.Context, entity int64)) figure {
	return func(ctx context.Context, _ time.Duration) sample {
		entity := s.newContents(ctx)
		took := timed(func() { remove(ctx, entity) })
		left := one[int](ctx, s.db, `SELECT (SELECT count(*) FROM sales) + (SELECT count(*) FROM financial_transactions)
			+ (SELECT count(*) FROM entities WHERE id = $1)`, entity)
		if left != 0 {
			check(fmt.Errorf("%d rows are left", left))
		}
		return sample{value: float64(s.deleted) / took.Seconds()}
	}
}

// newContents creates an entity with rows in all tables, without webhooks and files. It empties the
// tables with many rows before, because dead rows would slow the next side down, and does not check the
// foreign keys, which would take most of the time.
func (s *service) newContents(ctx context.Context) (entity int64) {
	inTx(ctx, s.db, func(tx *sql.Tx) {
		entity = one[int64](ctx, tx, `INSERT INTO entities (account_id, name) VALUES ($1, 'E') RETURNING id`,
			s.AccountID)
		must(tx.ExecContext(ctx, `SET LOCAL session_replication_role = replica`))
		must(tx.ExecContext(ctx, `TRUNCATE sales, financial_accounts, financial_transactions, reconciles,
			imported_items, ignored_items, credit_card_transactions CASCADE`))
		n := int(float64(s.deleted) / 14.4) // about how many rows Contents creates for each of its n
		check(storagetest.Contents(ctx, tx, s.AccountID, entity, n, storagetest.NoWebhook))
		// The contents request pricing, which is not measured here.
		must(tx.ExecContext(ctx, `TRUNCATE sale_rule_applications, jobs`))
	})
	s.vacuum(ctx)
	s.exec(ctx, `CHECKPOINT`)
	return entity
}

// owned are the tables of an entity, children first, each with the column that names the parent, and the
// parent.
var owned = [][3]string{
	{"sale_taxes", "sale_id", "sales"}, {"sale_custom_classifications", "sale_id", "sales"},
	{"sale_center_classifications", "sale_id", "sales"}, {"sales", "entity_id", "entities"},
	{"financial_account_taxes", "financial_account_id", "financial_accounts"},
	{"financial_accounts", "entity_id", "entities"},
	{"imported_items", "deposit_account_id", "deposit_accounts"},
	{"ignored_items", "bank_statement_id", "bank_statements"},
	{"folded_items", "bank_statement_id", "bank_statements"},
	{"previewed_items", "bank_statement_id", "bank_statements"}, {"transfers", "entity_id", "entities"},
	{"financial_transactions", "deposit_account_id", "deposit_accounts"}, {"reconciles", "entity_id", "entities"},
	{"reconciliation_rules", "entity_id", "entities"}, {"budgets", "entity_id", "entities"},
	{"bank_statements", "deposit_account_id", "deposit_accounts"},
	{"register_sessions", "deposit_account_id", "deposit_accounts"},
	{"credit_card_transaction_custom_classifications", "credit_card_transaction_id", "credit_card_transactions"},
	{"credit_card_transactions", "credit_card_id", "credit_cards"},
	{"credit_card_invoices", "credit_card_id", "credit_cards"}, {"credit_cards", "entity_id", "entities"},
	{"sale_rules", "sale_account_id", "sale_accounts"}, {"sale_accounts", "entity_id", "entities"},
	{"deposit_accounts", "entity_id", "entities"}, {"attachments", "entity_id", "entities"},
	{"classification_centers", "entity_id", "entities"}, {"entities", "id", ""},
}

// ownedBy returns the condition of a table's rows that belong to the entity $2 of the account $1.
func ownedBy(table string) string {
	t := owned[slices.IndexFunc(owned, func(t [3]string) bool { return t[0] == table })]
	if t[2] == "entities" || t[2] == "" {
		return `account_id = $1 AND ` + t[1] + ` = $2`
	}
	return `account_id = $1 AND ` + t[1] + ` IN (SELECT id FROM ` + t[2] + ` WHERE ` + ownedBy(t[2]) + `)`
}
