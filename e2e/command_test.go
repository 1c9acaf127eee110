package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/tokens"
	"bordero/migrations"
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
	run("member", "add", "--account", account, "--email", "bia@example.com", "--deny", "financial_transactions")
	member := enter(run("token", "create", "--account", account, "--email", "bia@example.com", "--member", "--json"))
	ask(member, paths.Entity(ana.Entity), 200)
	ask(member, transactions, 403)
	elsewhere := struct{ Entity struct{ ID int64 } }{}
	if err := ana.Post("/entities", map[string]any{"entity": map[string]string{"name": "Filial"}},
		&elsewhere); err != nil {
		t.Fatal(err)
	}
	run("member", "add", "--account", account, "--email", "caio@example.com", "--entity",
		fmt.Sprint(elsewhere.Entity.ID))
	confined := enter(run("token", "create", "--account", account, "--email", "caio@example.com", "--json"))
	ask(confined, paths.Entity(elsewhere.Entity.ID), 200)
	ask(confined, transactions, 404)

	list := run("token", "list", "--account", account)
	for _, c := range []*e2etest.Client{ana, member, confined} {
		if !strings.Contains(list, c.Token[:6]) || strings.Contains(list, c.Token) {
			t.Errorf("token list: %s", list)
		}
		if !tokens.Checked(c.Token) {
			t.Error("a token was issued without its check")
		}
	}
	narrow := enter(run("token", "create", "--account", account, "--email", "ana@example.com",
		"--entity", fmt.Sprint(ana.Entity), "--deny", "financial_transactions", "--read-only", "--json"))
	ask(narrow, paths.Entity(ana.Entity), 200)
	ask(narrow, transactions, 403)
	ask(narrow, paths.Entity(elsewhere.Entity.ID), 404)
	ask(narrow, "/integrations/webhooks", 403)
	unused := enter(run("token", "create", "--account", account, "--email", "ana@example.com", "--json"))
	for line := range strings.Lines(run("token", "list", "--account", account)) {
		if strings.HasPrefix(line, narrow.Token[:6]) || strings.HasPrefix(line, "PREFIX\t") {
			continue
		}
		if columns := strings.Split(line, "\t"); (columns[3] == "-") != strings.HasPrefix(line, unused.Token[:6]) {
			t.Errorf("last used: %q", line)
		}
	}
	membersWorkOn(t, run, ana, confined)
	run("token", "revoke", member.Token[:6])
	ask(member, paths.Entity(ana.Entity), 401)
	ask(ana, transactions, 200)

	if said := run("migrate"); !strings.Contains(said, "0 migrations applied") {
		t.Errorf("migrate said %q", said)
	}
	if said := run("migrate", "status"); strings.Contains(said, "missing") || strings.Count(said, "\n") != 1+
		int(migrations.Latest()) {
		t.Errorf("migrate status said %q", said)
	}
	demo := u.NewDepositAccount(t, "")
	file := statementFiles(t, map[string][]byte{"a.ofx": statementtest.OFX(3)})[0]
	said := run("import", "--entity", fmt.Sprint(u.Demo.EntityID), "--deposit-account", fmt.Sprint(demo), file)
	if !strings.HasPrefix(said, "FILE\tSTATUS\t") || strings.Count(said, "\n") != 2 ||
		!strings.Contains(said, "\n"+file+"\tsuccess\t3\t0\t0\t0\t0\t0\t0\tForam importadas 3 transações.") {
		t.Errorf("import said %q", said)
	}
	if said := run("verify"); said != "" {
		t.Errorf("verify: %q", said)
	}
	if said := run("jobs", "list", "--failed"); said != "" {
		t.Errorf("jobs list --failed: %q", said)
	}
	_, stderr, err := e2etest.Command(t, nil, "jobs", "retry", "99", "--data", u.Data)
	if err == nil || !strings.Contains(stderr, "no failed job 99") {
		t.Errorf("jobs retry: %v, %q", err, stderr)
	}
}

// membersWorkOn runs the member commands on the account of an administrator, ana@example.com. It
// has two members: bia, and caio, who is confined to an entity.
func membersWorkOn(t *testing.T, run func(words ...string) string, ana, caio *e2etest.Client) {
	t.Helper()
	account := fmt.Sprint(ana.ID)
	lines := strings.Split(strings.TrimSpace(run("member", "list", "--account", account)), "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], "\tana@example.com\tadministrator\t-\tall") ||
		!strings.Contains(lines[2], "\tbia@example.com\tmember\tfinancial_transactions\tall") ||
		strings.HasSuffix(lines[3], "all") {
		t.Errorf("member list: %q", lines)
	}
	var made struct {
		Role     string
		Denied   []string
		Entities []int64
	}
	added := run("member", "add", "--account", account, "--email", "caio@example.com", "--deny", "budgets", "--entity",
		fmt.Sprint(ana.Entity), "--json")
	if err := json.Unmarshal([]byte(added), &made); err != nil || made.Role != "member" || len(made.Denied) != 1 ||
		made.Entities[0] != ana.Entity {
		t.Errorf("member add: %v %s", err, added)
	}
	answer, err := caio.Do(http.MethodGet, paths.Entity(ana.Entity), "", nil)
	if err != nil || answer.Status != 200 {
		t.Errorf("a member sees the entity that he was given: %d %v", answer.Status, err)
	}
	run("member", "remove", "--account", account, "--email", "Caio@example.com")
	answer, err = caio.Do(http.MethodGet, paths.Entity(ana.Entity), "", nil)
	if err != nil || answer.Status != 401 { // its tokens are revoked
		t.Errorf("a removed member: %d %v", answer.Status, err)
	}
	if list := run("member", "list", "--account", account, "--json"); strings.Count(list, "\n") != 2 ||
		strings.Contains(list, "caio") {
		t.Errorf("member list --json: %s", list)
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
		"fly":                  {bare, "unexpected argument fly"},
		"work":                 {bare, "DATABASE_URL must be set"},
		"work deliveries":      {bare, `must be one of "statements","sales",`},
		"up --port 1":          {bare, "unknown flag --port"},
		"api":                  {bare, "DATABASE_URL must be set"},
		"scheduler":            {bare, "REDIS_URL must be set"},
		"monitor":              {bare, "BORDERO_MONITOR_PASSWORD_HASH must be set"},
		"migrate":              {bare, "no database:"},
		"verify":               {bare, "no database:"},
		"jobs list":            {bare, "no database:"},
		"jobs list --data /no": {bare, "no `bordero up` runs on /no"},
		"migrate --data":       {bare, "--data"},
		"import":               {bare, "missing flags"},

		"import --entity 1 --deposit-account 1 a.ofx":            {bare, "no server:"},
		"import --entity 1 --deposit-account 1 --data /no a.ofx": {bare, "no `bordero up` runs on /no"},

		"jobs retry":                               {s.Env, "expected"},
		"jobs retry one":                           {s.Env, "one"},
		"jobs retry 99":                            {s.Env, "no failed job 99"},
		"account create":                           {s.Env, "missing flags"},
		"account create --name A --email b":        {s.Env, "--email: not an address"},
		"token create --account 99 --email a@b.co": {s.Env, "there is no account 99"},
		"token create --account 1 --email a@b.co --administrator --member": {s.Env, "can't be used together"},
		"token create --account 1 --email a@b.co --member --deny x":        {s.Env, "--deny x: not one of"},
		"token create --account 1 --email a@b.co --member --entity 99":     {s.Env, "entit"},
		"token revoke 000000":                               {s.Env, "no valid token begins with that"},
		"member add --account 99 --email a@b.co":            {s.Env, "there is no account 99"},
		"member add --account 1 --email a@b.co --deny x":    {s.Env, "--deny x: not one of"},
		"member add --account 1 --email a@b.co --entity 99": {s.Env, "does not have all of these entities: [99]"},
		"member remove --account 1 --email a@b.co":          {s.Env, "no member a@b.co"},
		"member add --account 1 --email a --administrator":  {s.Env, "--email: not an address"},
		"member list": {s.Env, "missing flags"},
		"member add --account 1 --email a@b.co --administrator --deny budgets": {
			s.Env, "cannot be combined with --administrator"},
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

// Only the directory is closed to others; the files in it are not.
func TestSecretsAreMadeInADirectoryThatIsClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, stderr, err := e2etest.Command(t, nil, "secrets", dir)
	if err == nil || !strings.Contains(stderr, "chmod 700 "+dir) {
		t.Errorf("%v, %s", err, stderr)
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
		t.Errorf("%v are there: %v", made, err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := e2etest.Command(t, nil, "secrets", dir); err != nil {
		t.Errorf("%v, %s", err, stderr)
	}
}
