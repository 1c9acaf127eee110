package storage

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
)

// saleFilters are those of GET …/sales. A list is ordered by id, and an entity may have
// a million sales. The filters that select few of many have an index: sale account,
// receivable account, status, the days but two, document, provider code, the
// associations, custom classifications, and the time of a change. The others scan
// the entity's sales:
//   - payment_method and issuer have few values: a page is soon full;
//   - amounts, percentages, confirmed_at, competency_month and
//     document_emission_date are combined with occurred_at, which is near them;
//   - null is no range of an index.
//
// Substring filters use a table of their own (saleSource).
//
// Each further index would slow down every pricing of a million sales.
var saleFilters = withSaleRanges(map[string]filter{
	"sale_account_id":       {"s.sale_account_id = ?", identifier},
	"receivable_account_id": {"s.financial_account_id = ?", identifier},
	// 4 selects the sales that no longer await a price: no rule matches them.
	"status": {`s.status = CASE CAST(? AS int) WHEN 4 THEN 0 ELSE CAST(? AS int) END AND (CAST(? AS int) <> 4 OR NOT s.awaiting_pricing)`,
		saleStatus},
	"payment_method":                    {"s.payment_method = ?", paymentMethod},
	"issuer":                            {"s.issuer = ?", issuer},
	"document_equals":                   {"s.document = ?", text},
	"provider_code_equals":              {"s.provider_code = ?", text},
	"description_contains":              {"t.description LIKE fold(?)", containing},
	"observation_contains":              {"t.observation LIKE fold(?)", containing},
	"person_id_is_null":                 {"(s.person_id IS NULL) = ?", boolean},
	"person_name_equals":                {"s.person_id = ANY (ARRAY(SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND name = ?))", text},
	"classification_center_id_is_null":  {"(s.classification_center_id IS NULL) = ?", boolean},
	"classification_center_name_equals": {"s.classification_center_id = ANY (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND name = ?))", text},
	"category_id_is_null":               {"(s.category_id IS NULL) = ?", boolean},
	"category_full_name_equals": {`s.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = ?
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL)
		SELECT id FROM tree))`, text},
	"subcategory_is_null": {"CAST(? AS boolean) IS NOT NULL", boolean}, // selects the categories of the filter above
	"custom_classifications_equal": {`s.id IN (
		SELECT x.sale_id
		FROM unnest(CAST(? AS text[])) WITH ORDINALITY AS w (named, line)
		JOIN custom_classifier_values v ON v.account_id = $1 AND v.custom_classifier_id = split_part(w.named, ':', 1)::bigint
			AND fold(v.value) = fold(substr(w.named, strpos(w.named, ':') + 1)) AND v.deleted_at IS NULL
		JOIN sale_custom_classifications x ON x.account_id = $1 AND x.custom_classifier_value_id = v.id
		GROUP BY x.sale_id HAVING count(DISTINCT w.line) = cardinality(CAST(? AS text[])))`, classifications},
	"updated_at_gte": {"s.updated_at >= CAST(? AS timestamptz)", moment},
})

// withSaleRanges adds the range filters.
func withSaleRanges(filters map[string]filter) map[string]filter {
	filters["fee_percentage_gte"] = filter{"coalesce(s.fee_percentage, 0) >= CAST(? AS numeric)", percentage} // as documents show it
	filters["fee_percentage_lte"] = filter{"coalesce(s.fee_percentage, 0) <= CAST(? AS numeric)", percentage}
	for _, f := range []struct {
		cast   string
		value  func(string) (any, error)
		fields []string
	}{
		{"date", day, []string{"occurred_at", "liquidated_at", "estimated_liquidated_at", "confirmed_at", "document_emission_date"}},
		{"date", month, []string{"competency_month"}},
		{"numeric", amount, []string{"nominal_amount", "fee_percentage_amount", "fixed_fee_amount", "interest_amount", "ticket_amount",
			"discount_amount", "amount_difference", "total_amount", "total_taxes"}},
	} {
		for _, field := range f.fields {
			filters[field+"_gte"] = filter{"s." + field + " >= CAST(? AS " + f.cast + ")", f.value}
			filters[field+"_lte"] = filter{"s." + field + " <= CAST(? AS " + f.cast + ")", f.value}
		}
	}
	return filters
}

// saleFiltersFor returns the filters for a search: some depend on others.
func saleFiltersFor(search map[string]string) map[string]filter {
	if alone, _ := boolean(search["subcategory_is_null"]); alone != true {
		return saleFilters
	}
	filters := maps.Clone(saleFilters)
	filters["category_full_name_equals"] = filter{
		"s.category_id = ANY (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = ?))", text}
	return filters
}

// saleTextFilters are the filters of sale_texts, a table that triggers maintain.
var saleTextFilters = []string{"description_contains", "observation_contains"}

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
		return "t.sale_id", `sale_texts t WHERE t.account_id = $1 AND t.entity_id = $2`
	}
	return "s.id", `sale_texts t JOIN sales s ON s.account_id = t.account_id AND s.id = t.sale_id WHERE t.account_id = $1 AND t.entity_id = $2` + remaining
}

// selectiveSaleFilters are the filters that select few of many by an index of their own. Ids and
// days grow together, so the sales of a month are adjacent: a scan in the order of
// ids would first read those of all earlier years.
var selectiveSaleFilters = []string{
	"occurred_at_gte", "occurred_at_lte", "liquidated_at_gte", "liquidated_at_lte", "estimated_liquidated_at_gte", "estimated_liquidated_at_lte",
	"updated_at_gte", "document_equals", "provider_code_equals", "person_name_equals", "classification_center_name_equals",
	"category_full_name_equals", "custom_classifications_equal",
}

func saleStatus(s string) (any, error) {
	n, err := integer(s)
	if err == nil && (n.(int64) < 0 || n.(int64) > 4) {
		return nil, messages.NotBetween.With(0, 4)
	}
	return n, err
}

func paymentMethod(s string) (any, error) {
	if !slices.Contains(finance.PaymentMethods, s) {
		return nil, messages.NotOneOf(finance.PaymentMethods)
	}
	return s, nil
}

// issuer reads the name of an issuer, whatever its case.
func issuer(s string) (any, error) {
	name, ok := finance.Issuer(s)
	if !ok {
		return nil, messages.NotOneOf(slices.Concat(finance.SaleCards, finance.VoucherProviders))
	}
	return name, nil
}

// month reads YYYY-MM, or the month of a date.
func month(s string) (any, error) {
	var m finance.Month
	err := m.UnmarshalText([]byte(s))
	return m.String() + "-01", err // a zero Month is stored as NULL
}

// percentage reads a percentage in the format of the documents.
func percentage(s string) (any, error) {
	var p finance.Percentage
	err := p.UnmarshalText([]byte(s))
	return p, err
}

// named matches the beginning of the next classifier:value; a value may contain commas.
var named = regexp.MustCompile(`,\s*(\d{1,18}\s*:)`)

// classifications reads values of custom classifiers: 12:Loja,13:Norte.
func classifications(s string) (any, error) {
	if _, err := text(s); err != nil {
		return nil, err
	}
	var values []string
	for _, item := range strings.Split(named.ReplaceAllString(s, "\x00$1"), "\x00") {
		classifier, value, found := strings.Cut(item, ":")
		classifier, value = strings.TrimSpace(classifier), strings.TrimSpace(value)
		if _, err := identifier(classifier); err != nil || !found || value == "" {
			return nil, messages.NotClassifiers
		}
		values = append(values, classifier+":"+value)
	}
	return values, nil
}
