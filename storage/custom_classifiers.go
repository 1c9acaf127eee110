package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/list"
)

const (
	classifierColumns = `id, account_id, name, created_at, updated_at`
	valueColumns      = `id, account_id, custom_classifier_id, value, created_at, updated_at`
)

var classifierFilters = list.Table("CustomClassifier", map[string]list.Filter{"updated_at_gte": list.ChangedSince("")})

// CustomClassifiers lists the classifiers of the account, by id.
func (q Queries) CustomClassifiers(ctx context.Context, account int64, l list.Query) (
	list.Page[finance.CustomClassifier],
	error) {
	return list.Read[finance.CustomClassifier](ctx, q.DB, l, classifierFilters, classifierColumns,
		`custom_classifiers WHERE account_id = @account AND deleted_at IS NULL`, list.By("id"),
		db.Args{"account": account})
}

// CustomClassifier reads one classifier of the account.
func (q Queries) CustomClassifier(ctx context.Context, account, id int64) (*finance.CustomClassifier, error) {
	k, err := db.One[finance.CustomClassifier](ctx, q.DB, `SELECT `+classifierColumns+`
		FROM custom_classifiers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`, account, id)
	return &k, err
}

// LockCustomClassifier reads one classifier of the account and locks it FOR NO KEY UPDATE, to
// change it.
func (tx *Tx) LockCustomClassifier(ctx context.Context, account, id int64) (*finance.CustomClassifier, error) {
	k, err := db.One[finance.CustomClassifier](ctx, tx.DB, `SELECT `+classifierColumns+`
		FROM custom_classifiers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`, account,
		id)
	return &k, err
}

// ShareCustomClassifier locks a classifier of the account FOR KEY SHARE until the transaction
// ends, so that it is not deleted before a value is stored below it.
func (tx *Tx) ShareCustomClassifier(ctx context.Context, account, id int64) error {
	_, err := db.One[int64](ctx, tx.DB, `
		SELECT id FROM custom_classifiers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE`,
		account, id)
	return err
}

// InsertCustomClassifier stores a new classifier and fills in the columns that the database
// sets. A name that the account already has is a finance.Invalid.
func (tx *Tx) InsertCustomClassifier(ctx context.Context, k *finance.CustomClassifier) (err error) {
	*k, err = db.One[finance.CustomClassifier](ctx, tx.DB, `
		INSERT INTO custom_classifiers (account_id, name) VALUES ($1, $2) RETURNING `+classifierColumns, k.AccountID,
		k.Name)
	return refused(err)
}

// UpdateCustomClassifier stores the changes of a classifier. It has the refusals of
// InsertCustomClassifier.
func (tx *Tx) UpdateCustomClassifier(ctx context.Context, k *finance.CustomClassifier) (err error) {
	*k, err = db.One[finance.CustomClassifier](ctx, tx.DB, `
		UPDATE custom_classifiers SET name = $3, updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING `+
		classifierColumns,
		k.AccountID, k.ID, k.Name)
	return refused(err)
}

// RemoveCustomClassifier hides a classifier with its values and enqueues their removal. It emits the
// events of the values.
func (tx *Tx) RemoveCustomClassifier(ctx context.Context, k *finance.CustomClassifier) error {
	if err := tx.Hide(ctx, "custom_classifiers", k.AccountID, k.ID); err != nil {
		return err
	}
	values, err := db.Many[int64](ctx, tx.DB, `
		UPDATE custom_classifier_values SET deleted_at = now(), updated_at = now()
		WHERE account_id = $1 AND custom_classifier_id = $2 AND deleted_at IS NULL RETURNING id`, k.AccountID, k.ID)
	if err != nil || len(values) == 0 {
		return err
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.CustomClassifierValuesFamily, Action: finance.Destroyed, AccountID: k.AccountID, ParentID: k.ID,
		IDs: values,
	})
}

// CustomClassifierValues lists the values of a classifier, sorted without regard to case and
// accents. The list of a missing classifier is empty.
func (q Queries) CustomClassifierValues(ctx context.Context, account, classifier int64, l list.Query) (
	list.Page[finance.CustomClassifierValue], error) {
	return list.Read[finance.CustomClassifierValue](ctx, q.DB, l, classifierFilters, valueColumns,
		`custom_classifier_values WHERE account_id = @account AND custom_classifier_id = @classifier
			AND deleted_at IS NULL`,
		list.By("id", list.TextKey("fold(value)")), db.Args{"account": account, "classifier": classifier})
}

// CustomClassifierValue reads one value of the classifier.
func (q Queries) CustomClassifierValue(ctx context.Context, account, classifier, id int64) (
	*finance.CustomClassifierValue, error) {
	v, err := db.One[finance.CustomClassifierValue](ctx, q.DB, `SELECT `+valueColumns+` FROM custom_classifier_values
		WHERE account_id = $1 AND custom_classifier_id = $2 AND id = $3 AND deleted_at IS NULL`, account, classifier,
		id)
	return &v, err
}

// LockCustomClassifierValue reads one value of the classifier and locks it FOR NO KEY UPDATE,
// to change it.
func (tx *Tx) LockCustomClassifierValue(ctx context.Context, account, classifier, id int64) (
	*finance.CustomClassifierValue, error) {
	v, err := db.One[finance.CustomClassifierValue](ctx, tx.DB, `SELECT `+valueColumns+` FROM custom_classifier_values
		WHERE account_id = $1 AND custom_classifier_id = $2 AND id = $3 AND deleted_at IS NULL FOR NO KEY UPDATE`,
		account, classifier, id)
	return &v, err
}

// InsertCustomClassifierValue stores a new value and fills in the columns that the database
// sets. A text that the classifier already has is a finance.Invalid.
func (tx *Tx) InsertCustomClassifierValue(ctx context.Context, v *finance.CustomClassifierValue) (err error) {
	*v, err = db.One[finance.CustomClassifierValue](ctx, tx.DB, `
		INSERT INTO custom_classifier_values (account_id, custom_classifier_id, value) VALUES ($1, $2, $3) RETURNING `+
		valueColumns,
		v.AccountID, v.CustomClassifierID, v.Value)
	return refused(err)
}

// UpdateCustomClassifierValue stores the changes of a value. It has the refusals of
// InsertCustomClassifierValue.
func (tx *Tx) UpdateCustomClassifierValue(ctx context.Context, v *finance.CustomClassifierValue) (err error) {
	*v, err = db.One[finance.CustomClassifierValue](ctx, tx.DB, `
		UPDATE custom_classifier_values SET value = $3, updated_at = now() WHERE account_id = $1
			AND id = $2 RETURNING `+valueColumns,
		v.AccountID, v.ID, v.Value)
	return refused(err)
}

// RemoveCustomClassifierValue hides a value and enqueues its removal.
func (tx *Tx) RemoveCustomClassifierValue(ctx context.Context, v *finance.CustomClassifierValue) error {
	return tx.Hide(ctx, "custom_classifier_values", v.AccountID, v.ID)
}
