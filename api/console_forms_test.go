package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// fill sends a form of a page with some fields filled in: name, value, …; a click sends it as it is.
func (b *tab) fill(t testing.TB, page, action string, fields ...string) answer {
	t.Helper()
	form, has := b.forms(t, page)[action]
	if !has {
		t.Fatalf("%s has no form for %s", page, action)
	}
	sent := fieldsOf(form)
	for i := 0; i < len(fields); i += 2 {
		at := -1
		for j := 0; j < len(sent); j += 2 {
			if sent[j] == fields[i] {
				at = j
			}
		}
		if at < 0 || form.Get(fields[i]) != "" && sent[at+1] != form.Get(fields[i]) {
			sent = append(sent, fields[i], fields[i+1])
			continue
		}
		sent[at+1] = fields[i+1]
	}
	return b.post(t, action, sent...)
}

// fieldsOf returns the fields of a form as post takes them.
func fieldsOf(form url.Values) (fields []string) {
	for name, values := range form {
		fields = append(fields, name, values[0])
	}
	return fields
}

// upload sends the form of a statement's file to the page of an entity's statements, with the texts before the file.
func (b *tab) upload(t testing.TB, list, name, content string, texts ...part) answer {
	t.Helper()
	all := append(texts, part{fmt.Sprintf(`form-data; name="file"; filename=%q`, name), "application/octet-stream",
		content})
	a, err := b.send(t.Context(), "POST", list, as(""), with("Cookie", "bordero_console="+b.cookie), parts(all...))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A webhook is made, tested, described, rotated, and deleted by its pages; faults stand beside what was typed.
func TestTheFormsOfWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.root() + "/webhooks"
	a := b.fill(t, list, list, "url", "ftp://<b>", "secret", "zz", "description", `"Loja" <script>`).want(t, 422)
	b.read(t, list, a)
	for _, want := range []string{"não é válido", `value="ftp://&lt;b&gt;"`, `value="zz"`, "de 24 a 64 caracteres",
		`aria-invalid="true" aria-describedby="secret-faults"`,
		`aria-invalid="true" aria-describedby="url-faults"`, `value="&#34;Loja&#34; &lt;script&gt;"`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the refused form lacks %s:\n%s", want, a.body)
		}
	}
	form := b.forms(t, list)[list]
	form.Set("url", "https://hooks.example.com/<a>")
	secret := strings.Repeat("5eC1", 8) // of a receiver that checks the signature of the test
	form.Set("secret", secret)
	form.Set("events", "sales.*, people.created")
	form.Set("description", "<i>Loja</i>")
	sent := fieldsOf(form)
	made := b.post(t, list, sent...).want(t, http.StatusSeeOther).header.Get("Location")
	equal(t, b.post(t, list, sent...).want(t, http.StatusSeeOther).header.Get("Location"), made) // two clicks
	equal(t, query[int](t, s, `SELECT count(*) FROM webhooks WHERE secret = $1`, secret), 1)
	form.Set("description", "Outra") // typed while the first click was at work
	other := b.post(t, list, fieldsOf(form)...).want(t, 409)
	if !strings.Contains(other.body, "já foi enviado antes") {
		t.Errorf("a form that is sent again with other values:\n%s", other.body)
	}
	page, _, _ := strings.Cut(made, "?")
	shown := b.open(t, made).want(t, http.StatusOK).body
	for _, want := range []string{secret, "&lt;i&gt;Loja&lt;/i&gt;", "sales.*, people.created", "Criado."} {
		if !strings.Contains(shown, want) {
			t.Errorf("the webhook lacks %s:\n%s", want, shown)
		}
	}
	b.fill(t, page, page+"/describe", "description", "Outra").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/verify").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/rotate_secret").want(t, http.StatusSeeOther)
	all := page + "?done=redelivered_all&count="
	equal(t, b.fill(t, page, page+"/redeliver").want(t, http.StatusSeeOther).header.Get("Location"), all+"0")
	s.exec(t, `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, status,
			attempts_count)
		SELECT account_id, id, 'sales', 'created', n, entity_id, 'failed', 5 FROM webhooks, generate_series(1, 2) n`)
	equal(t, b.fill(t, page, page+"/redeliver").want(t, http.StatusSeeOther).header.Get("Location"), all+"2")
	s.exec(t, `DELETE FROM deliveries`)
	b.tells(t, all+"0", "Nenhuma entrega falhou nos últimos 14 dias.")
	b.tells(t, all+"1", "1 entrega será repetida.")
	b.tells(t, all+"12", "12 entregas serão repetidas.")
	s.exec(t, `UPDATE webhooks SET status = 'error'`)
	b.tells(t, all+"1", "1 entrega será repetida, depois que o webhook for verificado.")
	s.exec(t, `UPDATE webhooks SET status = 'active'`)
	after := b.open(t, page).want(t, http.StatusOK).body
	if strings.Contains(after, secret) || !strings.Contains(after, "Outra") {
		t.Errorf("the webhook was not changed:\n%s", after)
	}
	s.made(t, "/people", `{"person":{"name":"Moinho"}}`)
	of := ""
	for _, link := range b.read(t, page, b.open(t, page)).links {
		if strings.Contains(link, "/deliveries/") {
			of = link
		}
	}
	b.fill(t, of, of+"/redeliver").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/delete").want(t, http.StatusSeeOther)
	b.open(t, page).want(t, http.StatusNotFound)
}

// Two clicks rotate a secret once. The page of the second says that the webhook has changed, and shows the new secret.
// The receiver's secret still signs.
func TestTwoClicksRotateASecretOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.root() + "/webhooks"
	made := b.fill(t, list, list, "url", "https://hooks.example.com/a").want(t, http.StatusSeeOther)
	page, _, _ := strings.Cut(made.header.Get("Location"), "?")
	receivers := query[string](t, s, `SELECT secret FROM webhooks`)
	sent := fieldsOf(b.forms(t, page)[page+"/rotate_secret"])
	b.post(t, page+"/rotate_secret", sent...).want(t, http.StatusSeeOther)
	second := b.post(t, page+"/rotate_secret", sent...).want(t, http.StatusPreconditionFailed)
	b.read(t, page, second)
	equal(t, query[string](t, s, `SELECT previous_secret FROM webhooks`), receivers)
	for _, want := range []string{"talvez por outro clique", query[string](t, s, `SELECT secret FROM webhooks`),
		"<details open>"} {
		if !strings.Contains(second.body, want) {
			t.Errorf("the page after the second click lacks %s:\n%s", want, second.body)
		}
	}
	if strings.Contains(second.body, "If-Match") {
		t.Errorf("the page speaks of headers:\n%s", second.body)
	}
	b.fill(t, page, page+"/rotate_secret").want(t, http.StatusSeeOther) // the page that was opened anew
}

// The page of a form that is refused for a while, or fails, has its values and its key, to send it again.
func TestAFormThatIsRefusedForAWhileIsKept(t *testing.T) {
	t.Parallel()
	address := storagetest.DatabaseURL(t)
	now := func() time.Time { return time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC) }
	s := serve(t, storagetest.Open(t, address, storage.Options{}), func(c *api.Config) { c.Limiter = limiter(t, now) })
	s.db, s.Tenant = storagetest.DB(t, address), storagetest.NewTenant(t, s.store)
	b := s.enter(t, s.Token)
	list := b.root() + "/webhooks"
	sent := b.forms(t, list)[list]
	sent.Set("url", "https://hooks.example.com/a")
	sent.Set("secret", strings.Repeat("5eC1", 8))
	sent.Set("description", `"Loja" <b>`)
	kept := func(status int) {
		t.Helper()
		refused := b.post(t, list, append(fieldsOf(sent), "wanted", "1", "wanted", "2")...).want(t, status)
		forms := b.read(t, list, refused).forms
		last := forms[len(forms)-1]
		equal(t, last.action+"?"+last.fields.Encode(), list+"?"+sent.Encode()+"&wanted=1&wanted=2")
		if len(refused.header.Values("Retry-After")) != 1 || !strings.Contains(refused.body, "Tentar de novo") {
			t.Errorf("the refused form:\n%s", refused.body)
		}
	}

	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error { // the first click is still at work
		_, err := tx.TakeKey(t.Context(), storage.IdempotencyKey{AccountID: s.AccountID,
			Path: "/integrations/webhooks", Key: sent.Get("key"), UserID: s.UserID, Request: []byte{1}})
		kept(http.StatusConflict)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.quota(t, finance.RequestsPerMinute, 1)
	kept(http.StatusTooManyRequests)
	s.quota(t, finance.RequestsPerMinute, 60_000)
	s.exec(t, `CREATE FUNCTION shut() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE 'the database system is shutting down' USING ERRCODE = 'admin_shutdown'; END $$`)
	s.exec(t, `CREATE TRIGGER shut BEFORE INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION shut()`)
	kept(http.StatusServiceUnavailable)
	s.exec(t, `DROP TRIGGER shut ON webhooks; DROP FUNCTION shut`)
	equal(t, query[int](t, s, `SELECT count(*) FROM webhooks`), 0)
	for range 2 { // the first answer is not known
		b.post(t, list, fieldsOf(sent)...).want(t, http.StatusSeeOther)
	}
	equal(t, query[string](t, s, `SELECT string_agg(description, ';') FROM webhooks`), sent.Get("description"))

	// A form that is too large to be kept, and a page without a form, are refused as before.
	s.quota(t, finance.RequestsPerMinute, 1)
	sent.Set("description", strings.Repeat("x", 17<<10))
	for _, refused := range []answer{b.post(t, list, fieldsOf(sent)...), b.open(t, list)} {
		if strings.Contains(refused.want(t, http.StatusTooManyRequests).body, "Tentar de novo") {
			t.Errorf("a page with a form to send again:\n%s", refused.body)
		}
	}
}

// A bank account is made by its form, once for two clicks, and its number leads a first statement to it.
func TestTheFormOfABankAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	of := b.entityPage(s.EntityID) + "/deposit_accounts"
	list := b.entityPage(s.EntityID) + "/bank_statements"
	for page, link := range map[string]string{b.entityPage(s.EntityID): of, list: of} {
		if !slices.Contains(b.read(t, page, b.open(t, page)).links, link) {
			t.Errorf("%s does not lead to %s", page, link)
		}
	}
	refused := b.fill(t, of, of, "name", " ", "account_number", "-", "deposit_account_type_id", "3",
		"bank_account_id", "999").want(t, 422)
	b.read(t, of, refused)
	equal(t, strings.Count(refused.body, `class="fault" role="alert"`), 4)
	for _, want := range []string{`name="account_number" autocomplete="off" value="-" aria-invalid="true"`,
		`aria-current="page">Extratos`} {
		if !strings.Contains(refused.body, want) {
			t.Errorf("the refused form lacks %s:\n%s", want, refused.body)
		}
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM deposit_accounts`), 0)

	form := b.forms(t, of)[of]
	form.Set("name", "Conta <b>")
	form.Set("account_number", "1234-5")
	form.Set("bank_account_id", "1")
	sent := fieldsOf(form)
	made := b.post(t, of, sent...).want(t, http.StatusSeeOther).header.Get("Location")
	equal(t, b.post(t, of, sent...).want(t, http.StatusSeeOther).header.Get("Location"), made) // two clicks
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', name, account_number, bank_account_id,
		deposit_account_type_id, currency_id), ';') FROM deposit_accounts`), "Conta <b> 1234-5 1 1 1")
	shown := b.open(t, made).want(t, http.StatusOK).body
	if !strings.Contains(shown, "A conta foi criada") || !strings.Contains(shown, "Conta &lt;b&gt;") {
		t.Errorf("the statements of the new account:\n%s", shown)
	}
	limited := s.enter(t, s.member(t, finance.Access{AllEntities: true,
		Denied: []string{string(finance.FinancialTransactions)}}))
	to := limited.fill(t, of, of, "name", "Caixa").want(t, http.StatusSeeOther).header.Get("Location")
	limited.tells(t, to, "A conta foi criada.", "Caixa", "not envie o primeiro extrato")
}

// A file with several accounts leads to the preview of each, also when it is sent again; one with one account, to its
// page.
func TestTheFormOfAFileWithSeveralAccounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.entityPage(s.EntityID) + "/bank_statements"
	named := func(name, number string) string {
		return s.newDepositAccount(t, numberedAs(number), func(d *finance.DepositAccount) { d.Name = name })
	}
	first, second := named("Banco <b>", "12345-6"), named("Caixa", "777-0")
	form := b.forms(t, list)[list]
	upload := func(key, content string) answer {
		return b.upload(t, list, "a.ofx", content, text("form", form.Get("form")), text("key", key),
			text("deposit_account", ""))
	}
	for range 2 { // clicks
		a := upload(form.Get("key"), ofxOf("12345-6", "777-0")).want(t, http.StatusCreated)
		b.read(t, list, a)
		equal(t, query[int](t, s, `SELECT count(*) FROM bank_statements`), 2)
		for _, want := range []string{"O arquivo traz 2 contas: confirme cada uma",
			`<a href="` + b.root() + first + `/bank_statements/1">Banco &lt;b&gt;</a>`,
			`<a href="` + b.root() + second + `/bank_statements/2">Caixa</a>`} {
			if !strings.Contains(a.body, want) {
				t.Errorf("the page of the previews lacks %s:\n%s", want, a.body)
			}
		}
	}
	one := upload("another", ofxOf("777-0")).want(t, http.StatusSeeOther)
	equal(t, one.header.Get("Location"), b.root()+second+"/bank_statements/3")
}

// A statement is uploaded as a preview; its page waits for the worker, and confirms or drops it.
func TestTheFormsOfStatements(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.entityPage(s.EntityID) + "/bank_statements"
	deposit := lastID(s.newDepositAccount(t))
	upload := func(to, name, content string, more ...part) answer {
		t.Helper()
		form := b.forms(t, list)[list]
		return b.upload(t, list, name, content, append(append([]part{text("form", form.Get("form"))}, more...),
			text("key", form.Get("key")), text("deposit_account", to))...) // of two keys the first one
	}
	id := fmt.Sprint(deposit)
	refused := upload(id, "nota.txt", "isto não é um extrato").want(t, 422)
	b.read(t, list, refused)
	if !strings.Contains(refused.body, `class="fault" role="alert"`) ||
		!strings.Contains(refused.body, `<option value="`+id+`" selected>`) {
		t.Errorf("a file that is no statement:\n%s", refused.body)
	}
	upload(id, strings.Repeat("a", 20_000), "").want(t, 413)
	upload(id, "", "").want(t, 422)
	for name, c := range map[string]struct {
		to, content string
		mapping     []part
		want        string
	}{
		"no number":         {"", threeItems, nil, "Escolha em Conta a conta bancária deste arquivo."},
		"an unknown number": {"", ofxOf("999-9"), nil, "Escolha em Conta a conta bancária deste arquivo."},
		"an unknown header": {id, otherTable, nil, "abra “Tabela com um cabeçalho desconhecido”"},
		"no amounts": {id, otherTable, []part{text("statement_mapping[date]", "Dia"),
			text("statement_mapping[description]", "Texto")}, "Preencha valor com sinal"},
	} {
		body := upload(c.to, "a.ofx", c.content, c.mapping...).want(t, 422).body
		if !strings.Contains(body, "<small>") || !strings.Contains(body, c.want) || strings.Contains(body, "POST /") ||
			strings.Contains(body, "(PUT)") {
			t.Errorf("%s: no hint for a person:\n%s", name, body)
		}
	}
	unknown := upload(id, "outro.csv", otherTable, text("statement_mapping[date]", "Data")).want(t, 422)
	b.read(t, list, unknown)
	for _, want := range []string{`name="statement_mapping[date]" maxlength="255" value="Data">`, "<details open>",
		`value="" aria-invalid="true" aria-describedby="description-faults"`,
		`value="" aria-invalid="true" aria-describedby="amount-faults"`} {
		if !strings.Contains(unknown.body, want) {
			t.Errorf("a table with a wrong column lacks %s:\n%s", want, unknown.body)
		}
	}
	equal(t, strings.Count(unknown.body, `role="alert"`), 2)
	lost := upload("", "outro.csv", otherTable, text("statement_mapping[amount]", "Valor")).want(t, 422)
	b.read(t, list, lost)
	for _, want := range []string{`"deposit_account" aria-invalid="true" aria-describedby="account-faults"`,
		"Escolha a conta:", "<details open>"} {
		if !strings.Contains(lost.body, want) || len(lost.header.Values("X-Error-Code")) > 0 {
			t.Errorf("a mapping without an account lacks %s, or has a code: %v\n%s", want, lost.header, lost.body)
		}
	}
	key := b.forms(t, list)[list].Get("key")
	var mapped answer
	for range 8 { // clicks
		mapped = upload(id, "outro.csv", otherTable, text("key", key), text("statement_mapping[date]", "Dia"), text(
			"statement_mapping[description]", "Texto"), text("statement_mapping[credit]", "Entrou"), text(
			"statement_mapping[debit]", "Saiu"), text("statement_mapping[amount]", "")).want(t, http.StatusSeeOther)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM bank_statements`), 1)
	equal(t, query[string](t, s, `SELECT statement_mapping->>'credit' FROM bank_statements`), "Entrou")
	s.exec(t, `UPDATE bank_statements SET event_status = 'previewed'`)
	b.fill(t, mapped.header.Get("Location"), mapped.header.Get("Location")+"/delete").want(t, http.StatusSeeOther)
	s.exec(t, `DELETE FROM bank_statements`)
	page := upload(id, "agosto <b>.ofx", threeItems).want(t, http.StatusSeeOther).header.Get("Location")
	shown := b.open(t, page).want(t, http.StatusOK).body
	if !strings.Contains(shown, "data-waits") || !strings.Contains(shown, "agosto &lt;b&gt;.ofx") ||
		strings.Contains(shown, "Histórico") { // each reading of a page that waits makes few requests
		t.Errorf("a statement in the queue:\n%s", shown)
	}
	// Without its tick, a confirmation would use the preview up and import nothing. A file in error brought nothing.
	var warnings finance.StatementWarnings
	warnings.AddOtherCurrency(finance.ItemCurrencies{0: 2}, "USD", finance.BRL)
	s.exec(t, `UPDATE bank_statements SET event_status = 'previewed', event_warnings = $1`, warnings)
	b.tells(t, page, `name="accept" value="other_currency" required>`, "Histórico", "<summary>Descartar<")
	s.exec(t, `UPDATE bank_statements SET event_status = 'error'`)
	b.tells(t, page, ">Excluir o arquivo<", "not Desfazer", "not As transações do extrato")
	s.exec(t, `UPDATE bank_statements SET event_status = 'previewed', event_warnings = '[]', imported_items_count = 1`)
	stale := fieldsOf(b.forms(t, page)[page+"/delete"])
	b.fill(t, page, page+"/confirm").want(t, http.StatusSeeOther)
	equal(t, query[string](t, s, `SELECT event_status FROM bank_statements`), finance.ImportQueued)
	s.exec(t, `UPDATE bank_statements SET event_status = 'success'`)
	// The preview, on a page that is still open, is confirmed meanwhile: to drop it deletes no import.
	dropped := b.post(t, page+"/delete", stale...).want(t, http.StatusPreconditionFailed)
	if b.read(t, page, dropped); !strings.Contains(dropped.body, "o registro mudou depois que a página foi aberta") {
		t.Errorf("a preview that was confirmed is dropped:\n%s", dropped.body)
	}
	again := b.post(t, page+"/confirm", "form", b.forms(t, page)["/console/logout"].Get("form")).want(t, 422)
	if !strings.Contains(again.body, `role="alert"`) {
		t.Errorf("a second confirmation:\n%s", again.body)
	}
	b.fill(t, page, page+"/delete").want(t, http.StatusSeeOther)
	b.open(t, page).want(t, http.StatusNotFound)
}
