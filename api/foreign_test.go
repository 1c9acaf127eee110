package api_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/api"
	"bordero/storage/storagetest"
)

// referred maps an attribute to the parameter of the record that it refers to, in records. It is
// empty if that record belongs to no tenant.
var referred = map[string]string{
	"entity_id": "entity_id", "parent_id": "category_id", "category_id": "category_id", "person_id": "person_id",
	"classification_center_id": "classification_center_id", "deposit_account_id": "deposit_account_id",
	"transfer_deposit_account_id": "deposit_account_id",
	"expected_deposit_account_id": "deposit_account_id",
	"sale_account_id":             "sale_account_id",
	"debit_transaction_id":        "financial_transaction_id", "credit_transaction_id": "financial_transaction_id",
	"external_id": "", "bank_account_id": "", "currency_id": "", "deposit_account_type_id": "",
	"opening_responsible_id": "",
	"closing_responsible_id": "",
}

// A reference to a record that the user cannot see is refused, or ignored where the path decides.
// It is never stored, and the answer is that for a missing record.
func TestReferencesToWhatIsNotOnesOwnAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	own := s.records(t)
	elsewhere := *s
	elsewhere.Tenant = storagetest.NewTenant(t, s.store)
	foreign := elsewhere.records(t)
	before := elsewhere.everything(t, foreign)
	checked := 0
	for _, r := range api.Routes() {
		for root, attributes := range documents(r) {
			for _, attribute := range attributes {
				kind, known := referred[attribute]
				if !known {
					t.Errorf("%s %s: this test does not know what %s refers to", r.Method, r.Path, attribute)
				}
				if kind == "" {
					continue
				}
				if foreign[kind] == 0 {
					t.Fatalf("%s: records has no %s", attribute, kind)
				}
				checked++
				send := func(id int64) answer {
					var sent map[string]map[string]any
					if err := json.Unmarshal([]byte(requestExample(t, r, "application/json")), &sent); err != nil {
						t.Fatal(err)
					}
					sent[root][attribute] = id
					delete(sent[root], strings.TrimSuffix(attribute, "_id")) // the same reference by name
					if sent[root]["name"] != nil {
						sent[root]["name"] = strconv.FormatInt(id, 10) // names may be unique
					}
					text, _ := json.Marshal(sent)
					return s.call(t, r.Method, own.path(r), document(string(text)))
				}
				theirs, none := send(foreign[kind]), send(missingID)
				if theirs.status != none.status || theirs.status == 422 && theirs.body != none.body {
					t.Errorf("%s %s: another tenant's %s is %d %s, a missing one %d %s", r.Method, r.Path, attribute,
						theirs.status, theirs.body, none.status, none.body)
				}
				if theirs.status < 300 && theirs.body != "" && theirs.at(t, root+"."+attribute) == strconv.FormatInt(
					foreign[kind], 10) {
					t.Errorf("%s %s keeps another tenant's %s: %s", r.Method, r.Path, attribute, theirs.body)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no route has a reference")
	}
	equal(t, elsewhere.everything(t, foreign), before)
}

// documents returns the JSON roots that a route accepts, each with its attributes that refer to
// another record.
func documents(r api.Route) map[string][]string {
	found := map[string][]string{}
	body := openAPI().operation(r.Method, documented(r.Path)).Operation.RequestBody
	if body == nil || body.Value.Content["application/json"] == nil {
		return nil
	}
	for root, schema := range body.Value.Content["application/json"].Schema.Value.Properties {
		for _, name := range slices.Sorted(maps.Keys(properties(schema.Value))) {
			if strings.HasSuffix(name, "_id") {
				found[root] = append(found[root], name)
			}
		}
	}
	return found
}
