package api_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// text returns a text part of a form.
func text(name, value string) part {
	return part{fmt.Sprintf(`form-data; name=%q`, name), "", value}
}

// noAttachment fails if an upload left a row or a file.
func (s *service) noAttachment(t testing.TB) {
	t.Helper()
	equal(t, query[int](t, s, `SELECT count(*) FROM attachments`), 0)
	equal(t, s.storedFiles(t), nil)
}

func TestAnAttachmentIsStored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := paths.Attachments(s.EntityID)
	content := pdf + strings.Repeat("a", 3<<20)
	// A text part after the file counts too.
	a := s.call(t, "POST", path, parts(attachment("nota.pdf", "application/pdf", content),
		text("attachment[title]", "Nota 7"))).want(t, 201)
	equal(t, a.header.Get("Location"), publicURL+path+"/1")
	for field, want := range map[string]string{
		"title": "Nota 7", "attachment_file_name": "nota.pdf", "attachment_content_type": "application/pdf",
		"attachment_file_size": fmt.Sprint(len(content)), "download_url": publicURL + path + "/1/download",
		"attachables": "[]",
	} {
		equal(t, a.at(t, "attachment."+field), want)
	}
	equal(t, s.call(t, "GET", path+"/1").body, a.body)
	kept, err := os.ReadFile(s.storedFiles(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(kept) == content, true)

	changed := s.call(t, "PUT", path+"/1", document(`{"attachment":{"title":null,"attachment_file_name":"b"}}`)).want(t,
		200)
	equal(t, changed.at(t, "attachment.title")+" "+changed.at(t, "attachment.attachment_file_name"), "<nil> nota.pdf")
	s.call(t, "PUT", path+"/1", document(fmt.Sprintf(`{"attachment":{"title":%q}}`, strings.Repeat("a", 256)))).
		wantBody(t, 422, `{"title":["é muito longo (máximo: 255 caracteres)"]}`)

	s.newAttachment(t)
	equal(t, s.call(t, "GET", path).all(t, "attachment.id"), []string{"2", "1"})
	s.call(t, "DELETE", path+"/1").wantBody(t, 200, "")
	s.call(t, "DELETE", path+"/1").wantBody(t, 404, `{"error":"Couldn't find Attachment with id=1"}`)
	equal(t, len(s.storedFiles(t)), 1)
}

func TestAnAttachmentIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := paths.Attachments(s.EntityID)
	const blank, cutOff = `{"attachment":["não pode ser vazio."]}`,
		`{"error":"O corpo da requisição terminou antes do fim."}`
	one := attachment("a.pdf", "application/pdf", pdf)
	start := "--b\r\nContent-Disposition: form-data; name=\"attachment[attachment]\"; filename=\"a\"\r\n\r\n"
	for _, c := range []struct {
		name   string
		sent   option
		status int
		body   string
	}{
		{"without a body", body("", ""), 422, blank},
		{"of a form without a file", body("application/x-www-form-urlencoded",
			"attachment[title]=x&attachment[attachment]="), 422, blank},
		{"of a document", document(`{"attachment":{"title":"a"}}`), 422, blank},
		{"of a form of texts", parts(text("attachment[title]", "a")), 422, blank},
		{"of an input that was left empty",
			parts(part{`form-data; name="attachment[attachment]"; filename=""`, "application/octet-stream", ""}), 422,
			blank},
		{"of an empty file", parts(attachment("a", "", "")), 422, blank},
		{"of a text", parts(text("attachment[attachment]", "a")), 422,
			`{"attachment":["deve ser um arquivo, não um texto"]}`},
		{"of two files", parts(one, one), 422, `{"attachment":["deve ser um só arquivo"]}`},
		{"of a long title", parts(one, text("attachment[title]", strings.Repeat("a", 256))), 422,
			`{"title":["é muito longo (máximo: 255 caracteres)"]}`},
		{"of a title that is none", parts(one, text("attachment[title]", "a\x00b")), 422, `{"title":["não é válido"]}`},
		{"of an account that is no number", parts(one, text("attachment[associated_financial_account_ids][]", "a")),
			422, `{"associated_financial_account_ids":["não é um número inteiro"]}`},
		{"of accounts without brackets", parts(one, text("attachment[associated_financial_account_ids]", "1"),
			text("attachment[associated_financial_account_ids]", "2")), 422,
			`{"associated_financial_account_ids":["foi enviado mais de uma vez: escreva ` +
				`associated_financial_account_ids[]=a&associated_financial_account_ids[]=b, ou em JSON ` +
				`[\"a\", \"b\"]"]}`},
		{"of what does not exist", parts(one, text("attachment[associated_financial_account_ids][]", "7"),
			text("attachment[associated_financial_transaction_ids][]", "8"),
			text("attachment[associated_financial_transaction_ids][]", "9")),
			422, `{"associated_financial_transaction_ids":["não existe: 8, 9"],` +
				`"associated_financial_account_ids":["não existe: 7"]}`},
		{"of a name that is none", parts(one, text("attachment[[", "a"), text("attachment[a][][b]", "a")), 400, ""},
		{"cut off inside the file", body("multipart/form-data; boundary=b", start+strings.Repeat("a", 1<<20)), 400,
			cutOff},
		{"cut off after the file", body("multipart/form-data; boundary=b", start+"a\r\n--b\r\nContent-Disp"), 400,
			cutOff},
		{"of texts that are large together", parts(one, text("attachment[title]", strings.Repeat("a", 600<<10)),
			text("attachment[more]", strings.Repeat("a", 600<<10))), 413, ""},
		{"of more accounts than it may name",
			parts(append([]part{one}, slices.Repeat([]part{text("attachment[associated_financial_account_ids][]", "7")},
				1001)...)...), 422, ""},
		{"of a large title", parts(one, text("attachment[title]", strings.Repeat("a", 2<<20))), 413, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.call(t, "POST", path, c.sent, with("Accept", "application/json")).want(t, c.status)
			if c.body != "" {
				equal(t, a.body, c.body)
			}
			s.noAttachment(t)
		})
	}
}

// An upload whose client disconnects half-way leaves no file.
func TestAnUploadWhoseClientGoesAway(t *testing.T) {
	t.Parallel()
	s := newService(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nAuthorization: Basic %s\r\nContent-Type: multipart/form-data; "+
		"boundary=b\r\nContent-Length: 10000000\r\n\r\n"+
		"--b\r\nContent-Disposition: form-data; name=\"attachment[attachment]\"; filename=\"a\"\r\n\r\n%s",
		paths.Attachments(s.EntityID), base64.StdEncoding.EncodeToString([]byte(s.Token+":x")),
		strings.Repeat("a", 1<<20))
	for _, want := range []int{1, 0} { // the partial file, then none
		testkit.Eventually(t, fmt.Sprintf("%d files", want), func() bool { return len(s.storedFiles(t)) == want })
		_ = conn.Close()
	}
	s.noAttachment(t)
}

// An upload that ends before its COMMIT leaves no file, although the database or the client is gone.
func TestAnUploadWithoutItsCommitLeavesNoFile(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *service, context.CancelFunc){
		"as its client goes away": func(_ *testing.T, _ *service, leave context.CancelFunc) { leave() },
		"as a statement is cancelled": func(t *testing.T, s *service, _ context.CancelFunc) {
			query[bool](t, s, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			var group sync.WaitGroup
			defer group.Wait()
			tx, err := s.db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			if _, err := tx.ExecContext(t.Context(), `LOCK TABLE attachments IN EXCLUSIVE MODE`); err != nil {
				t.Fatal(err)
			}
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			group.Go(func() {
				_, _ = s.send(ctx, "POST", paths.Attachments(s.EntityID), parts(attachment("a", "", "a")))
			})
			storagetest.AwaitLock(t, s.db, 1)
			equal(t, len(s.storedFiles(t)), 1)
			end(t, s, leave)
			testkit.Eventually(t, "no file", func() bool { return len(s.storedFiles(t)) == 0 })
		})
	}
}

func TestTheLimitOfAnAttachment(t *testing.T) {
	t.Parallel()
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) { c.MaxAttachment = 10_000 })
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	path := paths.Attachments(s.EntityID)
	s.call(t, "POST", path, parts(attachment("a", "", strings.Repeat("a", 10_001)))).
		wantBody(t, 413, `{"error":"O corpo da requisição passa do limite de 10000 bytes."}`)
	s.noAttachment(t)
	s.call(t, "POST", path, parts(attachment("a", "", strings.Repeat("a", 10_000)))).want(t, 201)
}

func TestTheNameAndTypeOfAnAttachment(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct{ disposition, contentType, content, name, kept string }{
		{`filename="../../etc/passwd"`, "text/plain", "a", "passwd", "text/plain"},
		{`filename="` + strings.Repeat("a", 5000) + `"`, "", "a", strings.Repeat("a", 255), "application/octet-stream"},
		{`filename*=UTF-8''a%0D%0Ab%E2%80%AEfdp.exe`, "", "a", "abfdp.exe", "application/octet-stream"},
		// U+200F, U+061C, U+2067
		{`filename*=UTF-8''a%E2%80%8Fb%D8%9C%E2%81%A7.txt`, "", "a", "ab.txt", "application/octet-stream"},
		{`filename*=UTF-8''%E2%80%8F`, "", "a", "anexo", "application/octet-stream"},
		{"filename=\"nota_a\xe7\xe3o.pdf\"", "application/pdf", pdf, "nota_ação.pdf", "application/pdf"},
		{`filename*=iso-8859-1''nota_a%E7%E3o.pdf`, "application/pdf", pdf, "nota_ação.pdf", "application/pdf"},
		{`filename="a.svg"`, "image/svg+xml", "<svg/>", "a.svg", "image/svg+xml"},
		{`filename="b.html"`, "text/html", "<p>", "b.html", "text/html"},
		{`filename=".."`, "image/svg+xml", "<svg/>", "anexo", "image/svg+xml"},
		{`filename="a.pdf"`, "application/pdf", "PK\x03\x04", "a.pdf", "application/octet-stream"},
		{`filename="a.pdf"`, "application/pdf", pdf, "a.pdf", "application/pdf"},
		{`filename="a.docx"`, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x03\x04",
			"a.docx",
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{`filename="a"`, strings.Repeat("a", 300) + "/b", "a", "a", "application/octet-stream"},
	} {
		a := s.call(t, "POST", paths.Attachments(s.EntityID),
			parts(part{`form-data; name="attachment[attachment]"; ` + c.disposition, c.contentType, c.content})).want(t,
			201)
		equal(t, a.at(t, "attachment.attachment_file_name"), c.name)
		equal(t, a.at(t, "attachment.attachment_content_type"), c.kept)
		served := s.fetch(t, "GET", s.address(t, strings.TrimPrefix(a.header.Get("Location"), publicURL))).wantBody(t,
			200, c.content)
		equal(t, served.header.Get("Content-Type"), c.kept)
		equal(t, strings.HasPrefix(served.header.Get("Content-Disposition"), "attachment; "), true)
	}
}

// A link is shown on both sides, whichever created it, and is removed with either.
func TestRecordsAndTheirAttachments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	transaction := s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-03-04")
	account := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`)
	sale := s.newSale(t, s.newSaleAccount(t, `"description":"a"`),
		`"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04"`)
	receivable := s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":10`)
	first := s.newAttachment(t, text("attachment[associated_financial_transaction_ids][]",
		fmt.Sprint(lastID(transaction))),
		text("attachment[associated_financial_account_ids][]", fmt.Sprint(lastID(account))))
	second := s.newAttachment(t)

	t.Run("a file names what it was uploaded for", func(t *testing.T) {
		a := s.call(t, "GET", first)
		equal(t, a.at(t, "attachment.attachables.0.links.0.href")+" "+a.at(t, "attachment.attachables.1.links.0.href"),
			publicURL+account+" "+publicURL+transaction)
		equal(t, s.call(t, "GET", paths.Attachments(s.EntityID)).at(t, "1.attachment.attachables.1.attachment_id_list"),
			"[1]")
		equal(t, s.call(t, "GET", account).at(t, "payable_account.attachment_id_list"), "[1]")
		equal(t, s.call(t, "GET", account).at(t, "payable_account.links.2.href"), publicURL+first)
		equal(t, s.call(t, "GET", transaction).at(t, "financial_transaction.attachments_count"), "1")
	})
	t.Run("a list replaces, an absent one keeps, an empty one clears", func(t *testing.T) {
		for path, root := range map[string]string{transaction: "financial_transaction", account: "payable_account",
			receivable: "receivable_account", sale: "sale"} {
			put := func(fields string) string {
				s.call(t, "PUT", path, document(fmt.Sprintf(`{%q:{%s}}`, root, fields))).want(t, 200)
				return s.call(t, "GET", path).at(t, root+".attachment_id_list")
			}
			equal(t, put(`"attachment_id_list":["2","1","2"]`), "[1 2]")
			equal(t, put(`"observation":"a"`), "[1 2]")
			equal(t, put(`"attachment_id_list":[2]`), "[2]")
			s.call(t, "PUT", path, document(fmt.Sprintf(`{%q:{"attachment_id_list":[2,99]}}`, root))).wantBody(t, 422,
				`{"attachment_id_list":["não existe"]}`)
			equal(t, put(`"observation":"b"`), "[2]")
			if path == account || path == receivable {
				equal(t, put(`"attachment_id_list":[]`), "[]")
			}
		}
		equal(t, s.call(t, "GET", sale).at(t, "sale.attachments.0.download_url"), publicURL+second+"/download")
		a := s.call(t, "GET", second)
		equal(t, a.at(t, "attachment.attachables.0.links.0.href")+" "+a.at(t, "attachment.attachables.1.links.0.href"),
			publicURL+transaction+" "+publicURL+sale)
		equal(t, s.call(t, "GET", first).at(t, "attachment.attachables"), "[]")
	})
	t.Run("new records begin with files", func(t *testing.T) {
		made := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10,"attachment_id_list":[1],`+
			`"create_as_parcelled":"monthly","number_of_parcels":3`)
		equal(t, s.call(t, "GET", made).at(t, "payable_account.attachment_id_list"), "[1]")
		equal(t, query[int](t, s, `SELECT count(*) FROM financial_account_attachments WHERE attachment_id = 1`), 3)
		a := s.call(t, "POST", transaction[:strings.LastIndex(transaction, "/")],
			document(`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-03-04",`+
				`"attachment_id_list":[1]}}`)).want(t, 201)
		equal(t, a.at(t, "financial_transaction.attachment_id_list"), "[1]")
	})
	t.Run("what a user may not see is left out, and not there for him", func(t *testing.T) {
		blind := as(s.member(t, finance.Access{
			AllEntities: true, Denied: []string{"payable_accounts", "receivable_accounts"}}))
		equal(t, s.call(t, "GET", second, blind).at(t, "attachment.attachables.0.links.0.href"), publicURL+transaction)
		equal(t, strings.Count(s.call(t, "GET", second, blind).body, `"due_date"`), 0)
		s.call(t, "POST", paths.Attachments(s.EntityID), blind, parts(attachment("a", "", "a"),
			text("attachment[associated_financial_account_ids][]", fmt.Sprint(lastID(account))))).
			wantBody(t, 422, fmt.Sprintf(`{"associated_financial_account_ids":["não existe: %d"]}`, lastID(account)))
	})
	t.Run("another entity's file is not there", func(t *testing.T) {
		elsewhere := *s
		elsewhere.EntityID = s.anotherEntity(t).ID
		foreign := elsewhere.newAttachment(t)
		s.call(t, "PUT", account,
			document(fmt.Sprintf(`{"payable_account":{"attachment_id_list":[%d]}}`, lastID(foreign)))).
			wantBody(t, 422, `{"attachment_id_list":["não existe"]}`)
	})
	t.Run("a link goes with either side", func(t *testing.T) {
		s.call(t, "DELETE", transaction).want(t, 200)
		equal(t, strings.Count(s.call(t, "GET", second).body, transaction), 0)
		s.call(t, "DELETE", second).want(t, 200)
		equal(t, s.call(t, "GET", sale).at(t, "sale.attachment_id_list"), "[]")
	})
}

func TestAFileGoesWithItsLastRecord(t *testing.T) {
	t.Parallel()
	s := newService(t)
	entity := paths.Entity(s.EntityID)
	account := func(more string) string {
		return s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`+more)
	}
	card := s.newCard(t, 5, 15)
	ways := map[string]func(list string) (records []string, destroy func()){
		"an account": func(list string) ([]string, func()) {
			path := account(list)
			return []string{path}, func() { s.call(t, "DELETE", path).want(t, 200) }
		},
		"several accounts": func(list string) ([]string, func()) {
			a, b := account(list), account(list)
			ids := fmt.Sprintf("%d,%d", lastID(a), lastID(b))
			return []string{a, b},
				func() { s.call(t, "DELETE", entity+"/payable_accounts?selected_ids="+ids).want(t, 200) }
		},
		"a series": func(list string) ([]string, func()) {
			path := account(list + `,"create_as_parcelled":"monthly","number_of_parcels":3`)
			return []string{path}, func() { s.call(t, "DELETE", path+"/recurrence").want(t, 200) }
		},
		"a transaction": func(list string) ([]string, func()) {
			path := s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-03-04")
			s.call(t, "PUT", path, document(`{"financial_transaction":{"observation":"a"`+list+`}}`)).want(t, 200)
			return []string{path}, func() { s.call(t, "DELETE", path).want(t, 200) }
		},
		"a sale": func(list string) ([]string, func()) {
			path := s.newSale(t, s.newSaleAccount(t, `"description":"a"`),
				`"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04"`+list)
			return []string{path}, func() { s.call(t, "DELETE", path).want(t, 204) }
		},
		"the account of an invoice": func(list string) ([]string, func()) {
			purchase := s.buy(t, card, `"amount":10,"occurred_at":"2026-03-04"`)
			path := paths.FinancialAccount(s.EntityID, "payable",
				query[int64](t, s, `SELECT id FROM financial_accounts WHERE credit_card_invoice_id IS NOT NULL`))
			s.call(t, "PUT", path, document(`{"payable_account":{"observation":"a"`+list+`}}`)).want(t, 200)
			return []string{path}, func() { s.call(t, "DELETE", purchase).want(t, 200) }
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			alone, shared, other := s.newAttachment(t), s.newAttachment(t), account("")
			records, destroy := way(fmt.Sprintf(`,"attachment_id_list":[%d,%d]`, lastID(alone), lastID(shared)))
			for _, path := range records {
				equal(t, strings.Contains(s.call(t, "GET", path).want(t, 200).body,
					fmt.Sprintf("[%d,%d]", lastID(alone), lastID(shared))), true)
			}
			s.call(t, "PUT", other,
				document(fmt.Sprintf(`{"payable_account":{"attachment_id_list":[%d]}}`, lastID(shared)))).want(t, 200)
			destroy()
			s.call(t, "GET", alone).want(t, 404)
			s.call(t, "GET", shared).want(t, 200)
			equal(t, s.call(t, "GET", other).at(t, "payable_account.attachment_id_list"),
				fmt.Sprintf("[%d]", lastID(shared)))
		})
	}
}

// A repeated upload is one attachment with one file. With another title it is another request.
func TestAnUploadIsRepeated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path, key := paths.Attachments(s.EntityID), with("Idempotency-Key", "k")
	sent := func(title string) option {
		return parts(attachment("a", "", strings.Repeat("a", 5000)), text("attachment[title]", title))
	}
	first := s.call(t, "POST", path, sent("a"), key).want(t, 201)
	again := s.call(t, "POST", path, sent("a"), key).want(t, 201)
	equal(t, again.body, first.body)
	equal(t, again.header.Get("Idempotency-Replayed"), "true")
	s.call(t, "POST", path, sent("b"), key).want(t, 409)
	equal(t, len(s.storedFiles(t)), 1)
}

// The same, if the repetition does not see the first upload before its second attempt.
func TestAnUploadIsRepeatedByASecondAttempt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path, key := paths.Attachments(s.EntityID), with("Idempotency-Key", "k")
	first := s.call(t, "POST", path, parts(attachment("a", "", "a")), key).want(t, 201)
	s.exec(t, `ALTER TABLE idempotency_keys RENAME TO kept_keys`)
	s.exec(t, `CREATE SEQUENCE attempts`)
	s.exec(t, `CREATE VIEW idempotency_keys AS SELECT * FROM kept_keys WHERE nextval('attempts') > 1`)
	s.exec(t, `CREATE FUNCTION clash() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE 'another was first' USING ERRCODE = 'serialization_failure'; END $$`)
	s.exec(t, `CREATE TRIGGER clash BEFORE INSERT ON kept_keys FOR EACH ROW EXECUTE FUNCTION clash()`)
	again := s.call(t, "POST", path, parts(attachment("a", "", "a")), key).wantBody(t, 201, first.body)
	equal(t, again.header.Get("Idempotency-Replayed"), "true")
	equal(t, query[int](t, s, `SELECT last_value FROM attempts`), 2)
	equal(t, len(s.storedFiles(t)), 1)
}

// The concatenated parts of different uploads may be equal; their digests must differ.
func TestAnUploadThatIsAnotherIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := paths.Attachments(s.EntityID)
	note, title := attachment("a.txt", "text/plain", "X"), text("attachment[title]", "T")
	for i, c := range []struct{ first, second []part }{
		{[]part{note, title}, []part{attachment("a.txt", "text/plain", "Xattachment[title]=T\n")}},
		{[]part{note, title}, []part{attachment("a.txt", "text/plain", "X\ntext \"attachment[title]\" \"T\"\n")}},
		{[]part{note, title}, []part{note, text("attachment[title]", "T\nattachment[title]=T")}},
		{[]part{note, title, title}, []part{note, text("attachment[title]", "T\nattachment[title]=T")}},
		{[]part{note}, []part{attachment("a.txt", "text/html", "X")}},
		{[]part{note}, []part{note, title}},
	} {
		key := with("Idempotency-Key", strconv.Itoa(i))
		first := s.call(t, "POST", path, parts(c.first...), key).want(t, 201)
		s.call(t, "POST", path, parts(c.second...), key).want(t, 409)
		s.call(t, "POST", path, parts(c.first...), key).wantBody(t, 201, first.body)
	}
	equal(t, len(s.storedFiles(t)), 6)
}
