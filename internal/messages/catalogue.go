package messages

import "net/http"

// Faults of an attribute, as the words after its name. Blank, BlankAttachment, NotInList, NotValid
// and NotDate have the words that clients of the API already know.
var (
	Blank           = fault("blank", "não pode ser vazio", "Envie um valor: o atributo é obrigatório.")
	BlankAttachment = Blank.worded("não pode ser vazio.")
	PartMissing     = Blank.worded("não pode ser vazio: a parte do formulário se chama %s, e foi enviada só %s")
	FormMissing     = Blank.worded("não pode ser vazio: envie um formulário multipart/form-data com a parte %s")
	NotValid        = fault("not_valid", "não é válido",
		"Confira o formato do valor na descrição do atributo em /docs.")
	NotTaxID = fault("not_a_tax_id", NotValid.Text, "Envie um CPF ou CNPJ cujos dígitos verificadores "+
		"conferem, com ou sem pontuação; ou vazio, para nenhum.")
	NotEmail = fault("not_an_email", NotValid.Text, "Envie só o endereço, como ana@example.com.")
	NotURL   = fault("not_a_url", NotValid.Text, "Envie o endereço completo, com http:// ou https:// e o "+
		"nome do servidor, como https://erp.example.com/avisos.")
	NotObjects = fault("not_a_list_of_objects", NotValid.Text,
		"Envie uma lista de objetos, como [{…}, {…}]; em XML, um elemento com type=\"array\" e um elemento para cada "+
			"objeto.")
	NotObject = fault("not_an_object", NotValid.Text, "Envie um objeto, como {…}; em XML, um elemento com os "+
		"atributos dentro; ou null, para nenhum.")
	NotText = fault("not_a_text", NotValid.Text, "Um texto deve estar em UTF-8 e não pode ter o caractere "+
		"nulo (\\u0000 em JSON).")
	StructureForText = NotText.variant("deve ser um texto", "Envie um texto, ou um número, true ou false, que valem "+
		"como são escritos. Uma lista ou um objeto não é um texto; null o apaga.")
	NotInList     = fault("not_in_list", "não está incluso na lista", "Envie um dos valores aceitos.")
	NotAcceptable = NotInList.worded("não está incluso na lista: %s")
	NotExisting   = fault("not_existing", "não existe", "Confira o id: o registro não existe, foi excluído ou não é "+
		"desta conta ou entidade.")
	IDsNotExisting = NotExisting.worded("não existe: %s")
	NoMember       = NotExisting.variant("não é de um membro desta conta",
		"Inclua a pessoa em POST /members antes, ou confira o e-mail em GET /members.")
	NotInteger = fault("not_an_integer", "não é um número inteiro", "Envie só dígitos, como 12.")
	NotIDs     = NotInteger.worded("deve ter números inteiros, com vírgulas entre eles")
	NotInRange = fault("out_of_range", "está fora do intervalo permitido",
		"Um número inteiro vai até 9223372036854775807, e uma data até 9999-12-31, também a da última parcela ou "+
			"repetição.")
	NotBetween = NotInRange.variant("está fora do intervalo permitido: de %d a %d",
		"Envie um valor dentro do intervalo.")
	NotNumber = fault("not_a_number", NotANumber+": use ponto decimal, como 1234.56",
		"Envie dígitos e, para os centavos, um ponto: 1234.56, e não 1.234,56.")
	TooManyDecimals = fault("too_many_decimals", "deve ter no máximo 2 casas decimais",
		"Arredonde o valor para centavos antes de enviar.")
	PercentageDecimals = TooManyDecimals.variant("deve ter no máximo 4 casas decimais",
		"Arredonde o percentual para 4 casas antes de enviar.")
	TooLarge = fault("too_large_a_number", "deve ter no máximo 13 dígitos antes da vírgula",
		"O maior valor é 9999999999999.99.")
	BeforeFrom = fault("before_from", "não pode ser antes de from",
		"Envie em from o primeiro dia do período e em to o último.")
	TooManyMonths = fault("too_many_months", "dá mais de %d meses", "Divida o intervalo em vários.")
	NarrowedTwice = fault("narrowed_twice", "não pode vir com outro centro ou valor",
		"Envie só um: center_id, ou classifier:ID com o id de um valor.")
	NoBudgetOfValue = fault("no_budget_of_value", "não pode vir com classifier:ID, porque orçamentos são de centros",
		"Tire classifier:ID, ou troque-o por center_id.")
	TooManyBuckets = fault("too_many_buckets", "daria %d períodos, e o máximo é %d: use by=%s",
		"Um by maior dá menos períodos.")
	TooManyOfAll = TooManyBuckets.variant("daria %d períodos, e o máximo é %d: nenhum by cabe no intervalo",
		"Divida o intervalo em vários.")
	TooManyOfAccounts = TooManyBuckets.variant("daria %d períodos, %d em cada uma de %d contas bancárias, e o "+
		"máximo é %d ao todo", "Use um by maior, um intervalo menor ou menos entidades, ou tire by_account.")
	NotDate = fault("not_a_date", "não é uma data válida",
		"Use AAAA-MM-DD, como 2026-12-31; um instante, RFC 3339, como 2026-12-31T08:00:00-03:00; um mês, AAAA-MM.")
	NotBoolean     = fault("not_a_boolean", "deve ser true ou false", "Envie true, false, 1 ou 0.")
	TooLong        = fault("too_long", "é muito longo (máximo: %d caracteres)", "Envie um texto mais curto.")
	Taken          = fault("taken", "já está em uso", "Use outro valor, ou altere o registro que já tem este.")
	BudgetTaken    = Taken.worded("já tem um orçamento desta categoria e deste centro")
	Zero           = fault("zero", "deve ser diferente de zero", "Envie um valor diferente de zero.")
	NotPositive    = fault("not_positive", "deve ser maior que zero", "Envie um valor acima de zero.")
	Negative       = fault("negative", "não pode ser negativo", "Envie zero ou um valor acima de zero.")
	NegativeCredit = fault("negative_credit", "não pode ser negativo em um crédito",
		"Envie o valor sem sinal, ou o tipo Debit.")
	NotLess = fault("less_than", "não pode ser menor que %s",
		"Envie um valor igual ou maior, ou troque os dois.")
	NotAscending = fault("not_ascending", "deve ter números em ordem crescente, sem repetir nenhum",
		"Envie os números do menor ao maior, como 15,30,60.")
	TooManyItems        = fault("too_many_items", "tem itens demais (máximo: %d)", "Divida a requisição.")
	AdministratorMayAll = fault("administrator_may_all", "não pode restringir um administrador",
		"Um administrador tem todas as permissões, vê todas as entidades e grava: deixe o atributo fora da "+
			"requisição, ou envie administrator false.")
	LastAdministrator = fault("last_administrator", "A conta ficaria sem administrador.",
		"Torne outro membro administrador antes.")
	NotFuture      = fault("not_in_the_future", "deve estar no futuro", "Envie um instante depois de agora.")
	AfterOwnExpiry = fault("after_own_expiry", "não pode ser depois de %s, quando o seu token expira",
		"Envie um instante até esse, ou use um token que expira mais tarde.")
	UnknownAttribute = fault("unknown_attribute", "não é um atributo desta requisição",
		"Retire o atributo: com Prefer: handling=strict nada do que é enviado é ignorado.")
	Unchangeable = fault("unchangeable", "não pode ser alterada",
		"Deixe o atributo fora da requisição, ou crie outro registro.")
	SharedToken = Unchangeable.variant("não pode ser alterado: o token abre todas as contas do usuário",
		"Crie outro token, só desta conta, e exclua este.")
	BalanceTooLarge = fault("balance_too_large", "levaria o saldo da conta além do limite",
		"O saldo de uma conta vai até 9999999999999.99.")
	InvoiceTooLarge = fault("invoice_too_large", "levaria o total da fatura além do limite",
		"O total de uma fatura vai até 9999999999999.99.")
	DiscountTooLarge = fault("discount_too_large", "não pode passar do valor com multa e juros",
		"Envie um desconto menor.")
	TaxesTooLarge   = fault("taxes_too_large", "não podem passar do valor total", "Confira os valores dos impostos.")
	TooSmallToSplit = fault("too_small_to_split", "é pequeno demais para tantas parcelas",
		"Cada parcela precisa de pelo menos um centavo.")
	SameAccount = fault("same_account", "deve ser outra conta",
		"Uma transferência tem duas contas bancárias diferentes.")
	OfSameAccount = SameAccount.worded("deve ser de outra conta bancária")
	OtherCurrency = fault("other_currency", "deve ser de uma conta na mesma moeda",
		"Escolha uma conta bancária na moeda desta.")
	ForeignCurrencies = fault("foreign_currency", "deve ser real (BRL), como a das contas a pagar e a receber: são "+
		"de outra moeda as transações %s", "Retire da lista as transações de contas bancárias que não são em reais.")
	CurrencyFixed = fault("currency_fixed", "não pode mudar: a conta já tem transações, extratos ou movimentos de "+
		"caixa", "Crie outra conta bancária com a nova moeda.")
	CardTypeFixed = fault("card_type_fixed", "não pode mudar de ou para cartão (6): a conta já tem extratos, "+
		"cujas linhas seriam importadas de novo", "Exclua os extratos antes e importe-os de novo depois, ou crie "+
		"outra conta bancária.")
	TypeFixed   = fault("type_fixed", "não pode mudar enquanto o caixa está aberto", "Feche o caixa antes.")
	NotRegister = fault("not_a_register", "não é um caixa (tipo 8)",
		"Só contas bancárias do tipo 8 abrem e fecham.")
	ClosedBefore = fault("closed_before_opening", "deve ser depois da abertura do caixa",
		"Envie um instante depois de opened_at.")
	ParentBelow = fault("parent_below", "não pode ser a própria categoria nem uma subcategoria dela",
		"Escolha uma categoria de outro ramo.")
	RecurrentAlready = fault("recurrent_already", "não pode ser enviado junto com create_as_recurrent",
		"Envie só um dos dois.")

	PercentageTooLarge = fault("percentage_too_large", "deve ter no máximo 5 dígitos antes da vírgula",
		"O maior percentual é 99999.9999.")
	NotPercentage  = fault("not_a_percentage", "deve ser de 0 a 100", "Envie um percentual, como 2.5.")
	PercentagesSum = fault("percentages_sum", "somam mais de 100%% no classificador %d",
		"Os percentuais de um classificador somam no máximo 100.")
	CentersSum = PercentagesSum.worded("somam mais de 100%")

	NotMapped = fault("not_mapped", "deve ter o nome da coluna de valores com sinal; ou credit e debit, os das "+
		"colunas de créditos e de débitos", "Envie amount, ou credit e debit.")
	NotWeekdays = fault("not_weekdays", "deve ter dígitos de 0 (domingo) a 6 (sábado) separados por vírgulas",
		"De segunda a sexta: 1,2,3,4,5.")
	RuleTaken = fault("rule_taken",
		"já tem uma regra na conta de recebimento (com o mesmo emissor, se há emissor)", "Altere a regra que existe.")
	NotEnabled = fault("not_enabled", "não está habilitado na conta de recebimento",
		"Inclua a forma de pagamento em payment_methods da conta de recebimento.")
	NotClassifiers = fault("not_classifiers", "deve ter a forma classificador:valor, e vírgulas entre vários",
		"Por exemplo: 12:Loja,13:Norte.")

	TwoFiles = fault("two_files", "deve ser um só arquivo", "Envie uma requisição por arquivo.")
	NotFile  = fault("not_a_file", "deve ser um arquivo, não um texto",
		"Com curl, o valor da parte começa com @.")
	NotStatement = fault("not_a_statement", "não é um extrato "+statementFormats, "Exporte o extrato do banco em OFX.")
	Spreadsheet  = NotStatement.variant("não é um extrato "+statementFormats+": parece uma planilha que não é XLSX",
		"Abra a planilha e salve-a como XLSX (Pasta de Trabalho do Excel), sem mudar nada nela; ou exporte o extrato "+
			"do banco em OFX. Mudar o nome do arquivo não o converte.")
	CSV = NotStatement.variant("não é um extrato "+statementFormats+": parece um texto em colunas (CSV), mas o "+
		"cabeçalho %.300q não é de um banco conhecido",
		"Envie o arquivo como prévia com os nomes das colunas em bank_statement[statement_mapping]. Ou "+
			"exporte do banco o extrato em OFX, às vezes chamado de Money ou de arquivo para conciliação.")
	Workbook = NotStatement.variant("não é um extrato "+statementFormats+": nenhuma planilha do XLSX tem o cabeçalho "+
		"de um banco conhecido, nem os nomes de statement_mapping; encontrado %.300q",
		"Envie o arquivo como prévia com os nomes das colunas em bank_statement[statement_mapping].")
	PDF = NotStatement.variant("não é um extrato "+statementFormats+": parece um PDF",
		"O PDF é para ler: exporte do banco o mesmo extrato em OFX. Para guardar o PDF, envie-o como anexo.")
	Image = NotStatement.variant("não é um extrato "+statementFormats+": parece uma imagem",
		"Exporte do banco o extrato em OFX. Para guardar a imagem, envie-a como anexo.")
	Page = NotStatement.variant("não é um extrato "+statementFormats+": parece uma página da internet",
		"O banco respondeu com uma página no lugar do arquivo, por exemplo porque a sessão expirou: entre de novo e "+
			"exporte o extrato em OFX.")
	Compressed = NotStatement.variant("não é um extrato "+statementFormats+": parece um arquivo compactado",
		"Descompacte o arquivo e envie cada extrato OFX dele.")
	JSON = NotStatement.variant("não é um extrato "+statementFormats+": parece um JSON sem lançamentos",
		"Envie um array de lançamentos, cada um com amount e occurred_at, ou o array da Pluggy, da Belvo ou do Open "+
			"Finance como ele é.")
	CAMT = NotStatement.variant(
		"não é um extrato "+statementFormats+": parece um extrato CAMT (ISO 20022, em XML)",
		"Exporte do banco o extrato em OFX.")
	MT940 = NotStatement.variant("não é um extrato "+statementFormats+": parece um extrato MT940 (SWIFT)",
		CAMT.Hint)
	CNAB240 = NotStatement.variant(
		"não é um extrato "+statementFormats+": parece um arquivo CNAB 240 que não é extrato",
		"Peça ao banco o extrato para conciliação em CNAB 240 (segmento E), ou exporte o extrato da conta em OFX. "+
			"Retornos de cobrança e remessas não são extratos.")
	CNAB400 = NotStatement.variant("não é um extrato "+statementFormats+": parece um arquivo CNAB 400",
		CNAB240.Hint)
	CNAB200 = NotStatement.variant("não é um extrato "+statementFormats+": parece um arquivo CNAB 200",
		CNAB240.Hint)
	CNAB150 = NotStatement.variant("não é um extrato "+statementFormats+": parece um arquivo CNAB 150 (arrecadação)",
		CNAB240.Hint)
	BrokenStatement = NotStatement.variant("não é um extrato que se possa ler: %s", "Baixe o arquivo do banco de novo.")
	NoAccountNumber = fault("no_account_number", "não tem número de conta, e por isso não se sabe de que conta "+
		"bancária é", "Envie o arquivo à conta bancária: POST "+
		"/entities/:entity_id/deposit_accounts/:deposit_account_id/bank_statements.")
	UnknownAccounts = fault("unknown_account_number", "traz contas que nenhuma conta bancária da entidade tem em "+
		"account_number: %s", "Informe account_number na conta bancária (PUT), ou envie o arquivo à conta bancária.")
	AmbiguousAccounts = fault("ambiguous_account_number", "traz contas que mais de uma conta bancária da entidade tem "+
		"em account_number: %s", "Corrija account_number nas contas bancárias (PUT), ou envie o arquivo a uma delas.")
	TooManyAccounts = fault("too_many_accounts", "traz contas demais (máximo: %d)",
		"Envie o arquivo a cada conta bancária.")
	ItemImported = fault("item_imported", "é imported: o item já foi importado", "Nada a fazer.")
	ItemFolded   = fault("item_without_texts", "Os textos deste item já foram removidos.",
		"Envie o arquivo do extrato de novo, e importe o item do novo extrato.")
	ItemNotImported = fault("item_not_duplicate", "é %s: só um item já conhecido (duplicate) pode ser importado",
		"Crie a transação à mão.")

	NotSecret = fault("not_a_secret", "deve ter de 24 a 64 caracteres hexadecimais",
		"Gere um segredo com: openssl rand -hex 32, e envie os caracteres como estão.")
	UnknownEvent = fault("unknown_event", "não conhece %.60q: envie família.ação ou família.*, das famílias %s, com "+
		"as ações %s", "Por exemplo, sales.* e people.created; sem events, o webhook recebe todos.")

	URLCredentials = fault("url_credentials", "não pode ter usuário nem senha",
		"Retire usuário e senha da URL: as notificações são assinadas.")
	URLPort         = fault("url_port", "deve usar a porta 80, a 443 ou uma a partir da 1024", "Troque a porta da URL.")
	NotAnsweredWith = fault("not_answered", "não respondeu à requisição de teste com o status 200: respondeu com o "+
		"status %d", "O endereço deve responder 200 a um POST, em 10 segundos.")
)

// Why a URL did not answer, as the log of deliveries has it; see OfTest.
var (
	NameNotFound = fault("name_not_found", "o nome do servidor não foi encontrado",
		"Confira o nome na URL e no DNS.")
	AddressRefused = fault("address_not_public", "o endereço não é público",
		"Use um endereço público; o operador pode permitir redes privadas.")
	NotConnected = fault("not_connected", "não foi possível conectar",
		"Confira o endereço, a porta e o firewall do receptor.")
	ConnectionRefused = fault("connection_refused", "o servidor recusou a conexão",
		"Confira se o receptor está no ar, na porta da URL.")
	AnswerCutOff = fault("connection_closed", "a conexão foi encerrada antes do fim da resposta",
		"Veja no log do receptor por que ele não termina a resposta.")
	CertificateFailed = fault("tls_failed", "a conexão segura falhou: o certificado não é válido para o endereço",
		"Confira na porta da URL o certificado, a cadeia dele e as versões de TLS.")
	TLSFailed = CertificateFailed.worded("a conexão segura (TLS) falhou")
	NotInTime = fault("timed_out", "a resposta inteira não veio em 10 segundos",
		"Responda logo, e faça depois o que demora.")
	NotHTTP = fault("not_http", "a resposta não é HTTP", "Confira a porta da URL: o que atende nela deve ser um "+
		"servidor HTTP.")
)

// Faults of a query.
var (
	UnknownFilter = fault("unknown_filter", "não é um filtro conhecido: os filtros são %s",
		"Use um dos filtros da lista.")
	LikeFilter = UnknownFilter.worded("não é um filtro conhecido: o mais parecido é %s")
	NotFilter  = UnknownFilter.worded("não pode ser lido: escreva search[nome]=valor")
	BareFilter = fault("bare_filter", "é um filtro: escreva search[%s]=valor",
		"Escreva o filtro dentro de search[…]: sem isso seria ignorado, e a resposta teria todos os registros.")
	UnknownParameter = fault("unknown_parameter", "não é um parâmetro desta requisição",
		"Retire o parâmetro: com Prefer: handling=strict nada do que é enviado é ignorado.")
	TooManyGroups = fault("too_many_groups", "resulta em mais de %d grupos",
		"Use filtros, menos meses, ou uma chave só.")
	TooManyKeys = fault("too_many_keys", "tem mais de duas chaves",
		"Agrupe por uma ou duas chaves, com vírgula entre elas.")
	RepeatedKey = fault("repeated_key", "tem duas chaves que dariam o mesmo atributo",
		"Envie duas chaves diferentes, ou uma só; category e category_tree contam como a mesma.")
	SeveralCurrencies = fault("several_currencies", "os valores são de mais de uma moeda",
		"Valores de moedas diferentes não se somam: escolha uma com search[currency_id], ou agrupe "+
			"por deposit_account.")
	FilterTwice = fault("filter_twice", "foi enviado mais de uma vez",
		"Envie o filtro uma vez; uma lista de valores é search[nome][]=a&search[nome][]=b.")
	NotCursor = fault("not_a_cursor", "não é um cursor desta lista com estes filtros",
		"Envie o valor de X-Next-Cursor como veio, com o mesmo caminho, a mesma conta e os mesmos filtros; cursor= "+
			"recomeça.")
	PageAndCursor = fault("page_and_cursor", "não pode ser enviado junto com page", "Envie só um dos dois.")
	NoCursor      = fault("no_cursor", "não é aceito por esta lista", "Use page e per_page.")
	NotInSheet    = fault("not_in_sheet", "não é aceito em CSV e XLSX: a resposta tem todos os registros",
		"Retire o parâmetro; os filtros search[…] escolhem os registros.")
	SheetTooLong = fault("sheet_too_long", "Os filtros encontram mais de %d registros, o máximo em CSV e XLSX.",
		"Busque menos de uma vez, por exemplo um mês por requisição com os filtros de datas; em JSON e XML a lista "+
			"vem em páginas.")
	UnreadableQuery = fault("unreadable_query", "A consulta (depois de ?) não pode ser lida: escreva %25 por % e %3B "+
		"por ;.", "Codifique os valores da consulta; com curl: -G --data-urlencode.")
)

// Why a record refuses the request.
var (
	EntityGoing = fault("entity_going", "A entidade está sendo excluída.",
		"Use outra entidade: nada mais pode ser gravado nesta.")
	NotSandbox = fault("not_a_sandbox", "Só uma conta de testes (sandbox) pode ser reiniciada.",
		"GET /accounts mostra em sandbox se a conta é de testes. Uma conta de verdade nunca se torna uma.")
	NotAccountName = fault("not_the_account_name", "deve ser o nome da conta, como está em GET /accounts: %s",
		"O nome confirma o que será apagado: envie-o letra por letra.")
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
	InvoiceAwaitsDays = fault("invoice_awaits_days", "A fatura está recebendo os novos dias do cartão.",
		"Pague-a quando a mudança dos dias terminar, em instantes.")
	SaleLiquidated = fault("sale_liquidated", "A venda já foi liquidada: desfaça o recebimento antes.",
		"Desfaça o recebimento da conta a receber da venda.")
	SalesLiquidated = SaleLiquidated.worded("Há vendas liquidadas: desfaça os recebimentos antes.")
	NoFee           = fault("no_fee", "Precisa ter pelo menos taxa percentual ou taxa fixa",
		"Envie fee_percentage ou fixed_fee_amount.")
	NoBalanceStated = fault("no_balance_stated", "O extrato não informa um saldo e o dia dele, ou a importação não "+
		"terminou com sucesso.", "Informe initial_balance na conta bancária (PUT).")
	NotFirstStatement = fault("not_first_statement", "O saldo inicial vem do primeiro extrato da conta que informa "+
		"um saldo, o de id %d.", "Repita a chamada com o id desse extrato.")
	MovedBefore = fault("transactions_before", "Há transações com data anterior a %s, o início do extrato.",
		"Exclua ou corrija essas transações, ou informe initial_balance na conta bancária (PUT).")
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
	SeriesTooLarge = fault("series_too_large", "criaria %d anexos, impostos e classificações (máximo: %d)",
		"Crie menos parcelas, ou anexe os arquivos depois.")
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
			"lançamentos, contas, vendas, totais e relatórios também em XLSX. (406)",
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
		"O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres.", "Use um UUID novo para cada operação.")
	KeyBusy = refusal(http.StatusConflict, "key_busy", "A primeira requisição com este Idempotency-Key ainda "+
		"não terminou. Tente de novo em alguns segundos.", "Espere os segundos de Retry-After e repita a requisição.")
	KeyReused = refusal(http.StatusConflict, "key_reused", "Este Idempotency-Key já foi usado com outra requisição.",
		"Use um Idempotency-Key novo para cada operação.")
	OtherVersion = refusal(http.StatusPreconditionFailed, "other_version",
		"O registro não está mais na versão que o cabeçalho If-Match indica. Leia-o de novo.",
		"Leia o registro, refaça a mudança e envie o ETag novo em If-Match.")

	TooMany = refusal(http.StatusTooManyRequests, "too_many_requests",
		"A conta já fez as %d requisições por minuto que pode fazer (requests_per_minute). "+
			"Tente de novo em %d segundos.", "Espere os segundos de Retry-After.")
	TooManyWaits = refusal(http.StatusTooManyRequests, "too_many_waits", "Requisições demais esperam por mudanças.",
		"Um token pode ter até 4 requisições com wait: espere a resposta de uma delas.")
	TooManyAtOnce = refusal(http.StatusTooManyRequests, "too_many_at_once",
		"Requisições demais da conta esperam ao mesmo tempo.",
		"Espere os segundos de Retry-After, e faça menos requisições de uma vez.")
	TooManyHeld    = TooManyAtOnce.worded("A conta tem %d requisições em andamento, e o máximo é %d (held_requests).")
	TooManyExports = refusal(http.StatusTooManyRequests, "too_many_exports",
		"A conta tem %d exportações em andamento, e o máximo é %d (exports).",
		"Espere os segundos de Retry-After, e exporte menos listas de uma vez.")
	TooManyGuesses = refusal(http.StatusTooManyRequests, "too_many_invalid_tokens",
		"Foram enviados tokens inválidos demais deste endereço. Tente de novo em %d segundos.",
		"Confira o token; um válido é atendido também agora.")

	AfterLatest = fault("after_latest", "é maior que o número da última mudança, %d",
		"Envie o next da resposta anterior; se a base foi restaurada de uma cópia, leia tudo de novo.")
	ChangesExpired = refusal(http.StatusGone, "changes_expired", "As mudanças pedidas não são mais guardadas.",
		"Leia as listas de novo e continue com o número de oldest menos um, ou um maior.")

	NotSigned = refusal(http.StatusServiceUnavailable, "not_signed",
		"O endereço do arquivo não pôde ser gerado agora. Tente de novo em alguns segundos.",
		"Espere os segundos de Retry-After e repita a requisição.")
	BadAddress = refusal(http.StatusForbidden, "bad_address",
		"O endereço do arquivo não é válido ou expirou. Peça outro pelo download.",
		"Um endereço vale por uma hora: repita o download.")
	FileGone = refusal(http.StatusNotFound, "file_gone", "O arquivo não existe mais.",
		"O anexo ou o extrato foi excluído.")
	OutsideContent = refusal(http.StatusRequestedRangeNotSatisfiable, "outside_content",
		"O intervalo pedido fica fora do arquivo.", "Peça em Range um intervalo dentro do tamanho que Content-Range "+
			"indica.")
	StoreFull = refusal(http.StatusInsufficientStorage, "store_full",
		"Não há espaço para guardar o arquivo. Nada foi gravado.", "Tente mais tarde, ou avise o suporte.")
	Unavailable = refusal(http.StatusServiceUnavailable, "unavailable",
		"Serviço indisponível no momento. Tente de novo em alguns segundos.",
		"Espere os segundos de Retry-After e repita a requisição; um POST, com o mesmo Idempotency-Key.")
	NoRoom = refusal(http.StatusServiceUnavailable, "no_room", "As requisições em andamento ocupam a memória "+
		"reservada a elas. Tente de novo em alguns segundos.", "Leia as respostas grandes até o fim, peça páginas "+
		"menores (per_page), e espere os segundos de Retry-After antes de repetir a requisição.")
	Failed = refusal(http.StatusInternalServerError, "failed",
		"Ops! Erro no servidor. (500) Informe o código %s ao suporte.",
		"Informe o código ao suporte; um POST pode ser repetido com o mesmo Idempotency-Key.")
)

// Invalid is the code of an answer about several faults that do not share one, SeveralFaults its
// title.
const (
	Invalid       = "invalid"
	SeveralFaults = "A requisição tem vários erros."
)
