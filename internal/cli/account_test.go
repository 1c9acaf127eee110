package cli

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/storage"
	"bordero/storage/storagetest"
)

func TestTheAccountsAreListed(t *testing.T) {
	t.Parallel()
	database := storagetest.DatabaseURL(t)
	if stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database}, "account", "list"); stdout != "" ||
		stderr != "no accounts\n" || status != 0 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	for _, name := range []string{"Padaria", "Açougue"} {
		printed(t, database, "account", "create", "--name", name, "--email", "ana@example.com")
	}
	printed(t, database, "member", "add", "--account", "2", "--email", "bia@example.com")
	want := regexp.MustCompile(`^ID\tNAME\tCREATED\tENTITIES\tMEMBERS\n1\tPadaria\t[-0-9: ` +
		`]{19}\t1\t1\n2\tAçougue\t[-0-9: ]{19}\t1\t2\n$`)
	if said := printed(t, database, "account", "list"); !want.MatchString(said) {
		t.Errorf("%q", said)
	}
	_, second, _ := strings.Cut(printed(t, database, "account", "list", "--json"), "\n")
	var got storage.AccountRow
	if err := json.Unmarshal([]byte(second), &got); err != nil || time.Since(got.CreatedAt).Abs() > time.Hour {
		t.Errorf("%v: %s", err, second)
	}
	if got.CreatedAt = (time.Time{}); got != (storage.AccountRow{ID: 2, Name: "Açougue", Entities: 1, Members: 2}) {
		t.Errorf("%+v", got)
	}
}
