package api

import (
	"net/http"

	"bordero/finance"
)

// route is one line of the table of all routes. A parent's id is always
// :<parent>_id, also on the parent's own routes; :id stands only on leaves below
// which nothing ever hangs, because Gin wants one name in one place.
type route struct {
	method, path string
	needs        need
	handle       func(*call) error
}

// need is what a route asks of its caller.
type need struct {
	open    bool                      // nothing at all
	account bool                      // an account is chosen, else a token is enough
	allowed func(finance.Access) bool // nil: every member of the account
}

var (
	open          = need{open: true}
	token         = need{}
	member        = need{account: true}
	administrator = need{account: true, allowed: func(a finance.Access) bool { return a.Administrator }}
)

// with asks for a permission of the account.
func with(p finance.Permission) need {
	return need{account: true, allowed: func(a finance.Access) bool { return a.Allows(p) }}
}

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	remove = http.MethodDelete

	entitiesPath        = "/entities"
	entityPath          = entitiesPath + "/:entity_id"
	depositAccountsPath = entityPath + "/deposit_accounts"
	depositAccountPath  = depositAccountsPath + "/:deposit_account_id"
	transactionsPath    = depositAccountPath + "/financial_transactions"
	transactionPath     = transactionsPath + "/:id"
	statementsPath      = depositAccountPath + "/bank_statements"
	statementPath       = statementsPath + "/:id"
)

// routes is the table. The OpenAPI document lists the same.
func (a *API) routes() []route {
	transactions := with(finance.FinancialTransactions)
	return []route{
		{get, "/accounts", token, a.listAccounts},

		{get, entitiesPath, member, index(a, entities)},
		{post, entitiesPath, administrator, create(a, entities)},
		{get, entitiesPath + "/new", member, a.newEntity},
		{get, entityPath, member, show(a, entities)},
		{put, entityPath, member, update(a, entities, withBody)},

		{get, depositAccountsPath, member, index(a, depositAccounts)},
		{post, depositAccountsPath, member, create(a, depositAccounts)},
		{get, depositAccountPath, member, show(a, depositAccounts)},
		{put, depositAccountPath, member, update(a, depositAccounts, empty)},
		{put, depositAccountPath + "/open", member, a.openRegister},
		{put, depositAccountPath + "/close", member, a.closeRegister},

		{get, transactionsPath, transactions, index(a, financialTransactions)},
		{post, transactionsPath, transactions, create(a, financialTransactions)},
		{get, transactionPath, transactions, show(a, financialTransactions)},
		{put, transactionPath, transactions, update(a, financialTransactions, withBody)},
		{remove, transactionPath, transactions, destroy(a, financialTransactions, http.StatusOK)},

		{get, statementsPath, transactions, index(a, bankStatements)},
		{post, statementsPath, transactions, a.uploadStatement},
		{get, statementPath, transactions, show(a, bankStatements)},
	}
}
