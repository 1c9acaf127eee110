package e2e

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// view has the fields of a site's records as the API shows them, in words that are equal on two sites.
type view map[string]string

// line is a value that is named when all records of the site are.
type line struct {
	of, field string
	raw       []byte
}

// names are the names of records that do not depend on ids, by kind and id.
type names map[string]map[string]string

func (n names) of(kind, id string) string {
	return cmp.Or(n[kind][id], kind+" unnamed") // it came and went between two views
}

// list is a list of the API. Its records are named by the kind, the record above and the values of key.
type list struct {
	kind  string // of the ids
	path  string
	key   []string
	above [2]string // kind and id of the record above, or empty
}

// kinds are the kinds of ids by the end of a field's name, the name of an object, or the part of a path before the id.
var kinds = map[string]string{
	"deposit_account": "deposit_accounts", "bank_statement": "bank_statements", "bank_statements": "bank_statements",
	"deposit_accounts": "deposit_accounts", "financial_transactions": "financial_transactions",
	"financial_transaction": "financial_transactions", "debit_transaction": "financial_transactions",
	"credit_transaction": "financial_transactions", "replaces": "financial_transactions",
	"financial_accounts": "accounts", "financial_account": "accounts", "payable_account": "accounts",
	"receivable_account": "accounts", "payable_accounts": "accounts", "receivable_accounts": "accounts",
	"person": "people", "people": "people", "category": "categories", "categories": "categories",
	"classification_center": "classification_centers", "classification_centers": "classification_centers",
	"sale_account": "sale_accounts", "sale_accounts": "sale_accounts", "sale": "sales", "sales": "sales",
	"rules": "sale_rules", "sale_rules": "sale_rules", "sale_rule": "sale_rules",
	"rule": "reconciliation_rules", "reconciliation_rules": "reconciliation_rules",
	"reconciliation_rule": "reconciliation_rules", "reconcile": "reconciles", "reconciles": "reconciles",
	"credit_card": "credit_cards", "credit_cards": "credit_cards", "transactions": "purchases",
	"credit_card_transactions": "purchases", "credit_card_transaction": "purchases",
	"credit_card_invoice": "invoices", "attachment": "attachments", "attachments": "attachments",
	"transfer": "transfers", "transfers": "transfers", "webhook": "webhooks", "webhooks": "webhooks",
	"bank_statement_item": "items", "items": "items", "entity": "entities", "entities": "entities", "budget": "budgets",
	"budgets": "budgets", "balance_proof": "bank_statements", "event": "bank_statements",
}

// hidden are fields that differ between two sites, and why.
var hidden = map[string]string{
	"use_count":     "counted once an hour, and by a new leader",
	"recurrence_id": "a number without a record; the links name the others of the series",
	"request_id":    "random", "hash": "of ids and times", "sequence": "in the order of commits",
	"token": "random", "secret": "random",
	"attempts_count": "more after an interruption", "next_attempt_at": "see attempts_count",
}

var (
	anInstant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[-+Z][0-9:]*`)
	aSegment  = regexp.MustCompile(`/([a-z_]+)/(\d+)`)
)

// text replaces ids, instants and addresses in a text.
func (w *twin) text(s string) string {
	s = strings.NewReplacer(w.URL, "", w.receiver.URL, "receiver").Replace(anInstant.ReplaceAllString(s, "(instant)"))
	return aSegment.ReplaceAllStringFunc(s, func(part string) string {
		m := aSegment.FindStringSubmatch(part)
		if kind, known := kinds[m[1]]; known {
			return "/" + m[1] + "/" + w.names.of(kind, m[2])
		}
		return part
	})
}

// kindOf returns the kind of the ids in a field; empty if they are no ids of records.
func kindOf(field string) string {
	for _, end := range []string{"_id", "_ids", "_id_list"} {
		if of, found := strings.CutSuffix(field, end); found {
			for ; of != ""; _, of, _ = strings.Cut(of, "_") {
				if kind, known := kinds[of]; known {
					return kind
				}
			}
		}
	}
	if field == "replaces" {
		return kinds[field]
	}
	return ""
}

// plain returns a value in words that are equal on two sites. field is its name, and above that of the object that
// has it.
func (w *twin) plain(field, above string, value any) any {
	switch v := value.(type) {
	case string:
		return w.text(v)
	case json.Number:
		kind := kindOf(field)
		if field == "id" {
			kind = kinds[above]
		}
		if field == "parent_id" && kinds[above] == "categories" {
			kind = "categories"
		}
		switch {
		case kind != "":
			return w.names.of(kind, v.String())
		case field == "id":
			return "(id)"
		}
		return v.String()
	case []any:
		all := make([]any, len(v))
		objects := false
		for i, one := range v {
			all[i] = w.plain(field, above, one)
			_, object := one.(map[string]any)
			objects = objects || object || kindOf(field) != "" && strings.HasSuffix(field, "s")
		}
		if objects { // in the order of their ids
			slices.SortFunc(all, func(a, b any) int { return strings.Compare(flat(a), flat(b)) })
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, one := range v {
			if _, hide := hidden[name]; !hide {
				all[name] = w.plain(name, field, one)
			}
		}
		return all
	}
	return value
}

// flat returns a value as JSON with sorted names.
func flat(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // of texts, lists and maps
	return strings.TrimSpace(b.String())
}

func (w *twin) decode(raw []byte, v any) {
	w.t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		w.t.Fatalf("%v: %s", err, raw)
	}
}

// seenList is the records of a list, and the name of their root.
type seenList struct {
	root string
	all  []map[string]any
}

// pages returns the records of a list by their ids, and the name of their root. A view reads each list once.
func (w *twin) pages(path string) (root string, all []map[string]any) {
	w.t.Helper()
	if seen, has := w.seen[path]; has {
		return seen.root, seen.all
	}
	for page := 1; ; page++ {
		a, _ := w.ask("GET", fmt.Sprintf("%s?per_page=500&page=%d", path, page), "", nil)
		if a.Status != 200 {
			w.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}
		var got []map[string]map[string]any
		w.decode(a.Body, &got)
		for _, one := range got {
			for name, record := range one {
				root, all = name, append(all, record)
			}
		}
		if len(got) < 500 {
			break
		}
	}
	slices.SortFunc(all, func(a, b map[string]any) int { return cmp.Compare(number(a["id"]), number(b["id"])) })
	if w.seen != nil {
		w.seen[path] = seenList{root, all}
	}
	return root, all
}

func number(v any) int64 {
	n, _ := v.(json.Number) // 0 of another value
	i, _ := n.Int64()
	return i
}

// look adds the records of a list to a view, and returns their ids. The names of records are set before the view is,
// because records name each other: first is true for that.
func (w *twin) look(v view, l list, first bool) (ids []int64) {
	w.t.Helper()
	root, all := w.pages(l.path)
	taken := map[string]int{}
	for _, record := range all {
		id := fmt.Sprint(record["id"])
		ids = append(ids, number(record["id"]))
		if first {
			var parts []string
			if l.above[0] != "" {
				parts = append(parts, w.names.of(l.above[0], l.above[1]))
			}
			for _, key := range l.key {
				if part := w.plain(key, root, record[key]); part != nil {
					parts = append(parts, strings.Trim(flat(part), `"`))
				}
			}
			name := fmt.Sprintf("%s «%s»", l.kind, strings.Join(parts, ", "))
			if taken[name]++; taken[name] > 1 {
				name = fmt.Sprint(name, " ", taken[name])
			}
			if w.names[l.kind] == nil {
				w.names[l.kind] = map[string]string{}
			}
			w.names[l.kind][id] = name
			continue
		}
		v.add(w.names.of(l.kind, id), w.plain(root, "", record).(map[string]any))
	}
	return ids
}

func (v view) add(name string, fields map[string]any) {
	for field, value := range fields {
		v[name+" "+field] = flat(value)
	}
}

// lists are the lists of a user in an order in which records have their names before others are named by them.
func (w *twin) lists(of string) (all []list) {
	w.t.Helper()
	entity := "/entities/" + of
	each := func(above, path, kind, below string, key ...string) {
		_, parents := w.pages(path)
		for _, p := range parents {
			id := fmt.Sprint(p["id"])
			all = append(all, list{kind, path + "/" + id + below, key, [2]string{above, id}})
		}
	}
	plain := func(kind, path string, key ...string) { all = append(all, list{kind: kind, path: path, key: key}) }
	plain("deposit_accounts", entity+"/deposit_accounts", "name")
	each("deposit_accounts", entity+"/deposit_accounts", "bank_statements", "/bank_statements", "file_file_name")
	plain("financial_transactions", entity+"/financial_transactions", "deposit_account_id", "occurred_at", "amount",
		"original_description", "user_description")
	_, accounts := w.pages(entity + "/deposit_accounts")
	for _, a := range accounts {
		path := fmt.Sprintf("%s/deposit_accounts/%v/bank_statements", entity, a["id"])
		each("bank_statements", path, "items", "/items", "line", "occurred_at", "amount", "description")
	}
	each("deposit_accounts", entity+"/deposit_accounts", "proofs", "/balance_proofs", "id")
	plain("credit_cards", entity+"/credit_cards", "name")
	each("credit_cards", entity+"/credit_cards", "invoices", "/invoices", "end_date")
	plain("purchases", entity+"/credit_cards/transactions", "credit_card_id", "description", "parcel")
	for _, kind := range []string{"payable", "receivable"} {
		plain("accounts", entity+"/"+kind+"_accounts", "description", "document", "due_date", "sale_account_id",
			"status")
	}
	plain("reconciliation_rules", entity+"/reconciliation_rules", "name")
	plain("reconciles", entity+"/reconciles", "financial_transactions", "financial_accounts")
	plain("transfers", entity+"/transfers", "debit_transaction_id")
	plain("sales", entity+"/sales", "description", "installment_number")
	plain("attachments", entity+"/attachments", "title")
	plain("budgets", entity+"/budgets", "month", "category_id")
	return all
}

// see returns the view of everything.
func (w *twin) see() view {
	w.t.Helper()
	w.seen = map[string]seenList{}
	defer func() { w.seen = nil }()
	var all []list
	for _, l := range [][3]string{{"entities", "/entities", "name"}, {"categories", "/categories", "full_name"},
		{"people", "/people", "name"}, {"classification_centers", "/classification_centers", "name"},
		{"sale_accounts", "/sale_accounts", "name"}, {"webhooks", "/integrations/webhooks", "url"}} {
		all = append(all, list{kind: l[0], path: l[1], key: l[2:]})
	}
	_, shops := w.pages("/sale_accounts")
	for _, s := range shops {
		all = append(all, list{kind: "sale_rules", path: fmt.Sprintf("/sale_accounts/%v/rules", s["id"]),
			key: []string{"sale_account_id", "payment_method", "issuer"}})
	}
	_, entities := w.pages("/entities")
	for _, e := range entities {
		all = append(all, w.lists(fmt.Sprint(e["id"]))...)
	}
	v := view{}
	for _, first := range []bool{true, false} {
		for _, l := range all {
			w.look(v, l, first)
		}
	}
	for _, a := range w.answers {
		var document any
		w.decode(a.raw, &document)
		v[a.of+" "+w.text(a.field)] = flat(w.plain("", "", document))
	}
	w.answers = nil
	w.seeFiles(v)
	w.seeChanges(v)
	return v
}

// seeFiles adds the contents of all stored files.
func (w *twin) seeFiles(v view) {
	w.t.Helper()
	rows, err := w.DB.QueryContext(w.t.Context(), `SELECT 'attachments', id, file_key FROM attachments
		UNION ALL SELECT 'bank_statements', id, file_key FROM bank_statements`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, id, key string
		if err := rows.Scan(&kind, &id, &key); err != nil {
			w.t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(w.Files, key))
		if err != nil {
			w.t.Error(err)
		}
		v[w.names.of(kind, id)+" content"] = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
}
