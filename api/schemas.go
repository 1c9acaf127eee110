package api

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage/reports"

	"github.com/gin-gonic/gin"
)

// sample returns a record with all optional values, or without any. Together, the two have all
// fields of an answer.
func sample[T any](optional bool) *T {
	t := new(T)
	if optional {
		fill(reflect.ValueOf(t).Elem())
	}
	return t
}

// fill sets the pointers of a value, and gives its lists two elements, with all optional values and
// without any. It does not enter a struct within one of the same type.
func fill(v reflect.Value, within ...reflect.Type) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), within...)
		}
	case reflect.Slice:
		if v.CanSet() && !slices.Contains(within, v.Type().Elem()) {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), within...)
		}
	case reflect.Int64:
		if v.CanSet() {
			v.SetInt(1) // the id of a bank that exists
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() || slices.Contains(within, v.Type()) {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), append(within, v.Type())...)
		}
	}
}

// recordingCall is an empty request; the functions that write records need it for URLs and rights.
func recordingCall() *call { return &call{Context: &gin.Context{}, api: &API{}} }

// recorded returns the schema of the document that show writes in a format.
func recorded[T any](f wire.Format, show func(*call, *wire.Writer, *T)) *wire.Schema {
	c := recordingCall()
	write := func(optional bool) func(*wire.Writer) {
		return func(w *wire.Writer) { show(c, w, sample[T](optional)) }
	}
	return wire.Recorded(f, write(true), write(false))
}

// shown describes a record that is only written.
func shown[T any](name, root, plural string, show func(*call, *wire.Writer, *T), fields openapi.Fields) openapi.Record {
	return openapi.Record{
		Name: name, Root: root, Plural: plural, Fields: fields,
		JSON: recorded(wire.JSON, show), XML: recorded(wire.XML, show),
	}
}

// embedded describes a record that is only part of others.
func embedded[T any](name, root string, show func(*call, *wire.Writer, *T), fields openapi.Fields) openapi.Record {
	r := shown(name, root, "", show, fields)
	r.Embedded = true
	return r
}

// described describes the records of a resource, in answers and in requests.
func described[T any](name string, r resource[T], fields openapi.Fields) openapi.Record {
	d := shown(name, r.root, r.plural, r.show, fields)
	if r.assign != nil {
		d.Input = requested(name, r, fields).Input
		d.Required, d.MaxLength = probed(r, d.Input)
	}
	return d
}

// requested describes the records of a resource in requests.
func requested[T any](name string, r resource[T], fields openapi.Fields) openapi.Record {
	d := read(name, r.root, r.assign, fields)
	d.Required, d.MaxLength = probed(r, d.Input)
	return d
}

// read describes the request of an operation that belongs to no resource.
func read[T any](name, root string, assign func(*wire.Input, *T), fields openapi.Fields) openapi.Record {
	return openapi.Record{
		Name: name, Root: root, Fields: fields,
		Input: wire.RecordedInput(func(in *wire.Input) { assign(in, new(T)) }),
	}
}

var tooLong = regexp.MustCompile(strings.Replace(regexp.QuoteMeta(messages.TooLong.Text), "%d", `(\d+)`, 1))

// probed returns the fields that the validation requires, and the maximum lengths of texts. It
// validates an empty record and a record with only texts that are too long.
func probed[T any](r resource[T], s *wire.Schema) (required []string, maxLength map[string]int64) {
	for _, m := range refusals(r, nil) {
		if len(m.From) == 0 { // else the fault follows from another attribute
			required = append(required, m.Attribute, m.Attribute+"_id")
		}
	}
	long := map[string]string{}
	for _, m := range s.Members {
		if m.Type == "string" && !m.Numeric {
			long[m.Name] = strings.Repeat("a", 1<<16)
		}
	}
	maxLength = map[string]int64{}
	for _, m := range refusals(r, long) {
		if length := tooLong.FindStringSubmatch(m.Text); length != nil {
			maxLength[m.Attribute], _ = strconv.ParseInt(length[1], 10, 64)
		}
	}
	return required, maxLength
}

// refusals returns the faults of a record with the texts.
func refusals[T any](r resource[T], texts map[string]string) []finance.Message {
	body, err := json.Marshal(texts)
	if err != nil {
		panic(err) // texts always marshal
	}
	in, err := wire.Read("application/json", body)
	if err != nil {
		panic(err) // and are a valid document
	}
	t := new(T)
	r.assign(in, t)
	invalid := &finance.Invalid{}
	errors.As(r.validate(t), &invalid)
	return invalid.Messages
}

// reading returns a resource for documents that assign reads.
func reading[T any](r resource[T], assign func(*wire.Input, *T)) resource[T] {
	r.assign = assign
	return r
}

// showing returns a resource for records that show writes.
func showing[T any](r resource[T], show func(*call, *wire.Writer, *T)) resource[T] {
	r.show = show
	return r
}

// records are all records of the OpenAPI document.
func records() []openapi.Record {
	return []openapi.Record{
		described("Account", accounts, accountFields),
		read("SandboxReset", noRoot, assignSandboxReset, sandboxResetFields),
		shown("Quotas", noRoot, "", showQuotaUses, quotaFields),
		shown("UserPermissions", "user", "", showUser, permissionFields),
		described("Entity", entities, entityFields),
		shown("EntityTemplate", entities.root, "", showEntityTemplate, entityFields),
		shown("EntityDeletion", noRoot, "", showDeletion, entityDeletionFields),
		described("DepositAccount", showing(depositAccounts, showAnyAccount), registerFields),
		shown("CashRegister", depositAccounts.root, "", showRegister, registerFields),
		described("RegisterSession", registerSessions, registerSessionFields),
		read("Opening", depositAccounts.root, assignOpening, registerFields),
		read("Closing", depositAccounts.root, assignClosing, registerFields),
		described("FinancialTransaction", financialTransactions, financialTransactionFields),
		described("BankStatement", bankStatements, bankStatementFields),
		read("Confirmation", bankStatements.root, assignAccept, bankStatementFields),
		described("BalanceProof", balanceProofs, balanceProofFields),
		described("BankStatementItem", bankStatementItems, bankStatementItemFields),
		described("Attachment", attachments, attachmentFields),
		shown("AttachmentTemplate", attachments.root, "", showAttachmentTemplate, attachmentFields),
		embedded("AttachedAccount", "attachable", showAttachedAccount, financialAccountFields),
		embedded("AttachedTransaction", "attachable", showAttachedTransaction, financialTransactionFields),
		embedded("AttachedSale", "attachable", showAttachedSale, saleFields),
		embedded("AttachedFile", attachments.root, showFile, attachmentFields),
		shown("Redirect", noRoot, "", showRedirect, openapi.Fields{
			"redirect_to": {Doc: "The address of the file, as in `Location`.", Format: "uri"}}),
		described("PayableAccount", payableAccounts, financialAccountFields),
		described("ReceivableAccount", receivableAccounts, financialAccountFields),
		read("PayableSettlement", payableAccounts.root, assignAccountSettlement, accountSettlementFields),
		read("ReceivableSettlement", receivableAccounts.root, assignAccountSettlement, accountSettlementFields),
		embedded("ReconciledAccount", "financial_account", showReconciledAccount, financialAccountFields),
		shown("Reconcile", reconciles.root, "", showWithAccounts, reconcileFields),
		shown("ListedReconcile", reconciles.root, reconciles.plural, showWithRefs, listedReconcileFields),
		shown("Reconciliation", noRoot, "", showReconciliation, reconcileFields),
		shown("Suggestions", noRoot, "", showSuggestions, reconcileFields),
		described("Transfer", transfers, transferFields),
		shown("TransferSuggestions", noRoot, "", showTransferSuggestions, transferFields),
		totalOfGroup("TransactionTotal", allTransactions()),
		totalOfAll("TransactionTotals", allTransactions()),
		totalOfGroup("FinancialAccountTotal", payableFamily()),
		totalOfAll("FinancialAccountTotals", payableFamily()),
		totalOfGroup("SaleTotal", reports.Sales()),
		totalOfAll("SaleTotals", reports.Sales()),
		totalOfGroup("CreditCardTransactionTotal", allCardTransactions()),
		totalOfAll("CreditCardTransactionTotals", allCardTransactions()),
		shown("DepositAccountReconciliation", noRoot, "", showPeriod, depositAccountReconciliationFields),
		shown("CashFlow", cashFlowRoot, "", showCashFlowOfEntity, cashFlowFields),
		shown("CashFlowOfEntities", cashFlowRoot, "", showCashFlowOfEntities, cashFlowFields),
		shown("Aging", agingRoot, "", showAgingOfEntity, agingFields),
		shown("AgingOfEntities", agingRoot, "", showAgingOfEntities, agingFields),
		shown("IncomeStatement", incomeStatementRoot, "", showSampleStatement, incomeStatementFields),
		read("Reconcile", noRoot, assignReconciling, reconcilingFields),
		shown("ReconcileBatch", noRoot, "", reconcileBatch.showResult,
			fieldsOf(batchFields, below("results.body", reconcileFields))),
		batchRecord("Person", manyPeople, people.root, personFields),
		batchRecord("Category", manyCategories, categories.root, categoryFields),
		batchRecord("ClassificationCenter", manyCenters, classificationCenters.root, classificationCenterFields),
		batchRecord("FinancialTransaction", manyTransactions, financialTransactions.root, financialTransactionFields),
		batchRecord("Transfer", manyTransfers, transfers.root, transferFields),
		batchRecord("PayableAccount", manyPayables, payableAccounts.root, financialAccountFields),
		batchRecord("ReceivableAccount", manyReceivables, receivableAccounts.root, financialAccountFields),
		batchRecord("Sale", manySales, sales.root, saleFields),
		read("SettledAccount", noRoot, assignSettled, settledFields),
		described("Budget", budgets, budgetFields),
		shown("BudgetTemplate", budgets.root, "", showBudgetTemplate, budgetFields),
		batchRecord("Budget", manyBudgets, budgets.root, budgetFields),
		described("ReconciliationRule", reconciliationRules, reconciliationRuleFields),
		shown("ReconciliationRulePreview", noRoot, "", showRulePreview, rulePreviewFields),
		described("SaleAccount", saleAccounts, saleAccountFields),
		described("SaleRule", saleRules, saleRuleFields),
		shown("SaleRulePreview", noRoot, "", showPreview, saleRulePreviewFields),
		described("Sale", sales, saleFields),
		described("CreditCard", creditCards, creditCardFields),
		described("CreditCardInvoice", creditCardInvoices, creditCardInvoiceFields),
		described("CreditCardTransaction", creditCardTransactions, creditCardTransactionFields),
		described("Person", people, personFields),
		described("Category", categories, categoryFields),
		requested("Subcategory", reading(categories, assignCategory), categoryFields),
		described("ClassificationCenter", classificationCenters, classificationCenterFields),
		described("CustomClassifier", customClassifiers, customClassifierFields),
		described("CustomClassifierValue", customClassifierValues, customClassifierFields),
		described("Webhook", reading(webhooks, assignNewWebhook), webhookFields),
		requested("WebhookChange", webhooks, webhookFields),
		shown("ListedWebhook", webhooks.root, webhooks.plural, showListedWebhook, webhookFields),
		shown("WebhookDelivery", webhookDeliveries.root, "", showWithAttempts, webhookDeliveryFields),
		shown("ListedWebhookDelivery", webhookDeliveries.root, webhookDeliveries.plural, showWithoutAttempts,
			webhookDeliveryFields),
		described("Token", accountTokens, tokenFields),
		requested("TokenRequest", newTokens, tokenFields),
		shown("NewToken", accountTokens.root, "", showNewToken, tokenFields),
		described("Member", accountMembers, memberFields),
		requested("MemberRequest", reading(accountMembers, assignNewMember), memberFields),
		shown("NewMember", accountMembers.root, "", showNewMember, memberFields),
		shown("Redelivery", noRoot, "", showRedelivery, redeliveryFields),
		shown("Change", "change", "changes", showChange, changeFields),
		described("Tax", taxes, taxFields),
		described("Bank", banks, bankFields),
		described("Currency", currencies, currencyFields),
		embedded("Link", "link", showLink, linkFields),
	}
}

// noRoot is the root element in XML of a document that has no root key in JSON.
const noRoot = "hash"

// A reconciliation alone shows its records; in a list it refers to them.

func showWithAccounts(c *call, w *wire.Writer, r *finance.Reconcile) {
	if r.Accounts == nil {
		r.Accounts = []finance.FinancialAccount{}
	}
	reconciles.show(c, w, r)
}

func showWithRefs(c *call, w *wire.Writer, r *finance.Reconcile) {
	r.Accounts = nil
	reconciles.show(c, w, r)
}

// A deposit account shows its last session if it is a cash register. One of the two samples is a
// register that was never opened.

func showAnyAccount(c *call, w *wire.Writer, d *finance.DepositAccount) {
	if d.LastSession.RegisterSession != nil {
		d.LastSession.RegisterSession = nil
		showRegister(c, w, d)
		return
	}
	showDepositAccount(c, w, d)
}

func showRegister(c *call, w *wire.Writer, d *finance.DepositAccount) {
	register := int64(finance.CashRegister)
	d.DepositAccountTypeID = &register
	showDepositAccount(c, w, d)
}

// Only a delivery alone shows its attempts.

func showWithAttempts(c *call, w *wire.Writer, d *finance.WebhookDelivery) {
	if d.Attempts == nil {
		d.Attempts = []finance.WebhookAttempt{}
	}
	webhookDeliveries.show(c, w, d)
}

func showWithoutAttempts(c *call, w *wire.Writer, d *finance.WebhookDelivery) {
	d.Attempts = nil
	webhookDeliveries.show(c, w, d)
}
