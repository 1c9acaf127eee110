package api_test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/share"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// numberedAs changes the account number of a deposit account.
func numberedAs(number string) func(*finance.DepositAccount) {
	return func(d *finance.DepositAccount) { d.AccountNumber = &number }
}

// ofxOf returns a statement of accounts, with an item of each.
func ofxOf(numbers ...string) string {
	var b strings.Builder
	b.WriteString("OFXHEADER:100\n<OFX>")
	for _, number := range numbers {
		fmt.Fprintf(&b, "<STMTRS><BANKACCTFROM><BANKID>341<ACCTID>%s</BANKACCTFROM><BANKTRANLIST><STMTTRN>"+
			"<DTPOSTED>20260104<TRNAMT>-5.00<FITID>1</STMTTRN></BANKTRANLIST></STMTRS>", number)
	}
	return b.String() + "</OFX>"
}

// csvOf returns the table of an account.
func csvOf(number string) string {
	return "Conta;00" + number + "\nData;Descrição;Documento;Valor (R$);Saldo (R$)\n04/01/2026;BAR;1;-5,00;0,00\n"
}

// routedTo returns the deposit accounts of the statements in an answer.
func (a answer) routedTo(t *testing.T) (to []int64) {
	t.Helper()
	var shown []struct {
		Statement struct {
			DepositAccountID int64 `json:"deposit_account_id"`
		} `json:"bank_statement"`
	}
	if err := json.Unmarshal([]byte(a.body), &shown); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	for _, s := range shown {
		to = append(to, s.Statement.DepositAccountID)
	}
	return to
}

func TestAFileIsRoutedToTheDepositAccountsOfItsNumbers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := lastID(s.newDepositAccount(t, numberedAs("12345-6")))
	second := lastID(s.newDepositAccount(t, numberedAs("777-0")))
	s.newDepositAccount(t)
	path := paths.RoutedStatements(s.EntityID)
	statements := 0
	for _, c := range []struct {
		name, text string
		to         []int64
	}{
		{"one account", ofxOf("12345-6"), []int64{first}},
		{"with its branch", ofxOf("0123/12345-6"), []int64{first}},
		{"two accounts", ofxOf("7770", "123456"), []int64{second, first}},
		{"one of them twice", ofxOf("7770", "123456", "777-0"), []int64{second, first}},
		{"broken behind its account", strings.TrimSuffix(ofxOf("777-0"), "</OFX>"), []int64{second}},
		{"a table with the account", csvOf("777-0"), []int64{second}},
		{"a QIF with the account", "!Account\nN777-0\n^\n!Type:Bank\nD01/02/2026\nT-5.00\n^\n", []int64{second}},
		{"CNAB 240", string(statementtest.Bytes(statementtest.WriteCNAB240, 2)), []int64{first}},
		{"Belvo's JSON", `[{"amount":1,"type":"INFLOW","value_date":"2026-02-01","account":{"number":"7770"}}]`,
			[]int64{second}},
	} {
		a := s.call(t, "POST", path, parts(file("a.ofx", c.text))).want(t, 201)
		equal(t, fmt.Sprint(a.routedTo(t)), fmt.Sprint(c.to))
		equal(t, a.header.Get("Location"), publicURL+paths.BankStatement(s.EntityID, c.to[0], int64(statements+1)))
		statements += len(c.to)
		equal(t, s.count(t, "bank_statements"), statements)
		equal(t, query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'import_statement'`), statements)
		equal(t, query[int](t, s, `SELECT count(DISTINCT file_key) FROM bank_statements`), statements)
		kept := s.storedFiles(t)
		equal(t, len(kept), statements)
		for i := range c.to { // each has its own copy
			key := query[string](t, s, `SELECT file_key FROM bank_statements WHERE id = $1`, statements-i)
			for _, name := range kept {
				if strings.HasSuffix(name, key) {
					content, err := os.ReadFile(name)
					if err != nil || string(content) != c.text {
						t.Errorf("%s: %v %q", c.name, err, content)
					}
				}
			}
		}
	}
	a := s.call(t, "POST", path+"?preview=true", parts(file("a.ofx", ofxOf("777-0", "12345-6")),
		text("bank_statement[accept][]", "other_currency"))).want(t, 201)
	equal(t, len(a.routedTo(t)), 2)
	equal(t, query[int](t, s, `SELECT count(*) FROM bank_statements WHERE preview_until IS NOT NULL
		AND accept @> '["other_currency"]'`), 2)
}

func TestAFileThatCannotBeRoutedStoresNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newDepositAccount(t, numberedAs("12345-6"))
	twice := [2]int64{lastID(s.newDepositAccount(t, numberedAs("888-1"))),
		lastID(s.newDepositAccount(t, numberedAs("8881")))}
	deleted := s.newDepositAccount(t, numberedAs("555-5"))
	s.call(t, "DELETE", deleted).want(t, 200)
	s.exec(t, `DELETE FROM jobs`)
	other := s.anotherEntity(t)
	storagetest.NewDepositAccount(t, s.store, storage.Scope{AccountID: s.AccountID, EntityID: other.ID},
		numberedAs("444-4"))
	tenant := storagetest.NewTenant(t, s.store)
	storagetest.NewDepositAccount(t, s.store, tenant.Scope, numberedAs("333-3"))
	hidden := s.member(t, finance.Access{EntityIDs: []int64{other.ID}})
	denied := s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions"}})
	unknown := func(names string) string {
		return `{"file":["traz contas que nenhuma conta bancária da entidade tem em account_number: ` + names + `"]}`
	}
	var many []string
	for i := range 21 {
		many = append(many, fmt.Sprint(1000+i))
	}
	const noNumber = `{"file":["não tem número de conta, e por isso não se sabe de que conta bancária é"]}`
	ambiguous := fmt.Sprintf("traz contas que mais de uma conta bancária da entidade tem em account_number: "+
		"08881 (%d, %d)", twice[0], twice[1])
	path := paths.RoutedStatements(s.EntityID)
	for _, c := range []struct {
		name, text string
		status     int
		body       string
		options    []option
	}{
		{"an unknown account", ofxOf("999-9"), 422, unknown("999-9"), nil},
		{"two of which one is unknown", ofxOf("12345-6", "999-9"), 422, unknown("999-9"), nil},
		{"two unknown accounts", ofxOf("999-9", "666"), 422, unknown("999-9, 666"), nil},
		{"of another entity", ofxOf("444-4"), 422, unknown("444-4"), nil},
		{"of another account", ofxOf("333-3"), 422, unknown("333-3"), nil},
		{"of a deleted deposit account", ofxOf("555-5"), 422, unknown("555-5"), nil},
		{"ambiguous", ofxOf("08881"), 422, `{"file":["` + ambiguous + `"]}`, nil},
		{"ambiguous and unknown", ofxOf("999-9", "08881", "12345-6"), 422,
			strings.TrimSuffix(unknown("999-9"), "]}") + `,"` + ambiguous + `"]}`, nil},
		{"a QIF", "!Type:Bank\nD01/02/2026\nT-5.00\n^\n", 422, noNumber, nil},
		{"JSON", `[{"amount":1,"occurred_at":"2026-02-01"}]`, 422, noNumber, nil},
		{"without an account", ofx, 422, noNumber, nil},
		{"a table without an account", "date,title,amount\n2026-08-01,BAR,5.00\n", 422, noNumber, nil},
		{"a table of an unknown account", csvOf("999-9"), 422, unknown("00999-9"), nil},
		{"items without a number", ofxOf("12345-6", ""), 422, noNumber, nil},
		{"too many accounts", ofxOf(many...), 422, `{"file":["traz contas demais (máximo: 20)"]}`, nil},
		{"broken before its account", "<OFX><STMTRS>", 422, `{"file":["não é um extrato que se possa ler: O ` +
			`arquivo termina antes do fim: falta </OFX>, depois de 0 lançamentos. Baixe-o de novo."]}`, nil},
		{"a workbook with an unknown header", otherBook(t), 422, `{"file":["não é um extrato que se possa ler: ` +
			`Nenhuma planilha do arquivo XLSX tem o cabeçalho de um banco conhecido, nem os nomes de ` +
			`statement_mapping da conta bancária; encontrado \"Dia;Texto;Quanto\". Grave nela os nomes das colunas ` +
			`e envie o arquivo a ela."]}`, nil},
		{"no statement", "%PDF-1.7", 422,
			`{"file":["não é um extrato OFX, OFC, QIF, CSV, XLSX, JSON ou CNAB 240: parece um PDF"]}`, nil},
		{"an unknown warning", ofxOf("12345-6"), 422,
			`{"accept":["não está incluso na lista: other_account, other_currency"]}`,
			[]option{parts(file("a.ofx", ofxOf("12345-6")), text("bank_statement[accept][]", "x"))}},
		{"a hidden entity", ofxOf("12345-6"), 404,
			fmt.Sprintf(`{"error":"Couldn't find Entity with id=%d"}`, s.EntityID), []option{as(hidden)}},
		{"without the permission", ofxOf("12345-6"), 403,
			`{"error":"Você não tem permissão para acessar este recurso."}`, []option{as(denied)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.call(t, "POST", path, append([]option{parts(file("a.ofx", c.text))}, c.options...)...).
				wantBody(t, c.status, c.body)
			s.nothingStored(t)
		})
	}
}

func TestARoutedFileThatComesAgainIsStoredOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t, numberedAs("111-1"))
	s.newDepositAccount(t, numberedAs("222-2"))
	path := paths.RoutedStatements(s.EntityID)
	s.call(t, "POST", path, parts(file("a.ofx", ofxOf("111-1", "999-9"))), key("a")).want(t, 422)
	first := s.call(t, "POST", path, parts(file("a.ofx", ofxOf("111-1", "222-2"))), key("a")).want(t, 201)
	s.call(t, "PUT", account, document(`{"deposit_account":{"account_number":"333-3"}}`)).want(t, 200)
	again := s.call(t, "POST", path, parts(file("a.ofx", ofxOf("111-1", "222-2"))), key("a"))
	again.wantBody(t, 201, first.body)
	equal(t, again.header.Get("Location"), first.header.Get("Location"))
	s.call(t, "POST", path, parts(file("a.ofx", ofxOf("111-1"))), key("a")).want(t, 409)
	equal(t, s.count(t, "bank_statements"), 2)
	equal(t, len(s.storedFiles(t)), 2)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'import_statement'`), 2)
}

// A routed file is in memory while it is stored, compressed. One that does not fit there is refused.
func TestARoutedFileHoldsLittleMemory(t *testing.T) {
	t.Parallel()
	memory := share.NewBudget(2<<20, 2<<20)
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) { c.Memory = memory })
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	s.newDepositAccount(t, numberedAs("111-1"))
	path := paths.RoutedStatements(s.EntityID)
	noise := make([]byte, 2<<20)
	_, _ = rand.Read(noise) // never fails
	s.call(t, "POST", path, parts(file("a.ofx", ofxOf("111-1")+hex.EncodeToString(noise)))).want(t, 422)
	s.nothingStored(t)
	large := strings.Repeat(ofxOf("111-1")+"\n", 50_000)
	s.call(t, "POST", path, parts(file("a.ofx", large))).want(t, 201)
	testkit.Eventually(t, "all bytes are freed", func() bool { return memory.Held() == 0 })
}

// What compresses a routed file is memory of the account, from the first byte of the file on.
func TestRoutedFilesHoldTheirCompression(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	path := paths.RoutedStatements(b.EntityID)
	b.newDepositAccount(t, numberedAs("111-1"))
	b.another.newDepositAccount(t, numberedAs("111-1"))
	var clients []net.Conn
	for range 8 {
		c := b.begin(t, "POST "+path+" HTTP/1.1")
		fmt.Fprintf(c, "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n\r\n", 10<<20)
		clients = append(clients, c)
	}
	if held := b.memory.Held(); held > 8*64<<10 { // the buffers of the forms
		t.Errorf("%d bytes are held", held)
	}
	for _, c := range clients {
		go io.WriteString(c, "--x\r\nContent-Disposition: form-data; name=\"bank_statement[file]\"; "+
			"filename=\"a.ofx\"\r\n\r\n"+strings.Repeat(ofxOf("111-1")+"\n", 2000)) // some are refused before
	}
	testkit.Eventually(t, "the account holds what it may", func() bool { return b.memory.Held() > 3<<20 })
	file := parts(file("a.ofx", ofxOf("111-1")))
	refused := b.call(t, "POST", path, file).want(t, 503)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "no_room 2")
	b.another.call(t, "POST", paths.RoutedStatements(b.another.EntityID), file).want(t, 201)
	for _, c := range clients {
		_ = c.Close()
	}
	testkit.Eventually(t, "all bytes are freed", func() bool { return b.memory.Held() == 0 })
	b.call(t, "POST", path, file).want(t, 201)
}
