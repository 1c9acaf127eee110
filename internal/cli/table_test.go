package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"bordero/storage/storagetest"
)

// account creates an account on a new database.
func account(t *testing.T) (databaseURL string, made newAccount) {
	t.Helper()
	databaseURL = storagetest.DatabaseURL(t)
	created := printed(t, databaseURL, "account", "create", "--name", "Padaria", "--email", "ana@example.com", "--json")
	if err := json.Unmarshal([]byte(created), &made); err != nil {
		t.Fatal(err)
	}
	return databaseURL, made
}

func TestATableInAPipeHasTheNamesOfItsColumns(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	for line, columns := range map[string]string{
		"config":                "VARIABLE\tVALUE\tFROM",
		"migrate status":        "MIGRATION\tAPPLIED",
		"member list --account": "USER\tEMAIL\tROLE\tLACKS\tENTITIES",
		"token list --account":  "PREFIX\tEMAIL\tCREATED\tLAST USED\tEXPIRES\tREVOKED\tTAKEN AWAY\tACCOUNTS\tNAME",
		"secrets":               "FILE\tCONTENT",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(line)
			switch {
			case strings.HasSuffix(line, "--account"):
				words = append(words, "1")
			case line == "secrets":
				words = append(words, filepath.Join(t.TempDir(), "new"))
			}
			lines := strings.Split(strings.TrimSuffix(printed(t, database, words...), "\n"), "\n")
			if lines[0] != columns || len(lines) < 2 {
				t.Fatalf("%q", lines)
			}
			for _, row := range lines[1:] {
				if strings.Count(row, "\t") != strings.Count(columns, "\t") {
					t.Errorf("%q", row)
				}
			}
		})
	}
}

func TestAnEmptyListIsASentenceBesideTheOutput(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	// As while an account is being deleted, but without the job.
	_, err := storagetest.DB(t, database).ExecContext(t.Context(), `DELETE FROM tokens; DELETE FROM memberships`)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"jobs list":                    "no unfinished jobs\n",
		"jobs list --failed":           "no failed jobs\n",
		"jobs list --dismissed":        "no dismissed jobs\n",
		"jobs list --json":             "",
		"jobs list --kind price_sales": "no unfinished jobs of the kind price_sales\n",
		"jobs list --account 1":        "no unfinished jobs of account 1\n",
		"verify":                       "everything agrees: ",
		"member list --account 1":      "account 1 has no members\n",
		"token list --account 1":       "no token opens account 1\n",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database}, strings.Fields(line)...)
			if stdout != "" || !strings.HasPrefix(stderr, want) || want == "" && stderr != "" || status != 0 {
				t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
}

func TestEachFileOfAnImportIsReportedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a\tb.ofx") // which does not exist
	words := []string{"import", "--url", "http://127.0.0.1:1", "--token", "x", "--entity", "1", "--deposit-account",
		"1", name}
	stdout, stderr, status := run(t, nil, words...)
	_, rows, _ := strings.Cut(stdout, "\n")
	if want := filepath.Join(dir, "a b.ofx") + "\tfailed\t0\t0\t0\t0\t0\t0\t0\tno such file\t\t\t0\n"; rows != want {
		t.Errorf("%q, want %q", rows, want)
	}
	if stderr != "bordero: not imported: 1 of 1 files\n" || status != 1 {
		t.Errorf("exit status %d, stderr %q", status, stderr)
	}
}
