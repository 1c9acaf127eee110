package cli

import (
	"encoding/json"
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
