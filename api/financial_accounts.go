package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

// accountKind has the differences between payable and receivable accounts in the API.
type accountKind struct {
	finance.AccountKind
	family       finance.Family
	settle, undo string // the last segments of the paths of these two actions
}

var (
	payable    = accountKind{finance.Payable, finance.PayableAccountsFamily, "pay", "undo_payment"}
	receivable = accountKind{finance.Receivable, finance.ReceivableAccountsFamily, "receive", "undo_receivement"}

	accountKinds = map[finance.AccountKind]accountKind{finance.Payable: payable, finance.Receivable: receivable}

	payableAccounts    = financialAccounts(payable)
	receivableAccounts = financialAccounts(receivable)
)

func (k accountKind) root() string { return string(k.AccountKind) + "_account" }

func (k accountKind) event(f *finance.FinancialAccount, action finance.Action, ids ...int64) finance.Event {
	return finance.Event{Family: k.family, Action: action, AccountID: f.AccountID, EntityID: f.EntityID, IDs: ids}
}

func financialAccounts(k accountKind) resource[finance.FinancialAccount] {
	return resource[finance.FinancialAccount]{
		root: k.root(), plural: k.root() + "s",
		list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
			list.Page[finance.FinancialAccount], error) {
			return q.FinancialAccounts(ctx, c.scope(), k.AccountKind, l)
		},
		find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.FinancialAccount, error) {
			return q.FinancialAccount(ctx, c.scope(), k.AccountKind, id)
		},
		lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.FinancialAccount, error) {
			return tx.LockFinancialAccountForDelete(ctx, c.scope(), k.AccountKind, id)
		},
		newRecord: func(c *call) *finance.FinancialAccount {
			return &finance.FinancialAccount{
				AccountID: c.access.AccountID, EntityID: c.entityID, Kind: k.AccountKind, CreatorID: &c.userID,
			}
		},
		assign:   assignFinancialAccount,
		validate: (*finance.FinancialAccount).Validate,
		identity: func(c *call, f *finance.FinancialAccount) identity {
			return identity{storage.ExternalIDsOf(k.AccountKind), c.scope(), f.ID, f.ExternalID}
		},
		lockReferences: func(_ context.Context, _ *storage.Tx, _ *call, f *finance.FinancialAccount,
			before finance.FinancialAccount) error {
			return f.ValidateChange(before)
		},
		refers: storage.RefersTo,
		insert: (*storage.Tx).InsertFinancialAccounts,
		update: (*storage.Tx).UpdateFinancialAccount,
		remove: func(tx *storage.Tx, ctx context.Context, f *finance.FinancialAccount) error {
			if err := f.Removable(); err != nil {
				return err
			}
			return tx.RemoveFinancialAccount(ctx, f)
		},
		events: func(_ *call, f *finance.FinancialAccount, action finance.Action) []finance.Event {
			if action == finance.Created {
				return []finance.Event{k.event(f, action, f.Created...)}
			}
			return []finance.Event{k.event(f, action, f.ID)}
		},
		show: showFinancialAccount,
		path: func(_ *call, f *finance.FinancialAccount) string {
			return paths.FinancialAccount(f.EntityID, string(f.Kind), f.ID)
		},
	}
}

// competencyMonth reads a month. It refuses 0001-01, the zero Month, which a record takes for an absent month: an unset
// date of .NET would move the record to the month of its day.
type competencyMonth finance.Month

// UnmarshalText implements encoding.TextUnmarshaler as finance.Month does.
func (m *competencyMonth) UnmarshalText(text []byte) error {
	month := (*finance.Month)(m)
	if err := month.UnmarshalText(text); err != nil {
		return err
	}
	if month.IsZero() {
		return messages.NotDate
	}
	return nil
}

func assignFinancialAccount(in *wire.Input, f *finance.FinancialAccount) {
	assignExternalID(in, &f.ExternalID)
	wire.DecodeInto(in, "due_date", &f.DueDate)
	in.Synonym("nominal_amount", "amount")
	wire.DecodeInto(in, "nominal_amount", &f.Amount)
	assignAccountSettlement(in, f)
	wire.DecodeInto(in, "competency_month", (*competencyMonth)(&f.CompetencyMonth))
	in.StringPtr("description", &f.Description)
	in.StringPtr("document", &f.Document)
	wire.DecodeIntoPtr(in, "document_emission_date", &f.DocumentEmissionDate)
	in.StringPtr("observation", &f.Observation)
	in.Bool("remind", &f.Remind)
	assignReferences(in, &f.References)
	in.IntPtr("expected_deposit_account_id", &f.ExpectedDepositAccountID)
	in.Synonym("tax_charges", "financial_account_taxes_attributes") // as sales name them
	assignTaxCharges(in, "tax_charges", &f.Taxes)
	assignTaxCharges(in, "financial_account_taxes_attributes", &f.Taxes)
	in.IDs(finance.AttachmentIDList, (*[]int64)(&f.AttachmentIDs))
	assignCustomClassifications(in, &f.CustomClassifications)
	assignCenterClassifications(in, &f.CenterClassifications)
	if f.ID == 0 {
		in.String("create_as_recurrent", &f.CreateAsRecurrent)
		in.String("create_as_parcelled", &f.CreateAsParcelled)
		in.IntPtr("number_of_parcels", &f.NumberOfParcels)
	}
}

// assignAccountSettlement reads the date and the amounts of a payment or a receipt.
func assignAccountSettlement(in *wire.Input, f *finance.FinancialAccount) {
	wire.DecodeInto(in, "amount", &f.Amount)
	wire.DecodeIntoPtr(in, "ticket_amount", &f.TicketAmount)
	wire.DecodeIntoPtr(in, "interest_amount", &f.InterestAmount)
	wire.DecodeIntoPtr(in, "discount_amount", &f.DiscountAmount)
	wire.DecodeIntoPtr(in, "total_amount", &f.TotalAmount)
	wire.DecodeIntoPtr(in, "occurred_at", &f.OccurredAt)
}

func showFinancialAccount(c *call, w *wire.Writer, f *finance.FinancialAccount) {
	w.Int("id", f.ID)
	w.StringPtr("external_id", f.ExternalID)
	w.Int("entity_id", f.EntityID)
	w.Int("status", f.Status)
	w.String("status_name", f.StatusName())
	wire.Date(w, "due_date", f.DueDate)
	wire.DatePtr(w, "occurred_at", f.OccurredAt)
	wire.Decimal(w, "amount", f.Amount)
	wire.DecimalPtr(w, "ticket_amount", f.TicketAmount)
	wire.DecimalPtr(w, "interest_amount", f.InterestAmount)
	wire.DecimalPtr(w, "discount_amount", f.DiscountAmount)
	wire.DecimalPtr(w, "withheld_tax_amount", f.WithheldTaxAmount)
	wire.DecimalPtr(w, "fee_amount", f.FeeAmount)
	wire.Decimal(w, "nominal_amount", f.Amount)
	wire.DecimalPtr(w, "total_amount", f.TotalAmount)
	w.StringPtr("description", f.Description)
	w.StringPtr("document", f.Document)
	wire.DatePtr(w, "document_emission_date", f.DocumentEmissionDate)
	w.StringPtr("observation", f.Observation)
	w.Bool("remind", f.Remind)
	w.TimePtr("reminded_at", f.RemindedAt)
	w.IntPtr("category_id", f.CategoryID)
	w.IntPtr("classification_center_id", f.ClassificationCenterID)
	w.IntPtr("expected_deposit_account_id", f.ExpectedDepositAccountID)
	w.IntPtr("recurrence_id", f.RecurrenceID)
	w.IntPtr("person_id", f.PersonID)
	w.Time("created_at", f.CreatedAt)
	w.Time("updated_at", f.UpdatedAt)
	w.String("competency_month", f.CompetencyMonth.String())
	w.Bool("recurrent", f.Recurrent())
	w.Bool("parcelled", f.Parcelled())
	w.StringPtr("recurrence_period", f.RecurrencePeriod)
	w.IntPtr("number_of_parcels", f.NumberOfParcels)
	w.IntPtr("current_parcel", f.CurrentParcel)
	w.IntArray(finance.AttachmentIDList, "attachment_id", f.AttachmentIDs)
	w.Objects("financial_account_taxes_attributes", "financial_account_taxes_attribute", len(f.Taxes), func(i int) {
		w.Int("tax_id", f.Taxes[i].TaxID)
		wire.Decimal(w, "amount", f.Taxes[i].Amount)
	})
	w.Objects("tax_charges", "tax_charge", len(f.Taxes), func(i int) {
		w.Int("id", int64(i+1)) // counts the taxes of the account
		w.Int("tax_id", f.Taxes[i].TaxID)
		wire.Decimal(w, "amount", f.Taxes[i].Amount)
	})
	id, with := f.ReconcileID, f.ReconciledWith
	if !c.access.Allows(finance.FinancialTransactions) {
		id, with = nil, nil
	}
	w.IntPtr("reconcile_id", id)
	w.Object("reconciliations", func() {
		showRefs(c, w, "financial_transaction", with, func(r finance.Ref) string {
			return paths.FinancialTransaction(f.EntityID, r.DepositAccountID, r.ID)
		})
		w.Objects("financial_accounts", "financial_account", 0, nil)
	})
	showCustomClassifications(w, f.CustomClassifications)
	showCenterClassifications(w, f.CenterClassifications)
	w.IntPtr("sale_account_id", f.SaleAccountID)
	w.Array("sale_ids", "sale_id", len(f.Sales), func(i int) { w.Int("sale_id", f.Sales[i].ID) })
	w.Int("sales_count", f.SalesCount)
	c.links(w, accountLinks(f)...)
}

// accountLinks returns the links to an account, its actions, its attachments and its neighbours in
// its series.
func accountLinks(f *finance.FinancialAccount) []link {
	path := func(id int64) string { return paths.FinancialAccount(f.EntityID, string(f.Kind), id) }
	self, kind := path(f.ID), accountKinds[f.Kind]
	links := []link{{"self", "get", self}}
	if f.Removable() == nil {
		links = append(links, link{"destroy", "delete", self})
	}
	for _, id := range f.AttachmentIDs {
		links = append(links, link{"attachment", "get", paths.Attachment(f.EntityID, id)})
	}
	switch f.Status {
	case finance.Outstanding:
		links = append(links, link{kind.settle, "put", self + "/" + kind.settle})
	case finance.Settled:
		links = append(links, link{kind.undo, "put", self + "/" + kind.undo})
	}
	if f.PreviousID != nil {
		links = append(links, link{"previous", "get", path(*f.PreviousID)})
	}
	if f.NextID != nil {
		links = append(links, link{"next", "get", path(*f.NextID)})
	}
	if f.RecurrenceID != nil {
		links = append(links, link{"destroy_recurrence", "delete", self + "/recurrence"})
	}
	return links
}

var recurrencePeriod = openapi.Enum{Name: "RecurrencePeriod", Values: []string{finance.Monthly, finance.Annual}}

// financialAccountFields describe payable and receivable accounts.
var financialAccountFields = openapi.Fields{
	"status": {Doc: "1 is outstanding, 2 paid or received, 3 reconciled.", Enum: openapi.Enum{
		Name: "FinancialAccountStatus", Values: []int{1, 2, 3}}},
	"status_name": {Doc: "The status as a word.", Enum: openapi.Enum{Name: "FinancialAccountStatusName",
		Values: []string{"unpaid", "paid", "unreceived", "received", "reconciled"}}},
	"due_date": {Doc: "When it is due.", In: ofTimestamp},
	"occurred_at": {Doc: "When it was paid or received.",
		In: "When the account was paid or received; null while it is outstanding."},
	"amount": {Doc: "The amount due.", In: "Above zero.", Example: "1500.0"},
	"nominal_amount": {Doc: "Alias of `amount`.",
		In: "Alias of `amount`, which wins if both are sent and it is not null.", Nullable: true},
	"total_amount": {
		Doc: "The amount paid or received.",
		In:  "The amount paid or received; ignored without `occurred_at`, computed if absent.",
	},
	"withheld_tax_amount": {
		Doc: "Tax withheld by the payer; only a reconcile's `adjustments` set it.",
	},
	"fee_amount": {
		Doc: "Fee that lowered the amount received or raised the amount paid; only a reconcile's `adjustments` set it.",
	},
	"remind":            {Doc: "Whether to remind a user of the account."},
	"reminded_at":       {Doc: "When a user was reminded."},
	"recurrence_id":     {Doc: "The same in all accounts of a series."},
	"recurrent":         {Doc: "Whether it is part of a recurrence."},
	"parcelled":         {Doc: "Whether it is an installment."},
	"recurrence_period": {Doc: "How often it recurs.", Enum: recurrencePeriod},
	"number_of_parcels": {Doc: "The number of accounts in the series.",
		In: "On creation, with `create_as_parcelled`.", Min: 2, Max: 480},
	"current_parcel":                     {Doc: "The number of this account in the series, from 1."},
	"financial_account_taxes_attributes": {Doc: "Its taxes, in the order in which they were sent.", In: "At most 100."},
	"reconcile_id": {
		Doc: "Its reconcile; null if it is not reconciled, or the user may not see transactions."},
	"reconciliations": {Doc: "The records that it is reconciled with."},
	"reconciliations.financial_transactions": {
		Doc: "The transactions of a reconciled account, if the user may see transactions; of more than 20 the " +
			"first 20.",
	},
	"reconciliations.financial_accounts": {Doc: "Always empty."},
	"sale_account_id": {
		Doc: "The sale account, if this account is the sum of sales: its amount, its due date and its deletion " +
			"follow from the sales."},
	"sale_ids":    {Doc: "Its first 20 sales."},
	"sales_count": {Doc: "The number of its sales."},
	"create_as_recurrent": {In: "On creation only: how often the account recurs.", Enum: recurrencePeriod,
		Nullable: true},
	"create_as_parcelled": {In: "On creation only: the period between installments.", Enum: openapi.Enum{
		Values: []string{finance.Monthly}}, Nullable: true},
	"competency_month": {
		Doc:     "The month in which the account counts.",
		In:      "`YYYY-MM`; the month of the due date where absent on creation, or null.",
		Pattern: monthPattern, Example: "2026-08", Nullable: true,
	},
	"financial_transaction_id": {Doc: "The first of its transactions."},
	"tax_charges": {
		Doc: "Its taxes, under the name that sales use.",
		In:  "Alias of `financial_account_taxes_attributes`, which wins if both are sent and it is not null.",
	},
	"tax_charges.id": {Doc: "The number of the tax in the account."},
}

// accountSettlementFields describe the payment or receipt of an account.
var accountSettlementFields = fieldsOf(financialAccountFields, openapi.Fields{
	"total_amount": {In: "Required. The amount paid or received.", NotNull: true},
	"occurred_at":  {In: "Required. When it was paid or received.", NotNull: true},
})
