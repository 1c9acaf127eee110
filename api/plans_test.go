package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/tier"
	"bordero/storage"
	"bordero/storage/demo"
	"bordero/storage/storagetest"
)

// throughAll has the filters that no index serves, each with the reason. They read every row that
// is listed without them. All other filters use an index.
var throughAll = map[string]string{
	"sales.payment_method":                   "few values: a page is soon full",
	"sales.issuer":                           "few values: a page is soon full",
	"sales.person_id_is_null":                "most are null",
	"sales.classification_center_id_is_null": "most are null",
	"sales.category_id_is_null":              "most are null",
	"sales.subcategory_is_null":              "modifies category_full_name_equals, and selects nothing alone",
}

func init() {
	for _, field := range []string{"confirmed_at", "document_emission_date", "competency_month"} {
		throughAll["sales."+field+"_gte"] = "combined with occurred_at, which is near it"
		throughAll["sales."+field+"_lte"] = "combined with occurred_at, which is near it"
	}
	for _, field := range []string{"fee_percentage", "nominal_amount", "fee_percentage_amount", "fixed_fee_amount",
		"interest_amount",
		"ticket_amount", "discount_amount", "amount_difference", "total_amount", "total_taxes"} {
		throughAll["sales."+field+"_gte"] = "combined with occurred_at; an index more would cost every pricing"
		throughAll["sales."+field+"_lte"] = "combined with occurred_at; an index more would cost every pricing"
	}
	for _, field := range []string{"type", "amount_equals", "amount_gte", "amount_lte", "document_equals",
		"description_contains", "category_id_is_null",
		"person_id_is_null", "classification_center_id_is_null", "reconciled", "updated_at_gte"} {
		throughAll["financial_transactions."+field] = "of one deposit account, and combined with occurred_at; an " +
			"index more would cost every import"
	}
	throughAll["financial_transactions.counterpart_name_contains"] = "as description_contains"
	for _, field := range []string{"currency_id", "transfer_id_is_null", "left", "category_tree"} {
		throughAll["financial_transactions."+field] = "may have most transactions: a page is soon full"
	}
	throughAll["sales.category_tree"] = "a tree may have most sales: a page is soon full"
	for _, field := range []string{"amount_equals", "amount_gte", "amount_lte", "document_equals",
		"description_contains", "category_id_is_null", "person_id_is_null", "classification_center_id_is_null",
		"updated_at_gte"} {
		throughAll["transactions."+field] = "of an entity's few cards, and combined with occurred_at"
	}
	for _, list := range []string{"payable_accounts", "receivable_accounts"} {
		for _, field := range []string{"amount_equals", "amount_gte", "amount_lte", "description_contains",
			"description_like", "document_equals", "category_id_is_null", "person_id_is_null",
			"classification_center_id_is_null", "expected_deposit_account_id_is_null",
			"credit_card_invoice_id_is_null", "competency_month_gte", "competency_month_lte", "open_on"} {
			throughAll[list+"."+field] = "combined with due_date or status, which the list is ordered by"
		}
	}
	throughAll["items.outcome"] = "of one statement"
	throughAll["transfers.deposit_account_id"] = "few accounts: a page is soon full"
}

// found has the values of filters that find few records or none. Values of days and amounts follow
// from the names of their filters.
var found = map[string]string{
	"email_equals": "nobody@example.com", "external_id_equals": "ERP 1",
	"end_to_end_id_equals": "E1", "txid_equals": "T1",
	"reconciled_in": "1999-01", "counterpart_document_equals": "52998224725", "counterpart_name_contains": "zzz",
	"document_equals": "100100", "provider_code_equals": "12345678", "name": "Padaria", "name_equals": "Padaria",
	"full_name_equals": "Pessoal",
	"amount_equals":    "0.01", "status": "3", "status_equals": "1", "payment_method": "cheque", "issuer": "Aura",
	"type": "Credit", "reconciled": "true",
	"outcome": "zero",
	"suspect": "true", "person_type_in": "JuridicalPerson", "deposit_account_type_id": "8",
	"federation_subscription_number_equals":   "1",
	"federation_subscription_number_contains": "zzz", "federation_subscription_number_is_null": "true",
	"sales.document_equals": "NF 1500", "bank_account_id": "1", "event": "sales.created", "deliveries.status": "failed",
	"since": "2099-01-01", "month_equals": "2001-01",
	"open_on": "2001-01-01", "currency_id": "2", "left": "false",
	"category_full_name_equals":                  "Receitas de vendas / Venda de produtos",
	"payable_accounts.category_full_name_equals": "Administrativas / Contabilidade",
	"classification_center_name_equals":          "Entregas", "person_name_equals": "Moinho",
}

// ofRecords maps the filters by the id of a record to the parameter of that record.
var ofRecords = map[string]string{
	"parent_id_equals": "category_id", "category_id_equals": "category_id", "person_id_equals": "person_id",
	"classification_center_id_equals": "classification_center_id",
	"entity_id_equals":                "entity_id", "entity_id": "entity_id", "sale_account_id": "shop",
	"receivable_account_id": "receivable_account_id",
	"deposit_account_id":    "deposit_account_id", "financial_transaction_id": "financial_transaction_id",
	"financial_account_id": "receivable_account_id",
	"category_tree":        "category_id", "credit_card_id": "credit_card_id",
	"expected_deposit_account_id_equals": "deposit_account_id", "user_id_equals": "member_id",
}

// The demo data is large enough to distinguish a statement that an index serves from one that scans
// a table. BORDERO_TEST_PLANS=1000000 makes a million sales and transactions; from 100,000 on the
// planner is free to prefer a Seq Scan.
func TestListsAreServedByIndexes(t *testing.T) {
	t.Parallel()
	s := newExplained(t, demoSize(t))
	used := map[string]bool{}
	for _, r := range api.Routes() {
		if r.Method != "GET" || openAPI().operation(r.Method, documented(r.Path)) == nil {
			continue
		}
		if reportQueries[r.Path[strings.LastIndex(r.Path, "/")+1:]] != nil {
			continue // a sum reads all records of its list
		}
		path := strings.Replace(s.ids.path(r), "_lte]=2026-03-31", "_lte]=2026-03-01", 1)
		s.explain(t, path, "", "")
		if o := openAPI().operation(r.Method, documented(r.Path)).Operation; o.Parameters.GetByInAndName("query",
			"cursor") != nil {
			s.explain(t, path+"?per_page=50&cursor="+s.deep(t, path), "", "")
		}
		for _, name := range slices.Sorted(maps.Keys(filters(r))) {
			if strings.HasSuffix(r.Path, "/suggestions") { // requires all of its filters
				continue
			}
			key := r.Path[strings.LastIndex(r.Path, "/")+1:] + "." + name
			used[key] = true
			s.explain(t, path, name, throughAll[key])
		}
	}
	s.beginFarInto(t)
	s.nameOneOfManyPeople(t)
	for key := range throughAll {
		if !used[key] {
			t.Errorf("%s is a filter of no list", key)
		}
	}
}

// nameOneOfManyPeople explains the filters by the name of a person where an account has many people.
func (e *explained) nameOneOfManyPeople(t *testing.T) {
	t.Helper()
	e.exec(t, `INSERT INTO people (account_id, name, customer, supplier)
		SELECT $1, 'Pessoa ' || n, true, true FROM generate_series(1, $2) n`, e.AccountID, 4*few)
	e.exec(t, `VACUUM ANALYZE people`)
	e.large["people"] = true
	e.explain(t, "/people", "name_equals", "")
	for _, list := range []string{"/payable_accounts", "/receivable_accounts", "/sales"} {
		e.explain(t, paths.Entity(e.EntityID)+list, "person_name_equals", "")
	}
}

// demoSize returns the number of sales and of transactions.
func demoSize(t *testing.T) int { return tier.Set(t, "BORDERO_TEST_PLANS", 8000, 8000) }

// explained is a service over the demo data, whose PostgreSQL reports the plan of each statement.
type explained struct {
	*service
	ids    records
	large  map[string]bool   // by table
	of     map[string]string // the table by its index
	listed []string          // ids, for the filter by ids
	times  int               // requests for each path: PostgreSQL caches a plan from the sixth on

	mu       sync.Mutex
	executed []executed
}

// executed is the report of auto_explain on a statement.
type executed struct {
	Query string `json:"Query Text"`
	Plan  node
}

type node struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Cond     string  `json:"Index Cond"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Removed  float64 `json:"Rows Removed by Filter"`
	Rechecks float64 `json:"Rows Removed by Index Recheck"`
	Above    string  `json:"Parent Relationship"`
	Plans    []node
}

func newExplained(t *testing.T, size int) *explained {
	t.Helper()
	direct := storagetest.DatabaseURL(t)
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	e := &explained{large: map[string]bool{}, of: map[string]string{}, times: 1}
	store := storagetest.Open(t, tap(t, direct, func(byte, []byte) {}, e.hear), storage.Options{Connections: 1})
	e.service = serve(t, store)
	e.db = storagetest.DB(t, direct)
	e.Tenant = storagetest.NewTenant(t, storagetest.Open(t, direct, storage.Options{}))
	e.fill(t, direct, size)
	e.exec(t, `VACUUM ANALYZE`)
	seqScan := "off" // with so few rows the planner may prefer one
	if size >= 100_000 {
		seqScan, e.times = "on", 7
	}
	for _, setting := range []string{"session_preload_libraries = auto_explain", "auto_explain.log_min_duration = 0",
		"auto_explain.log_analyze = on",
		"auto_explain.log_timing = off", "auto_explain.log_format = json", "auto_explain.log_level = notice",
		"max_parallel_workers_per_gather = 0", "enable_seqscan = " + seqScan} {
		e.exec(t, `ALTER DATABASE `+strings.TrimPrefix(u.Path, "/")+` SET `+setting)
	}
	e.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid()`)
	e.measure(t, size)
	return e
}

// fill makes the demo data of three companies, one of them another tenant's, and records the ids of
// one.
func (e *explained) fill(t *testing.T, direct string, size int) {
	t.Helper()
	// References are not checked: they are valid, and the checks would take most of the time.
	store := storagetest.Open(t, storagetest.OwnerURL(t, direct)+"&session_replication_role=replica", storage.Options{})
	other := storagetest.NewTenant(t, store)
	today, _ := finance.NewDate(2026, 11, 21)
	for i, account := range []int64{other.AccountID, e.AccountID, e.AccountID} {
		n := size
		if i < 2 {
			n /= 2
		}
		d := demo.Options{AccountID: account, Sales: n, Transactions: n, Seed: uint64(i), Today: today}
		filled, err := demo.Fill(t.Context(), store, d, func(string, int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		e.EntityID = filled.EntityID
	}
	// normally filled by a trigger, which the role replica disables
	_, err := e.db.ExecContext(t.Context(), `
		INSERT INTO sale_texts (account_id, entity_id, sale_id, description, observation)
		SELECT account_id, entity_id, id, fold(description), fold(observation) FROM sales`)
	if err == nil { // one file per transaction: counting the files must not read transactions
		_, err = e.db.ExecContext(t.Context(), `
			WITH files AS (
				INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
					attachment_file_size)
				SELECT account_id, $2, 'many/' || id, 'nota.pdf', 'application/pdf', 1
				FROM financial_transactions WHERE account_id = $1 ORDER BY id LIMIT $3 RETURNING id, file_key)
			INSERT INTO financial_transaction_attachments (account_id, financial_transaction_id, attachment_id)
			SELECT $1, CAST(substr(file_key, 6) AS bigint), id FROM files`, e.AccountID, e.EntityID, 2*few)
	}
	if err != nil {
		t.Fatal(err)
	}
	e.ids = e.records(t)
	for name, query := range map[string]string{
		"deposit_account_id": `SELECT id FROM deposit_accounts WHERE entity_id = $1
			ORDER BY transactions_count DESC LIMIT 1`,
		"sale_account_id":          `SELECT id FROM sale_accounts WHERE entity_id = $1 AND name = 'Cielo'`,
		"shop":                     `SELECT id FROM sale_accounts WHERE entity_id = $1 AND name = 'Loja virtual'`,
		"person_id":                `SELECT max(person_id) FROM sales WHERE entity_id = $1`,
		"category_id":              `SELECT max(category_id) FROM financial_accounts WHERE entity_id = $1`,
		"classification_center_id": `SELECT max(classification_center_id) FROM sales WHERE entity_id = $1`,
		"receivable_account_id":    `SELECT max(financial_account_id) FROM sales WHERE entity_id = $1`,
		"sale_id":                  `SELECT max(id) FROM sales WHERE entity_id = $1`,
		"reconcile_id":             `SELECT max(id) FROM reconciles WHERE entity_id = $1`,
		"transfer_id":              `SELECT max(id) FROM transfers WHERE entity_id = $1`,
		"credit_card_id":           `SELECT min(id) FROM credit_cards WHERE entity_id = $1`,
		"bank_statement_id": `SELECT b.id FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id
			AND d.id = b.deposit_account_id
			WHERE d.entity_id = $1 ORDER BY d.transactions_count DESC, b.imported_items_count DESC LIMIT 1`,
		"financial_transaction_id": `SELECT max(t.id) FROM financial_transactions t JOIN deposit_accounts d
			ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE d.entity_id = $1 AND d.name = 'Conta Itaú'`,
	} {
		var id int64
		if err := e.db.QueryRowContext(t.Context(), query, e.EntityID).Scan(&id); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e.ids[name] = id
	}
}

// measure finds the large tables and the table of each index.
func (e *explained) measure(t *testing.T, size int) {
	t.Helper()
	rows, err := e.db.QueryContext(t.Context(), `
		SELECT i.relname, c.relname, c.reltuples >= $1 FROM pg_index x
		JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
			WHERE c.relnamespace = 'public'::regnamespace`, size/10)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var index, table string
		var large bool
		if err := rows.Scan(&index, &table, &large); err != nil {
			t.Fatal(err)
		}
		e.of[index], e.large[table] = table, large
	}
	if err := rows.Err(); err != nil || !e.large["sales"] || !e.large["financial_transactions"] ||
		!e.large["financial_accounts"] || !e.large["imported_items"] {
		t.Fatalf("large are %v, %v", e.large, err)
	}
}

// hear collects the plans among the notices of the database.
func (e *explained) hear(kind byte, body []byte) {
	if kind != 'N' {
		return
	}
	for field := range bytes.SplitSeq(body, []byte{0}) {
		_, plan, found := bytes.Cut(field, []byte("plan:\n"))
		if !found || field[0] != 'M' {
			continue
		}
		var x executed
		if err := json.Unmarshal(plan, &x); err != nil {
			x.Query = err.Error() + ": " + string(plan) // without a plan; a Query is part of the message of explain
		}
		e.mu.Lock()
		e.executed = append(e.executed, x)
		e.mu.Unlock()
	}
}

// few is the number of rows that any statement may read: those of a page, with their associations.
const few = 2000

// explain requests the path and checks that the plans use indexes, unless through gives a reason.
func (e *explained) explain(t *testing.T, path, filter, through string) {
	t.Helper()
	if filter != "" {
		list := path[strings.LastIndex(path, "/")+1:]
		path += "?search[" + filter + "]=" + url.QueryEscape(e.value(t, list, filter))
	}
	times := e.times
	if through != "" {
		times = 1 // the request is slow, and its plans are not checked
	}
	for range times {
		e.mu.Lock()
		e.executed = nil
		e.mu.Unlock()
		if a := e.call(t, "GET", path); a.status != 200 && filter != "" {
			t.Fatalf("%s: %d %s", path, a.status, a.body)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.executed) == 0 {
		t.Errorf("%s: no plan was heard", path)
	}
	var total float64 // records of all pages
	for _, x := range e.executed {
		if strings.Contains(x.Query, "SELECT count(*)") {
			total = x.Plan.counted()
		}
	}
	for _, x := range e.executed {
		if through != "" || x.Plan.Type == "" {
			continue
		}
		most := few + 2*total
		if filter == "" && !strings.Contains(x.Query, "SELECT count(*)") {
			most = few
		}
		if looked, what := e.looked(x.Plan); looked > most || strings.Contains(what, "\n  Seq Scan") {
			t.Errorf("%s finds %.0f, and looks at %.0f rows:%s\n%s", path, total, looked, what, x.Query)
		}
	}
}

// value returns a value for the filter.
func (e *explained) value(t *testing.T, list, filter string) string {
	t.Helper()
	numbers := []string{"amount", "percentage", "taxes", "difference"}
	number := slices.ContainsFunc(numbers, func(n string) bool { return strings.Contains(filter, n) })
	switch {
	case filter == "ids":
		n := len(e.listed)
		if e.times == 1 { // of so few records, reading the list's index costs less than finding 500
			n = min(n, 5)
		}
		return strings.Join(append(e.listed[:n:n], "1"), ",")
	case ofRecords[filter] != "":
		return fmt.Sprint(e.ids[ofRecords[filter]])
	case found[list+"."+filter] != "":
		return found[list+"."+filter]
	case found[filter] != "":
		return found[filter]
	case filter == "custom_classifications_equal":
		return fmt.Sprintf("%d:Telefone", e.ids["custom_classifier_id"])
	case strings.HasSuffix(filter, "_contains"), strings.HasSuffix(filter, "_like"):
		return "zzz"
	case strings.HasSuffix(filter, "_is_null"):
		return "true"
	case strings.HasSuffix(filter, "_gte") && number:
		return "90"
	case strings.HasSuffix(filter, "_lte") && number:
		return "0"
	case strings.HasSuffix(filter, "_gte"):
		return "2099-01-01"
	case strings.HasSuffix(filter, "_lte"):
		return "2001-01-01"
	}
	t.Errorf("%s: a filter that this test has no value for", filter)
	return ""
}

// counted returns how many rows a statement has counted.
func (n node) counted() float64 {
	for _, below := range n.Plans {
		if n.Type == "Aggregate" && below.Above == "Outer" {
			return below.Rows * below.Loops
		}
	}
	return 0
}

// looked returns how many rows of large tables the plan reads, and by which nodes. A Bitmap Index
// Scan reads no rows of the table.
func (e *explained) looked(n node) (rows float64, what string) {
	table := n.Relation
	if table == "" {
		table = e.of[n.Index]
	}
	if e.large[table] && n.Type != "Bitmap Index Scan" {
		rows = n.Loops * (n.Rows + n.Removed + n.Rechecks)
		what = fmt.Sprintf("\n  %s %s %s: %.0f", n.Type, table, n.Index, rows)
	}
	for _, below := range n.Plans {
		r, w := e.looked(below)
		rows, what = rows+r, what+w
	}
	return rows, what
}
