package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
)

// exchange is a request that the server of a test expects, and its response.
type exchange struct {
	request string // method and path
	status  int
	header  string // one header of the response: "Name: value"
	body    string
}

// accepted is the answer to an upload, and to a question about a statement, in a state.
func accepted(status string) string {
	return `{"bank_statement":{"id":7,"imported_items_count":3,"duplicate_items_ignored_count":1,"event":{"status":"` +
		status + `","output":"3 lançamentos"}}}`
}

const (
	list = "POST /statements"
	one  = "GET /statements/7"
)

// uploads returns an uploader to a server with these exchanges, and what the server received: the
// idempotency key and the content of each upload.
func uploads(t *testing.T, script ...exchange) (*uploader, *[]string) {
	t.Helper()
	var received []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(script) == 0 {
			t.Errorf("unexpected %s %s", r.Method, r.URL.Path)
			return
		}
		next := script[0]
		script = script[1:]
		if got := r.Method + " " + r.URL.Path; got != next.request {
			t.Errorf("%s, want %s", got, next.request)
		}
		if user, _, _ := r.BasicAuth(); user != "secret" || r.Header.Get("Account-Id") != "5" ||
			r.Header.Get("Accept") != "application/json" {
			t.Errorf("%s: headers %v", next.request, r.Header)
		}
		if r.Method+" "+r.URL.Path == list {
			file, header, err := r.FormFile("bank_statement[file]")
			if err != nil {
				t.Error(err)
				return
			}
			content, _ := io.ReadAll(file)
			received = append(received, fmt.Sprintf("%s %s %s", r.Header.Get("Idempotency-Key"), header.Filename,
				content))
		}
		if name, value, ok := strings.Cut(next.header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(next.status)
		_, _ = io.WriteString(w, next.body)
	}))
	t.Cleanup(func() {
		server.Close()
		if len(script) > 0 {
			t.Errorf("%d requests did not come", len(script))
		}
	})
	return &uploader{url: server.URL + "/statements", server: serverFlags{Token: "secret", Account: 5},
			missing: "no such account", pause: noPause},
		&received
}

// noPause waits not at all.
func noPause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// statementIn writes a statement to a file and returns its path and the key of its upload.
func statementIn(t *testing.T, content string) (path, key string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.ofx")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, fmt.Sprintf("%x", sha256.Sum256([]byte("a.ofx\n"+content)))
}

// oneResult returns the only result of a file.
func oneResult(results []importedFile, stop bool) (importedFile, bool) {
	if len(results) != 1 {
		return importedFile{Output: fmt.Sprint(results)}, stop
	}
	return results[0], stop
}

func TestAFileIsUploadedAndItsEndAwaited(t *testing.T) {
	t.Parallel()
	path, key := statementIn(t, "OFX")
	u, received := uploads(t,
		exchange{list, 201, "", accepted("received")},
		exchange{one, 200, "", accepted("processing")},
		exchange{one, 200, "", accepted(finance.ImportSuccess)})
	f, stop := oneResult(u.importFile(t.Context(), path))
	want := importedFile{File: path, Status: finance.ImportSuccess, StatementID: 7, Output: "3 lançamentos"}
	want.Imported, want.Duplicate = 3, 1
	if !reflect.DeepEqual(f, want) || stop {
		t.Errorf("%+v, %v", f, stop)
	}
	if len(*received) != 1 || (*received)[0] != key+" a.ofx OFX" {
		t.Errorf("received %q", *received)
	}
}

func TestTheSameFileIsUploadedAgainOnlyAfterAnError(t *testing.T) {
	t.Parallel()
	const replayed = "Idempotency-Replayed: true"
	for name, c := range map[string]struct {
		script  []exchange
		uploads int
		status  string
	}{
		"imported before": {[]exchange{
			{list, 201, replayed, accepted("received")}, {one, 200, "", accepted(finance.ImportSuccess)},
		}, 1, finance.ImportSuccess},
		"failed before": {[]exchange{
			{list, 201, replayed, accepted("received")}, {one, 200, "", accepted(finance.ImportError)},
			{list, 201, "", accepted(finance.ImportSuccess)},
		}, 2, finance.ImportSuccess},
		"deleted since": {[]exchange{
			{list, 201, replayed, accepted("received")}, {one, 404, "", ""},
			{list, 201, "", accepted(finance.ImportSuccess)},
		}, 2, finance.ImportSuccess},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, key := statementIn(t, "OFX")
			u, received := uploads(t, c.script...)
			f, _ := oneResult(u.importFile(t.Context(), path))
			if f.Status != c.status || len(*received) != c.uploads ||
				strings.HasPrefix(f.Output, sentBefore) != (c.uploads == 1) {
				t.Errorf("%+v, %d uploads", f, len(*received))
			}
			if c.uploads == 2 && !strings.HasPrefix((*received)[1], key+"-7 ") {
				t.Errorf("the second key is that of %q", (*received)[1])
			}
		})
	}
}

// A file that a colleague has sent, or the member with other rights, is sent under the next key of the token.
func TestAKeyOfAnotherMemberDoesNotRefuseAFile(t *testing.T) {
	t.Parallel()
	reused := exchange{list, 409, "X-Error-Code: key_reused", `{"error":"Esta Idempotency-Key já foi usada."}`}
	path, key := statementIn(t, "OFX")
	for range 2 { // the same keys when it is sent again
		u, received := uploads(t, reused, reused,
			exchange{list, 201, "Idempotency-Replayed: true", accepted("received")}, exchange{one, 404, "", ""},
			exchange{list, 201, "", accepted(finance.ImportSuccess)})
		if f, _ := oneResult(u.importFile(t.Context(), path)); f.Status != finance.ImportSuccess {
			t.Fatalf("%+v", f)
		}
		var keys []string
		for _, r := range *received {
			keys = append(keys, strings.TrimSuffix(r, " a.ofx OFX"))
		}
		own := sha256.Sum256([]byte(key + "secret"))
		want := []string{key, fmt.Sprintf("%s-%x-0", key, own[:4]), fmt.Sprintf("%s-%x-1", key, own[:4]),
			fmt.Sprintf("%s-%x-1-7", key, own[:4])}
		if !slices.Equal(keys, want) {
			t.Errorf("the keys are %q, want %q", keys, want)
		}
	}
	u, received := uploads(t, slices.Repeat([]exchange{reused}, 11)...)
	if f, _ := oneResult(u.importFile(t.Context(), path)); f.Output != "Esta Idempotency-Key já foi usada." ||
		len(*received) != 11 {
		t.Errorf("%+v after %d uploads", f, len(*received))
	}
}

// ofAccounts is the answer to a token that opens two accounts, without the id of one of them.
const ofAccounts = `{"error":"O cabeçalho da requisição não possui o atributo ACCOUNT_ID",` +
	`"status":"unprocessable_entity","accounts":[{"account":{"id":1,"name":"Padaria"}},` +
	`{"account":{"id":2,"name":"Açougue"}}]}`

func TestARefusalSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer exchange
		output string
		stop   bool // the other files would fail too
	}{
		"messages": {exchange{list, 422, "", `{"file":["não é um extrato"],"base":["a","b"]}`},
			"a; b; file não é um extrato", false},
		"a sentence":  {exchange{list, 409, "", `{"error":"chave em uso"}`}, "chave em uso", false},
		"no document": {exchange{list, 500, "", `<html>`}, "the server answers 500 Internal Server Error", false},
		"too large":   {exchange{list, 413, "", ``}, "the file is larger than the server allows", false},
		"the token": {exchange{list, 401, "", `{"error":"HTTP Basic: Access denied."}`},
			"the server does not accept the token", true},
		"no account": {exchange{list, 422, "X-Error-Code: account_required", ofAccounts},
			`the token opens several accounts: choose one by --account: 1 "Padaria", 2 "Açougue"`, true},
		"another account": {exchange{list, 422, "X-Error-Code: unknown_account", ofAccounts},
			`the token does not open account 5: choose one by --account: 1 "Padaria", 2 "Açougue"`, true},
		"no account any more": {exchange{list, 422, "X-Error-Code: account_required", `{"error":"x","accounts":[]}`},
			"the token opens no account now: an administrator must add its user again", true},
		"the rights":   {exchange{list, 403, "", `{}`}, "the token may not import statements", true},
		"the account":  {exchange{list, 404, "", `{}`}, "no such account", true},
		"another host": {exchange{list, 200, "", `<html>`}, "the server is not a bordero server", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := statementIn(t, "OFX")
			u, _ := uploads(t, c.answer)
			f, stop := oneResult(u.importFile(t.Context(), path))
			if f.Status != failed || f.Output != c.output || stop != c.stop {
				t.Errorf("%+v, stop %v", f, stop)
			}
		})
	}
}

func TestAServerThatIsGoneStopsTheRest(t *testing.T) {
	t.Parallel()
	path, _ := statementIn(t, "OFX")
	server := httptest.NewServer(nil)
	server.Close()
	u := &uploader{server: serverFlags{URL: server.URL, Token: "secret"}, url: server.URL + "/statements",
		pause: noPause}
	f, stop := oneResult(u.importFile(t.Context(), path))
	if f.Status != failed || f.Output != "no bordero API answers at "+server.URL+
		": connection refused; is it running?" || strings.Contains(f.Output, "secret") || !stop {
		t.Errorf("%+v, stop %v", f, stop)
	}
}

// A server that asks to wait is asked again later, unless the command is interrupted.
func TestAnInterruptedUploadEnds(t *testing.T) {
	t.Parallel()
	path, _ := statementIn(t, "OFX")
	ctx, interrupt := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "20")
		w.WriteHeader(http.StatusTooManyRequests)
		interrupt()
	}))
	t.Cleanup(server.Close)
	u := &uploader{url: server.URL, server: serverFlags{Token: "secret"}, reached: true}
	f, stop := oneResult(u.importFile(ctx, path))
	if f.Status != failed || f.Output != "interrupted" || !stop {
		t.Errorf("%+v, stop %v", f, stop)
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{dir: "not a file", filepath.Join(dir, "none"): "no such file"} {
		u, _ := uploads(t)
		if f, stop := oneResult(u.importFile(t.Context(), path)); f.Status != failed || f.Output != want || stop {
			t.Errorf("%+v, stop %v", f, stop)
		}
	}
}

// The server of the test refuses a file of another account unless it is accepted.
func TestAFileOfAnotherAccountIsImportedIfItIsAccepted(t *testing.T) {
	t.Parallel()
	path, key := statementIn(t, "OFX")
	const warnings = `[{"code":"other_account","message":"O arquivo é da conta 99-9.","count":2},{"code":"suspects",` +
		`"message":"x","count":1}]`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, accepts := finance.ImportError, r.URL.Query()["accept[]"]
		if slices.Contains(accepts, "other_account") {
			status = finance.ImportSuccess
		}
		if got, want := r.Header.Get("Idempotency-Key"), strings.Join(append([]string{key}, accepts...),
			"-"); got != want {
			t.Errorf("the key is %s, want %s", got, want)
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"bank_statement":{"id":7,"event":{"status":%q,"output":"x","warnings":%s}}}`, status, warnings)
	}))
	t.Cleanup(server.Close)
	const refused = "is refused (other_account): if it belongs to this deposit account, import it with --accept " +
		"other_account"
	for flags, want := range map[string]struct {
		stdout, stderr string // parts
		status         int
	}{
		"": {"\terror\t0\t0\t0\t0\t0\t0\t0\tx\tother_account,suspects\t\t0\n", refused,
			1},
		"--json":                                         {`"status":"error"`, refused, 1},
		"--json --accept other_account":                  {`"warnings":` + warnings, "", 0},
		"--accept other_currency":                        {"\terror\t", refused, 1},
		"--accept wrong":                                 {"", "other_account", 2},
		"--accept other_currency,other_account":          {"\tsuccess\t", "", 0},
		"--accept other_currency --accept other_account": {"\tsuccess\t", "", 0},
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			words := append([]string{"import", "--url", server.URL, "--token", "x", "--entity", "1",
				"--deposit-account", "2", path}, strings.Fields(flags)...)
			stdout, stderr, status := run(t, nil, words...)
			if !strings.Contains(stdout, want.stdout) || !strings.Contains(stderr, want.stderr) || want.stderr == "" &&
				stderr != "" || status != want.status {
				t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
}

// The server of the test reports for which deposit account and account a file comes.
// A line of files with --account alone is refused: it could be one of 0.1.0, where that was the deposit account.
func TestOldNamesOfTheFlagsOfImportAreUnderstood(t *testing.T) {
	t.Parallel()
	path, _ := statementIn(t, "OFX")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(w, `{"error":"%s %s"}`, strings.TrimPrefix(r.URL.Path, "/entities/1/deposit_accounts/"),
			r.Header.Get("Account-Id"))
	}))
	t.Cleanup(server.Close)
	for flags, want := range map[string]struct {
		output, stderr string
		status         int
	}{
		"--deposit-account 2":                        {"2/bank_statements ", "", 1},
		"--deposit-account 2 --account 3":            {"2/bank_statements 3", "", 1},
		"--deposit-account 2 --tenant 3":             {"2/bank_statements 3", "", 1},
		"--deposit-account 0 --account 3":            {"/entities/1/bank_statements 3", "", 1},
		"--deposit-account 0":                        {"/entities/1/bank_statements ", "", 1},
		t.TempDir() + " --account 3":                 {"/entities/1/bank_statements 3", "", 1},
		"--account 2":                                {"", "--deposit-account 2; ", 2},
		"--account 3":                                {"", "--deposit-account 0 --account 3;", 2},
		"--account 2 --tenant 3":                     {"", "--deposit-account 2; ", 2},
		"--deposit-account 2 --account 3 --tenant 3": {"", "give only one of them", 2},
		"--tenant 3":                                 {"/entities/1/bank_statements 3", "", 1},
		"":                                           {"/entities/1/bank_statements ", "", 1},
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			words := append([]string{"import", "--json", "--url", server.URL, "--token", "x", "--entity", "1", path},
				strings.Fields(flags)...)
			stdout, stderr, status := run(t, nil, words...)
			var f importedFile
			_ = json.Unmarshal([]byte(stdout), &f) // empty for wrong usage
			if f.Output != want.output || !strings.Contains(stderr, want.stderr) || want.stderr == "" &&
				strings.Contains(stderr, "--") || status != want.status {
				t.Errorf("%+v, exit status %d, stderr %q", f, status, stderr)
			}
		})
	}
}

// Each file of a folder is routed by the server of the test, by its content; other files are named and skipped. So are
// returns of collections, while a statement in CNAB 240 and Caixa's text are recognised.
func TestAFolderIsImported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"b.ofx": "two", "a.OFX": "one", "c.qif": "bad", "d.ofx": "two",
		"e.pdf": "x", ".f.ofx": "x", "sub/g.ofx": "x",
		"h.RET": "02RETORNO01COBRANCA" + strings.Repeat(" ", 381) + "\r\n",
		"i.ret": "03300000" + strings.Repeat(" ", 232) + "\n03300011E0440" + strings.Repeat("0", 227) + "\n",
		"j.txt": "Conta;Data_Mov;Nr_Doc;Historico;Valor;Deb_Cred\n"} {
		path := filepath.Join(dir, name)
		_ = os.MkdirAll(filepath.Dir(path), 0o700) // else the file cannot be written
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, _, err := r.FormFile("bank_statement[file]")
		if err != nil || r.URL.Path != "/entities/1/bank_statements" {
			t.Errorf("%s: %v", r.URL.Path, err)
			return
		}
		content, _ := io.ReadAll(file)
		const statement = `{"bank_statement":{"id":%d,"deposit_account_id":%[1]d,"file_account_number":"11-%[1]d",` +
			`"imported_items_count":3,"duplicate_items_ignored_count":1,"event":{"status":"success"}}}`
		second := strings.ReplaceAll(strings.Replace(statement, "%d", "%[2]d", 1), "[1]", "[2]")
		switch string(content) {
		case "bad":
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"file":["sem conta"]}`)
		case "one":
			fmt.Fprintf(w, "["+statement+"]", 1)
		default:
			fmt.Fprintf(w, "["+statement+","+second+"]", 1, 2)
		}
	}))
	t.Cleanup(server.Close)
	words := []string{"import", "--url", server.URL, "--token", "x", "--entity", "1", dir}
	stdout, stderr, status := run(t, nil, words...)
	var got []string
	for line := range strings.Lines(stdout) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		got = append(got, strings.Join([]string{filepath.Base(cells[0]), cells[1], cells[2], cells[11]}, " "))
	}
	want := []string{"FILE STATUS IMPORTED ACCOUNT", "a.OFX success 3 11-1", "b.ofx success 3 11-1",
		"b.ofx success 3 11-2", "c.qif failed 0 ", "d.ofx success 3 11-1", "d.ofx success 3 11-2", "e.pdf skipped 0 ",
		"h.RET skipped 0 ", "i.ret success 3 11-1", "i.ret success 3 11-2", "j.txt success 3 11-1",
		"j.txt success 3 11-2", "sub skipped 0 "}
	if !slices.Equal(got, want) || status != 1 {
		t.Errorf("exit status %d, %q", status, got)
	}
	for _, line := range []string{"skipped as no statements: 3 (e.pdf, h.RET, sub)\n[1/9] a.OFX: success, 3 new, 1 " +
		"already known\n", "[3/9] c.qif: failed\n", "not imported: 1 of 6 files"} {
		if !strings.Contains(stderr, line) {
			t.Errorf("it does not say %q: %s", line, stderr)
		}
	}
	if stdout, _, status := run(t, nil, append(words, "--json")...); strings.Count(stdout, "\n") != 13 || status != 1 {
		t.Errorf("exit status %d, %s", status, stdout)
	}
}

// Without a worker, the statement stays pending.
func TestTheWaitForAStatementIsSaidAndEnds(t *testing.T) {
	t.Parallel()
	path, _ := statementIn(t, "OFX")
	looks := []exchange{{list, 201, "", accepted("pending")}}
	const pauses = 22 // 0.2 s, a quarter more each time, 2 s from the twelfth on, and the rest
	for range pauses {
		looks = append(looks, exchange{one, 200, "", accepted("pending")})
	}
	u, _ := uploads(t, looks...)
	var remarks strings.Builder
	var waited, longest time.Duration
	u.timeout, u.remarks = 30*time.Second, &remarks
	u.pause = func(_ context.Context, d time.Duration) error {
		waited, longest = waited+d, max(longest, d)
		return nil
	}
	f, stop := oneResult(u.importFile(t.Context(), path))
	if f.Status != statusUnknown || !f.lost() || !stop || f.StatementID != 7 ||
		f.Output != "bank statement 7 is still pending after 30s: look at it later, at "+u.url+"/7" {
		t.Errorf("%+v, %v", f, stop)
	}
	if waited != u.timeout || longest != longestPause {
		t.Errorf("waited %v, at most %v at once", waited, longest)
	}
	if want := "waiting: bank statement 7 is still pending; is `work statements` running?\n"; remarks.String() != want {
		t.Errorf("said %q", remarks.String())
	}
}
