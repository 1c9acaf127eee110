package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"help fly": "bordero: unexpected argument fly; bordero --help shows the usage\n",
		"fly":      "bordero: unexpected argument fly; bordero --help shows the usage\n",
		"token": `bordero: expected one of "create", "list", "revoke"; bordero token --help shows ` +
			`the usage` + "\n",
		"jobs retry":  `bordero: expected "<id>"; bordero jobs retry --help shows the usage` + "\n",
		"up --adr :1": `bordero: unknown flag --adr, did you mean "--addr"?; bordero up --help shows the usage` + "\n",
		"account delete 1": "bordero: account 1 would be deleted with all its records: confirm with --yes; " +
			"bordero account delete --help shows the usage\n",
		"demo --sales 20000000": "bordero: --sales: 20000000 is not between 0 " +
			"and 10000000; bordero demo --help shows the usage\n",
		"demo --month 9999-12": `bordero: --month: "9999-12" is not a month ` +
			`from 2000-01 to 2099-12, as YYYY-MM; bordero demo --help shows the usage` + "\n",
		"demo --truth t.json": "bordero: --truth: only a --month has one; bordero demo --help shows the usage\n",
		"token create --account 1 --email a@b.c --expires 0s": "bordero: --expires must be positive; bordero " +
			"token create --help shows the usage\n",
		"token create --account 1 --email a@b.c --expires=-1h": "bordero: --expires must be positive; bordero " +
			"token create --help shows the usage\n",
		"demo --month 2026-01 --sales 5": "bordero: --month and --sales cannot be used " +
			"together; bordero demo --help shows the usage\n",
		"listen --account 1 --secret abc": "bordero: --format and --secret are those of " +
			"--forward; bordero listen --help shows the usage\n",
		"listen --account 1 --format xml": "bordero: --format and --secret are those of " +
			"--forward; bordero listen --help shows the usage\n",
		"changes tail --account 1 --last=-5": "bordero: --last: -5 is below 0; bordero changes tail --help shows " +
			"the usage\n",
		"changes export --account 1 --after=-5": "bordero: --after: -5 is below 0; bordero changes export --help " +
			"shows the usage\n",
		"import --entity 1 --timeout=-1m f": "bordero: --timeout must be positive; without it there is no end; " +
			"bordero import --help shows the usage\n",
		"import --entity 1 --timeout 0s f": "bordero: --timeout must be positive; without it there is no end; " +
			"bordero import --help shows the usage\n",
		"changes verify export.json --data .data": "bordero: --data: an export is checked without " +
			"a database; bordero changes verify --help shows the usage\n",
		"import --entity 1 --deposit-account 1 --data d --url u f": "bordero: --data and --url cannot be used " +
			"together; bordero import --help shows the usage\n",
		"import --entity 1 --deposit-account 1 --token=t --data d f": "bordero: --data and --token cannot be used " +
			"together; bordero import --help shows the usage\n",
		"token create --account 1 --email a@b.c --entity=": "bordero: --entity: must not be empty; bordero token " +
			"create --help shows the usage\n",
		"member add --account 1 --email a@b.c --deny=": "bordero: --deny: must not be empty; bordero member add " +
			"--help shows the usage\n",
		"account delete 1 --yes --data=": "bordero: --data: must not be empty; bordero account delete --help shows " +
			"the usage\n",
		"jobs list --account 0": "bordero: --account: there is no account 0; bordero jobs list --help shows the " +
			"usage\n",
		"export --url http://a --token t /people --search name": `bordero: --search: "name" is not FILTER=VALUE; ` +
			"bordero export --help shows the usage\n",
		"export --url http://a --token t /people?search[name_contains]=a;b": "bordero: the query of " +
			`"/people?search[name_contains]=a;b" cannot be read: give filters as --search name=value; bordero export ` +
			"--help shows the usage\n",
		"export --url http://a --token t /people?search[name_contains]=a#b": "bordero: the query of " +
			`"/people?search[name_contains]=a#b" cannot be read: give filters as --search name=value; bordero export ` +
			"--help shows the usage\n",
		"token create --expire": `bordero: unknown flag --expire, did you mean "--expires"?; bordero token create ` +
			`--help shows the usage` + "\n",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := run(t, nil, strings.Fields(line)...)
			if stdout != "" || stderr != want || status != 2 {
				t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
}

// The variables are for every command line of a shell; --data is for this one.
func TestDataIsPreferredToTheEnvironment(t *testing.T) {
	t.Parallel()
	env := []string{"BORDERO_URL=http://127.0.0.1:1", "BORDERO_TOKEN=x"}
	_, stderr, status := run(t, env, "import", "--entity", "1", "--deposit-account", "1", "--data", "/nothing", "a.ofx")
	if !strings.Contains(stderr, "/nothing") || status != 1 {
		t.Errorf("exit status %d, stderr %q", status, stderr)
	}
}

func TestFailuresHaveAnExitStatusOfTheirOwn(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := run(t, nil, "verify")
	if stdout != "" || !strings.HasPrefix(stderr, "bordero: no database: ") || strings.Contains(stderr, "usage") ||
		status != 1 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if stdout, stderr, status := run(t, nil, "version"); !strings.HasPrefix(stdout, "bordero ") || stderr != "" ||
		status != 0 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestCommandsRemarkOnUnknownVariables(t *testing.T) {
	t.Parallel()
	env := []string{"BORDERO_CONCURENCY=hunter2", "DATABASE_URL=postgres://127.0.0.1:1/b"}
	for _, words := range []string{"config", "migrate", "account link --account 1 --email a@b.c"} {
		const remark = "BORDERO_CONCURENCY is not a variable of this release; bordero config prints all names\n"
		_, stderr, _ := run(t, env, strings.Fields(words)...)
		if strings.Count(stderr, remark) != 1 || strings.Contains(stderr, "hunter2") {
			t.Errorf("bordero %s: %s", words, stderr)
		}
	}
}

func TestTheVersionIsThatOfTheChangelog(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindSubmatch(changelog)
	stdout, _, _ := run(t, nil, "version")
	if newest == nil || !strings.HasPrefix(stdout, "bordero "+string(newest[1])) {
		t.Fatalf("the newest release is %s, the binary says %q", newest, stdout)
	}
	example, err := os.ReadFile("../../deploy/kubernetes/overlays/example/kustomization.yaml")
	if err != nil || !strings.Contains(string(example), "newTag: "+string(newest[1])+"\n") {
		t.Errorf("%v: the example of Kubernetes has another image than that of %s", err, newest[1])
	}
}

func TestTheHelpListsTheCommandsAndTheExitStatuses(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := run(t, nil, "--help")
	if stderr != "" || status != 0 || strings.Count(stdout, "\n") > 40 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	for _, want := range []string{"Usage: bordero ", "\n  token ", "exit status"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
	for _, same := range [][]string{nil, {"help"}} {
		if again, _, status := run(t, nil, same...); again != stdout || status != 0 {
			t.Errorf("bordero %v: exit status %d, %s", same, status, again)
		}
	}
	stdout, stderr, status = run(t, nil, "token", "create", "--help")
	if !strings.Contains(stdout, "--expires=DURATION") || stderr != "" || status != 0 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if again, _, status := run(t, nil, "help", "token", "create"); again != stdout || status != 0 {
		t.Errorf("bordero help token create: exit status %d, %s", status, again)
	}
}

func TestTheVersionIsAlsoAFlag(t *testing.T) {
	t.Parallel()
	long, _, _ := run(t, nil, "version")
	stdout, stderr, status := run(t, nil, "--version")
	if first, _, _ := strings.Cut(long, "\n"); stdout != first+"\n" || stderr != "" || status != 0 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestTheHelpOfACommandDoesNotRunIt(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := run(t, nil, "version", "--help")
	if !strings.HasPrefix(stdout, "Usage: bordero version") || strings.Contains(stdout, "go1.") || stderr != "" ||
		status != 0 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	dir := filepath.Join(t.TempDir(), "secrets")
	if stdout, _, status := run(t, nil, "secrets", dir, "--help"); !strings.HasPrefix(stdout,
		"Usage: bordero secrets") || status != 0 {
		t.Errorf("exit status %d, stdout %q", status, stdout)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the secrets were made: %v", err)
	}
}
