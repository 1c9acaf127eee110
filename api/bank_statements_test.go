package api_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// nothingStored fails if an upload left a row, a job or a file.
func (s *service) nothingStored(t testing.TB) {
	t.Helper()
	equal(t, query[string](t, s, `SELECT concat((SELECT count(*) FROM bank_statements), ' ',
		(SELECT count(*) FROM jobs))`), "0 0")
	equal(t, s.storedFiles(t), nil)
}

func TestAnUploadStoresFileRowAndJob(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	const text = "OFXHEADER:100\r\n\r\n<OFX><BANKMSGSRSV1></BANKMSGSRSV1></OFX>\r\n"
	a := s.call(t, "POST", account+"/bank_statements", parts(
		part{`form-data; name="bank_statement[note]"`, "", "ignored"}, file("extrato.ofx", text),
		part{`form-data; name="x"`, "", "ignored"})).want(t, 201)
	path := account + "/bank_statements/1"
	equal(t, a.header.Get("Location"), publicURL+path)
	for field, want := range map[string]string{
		"file_file_name": "extrato.ofx", "file_content_type": "application/octet-stream",
		"file_file_size": fmt.Sprint(len(text)),
		"event.status":   "queued", "event.output": "<nil>", "event.started_at": "<nil>", "event.finished_at": "<nil>",
		"imported_items_count": "0",
	} {
		equal(t, a.at(t, "bank_statement."+field), want)
	}
	equal(t, s.call(t, "GET", path).body, a.body)

	kept := s.storedFiles(t)
	if len(kept) != 1 {
		t.Fatalf("%d files", len(kept))
	}
	content, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(content), text)
	equal(t, query[string](t, s, `SELECT kind || ' ' || queue || ' ' || args || ' ' || account_id FROM jobs`),
		`import_statement statements {"account_id":1,"bank_statement_id":1} 1`)
	if key := query[string](t, s, `SELECT file_key FROM bank_statements`); !strings.HasSuffix(kept[0], key) ||
		strings.Contains(key, "extrato") {
		t.Errorf("%s is stored at %s", key, kept[0])
	}
}

func TestAnUploadIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t) + "/bank_statements"
	const blank, noStatement, noFile = `{"file":["não pode ser vazio"]}`,
		`{"file":["não é um extrato OFX, OFC, QIF, CSV, XLSX, JSON ou CNAB 240"]}`,
		`{"file":["deve ser um arquivo, não um texto"]}`
	like := func(thing string) string {
		return `{"file":["não é um extrato OFX, OFC, QIF, CSV, XLSX, JSON ou CNAB 240: parece ` + thing + `"]}`
	}
	const noForm = `{"file":["não pode ser vazio: envie um formulário multipart/form-data com a parte ` +
		`bank_statement[file]"]}`
	another := func(name string) string {
		return `{"file":["não pode ser vazio: a parte do formulário se chama bank_statement[file], e foi enviada só ` +
			name + `"]}`
	}
	const cutOff = `{"error":"O corpo da requisição terminou antes do fim."}`
	const multipart = "multipart/form-data; boundary=b"
	named := func(disposition string) option {
		return parts(part{"form-data; " + disposition, "application/octet-stream", ofx})
	}
	for _, c := range []struct {
		name   string
		sent   option
		status int
		body   string
	}{
		{"without a body", body("", ""), 422, blank},
		{"without parts", body(multipart, "--b--\r\n"), 422, blank},
		{"of another part", named(`name="file"; filename="a.ofx"`), 422, another("file")},
		{"of a part without a name", named(`filename="a.ofx"`), 422, another("?")},
		{"of a file without a name", named(`name="bank_statement[file]"; filename=""`), 422, noFile},
		{"of a text", part1("OFX"), 422, noFile},
		{"of an empty file", parts(file("a.ofx", "")), 422, blank},
		{"of a blank file", parts(file("a.ofx", " \r\n\t\n")), 422, blank},
		{"of a large blank file", parts(file("a.ofx", strings.Repeat(" \n", 100_000))), 422, noStatement},
		{"of a PDF", parts(file("a.ofx", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj")), 422, like("um PDF")},
		{"of a page", parts(file("a.ofx", "<!DOCTYPE html><html><body>Sessão expirada</body></html>")), 422,
			like("uma página da internet")},
		{"of JSON without items", parts(file("a.json", `{"message":"Unauthorized"}`)), 422,
			like("um JSON sem lançamentos")},
		{"of an archive", parts(file("a.ofx", "PK\x03\x04\x14\x00\x00\x00\x08\x00")), 422,
			like("um arquivo compactado")},
		{"of a spreadsheet", parts(file("a.xlsx", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")), 422,
			like("uma planilha que não é XLSX")},
		{"of an unknown table", parts(file("a.csv", "Dia;Texto;Quanto\n01/08/2026;BAR;-5,00\n")), 422,
			like(`um texto em colunas (CSV), mas o cabeçalho \"Dia;Texto;Quanto\" não é de um banco conhecido, ` +
				`nem tem os nomes de statement_mapping`)},
		{"of card sales in columns", parts(file("EEVD.txt", "00,099900011,03032026,02032026,Movimentacao diaria - "+
			"Cartoes de Debito,Redecard,PADARIA,000048,DIARIO,V1.04 - 07/10 - EEVD\n")), 422,
			like("um arquivo de vendas de adquirente")},
		{"of zeros", parts(file("a.ofx", strings.Repeat("\x00", 1000))), 422, noStatement},
		{"of a QIF without its header", parts(file("a.qif", "D01/02/2026\nT-5.00\n^\n")), 422, noStatement},
		{"of a document", document(`{"bank_statement":{"file":"OFX"}}`), 422, noForm},
		{"of a form", body("application/x-www-form-urlencoded", "bank_statement[file]=OFX"), 422, noForm},
		{"of a bare file", body("application/x-ofx", ofx), 415, `{"error":"O Content-Type da requisição não é ` +
			`aceito: envie um formulário multipart/form-data com a parte bank_statement[file]."}`},
		{"of a broken document", document(`{"bank_statement"`), 400,
			`{"error":"JSON inválido na linha 1, coluna 18: o documento termina antes do fim"}`},
		{"without a boundary", body("multipart/form-data", "--b--"), 400,
			`{"error":"O Content-Type multipart/form-data da requisição não tem boundary."}`},
		{"of nothing between boundaries", body(multipart, ""), 400, cutOff},
		{"cut off inside the file", body(multipart, "--b\r\nContent-Disposition: form-data; "+
			"name=\"bank_statement[file]\"; filename=\"a.ofx\"\r\n\r\n"+ofx), 400, cutOff},
		{"cut off inside a large file", body(multipart, "--b\r\nContent-Disposition: form-data; "+
			"name=\"bank_statement[file]\"; filename=\"a.ofx\"\r\n\r\n"+
			ofx+strings.Repeat(" ", 1<<20)), 400, cutOff},
		{"of a long name", named(`name="bank_statement[file]"; filename="` + strings.Repeat("a", 9<<20) + `"`), 413,
			`{"error":"O cabeçalho de uma parte do formulário passa do limite de 16384 bytes."}`},
		{"of 51 MiB", parts(file("a.ofx", ofx+strings.Repeat(" ", 51<<20))), 413,
			`{"error":"O corpo da requisição passa do limite de 52428800 bytes."}`},
		{"of 51 MiB that are no statement", parts(file("a.pdf", strings.Repeat("%PDF-1.7", 51<<17))), 422,
			like("um PDF")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.call(t, "POST", path, c.sent, with("Accept", "application/json")).wantBody(t, c.status, c.body)
			s.nothingStored(t)
		})
	}
	t.Run("into another entity's deposit account", func(t *testing.T) {
		other := s.anotherEntity(t)
		s.call(t, "POST", fmt.Sprintf("/entities/%d/deposit_accounts/1/bank_statements", other.ID),
			parts(file("a.ofx", ofx))).
			wantBody(t, 404, `{"error":"Couldn't find DepositAccount with id=1"}`)
		s.nothingStored(t)
	})
}

// The content of a file makes it a statement, not its name.
func TestAnUploadIsTakenByItsContent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t) + "/bank_statements"
	for name, text := range map[string]string{
		"a.pdf": ofx,
		"b.ofx": "<OFC>\n<DTD>2\n</OFC>\n",
		"c.ofx": "\uFEFF\r\n!Type:Bank\nD01/02/2026\nT-5.00\n^\n",
		"d":     "\xFF\xFE!\x00T\x00y\x00p\x00e\x00:\x00C\x00a\x00s\x00h\x00",
	} {
		a := s.call(t, "POST", path, parts(file(name, text))).want(t, 201)
		equal(t, a.at(t, "bank_statement.file_file_name"), name)
	}
}

// part1 returns a form that sends the statement as text instead of a file.
func part1(text string) option {
	return parts(part{`form-data; name="bank_statement[file]"`, "", text})
}

func TestTheLimitOfAnUpload(t *testing.T) {
	t.Parallel()
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
		c.MaxStatement, c.MaxDocument = 2000, 1000
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	path := s.newDepositAccount(t) + "/bank_statements"
	fill := func(n int) string { return ofx + strings.Repeat(" ", n-len(ofx)) }
	s.call(t, "POST", path, parts(file("a.ofx", fill(2001)))).wantBody(t, 413,
		`{"error":"O corpo da requisição passa do limite de 2000 bytes."}`)
	s.call(t, "POST", path, parts(part{`form-data; name="x"`, "", fill(5000)}, file("a.ofx", ofx))).want(t, 413)
	s.nothingStored(t)
	s.call(t, "POST", path, parts(file("a.ofx", fill(2000)))).want(t, 201)
	equal(t, len(s.storedFiles(t)), 1)
}

func TestTheNameAndTypeOfAnUpload(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t) + "/bank_statements"
	for _, c := range []struct{ disposition, contentType, name, kept string }{
		{`filename="extrato.ofx"`, "application/x-ofx", "extrato.ofx", "application/x-ofx"},
		{`filename="C:\\Users\\ana\\extrato.ofx"`, "", "extrato.ofx", "application/octet-stream"},
		{`filename="../../etc/passwd"`, "Text/Plain; charset=latin1", "passwd", "text/plain"},
		{`filename="/"`, "", "extrato", "application/octet-stream"},
		{`filename=".."`, ";;", "extrato", "application/octet-stream"},
		{`filename="a \"b\" <c>.ofx"`, "image", `a "b" <c>.ofx`, "image"},
		{`filename="março é ótimo.ofx"`, "", "março é ótimo.ofx", "application/octet-stream"},
		{`filename*=UTF-8''a%0D%0AX-Evil%3A%201%00.ofx`, "", "aX-Evil: 1.ofx", "application/octet-stream"},
		{"filename=\"a\xffb\x81.ofx\"", "", "aÿb.ofx", "application/octet-stream"},
		{"filename=\"extrato_mar\xe7o.ofx\"", "", "extrato_março.ofx", "application/octet-stream"},
		{"filename=\"C:\\Jo\xe3o\\a\xe7\xe3o \x80 5\x9d.ofx\"", "", "ação € 5.ofx", "application/octet-stream"},
		{`filename*=ISO-8859-1''extrato_mar%E7o.ofx`, "", "extrato_março.ofx", "application/octet-stream"},
		{`filename="extrato_mar?o.ofx"; filename*=windows-1252'pt'extrato_mar%E7o.ofx`, "", "extrato_março.ofx",
			"application/octet-stream"},
		{`filename*0*=iso-8859-1''extrato_; filename*1*=mar%E7o.ofx`, "", "extrato_março.ofx",
			"application/octet-stream"},
		{`filename*=UTF-8''extrato_mar%E7o.ofx`, "", "extrato_março.ofx", "application/octet-stream"},
		{`filename*=UTF-8''extrato_mar%C3%A7o.ofx`, "", "extrato_março.ofx", "application/octet-stream"},
		{`filename="` + strings.Repeat("á", 300) + `.ofx"`, "", strings.Repeat("á", 255), "application/octet-stream"},
	} {
		a := s.call(t, "POST", path,
			parts(part{`form-data; name="bank_statement[file]"; ` + c.disposition, c.contentType, ofx})).want(t, 201)
		equal(t, a.at(t, "bank_statement.file_file_name"), c.name)
		equal(t, a.at(t, "bank_statement.file_content_type"), c.kept)
	}
}

func TestStatementsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t) + "/bank_statements"
	s.newDepositAccount(t)
	s.exec(t, `INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name,
		file_content_type, file_file_size, updated_at)
		SELECT 1, 1 + (i = 60)::int, i, i || '.ofx', 'a/b', 1,
			'2026-01-01T00:00:00-03:00'::timestamptz + i * interval '1 day' FROM generate_series(1, 60) i`)
	first := s.call(t, "GET", path)
	names := first.all(t, "bank_statement.file_file_name")
	equal(t, len(names), 50)
	equal(t, names[0]+" "+names[49], "59.ofx 10.ofx")
	equal(t, first.header.Get("Links"), link(path+".json", "", 50, "last 2", "next 2"))
	equal(t, len(s.call(t, "GET", path+"?page=2").all(t, "bank_statement.id")), 9)
	equal(t, s.call(t, "GET", path+"?search[updated_at_gte]=2026-02-28").all(t, "bank_statement.file_file_name"),
		[]string{"59.ofx", "58.ofx"})
	s.call(t, "GET", path+"?search[file]=a").wantBody(t, 422, `{"file":["não é um filtro conhecido: os filtros são `+
		`ids, updated_at_gte"]}`)
}

// An upload whose deposit account or entity is deleted meanwhile leaves no file.
func TestAnUploadThatCannotBeStoredLeavesNoFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hold, change string // statements of the deleting transaction; the upload waits for the first one's lock
		status       int
		body         string
	}{
		"the deposit account is deleted": {`SELECT FROM deposit_accounts FOR UPDATE`, `DELETE FROM deposit_accounts`,
			404, `{"error":"Couldn't find DepositAccount with id=1"}`},
		"the entity is being deleted": {`SELECT FROM entities FOR UPDATE`, `UPDATE entities SET deleted_at = now()`,
			422, `{"base":["A entidade está sendo excluída."]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			path := s.newDepositAccount(t) + "/bank_statements"
			a := s.meanwhile(t, c.hold, c.change, func(ctx context.Context) (answer, error) {
				return s.send(ctx, "POST", path, parts(file("a.ofx", ofx)))
			})
			a.wantBody(t, c.status, c.body)
			s.nothingStored(t)
		})
	}
}

// meanwhile sends a request, waits until it blocks on the lock that hold takes, commits the change,
// and returns the answer to the request.
func (s *service) meanwhile(t testing.TB, hold, change string, send func(context.Context) (answer, error)) answer {
	t.Helper()
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() // does nothing after the commit
	if _, err := tx.ExecContext(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	type result struct {
		answer
		error
	}
	got := make(chan result, 1)
	go func() {
		a, err := send(t.Context())
		got <- result{a, err}
	}()
	for query[int](t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
		AND wait_event_type = 'Lock'`) == 0 {
		select {
		case r := <-got:
			t.Fatalf("did not wait: %v %+v", r.error, r.answer)
		default:
		}
	}
	if _, err := tx.ExecContext(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	r := <-got
	if r.error != nil {
		t.Fatal(r.error)
	}
	method, path, _ := strings.Cut(r.request, " ")
	if err := openAPI().check(method, path, r.answer); err != nil {
		t.Error(err)
	}
	return r.answer
}

// The goldens check the items; this test checks the effect on the account.
func TestAnItemIsImportedByHandOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	s.call(t, "POST", account+"/bank_statements", parts(file("a.ofx", ofx))).want(t, 201)
	s.finishImport(t, 1)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	items := account + "/bank_statements/1/items"
	a := s.call(t, "POST", items+"/2/import").want(t, 201)
	equal(t, a.at(t, "financial_transaction.amount"), "-12.5")
	equal(t, a.at(t, "financial_transaction.bank_statement_id"), "1")
	transaction := a.at(t, "financial_transaction.id")
	equal(t, a.header.Get("Location"), publicURL+account+"/financial_transactions/"+transaction)
	equal(t, s.call(t, "GET", items+"?page=2&per_page=1").at(t, "0.bank_statement_item.financial_transaction_id"),
		transaction)
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.calculated_balance"), "-25.0")
	b := s.call(t, "GET", account+"/bank_statements/1")
	equal(t, b.at(t, "bank_statement.imported_items_count")+b.at(t, "bank_statement.duplicate_items_ignored_count"),
		"20")
	equal(t, query[string](t, s, `SELECT string_agg(family || '.' || action || ' ' || record_id, ', ' ORDER BY id)
		FROM deliveries`),
		"bank_statements.updated 1, financial_transactions.created "+transaction)
	s.call(t, "POST", items+"/2/import").wantBody(t, 422, `{"outcome":["é imported: o item já foi importado"]}`)
	s.call(t, "POST", items+"/6/import").wantBody(t, 422, `{"outcome":["é future: só um item já conhecido `+
		`(duplicate) pode ser importado"]}`)
	s.exec(t, `INSERT INTO folded_items (account_id, bank_statement_id, outcome, first, numbers, lines, days, amounts,
			marks)
		SELECT account_id, id, 'duplicate', 9, '{9}', '{9}', '{2026-03-02}', '{-1}', '{""}' FROM bank_statements`)
	s.call(t, "POST", items+"/9/import").wantBody(t, 422, `{"base":["Os textos deste item já foram removidos."]}`)
	s.exec(t, `DELETE FROM folded_items`)
	s.call(t, "POST", items+"/8/import").wantBody(t, 404, `{"error":"Couldn't find BankStatementItem with id=8"}`)

	s.call(t, "DELETE", account+"/financial_transactions/"+transaction).want(t, 200)
	equal(t, s.call(t, "GET", items).all(t, "bank_statement_item.outcome"), []string{
		"imported", "imported", "invalid_date", "zero", "balance", "future", "other_account"})
	equal(t, s.call(t, "GET", items).at(t, "1.bank_statement_item.financial_transaction_id"), "<nil>")
	equal(t, s.call(t, "GET", items+"?search[outcome]=zero").all(t, "bank_statement_item.line"), []string{"33"})
	s.call(t, "GET", items+"?search[outcome]=ignored").wantBody(t, 422, `{"outcome":["não está incluso na lista"]}`)
	equal(t, len(s.call(t, "GET", items+"?page=3&per_page=3").all(t, "bank_statement_item.id")), 1)
}

func TestADeletedStatementIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	path := account + "/bank_statements/1"
	s.call(t, "POST", account+"/bank_statements", parts(file("a.ofx", ofx))).want(t, 201)
	for _, status := range []string{"queued", "processing"} {
		s.exec(t, `UPDATE bank_statements SET event_status = $1`, status)
		s.call(t, "DELETE", path).wantBody(t, 422, `{"base":["A importação do extrato ainda não terminou."]}`)
	}
	s.finishImport(t, 1)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	transaction := s.call(t, "GET", path+"/items").at(t, "0.bank_statement_item.financial_transaction_id")
	s.exec(t, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES ($1, $2, 'payable')`, s.AccountID,
		s.EntityID)
	s.exec(t, `UPDATE financial_transactions SET reconcile_id = 1`)
	s.call(t, "DELETE", path).wantBody(t, 422, `{"base":["Há transações conciliadas: `+transaction+
		`. Desfaça a conciliação antes."]}`)
	s.exec(t, `UPDATE financial_transactions SET reconcile_id = NULL`)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs`), 0)

	s.call(t, "DELETE", path).wantBody(t, 202, "")
	equal(t, query[string](t, s, `SELECT string_agg(kind || ' ' || queue || ' ' || args, ', ' ORDER BY kind) FROM jobs
		WHERE kind <> 'deliver_webhook'`),
		`delete_bank_statement deletions {"account_id":1,"bank_statement_id":1}, `+
			`prove_balance statements {"account_id":1,"deposit_account_id":1}`)
	equal(t, query[string](t, s,
		`SELECT string_agg(family || '.' || action || ' ' || record_id, ', ') FROM deliveries`),
		"bank_statements.destroyed 1")
	for _, gone := range []string{path, path + "/items"} {
		s.call(t, "GET", gone).wantBody(t, 404, `{"error":"Couldn't find BankStatement with id=1"}`)
	}
	s.call(t, "POST", path+"/items/2/import").wantBody(t, 404, `{"error":"Couldn't find BankStatement with id=1"}`)
	s.call(t, "DELETE", path).want(t, 404)
	s.call(t, "GET", account+"/bank_statements").wantBody(t, 200, "[]")
	id, _ := strconv.ParseInt(transaction, 10, 64)
	equal(t, s.match(t, []int64{s.settled(t, finance.Payable, "12.5")}, []int64{id}).want(t, 422).at(t,
		"selected_financial_transaction_ids.0"),
		"não existe: "+transaction)
}
