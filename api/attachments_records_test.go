package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

// Uploads to a record are not bounded: only a list that was sent, and is another, has a largest length.
func TestARecordWithManyAttachmentsCanChange(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-03-04")
	s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`)
	s.newSale(t, s.newSaleAccount(t, `"description":"a"`), `"payment_method":"pix","nominal_amount":10,`+
		`"occurred_at":"2026-03-04"`)
	s.exec(t, `INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
		attachment_file_size)
		SELECT $1, $2, 'k' || n, 'a.txt', 'text/plain', 1 FROM generate_series(1, 1002) n`, s.AccountID, s.EntityID)
	for path, root := range map[string]string{
		"/entities/1/payable_accounts/1":                          "financial_account",
		"/entities/1/deposit_accounts/1/financial_transactions/1": "financial_transaction",
		"/entities/1/sales/1":                                     "sale",
	} {
		s.exec(t, fmt.Sprintf(`INSERT INTO %[1]s_attachments (account_id, %[1]s_id, attachment_id) SELECT account_id,
			1, id FROM attachments WHERE id <= 1001`, root))
		root := strings.Replace(root, "financial_account", "payable_account", 1)
		put := func(list []int64) answer {
			ids := strings.ReplaceAll(fmt.Sprint(list), " ", ",")
			return s.call(t, "PUT", path,
				document(fmt.Sprintf(`{%q:{"observation":"a","attachment_id_list":%s}}`, root, ids)))
		}
		many := []int64{}
		for id := range int64(1002) {
			many = append(many, id+1)
		}
		s.call(t, "PUT", path, document(fmt.Sprintf(`{%q:{"observation":"a"}}`, root))).want(t, 200)
		put(many[:1001]).want(t, 200)
		put(many).wantBody(t, 422, `{"attachment_id_list":["tem itens demais (máximo: 1000)"]}`)
		equal(t, strings.Count(s.call(t, "GET", path).at(t, root+".attachment_id_list"), " "), 1000)
		put(many[:1000]).want(t, 200)
	}
}

// The list of attachments is a part of a record: what changes it updates the record.
func TestRecordsChangeWithTheirAttachments(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	var records []part
	for range 2 {
		transaction := s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-03-04")
		records = append(records, text("attachment[associated_financial_transaction_ids][]",
			fmt.Sprint(lastID(transaction))))
		for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
			account := s.newAccount(t, kind, `"due_date":"2026-03-04","amount":10`)
			records = append(records, text("attachment[associated_financial_account_ids][]",
				fmt.Sprint(lastID(account))))
		}
	}
	s.newSale(t, s.newSaleAccount(t, `"description":"a"`), `"payment_method":"pix","nominal_amount":10,`+
		`"occurred_at":"2026-03-04"`)
	// changed returns the events of do, each with its records, and the records whose updated_at is new.
	changed := func(do func()) string {
		t.Helper()
		s.exec(t, `TRUNCATE unsealed_changes`)
		for _, table := range []string{"financial_accounts", "financial_transactions", "sales"} {
			s.exec(t, `UPDATE `+table+` SET updated_at = '2020-01-01'`)
		}
		do()
		return query[string](t, s, `SELECT concat_ws('; ',
			string_agg(concat_ws(' ', family || '.' || action, 'of ' || parent_id, record_ids), ', ' ORDER BY id), (
			SELECT string_agg(x.record, ', ' ORDER BY x.record) FROM (
				SELECT kind || id FROM financial_accounts WHERE updated_at > '2020-01-01'
				UNION ALL SELECT 'transaction' || id FROM financial_transactions WHERE updated_at > '2020-01-01'
				UNION ALL SELECT 'sale' || id FROM sales WHERE updated_at > '2020-01-01') AS x (record)))
					FROM unsealed_changes`)
	}
	var one, all string
	first := `financial_transactions.updated of 1 {1}`
	equal(t, changed(func() { one = s.newAttachment(t, records[:3:3]...) }),
		`payable_accounts.updated {1}, receivable_accounts.updated {2}, `+first+
			`, attachments.created {1}; payable1, receivable2, transaction1`)
	equal(t, changed(func() { all = s.newAttachment(t, records...) }),
		`payable_accounts.updated {1,3}, receivable_accounts.updated {2,4}, `+first+
			`, financial_transactions.updated of 2 {2}, attachments.created {2}; `+
			`payable1, payable3, receivable2, receivable4, transaction1, transaction2`)
	s.exec(t, `INSERT INTO sale_attachments SELECT account_id, id, unnest(ARRAY[1, 2]) FROM sales`)
	s.call(t, "DELETE", s.newAttachment(t, records[:3:3]...)).want(t, 200) // prepares the statements
	remove := func(file string) (sent int64) {
		before := statements.Load()
		s.call(t, "DELETE", file).want(t, 200)
		return statements.Load() - before
	}
	var few, lots int64
	equal(t, changed(func() { few = remove(one) }),
		`payable_accounts.updated {1}, receivable_accounts.updated {2}, `+first+
			`, sales.updated {1}, attachments.destroyed {1}; payable1, receivable2, sale1, transaction1`)
	equal(t, changed(func() { lots = remove(all) }),
		`payable_accounts.updated {1,3}, receivable_accounts.updated {2,4}, `+first+
			`, financial_transactions.updated of 2 {2}, sales.updated {1}, attachments.destroyed {2}; `+
			`payable1, payable3, receivable2, receivable4, sale1, transaction1, transaction2`)
	equal(t, few, lots)
}
