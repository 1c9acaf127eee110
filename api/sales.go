package api

import (
	"context"
	"errors"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var sales = resource[finance.Sale]{
	root: "sale", plural: "sales",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Sale], error) {
		return q.Sales(ctx, c.scope(), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Sale, error) {
		return q.Sale(ctx, c.scope(), id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Sale, error) {
		return tx.LockSaleForDelete(ctx, c.scope(), id)
	},
	newRecord: func(c *call) *finance.Sale {
		return &finance.Sale{AccountID: c.access.AccountID, EntityID: c.entityID}
	},
	assign:   assignSale,
	validate: (*finance.Sale).Validate,
	identity: func(c *call, s *finance.Sale) identity {
		return identity{storage.SaleIDs, c.scope(), s.ID, s.ExternalID}
	},
	lockReferences: lockSaleReferences,
	refers: func(s *finance.Sale) storage.Refers {
		return storage.Refers{References: &s.References, AttachmentIDs: s.AttachmentIDs,
			CustomClassifications: s.CustomClassifications, CenterClassifications: s.CenterClassifications}
	},
	insert: (*storage.Tx).InsertSales,
	update: (*storage.Tx).UpdateSale,
	remove: func(tx *storage.Tx, ctx context.Context, s *finance.Sale) error {
		if err := s.Removable(); err != nil {
			return err
		}
		left, err := tx.RemoveSale(ctx, s)
		if err != nil || len(left) == 0 {
			return err
		}
		return tx.Emit(ctx, saleEvent(s, finance.Updated, left))
	},
	events: func(_ *call, s *finance.Sale, action finance.Action) []finance.Event {
		switch action {
		case finance.Created:
			return []finance.Event{saleEvent(s, action, s.Created)}
		case finance.Destroyed:
			return []finance.Event{saleEvent(s, action, s.Removed)}
		}
		return []finance.Event{saleEvent(s, action, []int64{s.ID})}
	},
	show: showSale,
	path: func(_ *call, s *finance.Sale) string { return paths.Sale(s.EntityID, s.ID) },
}

func saleEvent(s *finance.Sale, action finance.Action, ids []int64) finance.Event {
	return finance.Event{Family: finance.SalesFamily, Action: action, AccountID: s.AccountID, EntityID: s.EntityID,
		IDs: ids}
}

// destroySale removes a sale and its installments from their receivable accounts: 204.
func (a *API) destroySale(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		s, err := sales.lockBy(ctx, tx, c, func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Sale,
			error) {
			return tx.LockSaleWithReceivablesForDelete(ctx, c.scope(), id)
		})
		if err != nil {
			return answer{}, err
		}
		return sales.destroyed(ctx, tx, c, s, http.StatusNoContent)
	})
}

func assignSale(in *wire.Input, s *finance.Sale) {
	assignExternalID(in, &s.ExternalID)
	in.Int("sale_account_id", &s.SaleAccountID)
	in.String("payment_method", &s.PaymentMethod)
	in.StringPtr("issuer", &s.Issuer)
	in.StringPtr("document", &s.Document)
	wire.DecodeIntoPtr(in, "document_emission_date", &s.DocumentEmissionDate)
	in.StringPtr("provider_code", &s.ProviderCode)
	wire.DecodeInto(in, "occurred_at", &s.OccurredAt)
	wire.DecodeIntoPtr(in, "confirmed_at", &s.ConfirmedAt)
	wire.DecodeInto(in, "competency_month", (*competencyMonth)(&s.CompetencyMonth))
	in.StringPtr("description", &s.Description)
	in.StringPtr("observation", &s.Observation)
	wire.DecodeInto(in, "nominal_amount", &s.NominalAmount)
	wire.DecodeIntoPtr(in, "interest_amount", &s.InterestAmount)
	wire.DecodeIntoPtr(in, "ticket_amount", &s.TicketAmount)
	wire.DecodeIntoPtr(in, "discount_amount", &s.DiscountAmount)
	in.IntPtr("installment_number", &s.InstallmentNumber)
	in.IntPtr("installment_count", &s.InstallmentCount)
	assignReferences(in, &s.References)
	assignTaxCharges(in, "tax_charges", &s.Taxes)
	assignCustomClassifications(in, &s.CustomClassifications)
	assignCenterClassifications(in, &s.CenterClassifications)
	in.IDs(finance.AttachmentIDList, (*[]int64)(&s.AttachmentIDs))
}

// lockSaleReferences locks the sale account of a sale, which awaits its pricing again if it has to.
func lockSaleReferences(ctx context.Context, tx *storage.Tx, c *call, s *finance.Sale, before finance.Sale) error {
	return joined(
		func() error { return tx.PriceAgain(ctx, s, before) },
		func() error { return shareSaleAccount(ctx, tx, c, s, before) },
	)
}

// shareSaleAccount locks the sale account of a sale FOR KEY SHARE, if the account or the method has
// changed. It refuses a method that is not enabled in the account.
func shareSaleAccount(ctx context.Context, tx *storage.Tx, c *call, s *finance.Sale, before finance.Sale) error {
	if s.SaleAccountID == before.SaleAccountID && s.PaymentMethod == before.PaymentMethod {
		return nil
	}
	a, err := tx.ShareSaleAccount(ctx, c.access, s.SaleAccountID)
	if errors.Is(err, storage.ErrNotFound) {
		a, err = nil, nil
	}
	if err != nil {
		return err
	}
	return c.acceptsSale(a, s)
}

func showSale(c *call, w *wire.Writer, s *finance.Sale) {
	w.Int("id", s.ID)
	w.StringPtr("external_id", s.ExternalID)
	wire.Decimal(w, "nominal_amount", s.NominalAmount)
	wire.DecimalPtr(w, "receivable_amount", s.ReceivableAmount)
	wire.DecimalPtr(w, "fixed_fee_amount", s.FixedFeeAmount)
	wire.Decimal(w, "fee_percentage", finance.OrZero(s.FeePercentage))
	wire.DecimalPtr(w, "fee_percentage_amount", s.FeePercentageAmount)
	w.StringPtr("issuer", s.Issuer)
	w.String("payment_method", s.PaymentMethod)
	w.Int("status", s.Status)
	w.Bool("summary", false)
	w.StringPtr("description", s.Description)
	w.StringPtr("observation", s.Observation)
	w.IntPtr("category_id", s.CategoryID)
	w.IntPtr("classification_center_id", s.ClassificationCenterID)
	w.IntPtr("person_id", s.PersonID)
	w.Int("days_to_liquidation", finance.OrZero(s.DaysToLiquidation))
	w.Int("sale_account_id", s.SaleAccountID)
	w.IntPtr("financial_account_id", s.FinancialAccountID)
	w.IntPtr("liquidation_weekday", s.LiquidationWeekday)
	wire.DatePtr(w, "estimated_liquidated_at", s.EstimatedLiquidatedAt)
	wire.DatePtr(w, "liquidated_at", s.LiquidatedAt)
	wire.Date(w, "occurred_at", s.OccurredAt)
	w.Time("created_at", s.CreatedAt)
	w.Time("updated_at", s.UpdatedAt)
	showCustomClassifications(w, s.CustomClassifications)
	w.StringPtr("document", s.Document)
	wire.DatePtr(w, "document_emission_date", s.DocumentEmissionDate)
	w.StringPtr("provider_code", s.ProviderCode)
	wire.DatePtr(w, "confirmed_at", s.ConfirmedAt)
	w.String("competency_month", s.CompetencyMonth.String())
	wire.DecimalPtr(w, "interest_amount", s.InterestAmount)
	wire.DecimalPtr(w, "ticket_amount", s.TicketAmount)
	wire.DecimalPtr(w, "discount_amount", s.DiscountAmount)
	wire.DecimalPtr(w, "amount_difference", s.AmountDifference)
	wire.Decimal(w, "total_amount", s.TotalAmount)
	wire.Decimal(w, "net_amount", s.NetAmount())
	w.IntPtr("installment_number", s.InstallmentNumber)
	w.IntPtr("installment_count", s.InstallmentCount)
	w.IntPtr("original_sale_id", s.OriginalSaleID)
	w.Objects("installments", "installment", len(s.Installments), func(i int) {
		w.Int("id", s.Installments[i].ID)
		w.Int("installment_number", s.Installments[i].InstallmentNumber)
		wire.Decimal(w, "nominal_amount", s.Installments[i].NominalAmount)
		w.Int("status", s.Installments[i].Status)
	})
	showCenterClassifications(w, s.CenterClassifications)
	w.Objects("tax_charges", "tax_charge", len(s.Taxes), func(i int) {
		w.Int("id", s.Taxes[i].ID)
		w.Int("tax_id", s.Taxes[i].TaxID)
		wire.Decimal(w, "amount", s.Taxes[i].Amount)
	})
	w.IntArray(finance.AttachmentIDList, "attachment_id", s.AttachmentIDs)
	w.Objects("attachments", finance.AttachmentName, len(s.Attachments), func(i int) {
		showFile(c, w, &s.Attachments[i])
	})
	c.links(w, saleLinks(s)...)
}

// saleLinks returns the links of a sale: to itself and to the records that contain it.
func saleLinks(s *finance.Sale) []link {
	self := paths.Sale(s.EntityID, s.ID)
	links := []link{{"self", "get", self}}
	if s.Removable() == nil {
		links = append(links, link{"destroy", "delete", self})
	}
	links = append(links, link{"sale_account", "get", paths.SaleAccount(s.SaleAccountID)})
	if s.FinancialAccountID != nil {
		links = append(links,
			link{"receivable_account", "get", paths.FinancialAccount(s.EntityID, string(finance.Receivable),
				*s.FinancialAccountID)})
	}
	if s.OriginalSaleID != nil {
		links = append(links, link{"original_sale", "get", paths.Sale(s.EntityID, *s.OriginalSaleID)})
	}
	return links
}

var saleFields = openapi.Fields{
	"sale_account_id": {Doc: "Its sale account.", In: "A sale account of the entity."},
	"nominal_amount":  {Doc: "The amount of the sale.", In: "Above zero.", Example: "199.0"},
	"receivable_amount": {
		Doc: "The amount to be received: the total less the fee; null until the sale is priced."},
	"fee_percentage":        {Doc: "The percentage of its rule; 0.0 until the sale is priced.", Format: "percentage"},
	"fee_percentage_amount": {Doc: "The part of the fee that depends on the amount."},
	"issuer":                {Doc: "The card network or voucher provider.", In: issuers},
	"status": {Doc: "0 awaits a rule, 1 awaits liquidation, 2 is liquidated, 3 reconciled too.",
		Enum: openapi.Enum{Name: "SaleStatus", Values: []int{0, 1, 2, 3}}},
	"summary":                 {Doc: alwaysFalse},
	"days_to_liquidation":     {Doc: "Days from the sale to the receipt, by its rule."},
	"financial_account_id":    {Doc: "The receivable account that has the sale."},
	"liquidation_weekday":     {Doc: "The weekday of the receipt, 0 for Sunday, where the rule has weekdays."},
	"estimated_liquidated_at": {Doc: "When its money is expected."},
	"liquidated_at":           {Doc: "When its money was received."},
	"occurred_at":             {Doc: "The day of the sale.", In: ofTimestamp},
	"provider_code":           {Doc: "Its code at the acquirer."},
	"confirmed_at":            {Doc: "When the acquirer confirmed it.", In: ofTimestamp},
	"competency_month": {
		Doc:     "The month in which the sale counts.",
		In:      "`YYYY-MM`; the month of `occurred_at` where absent on creation, or null.",
		Pattern: monthPattern, Example: "2026-08", Nullable: true,
	},
	"amount_difference": {Doc: "The amount received less the amount that was to be received."},
	"total_amount":      {Doc: "The amount with fine and interest, less the discount."},
	"net_amount":        {Doc: "The total less the taxes that the customer withholds."},
	"installment_number": {Doc: "The number of this installment, from 1.",
		In: "1 to `installment_count`; if absent, a new sale is split into its installments."},
	"installment_count":           {Doc: "The number of installments.", Max: 120},
	"original_sale_id":            {Doc: "The sale whose creation made this installment."},
	"installments":                {Doc: "The other installments that the creation of this sale made, by number."},
	"installments.nominal_amount": {Doc: "The amount of the sale."},
	"installments.status":         {Doc: "As the status of a sale."},
	"tax_charges": {Doc: "The taxes that the customer withholds.",
		In: "At most 100; their sum is at most the total; of a sale that is split, that of its first installment."},
	"attachments": {Doc: "Its attachments.", Items: "AttachedFile"},
}
