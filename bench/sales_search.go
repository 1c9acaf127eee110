package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"
)

// salesSearch are filters of one list of sales, by name.
type salesSearch map[string]string

func (s salesSearch) String() string {
	if len(s) == 0 {
		return "no filter"
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		all = append(all, name+"="+s[name])
	}
	return strings.Join(all, " ")
}

// searchers is the number of connections that send one search after the other. searched limits
// the first measurement of a search: some go through all sales, and there are many. The fewest
// with the worst ratios are measured longer.
const (
	searchers = 2
	searched  = 200 * time.Millisecond
	fewest    = 5
)

// searchOf returns the path of the search's first page, of perPage sales.
func (s servers) searchOf(search salesSearch, perPage int) string {
	query := url.Values{"per_page": {strconv.Itoa(perPage)}}
	for name, value := range search {
		query.Set("search["+name+"]", value)
	}
	return fmt.Sprintf("/entities/%d/sales?%s", s.EntityID, query.Encode())
}

func (s servers) search(search salesSearch) (ours, floor figure) {
	path := s.searchOf(search, listed)
	return s.sendBy(searchers, s.api, s.request(http.MethodGet, s.api, path, "")), s.sendBy(searchers, s.floor, s.request(http.MethodGet, s.floor, path, ""))
}

// textsOfPages are texts that occur in all sales, in many, few and none. Some are too short for
// the index.
var textsOfPages = []salesSearch{
	{"description_contains": "casamento"}, {"description_contains": "o"}, {"description_contains": "99"}, {"description_contains": "9999"},
	{"description_contains": "mento 99999"}, {"description_contains": "torta"}, {"description_contains": "zz"},
	{"observation_contains": "ÀS"}, {"observation_contains": "150"}, {"observation_contains": "torta"},
	{"description_contains": "bolo", "observation_contains": "entregar"},
	{"description_contains": "999", "occurred_at_gte": "2026-03-01", "occurred_at_lte": "2026-03-31"},
}

// measureSearchTexts measures the slowest page of 50 sales found by text, one request at a time:
// the median of five.
func measureSearchTexts(ctx context.Context, h *harness) (ours, floor figure, err error) {
	h.few(3)
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	if err := s.sales(ctx); err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, _ time.Duration) (slowest sample, err error) {
		for _, search := range textsOfPages {
			request := s.request(http.MethodGet, s.api, s.searchOf(search, 50), "")
			took := make([]time.Duration, 5)
			for i := range took {
				began := time.Now()
				if _, err := s.sendBy(1, s.api, request)(ctx, 0); err != nil {
					return slowest, fmt.Errorf("%s: %w", search, err)
				}
				took[i] = time.Since(began)
			}
			ms := percentile(took, 50).Seconds() * 1000
			progress("%s: %s: %s ms", h.path.name, search, number(ms))
			slowest.value = max(slowest.value, ms)
		}
		return slowest, nil
	}, nil, nil
}

// worstSearch measures all searches, whose answers must be the same, then those with the worst
// ratios for longer. It returns the worst of these.
func (s servers) worstSearch(ctx context.Context) (worst salesSearch, err error) {
	all, err := s.searches(ctx)
	if err != nil {
		return nil, err
	}
	var seen []firstMeasurement
	for _, search := range all {
		if err := s.alike(ctx, s.searchOf(search, listed)); err != nil {
			return nil, fmt.Errorf("%s: %w", search, err)
		}
		ours, floor := s.search(search)
		look := effort{pairs: max(1, s.harness.pairs/2), cold: true, each: min(s.harness.each/10, searched)} // alike has warmed both up
		r, err := compare(ctx, []path{{}}, look, ours, floor, func(string) {})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", search, err)
		}
		progress("%s: %s: %s against %s, ratio %.2f", s.harness.path.name, search, number(r[0].Ours), number(r[0].Floor), r[0].Ratio)
		seen = append(seen, firstMeasurement{search, r[0].Ratio})
	}
	slices.SortFunc(seen, func(a, b firstMeasurement) int { return cmp.Compare(a.ratio, b.ratio) })
	least := math.Inf(1)
	for _, one := range seen[:min(fewest, len(seen))] {
		ours, floor := s.search(one.search)
		r, err := compare(ctx, []path{{}}, effort{pairs: max(2, s.harness.pairs/2), cold: true, each: s.harness.each / 2}, ours, floor, func(string) {})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.search, err)
		}
		progress("%s: once more %s: ratio %.2f", s.harness.path.name, one.search, r[0].Ratio)
		if r[0].Ratio < least {
			worst, least = one.search, r[0].Ratio
		}
	}
	progress("%s: the worst of %d is %s", s.harness.path.name, len(all), worst)
	return worst, nil
}

// firstMeasurement is a first measurement, of so few requests that its ratio may be chance.
type firstMeasurement struct {
	search salesSearch
	ratio  float64
}

// searches returns no filter, each filter alone, and some usual combinations.
func (s servers) searches(ctx context.Context) ([]salesSearch, error) {
	of := salesSearch{
		"status": "0", "payment_method": "cheque", "issuer": "Elo", "document_equals": "NF 1500", "provider_code_equals": "P1500",
		"description_contains": "mento 99999", "observation_contains": "150", "person_id_is_null": "false", "person_name_equals": "Cliente 300",
		"classification_center_id_is_null": "false", "classification_center_name_equals": "Loja 7", "category_id_is_null": "true",
		"occurred_at_gte": "2026-08-01", "occurred_at_lte": "2025-02-01", "liquidated_at_gte": "2026-08-01", "liquidated_at_lte": "2025-03-01",
		"estimated_liquidated_at_gte": "2026-08-01", "estimated_liquidated_at_lte": "2025-03-01", "confirmed_at_gte": "2026-08-01",
		"confirmed_at_lte": "2025-02-01", "document_emission_date_gte": "2026-08-01", "document_emission_date_lte": "2025-02-01",
		"competency_month_gte": "2026-08", "competency_month_lte": "2025-01", "nominal_amount_gte": "900", "nominal_amount_lte": "20",
		"fee_percentage_gte": "3.9", "fee_percentage_lte": "1.1", "fee_percentage_amount_gte": "80", "fee_percentage_amount_lte": "1",
		"fixed_fee_amount_gte": "4.9", "fixed_fee_amount_lte": "0.1", "interest_amount_gte": "60", "interest_amount_lte": "1",
		"ticket_amount_gte": "6", "ticket_amount_lte": "0.5", "discount_amount_gte": "8", "discount_amount_lte": "0.5",
		"amount_difference_gte": "8", "amount_difference_lte": "0.5", "total_amount_gte": "900", "total_amount_lte": "30",
		"total_taxes_gte": "0.1", "total_taxes_lte": "0", "updated_at_gte": "2026-08-01T00:00:00Z",
	}
	for name, query := range map[string]string{
		"sale_account_id":           `SELECT max(id)::text FROM sale_accounts WHERE account_id = $1`,
		"receivable_account_id":     `SELECT (min(id) + 300)::text FROM financial_accounts WHERE account_id = $1`,
		"category_full_name_equals": `SELECT max(full_name) FROM categories WHERE account_id = $1 AND parent_id IS NOT NULL`,
		"custom_classifications_equal": `SELECT custom_classifier_id || ':' || value FROM custom_classifier_values
			WHERE account_id = $1 AND value = 'Canal 3'`,
	} {
		var value string
		if err := s.db.QueryRowContext(ctx, query, s.AccountID).Scan(&value); err != nil {
			return nil, err
		}
		of[name] = value
	}
	all := []salesSearch{
		{},
		{"occurred_at_gte": "2026-03-01", "occurred_at_lte": "2026-03-31"},
		{"occurred_at_gte": "2026-03-01", "occurred_at_lte": "2026-03-31", "sale_account_id": of["sale_account_id"], "status": "1"},
		{"occurred_at_gte": "2026-03-01", "occurred_at_lte": "2026-03-31", "payment_method": "credit", "issuer": "Visa", "total_amount_gte": "500"},
		{"category_full_name_equals": of["category_full_name_equals"], "subcategory_is_null": "true"},
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, salesSearch{name: of[name]})
	}
	return all, nil
}

// floorFilters are the conditions of storage's saleFilters.
var floorFilters = map[string]string{
	"sale_account_id":                   "s.sale_account_id = ?",
	"receivable_account_id":             "s.financial_account_id = ?",
	"status":                            "s.status = CASE CAST(? AS int) WHEN 4 THEN 0 ELSE CAST(? AS int) END AND (CAST(? AS int) <> 4 OR NOT s.awaiting_pricing)",
	"payment_method":                    "s.payment_method = ?",
	"issuer":                            "s.issuer = ?",
	"document_equals":                   "s.document = ?",
	"provider_code_equals":              "s.provider_code = ?",
	"description_contains":              "fold(s.description) LIKE fold('%' || ? || '%')",
	"observation_contains":              "fold(s.observation) LIKE fold('%' || ? || '%')",
	"person_id_is_null":                 "(s.person_id IS NULL) = ?",
	"person_name_equals":                "s.person_id = ANY (ARRAY(SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND name = ?))",
	"classification_center_id_is_null":  "(s.classification_center_id IS NULL) = ?",
	"classification_center_name_equals": "s.classification_center_id = ANY (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND name = ?))",
	"category_id_is_null":               "(s.category_id IS NULL) = ?",
	"category_full_name_equals": `s.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = ?
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL)
		SELECT id FROM tree))`,
	"custom_classifications_equal": `s.id IN (
		SELECT x.sale_id
		FROM unnest(CAST(? AS text[])) WITH ORDINALITY AS w (named, line)
		JOIN custom_classifier_values v ON v.account_id = $1 AND v.custom_classifier_id = split_part(w.named, ':', 1)::bigint
			AND fold(v.value) = fold(substr(w.named, strpos(w.named, ':') + 1)) AND v.deleted_at IS NULL
		JOIN sale_custom_classifications x ON x.account_id = $1 AND x.custom_classifier_value_id = v.id
		GROUP BY x.sale_id HAVING count(DISTINCT w.line) = cardinality(CAST(? AS text[])))`,
	"fee_percentage_gte": "coalesce(s.fee_percentage, 0) >= CAST(? AS numeric)",
	"fee_percentage_lte": "coalesce(s.fee_percentage, 0) <= CAST(? AS numeric)",
	"updated_at_gte":     "s.updated_at >= CAST(? AS timestamptz)",
}

// floorSorted are the filters whose results are sorted after the search, as storage's selectiveSaleFilters.
var floorSorted = []string{
	"occurred_at_gte", "occurred_at_lte", "liquidated_at_gte", "liquidated_at_lte", "estimated_liquidated_at_gte", "estimated_liquidated_at_lte",
	"updated_at_gte", "document_equals", "provider_code_equals", "person_name_equals", "classification_center_name_equals",
	"category_full_name_equals", "custom_classifications_equal",
}

// floorSearch returns the FROM and WHERE clauses, the order and the parameters of a search.
func floorSearch(search salesSearch, account, entity int64) (of, order string, args []any) {
	of, order, args = "FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2", "s.id", []any{account, entity}
	for _, name := range slices.Sorted(maps.Keys(search)) {
		if slices.Contains(floorSorted, name) {
			order = "s.id + 0"
		}
		value, condition := any(search[name]), floorFilters[name]
		field, up := strings.CutSuffix(name, "_gte")
		field, down := strings.CutSuffix(field, "_lte")
		switch {
		case name == "subcategory_is_null":
			continue
		case name == "custom_classifications_equal":
			value = pq.Array(strings.Split(search[name], ","))
		case name == "category_full_name_equals" && search["subcategory_is_null"] == "true":
			condition = "s.category_id = ANY (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = ?))"
		case condition == "" && (up || down):
			condition = "s." + field + map[bool]string{true: " >= CAST(? AS ", false: " <= CAST(? AS "}[up] + floorType(field) + ")"
			if field == "competency_month" {
				value = search[name] + "-01"
			}
		}
		args = append(args, value)
		of += " AND " + strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(args)))
	}
	return of, order, args
}

func floorType(field string) string {
	if strings.HasSuffix(field, "_at") || strings.HasSuffix(field, "_date") || strings.HasSuffix(field, "_month") {
		return "date"
	}
	return "numeric"
}
