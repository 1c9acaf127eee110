package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

// The commands of docs/operations/watch.md answer its questions to the log.
func TestQuestionsToTheLog(t *testing.T) {
	t.Parallel()
	if err := private.Install(t.Context(), func(s string) { t.Log(s) }, "jq"); err != nil {
		t.Fatal(err)
	}
	s := e2etest.New(t, e2etest.Set("BORDERO_LOG_FORMAT=json"), e2etest.Delivering("50ms"))
	api, scheduler := s.Serve()
	courier := s.Start("work", "webhooks").Ready()
	other := e2etest.Client{URL: s.URL}
	if err := json.Unmarshal([]byte(s.Run("account", "create", "--name", "Café", "--email", "bia@example.com",
		"--json")), &other); err != nil {
		t.Fatal(err)
	}

	// The other account asks more; of the first one's entity it finds nothing.
	into := s.NewDepositAccount(t, "")
	const asked = 7
	for range asked {
		other.Get(t, paths.Entity(other.Entity), &struct{}{})
	}
	if a, err := other.Do("GET", paths.Entity(s.Entity), "", nil); err != nil || a.Status != http.StatusNotFound {
		t.Fatalf("%d, %v", a.Status, err)
	}
	read := []string{paths.Entity(s.Entity), paths.DepositAccount(s.Entity, into)}
	for _, path := range read {
		s.Get(t, path, &struct{}{})
	}

	// An import that waits for an hour, and two webhooks, of which one is slow.
	s.MustUpload(t, into, statementtest.OFX(10))
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE jobs SET due_at = due_at - interval '1 hour'
		WHERE kind = 'import_statement'`); err != nil {
		t.Fatal(err)
	}
	worker := s.Worker()
	const pause = 300 * time.Millisecond
	quick, slow := e2etest.NewReceiver(t), e2etest.NewReceiver(t)
	slow.Answers("/", func(http.ResponseWriter, *http.Request) { time.Sleep(pause) })
	quickID, slowID := subscribe(t, s, quick.URL+"/"), subscribe(t, s, slow.URL+"/")
	mustHappen(t, s)
	testkit.Eventually(t, "the end of the import and of the attempts", func() bool {
		tried := func(id int64) bool {
			return strings.Contains(courier.Out.String(), fmt.Sprintf(`"key":"webhook:%d"`, id))
		}
		return strings.Contains(worker.Out.String(), `"kind":"import_statement"`) && tried(quickID) && tried(slowID)
	})

	answers := answerQuestions(t, s.Entity, into, api, scheduler, courier, worker)
	loads := documents[struct {
		AccountID      int64 `json:"account_id,string"`
		Requests, Jobs int
		Database       float64 `json:"database_ms"`
		Working        float64 `json:"jobs_ms"`
	}](t, answers[0])
	// The slow deliveries of the first account are the most.
	if len(loads) != 2 || loads[0].AccountID != s.ID || loads[0].Requests != 5 || loads[0].Jobs < 3 ||
		loads[0].Working < float64(pause.Milliseconds()) ||
		loads[1].AccountID != other.ID || loads[1].Requests != asked+1 || loads[1].Jobs != 0 || loads[1].Database <= 0 {
		t.Errorf("the load is %s", answers[0])
	}
	var readers []string
	for line := range strings.Lines(answers[1]) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 5 || f[1] == "" || f[2] != s.Token[:6] || f[3] != "127.0.0.1" {
			t.Fatalf("the reader is %s", line)
		}
		readers = append(readers, f[4])
	}
	if fmt.Sprint(readers) != fmt.Sprint(read) {
		t.Errorf("read was %s, not %s", readers, read)
	}
	imports := documents[struct {
		Result   string
		Attempts int
		Waited   float64 `json:"waited_ms"`
		Took     float64 `json:"took_ms"`
	}](t, answers[2])
	if len(imports) != 1 || imports[0].Result != "done" || imports[0].Attempts != 1 ||
		imports[0].Waited < float64(time.Hour.Milliseconds()) || imports[0].Took <= 0 ||
		imports[0].Took >= imports[0].Waited {
		t.Errorf("the imports are %s", answers[2])
	}
	webhooks := documents[struct {
		WebhookID int64 `json:"webhook_id,string"`
		Host      string
		Delivered int
		Longest   float64 `json:"longest_ms"`
	}](t, answers[3])
	for i, want := range []struct {
		id  int64
		url string
	}{{slowID, slow.URL}, {quickID, quick.URL}} {
		if len(webhooks) != 2 || webhooks[i].WebhookID != want.id || "http://"+webhooks[i].Host != want.url ||
			webhooks[i].Delivered == 0 ||
			webhooks[0].Longest < float64(pause.Milliseconds()) {
			t.Errorf("the endpoints are %s", answers[3])
		}
	}
}

// answerQuestions runs the commands of the document over the output of the processes, and returns what each prints.
func answerQuestions(t *testing.T, entity, depositAccount int64, processes ...*e2etest.Process) (answers []string) {
	t.Helper()
	document, err := os.ReadFile("../docs/operations/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, questions, _ := strings.Cut(string(document), "\n### Questions to the log\n")
	questions, _, _ = strings.Cut(questions, "\n## ")
	dir, log := t.TempDir(), ""
	for _, p := range processes {
		log += p.Out.String()
	}
	if err := os.WriteFile(filepath.Join(dir, "bordero.log"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range fence.FindAllStringSubmatch(questions, -1) {
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
		defer cancel()
		bash := exec.CommandContext(ctx, "bash", "-euc", command[2])
		bash.Dir = dir
		bash.Env = append(os.Environ(), "ENTITY="+strconv.FormatInt(entity, 10),
			"DEPOSIT_ACCOUNT="+strconv.FormatInt(depositAccount, 10))
		out, err := bash.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, command[2], out)
		}
		answers = append(answers, string(out))
	}
	if len(answers) != 4 {
		t.Fatalf("%d questions", len(answers))
	}
	return answers
}

// documents decodes lines of JSON.
func documents[T any](t *testing.T, text string) (all []T) {
	t.Helper()
	for d := json.NewDecoder(bytes.NewReader([]byte(text))); d.More(); {
		var one T
		if err := d.Decode(&one); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		t.Fatal("no answer")
	}
	return all
}
