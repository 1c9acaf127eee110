package api_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
)

// The guide about synchronisation names the list of each family of changes: that of the path of a change's record.
func TestTheGuideNamesTheListOfEachFamily(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/guides/sincronizar.md")
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]bool{}
	id := regexp.MustCompile(`:[a-z_]+_id`)
	for _, r := range api.Routes() {
		if r.Method == "GET" {
			lists[id.ReplaceAllString(r.Path, "ID")] = true
		}
	}
	named := map[string]string{}
	rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.+) \\|$")
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		named[row[1]] = strings.Trim(row[2], "`")
	}
	for _, family := range finance.ChangeFamilies {
		path, listed := named[string(family)]
		delete(named, string(family))
		known := lists[strings.NewReplacer("/E/", "/ID/", "/P/", "/ID/").Replace(path)]
		record, shown := paths.Record(string(family), 1, 2, 3)
		want := strings.NewReplacer("/1/", "/E/", "/2/", "/P/").Replace(strings.TrimSuffix(record, "/3"))
		switch family {
		case finance.EntitiesFamily:
			want = "/entities"
		case finance.CardTransactionsFamily: // a card has no list of its own, but invoices
			want = "/entities/E/credit_cards/transactions"
		}
		switch {
		case !listed:
			t.Errorf("%s has no row", family)
		case shown && (path != want || !known):
			t.Errorf("%s: %s, want %s", family, path, want)
		case !shown && !known && (strings.HasPrefix(path, "/") || lists["/"+string(family)]):
			t.Errorf("%s: %s is no list", family, path)
		}
	}
	for family := range named {
		t.Errorf("%s is no family", family)
	}
}
