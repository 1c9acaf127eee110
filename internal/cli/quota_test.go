package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestQuotasAreSetAndListed(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	printed(t, database, "account", "create", "--name", "Açougue", "--email", "bia@example.com")
	limits := func(args ...string) map[string]quotaRow {
		t.Helper()
		rows := map[string]quotaRow{}
		for line := range strings.Lines(printed(t, database, append([]string{"quota"}, args...)...)) {
			var r quotaRow
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			rows[strings.Repeat("*", int(r.AccountID))+r.Quota] = r
		}
		return rows
	}
	set := limits("set", "--account", "1", "--webhooks", "0", "--requests-per-minute", "600", "--json")
	if len(set) != 7 || set["*webhooks"].Limit != 0 || set["*webhooks"].Default || *set["*webhooks"].Used != 0 ||
		set["*requests_per_minute"].Limit != 600 || set["*requests_per_minute"].Used != nil ||
		!set["*exports"].Default {
		t.Errorf("%+v", set)
	}
	limits("set", "--account", "1", "--webhooks", "default", "--json")
	all := limits("list", "--json")
	if len(all) != 14 || all["*webhooks"].Limit != 64 || !all["*webhooks"].Default ||
		all["*requests_per_minute"].Limit != 600 || all["**requests_per_minute"].Limit != 60_000 {
		t.Errorf("%+v", all)
	}
	table := printed(t, database, "quota", "list", "--account", "1")
	if !strings.HasPrefix(table, "ACCOUNT\tQUOTA\tLIMIT\tDEFAULT\tUSED\n1\trequests_per_minute\t600\t\t-\n") {
		t.Errorf("%q", table)
	}
	for _, c := range []struct {
		args   []string
		status int
		said   string
	}{
		{[]string{"set", "--account", "1"}, 2, "name a quota, as --webhooks 100"},
		{[]string{"set", "--account", "1", "--held-requests", "0"}, 2, "held_requests: at least 1"},
		{[]string{"set", "--account", "1", "--exports=-1"}, 2, `neither a whole number of at least 0 nor default`},
		{[]string{"set", "--account", "9", "--exports", "1"}, 1, "account 9"},
		{[]string{"list", "--account", "9"}, 1, "account 9"},
	} {
		stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database}, append([]string{"quota"}, c.args...)...)
		if stdout != "" || !strings.Contains(stderr, c.said) || status != c.status {
			t.Errorf("%v: exit status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
}
