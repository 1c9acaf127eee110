package cli

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

func TestATokenIsRevokedByWhatTheListPrints(t *testing.T) {
	t.Parallel()
	database, made := account(t)
	for _, mark := range []string{"", "…"} {
		_, rows, _ := strings.Cut(printed(t, database, "token", "list", "--account", "1"), "\n")
		prefix, _, _ := strings.Cut(rows, "\t")
		if mark == "" && prefix != made.Token[:6] {
			t.Errorf("%q is not the prefix of the token", prefix)
		}
		said := printed(t, database, "token", "revoke", made.Token[:6]+mark)
		if said != "revoked\n" {
			t.Errorf("%q", said)
		}
		var another newAccount
		created := printed(t, database, "token", "create", "--account", "1", "--email", "ana@example.com", "--json")
		if err := json.Unmarshal([]byte(created), &another); err != nil {
			t.Fatal(err)
		}
		made = another
	}
}

func TestATokenIsNoReasonForMoreRights(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	create := func(email string, more ...string) string {
		return printed(t, database, append([]string{"token", "create", "--account", "1", "--email", email}, more...)...)
	}
	const all = "of account 1, permissions: all, entities: all, may change records"
	for _, c := range []struct {
		said  string
		wants []string
	}{
		{create("bia@example.com"), []string{": member " + all + "\ntoken ", ": member " + all + ", never expires\n"}},
		{create("bia@example.com", "--member"), []string{": member " + all}},
		{create("caio@example.com", "--administrator"), []string{": administrator " + all}},
		{create("caio@example.com"), []string{": administrator " + all + "\n", ": administrator " + all + ", never expires"}},
		{create("caio@example.com", "--deny", "budgets", "--entity", "1", "--read-only", "--expires", "720h"), []string{
			": administrator " + all + "\n", ": member of account 1, permissions: all but budgets, entities: 1, read only, expires 2",
		}},
	} {
		for _, want := range c.wants {
			if !strings.Contains(c.said, want) {
				t.Errorf("no %q in %q", want, c.said)
			}
		}
	}
	_, stderr, status := run(t, []string{"DATABASE_URL=" + database}, "token", "create", "--account", "1", "--email", "bia@example.com", "--administrator")
	if !strings.Contains(stderr, "bia@example.com is a plain member; bordero member add --administrator changes that") || status != 1 {
		t.Errorf("exit status %d, %q", status, stderr)
	}
	roles := map[string]string{}
	for line := range strings.Lines(printed(t, database, "member", "list", "--account", "1", "--json")) {
		var m shownMember
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		roles[m.Email] = m.Role
	}
	want := map[string]string{"ana@example.com": "administrator", "bia@example.com": "member", "caio@example.com": "administrator"}
	if !maps.Equal(roles, want) {
		t.Errorf("%v", roles)
	}
	if help := printed(t, database, "token", "create", "--help"); strings.Contains(help, "--member") {
		t.Error(help)
	}
}
