package api

import (
	"slices"

	"bordero/internal/wire"
)

// A workbook is a sheet as a file of Excel (XLSX). Its last row sums the columns of amounts.

// summedColumns are the columns of amounts whose sum means something: no balances, prices of a rule or percentages.
var summedColumns = map[string]bool{
	// transactions and accounts
	"absolute_amount": true, "amount": true, "ticket_amount": true, "interest_amount": true, "discount_amount": true,
	"withheld_tax_amount": true, "fee_amount": true, "nominal_amount": true, "total_amount": true,
	// sales
	"receivable_amount": true, "fixed_fee_amount": true, "fee_percentage_amount": true, "amount_difference": true,
	"net_amount": true,
	// totals and reports
	"due_amount": true, "credits": true, "debits": true, "sum": true, "realised_in": true, "realised_out": true,
	"expected_in": true, "expected_out": true,
}

// bookMemory returns the memory of the workbook in bytes.
func (s *sheetSender) bookMemory() int64 {
	if s.book == nil {
		return 0
	}
	return wire.WorkbookMemory
}

// checkCurrency leaves out the sums of rows of several currencies.
func (s *sheetSender) checkCurrency() {
	column := slices.Index(s.sheet.Columns(), "currency_id")
	if column < 0 {
		return
	}
	for row := range s.sheet.Rows() {
		currency := string(s.sheet.Cell(row, column))
		if s.currency == "" {
			s.currency = currency
		}
		if currency != s.currency {
			s.book.Sums = nil
		}
	}
}
