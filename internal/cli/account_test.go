package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/storage"
	"bordero/storage/members"
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
		printed(t, database, "account", "create", "--name", name, "--email", "ana@example.com",
			fmt.Sprintf("--sandbox=%t", name == "Padaria"))
	}
	printed(t, database, "member", "add", "--account", "2", "--email", "bia@example.com")
	want := regexp.MustCompile(`^ID\tNAME\tSANDBOX\tCREATED\tENTITIES\tMEMBERS\n1\tPadaria\tyes\t[-0-9: ` +
		`]{19}\t1\t1\n2\tAçougue\t\t[-0-9: ]{19}\t1\t2\n$`)
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

// Accounts that are being deleted are on the list, but nothing is added to them any more.
func TestNothingIsAddedToAnAccountThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	printed(t, database, "account", "delete", "1", "--yes")
	for _, command := range []string{"token create --account 1 --email ana@example.com",
		"member add --account 1 --email ana@example.com", "demo --account 1 --sales 1 --transactions 1",
		"demo --sales 1 --transactions 1", "demo --account 1 --month 2026-10"} {
		stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database}, strings.Fields(command)...)
		if stdout != "" || status != statusFailure || stderr !=
			"bordero: there is no account 1, or it is being deleted; bordero account list shows them\n" {
			t.Errorf("%s: exit status %d, %s, %s", command, status, stderr, stdout)
		}
	}
}

func TestALinkLogsAMemberIn(t *testing.T) {
	t.Parallel()
	database, made := account(t)
	env := []string{"DATABASE_URL=" + database, "BORDERO_PUBLIC_URL=https://api.example.com/"}
	stdout, stderr, status := run(t, env, "account", "link", "--account", "1", "--email", "Ana@example.com")
	want := regexp.MustCompile(`^https://api\.example\.com/console/login#([0-9a-f]{32})\ncode ([0-9a-f]{32}) ` +
		`\(valid for 10 minutes, once; https://api\.example\.com/console/login asks for it\)\n$`)
	parts := want.FindStringSubmatch(stdout)
	if parts == nil || parts[1] != parts[2] || status != 0 {
		t.Fatalf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	s := storagetest.Open(t, database, storage.Options{})
	redeem := func(code string) (session members.Session, err error) {
		err = s.InTx(t.Context(), func(tx *storage.Tx) (err error) {
			session, err = members.Redeem(t.Context(), tx, code)
			return err
		})
		return session, err
	}
	if session, err := redeem(parts[1]); err != nil || session.UserID != made.UserID {
		t.Errorf("%+v, %v", session, err)
	}
	var asJSON struct {
		URL, Code string
		Seconds   int `json:"valid_seconds"`
	}
	said := printed(t, database, "account", "link", "--account", "1", "--email", "ana@example.com", "--json")
	if err := json.Unmarshal([]byte(said), &asJSON); err != nil || asJSON.Seconds != 600 ||
		asJSON.URL != "http://127.0.0.1:8080/console/login#"+asJSON.Code {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := redeem(asJSON.Code); err != nil {
		t.Error(err)
	}
	_, stderr, status = run(t, env, "account", "link", "--account", "1", "--email", "bia@example.com")
	if status != 1 || stderr != "bordero: account 1 has no member bia@example.com; bordero member list shows them\n" {
		t.Errorf("exit status %d, stderr %q", status, stderr)
	}
}
