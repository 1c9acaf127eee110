package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
)

func TestExport(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		token, _, _ := r.BasicAuth()
		switch {
		case token != "secret":
			http.Error(w, `{"error":"denied"}`, http.StatusUnauthorized)
		case r.URL.Path == "/broken.csv":
			_, _ = w.Write([]byte("id\r\n1\r\n"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case requests == 1:
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"error":"busy"}`, http.StatusTooManyRequests)
		case requests < 4: // net/http repeats the first of these itself
			panic(http.ErrAbortHandler)
		case r.URL.Query().Has("event"): // changes of three sheets, the last of which may break off or be refused
			after, event := r.URL.Query().Get("after"), r.URL.Query().Get("event")
			if after == "2" && event == "refused" {
				http.Error(w, `{"error":"gone"}`, http.StatusGone)
				return
			}
			if next := map[string]string{"0": "1", "1": "2"}[after]; next != "" {
				w.Header().Set("Link", `<https://example.com`+r.URL.Path+`?after=`+next+`&event=`+event+`>; rel="next"`)
			}
			fmt.Fprint(w, "\ufeffid,event\r\n", after, ",", event, "\r\n")
			if after == "2" && event == "broken" {
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
		default:
			w.Header().Set("X-Total-Count", "1")
			fmt.Fprint(w, r.URL, " ", r.Header.Get("Accept-Language"), " ", r.Header.Get("Account-Id"))
		}
	}))
	defer server.Close()
	t.Setenv("BORDERO_URL", server.URL+"/")
	t.Setenv("BORDERO_TOKEN", "secret")
	file := filepath.Join(t.TempDir(), "contas.csv")
	export := func(args ...string) int {
		return Run(t.Context(), append([]string{"export", "-o", file}, args...))
	}
	for path, want := range map[string]string{"/people": "/people.csv?", "people.csv": "/people.csv?",
		"/changes?after=7": "/changes.csv?after=7&"} {
		if status := export(path, "--search", "name=a,b", "--language", "pt-BR", "--account", "3"); status != 0 {
			t.Fatalf("%s: status %d", path, status)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want+"search%5Bname%5D=a%2Cb pt-BR 3" {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if status := export("/changes?after=0&event=all"); status != 0 {
		t.Errorf("changes of three sheets: status %d", status)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "\ufeffid,event\r\n0,all\r\n1,all\r\n2,all\r\n" {
		t.Errorf("changes of three sheets: %q, %v", got, err)
	}
	workbook := filepath.Join(filepath.Dir(file), "contas.XLSX")
	for _, args := range [][]string{
		{"/people", "-o", workbook}, {"/people.csv", "-o", workbook}, {"/people", "--xlsx"}, {"/people.xlsx"},
		{"people.xlsx/", "--xlsx", "-o", workbook},
	} {
		if status := export(args...); status != 0 {
			t.Fatalf("%v: status %d", args, status)
		}
		written := file
		if slices.Contains(args, workbook) {
			written = workbook
		}
		if got, err := os.ReadFile(written); err != nil || string(got) != "/people.xlsx en " {
			t.Errorf("%v: %q, %v", args, got, err)
		}
	}
	if status := export("/people?search[name]=a", "-s", "name=b", "-s", "name=c"); status != 0 {
		t.Errorf("a filter three times: status %d", status)
	}
	if got, _ := os.ReadFile(file); string(got) != "/people.csv?"+
		strings.Join([]string{"search%5Bname%5D=a", "search%5Bname%5D=b", "search%5Bname%5D=c"}, "&")+" en " {
		t.Errorf("the server does not see all values of a filter: %q", got)
	}
	link := filepath.Join(filepath.Dir(file), "link")
	if err := errors.Join(os.Symlink(filepath.Base(file), link), os.Chmod(file, 0o640)); err != nil {
		t.Fatal(err)
	}
	if status := export("/people", "-o", link); status != 0 {
		t.Fatalf("through a link: status %d", status)
	}
	if to, err := os.Readlink(link); err != nil || to != filepath.Base(file) {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if written, err := os.Stat(file); err != nil || written.Mode() != 0o640 {
		t.Errorf("%v, %v", written.Mode(), err)
	}
	if got, _ := os.ReadFile(file); string(got) != "/people.csv en " {
		t.Errorf("through a link: %q", got)
	}
	pipe := filepath.Join(filepath.Dir(file), "pipe") // as /dev/null, it must stay
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		got, _ := os.ReadFile(pipe)
		read <- string(got)
	}()
	if status := export("/people", "-o", pipe); status != 0 {
		t.Fatalf("into a pipe: status %d", status)
	}
	if got := <-read; got != "/people.csv en " {
		t.Errorf("into a pipe: %q", got)
	}
	if err := cmp.Or(os.Remove(pipe), os.Remove(workbook), os.Remove(link)); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(file)
	for name, failing := range map[string]int{
		"an incomplete answer": export("/broken"), "a refused token": export("/people", "--token", "other"),
		"an incomplete last sheet": export("/changes?after=0&event=broken"),
		"a refused last sheet":     export("/changes?after=0&event=refused"),
	} {
		if failing != 1 {
			t.Errorf("%s: status %d", name, failing)
		}
	}
	if status := export("/"); status != 2 {
		t.Errorf("no path: status %d", status)
	}
	if got, _ := os.ReadFile(file); string(got) != string(whole) {
		t.Errorf("a failed export has changed the file to %q", got)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("files are left: %v", left)
	}
}

// A refusal of the token or of its account is explained as import explains it.
func TestARefusedExportSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch token, _, _ := r.BasicAuth(); {
		case token != "secret":
			http.Error(w, `{"error":"HTTP Basic: Access denied."}`, http.StatusUnauthorized)
		case r.Header.Get("Account-Id") == "":
			w.Header().Set("X-Error-Code", "account_required")
			http.Error(w, ofAccounts, http.StatusUnprocessableEntity)
		default:
			w.Header().Set("X-Error-Code", "unknown_account")
			http.Error(w, ofAccounts, http.StatusUnprocessableEntity)
		}
	}))
	t.Cleanup(server.Close)
	for flags, want := range map[string]string{
		"--token other":  "the server does not accept the token",
		"--token secret": `the token opens several accounts: choose one by --account: 1 "Padaria", 2 "Açougue"`,
		"--token secret --account 99": `the token does not open account 99: choose one by --account: 1 "Padaria", ` +
			`2 "Açougue"`,
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := run(t, nil, append([]string{"export", "/people", "--url", server.URL},
				strings.Fields(flags)...)...)
			if stdout != "" || stderr != "bordero: "+want+"\n" || status != 1 {
				t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
}

// The server is not blamed for Ctrl-C.
func TestAnInterruptedExportSaysSo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "contas.csv")
	for _, c := range []struct{ path, output, want string }{
		{"/silent", "", "interrupted; the export is not complete"},
		{"/silent", "-", "interrupted; the export is not complete"},
		{"/silent", file, "interrupted; " + file + " is unchanged"},
		{"/begun", file, "interrupted; " + file + " is unchanged"},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/begun.csv" {
				_, _ = w.Write([]byte("id\r\n1\r\n"))
				_ = http.NewResponseController(w).Flush()
			}
			interrupt()
			<-r.Context().Done()
		}))
		e := &exportCommand{Path: c.path, Output: c.output, serverFlags: serverFlags{URL: server.URL, Token: "x"}}
		if err := e.Run(ctx, &kong.Context{}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
		server.Close()
		if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", c.path, left, err)
		}
	}
}
