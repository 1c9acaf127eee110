package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/demo"
)

func TestDemoFillsAnAccount(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	var filled struct {
		AccountID             int64 `json:"account_id"`
		FinancialTransactions int   `json:"financial_transactions"`
		Sales                 int
		RowsPerSecond         float64 `json:"rows_per_second"`
	}
	said := s.Run("demo", "--sales", "400", "--transactions", "300", "--json")
	if err := json.Unmarshal([]byte(said), &filled); err != nil || filled.AccountID != s.ID || filled.Sales != 400 ||
		filled.FinancialTransactions != 300 ||
		filled.RowsPerSecond <= 0 {
		t.Errorf("demo --json: %v %q", err, said)
	}
	if said := s.Run("verify", "--json"); said != "" {
		t.Errorf("what it has filled does not agree: %q", said)
	}
	file := filepath.Join(t.TempDir(), "truth.json")
	s.Run("demo", "--month", "2026-10", "--truth", file)
	var truth demo.Truth
	text, err := os.ReadFile(file)
	if err := errors.Join(err, json.Unmarshal(text, &truth)); err != nil || truth.Month != "2026-10" ||
		len(truth.Lines) < 300 || len(truth.Rules) < 5 {
		t.Errorf("the truth of a month: %v %.300s", err, text)
	}
	s.Serve() // which marks the files as the installation's
	if said := s.Run("verify", "--files", "--json"); said != "" {
		t.Errorf("a month that does not agree: %q", said)
	}
	for _, refused := range []struct{ flag, value, because string }{
		{"--account", "987654321", "there is no account 987654321"},
		{"--sales", "10000001", "--sales: 10000001 is not between 0 and 10000000"},
	} {
		_, stderr, err := e2etest.Command(t, s.Env, "demo", refused.flag, refused.value)
		if err == nil || !strings.Contains(stderr, refused.because) {
			t.Errorf("demo %s %s: %v %q", refused.flag, refused.value, err, stderr)
		}
	}
}
