package api

import (
	"context"
	"strings"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var saleAccounts = resource[finance.SaleAccount]{
	root: "sale_account", plural: "sale_accounts",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.SaleAccount],
		error) {
		return q.SaleAccounts(ctx, c.access, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.SaleAccount, error) {
		return q.SaleAccount(ctx, c.access, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.SaleAccount, error) {
		a, err := tx.LockSaleAccount(ctx, c.access, id)
		if err != nil {
			return nil, err
		}
		return a, c.shareEntityByID(ctx, tx, a.EntityID)
	},
	newRecord: func(c *call) *finance.SaleAccount {
		return &finance.SaleAccount{AccountID: c.access.AccountID}
	},
	assign: func(in *wire.Input, a *finance.SaleAccount) {
		in.Int("entity_id", &a.EntityID)
		in.String("name", &a.Name)
		in.String("provider", &a.Provider)
		in.StringPtr("description", &a.Description)
		in.String("payment_methods", &a.PaymentMethods)
		in.Bool("consolidate", &a.Consolidate)
		assignReferences(in, &a.References)
		in.IntPtr("expected_deposit_account_id", &a.ExpectedDepositAccountID)
		assignCustomClassifications(in, &a.CustomClassifications)
		assignCenterClassifications(in, &a.CenterClassifications)
	},
	validate:       (*finance.SaleAccount).Validate,
	lockReferences: lockSaleAccountReferences,
	insert:         inTurn((*storage.Tx).InsertSaleAccount),
	update:         (*storage.Tx).UpdateSaleAccount,
	remove:         (*storage.Tx).RemoveSaleAccount,
	events: func(_ *call, a *finance.SaleAccount, action finance.Action) []finance.Event {
		return []finance.Event{{
			Family: finance.SaleAccountsFamily, Action: action, AccountID: a.AccountID, EntityID: a.EntityID,
			IDs: []int64{a.ID},
		}}
	},
	show: func(_ *call, w *wire.Writer, a *finance.SaleAccount) {
		w.Int("id", a.ID)
		w.Int("entity_id", a.EntityID)
		w.String("name", a.Name)
		w.String("provider", a.Provider)
		w.StringPtr("description", a.Description)
		w.String("payment_methods", a.PaymentMethods)
		w.Bool("consolidate", a.Consolidate)
		w.IntPtr("category_id", a.CategoryID)
		w.IntPtr("person_id", a.PersonID)
		w.IntPtr("classification_center_id", a.ClassificationCenterID)
		w.IntPtr("expected_deposit_account_id", a.ExpectedDepositAccountID)
		showCustomClassifications(w, a.CustomClassifications)
		showCenterClassifications(w, a.CenterClassifications)
		w.Time("created_at", a.CreatedAt)
		w.Time("updated_at", a.UpdatedAt)
	},
	path: func(_ *call, a *finance.SaleAccount) string { return paths.SaleAccount(a.ID) },
}

func lockSaleAccountReferences(ctx context.Context, tx *storage.Tx, c *call, a *finance.SaleAccount,
	before finance.SaleAccount) error {
	// Check the entity first: with an entity that is hidden from the user the later checks must not
	// run.
	if err := joined(
		func() error { return a.ValidateChange(before) },
		func() error { return c.shareEntityByID(ctx, tx, a.EntityID) },
	); err != nil {
		return err
	}
	scope := storage.Scope{AccountID: a.AccountID, EntityID: a.EntityID}
	return tx.Share(ctx, scope, c.access, saleAccountRefersTo(a), saleAccountRefersTo(&before))
}

func saleAccountRefersTo(a *finance.SaleAccount) storage.Refers {
	return storage.Refers{References: &a.References, ExpectedDepositAccountID: a.ExpectedDepositAccountID,
		CustomClassifications: a.CustomClassifications, CenterClassifications: a.CenterClassifications}
}

var saleAccountFields = openapi.Fields{
	"name":     {Doc: "Its name.", Example: "Maquininha da loja"},
	"provider": {Doc: "The acquirer.", Enum: openapi.Enum{Name: "SaleAccountProvider", Values: finance.Providers}},
	"payment_methods": {
		Doc:     "The enabled methods, with commas between them.",
		In:      "Methods with commas between them: " + strings.Join(finance.PaymentMethods, ", ") + ".",
		Example: "credit,debit,pix",
	},
	"consolidate": {Doc: "Whether all sales of a day have one receivable account."},
}
