package storage

import (
	"context"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// The statements that store a record refuse conflicts with other rows. If a record has other faults
// and is not stored, the methods of this file look for the same conflicts, so that one answer names
// all faults.

// CategoryConflicts returns the conflicts that InsertCategory and UpdateCategory would refuse.
func (tx *Tx) CategoryConflicts(ctx context.Context, c *finance.Category) error {
	if err := tx.lockCategories(ctx, c.AccountID); err != nil {
		return err
	}
	at := *c
	if err := tx.place(ctx, &at); err != nil {
		return err
	}
	if utf8.RuneCountInString(c.Name) <= 255 && utf8.RuneCountInString(at.FullName) > 255 { // not by the name alone
		return finance.Refuse("full_name", messages.TooLong.With(255))
	}
	return tx.conflict(ctx, "categories_full_name", `
		SELECT EXISTS (SELECT FROM categories WHERE account_id = $1 AND fold(full_name) = fold($2)
			AND deleted_at IS NULL AND id <> $3)`,
		c.AccountID, at.FullName, c.ID)
}

// CustomClassifierConflicts returns the conflicts that InsertCustomClassifier and
// UpdateCustomClassifier would refuse.
func (tx *Tx) CustomClassifierConflicts(ctx context.Context, k *finance.CustomClassifier) error {
	return tx.conflict(ctx, "custom_classifiers_name", `
		SELECT EXISTS (SELECT FROM custom_classifiers WHERE account_id = $1 AND fold(name) = fold($2)
			AND deleted_at IS NULL AND id <> $3)`,
		k.AccountID, k.Name, k.ID)
}

// CustomClassifierValueConflicts returns the conflicts that InsertCustomClassifierValue and
// UpdateCustomClassifierValue would refuse.
func (tx *Tx) CustomClassifierValueConflicts(ctx context.Context, v *finance.CustomClassifierValue) error {
	return tx.conflict(ctx, "custom_classifier_values_value", `
		SELECT EXISTS (SELECT FROM custom_classifier_values
			WHERE account_id = $1 AND custom_classifier_id = $2 AND fold(value) = fold($3) AND deleted_at IS NULL
				AND id <> $4)`,
		v.AccountID, v.CustomClassifierID, v.Value, v.ID)
}

// SaleRuleConflicts returns the conflicts that InsertSaleRule and UpdateSaleRule would refuse.
func (tx *Tx) SaleRuleConflicts(ctx context.Context, r *finance.SaleRule) error {
	return tx.conflict(ctx, "sale_rules_key", `
		SELECT EXISTS (SELECT FROM sale_rules
			WHERE account_id = $1 AND sale_account_id = $2 AND payment_method = $3
				AND coalesce(issuer, '') = coalesce($4, '') AND id <> $5)`,
		r.AccountID, r.SaleAccountID, r.PaymentMethod, r.Issuer, r.ID)
}

// RegisterConflicts returns the conflicts that OpenRegister would refuse.
func (tx *Tx) RegisterConflicts(ctx context.Context, d *finance.DepositAccount) error {
	return tx.conflict(ctx, "register_sessions_open", `
		SELECT EXISTS (SELECT FROM register_sessions WHERE account_id = $1 AND deposit_account_id = $2
			AND closed_at IS NULL)`, d.AccountID, d.ID)
}

// conflict returns the error for the violation of a constraint, if a query finds one.
func (tx *Tx) conflict(ctx context.Context, constraint, query string, args ...any) error {
	exists, err := db.One[bool](ctx, tx.DB, query, args...)
	if err != nil || !exists {
		return err
	}
	m := constraints[constraint]
	return finance.Refuse(m.Attribute, m.Fault)
}
