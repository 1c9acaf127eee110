package storage

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// Refers are the records that a record refers to. Classifications with an id are stored already.
type Refers struct {
	*finance.References
	ExpectedDepositAccountID *int64
	AttachmentIDs            finance.IDs
	CustomClassifications    finance.CustomClassifications
	CenterClassifications    finance.CenterClassifications

	before *Refers // nil for a new record
}

// RefersTo returns the records that a financial account refers to.
func RefersTo(f *finance.FinancialAccount) Refers {
	return Refers{References: &f.References, ExpectedDepositAccountID: f.ExpectedDepositAccountID,
		AttachmentIDs: f.AttachmentIDs, CustomClassifications: f.CustomClassifications,
		CenterClassifications: f.CenterClassifications}
}

// Share is ShareEach for one record. A reference that is the same as before stays, even to a record hidden meanwhile.
// A changed list of too many attachments is a finance.Invalid.
func (tx *Tx) Share(ctx context.Context, s Scope, sees finance.Access, r, before Refers) error {
	r.before = &before
	faults, err := tx.ShareEach(ctx, s, sees, []Refers{r})
	if err != nil {
		return err
	}
	return faults[0]
}

// ShareEach finds the records of the entity and its account that each of several new records refers to, and locks them
// FOR KEY SHARE, against deletion, until the transaction ends, with a constant number of statements. It sets
// categories that are named, regardless of case and accents, and the ids and names of named values. A missing record,
// or an attachment that the user does not see, is a finance.Invalid, in the place of the record that refers to it;
// that of the others is nil.
func (tx *Tx) ShareEach(ctx context.Context, s Scope, sees finance.Access, all []Refers) ([]error, error) {
	faults := make([]finance.Invalid, len(all))
	if err := tx.shareNamedCategories(ctx, s, all, faults); err != nil {
		return nil, err
	}
	for _, r := range []struct {
		association, from string
		of                func(*Refers) *int64
	}{
		{"category", `categories WHERE account_id = $1 AND $2::bigint IS NOT NULL`, (*Refers).unnamedCategory},
		{"person", `people WHERE account_id = $1 AND $2::bigint IS NOT NULL`,
			func(r *Refers) *int64 { return r.PersonID }},
		{"classification_center", `classification_centers WHERE account_id = $1 AND entity_id = $2`,
			func(r *Refers) *int64 { return r.ClassificationCenterID }},
		{"expected_deposit_account", `deposit_accounts WHERE account_id = $1 AND entity_id = $2`,
			func(r *Refers) *int64 { return r.ExpectedDepositAccountID }},
	} {
		added := func(to *Refers) *int64 { // nil for a reference that stays
			if to.before != nil && finance.SameID(r.of(to), r.of(to.before)) {
				return nil
			}
			return r.of(to)
		}
		var ids []int64
		for i := range all {
			if id := added(&all[i]); id != nil {
				ids = append(ids, *id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		held, err := db.Many[int64](ctx, tx.DB, `SELECT id FROM `+r.from+
			` AND id = ANY($3) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`,
			s.AccountID, s.EntityID, ids)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if id := added(&all[i]); id != nil && !slices.Contains(held, *id) {
				faults[i].Add(r.association, messages.NotExisting)
			}
		}
	}
	if err := tx.shareEachAttachment(ctx, s, sees, all, faults); err != nil {
		return nil, err
	}
	if err := tx.shareEachClassification(ctx, s, all, faults); err != nil {
		return nil, err
	}
	errs := make([]error, len(all))
	for i := range faults {
		errs[i] = faults[i].Err()
	}
	return errs, nil
}

func (tx *Tx) shareEachAttachment(ctx context.Context, s Scope, sees finance.Access, all []Refers,
	faults []finance.Invalid) error {
	var files finance.IDs
	for i := range all {
		r := &all[i]
		if r.before != nil && slices.Equal(r.AttachmentIDs, r.before.AttachmentIDs) {
			r.AttachmentIDs = nil
		} else if err := finance.ValidateAttachments(r.AttachmentIDs); err != nil {
			r.AttachmentIDs = nil
			_ = faults[i].Join(err) // an Invalid
		}
		files = append(files, r.AttachmentIDs...)
	}
	unknown, err := tx.shareSeenAttachments(ctx, s, sees, files)
	if err != nil {
		return err
	}
	for i := range all {
		_ = faults[i].Join(unknownAttachments(all[i].AttachmentIDs, unknown)) // an Invalid
	}
	return nil
}

// shareEachClassification finds and locks the values and centers that the records are classified by.
func (tx *Tx) shareEachClassification(ctx context.Context, s Scope, all []Refers, faults []finance.Invalid) error {
	var values finance.CustomClassifications
	var centers finance.CenterClassifications
	for i := range all {
		values, centers = append(values, all[i].CustomClassifications...), append(centers,
			all[i].CenterClassifications...)
	}
	if err := tx.shareValues(ctx, s.AccountID, values); err != nil {
		return err
	}
	unknown, err := tx.shareCenters(ctx, s, centers)
	if err != nil {
		return err
	}
	for i := range all {
		values = values[copy(all[i].CustomClassifications, values):]
		_ = faults[i].Join(unknownValues(all[i].CustomClassifications)) // both are Invalids
		_ = faults[i].Join(unknownCenters(all[i].CenterClassifications, unknown))
	}
	return nil
}

// unnamedCategory returns the category unless shareNamedCategories finds it.
func (r *Refers) unnamedCategory() *int64 {
	if r.CategoryFullName != nil {
		return nil
	}
	return r.CategoryID
}

// shareNamedCategories sets the category of the records that name it.
func (tx *Tx) shareNamedCategories(ctx context.Context, s Scope, all []Refers, faults []finance.Invalid) error {
	var names []string
	var named []int // indices of the records
	for i := range all {
		if name := all[i].CategoryFullName; name != nil {
			names, named = append(names, *name), append(named, i)
		}
	}
	if len(names) == 0 {
		return nil
	}
	found, err := db.Many[struct{ Line, ID int64 }](ctx, tx.DB, `
		SELECT n.line, c.id FROM unnest($2::text[]) WITH ORDINALITY AS n (name, line)
		JOIN categories c ON c.account_id = $1 AND fold(c.full_name) = fold(n.name) AND c.deleted_at IS NULL
			ORDER BY c.id FOR KEY SHARE OF c`, s.AccountID, names)
	if err != nil {
		return err
	}
	for _, f := range found {
		all[named[f.Line-1]].CategoryID = &f.ID
	}
	for line, i := range named {
		if !slices.ContainsFunc(found, func(f struct{ Line, ID int64 }) bool { return f.Line == int64(line+1) }) {
			faults[i].Add("category", messages.NotExisting)
		}
	}
	return nil
}

// addUnknown adds a message for each of the ids of a list that do not exist.
func addUnknown(invalid *finance.Invalid, list string, unknown []int64) {
	for _, id := range unknown {
		invalid.AddNamed(fmt.Sprintf("%s/=%d", list, id), list, messages.IDsNotExisting, strconv.FormatInt(id, 10))
	}
}
