package api_test

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/messages"
)

// The amounts of a deposit account in another currency have its code on every page.
func TestTheConsoleShowsOtherCurrencies(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-03-31")
	b := s.enter(t, s.Token)
	deposit := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	statement := s.proven(t, deposit, "350.50")
	record := s.newTransaction(t, deposit, finance.Debit, "10.01", "2026-03-06")
	s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "7.07", "2026-03-06")
	month := b.entityPage(s.EntityID)
	b.tells(t, month, ">USD 89,99</a></td>", ": USD 260,51<", "not >89,99<", ">-7,07</a>")
	b.tells(t, b.root()+statement, "O banco diz USD 350,50 em", ">USD 89,99</a>, com diferença de USD 260,51.",
		"</a>: transações digitadas", "USD 10,01")
	b.tells(t, b.root()+record, "<dd>USD -10,01</dd>")
	list := month + "/financial_transactions"
	b.tells(t, list, `data-of="valor">USD -10,01<`, `data-of="valor">-7,07<`)
	b.tells(t, fmt.Sprint(list, "?search[deposit_account_id]=", lastID(deposit)), "no total de <b>USD 89,99</b>",
		"de USD 0,00, o saldo é de <b>USD 89,99</b>")
	b.tells(t, fmt.Sprint(list, "?search[occurred_at_lte]=2020-01-01&search[deposit_account_id]=", lastID(deposit)),
		"no total de <b>USD 0,00</b>", "de USD 0,00, o saldo é de <b>USD 0,00</b>")
	_, left, _ := strings.Cut(b.open(t, month).body, "<h2>Falta conciliar</h2>")
	for _, want := range []string{">USD 89,99</a></td>", ">-7,07</a></td>"} {
		if !strings.Contains(left, want) {
			t.Errorf("the transactions that are left lack %s:\n%s", want, left)
		}
	}
}

// Without a permission, the month shows the reason in place of the figures that need it, and all other figures.
func TestTheMonthOfAMemberWithoutPermissions(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-08-31")
	deposit := s.newDepositAccount(t)
	s.proven(t, deposit, "100")
	s.newTransaction(t, deposit, finance.Credit, "11.11", "2026-08-05")
	s.newTransaction(t, deposit, finance.Credit, "44.44", "2026-09-05")
	s.newAccount(t, finance.Payable, `"due_date":"2026-08-10","amount":"22.22"`)
	s.newAccount(t, finance.Receivable, `"due_date":"2026-08-10","amount":"33.33"`)
	sections := []struct {
		needs         finance.Permission
		title         string
		figure, links string // with the permission alone
		without       string // without it; "" for the hint of the API
	}{
		{finance.FinancialTransactions, "Saldos de hoje", "confere em 09/03/2026", "/bank_statements/",
			"sem permissão"},
		{finance.FinancialTransactions, "Saldos de hoje", "111,11", "occurred_at_lte", "com transações até 05/09/2026"},
		{finance.CashFlows, "Fluxo de caixa", "11,11", "data-chart", ""},
		{finance.PayableAccounts, "A receber e a pagar", "22,22", "payable_accounts?", ""},
		{finance.ReceivableAccounts, "A receber e a pagar", "33,33", "receivable_accounts?", ""},
		{finance.FinancialTransactions, "Falta conciliar", "11,11", "financial_transactions?", ""},
	}
	all := []finance.Permission{finance.FinancialTransactions, finance.CashFlows, finance.PayableAccounts,
		finance.ReceivableAccounts}
	for _, denied := range [][]finance.Permission{nil, all[:1], all[1:2], all[2:3], all[3:], all} {
		access := finance.Access{AllEntities: true}
		for _, p := range denied {
			access.Denied = append(access.Denied, string(p))
		}
		b := s.enter(t, s.member(t, access))
		page := b.entityPage(s.EntityID)
		a := b.open(t, page).want(t, http.StatusOK)
		links := slices.Concat(b.read(t, page, a).links, b.read(t, page, b.open(t, page+"/bank_statements")).links)
		for _, link := range links {
			ofAdministrators := slices.Contains([]string{"webhooks", "tokens", "members"}, path.Base(link))
			if strings.HasPrefix(link, b.root()) && !ofAdministrators && b.open(t, link).status == 403 {
				t.Errorf("without %v, the page leads to %s, which is refused", denied, link)
			}
		}
		for _, of := range sections {
			_, text, _ := strings.Cut(a.body, "<h2>"+of.title+"</h2>")
			text, _, _ = strings.Cut(text, "</section>")
			without := of.without
			if without == "" {
				without = fmt.Sprintf(messages.NeedsPermissionf, of.needs)
			}
			refused := slices.Contains(denied, of.needs)
			for shown, want := range map[string]bool{of.figure: !refused, of.links: !refused, without: refused} {
				if strings.Contains(text, shown) != want {
					t.Errorf("without %v, %s shows %q: %v\n%s", denied, of.title, shown, !want, text)
				}
			}
		}
	}
}
