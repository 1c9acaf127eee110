package statement

import (
	"bytes"
	"slices"
	"strings"

	"bordero/finance"
)

// role is the meaning of a column.
type role uint8

const (
	noRole role = iota
	dateRole
	textRole       // texts of several columns are one description
	instalmentRole // "2/12" is added to the description; other texts are not
	documentRole
	idRole
	accountRole
	amountRole    // signed, or with the direction of another column
	spentRole     // of a card: a purchase is positive
	creditRole    // with debitRole: one of the two is blank or zero
	debitRole     // with or without a sign
	directionRole // D and C, or other words for them
	balanceRole   // after the row
	closingRole   // at the end of the row's day
	roleCount
)

var rolesByName = map[string]role{
	"-": noRole, "date": dateRole, "text": textRole, "instalment": instalmentRole, "document": documentRole,
	"id": idRole, "account": accountRole, "amount": amountRole, "spent": spentRole, "credit": creditRole,
	"debit": debitRole, "direction": directionRole, "balance": balanceRole, "closing": closingRole,
}

// layout is a table that a bank writes: the names of its columns, and their roles.
type layout struct {
	bank      string
	header    string // the names, separated by ';'
	roles     string
	continues bool // a row without a date and amounts is the rest of the description above
}

// layouts lists the known tables. Names are compared without case, accents, blanks and punctuation. The separator, the
// decimal mark and the order of dates come from the file: banks change them, and so do spreadsheets.
var layouts = []layout{
	{bank: "Banco do Brasil", header: "Data;Dependencia Origem;Histórico;Data do Balancete;Número do documento;Valor",
		roles: "date - text - document amount"},
	{bank: "Banco do Brasil", header: "Data;Lançamento;Detalhes;N documento;Valor;Tipo Lançamento",
		roles: "date text text document amount direction"},
	{bank: "Bradesco", header: "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)",
		roles: "date text document credit debit balance", continues: true},
	{bank: "Bradesco", header: "Data;Lançamento;Dcto.;Crédito (R$);Débito (R$);Saldo (R$)", // Net Empresa
		roles: "date text document credit debit balance", continues: true},
	{bank: "C6", header: "Data Lançamento;Data Contábil;Título;Descrição;Entrada(R$);Saída(R$);Saldo do Dia(R$)",
		roles: "date - text text credit debit closing"},
	{bank: "C6", header: "Data de Compra;Nome no Cartão;Final do Cartão;Categoria;Descrição;Parcela;" +
		"Valor (em US$);Cotação (em R$);Valor (em R$)",
		roles: "date - - - text instalment - - spent"},
	{bank: "Caixa", header: "Conta;Data_Mov;Nr_Doc;Historico;Valor;Deb_Cred",
		roles: "account date document text amount direction"},
	{bank: "Inter", header: "Data Lançamento;Descrição;Valor;Saldo", roles: "date text amount balance"},
	{bank: "Inter", header: "Data Lançamento;Histórico;Valor;Saldo", roles: "date text amount balance"},
	{bank: "Inter", header: "Data Lançamento;Histórico;Descrição;Valor;Saldo",
		roles: "date text text amount balance"},
	{bank: "Itaú", header: "data;lançamento;valor (R$)", roles: "date text amount"},
	{bank: "Itaú", header: "data;lançamento;ag./origem;valor (R$);saldos (R$)", roles: "date text - amount balance"},
	{bank: "Mercado Pago", header: "RELEASE_DATE;TRANSACTION_TYPE;REFERENCE_ID;TRANSACTION_NET_AMOUNT;PARTIAL_BALANCE",
		roles: "date text id amount balance"},
	{bank: "Nubank", header: "Data;Valor;Identificador;Descrição", roles: "date amount id text"},
	{bank: "Nubank", header: "date;title;amount", roles: "date text spent"},
	{bank: "Nubank", header: "date;category;title;amount", roles: "date - text spent"},
	{bank: "PagBank", header: "CODIGO DA TRANSACAO;DATA;TIPO;DESCRICAO;VALOR", roles: "id date text text amount"},
	{bank: "Santander", header: "Data;Histórico;Documento;Valor (R$);Saldo (R$)",
		roles: "date text document amount balance"},
	{bank: "Santander", header: "Data;Descrição;Docto;Situação;Crédito (R$);Débito (R$);Saldo (R$)",
		roles: "date text document - credit debit balance"},
	{bank: "Sicredi", header: "Data;Descrição;Documento;Valor (R$);Saldo (R$)",
		roles: "date text document amount balance"},
	{bank: "XP", header: "Data;Hora;Descricao;Valor;Saldo", roles: "date - text amount balance"},
	{bank: "XP", header: "Data;Estabelecimento;Portador;Valor;Parcela",
		roles: "date text - spent instalment"},
}

// endings begin the titles of sections that are not of the statement: future rows, another period, or investments.
var endings = []string{"LANCAMENTOSFUTUROS", "SAIDASFUTURAS", "ENTRADASFUTURAS", "ULTIMOSLANCAMENTOS",
	"SALDOSINVESTFACIL"}

func beginsSection(key string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasPrefix(key, ending) })
}

// byHeader are the columns of the layouts, by their folded header.
var byHeader = func() map[string]*columns {
	all := map[string]*columns{}
	for i := range layouts {
		all[foldedRow(strings.Split(layouts[i].header, ";"))] = newColumns(&layouts[i])
	}
	return all
}()

// columns are the columns of a layout, by their roles.
type columns struct {
	roles     []role
	byRole    [roleCount]int // the first column of each role; -1 without one
	texts     []int
	money     []int // with amounts and balances
	least     int   // the columns that a row with a date has
	continues bool
	card      bool
	closing   bool
	inverted  bool // amounts and balances have the other sign
}

func newColumns(l *layout) *columns {
	var all []role
	for name := range strings.FieldsSeq(l.roles) {
		all = append(all, rolesByName[name])
	}
	return columnsOf(all, l.continues)
}

func columnsOf(all []role, continues bool) *columns {
	c := &columns{roles: all, continues: continues}
	for i := range c.byRole {
		c.byRole[i] = -1
	}
	for i, r := range all {
		if c.byRole[r] < 0 {
			c.byRole[r] = i
		}
		switch r {
		case textRole:
			c.texts = append(c.texts, i)
		case amountRole, spentRole, creditRole, debitRole, balanceRole, closingRole:
			c.money = append(c.money, i)
		}
		switch r {
		case dateRole, amountRole, spentRole, creditRole, debitRole, directionRole:
			c.least = i + 1
		}
	}
	c.card, c.closing = c.find(spentRole) >= 0, c.find(closingRole) >= 0
	return c
}

// find returns the first column of a role, or -1; no columns have none.
func (c *columns) find(r role) int {
	if c == nil {
		return -1
	}
	return c.byRole[r]
}

// layoutOf returns the layout of a header row, or nil.
func layoutOf(cells [][]byte) *columns {
	if len(cells) < 3 || len(cells) > maxColumns {
		return nil
	}
	names := make([]string, len(cells))
	for i, cell := range cells {
		if len(cell) > maxName {
			return nil
		}
		names[i] = string(clean(nil, cell))
	}
	return byHeader[foldedRow(names)]
}

// mappedColumns returns the columns of a header row with all names of a mapping, or nil.
func mappedColumns(cells [][]byte, m *finance.StatementMapping) *columns {
	if m == nil || len(cells) > maxColumns {
		return nil
	}
	all := make([]role, len(cells))
	for _, c := range []struct {
		name *string
		role role
	}{
		{m.Date, dateRole}, {m.Amount, amountRole}, {m.Credit, creditRole}, {m.Debit, debitRole},
		{m.Description, textRole}, {m.Document, documentRole}, {m.Balance, balanceRole},
	} {
		if c.name == nil {
			continue
		}
		at := slices.IndexFunc(cells, func(cell []byte) bool {
			return len(cell) <= maxName && folded(string(clean(nil, cell))) == folded(*c.name)
		})
		if at < 0 || all[at] != noRole {
			return nil
		}
		all[at] = c.role
	}
	columns := columnsOf(all, false)
	columns.inverted = finance.OrZero(m.AmountSign) == finance.DebitPositive
	return columns
}

// maxName is the length of the longest name of a column.
const maxName = 255

// header is the row that has the most titles: texts without digits. Of equal rows it is the first.
type header struct {
	titles int
	text   string // the row's cells, separated by ';'
}

func (h *header) see(cells [][]byte) {
	titles := 0
	for _, cell := range cells[:min(len(cells), maxColumns)] {
		if text := string(cell[:min(len(cell), maxName)]); hasLetter(text) && !hasDigit(text) {
			titles++
		}
	}
	if titles > max(h.titles, 1) {
		text := clean(nil, bytes.TrimRight(bytes.Join(cells, []byte(";")), ";"))
		*h = header{titles, string(wholeRunes(text[:min(len(text), maxValue)]))}
	}
}

// foldedRow joins folded names; blank ones at the end do not count.
func foldedRow(names []string) string {
	var row strings.Builder
	for _, name := range names {
		row.WriteString(folded(name) + ";")
	}
	return strings.TrimRight(row.String(), ";")
}

// folded returns the letters and digits of a text, in upper case and without accents.
func folded(text string) string {
	if !plain([]byte(text)) {
		text = unaccented(text)
	}
	return strings.Map(func(c rune) rune {
		switch {
		case 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			return c
		case 'a' <= c && c <= 'z':
			return c - 'a' + 'A'
		}
		return -1
	}, text)
}
