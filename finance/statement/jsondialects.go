package statement

// jsonField is a value of an item that jsonFile reads.
type jsonField int

const (
	noField jsonField = iota
	idField
	transactionIDField
	accountIDField
	accountField
	accountNumberField
	accountCategoryField
	cardField
	occurredAtField
	dateField
	valueDateField
	accountingDateField
	transactionDateTimeField
	amountField
	amountInAccountField
	transactionAmountField
	typeField
	creditDebitTypeField
	statusField
	paymentTypeField
	descriptionField
	descriptionRawField
	observationsField
	transactionNameField
	documentField
	referenceField
	referenceNumberField
	currencyField
	currencyCodeField
	transactionCurrencyField
	counterpartNameField
	counterpartDocumentField
	payerNameField
	payerDocumentField
	receiverNameField
	receiverDocumentField
	merchantDocumentField
	partieDocumentField
	txIDField
	endToEndField
	jsonFields
)

// jsonMember is a known member of an item: a field, an object with known members, or either.
type jsonMember struct {
	field   jsonField
	members jsonMembers
}

type jsonMembers map[string]*jsonMember

// itemMembers are the members of items in all dialects.
var itemMembers = jsonMembers{
	"id": {field: idField}, "occurred_at": {field: occurredAtField}, "amount": {field: amountField},
	"description": {field: descriptionField}, "document": {field: documentField}, "status": {field: statusField},
	"counterpart_name": {field: counterpartNameField}, "counterpart_document": {field: counterpartDocumentField},
	"txid": {field: txIDField}, "end_to_end_id": {field: endToEndField},

	"accountId": {field: accountIDField}, "date": {field: dateField}, "type": {field: typeField},
	"amountInAccountCurrency": {field: amountInAccountField},
	"descriptionRaw":          {field: descriptionRawField}, "currencyCode": {field: currencyCodeField},
	"creditCardMetadata": {field: cardField, members: jsonMembers{}},
	"merchant":           {members: jsonMembers{"cnpj": {field: merchantDocumentField}}},
	"paymentData": {members: jsonMembers{
		"payer":           sideMembers(payerNameField, payerDocumentField),
		"receiver":        sideMembers(receiverNameField, receiverDocumentField),
		"referenceNumber": {field: referenceNumberField}, "receiverReferenceId": {field: txIDField},
	}},

	"account": {field: accountField, members: jsonMembers{
		"id": {field: accountIDField}, "number": {field: accountNumberField},
		"category": {field: accountCategoryField},
	}},
	"value_date": {field: valueDateField}, "accounting_date": {field: accountingDateField},
	"currency": {field: currencyField}, "reference": {field: referenceField},
	"observations": {field: observationsField},

	"transactionId":                  {field: transactionIDField},
	"transactionDateTime":            {field: transactionDateTimeField},
	"completedAuthorisedPaymentType": {field: paymentTypeField}, "creditDebitType": {field: creditDebitTypeField},
	"transactionName": {field: transactionNameField}, "partieCnpjCpf": {field: partieDocumentField},
	"transactionAmount": {members: jsonMembers{
		"amount": {field: transactionAmountField}, "currency": {field: transactionCurrencyField},
	}},
}

func sideMembers(name, document jsonField) *jsonMember {
	return &jsonMember{members: jsonMembers{
		"name":           {field: name},
		"documentNumber": {members: jsonMembers{"value": {field: document}}},
	}}
}

// memberNames are the names of fields for people.
var memberNames = func() map[jsonField]string {
	names := map[jsonField]string{}
	var name func(members jsonMembers, path string)
	name = func(members jsonMembers, path string) {
		for member, m := range members {
			if m.field != noField && names[m.field] == "" || len(path+member) < len(names[m.field]) {
				names[m.field] = path + member
			}
			name(m.members, path+member+".")
		}
	}
	name(itemMembers, "")
	return names
}()

func (f jsonField) String() string { return memberNames[f] }

// jsonDialect says where a kind of item has its values. Of several fields the first that is given counts.
type jsonDialect struct {
	id, day, document, currency []jsonField
	text                        []jsonField
	more                        jsonField // a text behind it
	amount                      jsonField
	inAccount                   jsonField // the amount in the account's currency, if it is a number
	direction                   jsonField
	directions                  map[string]direction // nil if the amount has the sign
	choices                     string               // these, for people
	unsigned                    bool                 // an amount is never negative
	status                      jsonField
	statuses                    map[string]string // "booked" or "pending"; that of "" is that of a missing one
	statusChoices               string
	payer, payerDocument        []jsonField
	receiver, receiverDocument  []jsonField
}

// jsonDialects are told apart by their dates: those of bordero, Open Finance Brasil, Belvo and Pluggy.
var jsonDialects = []jsonDialect{
	{
		id: []jsonField{idField}, day: []jsonField{occurredAtField}, document: []jsonField{documentField},
		currency: []jsonField{currencyField}, text: []jsonField{descriptionField}, amount: amountField,
		status: statusField, statuses: map[string]string{"": "booked", "posted": "booked", "pending": "pending"},
		statusChoices: "posted, pending",
		payer:         []jsonField{counterpartNameField}, payerDocument: []jsonField{counterpartDocumentField},
		receiver: []jsonField{counterpartNameField}, receiverDocument: []jsonField{counterpartDocumentField},
	}, {
		id: []jsonField{transactionIDField}, day: []jsonField{transactionDateTimeField},
		currency: []jsonField{transactionCurrencyField}, text: []jsonField{transactionNameField},
		amount: transactionAmountField, direction: creditDebitTypeField, unsigned: true,
		directions: map[string]direction{"CREDITO": credit, "DEBITO": debit}, choices: "CREDITO, DEBITO",
		status: paymentTypeField, statuses: map[string]string{"TRANSACAO_EFETIVADA": "booked",
			"LANCAMENTO_FUTURO": "pending", "TRANSACAO_PROCESSANDO": "pending"},
		statusChoices: "TRANSACAO_EFETIVADA, LANCAMENTO_FUTURO, TRANSACAO_PROCESSANDO",
		payerDocument: []jsonField{partieDocumentField}, receiverDocument: []jsonField{partieDocumentField},
	}, {
		id: []jsonField{idField}, day: []jsonField{valueDateField, accountingDateField},
		document: []jsonField{referenceField}, currency: []jsonField{currencyField},
		text: []jsonField{descriptionField}, more: observationsField,
		amount: amountField, direction: typeField, unsigned: true,
		directions: map[string]direction{"INFLOW": credit, "OUTFLOW": debit}, choices: "INFLOW, OUTFLOW",
		status: statusField, statuses: map[string]string{"": "booked", "PROCESSED": "booked",
			"UNCATEGORIZED": "booked", "PENDING": "pending"},
		statusChoices: "PROCESSED, UNCATEGORIZED, PENDING",
		payerDocument: []jsonField{merchantDocumentField}, receiverDocument: []jsonField{merchantDocumentField},
	}, {
		id: []jsonField{idField}, day: []jsonField{dateField}, document: []jsonField{referenceNumberField},
		currency: []jsonField{currencyCodeField}, text: []jsonField{descriptionRawField, descriptionField},
		amount: amountField, inAccount: amountInAccountField, direction: typeField,
		directions: map[string]direction{"CREDIT": credit, "DEBIT": debit}, choices: "CREDIT, DEBIT",
		status: statusField, statuses: map[string]string{"": "booked", "POSTED": "booked", "PENDING": "pending"},
		statusChoices: "POSTED, PENDING",
		payer:         []jsonField{payerNameField}, payerDocument: []jsonField{payerDocumentField},
		receiver:         []jsonField{receiverNameField},
		receiverDocument: []jsonField{receiverDocumentField, merchantDocumentField},
	},
}
