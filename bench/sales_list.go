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

// measureListSales compares pages of 500 sales with those of a bare handler of the same query:
// by every filter, by some combinations, and without one. It reports the search with the worst
// ratio.
func measureListSales(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	if err := s.sales(ctx); err != nil {
		return nil, nil, err
	}
	worst, err := s.worstSearch(ctx)
	if err != nil {
		return nil, nil, err
	}
	ours, floor = s.search(worst)
	return ours, floor, nil
}

// sales creates 600 days of sales. Most are priced, and some have a tax or a classification.
// Amounts have no trailing zero and times no fraction, as in transactions.
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
	// In one transaction without triggers, so that no row's references are checked.
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no-op after a commit
	if _, err := tx.ExecContext(ctx, `SET LOCAL session_replication_role = replica`); err != nil {
		return err
	}
	of := strings.NewReplacer("{account}", fmt.Sprint(s.AccountID), "{entity}", fmt.Sprint(s.EntityID), "{sale_account}", fmt.Sprint(account.ID),
		"{kept}", fmt.Sprint(s.harness.effort.sales))
	for _, query := range salesMade {
		if _, err := tx.ExecContext(ctx, of.Replace(query)); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `VACUUM ANALYZE`)
	return err
}

// salesMade creates the sales and the records that they refer to.
var salesMade = []string{`
	INSERT INTO people (account_id, name, customer, supplier)
	SELECT {account}, 'Cliente ' || n, true, false FROM generate_series(0, 999) n`, `
	INSERT INTO classification_centers (account_id, entity_id, name, cost_center, revenue_center)
	SELECT {account}, {entity}, 'Loja ' || n, false, true FROM generate_series(0, 19) n`, `
	WITH k AS (INSERT INTO custom_classifiers (account_id, name) VALUES ({account}, 'Canal') RETURNING id)
	INSERT INTO custom_classifier_values (account_id, custom_classifier_id, value)
	SELECT {account}, k.id, 'Canal ' || n FROM k, generate_series(0, 9) n`, `
	INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, competency_month, amount, sale_account_id, consolidated)
	SELECT {account}, {entity}, 'receivable', date '2025-01-31' + n, date_trunc('month', date '2025-01-31' + n), 1, {sale_account}, true FROM generate_series(0, 600) n`, `
	INSERT INTO sales (account_id, entity_id, sale_account_id, status, awaiting_pricing, payment_method, issuer, document, document_emission_date,
		provider_code, occurred_at, confirmed_at, competency_month, description, observation, nominal_amount, interest_amount, ticket_amount,
		discount_amount, total_amount, total_taxes, financial_account_id, fee_percentage, fee_percentage_amount, fixed_fee_amount,
		receivable_amount, days_to_liquidation, estimated_liquidated_at, liquidated_at, amount_difference, category_id, person_id,
		classification_center_id, created_at, updated_at)
	SELECT {account}, {entity}, {sale_account}, n.status, false, CASE WHEN n % 1000 = 9 THEN 'cheque' WHEN n % 10 = 7 THEN 'pix' ELSE 'credit' END,
		CASE WHEN n % 10 = 7 OR n % 1000 = 9 THEN NULL ELSE (ARRAY['Visa', 'MasterCard', 'Elo'])[1 + n % 3] END, 'NF ' || n,
		CASE WHEN n % 2 = 0 THEN n.day END, CASE WHEN n % 3 = 0 THEN 'P' || n END, n.day, CASE WHEN n % 2 = 0 THEN n.day + 1 END,
		date_trunc('month', n.day), 'Bolo de casamento ' || n, CASE WHEN n % 50 = 0 THEN 'Entregar às ' || n END,
		(n % 90000 * 10 + 1001 + n % 9) / 100.0, CASE WHEN n % 4 = 0 THEN (n % 700 * 10 + 1 + n % 9) / 100.0 END,
		CASE WHEN n % 8 = 0 THEN (n % 70 * 10 + 1 + n % 9) / 100.0 END, CASE WHEN n % 16 = 0 THEN (n % 90 * 10 + 1 + n % 9) / 100.0 END,
		(n % 90000 * 10 + 2002 + n % 7) / 100.0, CASE WHEN n % 5 = 0 THEN 0.11 ELSE 0 END, f.id,
		CASE WHEN f.id > 0 THEN (n % 3000 * 10 + 10001) / 10000.0 END, CASE WHEN f.id > 0 THEN (n % 900 * 10 + 1 + n % 9) / 100.0 END,
		CASE WHEN f.id > 0 THEN (n % 50 * 10 + 1 + n % 9) / 100.0 END, CASE WHEN f.id > 0 THEN (n % 90000 * 10 + 1002 + n % 7) / 100.0 END,
		CASE WHEN f.id > 0 THEN 30 END, f.due_date, CASE WHEN n.status = 2 THEN f.due_date END,
		CASE WHEN n % 60 = 0 THEN (n % 90 * 10 + 1 + n % 9) / 100.0 END,
		CASE WHEN n % 4 > 0 THEN c.ids[1 + n % array_length(c.ids, 1)] END, CASE WHEN n % 3 = 0 THEN p.id + n % 1000 END,
		CASE WHEN n % 7 = 0 THEN z.id + n % 20 END, date_trunc('second', now()), timestamptz '2025-01-01 12:00Z' + make_interval(days => n.day - date '2025-01-01')
	FROM (SELECT n, date '2025-01-01' + (n::bigint * 600 / kept)::int AS day, CASE WHEN n % 33 = 0 THEN 0 WHEN n % 3 = 0 THEN 2 ELSE 1 END AS status
			FROM (SELECT {kept} AS kept) k, generate_series(1, kept) n) n (n, day, status)
	LEFT JOIN financial_accounts f ON f.account_id = {account} AND f.due_date = n.day + 30 AND n.status > 0,
		(SELECT array_agg(id ORDER BY id) AS ids FROM categories WHERE account_id = {account}) c,
		(SELECT min(id) AS id FROM people WHERE account_id = {account}) p, (SELECT min(id) AS id FROM classification_centers WHERE account_id = {account}) z
	ORDER BY n.n`, `
	INSERT INTO sale_texts (account_id, entity_id, sale_id, description, observation)
	SELECT account_id, entity_id, id, fold(description), fold(observation) FROM sales WHERE account_id = {account}`, `
	INSERT INTO sale_taxes (account_id, sale_id, tax_id, amount)
	SELECT {account}, id, 9, total_taxes FROM sales WHERE account_id = {account} AND entity_id = {entity} AND total_taxes > 0`, `
	INSERT INTO sale_custom_classifications (account_id, sale_id, custom_classifier_value_id, amount)
	SELECT {account}, s.id, v.id + s.id % 10, 1.23 FROM sales s, (SELECT min(id) AS id FROM custom_classifier_values WHERE account_id = {account}) v
	WHERE s.account_id = {account} AND s.entity_id = {entity} AND s.id % 20 IN (0, 3)`,
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

// floorSales has the columns of storage.Sales.
const floorSales = `
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
					'name', v.value, 'value', v.value, 'amount', x.amount::text, 'percentage', x.percentage::text) ORDER BY x.id), '[]')
				FROM sale_custom_classifications x
				JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
				JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
				WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications,
			(SELECT coalesce(json_agg(json_build_object('classification_center_id', z.id, 'name', z.name, 'amount', x.amount::text,
					'percentage', x.percentage::text) ORDER BY x.id), '[]')
				FROM sale_center_classifications x
				JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
				WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications `

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
	of, order, args := floorSearch(c.QueryMap("search"), account, entity)
	ctx := c.Request.Context()
	const hidden = `SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL`
	var deleting bool
	if err := f.one(ctx, &deleting, `SELECT EXISTS (`+hidden+`)`, account); !found(c, err) {
		return
	}
	if deleting {
		of += ` AND s.sale_account_id <> ALL (ARRAY(` + hidden + `))`
	}
	var total int64
	if err := f.one(ctx, &total, `SELECT count(*) `+of, args...); !found(c, err) {
		return
	}
	var rows []floorSale
	page := fmt.Sprintf(" ORDER BY %s LIMIT $%d OFFSET $%d", order, len(args)+1, len(args)+2)
	if err := f.all(ctx, &rows, floorSales+of+page, append(args, perPage, 0)...); !found(c, err) {
		return
	}
	all := make([]gin.H, len(rows))
	for i := range rows {
		all[i] = f.sale(entity, &rows[i])
	}
	c.Header("X-Total", strconv.FormatInt(total, 10))
	c.JSON(http.StatusOK, all)
}

// sale returns the document of a sale.
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
	s.Links = []floorLink{{"self", self, "get"}}
	if s.Status < int64(finance.SaleLiquidated) {
		s.Links = append(s.Links, floorLink{"destroy", self, "delete"})
	}
	s.Links = append(s.Links, floorLink{"sale_account", fmt.Sprintf("%s/sale_accounts/%d", f.url, s.SaleAccountID), "get"})
	if s.FinancialAccountID != nil {
		s.Links = append(s.Links,
			floorLink{"receivable_account", fmt.Sprintf("%s/entities/%d/receivable_accounts/%d", f.url, entity, *s.FinancialAccountID), "get"})
	}
	return gin.H{"sale": s}
}
