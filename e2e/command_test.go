package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/internal/paths"
)

// commandsWorkOn runs the commands of an operator beside a running `up`.
func commandsWorkOn(t *testing.T, u *e2etest.Up) {
	run := func(words ...string) string {
		t.Helper()
		stdout, stderr, err := e2etest.Command(t, nil, append(words, "--data", u.Data)...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", words, err, stderr)
		}
		return stdout
	}
	enter := func(printed string) *e2etest.Client {
		t.Helper()
		c := &e2etest.Client{URL: u.URL}
		if err := json.Unmarshal([]byte(printed), c); err != nil {
			t.Fatalf("%v: %s", err, printed)
		}
		return c
	}
	ask := func(c *e2etest.Client, path string, want int) {
		t.Helper()
		answer, err := c.Do(http.MethodGet, path, "", nil)
		if err != nil || answer.Status != want {
			t.Errorf("GET %s: %d %v, not %d", path, answer.Status, err, want)
		}
	}

	ana := enter(run("account", "create", "--name", "Padaria", "--email", "ana@example.com", "--json"))
	into := ana.NewDepositAccount(t, "")
	transactions := paths.FinancialTransactions(ana.Entity, into)
	ask(ana, transactions, 200)
	ask(ana, paths.Entity(u.Demo.EntityID), 404) // of the demo account

	account := fmt.Sprint(ana.ID)
	member := enter(run("token", "create", "--account", account, "--email", "bia@example.com", "--member",
		"--deny", "financial_transactions", "--json"))
	ask(member, paths.Entity(ana.Entity), 200)
	ask(member, transactions, 403)
	elsewhere := struct{ Entity struct{ ID int64 } }{}
	if err := ana.Post("/entities", map[string]any{"entity": map[string]string{"name": "Filial"}}, &elsewhere); err != nil {
		t.Fatal(err)
	}
	confined := enter(run("token", "create", "--account", account, "--email", "caio@example.com", "--member",
		"--entity", fmt.Sprint(elsewhere.Entity.ID), "--json"))
	ask(confined, paths.Entity(elsewhere.Entity.ID), 200)
	ask(confined, transactions, 404)

	list := run("token", "list", "--account", account)
	for _, c := range []*e2etest.Client{ana, member, confined} {
		if !strings.Contains(list, c.Token[:6]) || strings.Contains(list, c.Token) {
			t.Errorf("token list: %s", list)
		}
	}
	run("token", "revoke", member.Token[:6])
	ask(member, paths.Entity(ana.Entity), 401)
	ask(ana, transactions, 200)

	if said := run("migrate"); !strings.Contains(said, "0 migrations applied") {
		t.Errorf("migrate said %q", said)
	}
	if said := run("jobs", "list", "--failed"); strings.Count(said, "\n") != 1 || !strings.Contains(said, "ID") {
		t.Errorf("jobs list --failed: %q", said)
	}
	_, stderr, err := e2etest.Command(t, nil, "jobs", "retry", "99", "--data", u.Data)
	if err == nil || !strings.Contains(stderr, "no failed job 99") {
		t.Errorf("jobs retry: %v, %q", err, stderr)
	}
}

func TestWrongUsageIsASentence(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	bare := []string{"PATH=/"}
	for line, c := range map[string]struct {
		env  []string
		want string
	}{
		"":                     {bare, "expected"},
		"fly":                  {bare, "unexpected argument fly"},
		"work":                 {bare, "queue"},
		"work deliveries":      {bare, `no queue "deliveries"`},
		"up --port 1":          {bare, "unknown flag --port"},
		"api":                  {bare, "DATABASE_URL must be set"},
		"scheduler":            {bare, "REDIS_URL must be set"},
		"monitor":              {bare, "BORDERO_MONITOR_PASSWORD_HASH must be set"},
		"migrate":              {bare, "which database?"},
		"jobs list":            {bare, "which database?"},
		"jobs list --data /no": {bare, "no `bordero up` runs on /no"},
		"migrate --data":       {bare, "--data"},

		"jobs retry":                               {s.Env, "expected"},
		"jobs retry one":                           {s.Env, "one"},
		"jobs retry 99":                            {s.Env, "no failed job 99"},
		"account create":                           {s.Env, "missing flags"},
		"account create --name A --email b":        {s.Env, "--email: not an address"},
		"token create --account 99 --email a@b.co": {s.Env, "there is no account 99"},
		"token create --account 1 --email a@b.co --deny cash_flows":    {s.Env, "--deny and --entity go with --member"},
		"token create --account 1 --email a@b.co --member --deny x":    {s.Env, "--deny x: not one of"},
		"token create --account 1 --email a@b.co --member --entity 99": {s.Env, "entit"},
		"token revoke 000000": {s.Env, "no live token begins so"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, err := e2etest.Command(t, c.env, strings.Fields(line)...)
			if err == nil || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "goroutine") {
				t.Errorf("%v: stdout %q, stderr %q", err, stdout, stderr)
			}
		})
	}
}
