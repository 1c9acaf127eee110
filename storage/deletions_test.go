package storage_test

import (
	"slices"
	"testing"

	"bordero/storage/verify"
)

// A deleted record goes by a job of its own, one of its deleted parent, or one of its account.
func TestVerifyReportsWhatNoJobRemoves(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	i.exec(t, `
		INSERT INTO people (account_id, id, name, customer, supplier, deleted_at)
			VALUES (1, 7, 'p', true, true, now());
		INSERT INTO classification_centers (account_id, id, entity_id, name, cost_center, revenue_center, deleted_at)
			VALUES (1, 7, 1, 'c', true, true, now());
		INSERT INTO custom_classifiers (account_id, id, name, deleted_at) VALUES (1, 7, 'k', now()), (1, 8, 'l', NULL);
		INSERT INTO custom_classifier_values (account_id, id, custom_classifier_id, value, deleted_at)
			VALUES (1, 17, 7, 'v', now()), (1, 18, 8, 'w', now());
		INSERT INTO categories (account_id, id, parent_id, name, full_name, revenue, cost, deleted_at)
			VALUES (1, 1001, NULL, 'A', 'A', true, true, now()), (1, 1002, 1001, 'B', 'A / B', true, true, now())`)
	reported := func(want ...string) {
		t.Helper()
		found, err := verify.Run(t.Context(), i.Store, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		var records []string
		for _, f := range found {
			if f.Check == "deletions" {
				records = append(records, f.Record)
			}
		}
		if !slices.Equal(records, want) {
			t.Errorf("%q are reported, not %q", records, want)
		}
	}
	reported("categories 1001, deleted", "classification_centers 7, deleted", "custom_classifier_values 18, deleted",
		"custom_classifiers 7, deleted", "people 7, deleted")
	i.exec(t, `
		INSERT INTO jobs (account_id, kind, queue, args)
		SELECT 1, 'delete_cascade', 'deletions', json_build_object('account_id', 1, 'root', root, 'id', id)
		FROM (VALUES ('categories', 1001), ('classification_centers', 7), ('custom_classifier_values', 18),
			('custom_classifiers', 7), ('people', 8)) j (root, id)`)
	reported("people 7, deleted")
	i.exec(t, `INSERT INTO jobs (account_id, kind, queue, args)
		VALUES (1, 'delete_cascade', 'deletions', '{"account_id": 1, "root": "accounts", "id": 1}')`)
	reported()
}
