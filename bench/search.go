package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/storage"
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

// searchOf returns the path of the search's first page, of perPage sales.
func (s servers) searchOf(search salesSearch, perPage int) string {
	query := url.Values{"per_page": {strconv.Itoa(perPage)}}
	for name, value := range search {
		query.Set("search["+name+"]", value)
	}
	return fmt.Sprintf("/entities/%d/sales?%s", s.EntityID, query.Encode())
}

// textsOfPages are texts that occur in all sales, in many, in few and nowhere. Some are too short
// for the index.
var textsOfPages = []salesSearch{
	{"description_contains": "casamento"}, {"description_contains": "o"}, {"description_contains": "99"},
	{"description_contains": "9999"},
	{"description_contains": "mento 99999"}, {"description_contains": "torta"}, {"description_contains": "zz"},
	{"observation_contains": "ÀS"}, {"observation_contains": "150"}, {"observation_contains": "torta"},
	{"description_contains": "bolo", "observation_contains": "entregar"},
	{"description_contains": "999", "occurred_at_gte": "2026-03-01", "occurred_at_lte": "2026-03-31"},
}

// measureSearch measures the slowest page of 50 sales found by text, one request at a time:
// the median of five.
func measureSearch(ctx context.Context, h *harness) (ours, floor figure, err error) {
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

// sales creates 600 days of sales. Most are priced, and some have a tax or a classification.
// Amounts have no trailing zero and times no fraction, as in transactions.
func (s servers) sales(ctx context.Context) error {
	store, err := storage.Open(s.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return err
	}
	defer store.Close()
	account := finance.SaleAccount{AccountID: s.AccountID, EntityID: s.EntityID, Name: "Cielo", Provider: "cielo",
		PaymentMethods: "credit", Consolidate: true}
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
	of := strings.NewReplacer("{account}", fmt.Sprint(s.AccountID), "{entity}", fmt.Sprint(s.EntityID),
		"{sale_account}", fmt.Sprint(account.ID),
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
	INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, competency_month, amount, sale_account_id,
		consolidated)
	SELECT {account}, {entity}, 'receivable', date '2025-01-31' + n, date_trunc('month', date '2025-01-31' + n), 1,
		{sale_account}, true FROM generate_series(0, 600) n`, `
	INSERT INTO sales (account_id, entity_id, sale_account_id, status, awaiting_pricing, payment_method, issuer,
		document, document_emission_date,
		provider_code, occurred_at, confirmed_at, competency_month, description, observation, nominal_amount,
			interest_amount, ticket_amount,
		discount_amount, total_amount, total_taxes, financial_account_id, fee_percentage, fee_percentage_amount,
			fixed_fee_amount,
		receivable_amount, days_to_liquidation, estimated_liquidated_at, liquidated_at, amount_difference, category_id,
			person_id,
		classification_center_id, created_at, updated_at)
	SELECT {account}, {entity}, {sale_account}, n.status, false, CASE WHEN n % 1000 = 9 THEN 'cheque' WHEN n % 10 = 7
		THEN 'pix' ELSE 'credit' END,
		CASE WHEN n % 10 = 7 OR n % 1000 = 9 THEN NULL ELSE (ARRAY['Visa', 'MasterCard', 'Elo'])[1 + n % 3] END,
			'NF ' || n,
		CASE WHEN n % 2 = 0 THEN n.day END, CASE WHEN n % 3 = 0 THEN 'P' || n END, n.day, CASE WHEN n % 2 = 0
			THEN n.day + 1 END,
		date_trunc('month', n.day), 'Bolo de casamento ' || n, CASE WHEN n % 50 = 0 THEN 'Entregar às ' || n END,
		(n % 90000 * 10 + 1001 + n % 9) / 100.0, CASE WHEN n % 4 = 0 THEN (n % 700 * 10 + 1 + n % 9) / 100.0 END,
		CASE WHEN n % 8 = 0 THEN (n % 70 * 10 + 1 + n % 9) / 100.0 END, CASE WHEN n % 16 = 0
			THEN (n % 90 * 10 + 1 + n % 9) / 100.0 END,
		(n % 90000 * 10 + 2002 + n % 7) / 100.0, CASE WHEN n % 5 = 0 THEN 0.11 ELSE 0 END, f.id,
		CASE WHEN f.id > 0 THEN (n % 3000 * 10 + 10001) / 10000.0 END, CASE WHEN f.id > 0
			THEN (n % 900 * 10 + 1 + n % 9) / 100.0 END,
		CASE WHEN f.id > 0 THEN (n % 50 * 10 + 1 + n % 9) / 100.0 END, CASE WHEN f.id > 0
			THEN (n % 90000 * 10 + 1002 + n % 7) / 100.0 END,
		CASE WHEN f.id > 0 THEN 30 END, f.due_date, CASE WHEN n.status = 2 THEN f.due_date END,
		CASE WHEN n % 60 = 0 THEN (n % 90 * 10 + 1 + n % 9) / 100.0 END,
		CASE WHEN n % 4 > 0 THEN c.ids[1 + n % array_length(c.ids, 1)] END, CASE WHEN n % 3 = 0
			THEN p.id + n % 1000 END,
		CASE WHEN n % 7 = 0 THEN z.id + n % 20 END, date_trunc('second', now()),
			timestamptz '2025-01-01 12:00Z' + make_interval(days => n.day - date '2025-01-01')
	FROM (SELECT n, date '2025-01-01' + (n::bigint * 600 / kept)::int AS day, CASE WHEN n % 33 = 0 THEN 0
		WHEN n % 3 = 0 THEN 2 ELSE 1 END AS status
			FROM (SELECT {kept} AS kept) k, generate_series(1, kept) n) n (n, day, status)
	LEFT JOIN financial_accounts f ON f.account_id = {account} AND f.due_date = n.day + 30 AND n.status > 0,
		(SELECT array_agg(id ORDER BY id) AS ids FROM categories WHERE account_id = {account}) c,
		(SELECT min(id) AS id FROM people WHERE account_id = {account}) p,
			(SELECT min(id) AS id FROM classification_centers WHERE account_id = {account}) z
	ORDER BY n.n`, `
	INSERT INTO sale_texts (account_id, entity_id, sale_id, description, observation)
	SELECT account_id, entity_id, id, fold(description), fold(observation) FROM sales WHERE account_id = {account}`, `
	INSERT INTO sale_taxes (account_id, sale_id, tax_id, amount)
	SELECT {account}, id, 9, total_taxes FROM sales WHERE account_id = {account} AND entity_id = {entity}
		AND total_taxes > 0`, `
	INSERT INTO sale_custom_classifications (account_id, sale_id, custom_classifier_value_id, amount)
	SELECT {account}, s.id, v.id + s.id % 10, 1.23 FROM sales s, (SELECT min(id) AS id FROM custom_classifier_values
		WHERE account_id = {account}) v
	WHERE s.account_id = {account} AND s.entity_id = {entity} AND s.id % 20 IN (0, 3)`,
}
