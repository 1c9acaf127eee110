package monitor

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestWhyWasThisImportLate asks the page about one record: the import was due at once, waited for four hours, failed
// once, and worked for two minutes.
func TestWhyWasThisImportLate(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.exec(`INSERT INTO finished_jobs (attempts, jobs, id, account_id, record_id, created_at, first_due_at, started_at,
			claimed_at, ended_at, kind, queue, result, request_id, error)
		SELECT 2, 1, 17, $1::bigint, 31, at, at, at + interval '4 hours', at + interval '4 hours 10 minutes',
			at + interval '4 hours 12 minutes', 'import_statement', 'statements', 'done', 'req-7', '<no disk>'
		FROM (SELECT now() - interval '1 day') yesterday (at)`, b.AccountID)
	b.exec(`INSERT INTO finished_jobs (attempts, jobs, id, account_id, record_id, created_at, first_due_at, started_at,
			claimed_at, kind, queue, result)
		SELECT 1, CASE n WHEN 60 THEN 3 ELSE 1 END, 100 + n, CASE n WHEN 0 THEN $2::bigint ELSE $1 END, 500 + n, now(),
			now(),
			now(), now(), 'price_sales', 'sales', CASE n WHEN 60 THEN 'failed' ELSE 'done' END
		FROM generate_series(0, 60) n`, b.AccountID, b.AccountID+1)
	s := openWith(t, b.Config)
	s.logIn(t, "guest", password)
	search := func(query string) answer {
		return s.do(t, "GET", fmt.Sprintf("%s?account_id=%d%s", finishedJobs, b.AccountID, query), nil)
	}
	has := func(what string, page answer, status int, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if page.status != status || !strings.Contains(page.body, text) {
				t.Errorf("%s: %d lacks %q", what, page.status, text)
			}
		}
		if t.Failed() {
			t.Log(page.body)
		}
	}
	late := search("&kind=import_statement&record_id=31")
	has("the late import", late, 200, ">4.0 h</div>", ">2 min</div>", ">4.2 h</div>", ">2</div>", "job 17",
		"<div>done<small>&lt;no disk&gt;</small>", fmt.Sprintf("audit?account_id=%d&amp;request_id=req-7", b.AccountID),
		`name="record_id" type="text" value="31"`, `<b aria-current="page">Finished jobs</b>`)
	if n := strings.Count(late.body, "<tr>"); n != 2 {
		t.Errorf("%d rows", n)
	}
	has("what failed", search("&result=failed"), 200, "failed", "job 160 and 2 more in one run")
	first := search("")
	_, older, found := strings.Cut(first.body, `&amp;before=`)
	older, _, _ = strings.Cut(older, `"`)
	if !found || strings.Contains(first.body, "Newest") || strings.Contains(first.body, "job 17<") {
		t.Errorf("the first page: %s", first.body)
	}
	has("the second page", search("&before="+older), 200, "job 17", ">Newest</a>")
	has("nothing", search("&kind=import_statment"), 200, "No job that ended in the last seven days fits the search.",
		"This release has no kind import_statment. It has import_statement, price_sales.")
	if strings.Contains(late.body, "This release") {
		t.Errorf("a known kind: %s", late.body)
	}
	for query, want := range map[string]string{
		"&record_id=x": "Record: &#34;x&#34; is not an id.", "&result=late": "Write done or failed.",
		"&kind=%00": "Kind: ", "&before=1": "Before: ", "&before=99999999999999999999.1": "Before: ",
		"&since=now": "Since: ",
	} {
		has(query, search(query), http.StatusUnprocessableEntity, want)
	}
	has("no account", s.do(t, "GET", finishedJobs+"?kind=x", nil), http.StatusUnprocessableEntity,
		"Account: enter its id.")
}

func TestTheLastHour(t *testing.T) {
	t.Parallel()
	b, _ := busy(t)
	b.exec(`INSERT INTO finished_jobs (attempts, jobs, id, account_id, created_at, claimed_at, kind, queue, result)
		VALUES (1, 1, 1, $1, now(), now() - interval '90 s', 'price_sales', 'sales', 'done'),
			(1, 1, 2, 99, now(), now() - interval '5 s', 'price_sales', 'sales', 'failed')`, b.AccountID)
	b.exec(`UPDATE delivery_attempts SET started_at = now() - interval '4 s', finished_at = now() - interval '1 s',
		response_code = 204, error = 'only 200 delivers'`)
	s := openWith(t, b.Config)
	s.logIn(t, "guest", password)
	page := s.do(t, "GET", finishedJobs, nil)
	accounts, endpoints, _ := strings.Cut(page.body, "Slowest webhook endpoints")
	for part, wants := range map[string][]string{
		accounts: {">2 min</div>", ">5.0 s</div>", fmt.Sprintf(`%s?account_id=99">99</a>`, finishedJobs),
			fmt.Sprintf(`bad"><div><a href="%s?account_id=99&amp;result=failed">1</a>`, finishedJobs)},
		endpoints: {">3.0 s</div>", "account " + fmt.Sprint(b.AccountID), `bad"><div>1</div>`},
	} {
		for _, want := range wants {
			if page.status != 200 || !strings.Contains(part, want) {
				t.Errorf("%d lacks %q: %s", page.status, want, part)
			}
		}
	}
}
