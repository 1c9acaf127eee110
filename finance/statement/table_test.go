package statement

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bordero/finance"

	"golang.org/x/text/encoding/charmap"
)

// shown writes the items of a table for comparison: day, amount, document, FITID and description of those that are
// imported, and the outcome of the others.
func shown(t *testing.T, items []Item) string {
	t.Helper()
	var b strings.Builder
	for _, it := range items {
		outcome, amount, err := Classify(it, "", day(2026, 11, 26))
		if err != nil {
			t.Error(err)
		}
		if outcome != Imported {
			fmt.Fprintf(&b, "%s\n", outcome)
			continue
		}
		fmt.Fprintf(&b, "%s %d %s\n", it.Day, amount, strings.Join(strings.Fields(it.Document+" "+it.FITID+" "+
			it.Description), " "))
	}
	return b.String()
}

// bradescoTable is a table with continued descriptions, a total row, and rows of another period.
const bradescoTable = "Extrato de: Ag: 2 | Conta: 12345-6 | Entre 01/07/2026 e 31/07/2026\r" +
	"Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\r" +
	"30/06/26;SALDO ANTERIOR;;;;\"1,76\";\r" +
	"01/07/26;COD. LANC. 0;;;;1,76;\r" +
	"06/07/26; Trans Sal p/c/c;0603493;\"6.769,11\";;;\r" +
	";Padaria Aurora Ltda;;\r" +
	"06/07/26; Transfe Pix;0635133;;\"-6.770,00\";\"0,87\";\r" +
	";Des: Ana Lima 04/07;;\r" +
	"07/07/26; Conta Telefone;0001943;;64,00;\"-63,13\";\r" +
	";Total;;\"6.769,11\";\"-6.834,00\";\"-63,13\"\r" +
	"Últimos Lançamentos\r" +
	"Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\r" +
	"15/12/26;Tarifa;1;;5,00;1,00;\r" +
	"Os dados acima têm como base 10/08/2026."

// Two tables of Bradesco, each with the rows of another period below it.
const (
	bradescoHeader = "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\n"
	bradescoLast   = "Últimos Lançamentos\n" + bradescoHeader + "15/12/26;Tarifa;1;;5,00;1,00;\n"
	bradescoFirst  = "Extrato de: Ag: 3841 | Conta: 134175-8 | Entre 01/07/2026 e 31/07/2026\n" + bradescoHeader +
		"01/07/26;PIX;7;10,00;;10,00;\n;Total;;10,00;;10,00;\n" + bradescoLast
	bradescoSecond = "Extrato de: Ag: 7238 | Conta: 34175-4 | Entre 01/06/2026 e 30/06/2026\n" + bradescoHeader +
		";SALDO ANTERIOR;;;;5,00;\n02/06/26;TARIFA;8;;-2,00;3,00;\n;Rem: Ana;;\n;Total;;;-2,00;3,00;\n" + bradescoLast
)

// inter is a table whose texts have quotes, with a balance in each row.
const inter = "Extrato Conta Corrente \nConta ;55500111\nPeríodo ;01/08/2026 a 31/08/2026\nSaldo: ;-0,00\n\n" +
	"Data Lançamento;Descrição;Valor;Saldo\n" +
	"01/08/2026;Pix recebido: \"Cp :00000000-ANA LIMA\";1.600,00;1.600,00\n" +
	"02/08/2026;Tarifa;- R$ 2,49;1.597,51\n" +
	"02/08/2026;Tarifa;-2,49;1.595,02\n" +
	"03/08/2026;Pix enviado;-1.595,02;-0,00"

var tables = map[string]struct {
	file, want, balance string
	notes               []Note
}{
	"Bradesco": {bradescoTable, "balance\nbalance\n" +
		"2026-07-06 676911 0603493 Trans Sal p/c/c Padaria Aurora Ltda\n" +
		"2026-07-06 -677000 0635133 Transfe Pix Des: Ana Lima 04/07\n2026-07-07 -6400 0001943 Conta Telefone\n",
		"12345-6 2026-07-01..2026-07-31 2026-07-07 -63.13", nil},
	"Bradesco, two accounts": {bradescoFirst + bradescoSecond, "2026-07-01 1000 7 PIX\n" +
		"2026-06-02 -200 8 TARIFA Rem: Ana\n", "", nil},
	"Bradesco Net Empresa, with investments below": {"\n;Extrato de: Agência: 2  Conta: 12345-6\r\n" +
		"Data;Lançamento;Dcto.;Crédito (R$);Débito (R$);Saldo (R$)\r30/01/2026;SALDO ANTERIOR;;;;10,00\r" +
		"02/02/2026;PAGTO ELETRON;3433;;-4,00;6,00\r;Rem: Ana Lima\r;Total;;;-4,00;6,00\r" +
		"Saldos Invest Fácil / Plus\rData;Histórico;Valor (R$)\r02/02/2026;SALDO INVEST FÁCIL;7.930,50\r",
		"balance\n2026-02-02 -400 3433 PAGTO ELETRON Rem: Ana Lima\n", "12345-6 2026-02-02 6.0", nil},
	"Inter": {inter, "2026-08-01 160000 Pix recebido: \"Cp :00000000-ANA LIMA\"\n2026-08-02 -249 Tarifa\n" +
		"2026-08-02 -249 Tarifa\n2026-08-03 -159502 Pix enviado\n", "55500111 2026-08-01..2026-08-31 2026-08-03 " +
		"0.0", nil},
	"Inter with a row less": {strings.Replace(inter, "02/08/2026;Tarifa;-2,49;1.595,02\n", "", 1),
		"2026-08-01 160000 Pix recebido: \"Cp :00000000-ANA LIMA\"\n2026-08-02 -249 Tarifa\n" +
			"2026-08-03 -159502 Pix enviado\n", "55500111 2026-08-01..2026-08-31 2026-08-03 0.0",
		[]Note{{BrokenBalances, 1}}},
	"Banco do Brasil": {"\"Data\",\"Dependencia Origem\",\"Histórico\",\"Data do Balancete\",\"Número do documento\"," +
		"\"Valor\",\n\"31/05/2026\",\"\",\"Saldo Anterior\",\"\",\"0\",\"20.00\",\n" +
		"\"01/06/2026\",\"1-9\",\"Compra, \"\"Bar\"\"\",\"\",\"140511\",\"-5.50\",\n" +
		"\"30/06/2026\",\"\",\"S A L D O\",\"\",\"0\",\"14.50\",\n", "balance\n2026-06-01 -550 140511 Compra, \"" +
		"Bar\"\nbalance\n",
		"2026-06-30 14.5", nil},
	"Banco do Brasil, its newer table": {"\"Data\",\"Lançamento\",\"Detalhes\",\"N° documento\",\"Valor\"," +
		"\"Tipo Lançamento\"\n\"28/02/2026\",\"Saldo Anterior\",\"\",\"\",\"1.000,00\",\"\"\n" +
		"\"12/03/2026\",\"Pix - Enviado\",\"12/03 21:08 Ana Lima\",\"31201\",\"370,00\",\"Saída\"\n" +
		"\"00/00/0000\",\"Saldo do dia\",\"\",\"\",\"630,00\",\"\"\n" +
		"\"13/03/2026\",\"Pix - Recebido\",\"\",\"31202\",\"70,00\",\"Entrada\"\n",
		"balance\n2026-03-12 -37000 31201 Pix - Enviado 12/03 21:08 Ana Lima\nbalance\n" +
			"2026-03-13 7000 31202 Pix - Recebido\n", "2026-03-12 630.0", nil},
	"Banco do Brasil, with C and D": {"Data;Lançamento;Detalhes;N° documento;Valor;Tipo Lançamento\n" +
		"27/02/2026;Saldo Anterior;;;1.000,00 C;Entrada\n02/03/2026;Pagto;Luz;1;4.133,11 D;Entrada\n" +
		"03/03/2026;Pix;Ana;2;1.067,79C;Entrada\n03/03/2026;Saldo do dia;;;2.065,32 D;Entrada\n",
		"balance\n2026-03-02 -413311 1 Pagto Luz\n2026-03-03 106779 2 Pix Ana\nbalance\n", "2026-03-03 -2065.32", nil},
	"Itaú, with D behind debits": {"data;lançamento;valor (R$)\n01/10/2026;BAR;-24,00 D\n01/10/2026;CAFE;1,00D\n" +
		"02/10/2026;PIX;+5,00 C\n", "2026-10-01 -2400 BAR\n2026-10-01 -100 CAFE\n2026-10-02 500 PIX\n", "", nil},
	"Santander, a balance in its last row": {"Data;Histórico;Documento;Valor (R$);Saldo (R$)\n" +
		"24/08/2026;Pix;1;1,00;\n24/08/2026;Pix;2;2,00;\n24/08/2026;Pix;3;3,00;6,00",
		"2026-08-24 100 1 Pix\n2026-08-24 200 2 Pix\n2026-08-24 300 3 Pix\n", "", nil},
	"XP, card, with D and C": {"Data;Estabelecimento;Portador;Valor;Parcela\n05/08/2026;LOJA;ANA;R$ 55,90 D;\n" +
		"06/08/2026;PAGTO;ANA;5,00 C;\n", "2026-08-05 -5590 LOJA\n2026-08-06 500 PAGTO\n", "", nil},
	"Banco do Brasil, saved by a spreadsheet": {
		"\"Data,\"\"Dependencia Origem\"\",\"\"Histórico\"\",\"\"Data do Balancete\"\",\"\"Número do documento\"" +
			"\",\"\"Valor\"\",\"\n" +
			"\"02/01/2026,\"\"\"\",\"\"Pix, Ana\"\",\"\"\"\",\"\"4\"\",\"\"50.00\"\",\"\n", "2026-01-02 5000 4 P" +
			"ix, Ana\n", "", nil},
	"C6": {"\uFEFFEXTRATO DE CONTA CORRENTE C6 BANK\n\nAgência: 1 / Conta: 123456789\n\n" +
		"Extrato de 06/09/2026 a 06/10/2026\n\n" +
		"Data Lançamento,Data Contábil,Título,Descrição,Entrada(R$),Saída(R$),Saldo do Dia(R$)\n" +
		"09/09/2026,09/09/2026,Pix recebido de Ana,Pix recebido de Ana,65.00,0.00,3.98\n" +
		"09/09/2026,09/09/2026,Tesouro Direto,IPCA+ 2032,0.00,61.02,3.98\n" +
		"10/09/2026,10/09/2026,Tarifa,,0.00,3.98,0.00\n", "2026-09-09 6500 Pix recebido de Ana\n" +
		"2026-09-09 -6102 Tesouro Direto IPCA+ 2032\n2026-09-10 -398 Tarifa\n",
		"123456789 2026-09-06..2026-10-06 2026-09-10 0.0", nil},
	"C6, card": {"Data de Compra;Nome no Cartão;Final do Cartão;Categoria;Descrição;Parcela;Valor (em US$);" +
		"Cotação (em R$);Valor (em R$)\n05/08/2026;ANA;1234;Compras;LOJA;2/12;9,99;5,19;55,90\n" +
		"20/08/2026;ANA;1234;Pagamentos;PAGAMENTO;-;0,00;0,00;-2350,90",
		"2026-08-05 -5590 LOJA 2/12\n2026-08-20 235090 PAGAMENTO\n", "", nil},
	"Caixa": {"\"Conta\";\"Data_Mov\";\"Nr_Doc\";\"Historico\";\"Valor\";\"Deb_Cred\"\n" +
		"\"0007620555001\";\"20251201\";\"011822\";\"PIX RECEBIDO\";\"5964.52\";\"C\"\n" +
		"\"0007620555001\";\"20251201\";\"000000\";\"SALDO DIA\";\"8000.00\";\"C\"\n" +
		"\"0007620555001\";\"20251130\";\"101332\";\"PIX ENVIADO\";\"90.00\";\"D\"\n" +
		"\"0007620555001\";\"20251130\";\"000000\";\"CORRECAO\";\"0.00\";\"C\"\n",
		"2025-12-01 596452 011822 PIX RECEBIDO\nbalance\n2025-11-30 -9000 101332 PIX ENVIADO\nzero\n",
		"0007620555001", nil},
	"Itaú, with rows of the future": {"\uFEFFdata;lançamento;valor (R$)\r\n\r\n01/10/2026;PAY -BAR 01/10;-24,00\r\n" +
		";lançamentos futuros;\r\n30/10/2026;IPVA;-900,00\r\n", "2026-10-01 -2400 PAY -BAR 01/10\n", "", nil},
	"Itaú, with its limits": {"Nome:;ANA\nAgência:;1234\nConta:;12345-6\n\n" +
		"data;lançamento;ag./origem;valor (R$);saldos (R$)\n01/10/2026;SALDO ANTERIOR;;;100,00\n" +
		"02/10/2026;RSHOP BAR;1234;-24,00;\n02/10/2026;SALDO TOTAL DISPONÍVEL DIA;;;76,00\n" +
		";(+) LIMITE DA CONTA TOTAL;;15.500,00;\n", "balance\n2026-10-02 -2400 RSHOP BAR\nbalance\n",
		"12345-6 2026-10-02 76.0", nil},
	"Mercado Pago": {mercadoPago, "2026-07-01 17 174 Rendimentos\n2026-07-02 -1280 166 Pix Ana\n", "2026-07-02 364.59",
		nil},
	"Nubank": {"Data,Valor,Identificador,Descrição\n20/01/2026,-8.50,a-1,\"Bar, no débito &amp; mais\"\n" +
		"20/01/2026,60.00,a-1,Pix da Ana\n", "2026-01-20 -850 a-1 Bar, no débito & mais\n2026-01-20 6000 a-1 Pix" +
		" da Ana\n",
		"", nil},
	"Nubank, card": {"date,title,amount\n2026-07-02,Bar,24.50\n2026-07-02,Bar,24.50\n2026-06-10,Pagamento,-91.93\n",
		"2026-07-02 -2450 Bar\n2026-07-02 -2450 Bar\n2026-06-10 9193 Pagamento\n", "", nil},
	"Banco do Brasil, each row in quotes with quotes in a text": {
		`"Data,""Dependencia Origem"",""Histórico"",""Data do Balancete"",` +
			`""Número do documento"",""Valor"","` + "\n" +
			`"02/01/2026,""1803-1"",""Compra """"X"""" LOJA"","""",""123"",""-50.00"","` + "\n",
		"2026-01-02 -5000 123 Compra \"X\" LOJA\n", "", nil},
	"Nubank, card, with quotes in texts": {"date,title,amount\n2026-08-03,\"BAR\" DO ZE,10.00\n" +
		"2026-08-04,\"CAFE\",5.00\n2026-08-05,\"O\nBAR\",6.00\n2026-08-06,\"A \"B\" C\",7.00\n",
		"2026-08-03 -1000 \"BAR\" DO ZE\n2026-08-04 -500 CAFE\n2026-08-05 -600 O BAR\n2026-08-06 -700 A \"B\" C\n", "",
		nil},
	"PagBank": {"CODIGO DA TRANSACAO,DATA,TIPO,DESCRICAO,VALOR\nA1,01/02/2026,Pix,Ana,\"1.000,50\"\n",
		"2026-02-01 100050 A1 Pix Ana\n", "", nil},
	"Santander, the newest row first": {"AGENCIA;\"3733\";CONTA;\"555001640\"\n\n\n" +
		"Data;Histórico;Documento;Valor (R$);Saldo (R$)\n\n\"24/08/2026\";\"Pix; Centro\";\"\";\"-47,05\";\"27,6" +
		"2\"\n\n" +
		"\"21/08/2026\";\"Pix Ana\";\"19\";\"1.000,00\";\"74,67\"", "2026-08-24 -4705 Pix; Centro\n2026-08-21 10" +
		"0000 19 Pix Ana\n",
		"555001640 2026-08-24 27.62", nil},
	"Sicredi": {"Data;Descrição;Documento;Valor (R$);Saldo (R$)\n;Saldo Anterior;;;10,00\n" +
		"02/08/2026;PIX;PIX_CRED;1,00;11,00\nSaldo da conta;R$ 11,00\n" +
		"Lançamentos Futuros (Próximos 30 dias)\n05/09/2026;DARF;1;-5,00;\n",
		"2026-08-02 100 PIX_CRED PIX\n", "2026-08-02 11.0", nil},
	"XP, card": {"Data;Estabelecimento;Portador;Valor;Parcela\n05/08/2026;LOJA;ANA;R$ 55,90;1 de 3\n",
		"2026-08-05 -5590 LOJA 1/3\n", "", nil},
	"dates as numbers": {"date,title,amount\n46237,Bar,24.50\n46238.5,Bar,1.5E+1\n",
		"2026-08-03 -2450 Bar\n2026-08-04 -1500 Bar\n", "", nil},
	"the month before the day": {"date,title,amount\n8/13/2026,Bar,24.50\n8/2/2026,Bar,2.50\n",
		"2026-08-13 -2450 Bar\n2026-08-02 -250 Bar\n", "", nil},
	"binary floats": {"date,title,amount\n2026-08-03,Bar,0.28999999999999998\n2026-08-03,Bar,2410.1999999999998\n",
		"2026-08-03 -29 Bar\n2026-08-03 -241020 Bar\n", "", nil},
	"a formula is text": {"date,title,amount\n2026-08-03,\"=HYPERLINK(\"\"x\"\")\",1.00\n",
		"2026-08-03 -100 =HYPERLINK(\"x\")\n", "", nil},
	"dates that begin with a letter": {"date,title,amount\nAug 3 2026,Bar,24.50\nago/4/2026,Bar,2.50\n" +
		"Terça 05/08/2026,Bar,1.00\n", "2026-08-03 -2450 Bar\n2026-08-04 -250 Bar\ninvalid_date\n", "", nil},
	"a balance beside dates as numbers": {"Data;Descrição;Documento;Valor (R$);Saldo (R$)\n" +
		"46236;PIX;1;1,00;11,00\nSeg;SALDO DO DIA;;;11,00\n", "2026-08-02 100 1 PIX\nbalance\n",
		"2026-08-02 11.0", nil},
	"a footer below dates as numbers": {"date,title,amount\n46237,Bar,24.50\nDisponível,,10.00\nSeg,Bar,2.00\n",
		"2026-08-03 -2450 Bar\ninvalid_date\ninvalid_date\n", "", nil},
	"a balance alone, with a text for its date": {"Data;Descrição;Documento;Valor (R$);Saldo (R$)\n" +
		"Saldo;SALDO ANTERIOR;;;11,00\n", "", "", nil},
	"a footer alone": {"Data;Descrição;Documento;Valor (R$);Saldo (R$)\nSaldo da conta;;;;11,00\n",
		"invalid_date\n", "", nil},
	"a balance at a row of its day that is not the last": {"Data;Descrição;Documento;Valor (R$);Saldo (R$)\n" +
		"02/08/2026;PIX;1;1,00;11,00\n02/08/2026;PIX;1;1,00;\n", "2026-08-02 100 1 PIX\n2026-08-02 100 1 PIX" +
		"\n", "", nil},
}

const mercadoPago = "INITIAL_BALANCE;CREDITS;DEBITS;FINAL_BALANCE\n377,22;0,17;-12,80;364,59\n\n" +
	"RELEASE_DATE;TRANSACTION_TYPE;REFERENCE_ID;TRANSACTION_NET_AMOUNT;PARTIAL_BALANCE\n" +
	"01-07-2026;Rendimentos ;174;0,17;377,39\n02-07-2026;Pix Ana;166;-12,80;364,59\n"

func TestTables(t *testing.T) {
	for name, c := range tables {
		latin, err := charmap.Windows1252.NewEncoder().String(strings.TrimPrefix(c.file, "\uFEFF"))
		if err != nil {
			t.Fatal(err)
		}
		for charset, file := range map[string]string{"UTF-8": c.file, "CP1252": latin,
			"UTF-16": string(utf16Bytes(binary.LittleEndian, strings.TrimPrefix(c.file, "\uFEFF")))} {
			r := newReader(strings.NewReader(file))
			items, err := readAll(r)
			if err != nil {
				t.Errorf("%s in %s: %v", name, charset, err)
				continue
			}
			if diff := diff(c.want, shown(t, items)); diff != "" {
				t.Errorf("%s in %s: -want +got\n%s", name, charset, diff)
			}
			if diff := diff(c.balance, stateOf(r.Summary(""))); diff != "" {
				t.Errorf("%s in %s: -want +got\n%s", name, charset, diff)
			}
			if diff := diff(c.notes, r.Notes()); diff != "" {
				t.Errorf("%s in %s: -want +got\n%s", name, charset, diff)
			}
			if Detect([]byte(file)) != CSV {
				t.Errorf("%s in %s is not detected", name, charset)
			}
		}
	}
}

// The documents name the bank of each layout.
// A description that goes on in many rows is cut as that of one row is.
func TestADescriptionOfManyRowsIsCut(t *testing.T) {
	got, err := readAll(newReader(strings.NewReader("Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\n" +
		"01/08/2026;A;1;1,00;;1,00\n" + strings.Repeat(";"+strings.Repeat("x", 1500)+"\n", 9))))
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if text := got[0].Description; len(text) > maxValue+len("…") || strings.Count(text, "…") != 1 {
		t.Errorf("a description of %d bytes", len(text))
	}
}

func TestTheDocumentsNameTheBanks(t *testing.T) {
	for _, document := range []string{"docs/statements.md", "api/docs/guides/bancos.md",
		"api/openapi/tags/bank_statements.yaml"} {
		text, err := os.ReadFile(filepath.Join("../..", document))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range layouts {
			if !bytes.Contains(text, []byte(l.bank)) {
				t.Errorf("%s does not name %s", document, l.bank)
			}
		}
	}
}

// stateOf shows the account, the period and the balance of a summary.
func stateOf(s Summary) string {
	parts := []string{s.Account}
	if s.PeriodStart != nil && s.PeriodEnd != nil {
		parts = append(parts, s.PeriodStart.String()+".."+s.PeriodEnd.String())
	}
	if s.LedgerBalance != nil {
		parts = append(parts, s.LedgerBalanceOn.String(), s.LedgerBalance.String())
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

func TestAccountsOfTables(t *testing.T) {
	second := strings.ReplaceAll(inter, "55500111", "99900222")
	a, err := ReadAccounts(strings.NewReader(inter + "\n" + second))
	if diff := diff([]string{"55500111", "99900222"}, a.Numbers); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
	}
	r := newReader(strings.NewReader(inter + "\n" + second))
	items, err := readAll(r)
	if err != nil || len(items) != 8 || items[3].Account != "55500111" || items[4].Account != "99900222" {
		t.Errorf("%v, %+v", err, items)
	}
	if got := stateOf(r.Summary("99900222")); got != "99900222 2026-08-01..2026-08-31 2026-08-03 0.0" {
		t.Error(got)
	}
}

// Below the section that ends an account's rows there may be the table of another account; below a row that only names
// one, and below the account's own name above future rows, there is none.
func TestAccountsBelowASection(t *testing.T) {
	const ofFirst = "134175-8: 2026-07-01 1000 7 PIX\n"
	const ofSecond = "34175-4: 2026-06-02 -200 8 TARIFA Rem: Ana\n"
	for name, c := range map[string]struct{ file, want string }{
		"two accounts":   {bradescoFirst + bradescoSecond, ofFirst + ofSecond},
		"three accounts": {bradescoFirst + bradescoSecond + bradescoFirst, ofFirst + ofSecond + ofFirst},
		"rows between the account and its header": {bradescoFirst + "Conta ;34175-4\n" +
			"Período ;01/06/2026 a 30/06/2026\n" + bradescoSecond[strings.Index(bradescoSecond, bradescoHeader):],
			ofFirst + ofSecond},
		"of the account itself":            {bradescoFirst + bradescoFirst, ofFirst + ofFirst},
		"an account without a header":      {bradescoFirst + "Conta: 34175-4\n02/06/26;TARIFA;8;;;;\n", ofFirst},
		"an account above another section": {bradescoFirst + "Conta: 34175-4\n" + bradescoLast, ofFirst},
		"its own account above future rows": {bradescoFirst + "Conta: 134175-8\n" + bradescoHeader +
			"02/08/26;PIX;8;2,00;;;\n", ofFirst},
		"its own account below another one": {bradescoFirst + "Conta: 34175-4\nConta: 134175-8\n" + bradescoHeader +
			"02/08/26;PIX;8;2,00;;;\n", ofFirst},
		"a header without an account before": {bradescoFirst + bradescoHeader + "02/08/26;PIX;8;2,00;;;\n", ofFirst},
	} {
		for _, file := range []string{c.file, strings.TrimRight(c.file, "\n")} {
			r := newReader(strings.NewReader(file))
			items, err := readAll(r)
			got := ""
			for _, it := range items {
				got += it.Account + ": " + shown(t, []Item{it})
			}
			if diff := diff(c.want, got); diff != "" || err != nil || len(r.Notes()) > 0 {
				t.Errorf("%s: error %v, notes %v, -want +got\n%s", name, err, r.Notes(), diff)
			}
			numbers := []string{"134175-8"}
			balances := "134175-8 2026-07-01..2026-07-31 2026-07-01 10.0"
			if strings.Contains(c.want, ofSecond) {
				numbers = append(numbers, "34175-4")
				balances += "34175-4 2026-06-01..2026-06-30 2026-06-02 3.0"
			}
			named := slices.DeleteFunc(r.Summaries(), func(s Summary) bool { return s.Account == "" })
			states := ""
			for _, number := range numbers {
				states += stateOf(r.Summary(number))
			}
			if states != balances || len(named) != len(numbers) {
				t.Errorf("%s: %s, %d accounts", name, states, len(named))
			}
			if a, err := ReadAccounts(strings.NewReader(file)); !slices.Equal(a.Numbers, numbers) || err != nil {
				t.Errorf("%s: %v, error %v", name, a.Numbers, err)
			}
		}
	}
}

// The title of an account's table may be in any column, with no section above it. No row before it is of that account.
func TestAccountsInOneTable(t *testing.T) {
	const header = "Data;Lançamento;Dcto.;Crédito (R$);Débito (R$);Saldo (R$)\n"
	const first = header + ";SALDO ANTERIOR;;;;1,00\n01/07/2026;PIX;7;10,00;;11,00\n;Rem: Ana;;;;\n"
	const second = header + ";SALDO ANTERIOR;;;;5,00\n"
	const rows = "02/06/2026;TARIFA;8;;-2,00;3,00\n"
	for _, title := range []string{";Extrato de: Agência: 3  Conta: %s\n", ";Extrato de: Agência: 3;Conta: %s;;;\n",
		"Extrato de: Agência: 3 | Conta: %s\n"} {
		for file, balances := range map[string]string{
			title + first + title + second + rows: "12345-6 2026-07-01 11.0, 77777-1 2026-06-02 3.0",
			title + first + ";Total;;10,00;;11,00\n" + title + second + rows + ";Total;;;-2,00;3,00\n": "12345-6 " +
				"2026-07-01 11.0, 77777-1 2026-06-02 3.0",
			title + first + title + second: "12345-6 2026-07-01 11.0, 77777-1",
		} {
			want := "12345-6: 2026-07-01 1000 7 PIX Rem: Ana\n"
			if strings.Contains(file, rows) {
				want += "77777-1: 2026-06-02 -200 8 TARIFA\n"
			}
			r := newReader(strings.NewReader(fmt.Sprintf(file, "12345-6", "77777-1")))
			items, err := readAll(r)
			got := ""
			for _, it := range items {
				got += it.Account + ": " + shown(t, []Item{it})
			}
			if diff := diff(want, got); diff != "" || err != nil || len(r.Notes()) > 0 {
				t.Errorf("%s: error %v, notes %v, -want +got\n%s", file, err, r.Notes(), diff)
			}
			if got := stateOf(r.Summary("12345-6")) + ", " + stateOf(r.Summary("77777-1")); got != balances {
				t.Errorf("%s: %s, want %s", file, got, balances)
			}
		}
	}
}

// A row below the title of another section that cannot be read refuses the file: the table of a further account may be
// below it.
func TestBrokenRowsBelowASection(t *testing.T) {
	for name, row := range map[string]string{"an open quote": "\"BAR\n",
		"many columns": strings.Repeat(";", 1000) + "\n", "a long row": strings.Repeat("x", 3*maxRecord) + "\n"} {
		_, err := readAll(newReader(strings.NewReader(bradescoFirst + row + bradescoSecond)))
		if !errors.As(err, new(*Error)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A table that is doubtful or cut off names its row and column, and brings nothing.
func TestBrokenTables(t *testing.T) {
	const nubank = "Data,Valor,Identificador,Descrição\n"
	const sicredi = "Data;Descrição;Documento;Valor (R$);Saldo (R$)\n"
	for name, c := range map[string]struct{ file, want string }{
		"no number": {nubank + "20/01/2026,abc,1,Bar\n", `linha 2: coluna "Valor": o valor "abc" não é um ` +
			`número`},
		"signs twice": {nubank + "20/01/2026,--1.00,1,Bar\n", `linha 2: coluna "Valor": o valor "--1.00" não é`},
		"grouped wrongly": {nubank + "20/01/2026,\"1.00,1,2\",1,Bar\n", `linha 2: coluna "Valor": o valor "1.00,` +
			`1,2" não é`},
		"a sign and the other letter": {nubank + "20/01/2026,-1.00 C,1,Bar\n",
			`linha 2: coluna "Valor": o valor "-1.00 C"`},
		"a plus and a debit": {nubank + "20/01/2026,+1.00 D,1,Bar\n",
			`linha 2: coluna "Valor": o valor "+1.00 D"`},
		"two letters": {nubank + "20/01/2026,1.00 DC,1,Bar\n",
			`linha 2: coluna "Valor": o valor "1.00 DC"`},
		"a letter in lower case": {nubank + "20/01/2026,1.00 d,1,Bar\n",
			`linha 2: coluna "Valor": o valor "1.00 d"`},
		"a letter alone": {nubank + "20/01/2026,D,1,Bar\n", `linha 2: coluna "Valor": o valor "D"`},
		"a cut letter": {"data;lançamento;valor (R$)\n01/10/2026;BAR;24,00 D\n01/10/2026;CAFE;1,00",
			`linha 3: o arquivo termina dentro do valor`},
		"too large": {nubank + "20/01/2026,12345678901234.00,1,Bar\n", `linha 2: coluna "Valor": o valor "` +
			`12345678901234`},
		"thousands or decimals": {nubank + "20/01/2026,-5,1,Bar\n20/01/2026,1.234,1,Bar\n",
			`linha 3: coluna "Valor": não se sabe se "1.234" tem milhares ou decimais`},
		"two decimal marks": {sicredi + "02/08/2026;PIX;1;1,00;11,00\n03/08/2026;PIX;1;1.00;12,00\n",
			`linha 3: coluna "Valor (R$)": o valor "1.00" e o valor "1,00" da linha 2 têm marcas decimais diferentes`},
		"dates of two kinds": {nubank + "20/01/2026,1.00,1,Bar\n46059,1.00,1,Bar\n", `linha 3: o arquivo tem dat` +
			`as como`},
		"no date": {nubank + "2x/01/2026,1.00,1,Bar\n", `linha 2: a data "2x/01/2026" não pôde ser lida`},
		"dates that begin with letters": {nubank + "Terça 20/01/2026,1.00,1,Bar\nQuarta 21/01/2026,1.00,1,Bar\n",
			`linha 2: a data "Terça 20/01/2026" não pôde ser lida`},
		"dates in quotes": {nubank + "'20/01/2026,1.00,1,Bar\n", `linha 2: a data "'20/01/2026" não pôde ser lida`},
		"an amount cut off": {"data;lançamento;valor (R$)\n01/10/2026;BAR;-24,00\n01/10/2026;BAR;-24,0", "linha" +
			" 3: o arquivo termina dentro"},
		"quotes in a text of two lines": {"date,title,amount\n2026-08-05,\"BAR,6.00\n2026-08-06,\"CAFE\",7.00\n",
			"linha 2: as aspas que abrem não fecham"},
		"a quote cut off": {nubank + "20/01/2026,1.00,1,\"Bar\n", "linha 2: as aspas que abrem não fecham"},
		"a row cut off":   {nubank + "20/01/2026,1.00,1,Bar\n20/01/20", "linha 3: a linha tem 1 colunas, de 2"},
		"a separator in a text": {nubank + "20/01/2026,1.00,1,Bar,Café\n",
			"linha 2: a linha tem 5 colunas, e o cabeçalho 4"},
		"a long row":       {nubank + strings.Repeat("x", maxRecord+1), "linha 2: a linha é longa demais"},
		"many columns":     {nubank + strings.Repeat(",", 1000) + "\n", "linha 2: a linha tem mais de 200 colunas"},
		"rows without end": {nubank + strings.Repeat("x\n", maxNotes+1), "linha 1002: mais de 1000 linhas seguidas"},
		"credit and debit": {strings.Replace(bradescoTable, "0635133;;", "0635133;1,00;", 1),
			`linha 7: coluna "Débito (R$)": "-6.770,00" é um segundo valor na linha`},
		"another total": {strings.Replace(bradescoTable, "\"-6.834,00\"", "\"-6.835,00\"", 1),
			`linha 10: coluna "Débito (R$)": o total é -6.835,00, mas a soma das linhas é -6.834,00`},
		"another end": {strings.Replace(mercadoPago, "02-07-2026;Pix Ana;166;-12,80;364,59\n", "", 1),
			"linha 5: o saldo final informado é 364,59, mas a tabela termina em 377,39"},
		"a cut id": {nubank + "20/01/2026,1.00,a1,Bar\n21/01/2026,18.00,a",
			`linha 3: o arquivo termina dentro desta linha`},
		"a cut amount before an id, in the only row": {nubank + "20/01/2026,1", `linha 2: o arquivo termina dentro`},
		"a cut amount before a balance": {sicredi + "20/01/2026;Bar;1;1,50;2,00\n20/01/2026;Bar;1;1.234",
			`linha 3: o arquivo termina dentro desta linha`},
		"a row cut before its balance": {sicredi + "20/01/2026;A;1;1,50;2,00\n20/01/2026;B;1;1,00;3,00\n" +
			"20/01/2026;C;1;1,00;", `linha 4: o arquivo termina dentro desta linha`},
		"a row cut before its amount": {"date,title,amount\n2026-08-03,Bar,1.00\n2026-08-03,Bar,",
			`linha 3: o arquivo termina dentro desta linha`},
		"an amount cut behind its thousands": {"data;lançamento;valor (R$)\n20/01/2026;A;1,50\n20/01/2026;B;1.234",
			`linha 3: o arquivo termina dentro do valor`},
		"a row cut before its direction": {"Conta;Data_Mov;Nr_Doc;Historico;Valor;Deb_Cred\n" +
			"1;20251201;0;SALDO DIA;8,00;\n1;20251202;1;PIX;1,00;", `linha 3: o arquivo termina dentro desta linha`},
		"a direction that contradicts the sign": {"\"Conta\";\"Data_Mov\";\"Nr_Doc\";\"Historico\";\"Valor\";\"D" +
			"eb_Cred\"\n" +
			"\"1\";\"20251201\";\"1\";\"PIX\";\"-1,00\";\"C\"\n", `linha 2: coluna "Deb_Cred": "C" não diz crédi` +
			`to nem débito`},
	} {
		_, err := readAll(newReader(strings.NewReader(c.file)))
		var broken *Error
		if !errors.As(err, &broken) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// The numbers of imported and other items, the sums of debits and credits, and the balance are those of the manifest
// of the folder. Cards have the other sign there, and its sums of C6 are those of another column.
func TestTablesOfTheDoors(t *testing.T) {
	for name, want := range map[string]string{
		"jotaveeo__bb_2024-03.csv":            "16+7 D=3269.0 C=3269.0 2024-03-31 0.0",
		"jusmendonca__bb_2023-06.csv":         "125+2 D=29823.83 C=28344.43 2023-06-30 0.2",
		"jusmendonca__bb_resaved_2024-01.csv": "28+1 D=13961.45 C=37274.62 2023-12-29 201.03",
		"layout__bradesco_cr_2026-07.csv":     "4+1 D=6834.0 C=6833.12 000000-0 2026-07-01..2026-07-31 2026-07-10 0.88",
		"layout__c6_2026-09.csv": "4+0 D=1744.9 C=65.0 000000000 2026-09-06..2026-10-06 2026-10-06 219.52 " +
			"broken_balances",
		"layout__c6_card_2026-08.csv": "4+0 D=172.65 C=2350.9",
		"layout__caixa_2025-11.txt":   "13+1 D=2298.3 C=2128.51 0007620555001",
		"aviladevs__inter-2025-03.csv": "264+0 D=47260.66 C=47260.66 555001112 2025-03-15..2025-04-30 " +
			"2025-04-30 0.0",
		"rselmikaitis__itau_2025-10_a.csv":  "43+0 D=17603.17 C=37081.4",
		"layout__mercadopago_2026-07.csv":   "4+0 D=27.8 C=6770.17 2026-07-04 7119.59",
		"aviladevs__nubank-2025-01.csv":     "236+0 D=128915.51 C=132466.55",
		"capital5__nubank_2025-06.csv":      "18+0 D=3782.66 C=3729.88",
		"capital5__nubank_card_2025-07.csv": "29+0 D=1760.82 C=1591.93",
		"layout__santander_pj_2026-08.csv":  "2+0 D=47.05 C=1000.0 555001640 2026-08-24 27.62",
	} {
		r := newReader(bytes.NewReader(doorFile(t, name)))
		items, err := readAll(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var kept, ignored int
		var debits, credits finance.Amount
		for _, it := range items {
			outcome, amount, _ := Classify(it, "", day(2026, 11, 26))
			switch {
			case outcome != Imported:
				ignored++
				continue
			case amount < 0:
				debits -= amount
			default:
				credits += amount
			}
			kept++
		}
		got := strings.TrimSpace(fmt.Sprintf("%d+%d D=%v C=%v %s", kept, ignored, debits, credits,
			stateOf(r.Summary(""))))
		for _, note := range r.Notes() {
			got += " " + note.Code
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The CSV and the OFX of one account have the same rows.
func TestTablesBesideOFX(t *testing.T) {
	for _, name := range []string{"aviladevs__inter-2025-03", "aviladevs__nubank-2025-01"} {
		rows := func(suffix string) (texts map[string][]string) {
			items, err := readAll(newReader(bytes.NewReader(doorFile(t, name+suffix))))
			if err != nil {
				t.Fatal(err)
			}
			texts = map[string][]string{}
			for _, it := range items {
				_, amount, _ := Classify(it, "", day(2026, 11, 26))
				key := fmt.Sprint(it.Day, amount)
				texts[key] = append(texts[key], it.Description)
			}
			return texts
		}
		csv, ofx := rows(".csv"), rows(".ofx")
		if len(csv) != len(ofx) {
			t.Errorf("%s: %d and %d days and amounts", name, len(csv), len(ofx))
		}
		for key, texts := range csv {
			if len(ofx[key]) != len(texts) {
				t.Errorf("%s: %s is %q and %q", name, key, texts, ofx[key])
			}
			for _, text := range texts { // an OFX of Inter has the name before it
				if !strings.Contains(strings.Join(ofx[key], "\n"), text) {
					t.Errorf("%s: %s is %q and %q", name, key, texts, ofx[key])
				}
			}
		}
	}
}

// A mapping names the columns of an unknown header; a known header is read without it.
func TestMappedTables(t *testing.T) {
	const file = "Meu banco\nDia;Texto;Quanto;Nota\n01/02/2026;BAR;1.000;7\n02/02/2026;CAFÉ;-1.234;8\n"
	text := func(s string) *string { return &s }
	mapped := func(change func(*finance.StatementMapping)) *finance.StatementMapping {
		m := &finance.StatementMapping{Date: text("dia"), Amount: text("QUANTO"), Description: text("Texto"),
			Document: text("nota")}
		change(m)
		return m
	}
	unknown := func(header string) string {
		return fmt.Sprintf("O cabeçalho %q não é de um banco conhecido, nem tem os nomes de statement_mapping", header)
	}
	for name, c := range map[string]struct {
		file    string
		mapping *finance.StatementMapping
		want    string // items, or an error
	}{
		"a decimal comma": {file, mapped(func(m *finance.StatementMapping) { m.Decimal = text(",") }),
			"2026-02-01 100000 7 BAR\n2026-02-02 -123400 8 CAFÉ\n"},
		"a decimal point, months first": {file, mapped(func(m *finance.StatementMapping) {
			m.Decimal, m.DateFormat, m.Separator = text("."), text("mm/dd/yyyy"), text(";")
		}), "2026-01-02 100 7 BAR\n2026-02-02 -123 8 CAFÉ\n"},
		"nothing but names": {file, mapped(func(*finance.StatementMapping) {}),
			`linha 3: coluna "Quanto": não se sabe se "1.000" tem milhares ou decimais`},
		"another decimal mark": {strings.Replace(file, "1.000", "1.5", 1),
			mapped(func(m *finance.StatementMapping) { m.Decimal = text(",") }),
			`linha 3: coluna "Quanto": o valor "1.5" não tem a marca decimal`},
		"another separator": {file, mapped(func(m *finance.StatementMapping) { m.Separator = text("tab") }),
			unknown("Dia;Texto;Quanto;Nota")},
		"a name that the header lacks": {file, mapped(func(m *finance.StatementMapping) { m.Balance = text("Saldo") }),
			unknown("Dia;Texto;Quanto;Nota")},
		"one column for two": {file, mapped(func(m *finance.StatementMapping) { m.Document = text("texto") }),
			unknown("Dia;Texto;Quanto;Nota")},
		"purchases are positive": {file + "03/02/2026;PAGTO;-0,50;9\n", mapped(func(m *finance.StatementMapping) {
			m.AmountSign = text(finance.DebitPositive)
		}), "2026-02-01 -100000 7 BAR\n2026-02-02 123400 8 CAFÉ\n2026-02-03 50 9 PAGTO\n"},
		"purchases are positive, but for letters": {file + "03/02/2026;PAGTO;0,50 C;9\n04/02/2026;BAR;0,60 D;9\n",
			mapped(func(m *finance.StatementMapping) { m.AmountSign = text(finance.DebitPositive) }),
			"2026-02-01 -100000 7 BAR\n2026-02-02 123400 8 CAFÉ\n2026-02-03 50 9 PAGTO\n2026-02-04 -60 9 BAR\n"},
		"no mapping":     {file, nil, unknown("Dia;Texto;Quanto;Nota")},
		"a known header": {inter, mapped(func(*finance.StatementMapping) {}), tables["Inter"].want},
		"a workbook": {string(workbook(t, [][]any{{"Dia", "Texto", "Quanto", "Nota"}, {46054, "BAR", -1.5, "7"}}, nil)),
			mapped(func(*finance.StatementMapping) {}), "2026-02-01 -150 7 BAR\n"},
	} {
		r := newReader(strings.NewReader(c.file))
		r.Map(c.mapping)
		items, err := readAll(r)
		if got := shown(t, items) + fmt.Sprint(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
