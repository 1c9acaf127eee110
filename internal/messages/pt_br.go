// Package messages contains every sentence that a user of the API may read, in Brazilian
// Portuguese: another language is another file. Names that end in f are formats. Most texts
// are those that clients of the API already know.
package messages

import "fmt"

// What is wrong with an attribute, after its name.
const (
	Blank           = "não pode ser vazio"
	NotInList       = "não está incluso na lista"
	NotExisting     = "não existe"
	NotValid        = "não é válido"
	NotInteger      = "não é um número inteiro"
	NotInRange      = "está fora do intervalo permitido"
	NotNumber       = "não é um número"
	TooManyDecimals = "deve ter no máximo 2 casas decimais"
	TooLarge        = "deve ter no máximo 13 dígitos antes da vírgula"
	NotDate         = "não é uma data válida"
	NotBoolean      = "deve ser true ou false"
	TooLong         = "é muito longo (máximo: 255 caracteres)"
	Taken           = "já está em uso"
	Zero            = "deve ser diferente de zero"
	UnknownFilter   = "não é um filtro conhecido"
	UnreadableQuery = "A consulta (depois de ?) não pode ser lida: escreva %25 por % e %3B por ;."
	Unchangeable    = "não pode ser alterada"
	NegativeCredit  = "não pode ser negativo em um crédito"
	BalanceTooLarge = "levaria o saldo da conta além do limite"
	InvoiceTooLarge = "levaria o total da fatura além do limite"
	SameAccount     = "deve ser outra conta"
	CurrencyFixed   = "não pode mudar: a conta já tem transações, extratos ou movimentos de caixa"
	TypeFixed       = "não pode mudar enquanto o caixa está aberto"
	OtherCurrency   = "deve ser de uma conta na mesma moeda"
	ParentBelow     = "não pode ser a própria categoria nem uma subcategoria dela"
	NotRegister     = "não é um caixa (tipo 8)"
	BlankAttachment = "não pode ser vazio." // with the full stop, as clients know it
	TwoFiles        = "deve ser um só arquivo"
	NotFile         = "deve ser um arquivo, não um texto"
	ClosedBefore    = "deve ser depois da abertura do caixa"
	NotStatement    = "não é um extrato OFX, OFC ou QIF"

	NotPositive      = "deve ser maior que zero"
	Negative         = "não pode ser negativo"
	DiscountTooLarge = "não pode passar do valor com multa e juros"
	RecurrentAlready = "não pode ser enviado junto com create_as_recurrent"
	TooManyItemsf    = "tem itens demais (máximo: %d)"
	NotExistingf     = "não existe: %s"

	PercentageDecimals = "deve ter no máximo 4 casas decimais"
	PercentageTooLarge = "deve ter no máximo 5 dígitos antes da vírgula"
	NotPercentage      = "deve ser de 0 a 100"
	PercentagesSumf    = "somam mais de 100%% no classificador %d"
	CentersSum         = "somam mais de 100%"

	TooLongf        = "é muito longo (máximo: %d caracteres)"
	NotWeekdays     = "deve ter dígitos de 0 (domingo) a 6 (sábado) separados por vírgulas"
	TaxesTooLarge   = "não podem passar do valor total"
	TooSmallToSplit = "é pequeno demais para tantas parcelas"
	RuleTaken       = "já tem uma regra com este emissor na conta de recebimento"
	NotEnabled      = "não está habilitado na conta de recebimento"
	NotClassifiers  = "deve ter a forma classificador:valor, e vírgulas entre vários"

	URLCredentials = "não pode ter usuário nem senha"
	URLPort        = "deve usar a porta 80, a 443 ou uma a partir da 1024"

	NotAnsweredWithf = "não respondeu à requisição de teste com o status 200: respondeu com o status %d"
	NotAnsweredTime  = "não respondeu à requisição de teste em 10 segundos"
	NotAnswered      = "não respondeu à requisição de teste: não foi possível conectar (só endereços públicos são aceitos)"
)

// Why a record refuses the request.
const (
	EntityGoing    = "A entidade está sendo excluída."
	OnlyEntity     = "Só existe uma entidade."
	EntityStays    = "Não é possível apagar esta entidade."
	HasAccounts    = "Existem Contas que precisam ser apagadas"
	HasFinancials  = "Existem Contas a Pagar/Contas a Receber que precisam ser apagadas"
	HasCenters     = "Existem Centro de Custo/Receita que precisam ser apagados"
	RegisterOpen   = "O caixa já está aberto."
	RegisterClosed = "O caixa já está fechado."

	TransactionReconciled = "A transação está conciliada: desfaça a conciliação antes."
	AccountReconciled     = "A conta está conciliada: desfaça a conciliação antes."
	AccountOfSales        = "A conta é a soma de suas vendas: altere ou exclua as vendas."
	AlreadySettled        = "A conta já está paga ou recebida."
	NotSettled            = "A conta não está paga nem recebida."
	NoSeries              = "A conta não faz parte de uma série."
	SaleLiquidated        = "A venda já foi liquidada: desfaça o recebimento antes."
	SalesLiquidated       = "Há vendas liquidadas: desfaça os recebimentos antes."
	NoFee                 = "Precisa ter pelo menos taxa percentual ou taxa fixa"
	Reconciledf           = "Há contas conciliadas: %s. Desfaça a conciliação antes."

	ImportRuns              = "A importação do extrato ainda não terminou."
	ReconciledTransactionsf = "Há transações conciliadas: %s. Desfaça a conciliação antes."
	AndMoreIDsf             = "%s e mais %d"
	ItemImported            = "é imported: o item já foi importado"
	ItemNotDuplicatef       = "é %s: só um item já conhecido (duplicate) pode ser importado"
	InvoicePaid             = "A fatura já está paga: desfaça o pagamento antes."
	OfInvoice               = "O valor e o vencimento da conta são os da fatura do cartão, que também a exclui: altere as transações do cartão."
	DerivedAccountsf        = "Há contas de vendas ou de faturas de cartão: %s. Altere as vendas ou as transações do cartão."
	NoInstallment           = "A transação não é parte de uma compra parcelada."
	InvoiceAccountf         = "Fatura de %s/%d do cartão %s"
)

// Why a request is refused.
const (
	Unauthorized    = "HTTP Basic: Access denied."
	Forbidden       = "Você não tem permissão para acessar este recurso."
	CrossSite       = "O navegador enviou esta requisição a partir de outro site: ela não é aceita."
	NoRoute         = "A página que você estava procurando não existe. (404)"
	NoMethod        = "Este recurso não aceita o verbo da requisição. (405)"
	NoRoot          = "Sua solicitação não é válida. Por favor, verifique os dados enviados."
	NoAccount       = "O cabeçalho da requisição não possui o atributo ACCOUNT_ID"
	BodyEnded       = "O corpo da requisição terminou antes do fim."
	BodyTooLargef   = "O corpo da requisição passa do limite de %d bytes."
	BodyOfType      = "O Content-Type da requisição não é aceito: envie application/json ou application/xml."
	KeyLength       = "O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres."
	KeyBusy         = "A primeira requisição com este Idempotency-Key ainda não terminou. Tente de novo em alguns segundos."
	KeyReused       = "Este Idempotency-Key já foi usado com outra requisição."
	OtherVersion    = "O registro não está mais na versão que o cabeçalho If-Match indica. Leia-o de novo."
	TooManyf        = "O limite de requisições por minuto foi atingido. Tente de novo em %d segundos."
	TooManyGuessesf = "Foram enviados tokens inválidos demais deste endereço. Tente de novo em %d segundos."
	Unavailable     = "Serviço indisponível no momento. Tente de novo em alguns segundos."
	StoreFull       = "Não há espaço para guardar o arquivo. Nada foi gravado."
	NotSigned       = "O endereço do arquivo não pôde ser gerado agora. Tente de novo em alguns segundos."
	BadAddress      = "O endereço do arquivo não é válido ou expirou. Peça outro pelo download."
	FileGone        = "O arquivo não existe mais."
	Failedf         = "Ops! Erro no servidor. (500) Informe o código %s ao suporte."
	Missingf        = "Couldn't find %s with id=%v" // as recorded

	MissingPayable    = "Não foi possível localizar a Conta a pagar solicitada."
	MissingReceivable = "Não foi possível localizar a Conta a receber solicitada."

	MissingCardTransactionf = "Não foi possível localizar a transação com o ID %v"
)

// What is wrong with a document.
const (
	Malformedf    = "%s inválido na linha %d"
	MalformedWhyf = Malformedf + ": %s"
	Form          = "Formulário"
	TooDeep       = "há níveis demais"
	TooManyValues = "há valores demais"
	Trailing      = "há conteúdo após o fim do documento"
	NotUTF8       = "o texto não está em UTF-8"
	Directive     = "DTD e entidades não são aceitas"
	ProcInst      = "instruções de processamento não são aceitas"
	OutsideRoot   = "há texto fora do elemento raiz"
	NoRootElement = "não há elemento raiz"
	Brackets      = "[] só pode terminar um nome; listas de objetos levam um índice, como em itens[0][nome]"
	PercentSign   = "há um % sem dois dígitos hexadecimais"
)

// Results of reading a statement's file.
const (
	Linef          = "linha %d: %s"
	UnknownFormat  = "não é um extrato OFX, OFC ou QIF; esperado <OFX>, <OFC> ou !Type:"
	CutTag         = `o arquivo termina dentro da marca que começa aqui; esperado ">"`
	NoType         = `o lançamento vem antes de uma linha "!Type:" que diga de que conta ele é; esperado !Type:Bank, !Type:Cash ou !Type:CCard`
	UnknownTypef   = `o tipo de lista %.40q não é conhecido; esperado !Type:Bank, !Type:Cash, !Type:CCard, !Type:Oth A ou !Type:Oth L`
	CutItemf       = "o arquivo termina dentro do lançamento que começa aqui; esperado %s"
	BankRefusedf   = "o banco respondeu com o erro %.40s no lugar do extrato"
	BadAmountf     = "o valor %.40q %v; esperado um valor como -1234.56"
	Unreadablef    = "O arquivo não pôde ser lido: %v. Nenhuma transação foi importada."
	ManyAccountsf  = "O arquivo tem itens de mais de uma conta (%s): informe account_number na conta bancária."
	OtherAccountsf = "O arquivo não tem itens da conta %s, e sim de: %s."
	NoNumber       = "sem número"
	ImportRefusedf = "O arquivo %s. Nenhuma transação foi importada."
	ImportFailed   = "O arquivo não pôde ser importado por um erro do servidor. Nenhuma transação foi importada; envie o arquivo novamente."

	Periodf       = "Período: %s a %s."
	Ignoredf      = "Itens ignorados: %s."
	FileCurrencyf = "O arquivo diz que os valores estão em %s, e a conta é em %s: entraram sem conversão."
	OneKnown      = "já conhecido"
	ManyKnown     = "já conhecidos"
	Future        = "com data futura"
	ZeroAmount    = "com valor zero"
	NoDay         = "com data inválida"
	OneBalance    = "linha de saldo"
	ManyBalances  = "linhas de saldo"
	OneElsewhere  = "de outra conta"
	ManyElsewhere = "de outras contas"
	Doubts        = "Confira os já conhecidos com outra descrição:"
	Doubtf        = "linha %d, %s, %s, %q (antes %q);"
	AndMoref      = "E mais %d."
)

// Why records are suggested for reconciliation.
const (
	SameAmount         = "Mesmo valor"
	SumOfAccountsf     = "A soma de %d contas é o valor da transação"
	SumOfTransactionsf = "A soma de %d transações é o valor da conta"
	SameDocument       = "Mesmo documento"
	LikeText           = "Descrição parecida"
)

// The statuses of a webhook.
const (
	WebhookActive  = "Ativo"
	WebhookInError = "Com erro"
)

// Limits of the number of webhooks.
const (
	WebhooksOfEntityf  = "A entidade já tem o máximo de %d webhooks."
	WebhooksOfAccountf = "A conta já tem o máximo de %d webhooks."
)

// Months are the names of the months; January is the first.
var Months = [...]string{"Janeiro", "Fevereiro", "Março", "Abril", "Maio", "Junho", "Julho", "Agosto", "Setembro", "Outubro", "Novembro", "Dezembro"}

// DaysApart describes how many days lie between records.
func DaysApart(n int) string {
	switch n {
	case 0:
		return "Mesma data"
	case 1:
		return "1 dia de diferença"
	}
	return fmt.Sprintf("%d dias de diferença", n)
}

// Results of an attempt to deliver a notification.
const (
	AnsweredWithf      = "respondeu com o status %d: só 200 confirma o recebimento"
	NotInTime          = "não respondeu por inteiro em 10 segundos"
	AnswerCutOff       = "encerrou a conexão antes do fim da resposta"
	NotConnected       = "não foi possível conectar"
	NameNotFound       = "o nome do servidor não foi encontrado"
	NotTrusted         = "a conexão segura falhou: o certificado não é válido para o endereço"
	AddressRefused     = "o endereço não é público"
	AttemptInterrupted = "a tentativa foi interrompida do nosso lado: a resposta não é conhecida"
)

// The e-mail about a webhook in error. Its arguments are the id, the URL, the event and its
// time, the number of attempts, the time and the result of the last one, and the URL to
// verify the webhook.
const (
	WebhookFailureSubjectf = "Webhook %d com erro: as notificações estão retidas"
	WebhookFailureTextf    = `Olá,

o webhook %d (%s) foi marcado como "Com erro".

A notificação do evento %s, de %s, não foi confirmada em %d tentativas.
Última tentativa, em %s: %s.

As notificações seguintes ficam retidas por alguns dias. Depois de corrigir o
endereço, verifique o webhook para que elas sejam enviadas, da mais antiga para
a mais nova:

    PUT %s

Bordero
`
	MomentLayout = "02/01/2006 15:04:05"
)

// What is wrong with records that are to be reconciled. The last argument is the list of
// ids.
const (
	SumsDifferf        = "difere: a soma das contas é %s, a das transações é %s, a diferença é %s"
	KindsMixed         = "difere: as contas devem ser todas a pagar ou todas a receber"
	OtherCurrencyf     = "deve ser real (BRL), como a das contas a pagar e a receber: são de outra moeda as transações %s"
	PayableCreditsf    = "difere: contas a pagar só são conciliadas com débitos, e são créditos as transações %s"
	ReceivableDebitsf  = "difere: contas a receber só são conciliadas com créditos, e são débitos as transações %s"
	NotSettledIDsf     = "deve ser pago ou recebido: ainda estão em aberto as contas %s"
	AlreadyReconciledf = "já conciliado: %s"
	OtherEntityf       = "difere: são de outra entidade as contas bancárias das transações %s"
	TooManyRecords     = "tem transações ou contas demais em aberto (máximo: 20.000 de cada): escolha um período menor"
)

// Imported describes how many transactions an import added.
func Imported(n int64) string {
	switch n {
	case 0:
		return "Nenhuma transação nova foi importada."
	case 1:
		return "Foi importada 1 transação."
	}
	return fmt.Sprintf("Foram importadas %d transações.", n)
}
