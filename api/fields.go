package api

import (
	"maps"

	"bordero/api/openapi"
	"bordero/finance"
)

// Descriptions of fields for the OpenAPI document. Fields with the same meaning in all records are
// described here, others beside the functions that read and write their record. Required fields and
// the lengths of texts follow from the validation.

const (
	ofTimestamp  = "A date; only the day of a timestamp counts."
	notNegative  = "Not negative."
	ofTypes      = "1 checking account, 2 cash, 4 investment, 6 credit card, 8 cash register."
	alwaysNull   = "Always null."
	alwaysFalse  = "Always false."
	monthPattern = `^\d{4}-\d\d$`
)

var commonFields = openapi.Fields{
	"statement_mapping.separator": {Doc: "What separates the columns of a CSV; null if each file shows it.",
		Enum: openapi.Enum{Name: "MappingSeparator", Values: finance.MappingSeparators}},
	"statement_mapping.decimal": {Doc: "The decimal mark; null if each file shows it.",
		Enum: openapi.Enum{Name: "MappingDecimal", Values: finance.MappingDecimals}},
	"statement_mapping.date_format": {Doc: "The order of day, month and year; null if each file shows it.",
		Enum: openapi.Enum{Name: "MappingDateFormat", Values: finance.MappingDateFormats}},
	"statement_mapping.date":   {Doc: "The name of the column of dates."},
	"statement_mapping.amount": {Doc: "The name of the column of amounts with their sign."},
	"statement_mapping.amount_sign": {Doc: "How `amount` and `balance` are signed: `debit_positive` if purchases, " +
		"and what is owed, are positive, as in the tables of credit cards; null is `debit_negative`.",
		In:   "Only with `amount`.",
		Enum: openapi.Enum{Name: "MappingAmountSign", Values: finance.MappingAmountSigns}},
	"statement_mapping.credit":      {Doc: "The name of the column of credits, if they have one of their own."},
	"statement_mapping.debit":       {Doc: "The name of the column of debits, if they have one of their own."},
	"statement_mapping.description": {Doc: "The name of the column of texts."},
	"statement_mapping.document":    {Doc: "The name of the column of documents, if there is one."},
	"statement_mapping.balance":     {Doc: "The name of the column of balances after each row, if there is one."},
	"account_id":                    {Doc: "The account of the record."},
	"archived_at":                   {Doc: "When the record was archived; null if it is not archived."},
	"attachment_id_list": {
		Doc: "The ids of its attachments.",
		In: "Attachments of the entity, at most 1,000, which replace the previous attachments; `[]` and null remove " +
			"all.",
	},
	"amount": {Doc: "The amount.", In: notNegative},
	"kind": {Doc: "The kind of the record.", Enum: openapi.Enum{
		Name: "AttachableKind", Values: []string{"payable_account", "receivable_account", "financial_transaction",
			"sale"}}},
	"category_id":              {Doc: "Its category.", In: "A category of the account."},
	"category_full_name":       {In: "Names the category instead of `category_id`, whatever case and accents."},
	"classification_center_id": {Doc: "Its cost or revenue center.", In: "A center of the entity."},
	"competency_month": {
		Doc:     "The month in which the record counts.",
		In:      "`YYYY-MM`; the month of the due date where absent on creation, or null.",
		Pattern: monthPattern, Example: "2026-08",
	},
	"created_at":             {Doc: "When it was created."},
	"creator_id":             {Doc: "The creator's user id."},
	"currency_id":            {Doc: "Its currency; 1 is the Brazilian real."},
	"deposit_account_id":     {Doc: "Its deposit account."},
	"description":            {Doc: "A text for people."},
	"discount_amount":        {Doc: "The discount.", In: "At most the amount with fine and interest."},
	"document":               {Doc: "The number of its document."},
	"document_emission_date": {Doc: "When its document was issued.", In: ofTimestamp},
	"entity_id": {Doc: "Its entity.", In: "An entity of the account. It cannot change: another " +
		"entity in an update is 422."},
	"excel_import_id": {Doc: alwaysNull},
	"expected_deposit_account_id": {Doc: "The deposit account in which the money is expected.",
		In: "A deposit account of the entity."},
	"external_id": {Doc: "What another system calls it; null if nothing was sent.",
		In: "Unique among the records of the kind in the entity; of people and categories, in the account. An empty " +
			"text is null."},
	"fixed_fee_amount":     {Doc: "The part of the fee that does not depend on the amount.", In: notNegative},
	"force_destroy":        {Doc: "The value as sent."},
	"guid":                 {Doc: alwaysNull},
	"id":                   {Doc: "Its id, which never changes."},
	"imported_from_sync":   {Doc: alwaysFalse},
	"installment_count":    {Doc: "The number of installments."},
	"installment_number":   {Doc: "The number of this installment, from 1."},
	"interest_amount":      {Doc: "The interest for late payment.", In: notNegative},
	"interested_users_ids": {Doc: "The creator's user id."},
	"issuer":               {Doc: "The card network or voucher provider."},
	"links": {Doc: "Links to the actions of the record and to other records. They follow the record's own state: a " +
		"GET locks nothing, so an action may be refused while other work on the record, or the deletion of its " +
		"entity, is pending. A token that may only read gets no links to changes.", Items: "Link"},
	"modified_by_sync": {Doc: alwaysFalse},
	"name":             {Doc: "Its name."},
	"note":             {Doc: "A text for people, of at most 10,000 characters."},
	"observation":      {Doc: "A text for people, of at most 10,000 characters."},
	"payment_method": {Doc: "The payment method.", In: "A payment method that the sale account has enabled.",
		Enum: openapi.Enum{Name: "PaymentMethod", Values: finance.PaymentMethods}},
	"person_id":       {Doc: "Its customer or supplier.", In: "A person of the account."},
	"sale_account_id": {Doc: "Its sale account."},
	"started_at":      {Doc: "When it began."},
	"sync_response":   {Doc: alwaysNull},
	"tax_id":          {Doc: "A tax of `/taxes`."},
	"ticket_amount":   {Doc: "The fine for late payment.", In: notNegative},
	"title":           {Doc: "A title for people."},
	"updated_at":      {Doc: "When the record was last changed."},
	"use_count":       {Doc: "The number of records that refer to this record, up to an hour old."},
}

// fieldsOf returns the descriptions of a record that consists of others.
func fieldsOf(all ...openapi.Fields) openapi.Fields {
	together := openapi.Fields{}
	for _, fields := range all {
		maps.Copy(together, fields)
	}
	return together
}

// below returns the descriptions of a record for the items of a list.
func below(list string, fields openapi.Fields) openapi.Fields {
	of := openapi.Fields{}
	for name, field := range fields {
		of[list+"."+name] = field
	}
	return of
}
