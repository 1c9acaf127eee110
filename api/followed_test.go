package api_test

import (
	"strings"
	"testing"

	"bordero/api"

	"github.com/getkin/kin-openapi/openapi3"
)

// A client can follow changes of whatever says when it changed.
func TestListsOfWhatChangesCanBeFollowed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	followed := 0
	for _, r := range api.Routes() {
		item := listed(r)
		if item == nil || item.Properties["updated_at"] == nil {
			continue
		}
		followed++
		if filters(r)["updated_at_gte"] == nil {
			t.Errorf("%s: updated_at_gte is not documented", r.Path)
		}
		all := s.call(t, "GET", ids.path(r)).want(t, 200).value(t).([]any)
		since := s.call(t, "GET", ids.path(r)+"?search[updated_at_gte]=2020-01-01").want(t, 200).value(t).([]any)
		equal(t, len(since), len(all))
		later := s.call(t, "GET", ids.path(r)+"?search[updated_at_gte]=2099-01-01").want(t, 200).value(t).([]any)
		equal(t, len(later), 0)
	}
	if followed < 6 {
		t.Errorf("only %d lists have updated_at", followed)
	}
}

// listed is the schema of the records that a route lists; nil where it lists none.
func listed(r api.Route) *openapi3.Schema {
	if r.Method != "GET" || strings.HasSuffix(r.Path, "/value") {
		return nil
	}
	ok := openAPI().operation(r.Method, documented(r.Path)).Operation.Responses.Status(200)
	if ok == nil || ok.Value.Content["application/json"] == nil {
		return nil
	}
	schema := ok.Value.Content["application/json"].Schema.Value
	if schema.Items == nil {
		return nil
	}
	for _, root := range schema.Items.Value.Properties {
		return root.Value
	}
	return nil
}
