package api

import (
	"bordero/finance"
	"bordero/internal/wire"
)

// assignReferences reads the category, person and center of a financial record. The full name of
// a category takes precedence over its id.
func assignReferences(in *wire.Input, r *finance.References) {
	in.Alias("category_full_name", "category")
	if in.Has("category_full_name") { // null clears, like category_id
		r.CategoryID = nil
		in.StringPtr("category_full_name", &r.CategoryFullName)
	}
	in.IntPtr("category_id", &r.CategoryID)
	in.IntPtr("person_id", &r.PersonID)
	in.IntPtr("classification_center_id", &r.ClassificationCenterID)
}

// joined runs the checks in turn. It returns the faults of all of them together, or the first error
// of another kind.
func joined(checks ...func() error) error {
	var invalid finance.Invalid
	for _, check := range checks {
		if err := invalid.Join(check()); err != nil {
			return err
		}
	}
	return invalid.Err()
}
