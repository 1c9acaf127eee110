package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
)

// changedAccount is a database with an account that has four changes, and its sealer.
func changedAccount(t *testing.T) (database string, s *storage.Store, seal func()) {
	t.Helper()
	database = storagetest.DatabaseURL(t)
	printed(t, database, "account", "create", "--name", "Padaria", "--email", "ana@example.com")
	s = storagetest.Open(t, database, storage.Options{})
	seal = func() {
		t.Helper()
		storagetest.Seal(t, s)
	}
	emitPerson(t, s, finance.Updated, `{"name":["Ana","Zoë & Cia \"x\""]}`)
	seal()
	return database, s, seal
}

func emitPerson(t *testing.T, s *storage.Store, action finance.Action, attributes string) {
	t.Helper()
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.Emit(t.Context(), finance.Event{Family: finance.PeopleFamily, Action: action, AccountID: 1,
			IDs: []int64{7}, Attributes: attributes})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestChangesAreShownExportedAndChecked(t *testing.T) {
	t.Parallel()
	database, _, _ := changedAccount(t)
	tail := printed(t, database, "changes", "tail", "--account", "1", "--once", "--last", "1")
	want := regexp.MustCompile(`^SEQUENCE\tTIME\tEVENT\tENTITY\tRECORDS\tBY\tATTRIBUTES\n\d+\t[-0-9: ` +
		`]{19}\tpeople.updated\t-\t7\tcommand\t{"name":.*}\n$`)
	if !want.MatchString(tail) {
		t.Errorf("%q", tail)
	}
	if only := printed(t, database, "changes", "tail", "--account", "1", "--once", "--events",
		"tokens.*"); strings.Count(only, "\n") != 2 {
		t.Errorf("%q", only)
	}
	if both := printed(t, database, "changes", "tail", "--account", "1", "--once", "--events", "tokens.*",
		"--events", "people.updated,people.created"); strings.Count(both, "\n") != 3 {
		t.Errorf("%q", both)
	}
	export := printed(t, database, "changes", "export", "--account", "1")
	n := strings.Count(export, "\n")
	file := filepath.Join(t.TempDir(), "changes.jsonl")
	if err := os.WriteFile(file, []byte(export), 0o600); err != nil {
		t.Fatal(err)
	}
	end := fmt.Sprintf("%d changes follow each other; the last is %d with the hash ", n, n)
	for _, args := range [][]string{{"changes", "verify", file}, {"changes", "verify", "--account", "1"}} {
		if said := printed(t, database, args...); !strings.HasPrefix(said, end) {
			t.Errorf("%v: %s", args, said)
		}
	}
	for part, other := range map[string]string{`"people.updated"`: `"people.created"`, `Zoë`: `Zoe`,
		`"record_ids":[7]`: `"record_ids":[8]`} {
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(export, part, other)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, stderr, status := run(t, nil, "changes", "verify", file)
		if !strings.HasPrefix(stderr, fmt.Sprintf("bordero: change %d: ", n)) || status != statusFailure {
			t.Errorf("%s: exit status %d, %s", part, status, stderr)
		}
	}
	first, _, _ := strings.Cut(export, "\n")
	if err := os.WriteFile(file, []byte(strings.Replace(first, `"record_ids":[`, `"record_ids":[9,`, 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := run(t, nil, "changes", "verify", file); !strings.HasPrefix(stderr, "bordero: change 1: ") ||
		status != statusFailure {
		t.Errorf("the first change: exit status %d, %s", status, stderr)
	}
	for _, args := range [][]string{{"changes", "verify"}, {"changes", "tail", "--account", "1", "--once", "--events",
		"foo"}} {
		if _, stderr, status := run(t, []string{"DATABASE_URL=" + database}, args...); status != statusUsage {
			t.Errorf("%v: exit status %d, %s", args, status, stderr)
		}
	}
}

// An export never begins later than it was asked to.
func TestAnExportBeginsWhereItWasAskedTo(t *testing.T) {
	t.Parallel()
	database, s, _ := changedAccount(t)
	span, err := s.ChangeSpan(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storagetest.DB(t, database).ExecContext(t.Context(),
		`UPDATE change_heads SET dropped = 2`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		account string
		after   int64
		lines   int64
		want    string
	}{
		{"1", 0, span.Latest - 2, ""},
		{"1", 1, 0, "bordero: --after 1: the changes up to 2 are no longer stored; without --after the export begins " +
			"with 3\n"},
		{"1", 2, span.Latest - 2, ""},
		{"1", span.Latest, 0, ""},
		{"1", span.Latest + 1, 0, fmt.Sprintf("bordero: --after %d: the last change of account 1 is %d\n",
			span.Latest+1, span.Latest)},
		{"99", 0, 0, "bordero: there is no account 99; bordero account list shows them\n"},
	} {
		stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database}, "changes", "export", "--account",
			c.account, "--after", fmt.Sprint(c.after))
		if int64(strings.Count(stdout, "\n")) != c.lines || stderr != c.want || (status == 0) != (c.want == "") {
			t.Errorf("account %s after %d: exit status %d, %q, %s", c.account, c.after, status, stderr, stdout)
		}
	}
}

// An account that does not exist is an error at once: a wrong id would be waited for without end, or look as if it had
// nothing to list.
func TestAMissingAccountIsRefused(t *testing.T) {
	t.Parallel()
	database, _, _ := changedAccount(t)
	for _, command := range []string{"changes tail", "listen", "listen --forward http://127.0.0.1:8081/",
		"changes export", "changes verify", "member list", "member list --json", "token list", "token list --json",
		"jobs list", "jobs list --json", "account link --email ana@example.com",
		"member remove --email ana@example.com"} {
		stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database},
			append(strings.Fields(command), "--account", "99")...)
		if stdout != "" || stderr != "bordero: there is no account 99; bordero account list shows them\n" ||
			status != statusFailure {
			t.Errorf("%s: exit status %d, %s, %s", command, status, stderr, stdout)
		}
	}
}

// The account's last change is stored apart from the changes, so that those removed at their end are missed.
func TestRemovedChangesAreMissed(t *testing.T) {
	t.Parallel()
	database, s, _ := changedAccount(t)
	db := storagetest.DB(t, database)
	span, err := s.ChangeSpan(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(want, account string) {
		t.Helper()
		_, stderr, status := run(t, []string{"DATABASE_URL=" + database}, "changes", "verify", "--account", account)
		if !strings.HasPrefix(stderr, "bordero: "+want) || status != statusFailure {
			t.Errorf("exit status %d, %s", status, stderr)
		}
	}
	refused("there is no account 99;", "99")
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE change_heads SET hash = sha256(hash)`)
	refused(fmt.Sprintf("change %d: its hash is not that of", span.Latest), "1")
	exec(`DELETE FROM changes WHERE sequence = $1`, span.Latest)
	refused(fmt.Sprintf("change %d: it is the last one stored, but the account's last is change %d", span.Latest-1,
		span.Latest), "1")
	exec(`DELETE FROM changes`)
	refused("change 0: ", "1")
}

// The script in docs/changes.md checks an export as bordero does.
func TestTheScriptChecksAnExport(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	doc, err := os.ReadFile("../../docs/changes.md")
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(doc)
	database, _, _ := changedAccount(t)
	export := printed(t, database, "changes", "export", "--account", "1")
	check := func(export string) (string, error) {
		c := exec.CommandContext(t.Context(), python, "-c", string(script[1]))
		c.Stdin = strings.NewReader(export)
		said, err := c.CombinedOutput()
		return string(said), err
	}
	var last operators.ExportedChange
	lines := strings.Split(strings.TrimSpace(export), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if said, err := check(export); err != nil || said != fmt.Sprintf("last %d %s\n", last.Sequence, last.Hash) {
		t.Errorf("%v: %s", err, said)
	}
	if said, err := check(strings.Replace(export, `"record_ids":[7]`, `"record_ids":[8]`, 1)); err == nil {
		t.Errorf("a changed export passes: %s", said)
	}
}

// listen posts what a webhook would receive, signed, to a local address.
func TestListenForwardsChanges(t *testing.T) {
	t.Parallel()
	_, s, seal := changedAccount(t)
	type notification struct {
		body   string
		header http.Header
	}
	received := make(chan notification, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- notification{string(body), r.Header}
	}))
	t.Cleanup(receiver.Close)
	l := listenCommand{Forward: receiver.URL, Format: "json", Secret: strings.Repeat("0a", 12)}
	send, err := l.forward(t.Context(), "https://api.example.com")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	span, err := s.ChangeSpan(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	go func() { done <- follow(ctx, s, 1, span.Latest, []string{"people.*"}, false, send) }()
	emitPerson(t, s, finance.Created, "")
	seal()
	got := <-received
	var body struct {
		Event    string
		ChangeID int64 `json:"change_id"`
		Person   struct{ ID int64 }
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Event != "people.created" ||
		body.ChangeID == 0 || body.Person.ID != 7 {
		t.Errorf("%v: %s", err, got.body)
	}
	for _, name := range []string{"Webhook-Signature", "Webhook-Id", "X-Service-Signature"} {
		if got.header.Get(name) == "" {
			t.Errorf("no %s in %v", name, got.header)
		}
	}
	emitPerson(t, s, finance.Updated, "")
	seal()
	next := <-received
	// Receivers refuse a request id that is no such one, and one that they know.
	one, other := got.header.Get("X-Service-RequestId"), next.header.Get("X-Service-RequestId")
	if form := regexp.MustCompile(`^[0-9a-f]{32}$`); !form.MatchString(one) || !form.MatchString(other) ||
		one == other {
		t.Errorf("the request ids are %q and %q", one, other)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Ctrl-C is no failure, also while a notification is sent, and the changes after that one are not shown as if they had
// been sent.
func TestTheEndOfListeningIsNoFailure(t *testing.T) {
	t.Parallel()
	_, s, seal := changedAccount(t)
	emitPerson(t, s, finance.Updated, "")
	seal()
	ctx, interrupt := context.WithCancel(t.Context())
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
		interrupt()
		<-r.Context().Done()
	}))
	t.Cleanup(hanging.Close)
	l := listenCommand{Forward: hanging.URL, Format: "json", Secret: "0a"}
	send, err := l.forward(ctx, "https://api.example.com")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	err = follow(ctx, s, 1, 0, []string{"people.*"}, false, func(c *storage.Change) error {
		shown++
		return send(c)
	})
	if err != nil || shown != 1 {
		t.Errorf("%d changes are shown, %v", shown, err)
	}
}

// Clients that follow lists do not wait for a check, which may read for hours.
func TestACheckHoldsUpNoFollower(t *testing.T) {
	t.Parallel()
	database, s, _ := changedAccount(t)
	owner := storagetest.DB(t, database) // the role of the store does not see the transactions of the owner
	for _, line := range []string{"verify", "changes verify --account 1"} {
		lock, err := owner.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lock.ExecContext(t.Context(), `LOCK TABLE change_heads`); err != nil {
			t.Fatal(err)
		}
		ended := make(chan int, 1)
		go func() {
			_, _, status := run(t, []string{"DATABASE_URL=" + database}, strings.Fields(line)...)
			ended <- status
		}()
		storagetest.AwaitLock(t, owner, 1)
		reading, err := s.Clock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, line+" holds up no follower", func() bool {
			until, err := s.ChangesUntil(t.Context())
			return err == nil && until.After(reading)
		})
		if err := lock.Rollback(); err != nil {
			t.Fatal(err)
		}
		if status := <-ended; status != 0 {
			t.Errorf("%s: exit status %d", line, status)
		}
	}
}
