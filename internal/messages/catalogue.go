package messages

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
	TooLarge = fault("too_large_a_number", "deve ter no máximo 13 dígitos inteiros",
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
	NotBoolean   = fault("not_a_boolean", "deve ser true ou false", "Envie true, false, 1 ou 0.")
	TooLong      = fault("too_long", "é muito longo (máximo: %d caracteres)", "Envie um texto mais curto.")
	TooLongBelow = TooLong.variant("daria mais de %d caracteres ao nome completo de uma subcategoria",
		"Envie um nome mais curto ou outra categoria acima, ou encurte antes os nomes das subcategorias.")
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
	DiscountOfFirst = DiscountTooLarge.variant("fica todo na primeira parcela, e não pode passar do valor dela com "+
		"multa e juros: %s", "Envie as parcelas uma a uma, com installment_number e o desconto de cada uma.")
	TaxesTooLarge = fault("taxes_too_large", "não podem passar do valor total", "Confira os valores dos impostos.")
	TaxesOfFirst  = TaxesTooLarge.variant("ficam todos na primeira parcela, e não podem passar do valor dela: %s",
		"Envie as parcelas uma a uma, com installment_number e os impostos de cada uma.")
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

	PercentageTooLarge = fault("percentage_too_large", "deve ter no máximo 5 dígitos inteiros",
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
		"Inclua o meio de pagamento em payment_methods da conta de recebimento.")
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
		"cabeçalho %.300q não é de um banco conhecido, nem tem os nomes de statement_mapping",
		"Envie o arquivo à conta bancária (POST "+
			"/entities/:entity_id/deposit_accounts/:deposit_account_id/bank_statements), como prévia, com os nomes "+
			"das colunas, como estão no cabeçalho, em bank_statement[statement_mapping]. Ou exporte do banco o "+
			"extrato em OFX, às vezes chamado de Money ou de arquivo para conciliação.")
	Workbook = NotStatement.variant("não é um extrato "+statementFormats+": nenhuma planilha do XLSX tem o cabeçalho "+
		"de um banco conhecido, nem os nomes de statement_mapping; encontrado %.300q", CSV.Hint)
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
	AcquirerFile = NotStatement.variant(
		"não é um extrato "+statementFormats+": parece um arquivo de vendas de adquirente",
		"Ele traz vendas de cartão e seus pagamentos, e não os lançamentos de uma conta bancária: exporte do banco "+
			"o extrato em OFX.")
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
	BrokenStatement = NotStatement.variant("não é um extrato que se possa ler: %s",
		"Faça o que o texto pede; se ele não pede nada, baixe o arquivo do banco de novo.")
	NoAccountNumber = fault("no_account_number", "não tem número de conta, e por isso não se sabe de que conta "+
		"bancária é", "Envie o arquivo à conta bancária: POST "+
		"/entities/:entity_id/deposit_accounts/:deposit_account_id/bank_statements.")
	UnknownAccounts = fault("unknown_account_number", "traz contas que nenhuma conta bancária da entidade tem em "+
		"account_number: %s", "Informe account_number na conta bancária (PUT), ou envie o arquivo à conta bancária.")
	AmbiguousAccounts = fault("ambiguous_account_number", "traz contas que mais de uma conta bancária da entidade tem "+
		"em account_number: %s", "Corrija account_number nas contas bancárias (PUT), ou envie o arquivo a uma delas.")
	TooManyAccounts = fault("too_many_accounts", "traz contas demais (máximo: %d)",
		"Envie o arquivo a cada conta bancária.")
	ItemImported         = fault("item_imported", "é imported: o item já foi importado", "Nada a fazer.")
	ItemBroughtByAnother = fault("item_of_another_statement",
		"é duplicate: outro extrato já trouxe este lançamento, com o mesmo dia, valor e identificador",
		"Nada a fazer; se mesmo assim é outro, crie a transação à mão.")
	ItemFolded = fault("item_without_texts", "Os textos deste item já foram removidos.",
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
	Bracketed = UnknownParameter.variant("não é um parâmetro desta requisição: escreva %s=valor",
		"Escreva o parâmetro sem colchetes: com eles seria ignorado.")
	TooManyGroups = fault("too_many_groups", "resulta em mais de %s grupos",
		"Use filtros, menos meses, ou uma chave só.")
	TooManyCells = TooManyGroups.variant("o relatório teria mais de %s células",
		"Peça menos meses, ou menos entidades.")
	TooManyBudgets = TooManyGroups.variant("há mais de %s orçamentos no período", TooManyCells.Hint)
	TooManyKeys    = fault("too_many_keys", "tem mais de duas chaves",
		"Agrupe por uma ou duas chaves, com vírgula entre elas.")
	RepeatedKey = fault("repeated_key", "tem duas chaves que dariam o mesmo atributo",
		"Envie duas chaves diferentes, ou uma só; category e category_tree contam como a mesma.")
	SeveralCurrencies = fault("several_currencies", "os valores são de mais de uma moeda",
		"Valores de moedas diferentes não se somam: escolha uma com search[currency_id], ou agrupe "+
			"por deposit_account.")
	FilterTwice = fault("filter_twice", "foi enviado mais de uma vez",
		"Envie o filtro uma vez; uma lista de valores é search[nome][]=a&search[nome][]=b.")
	FilterOfOne    = FilterTwice.variant("aceita um valor só", "Faça uma requisição para cada valor.")
	ParameterTwice = FilterTwice.variant("foi enviado mais de uma vez",
		"Envie o parâmetro uma vez; onde são aceitos vários valores, com vírgulas entre eles.")
	ListTwice = FilterTwice.variant("foi enviado mais de uma vez: escreva %s[]=a&%s[]=b, ou em JSON [\"a\", \"b\"]",
		"Num formulário, o nome de cada valor termina com []; em JSON os valores são uma lista; em XML, elementos "+
			"dentro de um só.")
	NotCursor = fault("not_a_cursor", "não é um cursor desta lista com estes filtros",
		"Envie o valor de X-Next-Cursor como veio, com o mesmo caminho, a mesma conta e os mesmos filtros; cursor= "+
			"recomeça.")
	PageAndCursor = fault("page_and_cursor", "não pode ser enviado junto com page", "Envie só um dos dois.")
	NoCursor      = fault("no_cursor", "não é aceito por esta lista", "Use page e per_page.")
	NotInSheet    = fault("not_in_sheet", "não é aceito em CSV e XLSX: a resposta tem todos os registros",
		"Retire o parâmetro; os filtros search[…] escolhem os registros.")
	SheetTooLong = fault("sheet_too_long", "Os filtros encontram mais de %s registros, o máximo em CSV e XLSX.",
		"Busque menos de uma vez, por exemplo um mês por requisição com os filtros de datas; em JSON e XML a lista "+
			"vem em páginas.")
	UnreadableQuery = fault("unreadable_query", "A consulta (depois de ?) não pode ser lida: escreva %25 por % e %3B "+
		"por ;.", "Codifique os valores da consulta; com curl: -G --data-urlencode.")
)
