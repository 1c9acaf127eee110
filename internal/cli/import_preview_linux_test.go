package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/testkit"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// What a person types to interrupt, and to end the input.
const ctrlC, ctrlD = "\x03", "\x04"

// onTerminal runs a command line whose terminal is that of a person who types an answer to each
// question. It returns what the terminal showed, and the exit status. The standard output
// is a pipe, unless it is shown, too.
func onTerminal(t *testing.T, output bool, answers []string, words ...string) (shown string, status int) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	// An interrupt would discard what the command writes in that moment.
	modes, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err == nil {
		modes.Lflag |= unix.NOFLSH
		err = unix.IoctlSetTermios(int(terminal.Fd()), unix.TCSETS, modes)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), testkit.Patience)
	defer stop()
	command := exec.CommandContext(ctx, os.Args[0], words...)
	command.Env = []string{"PATH=/", commandVariable + "=1", "GORACE=atexit_sleep_ms=0"}
	command.Stdin, command.Stderr = terminal, terminal
	if output {
		command.Stdout = terminal
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // so that Ctrl-C interrupts
	err = command.Start()
	terminal.Close()
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	for part, asked := make([]byte, 4096), 0; ; {
		n, err := person.Read(part)
		screen.Write(part[:n])
		if err != nil { // the command has ended
			break
		}
		for ; asked < strings.Count(screen.String(), "[y/N] "); asked++ {
			answer := ctrlC // to a question that is not expected
			if asked < len(answers) {
				answer = answers[asked]
			}
			if _, err := io.WriteString(person, answer); err != nil {
				t.Error(err)
			}
		}
	}
	_ = command.Wait() // the status says how it ended
	return screen.String(), command.ProcessState.ExitCode()
}

// A person is asked about each file after its preview. What is declined is deleted; what is not answered
// stays, as does what was not asked about.
func TestAPreviewAsksOnATerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags   string
		answers []string // of a file each
		files   int      // if it is not that
		lost    bool     // the answer to the first of them
		gone    bool     // the preview, when it is answered
		then    []string // the requests after the previews
		asked   int
		status  int
	}{
		"yes":                     {answers: []string{"y\n"}, then: []string{"POST 1/confirm"}, asked: 1},
		"yes, in full":            {answers: []string{" Yes \n"}, then: []string{"POST 1/confirm"}, asked: 1},
		"no":                      {answers: []string{"n\n"}, then: []string{"DELETE 1"}, asked: 1},
		"no, to one that is gone": {answers: []string{"n\n"}, gone: true, then: []string{"DELETE 1"}, asked: 1},
		"another word":            {answers: []string{"yesterday\n"}, then: []string{"DELETE 1"}, asked: 1},
		"an empty line":           {answers: []string{"\n"}, then: []string{"DELETE 1"}, asked: 1},
		"the end of the input":    {answers: []string{ctrlD}, then: []string{"DELETE 1"}, asked: 1},
		"each its own answer": {answers: []string{"n\n", "y\n", "\n"}, then: []string{"DELETE 1", "POST 2/confirm",
			"DELETE 3"}, asked: 3},
		"an interrupt":         {answers: []string{ctrlC}, asked: 1, status: 1},
		"confirmed beforehand": {flags: "--confirm", files: 2, then: []string{"POST 1/confirm", "POST 2/confirm"}},
		"a lost answer": {flags: "--confirm", files: 1, lost: true, then: []string{
			"POST 1/confirm", "POST 1/confirm"}},
		"for a program": {flags: "--json", files: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var then, keys []string
			uploads := 0
			const statements = "/entities/1/deposit_accounts/2/bank_statements"
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				_, _ = io.Copy(io.Discard, r.Body)
				switch below := strings.TrimPrefix(r.URL.Path, statements); {
				case below == "" && r.URL.Query().Get("preview") == "true":
					uploads++
					fmt.Fprintf(w, `{"bank_statement":{"id":%d,"event":{"status":%q,"output":"uma transação"}}}`,
						uploads, finance.ImportPreviewed)
				case strings.HasSuffix(below, "/items"):
					fmt.Fprint(w, `[{"bank_statement_item":{"line":3,"amount":"-5.0","outcome":"imported"}}]`)
				default:
					then, keys = append(then, r.Method+" "+strings.TrimPrefix(below, "/")),
						append(keys, r.Header.Get("Idempotency-Key"))
					if c.lost && len(keys) == 1 {
						panic(http.ErrAbortHandler)
					}
					if c.lost && (keys[0] == "" || keys[0] != keys[1]) {
						w.WriteHeader(http.StatusUnprocessableEntity) // it is no preview any more
					}
					if c.gone {
						w.WriteHeader(http.StatusNotFound)
					}
					fmt.Fprintf(w, `{"bank_statement":{"id":%d,"event":{"status":%q}}}`, uploads, finance.ImportSuccess)
				}
			}))
			t.Cleanup(server.Close)
			words := append([]string{"import", "--preview", "--url", server.URL, "--token", "x", "--entity", "1",
				"--deposit-account", "2"}, strings.Fields(c.flags)...)
			dir := t.TempDir()
			for n := range max(c.files, len(c.answers)) {
				path := filepath.Join(dir, fmt.Sprint(n, ".ofx"))
				if err := os.WriteFile(path, []byte("OFX"), 0o600); err != nil {
					t.Fatal(err)
				}
				words = append(words, path)
			}
			shown, status := onTerminal(t, false, c.answers, words...)
			mu.Lock()
			defer mu.Unlock()
			if d := cmp.Diff(c.then, then); d != "" || status != c.status || strings.Count(shown, "[y/N]") != c.asked ||
				strings.Contains(shown, "interrupted; the server continues") != (status == 1) {
				t.Errorf("exit status %d, %s\n%s", status, d, shown)
			}
		})
	}
}

// Others may delete a preview, or it may expire, while a person reads it.
func TestAPreviewThatIsGoneIsNotItsDepositAccount(t *testing.T) {
	t.Parallel()
	u, _ := uploads(t, exchange{"GET /statements/7/items", 404, "", "{}"},
		exchange{"POST /statements/7/confirm", 404, "", "{}"})
	f := importedFile{StatementID: 7, Status: finance.ImportPreviewed}
	if _, err := u.items(t.Context(), f); !errors.Is(err, errGone) {
		t.Errorf("its items: %v", err)
	}
	if stop := u.confirm(t.Context(), &f, false); f.Output != errGone.Error() || stop {
		t.Errorf("its confirmation: %+v, stop %v", f, stop)
	}
}

// A terminal of 80 columns has room for the counters that say something, and for the output below them.
func TestAnImportFitsOnATerminal(t *testing.T) {
	t.Parallel()
	output := strings.TrimSpace(strings.Repeat("Confira os lançamentos. ", 20))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, `{"bank_statement":{"id":1,"imported_items_count":81,"balance_items_ignored_count":2,`+
			`"event":{"status":%q,"output":%q}}}`, finance.ImportSuccess, output)
	}))
	t.Cleanup(server.Close)
	path, _ := statementIn(t, "OFX")
	words := []string{"import", "--url", server.URL, "--token", "x", "--entity", "1", "--deposit-account", "2", path,
		path + "x"}
	shown, status := onTerminal(t, true, nil, words...)
	table, below, _ := strings.Cut(strings.ReplaceAll(shown, "\r\n", "\n"), "\n\n")
	table = table[strings.Index(table, "FILE"):] // behind the progress
	for line := range strings.Lines(table) {
		if utf8.RuneCountInString(strings.TrimSpace(line)) > narrow {
			t.Errorf("a row of %d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	isFile := func(cell string) bool { return strings.Contains(cell, "a.ofx") }
	if got := slices.DeleteFunc(strings.Fields(table), isFile); strings.Join(got,
		" ") != "FILE ACCOUNT ITEMS NEW KNOWN STATUS 83 81 0 success 0 0 0 failed" || status != 1 {
		t.Errorf("exit status %d, %q", status, got)
	}
	if want := path + ": " + output + "\n\n" + path + "x: no such file\n"; !strings.HasPrefix(below, want) {
		t.Errorf("below it: %q, want %q", below, want)
	}
}
