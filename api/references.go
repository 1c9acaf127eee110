package api

import (
	"bordero/finance"
	"bordero/internal/wire"
)

// assignReferences reads what a financial record is sorted by. A category comes
// by its id or by its full name, which counts where both come.
func assignReferences(in *wire.Input, r *finance.References) {
	if in.Has("category_full_name") { // null clears, like category_id
		r.CategoryID = nil
		in.StringPtr("category_full_name", &r.CategoryFullName)
	}
	in.IntPtr("category_id", &r.CategoryID)
	in.IntPtr("person_id", &r.PersonID)
	in.IntPtr("classification_center_id", &r.ClassificationCenterID)
}
