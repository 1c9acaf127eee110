package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/tier"
)

// The walk of this file sends values that are no texts to every attribute that a request reads as a
// text, in JSON and XML, with POST and PUT. The attributes are those that the handlers read, so it
// covers new ones.

// textWalk is the walk over the text attributes of one route.
type textWalk struct {
	*service
	api.Route
	path, format string
	example      string
	root         string         // of the document, "hash" for none
	items        map[string]any // what else an object, or the first object of a list, has, by name
	sent         *int           // makes names and numbers that were not sent before
}

func TestValuesThatAreNoTextsAreTheirTextOrRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids, register := s.records(t), s.records(t)
	items := map[string]any{
		"custom_classifications": map[string]any{"custom_classifier_id": ids["custom_classifier_id"]},
		"new_accounts":           map[string]any{"amount": 1},
		"statement_mapping":      map[string]any{"date": "Data", "description": "Texto", "amount": "Valor"}}
	schemas, walked, count, sent := api.TextAttributes(), map[string]bool{}, 0, 0
	routes := api.Routes()
	// PUT, which could erase, then POST
	slices.SortStableFunc(routes, func(a, b api.Route) int { return strings.Compare(b.Method, a.Method) })
	for _, r := range routes {
		o := openAPI().operation(r.Method, documented(r.Path)).Operation
		if o.RequestBody == nil || r.Method != http.MethodPost && r.Method != http.MethodPut ||
			o.RequestBody.Value.Content["application/xml"] == nil {
			continue
		}
		ref := o.RequestBody.Value.Content["application/xml"].Schema
		schema := ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
		prefix := ""
		if items := ref.Value.Properties["items"]; items != nil { // a batch
			ref, prefix = items.Value.Items, "/items/0"
			schema = ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
		}
		for _, place := range schemas[schema] {
			if walked[schema+place] && !tier.Long() {
				continue
			}
			walked[schema+place] = true
			for i, format := range formats {
				if !tried(i, len(walked), 4) { // a push sends JSON at a quarter of the places, and XML at another
					continue
				}
				count++
				root := strings.ReplaceAll(o.RequestBody.Value.Content["application/xml"].Schema.Value.XML.Name, "-",
					"_")
				w := textWalk{s, r, ids.path(r), format, requestExample(t, r, "application/json"), root, items, &sent}
				if strings.HasSuffix(r.Path, "/open") || strings.HasSuffix(r.Path, "/close") {
					w.path = register.path(r) // which stays one
				}
				w.attribute(t, prefix+place, len(walked))
			}
		}
	}
	for schema, places := range schemas {
		for _, place := range places {
			if !walked[schema+place] {
				t.Errorf("no route reads %s of %s", place, schema)
			}
		}
	}
	t.Logf("%d text attributes in %d schemas, %d places with verb and format", len(walked), len(schemas), count)
	if len(walked) < 90 {
		t.Errorf("only %d text attributes were walked", len(walked))
	}
}

// attribute sends its values to one attribute, the n-th.
func (w textWalk) attribute(t *testing.T, place string, n int) {
	t.Helper()
	ignored := false
	// A number does what its text does.
	for i, form := range []string{"%d.50", "%d", "-%de3"} {
		if !tried(i, n, 3) {
			continue
		}
		*w.sent++
		literal := fmt.Sprintf(form, 100_000+*w.sent)
		number := w.send(t, place, json.Number(literal))
		*w.sent++
		other := fmt.Sprintf(form, 100_000+*w.sent)
		text := w.send(t, place, other)
		if got, want := comparable(number, literal), comparable(text, other); got != want {
			t.Errorf("%s %s with the number %s: %s\nwith its text: %s", number.request, place, literal, got, want)
		}
		if stored := w.stored(t); w.Method == http.MethodPut && text.status < 300 {
			ignored = !strings.Contains(stored, strconv.Quote(other)) // it counts on creation only
		}
	}
	for i, value := range []bool{true, false} {
		if !tried(i, n, 2) {
			continue
		}
		a := w.send(t, place, value)
		if strings.Contains(a.body, messages.Blank.Text) || strings.Contains(a.body, messages.StructureForText.Text) {
			t.Errorf("%s %s with %t: %d %s", a.request, place, value, a.status, a.body)
		}
	}
	huge := w.send(t, place, json.Number(strings.Repeat("9", 20_000)))
	if huge.status < 300 && strings.Contains(huge.body, strings.Repeat("9", 20_000)) {
		t.Errorf("%s %s with 20,000 digits: %d", huge.request, place, huge.status)
	}
	list := strings.HasSuffix(place, "/0")
	before := w.stored(t)
	for _, value := range []any{[]any{"a"}, map[string]any{"a": "b"}} {
		a := w.send(t, place, value)
		refused := a.status == http.StatusUnprocessableEntity &&
			strings.Contains(a.body, messages.StructureForText.Text)
		switch {
		case ignored:
		case w.Method == http.MethodPut || list:
			if !refused && !strings.Contains(a.body, messages.StructureForText.Text) { // a batch is 200
				t.Errorf("%s %s with %v: %d %s", a.request, place, value, a.status, a.body)
			}
			equal(t, w.stored(t), before)
		case strings.Contains(a.body, `"{}"`) || a.status != http.StatusUnprocessableEntity && a.status >= 300:
			t.Errorf("%s %s with %v: %d %s", a.request, place, value, a.status, a.body)
		case !refused: // as blank as null
			if got, want := comparable(a, "\x00"), comparable(w.send(t, place, nil), "\x00"); got != want {
				t.Errorf("%s %s with %v: %s\nwith null: %s", a.request, place, value, got, want)
			}
		}
	}
}

// stored returns the record that a PUT changes.
func (w textWalk) stored(t *testing.T) string {
	if w.Method != http.MethodPut {
		return ""
	}
	path := w.path
	for _, action := range []string{"/open", "/close", "/pay", "/receive"} {
		path = strings.TrimSuffix(path, action)
	}
	return w.call(t, http.MethodGet, path).want(t, http.StatusOK).body
}

// send sends the example with a value at a place. It removes what a POST makes.
func (w textWalk) send(t *testing.T, place string, value any) answer {
	t.Helper()
	var document any
	d := json.NewDecoder(strings.NewReader(w.example))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	root := document.(map[string]any)
	if w.root != "hash" {
		root = root[w.root].(map[string]any)
	}
	for _, name := range []string{"name", "value"} { // unique in some lists
		if _, has := root[name]; has {
			*w.sent++
			root[name] = fmt.Sprintf("Nome %d", *w.sent)
		}
	}
	w.put(root, strings.Split(strings.TrimPrefix(place, "/"), "/"), value)
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if w.format == "application/xml" {
		text = []byte(asXML(w.root, root))
	}
	for action, before := range map[string]string{"/open": "/close", "/close": "/open"} {
		if register, moves := strings.CutSuffix(w.path, action); moves {
			w.call(t, http.MethodPut, register+before)
		}
	}
	a := w.call(t, w.Method, w.path, body(w.format, string(text)), with("Accept", "application/json"))
	if location := a.header.Get("Location"); w.Method == http.MethodPost && a.status == http.StatusCreated {
		if gone := w.call(t, http.MethodDelete, strings.TrimPrefix(location, publicURL)); gone.status >= 300 {
			t.Fatalf("%s: %d %s", gone.request, gone.status, gone.body)
		}
	}
	return a
}

// put sets the value at a place. It makes the lists and objects on the way.
func (w textWalk) put(in map[string]any, steps []string, value any) {
	name := steps[0]
	if len(steps) == 1 {
		in[name] = value
		return
	}
	if _, err := strconv.Atoi(steps[1]); err != nil {
		inner, _ := in[name].(map[string]any)
		if inner == nil {
			with, _ := w.items[name].(map[string]any)
			inner = maps.Clone(with)
			if inner == nil {
				inner = map[string]any{}
			}
		}
		in[name] = inner
		w.put(inner, steps[1:], value)
		return
	}
	if len(steps) == 2 {
		in[name] = []any{value}
		return
	}
	list, _ := in[name].([]any)
	if len(list) == 0 {
		first := map[string]any{}
		if with, ok := w.items[name].(map[string]any); ok {
			maps.Copy(first, with)
		}
		list = []any{first}
	}
	in[name] = list
	w.put(list[0].(map[string]any), steps[2:], value)
}

// asXML writes a value as clients send it.
func asXML(name string, value any) string {
	kebab := strings.ReplaceAll(name, "_", "-")
	switch v := value.(type) {
	case nil:
		return fmt.Sprintf(`<%s nil="true"/>`, kebab)
	case map[string]any:
		var b strings.Builder
		for _, member := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(asXML(member, v[member]))
		}
		return fmt.Sprintf("<%[1]s>%[2]s</%[1]s>", kebab, &b)
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(asXML("item", item))
		}
		return fmt.Sprintf(`<%[1]s type="array">%[2]s</%[1]s>`, kebab, &b)
	case json.Number:
		return fmt.Sprintf(`<%[1]s type="integer">%[2]s</%[1]s>`, kebab, v)
	}
	return fmt.Sprintf("<%[1]s>%[2]v</%[1]s>", kebab, value)
}

// comparable returns an answer without what differs each time, and with N for the text that was sent.
func comparable(a answer, sent string) string {
	text := strings.ReplaceAll(a.body, sent, "N")
	for _, pattern := range varying {
		text = pattern.ReplaceAllString(text, "")
	}
	return fmt.Sprint(a.status, " ", text)
}

var varying = []*regexp.Regexp{
	regexp.MustCompile(`"(id|created_at|updated_at|opened_at|closed_at|secret|href|federation_subscription_number_onl` +
		`y_numbers|[a-z_]*_id)":("[^"]*"|\d+)`), regexp.MustCompile(`Nome \d+`),
	regexp.MustCompile(`/\d+`), regexp.MustCompile(`"(prefix|value|login_code)":"[0-9a-f]+"`),
}

func TestANumberForATextIsItsText(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bill := s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":9,"document":1042`)
	equal(t, s.call(t, "GET", bill).at(t, "payable_account.document"), "1042")
	for value, want := range map[string]string{
		"1043": "1043", "1042.50": "1042.50", "1e3": "1e3", "-0": "-0", "true": "true", `""`: "<nil>", "null": "<nil>",
		`"NF 7"`: "NF 7",
	} {
		s.call(t, "PUT", bill, document(`{"payable_account":{"document":`+value+`}}`)).want(t, 200)
		equal(t, s.call(t, "GET", bill).at(t, "payable_account.document"), want)
	}
	s.call(t, "PUT", bill, document(`{"payable_account":{"document":"NF 7","observation":"nota"}}`)).want(t, 200)
	for _, text := range []string{`{"payable_account":{"document":["x"],"observation":{}}}`,
		`<payable-account><document type="array"><a>x</a></document><observation><a>b</a></observation>` +
			`</payable-account>`} {
		p := s.refusal(t, "PUT", bill, document(text))
		equal(t, p.Code, "not_a_text")
		equal(t, []string{p.Errors[0].Pointer, p.Errors[1].Pointer},
			[]string{"/payable_account/document", "/payable_account/observation"})
	}
	equal(t, s.call(t, "GET", bill).at(t, "payable_account.observation"), "nota")
}

// A webhook gets the secret and the events that were sent, or none is made.
func TestASecretAndEventsAreTexts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for fields, want := range map[string]string{
		`"secret":123456789012345678901234`:     "",
		`"secret":1234`:                         "/webhook/secret not_a_secret",
		`"secret":["abababababababababababab"]`: "/webhook/secret not_a_text",
		`"secret":{}`:                           "/webhook/secret not_a_text",
		`"events":[null]`:                       "/webhook/events blank",
		`"events":[""]`:                         "/webhook/events blank",
		`"events":[["sales.*"]]`:                "/webhook/events/0 not_a_text",
		`"events":["sales.*",{}]`:               "/webhook/events/1 not_a_text",
		`"events":{"0":"sales.*"}`:              "",
		`"events":[]`:                           "",
	} {
		text := fmt.Sprintf(`{"webhook":{"entity_id":%d,"url":"https://hooks.example.com","format":"json",%s}}`,
			s.EntityID, fields)
		if want == "" {
			a := s.call(t, "POST", "/integrations/webhooks", document(text)).want(t, 201)
			if secret, own := strings.CutPrefix(fields, `"secret":`); own {
				equal(t, a.at(t, "webhook.secret"), secret)
			}
			continue
		}
		p := s.refusal(t, "POST", "/integrations/webhooks", document(text))
		equal(t, p.Errors[0].Pointer+" "+p.Errors[0].Code, want)
	}
}
