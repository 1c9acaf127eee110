package messages

import "net/http"

// Why a record refuses the request.
var (
	EntityGoing = fault("entity_going", "A entidade está sendo excluída.",
		"Use outra entidade: nada mais pode ser gravado nesta.")
	NotSandbox = fault("not_a_sandbox", "Só uma conta de testes (sandbox) pode ser reiniciada.",
		"GET /accounts mostra em sandbox se a conta é de testes. Uma conta de verdade nunca se torna uma.")
	NotAccountName = fault("not_the_account_name", "deve ser o nome da conta, como está em GET /accounts: %s",
		"O nome confirma o que será apagado: envie-o letra por letra.")
	SplitDiffers = fault("split_differs", "é de uma venda que já foi parcelada e que difere deste item",
		"Altere cada parcela com PUT, ou envie installment_number. Para parcelar de novo, exclua a venda e crie outra.")
	OnlyEntity = fault("entity_needed", "Só existe uma entidade.",
		"Crie outra entidade antes, ou exclua com force_destroy.")
	EntityStays = OnlyEntity.worded("Não é possível apagar esta entidade.")

	HasAccounts = fault("entity_in_use", "Existem Contas que precisam ser apagadas",
		"Apague-as antes, ou exclua a entidade com force_destroy.")
	HasFinancials = HasAccounts.worded("Existem Contas a Pagar/Contas a Receber que precisam ser apagadas")
	HasCenters    = HasAccounts.worded("Existem Centro de Custo/Receita que precisam ser apagados")

	RegisterOpen   = fault("register_open", "O caixa já está aberto.", "Feche o caixa antes.")
	RegisterClosed = fault("register_closed", "O caixa já está fechado.", "Abra o caixa antes.")

	TransactionReconciled = fault("reconciled", "A transação está conciliada: desfaça a conciliação antes.",
		"DELETE /entities/:entity_id/reconciles/:reconcile_id desfaz a conciliação.")
	AccountReconciled      = TransactionReconciled.worded("A conta está conciliada: desfaça a conciliação antes.")
	AccountsReconciled     = TransactionReconciled.worded("Há contas conciliadas: %s. Desfaça a conciliação antes.")
	TransactionsReconciled = TransactionReconciled.worded("Há transações conciliadas: %s. Desfaça a conciliação antes.")
	AccountOfSales         = fault("derived_account", "A conta é a soma de suas vendas: altere ou exclua as vendas.",
		"Altere os registros de que a conta é a soma.")
	OfInvoice = AccountOfSales.worded("O valor e o vencimento da conta são os da fatura do cartão, que " +
		"também a exclui: altere as transações do cartão.")
	DerivedAccounts = AccountOfSales.worded("Há contas de vendas ou de faturas de cartão: %s. Altere as vendas ou " +
		"as transações do cartão.")
	AlreadySettled = fault("already_settled", "A conta já está paga ou recebida.",
		"Desfaça o pagamento ou o recebimento antes.")
	NotSettled    = fault("not_settled", "A conta não está paga nem recebida.", "Pague ou receba a conta antes.")
	NoSeries      = fault("no_series", "A conta não faz parte de uma série.", "Exclua só esta conta.")
	NoInstallment = fault("no_installment", "A transação não é parte de uma compra parcelada.",
		"Exclua só esta transação.")
	InvoicePaid = fault("invoice_paid", "A fatura já está paga: desfaça o pagamento antes.",
		"Desfaça o pagamento da conta a pagar da fatura.")
	InvoiceReconciled = InvoicePaid.variant("A fatura está conciliada: desfaça a conciliação e o pagamento antes.",
		"DELETE /entities/:entity_id/reconciles/:reconcile_id desfaz a conciliação; depois, desfaça o pagamento da "+
			"conta a pagar da fatura.")
	InvoiceAwaitsDays = fault("invoice_awaits_days", "A fatura está recebendo os novos dias do cartão.",
		"Pague-a quando a mudança dos dias terminar, em instantes.")
	ReceivableAwaitsPricing = fault("receivable_awaits_pricing", "Uma venda da conta está recebendo o novo preço.",
		"Receba a conta quando o cálculo terminar, em instantes.")
	SaleLiquidated = fault("sale_liquidated", "A venda já foi liquidada: desfaça o recebimento antes.",
		"Desfaça o recebimento da conta a receber da venda.")
	SaleReconciled = SaleLiquidated.variant("A venda está conciliada: desfaça a conciliação e o recebimento antes.",
		"DELETE /entities/:entity_id/reconciles/:reconcile_id desfaz a conciliação; depois, desfaça o recebimento da "+
			"conta a receber da venda.")
	SalesLiquidated = SaleLiquidated.worded("Há vendas liquidadas: desfaça os recebimentos antes.")
	SalesReconciled = SaleReconciled.worded("Há vendas conciliadas: desfaça as conciliações e os recebimentos antes.")
	NoFee           = fault("no_fee", "Precisa ter pelo menos taxa percentual ou taxa fixa",
		"Envie fee_percentage ou fixed_fee_amount.")
	NoBalanceStated = fault("no_balance_stated", "O extrato não informa um saldo e o dia dele, ou a importação não "+
		"terminou com sucesso.", "Informe initial_balance na conta bancária (PUT).")
	NotFirstStatement = fault("not_first_statement", "O saldo inicial vem do primeiro extrato da conta que informa "+
		"um saldo, o de id %d.", "Repita a chamada com o id desse extrato.")
	MovedBefore = fault("transactions_before", "Há transações com data anterior a %s, o início do extrato.",
		"Exclua ou corrija essas transações, ou informe initial_balance na conta bancária (PUT).")
	ImportBeingUndone = fault("import_being_undone", "Um extrato da conta está sendo excluído, e parte de suas "+
		"transações ainda conta no saldo.", "Tente de novo quando a exclusão terminar, em instantes.")
	ImportRuns = fault("import_runs", "A importação do extrato ainda não terminou.",
		"Espere até event.status ser success, previewed ou error.")
	NotPreviewed = fault("not_previewed", "O extrato é %s: só uma prévia pronta (previewed), e só uma vez, pode "+
		"ser confirmada.", "Espere até event.status ser previewed. Depois de confirmada, ou com error, envie o "+
		"arquivo novamente.")
	OnlyInPreview = fault("only_in_preview", "só vale em uma prévia, que mostra as linhas antes de o mapeamento ser "+
		"gravado", "Envie também bank_statement[preview]=true, confira os itens e confirme a prévia.")
	OnlyPreviewed = fault("only_previewed", "O extrato é só uma prévia: nada foi importado.",
		"Confirme a prévia antes: POST "+
			"/entities/:entity_id/deposit_accounts/:deposit_account_id/bank_statements/:bank_statement_id/confirm.")
	TooManyRecords = fault("too_many_records", "tem transações ou contas demais em aberto (máximo: 20.000 de "+
		"cada): escolha um período menor", "Diminua o período da busca.")
	TooManyElsewhere = TooManyRecords.worded("há transações demais do mesmo valor nas contas bancárias da entidade " +
		"(máximo: 200.000): escolha um período menor")
	TooManyPeople = fault("too_many_people", "As contas são de mais de %d pessoas.",
		"Busque menos entidades de uma vez; os totais da lista de contas não têm este limite.")
	OneRuleAction = fault("one_rule_action", "Deve ter new_account ou match: um dos dois, e só um",
		"Envie {\"match\": {}} ou {\"new_account\": {…}}; para trocar um pelo outro, envie também o antigo, com null.")
	NoCondition = fault("no_condition", "Precisa ter pelo menos uma condição",
		"Envie text_contains, amount_gte, amount_lte, type, deposit_account_id ou counterpart_document.")
	TooManyRules = fault("too_many_rules", "A entidade já tem o máximo de %d regras de conciliação.",
		"Exclua uma regra que não é mais usada.")
	WebhooksOfEntity = fault("too_many_webhooks", "A entidade já tem o máximo de %d webhooks.",
		"Exclua um webhook que não é mais usado.")
	WebhooksOfAccount = WebhooksOfEntity.worded("A conta já tem %d webhooks, e o máximo é %d (webhooks).")
	FilesOfAccount    = fault("too_many_file_bytes", "A conta guarda %d bytes em arquivos, e o máximo é %d "+
		"(file_bytes): não cabem mais %d.",
		"Exclua anexos ou extratos que não são mais usados, ou peça ao suporte um limite maior.")
	RowsOfAccount = fault("too_many_statement_rows", "A conta guarda %d linhas de extratos, e o máximo é %d "+
		"(statement_rows).", "Exclua extratos que não são mais usados, ou peça ao suporte um limite maior.")
)

// Faults of records that are to be reconciled.
var (
	SumsDiffer = fault("sums_differ", "difere: a soma das contas é %s, a das transações é %s, a diferença é "+
		"%s; %s", "As somas devem ser iguais: envie a diferença em adjustments ou em new_accounts, ou escolha outros "+
		"registros.")
	KindsMixed = fault("kinds_mixed", "difere: as contas devem ser todas a pagar ou todas a receber",
		"Concilie as contas a pagar e as contas a receber em requisições separadas.")
	PayableCredits = fault("opposite_signs", "difere: contas a pagar só são conciliadas com débitos, e são "+
		"créditos as transações %s", "Concilie contas a pagar com débitos e contas a receber com créditos.")
	ReceivableDebits = PayableCredits.worded("difere: contas a receber só são conciliadas com créditos, e são " +
		"débitos as transações %s")
	AccountsOpen = fault("accounts_open", "deve ser pago ou recebido: ainda estão em aberto as contas %s",
		"Pague ou receba as contas antes, ou envie settle_open: true.")
	AlreadyReconciled = fault("already_reconciled", "já conciliado: %s",
		"Desfaça a conciliação antes, ou retire os ids da lista.")
	NotSelected = fault("not_selected", "só pode ajustar as contas selecionadas: %s",
		"Inclua a conta em selected_financial_account_ids.")
	AdjustedTwice = fault("adjusted_twice", "ajusta mais de uma vez as contas %s",
		"Envie um só ajuste por conta, com todos os valores.")
	EmptyAdjustment = fault("empty_adjustment", "não ajusta nada na conta %d",
		"Envie interest_amount, ticket_amount, discount_amount, withheld_tax_amount ou fee_amount.")
	AdjustedBelowZero = fault("adjusted_below_zero", "deixaria negativo o total das contas %s",
		"Envie descontos, impostos e tarifas menores.")
	AdjustedTooLarge = fault("adjusted_too_large", "levaria além do limite o total das contas %s",
		"O maior total é 9999999999999.99.")
	BatchRefused = fault("batch_refused", "nada foi gravado, porque o lote é atômico e tem itens recusados: %d",
		"Corrija os itens com errors, ou envie atomic: false.")
	BatchTooLarge = fault("batch_too_large", "teria %d registros, entre criados e selecionados (máximo: %d)",
		"Divida o lote.")
	SeriesTooLarge = fault("series_too_large", "criaria %d registros de %s (máximo: %d)",
		"Envie menos anexos, impostos ou classificações, ou menos parcelas.")
	TooManyClassifications = SeriesTooLarge.variant("criaria %d classificações (máximo: %d)",
		"Envie menos parcelas, ou menos classificações.")
	SeriesInReconcile = fault("series_in_reconcile", "não pode começar uma série",
		"Crie a série antes (POST payable_accounts ou receivable_accounts) e selecione a primeira conta.")
	OtherEntity = fault("other_entity", "difere: são de outra entidade as contas bancárias das transações %s",
		"Concilie só transações de contas bancárias da entidade do caminho.")
)

// Faults of two transactions that are to be a transfer, and of requests for its sides.
var (
	NotDebit = fault("not_a_debit", "deve ser um débito",
		"Envie em debit_transaction_id a transação da saída, e em credit_transaction_id a da entrada.")
	NotCredit          = NotDebit.worded("deve ser um crédito")
	AmountsNotOpposite = fault("amounts_not_opposite", "difere: o débito é %s, o crédito é %s, a diferença é %s",
		"Os valores de uma transferência são iguais, com sinais opostos: escolha outra transação.")
	TooFarApart = fault("too_far_apart", "difere: o débito é de %s, o crédito é de %s, com %d dias de "+
		"diferença (máximo: %d)", "Escolha outra transação, ou corrija a data de uma das duas.")
	TransactionPaired = fault("paired", "A transação é um lado de uma transferência: desfaça a transferência antes.",
		"GET /entities/:entity_id/transfers?search[financial_transaction_id]=… encontra o par, e DELETE "+
			"/entities/:entity_id/transfers/:transfer_id o desfaz. Uma transferência digitada é excluída com uma das "+
			"transações.")
	TransactionsPaired = TransactionPaired.worded("Há lados de transferências: %s. Desfaça a transferência antes.")
)

// Why a request is refused, whatever it holds.
var (
	Unauthorized = refusal(http.StatusUnauthorized, "unauthorized", "HTTP Basic: Access denied.",
		"Envie o token como usuário de HTTP Basic, com qualquer senha (curl -u TOKEN:x), ou em Authorization: Bearer "+
			"TOKEN. Confira se ele está inteiro, e se não expirou nem foi revogado.")
	Forbidden = refusal(http.StatusForbidden, "forbidden", "Você não tem permissão para acessar este recurso.",
		"GET /user/permissions mostra o que o token pode: peça o acesso a um administrador.")
	CrossSite = refusal(http.StatusForbidden, "cross_site", "O navegador enviou esta requisição a partir de outro "+
		"site: ela não é aceita.",
		"Chame a API de um servidor, ou de uma página do mesmo endereço.")
	NoRoute = refusal(http.StatusNotFound, "no_route", "A página que você estava procurando não existe. (404)",
		"Confira o caminho em /docs: muitos começam com /entities/:entity_id. Os sufixos são .json e .xml.")
	NotFormat = refusal(http.StatusNotAcceptable, "not_a_format",
		"Este caminho não tem o sufixo %s: a API responde em JSON e XML; listas, totais e relatórios também em CSV; "+
			"transações, contas, vendas, totais e relatórios também em XLSX. (406)",
		"Troque o sufixo por .json ou .xml; ou deixe-o fora, e o cabeçalho Accept escolhe o formato.")
	NoMethod = refusal(http.StatusMethodNotAllowed, "no_method", "Este recurso não aceita o verbo da requisição. (405)",
		"O cabeçalho Allow da resposta tem os verbos do caminho.")
	Missing = refusal(http.StatusNotFound, "not_found", "Couldn't find %s with id=%v", // as clients know it
		"Confira o id e a conta (ACCOUNT_ID): o registro não existe, foi excluído ou não é desta conta ou entidade.")
	MissingPayable         = Missing.worded("Não foi possível localizar a Conta a pagar solicitada.")
	MissingReceivable      = Missing.worded("Não foi possível localizar a Conta a receber solicitada.")
	MissingCardTransaction = Missing.worded("Não foi possível localizar a transação com o ID %v")

	NoRoot = refusal(http.StatusUnprocessableEntity, "missing_root",
		"Sua solicitação não é válida. Por favor, verifique os dados enviados.",
		"Envie os atributos dentro da chave do registro, como em {\"entity\": {\"name\": \"Loja\"}}; em XML, dentro "+
			"do elemento.")
	NoAccount = refusal(http.StatusUnprocessableEntity, "account_required",
		"O cabeçalho da requisição não possui o atributo ACCOUNT_ID",
		"O token vale para várias contas: envie no cabeçalho ACCOUNT_ID o id de uma delas (GET /accounts).")
	UnknownAccount = refusal(http.StatusUnprocessableEntity, "unknown_account", NoAccount.Text, // as clients know it
		"O token não vale para a conta do cabeçalho ACCOUNT_ID: envie o id de uma das contas de GET /accounts.")

	BodyEnded = refusal(http.StatusBadRequest, "body_ended", "O corpo da requisição terminou antes do fim.",
		"Confira Content-Length e a conexão, e envie de novo.")
	Malformed = refusal(http.StatusBadRequest, "malformed", "%s inválido na linha %d, coluna %d",
		"Corrija o documento no lugar indicado.")
	MalformedWhy   = Malformed.worded("%s inválido na linha %d, coluna %d: %s")
	AnswerTooLarge = fault("answer_too_large", "A resposta passa de %d MiB.",
		"Peça páginas menores (per_page), ou busque menos registros.")
	RequestTooLarge = fault("request_too_large", "A requisição e a resposta dela passam de %d MiB. Nada foi gravado.",
		"Envie, ou selecione, menos registros de uma vez.")
	BodyTooLarge = refusal(http.StatusRequestEntityTooLarge, "body_too_large",
		"O corpo da requisição passa do limite de %d bytes.", "Envie um corpo menor.")
	PartHead = BodyTooLarge.variant("O cabeçalho de uma parte do formulário passa do limite de %d bytes.",
		"Envie um nome de arquivo curto, e na parte só os cabeçalhos Content-Disposition e Content-Type.")
	BodyOfType = refusal(http.StatusUnsupportedMediaType, "unsupported_type",
		"O Content-Type da requisição não é aceito: envie application/json ou application/xml.",
		"Envie o cabeçalho Content-Type com application/json ou application/xml.")
	FormOfType = BodyOfType.variant("O Content-Type da requisição não é aceito: envie um formulário "+
		"multipart/form-data com a parte %s.", "Envie o arquivo como parte de um formulário multipart/form-data.")
	EncodedBody = refusal(http.StatusUnsupportedMediaType, "encoded_body",
		"O Content-Encoding da requisição não é aceito: o corpo está em %s.",
		"Envie o corpo sem compressão, e sem o cabeçalho Content-Encoding; as respostas são comprimidas para quem "+
			"envia Accept-Encoding.")
	NoBoundary = refusal(http.StatusBadRequest, "no_boundary",
		"O Content-Type multipart/form-data da requisição não tem boundary.",
		"Não escreva este cabeçalho: a biblioteca que monta o formulário o envia, com o boundary.")
	KeyLength = refusal(http.StatusBadRequest, "key_length",
		"O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres, em UTF-8.", "Use um UUID novo para cada operação.")
	KeyBusy = refusal(http.StatusConflict, "key_busy", "A primeira requisição com esta Idempotency-Key ainda "+
		"não terminou. Tente de novo em alguns segundos.", "Espere os segundos de Retry-After e repita a requisição.")
	KeyReused = refusal(http.StatusConflict, "key_reused", "Esta Idempotency-Key já foi usada com outra requisição.",
		"Use uma Idempotency-Key nova para cada operação.")
	OtherVersion = refusal(http.StatusPreconditionFailed, "other_version",
		"O registro não está mais na versão que o cabeçalho If-Match indica. Leia-o de novo.",
		"Leia o registro, refaça a mudança e envie o ETag novo em If-Match.")

	TooMany = refusal(http.StatusTooManyRequests, "too_many_requests",
		"A conta já fez as %d requisições por minuto que pode fazer (requests_per_minute). "+
			"Tente de novo em %s.", "Espere os segundos de Retry-After.")
	TooManyWaits = refusal(http.StatusTooManyRequests, "too_many_waits", "Requisições demais esperam por mudanças.",
		"Um token pode ter até 4 requisições com wait, e uma conta até 250; o servidor também tem um limite. Espere a "+
			"resposta de uma delas.")
	TooManyAtOnce = refusal(http.StatusTooManyRequests, "too_many_at_once",
		"Requisições demais da conta esperam ao mesmo tempo.",
		"Espere os segundos de Retry-After, e faça menos requisições de uma vez.")
	TooManyHeld    = TooManyAtOnce.worded("A conta tem %d requisições em andamento, e o máximo é %d (held_requests).")
	TooManyExports = refusal(http.StatusTooManyRequests, "too_many_exports",
		"A conta tem %d exportações em andamento, e o máximo é %d (exports).",
		"Espere os segundos de Retry-After, e exporte menos listas de uma vez.")
	TooManyGuesses = refusal(http.StatusTooManyRequests, "too_many_invalid_tokens",
		"Foram enviados tokens inválidos demais deste endereço. Tente de novo em %s.",
		"Confira o token; um válido é atendido também agora.")

	AfterLatest = fault("after_latest", "é maior que o número da última mudança, %d",
		"Envie o next da resposta anterior; se a base foi restaurada de uma cópia, leia tudo de novo.")
	ChangesExpired = refusal(http.StatusGone, "changes_expired", "As mudanças pedidas não são mais guardadas.",
		"Guarde o latest desta resposta, leia as listas de novo e continue com ele em after.")

	NotSigned = refusal(http.StatusServiceUnavailable, "not_signed",
		"O endereço do arquivo não pôde ser gerado agora. Tente de novo em alguns segundos.",
		"Espere os segundos de Retry-After e repita a requisição.")
	BadAddress = refusal(http.StatusForbidden, "bad_address",
		"O endereço do arquivo não é válido ou expirou. Peça outro pelo download.",
		"O endereço vale por pouco tempo: repita o download.")
	FileGone = refusal(http.StatusNotFound, "file_gone", "O arquivo não existe mais.",
		"O anexo ou o extrato foi excluído.")
	OutsideContent = refusal(http.StatusRequestedRangeNotSatisfiable, "outside_content",
		"O intervalo pedido fica fora do arquivo.", "Peça em Range um intervalo dentro do tamanho que Content-Range "+
			"indica.")
	StoreFull = refusal(http.StatusInsufficientStorage, "store_full",
		"Não há espaço para guardar o arquivo. Nada foi gravado.", "Tente mais tarde, ou avise o suporte.")
	Unavailable = refusal(http.StatusServiceUnavailable, "unavailable",
		"Serviço indisponível no momento. Tente de novo em alguns segundos.",
		"Espere os segundos de Retry-After e repita a requisição; um POST, com a mesma Idempotency-Key.")
	TookTooLong = Unavailable.variant("A requisição levou tempo demais e foi interrompida.",
		"Peça menos de uma vez: um período, uma página ou um lote menor. Se outra requisição mudava os mesmos "+
			"registros, espere os segundos de Retry-After e repita; um POST, com a mesma Idempotency-Key.")
	NoRoom = refusal(http.StatusServiceUnavailable, "no_room", "As requisições em andamento ocupam a memória "+
		"reservada a elas. Tente de novo em alguns segundos.", "Leia as respostas grandes até o fim, peça páginas "+
		"menores (per_page), e espere os segundos de Retry-After antes de repetir a requisição.")
	Failed = refusal(http.StatusInternalServerError, "failed",
		"Ops! Erro no servidor. (500) Informe o código %s ao suporte.",
		"Informe o código ao suporte; um POST pode ser repetido com a mesma Idempotency-Key.")
)

// Invalid is the code of an answer about several faults that do not share one, SeveralFaults its
// title.
const (
	Invalid       = "invalid"
	SeveralFaults = "A requisição tem vários erros."
)
