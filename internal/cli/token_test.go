package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
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

// A part of a token that names several, or none for sure, revokes none, and the error says what to write.
func TestAnAmbiguousTokenIsNotRevoked(t *testing.T) {
	t.Parallel()
	database, made := account(t)
	prefix := made.Token[:6]
	revoke := func(token, want string, status int) {
		t.Helper()
		stdout, stderr, got := run(t, []string{"DATABASE_URL=" + database}, "token", "revoke", token)
		if got != status || !strings.Contains(stdout+stderr, want) {
			t.Errorf("revoke %q: status %d, %s%s", token, got, stdout, stderr)
		}
	}
	revoke(prefix[:5], "a token is named by its first 6 characters or by all, and these are 5", 1)
	revoke(made.Token[:9], "and these are 9", 1)
	revoke(strings.Repeat("0", 6), "no valid token begins with that", 1)
	db := storagetest.DB(t, database)
	for i, expires := range []string{"infinity", "2020-01-01"} {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO tokens (sha256, user_id, prefix, expires_at)
			SELECT sha256($2::bytea), min(user_id), $1, $3::timestamptz FROM tokens`, prefix, fmt.Sprint(i),
			expires); err != nil {
			t.Fatal(err)
		}
	}
	revoke(prefix, "2 valid tokens begin with "+prefix+": revoke one by the whole token", 1) // the expired one is none
	revoke(made.Token, "revoked", 0)
	revoke(prefix, "revoked", 0)
	revoke(prefix, "no valid token begins with that", 1)
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
		{create("caio@example.com"), []string{": administrator " + all + "\n", ": administrator " + all +
			", never expires"}},
		{create("caio@example.com", "--deny", "budgets", "--entity", "1", "--read-only", "--expires", "720h"), []string{
			": administrator " + all + "\n",
			": member of account 1, permissions: all but budgets, entities: 1, read only, expires 2",
		}},
	} {
		for _, want := range c.wants {
			if !strings.Contains(c.said, want) {
				t.Errorf("no %q in %q", want, c.said)
			}
		}
	}
	_, stderr, status := run(t, []string{"DATABASE_URL=" + database}, "token", "create", "--account", "1", "--email",
		"bia@example.com", "--administrator")
	if !strings.Contains(stderr,
		"bia@example.com is a plain member; bordero member add --administrator changes that") || status != 1 {
		t.Errorf("exit status %d, %q", status, stderr)
	}
	printed(t, database, "member", "add", "--account", "1", "--email", "dora@example.com", "--read-only", "--member")
	if list := printed(t, database, "member", "list", "--account", "1"); !strings.Contains(list,
		"dora@example.com\tmember\tchanges\tall\n") {
		t.Errorf("a member who reads: %q", list)
	}
	roles := map[string]string{}
	for line := range strings.Lines(printed(t, database, "member", "list", "--account", "1", "--json")) {
		var m shownMember
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		roles[m.Email] = m.Role
	}
	want := map[string]string{"ana@example.com": "administrator", "bia@example.com": "member",
		"caio@example.com": "administrator", "dora@example.com": "member"}
	if !maps.Equal(roles, want) {
		t.Errorf("%v", roles)
	}
	if help := printed(t, database, "token", "create", "--help"); strings.Contains(help, "--member") {
		t.Error(help)
	}
}

// The command that makes a token and the list of tokens are in the time zone of the installation.
func TestATokensExpiryIsInTheZone(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	env := []string{"DATABASE_URL=" + database, "BORDERO_TIMEZONE=Asia/Tokyo", "TZ=America/New_York"}
	made, _, _ := run(t, env, "token", "create", "--account", "1", "--email", "bia@example.com", "--expires", "12h")
	expiry := regexp.MustCompile(`expires (.{19})\n`).FindStringSubmatch(made)
	list, _, _ := run(t, env, "token", "list", "--account", "1")
	if expiry == nil || !strings.Contains(list, expiry[1]) {
		t.Errorf("%q, and the list %q", made, list)
	}
}

// A second account of a person stops nothing, and the commands say whose requests it would stop.
func TestATokenIsMadeForAnAccount(t *testing.T) {
	t.Parallel()
	database, first := account(t)
	command := func(line string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database}, strings.Fields(line)...)
		if status != 0 {
			t.Fatalf("%s: exit status %d, %s", line, status, stderr)
		}
		return stdout, stderr
	}
	created, said := command("token create --account 1 --email ana@example.com --all-accounts")
	if !strings.Contains(created, " for every account of the user (shown only once): administrator of account 1,") ||
		said != "" {
		t.Errorf("%q, %q", created, said)
	}
	const one = "1 token that opens all accounts of ana@example.com now needs the header ACCOUNT_ID\n"
	const two = "2 tokens that open all accounts of bia@example.com now need the header ACCOUNT_ID\n"
	if _, said = command("account create --name Loja --email ana@example.com"); said != one {
		t.Errorf("%q", said)
	}
	if _, said = command("member add --account 2 --email ana@example.com --administrator"); said != "" {
		t.Errorf("of one who is a member: %q", said)
	}
	all, _ := command("token create --account 2 --email ana@example.com --all-accounts --json")
	printed(t, database, "account", "create", "--name", "Sítio", "--email", "bia@example.com")
	if _, said = command("member add --account 3 --email ana@example.com"); said != "" {
		t.Errorf("of one whose tokens need it already: %q", said)
	}
	var made struct {
		Token               string
		AccountID           *int64 `json:"account_id"`
		TokensNeedingHeader *int64 `json:"tokens_needing_header"`
	}
	if err := json.Unmarshal([]byte(all), &made); err != nil || made.AccountID != nil ||
		*made.TokensNeedingHeader != 0 {
		t.Errorf("%v: %s", err, all)
	}
	bound, said := command("token create --account 3 --email ana@example.com --json")
	if err := json.Unmarshal([]byte(bound), &made); err != nil || *made.AccountID != 3 || said != "" {
		t.Errorf("%v: %s, %q", err, bound, said)
	}
	for account, want := range map[string]map[string]int{"1": {"1": 1, "all": 2}, "2": {"2": 1, "all": 2},
		"3": {"3": 2, "all": 2}} {
		got := map[string]int{}
		for row := range strings.Lines(printed(t, database, "token", "list", "--account", account)) {
			if columns := strings.Split(strings.TrimSpace(row), "\t"); columns[0] != "PREFIX" {
				got[columns[7]]++
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("account %s: %v", account, got)
		}
	}
	s := storagetest.Open(t, database, storage.Options{})
	for token, want := range map[string]int{first.Token: 1, made.Token: 1} {
		if _, accesses, err := members.Accesses(t.Context(), s, token); err != nil || len(accesses) != want {
			t.Errorf("opens %v, %v", accesses, err)
		}
	}
	_, said, status := run(t, nil, "token", "create", "--account", "1", "--email", "ana@example.com", "--all-accounts",
		"--entity", "1")
	if status != statusUsage || !strings.Contains(said, "--entity names entities of account 1 alone") {
		t.Errorf("exit status %d, %q", status, said)
	}
	command("token create --account 3 --email bia@example.com --all-accounts")
	command("token create --account 3 --email bia@example.com --all-accounts")
	if _, said = command("member add --account 1 --email bia@example.com"); said != two {
		t.Errorf("%q", said)
	}
}

// Commands refuse the texts that the API refuses, and name the flag.
func TestFlagsAreValidatedAsTheAPIDoes(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	long := strings.Repeat("ã", 256)
	token := []string{"token", "create", "--account", "1", "--email", "ana@example.com", "--name"}
	const noAddress, most = "not an address like ana@example.com", "at most 255 characters"
	for _, c := range []struct {
		words []string
		want  string
	}{
		{append(token, ""), "--name: must not be empty"},
		{append(token, " "), "--name: must not be empty"},
		{append(token, long), "--name: " + most},
		{[]string{"token", "create", "--account", "1", "--email", "ana"}, "--email: " + noAddress},
		{[]string{"token", "create", "--account", "1", "--email", long[2:] + "@b.co"}, "--email: " + most},
		{[]string{"member", "add", "--account", "1", "--email", ""}, "--email: must not be empty"},
		{[]string{"member", "add", "--account", "1", "--email", "Ana <ana@example.com>"}, "--email: " + noAddress},
		{[]string{"member", "add", "--account", "1", "--email", long + "@b.co"}, "--email: " + most},
		{[]string{"account", "create", "--name", " ", "--email", "ana@example.com"}, "--name: must not be empty"},
		{[]string{"account", "create", "--name", long, "--email", "ana@example.com"}, "--name: " + most},
		{[]string{"account", "create", "--name", "Loja", "--email", long + "@b.co"}, "--email: " + most},
	} {
		stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database}, c.words...)
		if status != statusUsage || !strings.HasPrefix(stderr, "bordero: "+c.want+";") || stdout != "" {
			t.Errorf("%q: exit status %d, %s%s", c.words, status, stdout, stderr)
		}
	}
	db := storagetest.DB(t, database)
	var stored int
	if err := db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM tokens) + (SELECT count(*) FROM users) +
		(SELECT count(*) FROM accounts)`).Scan(&stored); err != nil || stored != 3 {
		t.Errorf("%d rows, %v", stored, err)
	}
	said := printed(t, database, append(token, long[2:])...)
	if !strings.Contains(said, "token ") || !strings.Contains(printed(t, database, "token", "list", "--account", "1"),
		"\t"+long[2:]+"\n") {
		t.Errorf("a name of 255 characters: %s", said)
	}
}

// One command is one change.
func TestACommandOnMembersOrTokensIsOneChange(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	s := storagetest.Open(t, database, storage.Options{})
	for _, c := range []struct{ command, want string }{
		{"token create --account 1 --email ana@example.com", "tokens.created"},
		{"token create --account 1 --email ana@example.com --deny budgets --entity 1 --read-only --expires 1h",
			"tokens.created"},
		{"token create --account 1 --email ana@example.com --all-accounts", "tokens.created"},
		{"token create --account 1 --email bia@example.com", "members.created tokens.created"},
		{"member add --account 1 --email caio@example.com --deny budgets --entity 1", "members.created"},
		{"member add --account 1 --email caio@example.com --deny budgets", "members.updated"},
		{"member add --account 1 --email caio@example.com --deny budgets", ""},
		{"member remove --account 1 --email caio@example.com", "members.destroyed"},
	} {
		storagetest.Seal(t, s)
		before, err := s.ChangeSpan(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		printed(t, database, strings.Fields(c.command)...)
		storagetest.Seal(t, s)
		var events []string
		for line := range strings.Lines(printed(t, database, "changes", "export", "--account", "1", "--after",
			fmt.Sprint(before.Latest))) {
			var e operators.ExportedChange
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			if e.Attributes == nil && strings.HasSuffix(e.Event, ".updated") {
				t.Errorf("%s: %s without attributes", c.command, e.Event)
			}
			events = append(events, e.Event)
		}
		if got := strings.Join(events, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
}
