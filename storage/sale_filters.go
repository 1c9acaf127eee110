package storage

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/storage/list"
)

// saleFilters are the filters of GET …/sales. A list is ordered by id, and an entity may have a
// million sales. The filters that select few of many have an index: sale account, receivable
// account, status, the days but two, document, provider code, the associations, custom
// classifications, and the time of a change. The others scan the entity's sales:
//   - payment_method and issuer have few values: a page is soon full;
//   - amounts, percentages, confirmed_at, competency_month and
//     document_emission_date are combined with occurred_at, which is near them;
//   - null is no range of an index.
//
// Substring filters use a table of their own (saleSource).
//
// Each further index would slow down every pricing of a million sales.
var saleFilters = list.Table("Sale", withSaleRanges(map[string]list.Filter{
	"sale_account_id": list.Where("s.sale_account_id = ?", list.ID, "Sale account."),
	"receivable_account_id": list.Where("s.financial_account_id = ?", list.ID,
		"The receivable account that they are part of."),
	// 4 selects the sales that no longer await a price: no rule matches them.
	"status": list.Where(`s.status = CASE CAST(? AS int) WHEN 4 THEN 0 ELSE CAST(? AS int) END AND (CAST(? AS int) <>`+
		` 4 OR NOT `+
		`s.awaiting_pricing)`,
		saleStatus,
		"0 awaiting rule application, 1 awaiting liquidation, 2 liquidated, 3 reconciled; 4 those of 0 that no rule "+
			"is for."),
	"payment_method":       list.Where("s.payment_method = ?", list.OneOf(finance.PaymentMethods), "Exact method."),
	"issuer":               list.Where("s.issuer = ?", issuer, "Issuer, whatever its case."),
	"document_equals":      list.Where("s.document = ?", list.Text, "Exact document."),
	"provider_code_equals": list.Where("s.provider_code = ?", list.Text, "Exact code."),
	"description_contains": list.Where("t.description LIKE fold(?)", list.Containing,
		"Part of the description, whatever its case and accents."),
	"observation_contains": list.Where("t.observation LIKE fold(?)", list.Containing,
		"Part of the observation, whatever its case and accents."),
	"person_id_equals":                list.Where("s.person_id = ?", list.ID, "Person."),
	"category_id_equals":              list.Where("s.category_id = ?", list.ID, "Category, without those below it."),
	"category_tree":                   InCategoryTree("s"),
	"classification_center_id_equals": list.Where("s.classification_center_id = ?", list.ID, "Center."),
	"person_id_is_null":               list.Where("(s.person_id IS NULL) = ?", list.Boolean, "Without a person."),
	"person_name_equals": list.Where("s.person_id = ANY (ARRAY(SELECT id FROM people WHERE account_id = @account "+
		"AND deleted_at IS NULL AND "+personNamed+"))", list.Text, "Exact name of the person."),
	"classification_center_id_is_null": list.Where("(s.classification_center_id IS NULL) = ?", list.Boolean,
		"Without a center."),
	"classification_center_name_equals": list.Where("s.classification_center_id = ANY (ARRAY(SELECT id FROM "+
		"classification_centers WHERE account_id = @account AND deleted_at IS NULL AND name = ?))",
		list.Text, "Exact name of the center."),
	"category_id_is_null": WithoutCategory("s"),
	"category_full_name_equals": list.Where(`s.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = @account AND deleted_at IS NULL AND full_name = ?
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = @account AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree))`, list.Text, "Exact full name of the category, with those below it."),
	// selects the categories of the filter above
	"subcategory_is_null": list.Where("CAST(? AS boolean) IS NOT NULL", list.Boolean,
		"True: the category of `category_full_name_equals` without those below it."),
	"custom_classifications_equal": list.Where(`s.id IN (
		SELECT x.sale_id
		FROM unnest(CAST(? AS text[])) WITH ORDINALITY AS w (named, line)
		JOIN custom_classifier_values v ON v.account_id = @account AND v.custom_classifier_id = split_part(w.named, ':',
			1)::bigint
			AND fold(v.value) = fold(substr(w.named, strpos(w.named, ':') + 1)) AND v.deleted_at IS NULL
		JOIN sale_custom_classifications x ON x.account_id = @account AND x.custom_classifier_value_id = v.id
		GROUP BY x.sale_id HAVING count(DISTINCT w.line) = cardinality(CAST(? AS text[])))`, classifications,
		"Values of custom classifiers, all of which must be present: `12:Loja,13:Norte`."),
	"reconciled_in": ReconciledIn(`s.financial_account_id IN (
		SELECT f.id FROM financial_accounts f WHERE f.account_id = @account AND f.reconcile_id IN %s)`),
	"external_id_equals": list.ExternalID("s."),
	"updated_at_gte":     list.ChangedSince("s."),
}))

// withSaleRanges adds the range filters.
func withSaleRanges(filters map[string]list.Filter) map[string]list.Filter {
	add := func(column, operator, expression, cast string, value list.Type, doc string) {
		end := map[string]string{">=": "_gte", "<=": "_lte"}[operator]
		filters[column+end] = list.Where(expression+" "+operator+" CAST(? AS "+cast+")", value, doc)
	}
	for column, doc := range map[string]string{
		"occurred_at":             "Sold on this day",
		"liquidated_at":           "Paid on this day",
		"estimated_liquidated_at": "To be paid on this day",
		"confirmed_at":            "Confirmed on this day",
		"document_emission_date":  "Document emitted on this day",
	} {
		add(column, ">=", "s."+column, "date", list.Day, doc+" or later.")
		add(column, "<=", "s."+column, "date", list.Day, doc+" or earlier.")
	}
	add("competency_month", ">=", "s.competency_month", "date", list.Month, "Of this month, `YYYY-MM`, or later.")
	add("competency_month", "<=", "s.competency_month", "date", list.Month, "Of this month, `YYYY-MM`, or earlier.")
	for column, doc := range map[string]string{
		"nominal_amount":        "Nominal amount",
		"fee_percentage_amount": "Percentage fee as an amount",
		"fixed_fee_amount":      "Fixed fee",
		"interest_amount":       "Interest",
		"ticket_amount":         "Fine",
		"discount_amount":       "Discount",
		"amount_difference":     "Difference between the received and the expected amount",
		"total_amount":          "Total",
		"total_taxes":           "Sum of the taxes",
	} {
		add(column, ">=", "s."+column, "numeric", list.Amount, doc+" of this or more.")
		add(column, "<=", "s."+column, "numeric", list.Amount, doc+" of this or less.")
	}
	const fee = "coalesce(s.fee_percentage, 0)" // as documents show it
	add("fee_percentage", ">=", fee, "numeric", list.Percentage, "Percentage fee of this or more; none is 0.")
	add("fee_percentage", "<=", fee, "numeric", list.Percentage, "Percentage fee of this or less; none is 0.")
	return filters
}

// SaleFiltersFor returns the filters for a search: some depend on others.
func SaleFiltersFor(search map[string]string) map[string]list.Filter {
	if alone, _ := list.Boolean.Parse(search["subcategory_is_null"]); alone != true {
		return saleFilters
	}
	filters := maps.Clone(saleFilters)
	const name = "category_full_name_equals"
	filters[name] = filters[name].With("s.category_id = ANY (ARRAY(SELECT id FROM categories " +
		"WHERE account_id = @account AND deleted_at IS NULL AND full_name = ?))")
	return filters
}

// saleTextFilters are the filters of sale_texts, a table that triggers maintain.
var saleTextFilters = []string{"description_contains", "observation_contains"}

// SaleTexts returns the JOIN of sale_texts, as t, that the filters of a search need; "" if they need none.
func SaleTexts(search map[string]string) string {
	if slices.ContainsFunc(saleTextFilters, func(name string) bool { return list.Sent(search, name) }) {
		return " JOIN sale_texts t ON t.account_id = s.account_id AND t.sale_id = s.id"
	}
	return ""
}

// saleSource returns the table of a search and its column with the sale's id.
// A search for texts alone uses the table of the texts: counting a million of
// them takes a fifth of the time of counting their sales. remaining is a condition for the sales, or "".
func saleSource(search map[string]string, remaining string) (id, from string) {
	texts := 0
	for _, name := range saleTextFilters {
		if _, sent := search[name]; sent {
			texts++
		}
	}
	switch {
	case texts == 0:
		return "s.id", salesOf + remaining
	case texts == len(search) && remaining == "":
		return "t.sale_id", `sale_texts t WHERE t.account_id = @account AND t.entity_id = @entity`
	}
	return "s.id", `sale_texts t JOIN sales s ON s.account_id = t.account_id AND s.id = t.sale_id
		WHERE t.account_id = @account AND t.entity_id = @entity` + remaining
}

// selectiveSaleFilters are the filters that select few of many by an index of their own. Ids and
// days grow together, so the sales of a month are adjacent: a scan in the order of ids would first
// read the sales of all earlier years.
var selectiveSaleFilters = []string{
	"occurred_at_gte", "occurred_at_lte", "liquidated_at_gte", "liquidated_at_lte", "estimated_liquidated_at_gte",
	"estimated_liquidated_at_lte",
	"external_id_equals", "updated_at_gte", "document_equals", "provider_code_equals", "person_name_equals",
	"person_id_equals",
	"category_id_equals", "category_tree", "classification_center_id_equals",
	"classification_center_name_equals",
	"category_full_name_equals", "custom_classifications_equal",
}

// saleStatus is a status of sales, or 4.
var saleStatus = list.Type{Name: "integer", Parse: func(s string) (any, error) {
	n, err := list.Integer.Parse(s)
	if err == nil && (n.(int64) < 0 || n.(int64) > 4) {
		return nil, messages.NotBetween.With(0, 4)
	}
	return n, err
}}

// issuer is the name of an issuer, whatever its case.
var issuer = list.Type{Name: "string", Parse: func(s string) (any, error) {
	name, ok := finance.Issuer(s)
	if !ok {
		return nil, messages.NotOneOf(slices.Concat(finance.SaleCards, finance.VoucherProviders))
	}
	return name, nil
}}

// named matches the beginning of the next classifier:value; a value may contain commas.
var named = regexp.MustCompile(`,\s*(\d{1,18}\s*:)`)

// classifications are values of custom classifiers: 12:Loja,13:Norte.
var classifications = list.Type{Name: "string", List: true, Parse: func(s string) (any, error) {
	if _, err := list.Text.Parse(s); err != nil {
		return nil, err
	}
	var values []string
	for _, item := range strings.Split(named.ReplaceAllString(s, "\x00$1"), "\x00") {
		classifier, value, found := strings.Cut(item, ":")
		classifier, value = strings.TrimSpace(classifier), strings.TrimSpace(value)
		if _, err := list.ID.Parse(classifier); err != nil || !found || value == "" {
			return nil, messages.NotClassifiers
		}
		values = append(values, classifier+":"+value)
	}
	return values, nil
}}
