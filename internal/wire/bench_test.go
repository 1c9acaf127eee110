package wire

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

func (c cents) MarshalText() ([]byte, error) { return c.AppendText(nil) }

func (d day) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// record has 30 fields, much like those of a sale.
type record struct {
	ID                     int64     `json:"id"`
	EntityID               int64     `json:"entity_id"`
	AccountID              int64     `json:"account_id"`
	Status                 int64     `json:"status"`
	CategoryID             *int64    `json:"category_id"`
	PersonID               *int64    `json:"person_id"`
	ClassificationCenterID *int64    `json:"classification_center_id"`
	FinancialAccountID     *int64    `json:"financial_account_id"`
	DaysToLiquidation      int64     `json:"days_to_liquidation"`
	InstallmentNumber      *int64    `json:"installment_number"`
	Description            *string   `json:"description"`
	Observation            *string   `json:"observation"`
	Document               *string   `json:"document"`
	PaymentMethod          string    `json:"payment_method"`
	Issuer                 *string   `json:"issuer"`
	GUID                   *string   `json:"guid"`
	CompetencyMonth        string    `json:"competency_month"`
	Provider               string    `json:"provider"`
	NominalAmount          cents     `json:"nominal_amount"`
	ReceivableAmount       *cents    `json:"receivable_amount"`
	FixedFeeAmount         *cents    `json:"fixed_fee_amount"`
	FeePercentage          cents     `json:"fee_percentage"`
	InterestAmount         *cents    `json:"interest_amount"`
	TotalAmount            cents     `json:"total_amount"`
	OccurredAt             day       `json:"occurred_at"`
	EstimatedLiquidatedAt  *day      `json:"estimated_liquidated_at"`
	LiquidatedAt           *day      `json:"liquidated_at"`
	Summary                bool      `json:"summary"`
	CreatedAt              time.Time `json:"created_at"`
	UpdatedAt              time.Time `json:"updated_at"`
}

func (r *record) show(w *Writer) {
	w.Int("id", r.ID)
	w.Int("entity_id", r.EntityID)
	w.Int("account_id", r.AccountID)
	w.Int("status", r.Status)
	w.IntPtr("category_id", r.CategoryID)
	w.IntPtr("person_id", r.PersonID)
	w.IntPtr("classification_center_id", r.ClassificationCenterID)
	w.IntPtr("financial_account_id", r.FinancialAccountID)
	w.Int("days_to_liquidation", r.DaysToLiquidation)
	w.IntPtr("installment_number", r.InstallmentNumber)
	w.StringPtr("description", r.Description)
	w.StringPtr("observation", r.Observation)
	w.StringPtr("document", r.Document)
	w.String("payment_method", r.PaymentMethod)
	w.StringPtr("issuer", r.Issuer)
	w.StringPtr("guid", r.GUID)
	w.String("competency_month", r.CompetencyMonth)
	w.String("provider", r.Provider)
	Decimal(w, "nominal_amount", r.NominalAmount)
	DecimalPtr(w, "receivable_amount", r.ReceivableAmount)
	DecimalPtr(w, "fixed_fee_amount", r.FixedFeeAmount)
	Decimal(w, "fee_percentage", r.FeePercentage)
	DecimalPtr(w, "interest_amount", r.InterestAmount)
	Decimal(w, "total_amount", r.TotalAmount)
	Date(w, "occurred_at", r.OccurredAt)
	DatePtr(w, "estimated_liquidated_at", r.EstimatedLiquidatedAt)
	DatePtr(w, "liquidated_at", r.LiquidatedAt)
	w.Bool("summary", r.Summary)
	w.Time("created_at", r.CreatedAt)
	w.Time("updated_at", r.UpdatedAt)
}

const listed = 500

func records() []record {
	rs := make([]record, listed)
	for i := range rs {
		id, amount := int64(1_235_045+i), cents(19_900+i)
		description, document := fmt.Sprintf("Venda nº %d, cartão de crédito", i), fmt.Sprint(40_000+i)
		at := time.Date(2026, 3, 28, 14, 35, 12, 345678, saoPaulo).Add(time.Duration(i) * time.Hour)
		rs[i] = record{
			ID: id, EntityID: 8, AccountID: 3, Status: 1, CategoryID: &id, PersonID: &id, FinancialAccountID: &id,
			Description: &description, Document: &document, PaymentMethod: "credit", CompetencyMonth: "2026-03",
			Provider:      "cielo",
			NominalAmount: amount, ReceivableAmount: &amount, FeePercentage: 350, TotalAmount: amount,
			OccurredAt: day{at}, EstimatedLiquidatedAt: &day{at}, CreatedAt: at, UpdatedAt: at,
		}
	}
	return rs
}

func write(f Format, rs []record) *Writer {
	w := NewWriter(f, saoPaulo)
	w.List("sale", "sales", len(rs), func(i int) { rs[i].show(w) })
	return w
}

func BenchmarkWriter(b *testing.B) {
	rs := records()
	for _, f := range []Format{JSON, XML} {
		b.Run(f.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := write(f, rs)
				b.SetBytes(int64(len(w.Bytes())))
				w.Free()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/listed, "ns/record")
		})
	}
}

// BenchmarkEncodingJSON is the baseline for Writer.
func BenchmarkEncodingJSON(b *testing.B) {
	rs := records()
	type wrapped struct {
		Sale *record `json:"sale"`
	}
	sales := make([]wrapped, len(rs))
	for i := range rs {
		sales[i].Sale = &rs[i]
	}
	b.ReportAllocs()
	for b.Loop() {
		body, err := json.Marshal(sales)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(body)))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/listed, "ns/record")
}
