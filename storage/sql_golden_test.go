package storage_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/storage/deliveries"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/matching"
	_ "bordero/storage/members"
	_ "bordero/storage/operators"
	_ "bordero/storage/pricing"
	"bordero/storage/proof"
	"bordero/storage/reports"
	"bordero/storage/storagetest"
	_ "bordero/storage/verify"

	"github.com/jmoiron/sqlx"
)

var update = flag.Bool("update", false, "write the goldens")

// parents are rows without which some functions do not send the statement of a golden.
const parents = `
	INSERT INTO accounts (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'a');
	INSERT INTO entities (account_id, id, name) OVERRIDING SYSTEM VALUE VALUES (1, 2, 'e');
	INSERT INTO deposit_accounts (account_id, entity_id, id, name, deposit_account_type_id, currency_id)
		OVERRIDING SYSTEM VALUE VALUES (1, 2, 103, 'b', 1, 1);
	INSERT INTO bank_statements (account_id, deposit_account_id, id, file_key, file_file_name, file_content_type,
		file_file_size, event_status) OVERRIDING SYSTEM VALUE VALUES (1, 103, 104, 'k', 'f', 'x', 1, 'success');
	INSERT INTO custom_classifiers (account_id, id, name) OVERRIDING SYSTEM VALUE VALUES (1, 105, 'k')`

// The files are what PostgreSQL receives, with the names of the parameters: to read, to search and to
// paste into psql. Each statement that is registered (db.Named) has one, each list, with all of its
// filters, and each other statement that is put together when it is sent. PostgreSQL parses all of them.
func TestStatementsAreTheGoldens(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(storagetest.OwnerURL(t, storagetest.DatabaseURL(t)), db.Options{Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	if _, err := pool.Exec(imports.StagingTables + ";" + parents); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for name, s := range db.Statements() {
		parses(t, pool, name, s.SQL)
		want[name] = namesOf(s) + strings.TrimSpace(s.SQL) + "\n"
	}
	var loaded []string
	for _, s := range storage.LoadedStatements() {
		parses(t, pool, "emit.loaded", s.SQL)
		loaded = append(loaded, namesOf(s)+strings.TrimSpace(s.SQL)+";\n")
	}
	want["emit.loaded"] = strings.Join(loaded, "\n")
	recorded := listStatements(t, pool)
	maps.Copy(recorded, assembled(t, pool))
	for name, all := range recorded {
		var texts []string
		for _, s := range all {
			parses(t, pool, name, s.sql)
			if text := s.head() + strings.TrimSpace(s.sql) + ";\n"; !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		want[name] = strings.Join(texts, "\n")
	}
	const dir = "testdata/sql"
	if *update {
		if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(dir, name+".sql"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob(dir + "/*.sql")
	if err != nil || len(files) != len(want) {
		t.Errorf("%d files for %d names, %v: run with -update", len(files), len(want), err)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name+".sql")); err != nil || string(got) != text {
			t.Errorf("%s has changed (%v): run with -update and read the difference", name, err)
		}
	}
}

// namesOf shows the names of a statement's parameters.
func namesOf(s db.Statement) string {
	var head strings.Builder
	for i, parameter := range s.Names() {
		fmt.Fprintf(&head, "-- $%d = %s\n", i+1, parameter)
	}
	return head.String()
}

// parses reports a statement whose text or names PostgreSQL refuses.
func parses(t *testing.T, pool *sqlx.DB, name, text string) {
	t.Helper()
	s, err := pool.PrepareContext(t.Context(), text)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, text)
		return
	}
	_ = s.Close()
}

// sent is a statement that a recorder has passed on.
type sent struct {
	sql   string
	args  []any
	names []string // of the arguments, "" where it is unknown
}

// head shows the values of the parameters, and the filters that they are of.
func (s sent) head() string {
	var head strings.Builder
	for i, v := range s.args {
		if of := reflect.Indirect(reflect.ValueOf(v)); of.Kind() == reflect.Slice {
			v = of.Interface()
		}
		fmt.Fprintf(&head, "-- $%d = %v", i+1, v)
		if i < len(s.names) && s.names[i] != "" {
			head.WriteString(", for " + s.names[i])
		}
		head.WriteByte('\n')
	}
	return head.String()
}

// withNames gives their names to the arguments of the filters, which follow equally many in the page and in
// its count.
func withNames(page []sent, filters []string) []sent {
	most := slices.MaxFunc(page, func(a, b sent) int { return len(a.args) - len(b.args) })
	names := append(make([]string, len(most.args)-len(filters)-2), append(filters, "size", "offset")...)
	for i := range page {
		if len(page[i].args) >= len(names)-2 {
			page[i].names = names
		}
	}
	return page
}

// recorder is a pool that records its statements.
type recorder struct {
	*sqlx.DB
	all []sent
}

func (r *recorder) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	r.all = append(r.all, sent{sql: query, args: args})
	return r.DB.QueryxContext(ctx, query, args...)
}

// assembled returns the statements of functions that put them together, with all filters once, and of the
// forms for few and for many rows.
func assembled(t *testing.T, pool *sqlx.DB) map[string][]sent {
	t.Helper()
	r := &recorder{DB: pool}
	q, scope, all := storage.Queries{DB: r}, storage.Scope{AccountID: 1, EntityID: 2}, map[string][]sent{}
	send := func(name string, errs ...error) {
		if err := errors.Join(errs...); err != nil || len(r.all) == 0 {
			t.Errorf("%s: %d statements, %v", name, len(r.all), err)
		}
		all[name], r.all = r.all, nil
	}
	tx, webhook := &storage.Tx{Queries: q}, &finance.Webhook{AccountID: 1, ID: 7}
	search := map[string]string{"event": "sales.created", "ids": "7", "since": "2026-01-31", "status": "failed"}
	_, enqueued := deliveries.EnqueueRedelivery(t.Context(), tx, webhook, search)
	_, next := deliveries.RedeliverNext(t.Context(), tx, webhook,
		jobs.RedeliverWebhook{Search: search, After: 8, UpTo: 9}, 30)
	send("deliveries.redeliver_matching", enqueued, next)

	kinds := []finance.AccountKind{finance.Payable}
	_, err := matching.Suggestions(t.Context(), q, scope, finance.DefaultLateCharges, kinds, list.Query{
		Search: map[string]string{"deposit_account_id": "103", "occurred_at_gte": "2026-01-01",
			"occurred_at_lte": "2026-01-31"}})
	r.all = slices.DeleteFunc(r.all, func(s sent) bool { return !strings.Contains(s.sql, "t.occurred_at >= ") })
	send("suggestions.transactions", err)

	first, _ := finance.NewDate(2026, 1, 1)
	for _, byAccount := range []bool{false, true} {
		_, err = reports.CashFlow(t.Context(), q, reports.Scope{AccountID: 1, EntityIDs: []int64{2}},
			finance.CashFlowQuery{From: first, To: first, By: finance.ByDay, CurrencyID: finance.BRL,
				ByAccount: byAccount, Today: first})
		r.all = slices.DeleteFunc(r.all, func(s sent) bool { return !strings.Contains(s.sql, "k.kind") })
		send(fmt.Sprintf("cash_flow.accounts_%t", byAccount), err)
	}
	day, _ := finance.NewDate(2026, time.January, 31)
	send("reports.aging", reports.Aging(t.Context(), tx, reports.Scope{AccountID: 1, EntityIDs: []int64{2}},
		finance.DefaultAgingBounds, &finance.Aging{On: day, Kind: finance.Payable}))
	for name, f := range map[string]reports.Family{"transactions": reports.Transactions(103), "sales": reports.Sales(),
		"accounts": reports.FinancialAccounts(finance.Payable), "purchases": reports.CardTransactions(0)} {
		send("totals."+name, totals(t.Context(), q, f)...)
	}
	count := list.Query{Count: 100_001}
	_, one := q.FinancialTransactions(t.Context(), scope, 103, count)
	_, several := q.EntityTransactions(t.Context(), scope, count)
	send("list.bounded_count", one, several)
	return all
}

// totals reads totals of a family without keys, by keys that split no record and by keys that may.
func totals(ctx context.Context, q storage.Queries, f reports.Family) (errs []error) {
	splitting := []reports.Key{{Name: "center"}, {Name: reports.EntityKey}}
	if slices.Contains(f.Keys(), reports.ClassifierKey) {
		splitting[1] = reports.Key{Name: reports.ClassifierKey, Classifier: 105}
	}
	for _, keys := range [][]reports.Key{nil, {{Name: reports.TreeKey}, {Name: "month"}}, splitting} {
		_, err := reports.Totals(ctx, q, reports.Scope{AccountID: 1, EntityIDs: []int64{2}}, f, nil, keys...)
		errs = append(errs, err)
	}
	return errs
}

// listsApart are the functions that read lists in packages above storage, and a list in its form for members with few
// permissions.
var listsApart = map[string]any{
	"Attachments.narrowed": func(ctx context.Context, q storage.Queries, s storage.Scope, sees finance.Access,
		l list.Query) (list.Page[finance.Attachment], error) {
		sees.Denied = []string{string(finance.Permissions[0])}
		return q.Attachments(ctx, s, sees, l)
	},
	"BalanceProofs":          proof.List,
	"CreditCardInvoices":     cards.Invoices,
	"CreditCardTransactions": cards.Transactions,
	"CreditCards":            cards.List,
	"Suggestions":            matching.Suggestions,
	"TransferSuggestions":    matching.TransferSuggestions,
	"WebhookDeliveries":      deliveries.List,
	"Webhooks":               deliveries.Webhooks,
}

// listStatements returns the statements of each method of Queries, and of each of listsApart, that reads a
// list: for a page with all filters, and for one after a place.
func listStatements(t *testing.T, pool *sqlx.DB) map[string][]sent {
	t.Helper()
	lists := map[string]reflect.Value{}
	methods := reflect.TypeFor[storage.Queries]()
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		lists[m.Name] = m.Func
	}
	for name, f := range listsApart {
		lists[name] = reflect.ValueOf(f)
	}
	all := map[string][]sent{}
	for name, f := range lists {
		if f.Type().In(f.Type().NumIn()-1) != reflect.TypeFor[list.Query]() {
			continue
		}
		r := &recorder{DB: pool}
		read := func(l list.Query) error {
			r.all = nil
			return callList(t.Context(), f, storage.Queries{DB: r}, l)
		}
		search := everyFilter(t, name, read)
		if read(list.Query{Number: 2, Size: 30, Search: search}) != nil || len(r.all) == 0 {
			continue // the list is computed
		}
		filtered := withNames(r.all, slices.Sorted(maps.Keys(search)))
		if !reachesAPlace(read) {
			t.Errorf("%s: no place of its order was found", name)
		}
		all["list."+name] = append(filtered, r.all...)
	}
	return all
}

// callList calls a function that reads a list, with arguments that differ.
func callList(ctx context.Context, f reflect.Value, q storage.Queries, l list.Query) error {
	var args []reflect.Value
	for i := range f.Type().NumIn() - 1 {
		v := reflect.New(f.Type().In(i)).Elem()
		switch into := v.Addr().Interface().(type) {
		case *context.Context:
			*into = ctx
		case *storage.Queries:
			*into = q
		case *int64:
			*into = int64(100 + i)
		case *storage.Scope:
			*into = storage.Scope{AccountID: 1, EntityID: 2}
		case *finance.Access:
			*into = finance.Access{AccountID: 1, EntityIDs: []int64{2}}
		case *finance.AccountKind:
			*into = finance.Payable
		case *[]finance.AccountKind:
			*into = []finance.AccountKind{finance.Payable, finance.Receivable}
		case *[]int64:
			*into = []int64{1}
		}
		args = append(args, v)
	}
	result := f.Call(append(args, reflect.ValueOf(l)))
	err, _ := result[len(result)-1].Interface().(error)
	return err
}

// everyFilter returns all filters of a list, as the refusal of an unknown one names them, each with a
// value that it accepts.
func everyFilter(t *testing.T, method string, read func(list.Query) error) map[string]string {
	t.Helper()
	search := map[string]string{}
	var invalid *finance.Invalid
	if !errors.As(read(list.Query{Search: map[string]string{"?": ""}}), &invalid) {
		return search
	}
	for _, name := range invalid.Messages[0].Allowed {
		accepted := func(value string) bool {
			search[name] = value
			return !errors.As(read(list.Query{Search: map[string]string{name: value}}), &invalid)
		}
		values := []string{"7", "1", "2026-01-31", "true", "texto", "7:texto"}
		if !accepted("?") {
			values = append(values, invalid.Messages[0].Allowed...)
		}
		if !slices.ContainsFunc(values, accepted) {
			t.Errorf("%s: %s accepts none of the values", method, name)
		}
	}
	return search
}

// reachesAPlace reads a page after some place of the order of a list.
func reachesAPlace(read func(list.Query) error) bool {
	places := []list.Place{{}}
	for range 4 {
		var longer []list.Place
		for _, p := range places {
			for _, value := range []string{"7", "2026-01-31"} {
				longer = append(longer, append(slices.Clone(p), value))
			}
		}
		places = longer
		if slices.ContainsFunc(places, func(p list.Place) bool {
			return read(list.Query{Size: 30, After: p}) == nil
		}) {
			return true
		}
	}
	return false
}
