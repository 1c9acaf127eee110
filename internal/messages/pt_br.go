// Package messages contains every sentence that a user of the API may read, in Brazilian
// Portuguese: another language is another file. Names that end in f are formats. Most texts are
// known to clients of the API already.
package messages

import (
	"fmt"
	"strconv"
	"strings"
)

// Refusals of forms by the console itself.
const (
	ChooseAccount  = "Escolha a conta: com os nomes das colunas, o arquivo não a acha sozinho."
	ChooseEntities = "Você marcou entidades: escolha “só estas”, ou desmarque-as."
)

// Faults of a document.
const (
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
	EndedEarly    = "o documento termina antes do fim"
	ValueExpected = "esperado um texto entre aspas duplas, um número, true, false, null, um objeto ou uma lista"
	NameExpected  = "esperado um nome entre aspas duplas"
	ColonExpected = "esperado : depois do nome"
	BadString     = "há um caractere que um texto entre aspas não pode ter"
	BadNumber     = "o número não termina como um número"

	CommaOrBraceExpected   = "esperado , ou }"
	CommaOrBracketExpected = "esperado , ou ]"
	ElementsCrossed        = "um elemento é fechado por outro nome"
	AmpersandBare          = "há um & que não começa uma referência do XML; escreva &amp;"
	AngleBare              = "há um < que não começa um elemento; escreva &lt;"
	AttributeUnquoted      = "o valor de um atributo vai entre aspas"

	PercentSign = "há um % sem dois dígitos hexadecimais"
)

// The remedies of requests without a better hint in the catalogue: SendRootf wants a root key and
// its element, BareOrRootedf a list of attributes and their root key, NearestNamef a name.
const (
	SendRootf = "Envie os atributos dentro da chave %[1]s, como em {\"%[1]s\": {…}}; em XML, dentro do elemento " +
		"%[2]s."
	BareOrRootedf = "Envie %[1]s, sozinhos ou dentro da chave %[2]s; ou nenhum corpo."
	NearestNamef  = "O nome mais parecido é %s."
	SentAsForm    = "O Content-Type diz que o corpo é um formulário: para JSON, envie Content-Type: application/json."
	EmptyFile     = "O arquivo recebido não tem conteúdo: confira se ele foi lido do disco e envie-o de novo."
	NearestPathf  = "O caminho mais parecido é /%s; a lista está em /docs/reference."
	NumberInPath  = "O id no caminho é um número, e os sufixos são .json e .xml."
	MonthInPath   = "O mês no caminho tem a forma AAAA-MM, como 2026-12."
)

// The rights that a forbidden request lacks.
const (
	NeedsPermissionf   = "O token precisa da permissão %s: peça-a a um administrador da conta."
	NeedsForceDestroy  = "Só um administrador da conta muda force_destroy: deixe-o fora da requisição."
	NeedsAdministrator = "Só administradores da conta podem: use um token de administrador, sem restrições."
	NeedsAllEntities   = "Só pode quem vê todas as entidades da conta, porque o registro é de todas."
	NeedsToWrite       = "O token só lê: use um que também grava."
	OpensNoAccount     = "O token não abre nenhuma conta agora: um administrador precisa incluir de novo o usuário."
)

// Parts of other texts.
const (
	SendFilef = "O arquivo vai em um formulário multipart/form-data, na parte %[1]s; com curl: -F " +
		"'%[1]s=@arquivo'."
	AndMoreIDsf     = "%s e mais %d"
	NotANumber      = "não é um número"
	Files           = "anexos"
	Taxes           = "impostos"
	Classifications = "classificações"
	InvoiceAccountf = "Fatura de %s/%d do cartão %s"
)

// Results of reading a statement's file.
const (
	Linef         = "linha %d: %s"
	UnknownFormat = "não é um extrato " + statementFormats + "; esperado <OFX>, <OFC>, !Type:, { ou ["
	cutFilef      = "O arquivo termina antes do fim: falta %s, depois de %d %s. Baixe-o de novo."
	NoType        = `o lançamento vem antes de uma linha "!Type:" que diga de que conta ele é; esperado !Type:Bank, ` +
		`!Type:Cash ou !Type:CCard`
	UnknownTypef = `o tipo de lista %.40q não é conhecido; esperado !Type:Bank, !Type:Cash, !Type:CCard, !Type:Oth ` +
		`A ou !Type:Oth L`
	CutItemf = "o arquivo termina dentro do lançamento que começa aqui; esperado %s"
	// ItemFaultf is an error in a file of JSON, whose lines may be one; its last part is one of those below.
	ItemFaultf    = "item %d: %s"
	JSONSyntaxf   = "o JSON tem %q onde se esperava %s"
	JSONDay       = "uma data"
	JSONValue     = "um valor"
	JSONText      = "um texto"
	JSONNext      = "outro valor"
	JSONHex       = "quatro dígitos hexadecimais"
	JSONEscape    = "um de \"\\/bfnrtu"
	JSONDeepf     = "o JSON tem mais de %d níveis"
	JSONDigitsf   = "um número tem mais de %d caracteres"
	JSONNumberf   = "o número %.40q não é de JSON"
	JSONTwicef    = "o membro %q vem duas vezes"
	JSONMissingf  = "falta o membro %q"
	JSONKindf     = "o membro %q não é %s"
	JSONDatef     = "o membro %q tem %.40q; esperado uma data como 2026-03-02 ou um momento como 2026-03-02T15:04:05Z"
	JSONAmountf   = "o membro %q tem %.40q, que %v; esperado um valor como -1234.56"
	JSONChoicef   = "o membro %q tem %.40q; esperado %s"
	JSONSignedf   = "o membro %q tem %.40q, e o sinal é o de %q; esperado um valor sem sinal"
	JSONAccountsf = "o membro %q tem %.60q, e os itens antes dele %.60q; o arquivo pode ter itens de uma só conta"
	JSONNoDay     = "falta a data: esperado occurred_at, date (Pluggy), value_date (Belvo) ou transactionDateTime " +
		"(Open Finance)"
	// Errors in a file of CNAB 240.
	CNABLongf      = "o registro tem %d caracteres; esperado até %d"
	CNABOrderf     = "um registro do tipo %q não pode vir aqui"
	CNABNumberf    = "as posições %d a %d têm %.40q; esperado um número"
	CNABSignf      = "a posição %d tem %q; esperado D ou C"
	CNABFileLinesf = "o trailer do arquivo conta %d registros, e ele tem %d: baixe-o de novo"
	CNABLotLinesf  = "o trailer do lote conta %d registros, e ele tem %d: baixe o arquivo de novo"
	CNABDebitsf    = "o trailer do lote soma %s de débitos, e os lançamentos somam %s: baixe o arquivo de novo"
	CNABCreditsf   = "o trailer do lote soma %s de créditos, e os lançamentos somam %s: baixe o arquivo de novo"
	LotTrailer     = "o trailer do lote"
	FileTrailer    = "o trailer do arquivo"
	BankRefusedf   = "o banco respondeu com o erro %.40s no lugar do extrato"
	BadDatesf      = "a data %.40q não pôde ser lida, nem outra do arquivo; esperado uma data como 20260302 ou " +
		"02/03/2026"
	BadAmountf   = "o valor %.40q %v; esperado um valor como -1234.56"
	Columnf      = "coluna %.60q"
	Sheetf       = "planilha %.40q, "
	SheetColumnf = "coluna %s (%.60q)"
	BrokenBook   = "O arquivo XLSX está danificado: baixe-o de novo."
	BrokenSheet  = "a planilha está danificada: baixe-a de novo"
	LargeBookf   = "O arquivo XLSX é grande demais: descompactado, pode ter até %d MiB."
	RoutedBookf  = LargeBookf + " Envie-o à conta bancária dele, onde pode ter até %d MiB."
	LargePartf   = "O arquivo XLSX é grande demais: uma parte que não é planilha pode ter até %d MiB, descompactada."
	ManyPartsf   = "O arquivo XLSX é grande demais: tem mais de %d partes. Copie o extrato, só os valores, para um " +
		"arquivo novo."
	ManySheetsf = "O arquivo XLSX é grande demais: tem mais de %d planilhas. Copie o extrato para um arquivo novo."
	HeavyBookf  = "O arquivo XLSX é grande demais: tem mais de %d elementos fora das planilhas ou em uma linha. " +
		"Copie o extrato, só os valores, para um arquivo novo."
	LongTextBook = "O arquivo XLSX tem um texto longo demais, ou textos demais em uma linha. " +
		"Copie o extrato, só os valores, para um arquivo novo."
	LinkedBook = "O arquivo XLSX tem vínculos com outros arquivos: baixe o extrato do banco de novo, sem alterá-lo."
	NoSheetf   = "Nenhuma planilha do arquivo XLSX tem o cabeçalho de um banco conhecido, nem os nomes de " +
		"statement_mapping da conta bancária; encontrado %.300q. Grave nela os nomes das colunas e envie o " +
		"arquivo a ela."
	UnknownHeaderf = "O cabeçalho %.300q não é de um banco conhecido, nem tem os nomes de statement_mapping da conta " +
		"bancária. Grave nela os nomes das colunas e envie o arquivo a ela."
	TwoSheetsf   = "As planilhas %.40q e %.40q têm, as duas, uma tabela de extrato: deixe uma por arquivo."
	ManyRowsf    = "mais de %d linhas"
	Formulaf     = "a célula %s tem uma fórmula; esperado o arquivo do banco, sem alterações"
	NoHeader     = "falta o cabeçalho de uma tabela de extrato que se conheça"
	LongRow      = "a linha é longa demais para uma tabela de extrato"
	OpenQuote    = "as aspas que abrem não fecham: o arquivo está cortado ou alterado; baixe-o de novo"
	ManyColumnsf = "a linha tem mais de %d colunas"
	RowTooWidef  = "a linha tem %d colunas, e o cabeçalho %d; esperado aspas em textos que têm o separador"
	RowTooShortf = "a linha tem %d colunas, de %d que um lançamento precisa: o arquivo está cortado ou alterado"
	ManyNotesf   = "mais de %d linhas seguidas não têm data: não é uma tabela de extrato"
	MappedMarkf  = "%s: o valor %.40q não tem a marca decimal de statement_mapping"
	CutRow       = "o arquivo termina dentro desta linha; baixe-o de novo"
	CutAmount    = "o arquivo termina dentro do valor desta linha; baixe-o de novo"
	TwoMarksf    = "%s: o valor %.40q e o valor %.40q da linha %d têm marcas decimais diferentes"
	OpenMarkf    = "%s: não se sabe se %.40q tem milhares ou decimais, e nenhum outro valor do arquivo mostra"
	MixedDatesf  = "o arquivo tem datas como número (%.40q) e como texto (%.40q): uma planilha o alterou; baixe" +
		"-o de novo"
	TwoAmountsf   = "%.40q é um segundo valor na linha; esperado só crédito ou só débito"
	BadDirectionf = "%.40q não diz crédito nem débito, ou contradiz o sinal do valor"
	WrongTotalf   = "o total é %s, mas a soma das linhas é %s: o arquivo está cortado ou alterado; baixe-o de novo"
	WrongEndf     = "o saldo final informado é %s, mas a tabela termina em %s: o arquivo está cortado ou alterado; " +
		"baixe-o de novo"
	Unreadablef    = "O arquivo não pôde ser lido: %v. Nenhuma transação foi importada."
	ManyAccountsf  = "O arquivo tem itens de mais de uma conta (%s): informe account_number na conta bancária."
	OtherAccountsf = "O arquivo não tem itens da conta %s, e sim de: %s."
	NoNumber       = "sem número"
	// ImportRefusedf is the output of a file that was refused for a fault of an attribute, RefusedWithf for a fault of
	// the record as a whole: its text is a sentence.
	ImportRefusedf = "O arquivo %s. Nenhuma transação foi importada."
	RefusedWithf   = "%s Nenhuma transação foi importada."
	ImportFailed   = "O arquivo não pôde ser importado por um erro do servidor. Nenhuma transação foi importada; " +
		"envie o arquivo novamente."

	Periodf       = "Período: %s a %s."
	Ignoredf      = "Itens ignorados: %s."
	OneKnown      = "já conhecido"
	ManyKnown     = "já conhecidos"
	Future        = "com data futura"
	ZeroAmount    = "com valor zero"
	NoDay         = "com data inválida"
	OnePending    = "ainda não lançado pelo banco"
	ManyPending   = "ainda não lançados pelo banco"
	OneBalance    = "linha de saldo"
	ManyBalances  = "linhas de saldo"
	Elsewhere     = "de outra conta"
	ProofAgreesf  = "O saldo confere com o do banco em %s: %s."
	ProofDiffersf = "O banco informa em %s o saldo %s, e a conta tem %s: diferença de %s"
	Explainedf    = ", explicada por %s"

	CameMeanwhile  = "%d já tinha vindo de outro arquivo"
	CamesMeanwhile = "%d já tinham vindo de outro arquivo"
	BecameNew      = "%d passou a ser nova"
	BecamesNew     = "%d passaram a ser novas"
	OtherEnd       = "%d item teve outro resultado"
	OtherEnds      = "%d itens tiveram outro resultado"
)

// The warnings of a statement's import or preview. NotAcceptedf ends the output of a file that was
// refused for a warning, and ConfirmWithf that of its preview; both have the codes to accept.
const (
	OtherNumberf  = "O arquivo é da conta %s, e o primeiro extrato desta conta bancária é da conta %s."
	FileCurrencyf = "O arquivo tem valores em %s, e a conta bancária é em %s: eles não são convertidos."
	NotAcceptedf  = "Nenhuma transação foi importada. Se o arquivo é mesmo desta conta bancária, envie-o de novo com " +
		"bank_statement[accept][]: %s."
	ConfirmWithf = "Para importar assim mesmo, confirme a prévia com accept: %s."
	OneDoubtf    = "Confira o já conhecido com outra descrição: %s."
	Doubtsf      = "Confira os já conhecidos com outra descrição: %s."
	Doubtf       = "linha %d, %s, %s, %q (antes %q)"
	AndMoref     = "E mais %d."
)

// StatementWarnings are the warnings with a text that depends only on a count: One is for one item,
// Many for any other number, which takes the place of %d.
var StatementWarnings = map[string]struct{ One, Many string }{
	"suspects": {
		"Dos já conhecidos, 1 pode ser outro lançamento, com descrição e identificação novas: confira os itens " +
			"suspeitos (suspect).",
		"Dos já conhecidos, %d podem ser outros lançamentos, com descrição e identificação novas: confira os itens " +
			"suspeitos (suspect).",
	},
	"dates_by_convention": always("O arquivo não diz em que ordem estão dia, mês e ano: as datas foram lidas todas " +
		"na mesma ordem. Confira-as."),
	"signs_by_type": always("Nenhum valor do arquivo tem sinal: o tipo de cada lançamento diz se ele é débito ou " +
		"crédito. Confira-os."),
	"wide_span": always(
		"Os poucos lançamentos do arquivo estão espalhados por mais de cinco anos: confira as datas."),
	"no_statement": always("O arquivo não tem nenhum extrato: confira se o banco o gerou por inteiro."),
	"broken_balances": {
		"Um saldo da coluna de saldos não é o anterior mais os valores entre os dois: pode faltar uma linha no a" +
			"rquivo. " +
			"Confira-o.",
		"%d saldos da coluna de saldos não são o anterior mais os valores entre os dois: podem faltar linhas no " +
			"arquivo. Confira-os.",
	},
	"read_differently": {
		"Dos já conhecidos, 1 foi importado por uma versão anterior com outra data ou outro sinal: confira a " +
			"transação dele.",
		"Dos já conhecidos, %d foram importados por uma versão anterior com outra data ou outro sinal: confira as " +
			"transações deles.",
	},
	"restated": {
		"1 lançamento já importado veio agora com outra data, outro valor ou outra identificação: a transação ficou " +
			"como estava. Confira o item que a substituiria (replaces).",
		"%d lançamentos já importados vieram agora com outra data, outro valor ou outra identificação: as transações " +
			"ficaram como estavam. Confira os itens que as substituiriam (replaces).",
	},
	"closing_differs": {
		"O saldo final do arquivo não é o inicial com os lançamentos dele: confira o saldo com o banco.",
		"Em %d extratos do arquivo o saldo final não é o inicial com os lançamentos: confira os saldos com o banco.",
	},
	"moved_day": {
		"1 lançamento já importado veio agora com outra data: confira os dois, e exclua a transação que não vale.",
		"%d lançamentos já importados vieram agora com outra data: confira-os, e exclua as transações que não valem.",
	},
}

func always(text string) struct{ One, Many string } { return struct{ One, Many string }{text, text} }

// Why records are suggested for reconciliation.
const (
	SameAmount         = "Mesmo valor"
	StillOpen          = "Ainda em aberto: a conciliação paga ou recebe a conta"
	SumOfAccountsf     = "A soma de %d contas é o valor da transação"
	SumOfTransactionsf = "A soma de %d transações é o valor da conta"
	SameDocument       = "Mesmo documento"
	SameEndToEndID     = "Mesmo Pix"
	SameTaxID          = "Mesmo CPF ou CNPJ"
	SameCharge         = "Mesmo txid"
	WasOpen            = "Estava em aberto: a conciliação pagou ou recebeu a conta"
	MadeAccount        = "A conciliação criou a conta"
	LikeText           = "Descrição parecida"
	WholeName          = "O texto do banco tem o nome da pessoa"
	OppositeAmount     = "Mesmo valor, saída e entrada"
	SaysTransfer       = "O texto é de uma transferência"
	SaysOwnName        = "O texto tem o nome da entidade"
	ByRulef            = "Regra de conciliação: %s"
	MakesAccount       = "A conciliação cria a conta"
)

// Why a payment is not the amount due.
const (
	Finef        = "multa de R$ %s"
	Interestf    = "juros de R$ %s"
	TaxWithheldf = "A diferença é imposto retido: R$ %s (%s)"
	FeeTakenf    = "A diferença é tarifa do banco: R$ %s"
)

// And joins words: "a", "a e b", "a, b e c".
func And(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " e " + words[last]
}

// PaidLate describes what a payment some days after the due date has in addition.
func PaidLate(days int, charges string) string {
	return fmt.Sprintf("Pagamento %s depois do vencimento: %s", numberOfDays(days), charges)
}

// PaidEarly describes the discount of a payment some days before the due date, or on it.
func PaidEarly(days int, discount string) string {
	when := "no vencimento"
	if days > 0 {
		when = numberOfDays(days) + " antes do vencimento"
	}
	return fmt.Sprintf("Pagamento %s: desconto de R$ %s", when, discount)
}

// Number writes a count in Brazilian notation: "100.000".
func Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "." + digits[i:]
	}
	return digits
}

// Seconds writes a wait: "1 segundo", "2 segundos".
func Seconds(n int) string {
	if n == 1 {
		return "1 segundo"
	}
	return fmt.Sprintf("%d segundos", n)
}

func numberOfDays(n int) string {
	if n == 1 {
		return "1 dia"
	}
	return fmt.Sprintf("%d dias", n)
}

// The statuses of a webhook.
const (
	WebhookActive  = "Ativo"
	WebhookInError = "Com erro"
)

// Months are the names of the months; January is the first.
var Months = [...]string{"Janeiro", "Fevereiro", "Março", "Abril", "Maio", "Junho", "Julho", "Agosto", "Setembro",
	"Outubro", "Novembro", "Dezembro"}

// DaysApart describes how many days lie between records.
func DaysApart(n int) string {
	if n == 0 {
		return "Mesma data"
	}
	return numberOfDays(n) + " de diferença"
}

// Results of an attempt to deliver a notification; the catalogue has why no answer came.
const (
	AnsweredWithf      = "respondeu com o status %d: só 200 confirma o recebimento"
	AttemptInterrupted = "a tentativa foi interrompida do nosso lado: a resposta não é conhecida"
)

// The e-mail about a webhook in error. Its arguments are the id, description, entity and address of
// the webhook; the event and its time; the number of attempts; the time and the result of the last
// one; the URL of the webhook, twice, and the URL of the delivery.
const (
	WebhookFailureSubjectf = "Webhook %d com erro: as notificações estão retidas"
	WebhookFailureTextf    = `Olá,

o webhook %d foi marcado como "Com erro".

    Descrição: %s
    Entidade:  %s
    Endereço:  %s

A notificação do evento %s, de %s, não foi confirmada em %d tentativas.
Última tentativa, em %s: %s.

As notificações seguintes ficam retidas por alguns dias. Corrija o receptor, e
depois:

1. Verifique o webhook. Se ele responder com 200, volta a "Ativo", e as retidas
   são enviadas, da mais antiga para a mais nova:

    PUT %s/verify_status

2. Reenvie as que, como esta, já usaram todas as tentativas:

    POST %s/deliveries/redeliver

O corpo desta notificação e a resposta a cada tentativa:

    GET %s

Bordero
`
	NoDescription = "(sem descrição)"
	MomentLayout  = "02/01/2006 15:04:05"
)

// WouldBeImported describes how many transactions an import would add.
func WouldBeImported(n int64) string {
	switch n {
	case 0:
		return "Prévia: nenhuma transação nova seria importada."
	case 1:
		return "Prévia: seria importada 1 transação."
	}
	return fmt.Sprintf("Prévia: seriam importadas %d transações.", n)
}

// Foreseen describes how many transactions a preview expected, before a list of the differences.
func Foreseen(n int64) string {
	switch n {
	case 0:
		return "A prévia não previa nenhuma nova"
	case 1:
		return "A prévia previa 1 nova"
	}
	return fmt.Sprintf("A prévia previa %d novas", n)
}

// statementFormats are the formats of statements, for sentences.
const statementFormats = "OFX, OFC, QIF, CSV, XLSX, JSON ou CNAB 240"

// CutFile says that a statement's file ends before a tag, behind n items.
func CutFile(tag string, n int64) string {
	if n == 1 {
		return fmt.Sprintf(cutFilef, tag, n, "lançamento")
	}
	return fmt.Sprintf(cutFilef, tag, n, "lançamentos")
}

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

// Explanations names the kinds of explanations of the difference of two balances.
var Explanations = map[string]string{
	"opening_balance":     "saldo inicial da conta",
	"missing_period":      "dias sem extrato",
	"suspect_duplicates":  "itens suspeitos de repetição",
	"ignored_items":       "itens ignorados",
	"moved_items":         "itens que o banco mudou de dia",
	"manual_transactions": "transações digitadas",
	"edited_items":        "transações alteradas",
	"deleted_items":       "transações excluídas",
	"later_items":         "itens que vieram depois",
}

// The remedies that would make the sums of a reconciliation equal.
const (
	ClosedByRaisingPayable     = "some-a em adjustments como interest_amount, ticket_amount ou fee_amount"
	ClosedByLoweringPayable    = "some-a em adjustments como discount_amount ou withheld_tax_amount"
	ClosedByRaisingReceivable  = "some-a em adjustments como interest_amount ou ticket_amount"
	ClosedByLoweringReceivable = "some-a em adjustments como discount_amount, withheld_tax_amount ou fee_amount"
	// OrPaidInPart follows where the user may change the amounts of all accounts.
	OrPaidInPart = "; se é só uma parte, reduza o valor da conta e crie outra com o resto"
)
