package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"

	"golang.org/x/crypto/bcrypt"
)

// No log contains data of a tenant or a secret, whatever the request and its result. Every line
// names its request or its job.
func TestLogs(t *testing.T) {
	t.Parallel()
	hash, err := bcrypt.GenerateFromPassword([]byte("hunter2"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	addr := e2etest.Loopback()
	s := e2etest.New(t, e2etest.Set("BORDERO_LOG_LEVEL=debug"), e2etest.Set("BORDERO_LOG_FORMAT=json"),
		e2etest.Set("BORDERO_MONITOR_ADDR="+addr), e2etest.Set("BORDERO_MONITOR_USER=operator"),
		e2etest.Set("BORDERO_MONITOR_PASSWORD_HASH="+string(hash)), e2etest.Delivering("50ms"))
	api, scheduler := s.Serve()
	worker, sales, signer := s.Worker(), s.Start("work", "sales").Ready(), s.Start("work", "signing").Ready()

	courier, deletions := s.Start("work", "webhooks").Ready(), s.Start("work", "deletions").Ready()
	reconciler, monitor := s.Start("work", "reconciliation").Ready(), s.Start("monitor").Ready()

	const name, amount, number = "Zebrulina Quitanda", "98765.43", "31415926"
	ask := func(method, path string, document any, headers ...string) int {
		t.Helper()
		body, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(s.Token, "hunter2")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Request-Id", "asked-for-it")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	r := e2etest.NewReceiver(t)
	r.Answers("/hook-of-ana", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, name+" "+amount, http.StatusInternalServerError)
	})
	into := s.NewDepositAccount(t, number)
	subscribe(t, s, r.URL+"/hook-of-ana")
	transactions, payables, people := paths.FinancialTransactions(s.Entity, into), paths.Entity(s.Entity)+
		"/payable_accounts", "/people"
	for _, c := range []struct {
		method, path string
		document     map[string]any
		want         int
	}{
		{"POST", "/entities", map[string]any{"entity": map[string]any{"name": name}}, 201},
		{"POST", people, map[string]any{"person": map[string]any{"name": name, "email": name, "customer": true}}, 201},
		{"POST", transactions, map[string]any{
			"financial_transaction": map[string]any{"type": "Credit", "amount": amount, "occurred_at": "2026-01-02",
				"document": number, "user_description": name}}, 201},
		{"POST", transactions, map[string]any{
			"financial_transaction": map[string]any{"type": name, "amount": amount + "9",
				"document": strings.Repeat(number, 100)}}, 422},
		{"POST", payables, map[string]any{
			"payable_account": map[string]any{"description": name, "nominal_amount": amount, "due_date": "2026-01-02"}},
			201},
		{"POST", payables, map[string]any{name: amount}, 422},
		{"PUT", paths.DepositAccount(s.Entity, into), map[string]any{
			"deposit_account": map[string]any{"automatic_reconciliation": true}}, 200},
		{"GET", people + "?search%5Bnome%5D=Zebrulina+Quitanda&access_token=" + s.Token, nil, 422},
	} {
		if got := ask(c.method, c.path, c.document); got != c.want {
			t.Errorf("%s %s: %d, not %d", c.method, c.path, got, c.want)
		}
	}
	ask("GET", "/accounts", nil, "Authorization", "Bearer sesame-"+s.Token)

	// A statement that is imported, one that is broken, and one whose file is gone.
	s.Import(t, into, statementtest.OFX(10))
	broken := s.MustUpload(t, into, append([]byte("OFXHEADER:100\n\n<OFX>"),
		[]byte("<NAME>"+name+"<TRNAMT>"+amount)...))
	s.AwaitEnd(t, broken)
	worker.Pause()
	lost := s.MustUpload(t, into, statementtest.OFX(10, statementtest.From(10)))
	if err := os.Remove(s.File(lost.ID)); err != nil {
		t.Fatal(err)
	}
	worker.Resume()
	testkit.Eventually(t, "a failure is logged", func() bool {
		return strings.Contains(worker.Out.String(), `"result":"failed"`)
	})

	// A database error during a request.
	if _, err := s.DB.ExecContext(t.Context(), `ALTER TABLE people ADD CONSTRAINT broken CHECK (name <>
		'Zebrulina Quitanda 2')`); err != nil {
		t.Fatal(err)
	}
	if got := ask("POST", people, map[string]any{
		"person": map[string]any{"name": name + " 2", "customer": true}}); got != 500 {
		t.Errorf("a broken constraint: %d", got)
	}

	// The file of an attachment, by the address that grants access.
	attachment, err := s.Attach("nota.txt", strings.NewReader(name))
	if err != nil {
		t.Fatal(err)
	}
	address := s.Address(t, attachment)
	if file := e2etest.Fetch(t, address); string(file.Body) != name {
		t.Errorf("a download: %v", e2etest.Refused{Answer: file})
	}

	// A password that is wrong, and a search for a member, on the monitor.
	var session *http.Cookie
	visit := func(method, path string, form url.Values, want int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+addr+"/monitoring"+path,
			strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if session != nil {
			r.AddCookie(session)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Fatalf("%s %s of the monitor: %d, not %d", method, path, answer.StatusCode, want)
		}
		for _, cookie := range answer.Cookies() {
			session = cookie
		}
	}
	visit("POST", "/login", url.Values{"user": {"operator"}, "password": {"sesame"}}, http.StatusUnauthorized)
	visit("POST", "/login", url.Values{"user": {"operator"}, "password": {"hunter2"}}, http.StatusSeeOther)
	visit("GET", fmt.Sprintf("/audit?account_id=%d&user=ana@example.com", s.ID), nil, http.StatusOK)

	testkit.Eventually(t, "a reconciliation is done", func() bool {
		return strings.Contains(reconciler.Out.String(), `"result":"done"`)
	})
	testkit.Eventually(t, "a webhook is in error", func() bool {
		return strings.Contains(courier.Out.String(), "webhook is in error")
	})
	if got := ask("DELETE", paths.DepositAccount(s.Entity, into), nil); got >= 300 {
		t.Errorf("a deletion: %d", got)
	}
	testkit.Eventually(t, "a deletion is done", func() bool {
		return strings.Contains(deletions.Out.String(), `"result":"done"`)
	})

	secrets := []string{s.Token, "sesame", "hunter2", name, "Zebrulina", amount, number, passwordOf(s.Redis.URL()),
		"ana@example.com", "0123456789abcdef01234567", "hook-of-ana", path.Base(address), session.Value}
	asked, failed := false, false
	for _, p := range []*e2etest.Process{api, scheduler, worker, sales, signer, courier, deletions, reconciler,
		monitor} {
		for line := range strings.Lines(p.Out.String()) {
			var said map[string]any
			if err := json.Unmarshal([]byte(line), &said); err != nil {
				t.Errorf("%s: no JSON: %s", p.Name, line)
				continue
			}
			for _, secret := range secrets {
				if strings.Contains(line, secret) {
					t.Errorf("%s logs %q: %s", p.Name, secret, line)
				}
			}
			switch said["msg"] {
			case "request":
				asked = asked || said["request_id"] == "asked-for-it"
				if id, _ := said["request_id"].(string); id == "" || said["status"] == nil || said["took_ms"] == nil ||
					said["address"] == nil {
					t.Errorf("a request is logged as %v", slices.Sorted(maps.Keys(said)))
				}
			case "job ended":
				failed = failed || said["result"] == "failed"
				if said["job_id"] == nil || said["request_id"] == nil || said["kind"] == nil ||
					said["account_id"] == nil {
					t.Errorf("a job is logged as %v", slices.Sorted(maps.Keys(said)))
				}
			}
		}
	}
	if !asked || !failed {
		t.Errorf("requests are logged: %v, failures: %v", asked, failed)
	}
}
