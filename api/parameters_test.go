package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"bordero/api"
)

// Some clients send the parameters of a GET in its body.
func TestAReportReadsItsParametersInABody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	other := s.anotherEntity(t).ID
	queries := maps.Clone(reportQueries)
	queries["income_statement"] = []string{"from=2026-01&to=2026-12&basis=cash", "from=2026-01&to=2026-12&center_id=1",
		"from=2026-01&to=2026-12&classifier:1=1"}
	queries["reconciliation"] = []string{"from=2026-01-01&to=2026-12-31"}
	asked := 0
	for _, r := range api.Routes() {
		for _, query := range queries[r.Path[strings.LastIndex(r.Path, "/")+1:]] {
			if r.Method != "GET" {
				continue
			}
			asked++
			path, _, _ := strings.Cut(ids.path(r), "?")
			entity := other
			if strings.Contains(query, "center_id") { // of the first
				entity = s.EntityID
			}
			if !strings.Contains(r.Path, ":entity_id") {
				query += fmt.Sprint("&entities=", entity)
			}
			parameters, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			sent, others := map[string]string{}, map[string]string{}
			for name := range parameters {
				sent[name], others[name] = parameters.Get(name), "x"
			}
			want := s.call(t, "GET", path+"?"+query).want(t, 200).body
			s.call(t, "GET", path, documentOf(t, sent), strict).wantBody(t, 200, want)
			var elements strings.Builder
			for name, value := range sent {
				fmt.Fprintf(&elements, "<%s>%s</%s>", name, value, name)
			}
			s.call(t, "GET", path, body("application/xml", "<hash>"+elements.String()+"</hash>"), strict,
				with("Accept", "application/json")).wantBody(t, 200, want)
			s.call(t, "GET", path+"?"+query, documentOf(t, others)).wantBody(t, 200, want) // the query has precedence
		}
	}
	if asked < 40 {
		t.Errorf("%d reports were asked", asked)
	}
	equal(t, s.refusal(t, "GET", "/cash_flow", document(`{"from":"x","entities":{"id":1}}`)).places(),
		"/from not_a_date, to blank, /entities not_valid")
	s.call(t, "GET", "/sales/totals", body("application/xml", fmt.Sprintf(
		"<hash><entities><entity>%d</entity></entities></hash>", other))).want(t, 200)
	equal(t, s.refusal(t, "GET", "/cash_flow", strict, document(`{"form":"x"}`)).places(),
		"from blank, to blank, /form unknown_attribute")
	equal(t, s.refusal(t, "GET", "/sales/totals", document(`{"entities":[77],"group_by":"cor"}`)).places(),
		"/group_by not_in_list, /entities not_existing")
}

// documentOf returns a JSON object as the body of a request.
func documentOf(t *testing.T, members map[string]string) option {
	t.Helper()
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return document(string(text))
}
