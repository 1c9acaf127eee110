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
	s.newSale(t, s.newSaleAccount(t, `"description":"a"`), `"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04"`)
	s.exec(t, `INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type, attachment_file_size)
		SELECT $1, $2, 'k' || n, 'a.txt', 'text/plain', 1 FROM generate_series(1, 1002) n`, s.AccountID, s.EntityID)
	for path, root := range map[string]string{
		"/entities/1/payable_accounts/1": "financial_account", "/entities/1/deposit_accounts/1/financial_transactions/1": "financial_transaction", "/entities/1/sales/1": "sale",
	} {
		s.exec(t, fmt.Sprintf(`INSERT INTO %[1]s_attachments (account_id, %[1]s_id, attachment_id) SELECT account_id, 1, id FROM attachments WHERE id <= 1001`, root))
		root := strings.Replace(root, "financial_account", "payable_account", 1)
		put := func(list []int64) answer {
			ids := strings.ReplaceAll(fmt.Sprint(list), " ", ",")
			return s.call(t, "PUT", path, document(fmt.Sprintf(`{%q:{"observation":"a","attachment_id_list":%s}}`, root, ids)))
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
