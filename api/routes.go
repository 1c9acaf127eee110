package api

import (
	"net/http"
	"slices"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/storage/reports"
)

// route is one line of the table of all routes. The parameter of an id is the name of the record
// with _id, on every route: Gin allows one parameter name at each place of a path, and the OpenAPI
// document uses the same names.
type route struct {
	method, path string
	needs        need
	handle       func(*call) error
}

// need has the conditions of a route on its caller.
type need struct {
	open    bool                      // no token
	account bool                      // a token and a chosen account; a token alone if false
	allowed func(finance.Access) bool // nil: every member of the account
	hint    string                    // the refusal of a caller without the rights
	costly  bool                      // a place among the few for costly requests of an account
	urgent  bool                      // ends access to the account, or shows tokens or members
}

// refuses returns the refusal of a member without the rights; nil for others.
func (n need) refuses(a finance.Access) error {
	if n.allowed != nil && !n.allowed(a) {
		return messages.Forbidden.Hinted(n.hint)
	}
	return nil
}

// costly marks a request that may use a processor for a second.
func costly(n need) need {
	n.costly = true
	return n
}

// urgent marks a request that ends access to the account, or shows tokens or members: a stolen token that uses up the
// quotas, places and memory of the account must not prevent its own end.
func urgent(n need) need {
	n.urgent = true
	return n
}

var (
	open          = need{open: true}
	token         = need{}
	member        = need{account: true}
	administrator = need{account: true, hint: messages.NeedsAdministrator, allowed: func(a finance.Access) bool {
		return a.Administrator
	}}
	// whole protects the records that every entity may refer to.
	whole = need{account: true, hint: messages.NeedsAllEntities, allowed: finance.Access.CanSeeAll}
)

// with requires a permission of the account.
func with(all ...finance.Permission) need {
	return need{account: true, hint: lacking(all...).Hint, allowed: func(a finance.Access) bool {
		return !slices.ContainsFunc(all, func(p finance.Permission) bool { return !a.Allows(p) })
	}}
}

// reconcilesAll are the permissions for settings that let the worker reconcile, which it does with
// accounts of both kinds.
var reconcilesAll = []finance.Permission{finance.FinancialTransactions, finance.PayableAccounts,
	finance.ReceivableAccounts}

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	remove = http.MethodDelete

	sandboxResetPath       = "/sandbox/reset"
	quotasPath             = "/quotas"
	entitiesPath           = "/entities"
	entityPath             = entitiesPath + "/:entity_id"
	depositAccountsPath    = entityPath + "/deposit_accounts"
	depositAccountPath     = depositAccountsPath + "/:deposit_account_id"
	transactionsPath       = depositAccountPath + "/financial_transactions"
	transactionPath        = transactionsPath + "/:financial_transaction_id"
	statementsPath         = depositAccountPath + "/bank_statements"
	statementPath          = statementsPath + "/:bank_statement_id"
	routedStatementsPath   = entityPath + "/bank_statements"
	statementItemsPath     = statementPath + "/items"
	payablesPath           = entityPath + "/payable_accounts"
	payablePath            = payablesPath + "/:payable_account_id"
	receivablesPath        = entityPath + "/receivable_accounts"
	receivablePath         = receivablesPath + "/:receivable_account_id"
	attachmentsPath        = entityPath + "/attachments"
	attachmentPath         = attachmentsPath + "/:attachment_id"
	entityTransactionsPath = entityPath + "/financial_transactions"
	reconcilesPath         = entityPath + "/reconciles"
	reconcilePath          = reconcilesPath + "/:reconcile_id"
	transfersPath          = entityPath + "/transfers"
	transferPath           = transfersPath + "/:transfer_id"
	rulesPath              = entityPath + "/reconciliation_rules"
	rulePath               = rulesPath + "/:reconciliation_rule_id"
	budgetsPath            = entityPath + "/budgets"
	budgetPath             = budgetsPath + "/:budget_id"
	saleAccountsPath       = "/sale_accounts"
	saleAccountPath        = saleAccountsPath + "/:sale_account_id"
	saleRulesPath          = saleAccountPath + "/rules"
	saleRulePath           = saleRulesPath + "/:sale_rule_id"
	salesPath              = entityPath + "/sales"
	salePath               = salesPath + "/:sale_id"
	cardsPath              = entityPath + "/credit_cards"
	cardPath               = cardsPath + "/:credit_card_id"
	invoicesPath           = cardPath + "/invoices"
	entityPurchasesPath    = cardsPath + "/transactions"
	purchasesPath          = cardPath + "/transactions"
	purchasePath           = purchasesPath + "/:credit_card_transaction_id"
	peoplePath             = "/people"
	personPath             = peoplePath + "/:person_id"
	categoriesPath         = "/categories"
	categoryPath           = categoriesPath + "/:category_id"
	centersPath            = "/classification_centers"
	centerPath             = centersPath + "/:classification_center_id"
	classifiersPath        = "/custom_classifiers"
	classifierPath         = classifiersPath + "/:custom_classifier_id"
	valuesPath             = classifierPath + "/values"
	valuePath              = valuesPath + "/:custom_classifier_value_id"
	valuesAlias            = classifierPath + "/value" // clients use both spellings
	valueAlias             = valuesAlias + "/:custom_classifier_value_id"
	permissionsPath        = "/user/permissions"
	taxesPath              = "/taxes"
	banksPath              = "/banks"
	currenciesPath         = "/currencies"
	changesPath            = "/changes"
	reportsPath            = "/reports"
	incomeStatementPath    = reportsPath + "/income_statement"
	tokensPath             = "/tokens"
	tokenPath              = tokensPath + "/:token_id"
	membersPath            = "/members"
	memberPath             = membersPath + "/:member_id"
	webhooksPath           = "/integrations/webhooks"
	webhookPath            = webhooksPath + "/:webhook_id"
	totalsPart             = "/totals" // after the path of a list
	deliveriesPath         = webhookPath + "/deliveries"
	deliveryPath           = deliveriesPath + "/:webhook_delivery_id"
)

// routes is the table of all routes. A test compares it with the OpenAPI document.
func (a *API) routes() []route {
	transactions := with(finance.FinancialTransactions)
	payables, receivables := with(finance.PayableAccounts), with(finance.ReceivableAccounts)
	cards := with(finance.CreditCards)
	cashFlows := costly(with(finance.CashFlows))
	incomes := with(finance.PayableAccounts, finance.ReceivableAccounts, finance.CreditCards)
	budgeters := with(finance.Budgets)
	ruleWriters := with(reconcilesAll...)
	return []route{
		{get, "/accounts", token, index(a, accounts, completeList)},
		{get, permissionsPath, token, a.showPermissions},
		{post, sandboxResetPath, administrator, a.resetSandbox},
		{get, quotasPath, member, a.showQuotas},

		{get, entitiesPath, member, index(a, entities, completeList)},
		{post, entitiesPath, administrator, create(a, entities)},
		{get, entitiesPath + "/new", member, a.newEntity},
		{get, entityPath, member, show(a, entities)},
		{put, entityPath, member, update(a, entities, withBody)},
		{remove, entityPath, administrator, a.destroyEntity},
		{get, entityPath + "/deletion", member, a.showEntityDeletion},

		{get, depositAccountsPath, member, index(a, depositAccounts, completeList)},
		{post, depositAccountsPath, member, create(a, depositAccounts)},
		{get, depositAccountPath, member, show(a, depositAccounts)},
		{put, depositAccountPath, member, update(a, depositAccounts, empty)},
		{remove, depositAccountPath, transactions, a.destroyDepositAccount},
		{put, depositAccountPath + "/open", member, a.openRegister},
		{put, depositAccountPath + "/close", member, a.closeRegister},
		{get, depositAccountPath + "/sessions", member, index(a, registerSessions, defaultPageSize)},
		{get, depositAccountPath + "/reconciliation", transactions, a.showDepositAccountReconciliation},

		{get, transactionsPath, transactions, index(a, financialTransactions, transactionsPageSize)},
		{post, transactionsPath, transactions, create(a, financialTransactions)},
		{post, transactionsPath + "/batch", transactions, manyTransactions.serve},
		{remove, transactionsPath + "/destroy_many", transactions, a.destroyTransactions},
		{get, transactionPath, transactions, show(a, financialTransactions)},
		{put, transactionPath, transactions, update(a, financialTransactions, withBody)},
		{remove, transactionPath, transactions, destroy(a, financialTransactions, http.StatusOK)},

		{get, entityTransactionsPath, transactions, index(a, entityTransactions, transactionsPageSize)},
		{get, transactionsPath + totalsPart, costly(transactions), a.totalsOfDepositAccount()},
		{get, entityTransactionsPath + totalsPart, costly(transactions), totalsOf(a, allTransactions)},
		{get, "/financial_transactions" + totalsPart, costly(transactions), totalsOf(a, allTransactions)},

		{get, statementsPath, transactions, index(a, bankStatements, defaultPageSize)},
		{post, statementsPath, transactions, a.uploadStatement},
		{post, routedStatementsPath, costly(transactions), a.routeStatement},
		{get, statementPath, transactions, show(a, bankStatements)},
		{remove, statementPath, transactions, destroy(a, bankStatements, http.StatusAccepted)},
		{get, statementItemsPath, transactions, index(a, bankStatementItems, defaultPageSize)},
		{post, statementItemsPath + "/:bank_statement_item_id/import", transactions, a.importItem},
		{post, statementPath + "/import_suspects", transactions, a.importSuspects},
		{post, statementPath + "/opening_balance", transactions, a.setOpeningBalance},
		{get, statementPath + "/download", transactions, a.downloadStatement},
		{get, depositAccountPath + "/balance_proofs", costly(transactions), index(a, balanceProofs, defaultPageSize)},
		{post, statementPath + "/confirm", transactions, a.confirmPreview},

		{get, attachmentsPath, member, index(a, attachments, defaultPageSize)},
		{post, attachmentsPath, member, a.uploadAttachment},
		{get, attachmentsPath + "/new", member, a.newAttachment},
		{get, attachmentPath, member, show(a, attachments)},
		{get, attachmentPath + "/download", member, a.downloadAttachment},
		{put, attachmentPath, member, update(a, attachments, withBody)},
		{remove, attachmentPath, member, a.destroyAttachment},

		{get, payablesPath, payables, index(a, payableAccounts, defaultPageSize)},
		{get, payablesPath + totalsPart, costly(payables), totalsOf(a, payableFamily)},
		{get, "/payable_accounts" + totalsPart, costly(payables), totalsOf(a, payableFamily)},
		{post, payablesPath, payables, create(a, payableAccounts)},
		{post, payablesPath + "/batch", payables, manyPayables.serve},
		{post, payablesPath + "/pay_many", payables, payMany.serve},
		{get, payablePath, payables, show(a, payableAccounts)},
		{put, payablePath, payables, update(a, payableAccounts, withBody)},
		{put, payablePath + "/pay", payables, a.settleAccount(payableAccounts)},
		{put, payablePath + "/undo_payment", payables, a.reopenAccount(payableAccounts)},
		{remove, payablesPath, payables, a.destroySelected(payable)},
		{remove, payablePath + "/recurrence", payables, a.destroySeries(payable, payableAccounts)},
		{remove, payablePath, payables, destroy(a, payableAccounts, http.StatusOK)},

		{get, receivablesPath, receivables, index(a, receivableAccounts, defaultPageSize)},
		{get, receivablesPath + totalsPart, costly(receivables), totalsOf(a, receivableFamily)},
		{get, "/receivable_accounts" + totalsPart, costly(receivables), totalsOf(a, receivableFamily)},
		{post, receivablesPath, receivables, create(a, receivableAccounts)},
		{post, receivablesPath + "/batch", receivables, manyReceivables.serve},
		{post, receivablesPath + "/receive_many", receivables, receiveMany.serve},
		{get, receivablePath, receivables, show(a, receivableAccounts)},
		{put, receivablePath, receivables, update(a, receivableAccounts, withBody)},
		{put, receivablePath + "/receive", receivables, a.settleAccount(receivableAccounts)},
		{put, receivablePath + "/undo_receivement", receivables, a.reopenAccount(receivableAccounts)},
		{remove, receivablesPath, receivables, a.destroySelected(receivable)},
		{remove, receivablePath + "/recurrence", receivables, a.destroySeries(receivable, receivableAccounts)},
		{remove, receivablePath, receivables, destroy(a, receivableAccounts, http.StatusOK)},

		{get, reconcilesPath, transactions, index(a, reconciles, defaultPageSize)},
		{post, reconcilesPath, transactions, a.reconcile},
		{post, reconcilesPath + "/batch", transactions, a.reconcileMany},
		{get, reconcilesPath + "/suggestions", costly(transactions), a.listSuggestions},
		{get, reconcilePath, transactions, show(a, reconciles)},
		{remove, reconcilePath, transactions, a.undoReconcile},

		{get, transfersPath, transactions, index(a, transfers, defaultPageSize)},
		{post, transfersPath, transactions, create(a, transfers)},
		{post, transfersPath + "/batch", transactions, manyTransfers.serve},
		{get, transfersPath + "/suggestions", costly(transactions), a.listTransferSuggestions},
		{get, transferPath, transactions, show(a, transfers)},
		{remove, transferPath, transactions, destroy(a, transfers, http.StatusOK)},
		{get, rulesPath, transactions, index(a, reconciliationRules, completeList)},
		{post, rulesPath, ruleWriters, create(a, reconciliationRules)},
		{post, rulesPath + "/preview", costly(ruleWriters), a.previewReconciliationRule},
		{get, rulePath, transactions, show(a, reconciliationRules)},
		{put, rulePath, ruleWriters, update(a, reconciliationRules, withBody)},
		{remove, rulePath, ruleWriters, destroy(a, reconciliationRules, http.StatusOK)},

		{get, budgetsPath, budgeters, index(a, budgets, defaultPageSize)},
		{post, budgetsPath, budgeters, create(a, budgets)},
		{post, budgetsPath + "/batch", budgeters, manyBudgets.serve},
		{get, budgetsPath + "/new", budgeters, a.newBudget},
		{get, budgetPath, budgeters, show(a, budgets)},
		{put, budgetPath, budgeters, update(a, budgets, withBody)},
		{remove, budgetPath, budgeters, destroy(a, budgets, http.StatusOK)},

		{get, entityPath + "/cash_flow", cashFlows, a.showCashFlow},
		{get, "/cash_flow", cashFlows, a.showCashFlow},

		{get, saleAccountsPath, receivables, index(a, saleAccounts, completeList)},
		{post, saleAccountsPath, receivables, create(a, saleAccounts)},
		{get, saleAccountPath, receivables, show(a, saleAccounts)},
		{put, saleAccountPath, receivables, update(a, saleAccounts, withBody|withLocation)},
		{remove, saleAccountPath, receivables, destroy(a, saleAccounts, http.StatusNoContent)},

		{get, saleRulesPath, receivables, index(a, saleRules, completeList)},
		{post, saleRulesPath, receivables, create(a, saleRules)},
		{post, saleRulesPath + "/preview", costly(receivables), a.previewNewSaleRule},
		{get, saleRulePath, receivables, show(a, saleRules)},
		{get, saleRulePath + "/preview", costly(receivables), a.previewSaleRule},
		{put, saleRulePath, receivables, update(a, saleRules, withLocation)},
		{remove, saleRulePath, receivables, destroy(a, saleRules, http.StatusNoContent)},

		{get, salesPath, receivables, index(a, sales, defaultPageSize)},
		{get, salesPath + totalsPart, costly(receivables), totalsOf(a, reports.Sales)},
		{get, "/sales" + totalsPart, costly(receivables), totalsOf(a, reports.Sales)},
		{post, salesPath, receivables, create(a, sales)},
		{post, salesPath + "/batch", receivables, manySales.serve},
		{get, salePath, receivables, show(a, sales)},
		{put, salePath, receivables, update(a, sales, withLocation)},
		{remove, salePath, receivables, a.destroySale},

		{get, cardsPath, cards, index(a, creditCards, completeList)},
		{post, cardsPath, cards, create(a, creditCards)},
		{get, cardPath, cards, show(a, creditCards)},
		{put, cardPath, cards, update(a, creditCards, withBody)},
		// Also removes the accounts of its invoices.
		{remove, cardPath, with(finance.CreditCards, finance.PayableAccounts), destroy(a, creditCards, http.StatusOK)},
		{get, invoicesPath, cards, index(a, creditCardInvoices, defaultPageSize)},
		{get, invoicesPath + "/:month", cards, index(a, creditCardTransactions, defaultPageSize)},
		{get, entityPurchasesPath, cards, index(a, entityCardTransactions, defaultPageSize)},
		{get, purchasesPath + totalsPart, costly(cards), a.totalsOfCreditCard()},
		{get, entityPurchasesPath + totalsPart, costly(cards), totalsOf(a, allCardTransactions)},
		{get, "/credit_cards/transactions" + totalsPart, costly(cards), totalsOf(a, allCardTransactions)},
		{post, purchasesPath, cards, create(a, creditCardTransactions)},
		{get, purchasePath, cards, show(a, creditCardTransactions)},
		{put, purchasePath, cards, update(a, creditCardTransactions, withBody|withLocation)},
		{remove, purchasePath, cards, destroy(a, creditCardTransactions, http.StatusOK)},
		{remove, purchasePath + "/recurrence", cards, a.destroyInstallments},

		{get, peoplePath, member, index(a, people, completeList)},
		{post, peoplePath, member, create(a, people)},
		{post, peoplePath + "/batch", member, manyPeople.serve},
		{get, personPath, member, show(a, people)},
		{put, personPath, whole, update(a, people, empty)},
		{remove, personPath, whole, destroy(a, people, http.StatusOK)},

		{get, categoriesPath, member, index(a, categories, completeList)},
		{post, categoriesPath, member, create(a, categories)},
		{post, categoriesPath + "/batch", member, manyCategories.serve},
		{post, categoryPath + "/create_subcategory", member, a.createSubcategory},
		{get, categoryPath, member, show(a, categories)},
		{put, categoryPath, whole, update(a, categories, empty)},
		{remove, categoryPath, whole, destroy(a, categories, http.StatusOK)},

		{get, centersPath, member, index(a, classificationCenters, completeList)},
		{post, centersPath, member, create(a, classificationCenters)},
		{post, centersPath + "/batch", member, manyCenters.serve},
		{get, centerPath, member, show(a, classificationCenters)},
		{put, centerPath, member, update(a, classificationCenters, empty)},
		{remove, centerPath, member, destroy(a, classificationCenters, http.StatusOK)},

		{get, classifiersPath, member, index(a, customClassifiers, completeList)},
		{post, classifiersPath, member, create(a, customClassifiers)},
		{get, classifierPath, member, show(a, customClassifiers)},
		{put, classifierPath, whole, update(a, customClassifiers, withBody|withLocation)},
		{get, valuesPath, member, index(a, customClassifierValues, completeList)},
		{post, valuesPath, member, create(a, customClassifierValues)},
		{get, valuePath, member, show(a, customClassifierValues)},
		{put, valuePath, whole, update(a, customClassifierValues, withBody|withLocation)},
		{remove, valuePath, whole, destroy(a, customClassifierValues, http.StatusNoContent)},
		{get, valuesAlias, member, index(a, customClassifierValues, completeList)},
		{post, valuesAlias, member, create(a, customClassifierValues)},
		{get, valueAlias, member, show(a, customClassifierValues)},
		{put, valueAlias, whole, update(a, customClassifierValues, withBody|withLocation)},
		{remove, valueAlias, whole, destroy(a, customClassifierValues, http.StatusNoContent)},
		{remove, classifierPath, whole, destroy(a, customClassifiers, http.StatusNoContent)},

		{get, webhooksPath, administrator, a.listWebhooks},
		{post, webhooksPath, administrator, a.createWebhook},
		{get, webhookPath, administrator, show(a, webhooks)},
		{put, webhookPath, administrator, update(a, webhooks, empty)},
		{put, webhookPath + "/verify_status", administrator, a.verifyWebhook},
		{put, webhookPath + "/rotate_secret", administrator, a.rotateSecret},
		{remove, webhookPath, administrator, destroy(a, webhooks, http.StatusOK)},
		{get, deliveriesPath, administrator, index(a, webhookDeliveries, defaultPageSize)},
		{get, deliveryPath, administrator, show(a, webhookDeliveries)},
		{post, deliveryPath + "/redeliver", administrator, a.redeliver},
		{post, deliveriesPath + "/redeliver", administrator, a.redeliverMany},

		{get, tokensPath, urgent(administrator), index(a, accountTokens, completeList)},
		{post, tokensPath, administrator, a.createToken},
		{get, tokenPath, urgent(administrator), show(a, accountTokens)},
		{put, tokenPath, administrator, update(a, accountTokens, withBody)},
		{remove, tokenPath, urgent(administrator), a.destroyToken},
		{get, membersPath, urgent(administrator), index(a, accountMembers, completeList)},
		{post, membersPath, administrator, a.createMember},
		{get, memberPath, urgent(administrator), show(a, accountMembers)},
		{put, memberPath, administrator, update(a, accountMembers, withBody)},
		{remove, memberPath, urgent(administrator), destroy(a, accountMembers, http.StatusOK)},

		{get, entityPath + reportsPath + "/aging", costly(member), a.answerAging},
		{get, reportsPath + "/aging", costly(member), a.answerAging},
		{get, entityPath + incomeStatementPath, costly(incomes), a.showIncomeStatement},
		{get, incomeStatementPath, costly(incomes), a.showIncomeStatement},

		{get, changesPath, member, a.listChanges},

		{get, taxesPath, member, index(a, taxes, completeList)},
		{get, taxesPath + "/:tax_id", member, show(a, taxes)},
		{get, banksPath, member, index(a, banks, completeList)},
		{get, banksPath + "/:bank_id", member, show(a, banks)},
		{get, currenciesPath, member, index(a, currencies, completeList)},
		{get, currenciesPath + "/:currency_id", member, show(a, currencies)},
	}
}
