package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
)

// batchDocument returns a batch in a format. An item is the names and values of a record, one after the other, below
// its root; without a root they are the item.
func batchDocument(format, root string, atomic bool, items ...[]string) option {
	var all []string
	for _, item := range items {
		var members []string
		for i := 0; i < len(item); i += 2 {
			name, value := item[i], item[i+1]
			if format == "xml" {
				name = strings.ReplaceAll(name, "_", "-")
				members = append(members, "<"+name+">"+value+"</"+name+">")
				continue
			}
			members = append(members, fmt.Sprintf("%q:%q", name, value))
		}
		switch name := strings.ReplaceAll(root, "_", "-"); {
		case format == "json" && root == "":
			all = append(all, "{"+strings.Join(members, ",")+"}")
		case format == "json":
			all = append(all, `{"`+root+`":{`+strings.Join(members, ",")+"}}")
		case root == "":
			all = append(all, "<item>"+strings.Join(members, "")+"</item>")
		default:
			all = append(all, "<item><"+name+">"+strings.Join(members, "")+"</"+name+"></item>")
		}
	}
	if format == "xml" {
		return document(fmt.Sprintf(`<hash><atomic>%t</atomic><items type="array">%s</items></hash>`, atomic,
			strings.Join(all, "")))
	}
	return document(fmt.Sprintf(`{"atomic":%t,"items":[%s]}`, atomic, strings.Join(all, ",")))
}

// isBatch reports whether a route takes a batch.
func isBatch(r api.Route) bool {
	return r.Method == "POST" && (strings.HasSuffix(r.Path, "/batch") || strings.HasSuffix(r.Path, "_many"))
}

// TestGoldensOfBatches is TestGoldens for batches with an item that is accepted and one that is refused.
func TestGoldensOfBatches(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "xml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			account, other := s.newDepositAccount(t), s.newDepositAccount(t)
			saleAccount := s.newSaleAccount(t, `"payment_methods":"pix"`)
			debit := lastID(s.newTransaction(t, account, finance.Debit, "7", "2026-03-04"))
			credit := lastID(s.newTransaction(t, other, finance.Credit, "7", "2026-03-06"))
			payable := lastID(s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`))
			receivable := lastID(s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":10`))
			entity := fmt.Sprintf("/entities/%d", s.EntityID)
			for _, b := range []struct {
				path, root string
				good       []string
			}{
				{"/people/batch", "person", []string{"name", "Moinho", "external_id", "P-1"}},
				{"/categories/batch", "category", []string{"name", "Frota", "external_id", "C-1"}},
				{"/classification_centers/batch", "classification_center",
					[]string{"name", "Loja", "entity_id", fmt.Sprint(s.EntityID)}},
				{account + "/financial_transactions/batch", "financial_transaction", []string{"type", "Debit",
					"amount", "12.5", "occurred_at", "2026-03-04", "external_id", "T-1"}},
				{entity + "/transfers/batch", "transfer", []string{"debit_transaction_id", fmt.Sprint(debit),
					"credit_transaction_id", fmt.Sprint(credit)}},
				{entity + "/payable_accounts/batch", "payable_account", []string{"due_date", "2026-03-04", "amount",
					"10", "external_id", "PA-1"}},
				{entity + "/receivable_accounts/batch", "receivable_account", []string{"due_date", "2026-03-04",
					"amount", "10"}},
				{entity + "/sales/batch", "sale", []string{"sale_account_id", fmt.Sprint(lastID(saleAccount)),
					"payment_method", "pix", "nominal_amount", "10", "occurred_at", "2026-03-04"}},
				{entity + "/budgets/batch", "budget", []string{"month", "2026-08", "category_id", "1",
					"amount", "1500"}},
				{entity + "/payable_accounts/pay_many", "", []string{"id", fmt.Sprint(payable), "occurred_at",
					"2026-03-04"}},
				{entity + "/receivable_accounts/receive_many", "", []string{"id", fmt.Sprint(receivable),
					"occurred_at", "2026-03-05", "total_amount", "9.5"}},
			} {
				bad := []string{"id", "999999"}
				if b.root != "" {
					bad = nil
				}
				s.golden(t, format, "POST", b.path, 422, batchDocument(format, b.root, true, b.good, bad))
				s.golden(t, format, "POST", b.path, 200, batchDocument(format, b.root, false, b.good, bad))
			}
		})
	}
}
