package faults

import (
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
)

// check verifies all data when no work is left.
func (w *harness) check(followers []*feed) {
	w.t.Helper()
	for _, name := range names {
		w.process(name).Ready()
	}
	w.Settled()
	w.report.line("bordero verify, imports, every row's file: looked at")
	w.checkLedger()
	w.checkPrices()
	w.checkReports()
	w.checkProofs()
	for _, one := range followers {
		w.checkFeed(one)
	}
	w.checkChains()
	w.report.line("jobs\tat most %d asked for, none left",
		e2etest.Value[int](w.t, w.DB, `SELECT last_value FROM pg_sequences WHERE sequencename = 'jobs_id_seq'`))
	w.report.line("webhooks\t%v", w.Notified(w.receiver))
	if len(w.deleted) > 0 {
		w.NothingOf(w.deleted...)
	}
	w.report.line("deleted entities\t%d, nothing of which may be left", len(w.deleted))
	w.checkAnswers()
	w.checkFiles()
	w.checkLogs()
	w.report.line("result\t%s", map[bool]string{false: "all as it must be", true: "FAILED"}[w.t.Failed()])
}

// checkLedger compares what is stored with what was accepted.
func (w *harness) checkLedger() {
	w.t.Helper()
	w.report.line("records\taccepted and kept\tmissing\tdoubled\tnot asked for\tnot as left")
	for _, family := range slices.Sorted(maps.Keys(families)) {
		n, wrong, err := w.ledger.compare(w.t.Context(), w.DB, family)
		if err != nil {
			w.t.Fatalf("%s: %v", family, err)
		}
		w.report.line("%s\t%d\t%d\t%d\t%d\t%d", family, n.kept, n.missing, n.doubled, n.unasked, n.other)
		if !n.good() {
			w.t.Errorf("%s: %+v\n%s", family, n, strings.Join(wrong, "\n"))
		}
	}
}

// checkPrices compares each priced sale with the current rule. Rules are only edited for all
// sales.
func (w *harness) checkPrices() {
	w.t.Helper()
	const priced = ` FROM sales s JOIN sale_rules r USING (account_id, sale_account_id, payment_method)
		WHERE s.status = 1`
	n := e2etest.Value[int](w.t, w.DB, `SELECT count(*)`+priced)
	wrong := e2etest.Value[int](w.t, w.DB, `SELECT count(*)`+priced+`
		AND (s.awaiting_pricing OR s.fee_percentage <> r.fee_percentage OR s.receivable_amount <> s.nominal_amount - `+
		`round(s.nominal_amount * r.fee_percentage / 100, 2))`)
	w.report.line("prices\t%d sales, %d not as their rule has it", n, wrong)
	if wrong > 0 {
		w.t.Errorf("%d of %d sales are not priced as their rule has it", wrong, n)
	}
}

// checkAnswers permits only 503 of the server errors.
func (w *harness) checkAnswers() {
	w.t.Helper()
	for status, n := range w.report.statuses {
		if status >= 500 && status != 503 {
			w.t.Errorf("%d answers were %d", n, status)
		}
	}
}

// checkFiles counts the files without a row, which come from requests killed between the file
// and the row. Once they are old, a scheduler removes them.
func (w *harness) checkFiles() {
	w.t.Helper()
	for _, name := range []string{"scheduler 1", "scheduler 2"} {
		w.process(name).Kill()
	}
	kept := e2etest.Value[int](w.t, w.DB, `SELECT (SELECT count(*) FROM bank_statements) + (SELECT count(*)
		FROM attachments)`)
	old := time.Now().Add(-48 * time.Hour)
	age := func(path string) error { return os.Chtimes(path, old, old) }
	n := w.eachFile(age)
	w.start("scheduler 1")
	testkit.Eventually(w.t, "files without a row are removed", func() bool {
		return w.eachFile(func(string) error { return nil }) <= kept
	})
	w.NoStrays()
	w.FilesAgree() // the sweep removed no file of a row
	w.report.line("files\t%d of rows, %d without a row, which the sweep has removed", kept, n-kept)
}

func (w *harness) eachFile(do func(path string) error) (n int) {
	w.t.Helper()
	err := filepath.WalkDir(w.Files, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) || err == nil && (d.IsDir() || filepath.Base(filepath.Dir(path)) == "installation") {
			return nil
		}
		if err != nil {
			return err
		}
		n++
		return do(path)
	})
	if err != nil {
		w.t.Error(err)
	}
	return n
}

// checkLogs searches the logs for panics and for secrets.
func (w *harness) checkLogs() {
	w.t.Helper()
	secrets := append([]string{"panic"}, w.secrets...)
	for _, tenant := range w.tenants {
		secrets = append(secrets, tenant.Token)
	}
	for _, variable := range w.Env {
		_, value, _ := strings.Cut(variable, "=")
		if u, err := url.Parse(value); err == nil && u.User != nil {
			password, _ := u.User.Password()
			secrets = append(secrets, password)
		}
	}
	hooks := e2etest.Value[string](w.t, w.DB, `SELECT coalesce(string_agg(secret, ' '), '') FROM webhooks`)
	secrets = append(secrets, strings.Fields(hooks)...)
	lines := 0
	for name, all := range w.said {
		for _, out := range all {
			for line := range strings.Lines(out.String()) {
				lines++
				for _, secret := range secrets {
					if strings.Contains(line, secret) {
						w.t.Errorf("%s logs %q: %s", name, secret, line)
					}
				}
			}
		}
	}
	w.report.line("logs\t%d lines, without a panic or a secret", lines)
}
