package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/storage"

	"github.com/gin-gonic/gin"
)

// salesKept is how many sales there are, of which a page is listed.
const salesKept = 1_000_000

// measureListSales compares a page of 500 sales of one month, of 20 that the table
// holds, with a bare handler of the same query.
func measureListSales(ctx context.Context, h *house) (ours, floor figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	if err := s.sales(ctx); err != nil {
		return nil, nil, err
	}
	path := fmt.Sprintf("/entities/%d/sales?per_page=%d&search[occurred_at_gte]=2026-03-01&search[occurred_at_lte]=2026-03-31", s.EntityID, listed)
	return s.load(s.api, path), s.load(s.floor, path), s.alike(ctx, path)
}

// sales makes priced sales, each with a tax where it is on the page. Amounts have
// no zero at the end and times no fraction, as in transactions.
func (s servers) sales(ctx context.Context) error {
	store, err := storage.Open(s.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return err
	}
	defer store.Close()
	account := finance.SaleAccount{AccountID: s.AccountID, EntityID: s.EntityID, Name: "Cielo", Provider: "cielo", PaymentMethods: "credit", Consolidate: true}
	if err := store.InTx(ctx, func(tx *storage.Tx) error { return tx.InsertSaleAccount(ctx, &account) }); err != nil {
		return err
	}
	for _, query := range []string{`
		INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, competency_month, amount, sale_account_id, consolidated)
		VALUES ($1, $2, 'receivable', '2026-04-30', '2026-04-01', 1, $3, true)`, `
		INSERT INTO sales (account_id, entity_id, sale_account_id, status, awaiting_pricing, payment_method, issuer, document, description, occurred_at,
			competency_month, nominal_amount, interest_amount, total_amount, total_taxes, financial_account_id, fee_percentage, fee_percentage_amount,
			fixed_fee_amount, receivable_amount, days_to_liquidation, estimated_liquidated_at, created_at, updated_at)
		SELECT $1, $2, $3, 1, false, 'credit', 'Visa', 'NF ' || n, 'Bolo de casamento ' || n, (date '2025-01-01' + make_interval(months => n % 20, days => n % 28))::date,
			'2025-01-01', 199.11, 1.25, 200.36, CASE WHEN n <= 20000 THEN 0.55 ELSE 0 END, f.id, 2.4999, 5.01, 0.39, 194.96, 30, '2026-04-30',
			date_trunc('second', now()), date_trunc('second', now())
		FROM financial_accounts f, generate_series(1, ` + strconv.Itoa(salesKept) + `) n WHERE f.account_id = $1`, `
		INSERT INTO sale_taxes (account_id, sale_id, tax_id, amount)
		SELECT $1, id, 9, 0.55 FROM sales WHERE account_id = $1 AND entity_id = $2 AND sale_account_id = $3 AND id <= 20000`} {
		if _, err := s.db.ExecContext(ctx, query, s.AccountID, s.EntityID, account.ID); err != nil {
			return err
		}
	}
	_, err = s.db.ExecContext(ctx, `VACUUM ANALYZE`)
	return err
}

type floorSale struct {
	ID                     int64           `db:"id" json:"id"`
	NominalAmount          string          `db:"nominal_amount" json:"nominal_amount"`
	ReceivableAmount       *string         `db:"receivable_amount" json:"receivable_amount"`
	FixedFeeAmount         *string         `db:"fixed_fee_amount" json:"fixed_fee_amount"`
	FeePercentage          *string         `db:"fee_percentage" json:"fee_percentage"`
	FeePercentageAmount    *string         `db:"fee_percentage_amount" json:"fee_percentage_amount"`
	Issuer                 *string         `db:"issuer" json:"issuer"`
	PaymentMethod          string          `db:"payment_method" json:"payment_method"`
	Status                 int64           `db:"status" json:"status"`
	Summary                bool            `json:"summary"`
	Description            *string         `db:"description" json:"description"`
	Observation            *string         `db:"observation" json:"observation"`
	CategoryID             *int64          `db:"category_id" json:"category_id"`
	ClassificationCenterID *int64          `db:"classification_center_id" json:"classification_center_id"`
	PersonID               *int64          `db:"person_id" json:"person_id"`
	DaysToLiquidation      *int64          `db:"days_to_liquidation" json:"days_to_liquidation"`
	SaleAccountID          int64           `db:"sale_account_id" json:"sale_account_id"`
	FinancialAccountID     *int64          `db:"financial_account_id" json:"financial_account_id"`
	LiquidationWeekday     *int64          `db:"liquidation_weekday" json:"liquidation_weekday"`
	EstimatedLiquidatedAt  *floorDay       `db:"estimated_liquidated_at" json:"estimated_liquidated_at"`
	LiquidatedAt           *floorDay       `db:"liquidated_at" json:"liquidated_at"`
	OccurredAt             floorDay        `db:"occurred_at" json:"occurred_at"`
	CreatedAt              time.Time       `db:"created_at" json:"created_at"`
	UpdatedAt              time.Time       `db:"updated_at" json:"updated_at"`
	CustomClassifications  json.RawMessage `db:"custom_classifications" json:"custom_classifications"`
	Document               *string         `db:"document" json:"document"`
	DocumentEmissionDate   *floorDay       `db:"document_emission_date" json:"document_emission_date"`
	ProviderCode           *string         `db:"provider_code" json:"provider_code"`
	ConfirmedAt            *floorDay       `db:"confirmed_at" json:"confirmed_at"`
	Month                  time.Time       `db:"competency_month" json:"-"`
	CompetencyMonth        string          `json:"competency_month"`
	InterestAmount         *string         `db:"interest_amount" json:"interest_amount"`
	TicketAmount           *string         `db:"ticket_amount" json:"ticket_amount"`
	DiscountAmount         *string         `db:"discount_amount" json:"discount_amount"`
	AmountDifference       *string         `db:"amount_difference" json:"amount_difference"`
	TotalAmount            string          `db:"total_amount" json:"total_amount"`
	NetAmount              string          `db:"net_amount" json:"net_amount"`
	InstallmentNumber      *int64          `db:"installment_number" json:"installment_number"`
	InstallmentCount       *int64          `db:"installment_count" json:"installment_count"`
	OriginalSaleID         *int64          `db:"original_sale_id" json:"original_sale_id"`
	Installments           json.RawMessage `db:"installments" json:"installments"`
	CenterClassifications  json.RawMessage `db:"center_classifications" json:"classification_center_classifications"`
	TaxCharges             json.RawMessage `db:"taxes" json:"tax_charges"`
	AttachmentIDList       []int64         `json:"attachment_id_list"`
	Attachments            []int64         `json:"attachments"`
	Links                  []floorLink     `json:"links"`
}

// The conditions and columns are those of storage.Sales.
const (
	floorSalesOf = `FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.occurred_at >= CAST($3 AS date) AND s.occurred_at <= CAST($4 AS date)`
	floorSales   = `
		SELECT s.id, s.sale_account_id, s.status, s.payment_method, s.issuer, s.document, s.document_emission_date, s.provider_code, s.occurred_at,
			s.confirmed_at, s.competency_month, s.description, s.observation, s.nominal_amount, s.interest_amount, s.ticket_amount,
			s.discount_amount, s.total_amount, s.total_amount - s.total_taxes AS net_amount, s.financial_account_id, s.fee_percentage,
			s.fee_percentage_amount, s.fixed_fee_amount, s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday,
			s.estimated_liquidated_at, s.liquidated_at, s.amount_difference, s.installment_number, s.installment_count, s.original_sale_id,
			s.category_id, s.person_id, s.classification_center_id, s.created_at, s.updated_at,
			(SELECT coalesce(json_agg(json_build_object('id', x.id, 'tax_id', x.tax_id, 'amount', x.amount::text) ORDER BY x.id), '[]')
				FROM sale_taxes x WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS taxes,
			(SELECT coalesce(json_agg(json_build_object('id', i.id, 'installment_number', i.installment_number, 'nominal_amount', i.nominal_amount::text,
					'status', i.status) ORDER BY i.installment_number, i.id), '[]')
				FROM sales i WHERE i.account_id = s.account_id AND i.original_sale_id = s.id) AS installments,
			(SELECT coalesce(json_agg(json_build_object('id', x.id, 'custom_classifier_id', k.id, 'custom_classifier_name', k.name,
					'name', v.value, 'amount', x.amount::text, 'percentage', x.percentage::text) ORDER BY x.id), '[]')
				FROM sale_custom_classifications x
				JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
				JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
				WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications,
			(SELECT coalesce(json_agg(json_build_object('classification_center_id', z.id, 'name', z.name, 'amount', x.amount::text,
					'percentage', x.percentage::text) ORDER BY x.id), '[]')
				FROM sale_center_classifications x
				JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
				WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications `
)

func (f floorAPI) sales(c *gin.Context) {
	account, ok := f.account(c)
	if !ok {
		return
	}
	entity, err1 := strconv.ParseInt(c.Param("entity_id"), 10, 64)
	perPage, err2 := strconv.Atoi(c.DefaultQuery("per_page", "50"))
	if err1 != nil || err2 != nil {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	ctx := c.Request.Context()
	args := []any{account, entity, c.Query("search[occurred_at_gte]"), c.Query("search[occurred_at_lte]")}
	var total int64
	if err := f.one(ctx, &total, `SELECT count(*) `+floorSalesOf, args...); !found(c, err) {
		return
	}
	var rows []floorSale
	if err := f.all(ctx, &rows, floorSales+floorSalesOf+` ORDER BY s.id LIMIT $5 OFFSET $6`, append(args, perPage, 0)...); !found(c, err) {
		return
	}
	all := make([]gin.H, len(rows))
	for i := range rows {
		all[i] = f.sale(entity, &rows[i])
	}
	c.Header("X-Total", strconv.FormatInt(total, 10))
	c.JSON(http.StatusOK, all)
}

// sale is the document of a sale.
func (f floorAPI) sale(entity int64, s *floorSale) gin.H {
	self := fmt.Sprintf("%s/entities/%d/sales/%d", f.url, entity, s.ID)
	fee, days := "0.0", int64(0)
	if s.FeePercentage != nil {
		fee = strings.TrimRight(*s.FeePercentage, "0")
	}
	if s.DaysToLiquidation != nil {
		days = *s.DaysToLiquidation
	}
	s.FeePercentage, s.DaysToLiquidation = &fee, &days
	s.CompetencyMonth = s.Month.Format("2006-01")
	s.AttachmentIDList, s.Attachments = []int64{}, []int64{}
	s.Links = []floorLink{
		{"self", self, "get"}, {"destroy", self, "delete"}, {"sale_account", fmt.Sprintf("%s/sale_accounts/%d", f.url, s.SaleAccountID), "get"},
	}
	if s.FinancialAccountID != nil {
		s.Links = append(s.Links,
			floorLink{"receivable_account", fmt.Sprintf("%s/entities/%d/receivable_accounts/%d", f.url, entity, *s.FinancialAccountID), "get"})
	}
	return gin.H{"sale": s}
}
