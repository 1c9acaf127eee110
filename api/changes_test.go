package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/share"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

// change is a change as the API shows it.
type change struct {
	ID        int64
	Sequence  int64
	Event     string
	EntityID  *int64  `json:"entity_id"`
	ParentID  *int64  `json:"parent_id"`
	RecordIDs []int64 `json:"record_ids"`
	Path      *string
	RequestID string `json:"request_id"`
	By        struct {
		UserID *int64 `json:"user_id"`
		Token  *string
		Job    *string
	}
	Attributes map[string][2]any
	Hash       string
}

type feed struct {
	Changes      []struct{ Change change }
	Next, Latest int64
}

// newFeed returns a new service and the function that seals its changes. Those of the fixtures are
// forgotten.
func newFeed(t *testing.T, changes ...func(*api.Config)) (s *service, seal func()) {
	t.Helper()
	url := storagetest.DatabaseURL(t)
	s = serve(t, storagetest.Open(t, url, storage.Options{}), changes...)
	s.db, s.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, s.store)
	s.forgetChanges(t)
	return s, func() {
		t.Helper()
		storagetest.Seal(t, s.store)
	}
}

func (s *service) forgetChanges(t *testing.T) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), `TRUNCATE unsealed_changes`); err != nil {
		t.Fatal(err)
	}
}

func (s *service) feed(t *testing.T, query string, options ...option) (f feed) {
	t.Helper()
	a := s.call(t, "GET", "/changes"+query, options...).want(t, http.StatusOK)
	if err := json.Unmarshal([]byte(a.body), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// events returns the events of a feed with their records: "people.created 1".
func (f feed) events() (all []string) {
	for _, c := range f.Changes {
		all = append(all, c.Change.Event+" "+strings.Trim(fmt.Sprint(c.Change.RecordIDs), "[]"))
	}
	return all
}

func TestChangesSayWhatHappened(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	person := s.newPerson(t, `{"name":"Ana","email":"a@example.com"}`)
	s.call(t, "PUT", person, document(`{"person":{"name":"Bia","email":"a@example.com"}}`),
		with("X-Request-Id", "r-77")).want(t, http.StatusOK)
	s.call(t, "DELETE", person).want(t, http.StatusOK)
	seal()
	f := s.feed(t, "?after=0")
	if f.Next != 3 || f.Latest != 3 || len(f.Changes) != 3 {
		t.Fatalf("%+v", f)
	}
	created, updated, destroyed := f.Changes[0].Change, f.Changes[1].Change, f.Changes[2].Change
	if created.Event != "people.created" || created.Attributes != nil || *created.Path != person ||
		created.EntityID != nil {
		t.Errorf("created: %+v", created)
	}
	if updated.Event != "people.updated" || updated.RequestID != "r-77" || *updated.By.UserID != s.UserID ||
		*updated.By.Token != s.Token[:6] || updated.By.Job != nil {
		t.Errorf("updated: %+v", updated)
	}
	if len(updated.Attributes) != 1 || updated.Attributes["name"] != [2]any{"Ana", "Bia"} {
		t.Errorf("attributes: %+v", updated.Attributes)
	}
	if destroyed.Event != "people.destroyed" || destroyed.Path != nil || destroyed.Sequence != 3 ||
		len(destroyed.Hash) != 64 {
		t.Errorf("destroyed: %+v", destroyed)
	}
	xml := s.call(t, "GET", "/changes.xml?after=1&limit=1").want(t, http.StatusOK).body
	for _, part := range []string{`<hash><changes type="array"><change><id type="integer">`,
		`<event>people.updated</event>`,
		`<attributes><name type="array"><item>Ana</item><item>Bia</item></name></attributes>`,
		`<next type="integer">2</next><latest type="integer">3</latest></hash>`} {
		if !strings.Contains(xml, part) {
			t.Errorf("no %s in %s", part, xml)
		}
	}
}

// The categories below one that is renamed or moved only follow: its own change has the values.
func TestARenamedCategoryHasItsValues(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	root, middle, leaf := s.newTree(t)
	other := lastID(s.newCategory(t, `{"name":"Parque"}`))
	for n, c := range []struct {
		method, path, body, values string
		id                         int64
		below                      []int64
	}{
		{"PUT", paths.Category(root), `{"category":{"name":"Zona"}}`, "full_name:[Zoo Zona] name:[Zoo Zona]", root,
			[]int64{middle, leaf}},
		{"PUT", paths.Category(middle), fmt.Sprintf(`{"category":{"parent_id":%d}}`, other),
			fmt.Sprintf("full_name:[Zona / Aves Parque / Aves] parent_id:[%d %d]", root, other), middle, []int64{leaf}},
		{"PUT", paths.Category(other), `{"category":{"external_id":"P"}}`, "external_id:[<nil> P]", other, nil},
		{"POST", "/categories/batch",
			`{"on_conflict":"update","items":[{"category":{"name":"Zoo","external_id":"P"}}]}`,
			"full_name:[Parque Zoo] name:[Parque Zoo]", other, []int64{middle, leaf}},
	} {
		s.forgetChanges(t)
		latest := s.feed(t, "").Latest
		s.call(t, c.method, c.path, document(c.body)).want(t, http.StatusOK)
		seal()
		f := s.feed(t, fmt.Sprintf("?after=%d", latest))
		want := []string{fmt.Sprint("categories.updated ", c.id)}
		if c.below != nil {
			want = append(want, "categories.updated "+strings.Trim(fmt.Sprint(c.below), "[]"))
		}
		if got := f.events(); !slices.Equal(got, want) {
			t.Fatalf("%d: %v, want %v", n, got, want)
		}
		equal(t, fmt.Sprint(f.Changes[0].Change.Attributes), "map["+c.values+"]")
		if c.below != nil && f.Changes[1].Change.Attributes != nil {
			t.Errorf("%d: those below have %v", n, f.Changes[1].Change.Attributes)
		}
	}
}

// A page ends with some 8 MiB of attributes, so that large changes stop no reader.
func TestPagesOfLargeChangesAreShort(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t, func(c *api.Config) { c.Memory = share.NewBudget(64<<20, 16<<20) })
	account := s.newAccount(t, finance.Payable, `"description":"Aluguel","amount":1,"due_date":"2026-01-10"`)
	const updates = 150 // 80 KB each, but the first
	for i := range updates {
		note := strings.Repeat([]string{"😀", "😁"}[i%2], 10_000)
		s.call(t, "PUT", account, document(`{"payable_account":{"observation":"`+note+`"}}`)).want(t, http.StatusOK)
	}
	seal()
	var sequences []int64
	var pages []int
	for next, latest := int64(0), int64(1); next < latest; {
		f := s.feed(t, fmt.Sprintf("?after=%d", next))
		for _, c := range f.Changes {
			sequences = append(sequences, c.Change.Sequence)
		}
		pages, next, latest = append(pages, len(f.Changes)), f.Next, f.Latest
	}
	if len(pages) != 2 || pages[0] < 100 || pages[0] > 110 {
		t.Errorf("pages of %d changes", pages)
	}
	for i, n := range sequences {
		equal(t, n, int64(i)+1)
	}
	equal(t, len(sequences), updates+1)
}

// What jobs change in one record has the old and the new values, as the API shows them.
func TestChangesOfJobsHaveValues(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	shown := func(root, path string) map[string]any {
		t.Helper()
		var document map[string]map[string]any
		if err := json.Unmarshal([]byte(h.call(t, "GET", path).want(t, http.StatusOK).body), &document); err != nil {
			t.Fatal(err)
		}
		return document[root]
	}
	const ofx = "OFXHEADER:100\n<OFX><BANKTRANLIST><STMTTRN><DTPOSTED>20260104<TRNAMT>-5.00<FITID>1</STMTTRN></" +
		"BANKTRANLIST></OFX>"
	statement := strings.TrimPrefix(h.call(t, "POST", h.newDepositAccount(t)+"/bank_statements",
		parts(file("a.ofx", ofx))).want(t, http.StatusCreated).header.Get("Location"), publicURL)
	webhook := strings.TrimPrefix(h.call(t, "POST", "/integrations/webhooks",
		subscribing(h.EntityID, "https://example.com/", "json")).want(t, http.StatusCreated).header.Get("Location"),
		publicURL)
	beforeImport, beforeFailure := shown("bank_statement", statement), shown("webhook", webhook)
	beforeImport["event"].(map[string]any)["status"] = finance.ImportProcessing // while it is imported
	h.work(t)
	err := h.store.InTx(t.Context(), func(tx *storage.Tx) error {
		_, err := deliveries.FailWebhook(t.Context(), tx, h.AccountID, lastID(webhook), 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	storagetest.Seal(t, h.store)
	imported := shown("bank_statement", statement)
	beforeImport["event"].(map[string]any)["started_at"] = imported["event"].(map[string]any)["started_at"]
	for event, c := range map[string]struct {
		before, after map[string]any
	}{"bank_statements.updated": {beforeImport, imported}, "webhooks.updated": {
		beforeFailure, shown("webhook", webhook)}} {
		want := map[string][2]any{}
		for name, value := range c.after {
			if name != "updated_at" && !reflect.DeepEqual(value, c.before[name]) {
				want[name] = [2]any{c.before[name], value}
			}
		}
		f := h.feed(t, "?event="+event)
		if len(f.Changes) != 1 || len(want) == 0 {
			t.Fatalf("%s: %d changes, %v", event, len(f.Changes), want)
		}
		if d := cmp.Diff(want, f.Changes[0].Change.Attributes); d != "" {
			t.Errorf("%s: %s", event, d)
		}
	}
	if f := h.feed(t, "?event=financial_transactions.*"); len(f.Changes) != 1 || f.Changes[0].Change.Attributes != nil {
		t.Errorf("%+v", f)
	}
}

// An ordinary use of records writes the changes of every family. TestEveryFamilyEmitsItsEvents has the families with
// webhook events.
func TestEveryFamilyHasChanges(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	register := int64(finance.CashRegister)
	for _, c := range []struct{ list, created, updated string }{
		{"/entities", `{"entity":{"name":"a"}}`, `{"entity":{"name":"b"}}`},
		{"/custom_classifiers", `{"custom_classifier":{"name":"a"}}`, `{"custom_classifier":{"name":"b"}}`},
		{s.newClassifier(t, "Filial") + "/values", `{"custom_classifier_value":{"value":"a"}}`,
			`{"custom_classifier_value":{"value":"b"}}`},
		{paths.ReconciliationRules(s.EntityID),
			`{"reconciliation_rule":{"name":"a","text_contains":["tarifa"],"new_account":{}}}`,
			`{"reconciliation_rule":{"name":"b"}}`},
		{paths.Budgets(s.EntityID), fmt.Sprintf(`{"budget":{"month":"2026-08","amount":1,"category_id":%d}}`,
			lastID(s.newCategory(t, `{"name":"Obras"}`))), `{"budget":{"amount":2}}`},
		{"/members", `{"member":{"email":"bia@example.com"}}`, `{"member":{"permissions":["budgets"]}}`},
		{"/tokens", `{"token":{"name":"a"}}`, `{"token":{"name":"b"}}`},
	} {
		record := s.made(t, c.list, c.created)
		for _, a := range []answer{s.call(t, "PUT", record, document(c.updated)), s.call(t, "DELETE", record)} {
			if a.status >= 300 {
				t.Fatalf("%s: %d %s", a.request, a.status, a.body)
			}
		}
	}
	account := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.DepositAccountTypeID = &register })
	s.call(t, "PUT", account+"/open").want(t, http.StatusOK)
	s.call(t, "PUT", account+"/close").want(t, http.StatusOK)
	reconcile := s.newReconcile(t, s.newDepositAccount(t))
	s.call(t, "DELETE", fmt.Sprintf("/entities/%d/reconciles/%d", s.EntityID, reconcile)).want(t, http.StatusOK)
	debit, credit := s.twoSides(t)
	s.call(t, "DELETE", paths.Transfer(s.EntityID, s.newPair(t, debit, credit))).want(t, http.StatusOK)
	webhook := s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://example.com/", "json")).
		want(t, http.StatusCreated).header.Get("Location")
	webhook = strings.TrimPrefix(webhook, publicURL)
	s.call(t, "PUT", webhook, document(`{"webhook":{"description":"ERP"}}`)).want(t, http.StatusOK)
	s.call(t, "PUT", webhook+"/rotate_secret").want(t, http.StatusOK)
	for range 2 { // the second time, nothing changes
		err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
			w, err := deliveries.LockWebhook(t.Context(), tx, s.AccountID, lastID(webhook))
			if err != nil {
				return err
			}
			return deliveries.NoteWebhookCheck(t.Context(), tx, w, new(int64(500)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.call(t, "DELETE", webhook).want(t, http.StatusOK)
	s.quota(t, finance.Webhooks, 5)
	seal()
	f := s.feed(t, "")
	seen, changed := map[string]int{}, map[string]bool{}
	for _, c := range f.Changes {
		seen[c.Change.Event]++
		family, action, _ := strings.Cut(c.Change.Event, ".")
		record := fmt.Sprint(c.Change.RequestID, family, c.Change.RecordIDs)
		if changed[record] && c.Change.RequestID != "" {
			t.Errorf("one request changes %s %v twice", family, c.Change.RecordIDs)
		}
		changed[record] = true
		if slices.Contains([]string{"register_sessions", "deposit_accounts", "entities"}, family) &&
			(action == "updated") != (c.Change.Attributes != nil) {
			t.Errorf("%s has the attributes %v", c.Change.Event, c.Change.Attributes)
		}
		if attributes, _ := json.Marshal(c.Change.Attributes); strings.Contains(string(attributes), "secret") {
			t.Errorf("%s shows a secret: %s", c.Change.Event, attributes)
		}
	}
	if seen["webhooks.updated"] != 3 {
		t.Errorf("%d changes of a description, a secret and a failed check", seen["webhooks.updated"])
	}
	never := []string{"reconciles.updated", "transfers.updated", "settings.created", "settings.destroyed",
		"register_sessions.destroyed"} // the last by a job alone
	for _, family := range finance.ChangeFamilies {
		for _, action := range finance.Actions {
			event := string(family) + "." + string(action)
			if !family.Notifies() && (seen[event] == 0) != slices.Contains(never, event) {
				t.Errorf("%s: %d changes", event, seen[event])
			}
		}
	}
}

func TestChangesAreFiltered(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	other := s.anotherEntity(t)
	s.forgetChanges(t)
	s.newPerson(t, `{"name":"Ana"}`)
	s.newCenter(t, s.EntityID, "Um")
	s.newCenter(t, other.ID, "Dois")
	seal()
	for query, want := range map[string][]string{
		"": {"people.created 1", "classification_centers.created 1",
			"classification_centers.created 2"},
		"?after=1&limit=1":                    {"classification_centers.created 1"},
		"?limit=0":                            {"people.created 1"},
		"?event=people.*":                     {"people.created 1"},
		"?event=people.updated":               nil,
		"?search[event]=people.created":       {"people.created 1"},
		"?search[event_equals]=people.*":      {"people.created 1"},
		fmt.Sprint("?entity_id=", other.ID):   {"classification_centers.created 2"},
		"?record_id=2":                        {"classification_centers.created 2"},
		"?search[record_id]=1&event=people.*": {"people.created 1"},
		"?after=3":                            nil,
	} {
		if got := s.feed(t, query).events(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"after":2}`:                           "classification_centers.created 2",
		`{"after":"1","limit":1}`:               "classification_centers.created 1",
		`{"event":"people.*","wait":null}`:      "people.created 1",
		`{"search":{"event":"people.*"}}`:       "people.created 1",
		`{"entity_id":[2],"record_id":2}`:       "classification_centers.created 2",
		`<hash><record-id>2</record-id></hash>`: "classification_centers.created 2",
	} {
		got := s.feed(t, "", document(text), with("Accept", "application/json"), strict).events()
		equal(t, strings.Join(got, ", "), want)
	}
	equal(t, s.feed(t, "?after=1&limit=1", document(`{"after":2}`)).events(),
		[]string{"classification_centers.created 1"})
	equal(t, s.refusal(t, "GET", "/changes", document(`{"event":"foo","entity_id":{},"after":"x"}`)).places(),
		"/entity_id not_valid")
	equal(t, s.refusal(t, "GET", "/changes", document(`{"event":"foo","after":"x"}`)).places(),
		"/after not_an_integer, /event not_in_list")
	for query, body := range map[string]string{
		"?after=4":           `{"after":["é maior que o número da última mudança, 3"]}`,
		"?after=-1":          `{"after":["está fora do intervalo permitido: de 0 a 9223372036854775807"]}`,
		"?after=x":           `{"after":["não é um número inteiro"]}`,
		"?wait=31":           `{"wait":["está fora do intervalo permitido: de 0 a 30"]}`,
		"?event=foo.created": `{"event":["não está incluso na lista"]}`,
		"?event=people":      `{"event":["não está incluso na lista"]}`,
		"?search[foo]=1":     `{"foo":["não é um filtro conhecido: os filtros são event, entity_id, record_id"]}`,
		"?search=people.*":   `{"search":["não pode ser lido: escreva search[nome]=valor"]}`,
		"?search[event=x":    `{"search":["não pode ser lido: escreva search[nome]=valor"]}`,
	} {
		s.call(t, "GET", "/changes"+query).wantBody(t, http.StatusUnprocessableEntity, body)
	}
}

func TestChangesThatAreDroppedAreGone(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	for range 3 {
		s.newPerson(t, `{"name":"Ana"}`)
	}
	seal()
	drop, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{`LOCK TABLE changes`, `UPDATE change_heads SET dropped = 2`,
		`DELETE FROM changes WHERE sequence <= 2`} {
		if _, err := drop.ExecContext(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	meanwhile := s.sendMany(t, 1, "GET", "/changes?after=1")
	storagetest.AwaitLock(t, s.db, 1)
	if err := drop.Commit(); err != nil {
		t.Fatal(err)
	}
	equal(t, <-meanwhile, http.StatusGone)
	s.call(t, "GET", "/changes?after=1").wantBody(t, http.StatusGone,
		`{"error":"As mudanças pedidas não são mais guardadas.","oldest":3,"latest":3}`)
	if got := s.feed(t, "?after=2").events(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestADeletedClassifierTakesItsValuesAlong(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	s.call(t, "POST", "/custom_classifiers", document(`{"custom_classifier":{"name":"Obra"}}`)).want(t, 201)
	for _, value := range []string{"Norte", "Sul"} {
		s.call(t, "POST", "/custom_classifiers/1/values",
			document(`{"custom_classifier_value":{"value":"`+value+`"}}`)).want(t, 201)
	}
	s.forgetChanges(t)
	s.call(t, "DELETE", "/custom_classifiers/1")
	seal()
	want := []string{"custom_classifier_values.destroyed 1 2", "custom_classifiers.destroyed 1"}
	if got := s.feed(t, "").events(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestChangesAreSeenByTheirReaders(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	other := s.anotherEntity(t)
	s.forgetChanges(t)
	s.newPerson(t, `{"name":"Ana"}`)
	s.newCenter(t, other.ID, "Dois")
	s.newAccount(t, finance.Payable, `"due_date":"2026-08-03","amount":"1"`)
	s.newAccount(t, finance.Receivable, `"due_date":"2026-08-03","amount":"1"`)
	for _, account := range []string{"1", "2"} {
		s.call(t, "POST", "/entities/1/attachments",
			parts(attachment("a", "", "a"), text("attachment[associated_financial_account_ids][]", account))).want(t,
			201)
	}
	token := s.member(t, finance.Access{EntityIDs: []int64{s.EntityID}, Denied: []string{
		string(finance.PayableAccounts)}})
	s.quota(t, finance.Webhooks, 5)
	seal()
	want := []string{"people.created 1", "receivable_accounts.created 2", "receivable_accounts.updated 2",
		"attachments.created 2"}
	f := s.feed(t, "", as(token))
	if got := f.events(); !slices.Equal(got, want) || f.Next != f.Latest || f.Latest != 11 {
		t.Errorf("a member sees %v up to %d of %d", got, f.Next, f.Latest)
	}
	for _, c := range f.Changes {
		if c.Change.By.Token != nil {
			t.Errorf("a member sees the token %s", *c.Change.By.Token)
		}
	}
	settings := fmt.Sprint("settings.updated ", s.AccountID)
	if got := s.feed(t, "?event=settings.*").events(); !slices.Equal(got, []string{settings}) {
		t.Errorf("an administrator sees the settings %v", got)
	}
	stranger := storagetest.NewTenant(t, s.store)
	if f := s.feed(t, "", as(stranger.Token)); len(f.Changes) > 0 {
		t.Errorf("another account sees %v", f.events())
	}
}

// TestGoldensOfChanges is TestGoldens for the change feed.
func TestGoldensOfChanges(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "xml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s, seal := newFeed(t)
			person := s.newPerson(t, `{"name":"Ana","customer":true}`)
			s.call(t, "PUT", person, document(`{"person":{"name":"Ana & Cia","customer":false}}`)).want(t,
				http.StatusOK)
			s.newCenter(t, s.EntityID, "Loja")
			seal()
			s.exec(t, `UPDATE changes SET hash = sha256(record_ids::text::bytea), token = 'a1b2c3',
				request_id = '6f1ed002ab5595859014ebf0951522d9'`)
			s.golden(t, format, "GET", "/changes?after=0", http.StatusOK)
		})
	}
}
