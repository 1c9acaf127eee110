package cli

import (
	"strings"
	"testing"

	"bordero/storage/storagetest"
)

func TestAListOfJobsSaysThatItIsBounded(t *testing.T) {
	t.Parallel()
	database := storagetest.DatabaseURL(t)
	for _, name := range []string{"Padaria", "Açougue"} {
		printed(t, database, "account", "create", "--name", name, "--email", "ana@example.com")
	}
	_, err := storagetest.DB(t, database).ExecContext(t.Context(), `
		INSERT INTO jobs (kind, queue, account_id, args)
		SELECT CASE i WHEN 1 THEN 'align_deliveries' ELSE 'price_sales' END, 'sales', i % 2, '{}'
		FROM generate_series(1, 1001) i`)
	if err != nil {
		t.Fatal(err)
	}
	const kinds = "this release has no kind price_sale; it has import_statement, delete_bank_statement, " +
		"prove_balance, read_payments, delete_cascade, price_sales, reconcile_automatically, settle_sales, " +
		"apply_card_days, deliver_webhook, align_deliveries, redeliver_webhook, mail_webhook_failure\n"
	const bounded = "the newest 1,000 are shown: --kind and --account select fewer\n"
	for line, want := range map[string]struct {
		jobs int
		said string
	}{
		"":                                    {1000, bounded},
		"--kind price_sales":                  {1000, ""},
		"--kind align_deliveries":             {1, ""},
		"--account 1":                         {501, ""},
		"--kind price_sales --account 1":      {500, ""},
		"--kind align_deliveries --account 2": {0, "no unfinished jobs of the kind align_deliveries of account 2\n"},
		"--kind price_sale":                   {0, kinds + "no unfinished jobs of the kind price_sale\n"},
		"--failed --kind price_sales":         {0, "no failed jobs of the kind price_sales\n"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := run(t, []string{"DATABASE_URL=" + database},
				append([]string{"jobs", "list"}, strings.Fields(line)...)...)
			n := strings.Count(stdout, "align_") + strings.Count(stdout, "price_")
			if n != want.jobs || stderr != want.said || status != 0 {
				t.Errorf("exit status %d, %d jobs, stderr %q", status, n, stderr)
			}
		})
	}
}
