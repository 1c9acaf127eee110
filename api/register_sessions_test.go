package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/finance"
)

func TestACashRegister(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t, register)
	empty := document("")

	t.Run("starts closed", func(t *testing.T) {
		s.call(t, "PUT", path+"/close", empty).wantBody(t, 422, `{"base":["O caixa já está fechado."]}`)
		both := s.call(t, "PUT", path+"/close", document(`{"closed_at":"ontem"}`)).want(t, 422)
		if !strings.Contains(both.body, `"base":[`) || !strings.Contains(both.body, `"closed_at":[`) {
			t.Error(both.body)
		}
	})
	t.Run("is opened by the user, now, unless the request says otherwise", func(t *testing.T) {
		a := s.call(t, "PUT", path+"/open", empty).want(t, 200)
		equal(t, timeless(a.at(t, "deposit_account.opened_at")), "2026-01-02T03:04:05-03:00")
		equal(t, a.at(t, "deposit_account.opening_responsible_id"), fmt.Sprint(s.UserID))
		equal(t, a.at(t, "deposit_account.opening_responsible_name"), s.Token[:12]+"@example.com")
		equal(t, a.at(t, "deposit_account.closed_at"), "<nil>")
	})
	t.Run("is not opened twice", func(t *testing.T) {
		s.call(t, "PUT", path+"/open", empty).wantBody(t, 422, `{"base":["O caixa já está aberto."]}`)
	})
	t.Run("takes transactions, open or closed", func(t *testing.T) {
		s.newTransaction(t, path, "Credit", "5", "2026-01-02")
		s.call(t, "PUT", path+"/close", empty).want(t, 200)
		s.newTransaction(t, path, "Credit", "6", "2026-01-02")
	})
	t.Run("is opened again, by whom and when the request says", func(t *testing.T) {
		a := s.call(t, "PUT", path+"/open", document(`{"deposit_account":{"opened_at":"2026-08-03 08:00",`+
			`"opening_responsible_id":"17","opening_responsible_name":"Ana"}}`)).want(t, 200)
		equal(t, a.at(t, "deposit_account.opened_at"), "2026-08-03T08:00:00-03:00")
		equal(t, a.at(t, "deposit_account.opening_responsible_id"), "17")
		equal(t, a.at(t, "deposit_account.opening_responsible_name"), "Ana")
		equal(t, a.at(t, "deposit_account.closing_responsible_id"), "<nil>")
	})
	t.Run("is not closed before its opening", func(t *testing.T) {
		s.call(t, "PUT", path+"/close", document(`{"deposit_account":{"closed_at":"2026-08-03T07:59:59-03:00"}}`)).
			wantBody(t, 422, `{"closed_at":["deve ser depois da abertura do caixa"]}`)
		s.call(t, "PUT", path+"/close", document(`{"deposit_account":{"closed_at":"ontem"}}`)).wantBody(t, 422,
			`{"closed_at":["não é uma data válida"]}`)
	})
	t.Run("takes texts of one line", func(t *testing.T) {
		long := strings.Repeat("a", 256)
		s.call(t, "PUT", path+"/close", document(`{"closing_responsible_id":"`+long+`"}`)).
			wantBody(t, 422, `{"closing_responsible_id":["é muito longo (máximo: 255 caracteres)"]}`)
		other := s.newDepositAccount(t, register)
		s.call(t, "PUT", other+"/open", document(`{"opening_responsible_name":"`+long+`"}`)).
			wantBody(t, 422, `{"opening_responsible_name":["é muito longo (máximo: 255 caracteres)"]}`)
	})
	t.Run("is closed with both ends", func(t *testing.T) {
		a := s.call(t, "PUT", path+"/close", document(`{"deposit_account":{"closed_at":"2026-08-03T21:00:00Z",`+
			`"closing_responsible_name":"Rui"}}`)).want(t, 200)
		equal(t, a.at(t, "deposit_account.opened_at"), "2026-08-03T08:00:00-03:00")
		equal(t, a.at(t, "deposit_account.closed_at"), "2026-08-03T18:00:00-03:00")
		equal(t, a.at(t, "deposit_account.closing_responsible_id"), "<nil>") // not the user's beside another's name
		equal(t, a.at(t, "deposit_account.closing_responsible_name"), "Rui")
	})
	t.Run("keeps every opening and closing", func(t *testing.T) {
		equal(t, query[int](t, s, `SELECT count(*) FROM register_sessions WHERE closed_at IS NOT NULL`), 2)
		equal(t, query[string](t, s, `SELECT closing_responsible_name FROM register_sessions ORDER BY id DESC LIMIT 1`),
			"Rui")
	})
	t.Run("is closed by default after an opening by a clock that is ahead", func(t *testing.T) {
		for ahead, status := range map[time.Duration]int{50 * time.Second: 200, time.Hour: 422} {
			other := s.newDepositAccount(t, register)
			opened := time.Now().Add(ahead).UTC().Format(time.RFC3339)
			s.call(t, "PUT", other+"/open", document(`{"opened_at":"`+opened+`"}`)).want(t, 200)
			a := s.call(t, "PUT", other+"/close", empty).want(t, status)
			if status == 200 {
				equal(t, a.at(t, "deposit_account.closed_at"), a.at(t, "deposit_account.opened_at"))
			}
		}
	})
	t.Run("is an account of type 8", func(t *testing.T) {
		for _, kind := range []int64{finance.Checking, finance.Cash} {
			other := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.DepositAccountTypeID = &kind })
			for _, verb := range []string{"/open", "/close"} {
				s.call(t, "PUT", other+verb, empty).wantBody(t, 422,
					`{"deposit_account_type":["não é um caixa (tipo 8)"]}`)
			}
		}
	})
}

// What a client reads of a register: in one and in the list, in both formats, and by its ETag.
func TestTheStateOfARegisterIsRead(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t, register)
	s.newDepositAccount(t)
	state := func() string {
		t.Helper()
		one, list := s.call(t, "GET", path).want(t, 200),
			s.call(t, "GET", accountsPath+"?search[deposit_account_type_id]=8").want(t, 200)
		equal(t, list.body, "["+one.body+"]")
		var all []string
		for _, field := range []string{"register_status", "opened_at", "opening_responsible_name", "closed_at",
			"closing_responsible_id"} {
			all = append(all, one.at(t, "deposit_account."+field))
		}
		return strings.Join(all, " ")
	}
	seen := map[string]bool{}
	changed := func() {
		t.Helper()
		a := s.call(t, "GET", path)
		if tag := a.header.Get("ETag"); seen[tag] {
			t.Error("the ETag is an old one")
		} else {
			seen[tag] = true
		}
		if at := a.at(t, "deposit_account.updated_at"); strings.HasPrefix(at, "2020") {
			t.Errorf("updated_at is %s", at)
		}
		s.exec(t, `UPDATE deposit_accounts SET updated_at = '2020-01-01'`)
	}

	equal(t, state(), "closed <nil> <nil> <nil> <nil>")
	changed()
	opened := s.call(t, "PUT", path+"/open", document(`{"deposit_account":{"opened_at":"1900-03-04T08:00:01Z",`+
		`"opening_responsible_name":"Ana"}}`)).want(t, 200)
	equal(t, s.call(t, "GET", path).body, opened.body)
	equal(t, state(), "open 1900-03-04T04:53:33-03:06 Ana <nil> <nil>") // before the zone had whole hours
	changed()
	closed := s.call(t, "PUT", path+"/close", document(`{"deposit_account":{"closed_at":"2026-03-04T18:00:00-03:00",`+
		`"closing_responsible_id":"18"}}`)).want(t, 200)
	equal(t, s.call(t, "GET", path).body, closed.body)
	equal(t, state(), "closed 1900-03-04T04:53:33-03:06 Ana 2026-03-04T18:00:00-03:00 18")
	changed()
	s.call(t, "PUT", path+"/open", document("")).want(t, 200)
	if now := s.call(t, "GET", path+".xml"); !strings.Contains(now.body, "<register-status>open</register-status>") ||
		!strings.Contains(now.body, `<closed-at type="datetime" nil="true"/>`) {
		t.Error(now.body)
	}

	t.Run("of a register alone", func(t *testing.T) {
		if a := s.call(t, "GET", accountsPath+"/2"); strings.Contains(a.body, "register") ||
			strings.Contains(a.body, "opened_at") {
			t.Error(a.body)
		}
	})
	t.Run("and changes are refused that did not see it", func(t *testing.T) {
		tag := s.call(t, "GET", path).header.Get("ETag")
		s.call(t, "PUT", path+"/close", document("")).want(t, 200)
		s.call(t, "PUT", path+"/open", document(""), with("If-Match", tag)).want(t, 412)
	})
}

func TestTheBodiesOfARegister(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t, register)
	const broken = `{"error":"Sua solicitação não é válida. Por favor, verifique os dados enviados."}`
	for _, c := range []struct{ mediaType, body, name string }{
		{"json", `{"opened_at":"2026-03-04T08:00:00-03:00","opening_responsible_id":"17",` +
			`"opening_responsible_name":"Ana","closed_at":null}`, "Ana"},
		{"json", `{"opened_at":"2026-03-04T08:00:00+16:00","opening_responsible_name":"Bia"}`, "Bia"},
		{"json", `{"deposit_account":{"opening_responsible_name":"Caio"}}`, "Caio"},
		{"json", `{"deposit_account":{},"opening_responsible_name":"Bia"}`, s.Token[:12] + "@example.com"},
		{"json", `{}`, s.Token[:12] + "@example.com"},
		{"json", `{"opening_responsible_id":"17"}`, "<nil>"},
		{"json", `{"opening_responsible_id":null,"opening_responsible_name":""}`, s.Token[:12] + "@example.com"},
		{"xml", `<hash><opening-responsible-name>Davi</opening-responsible-name></hash>`, "Davi"},
		{"xml", `<deposit-account><opening-responsible-name>Eva</opening-responsible-name></deposit-account>`, "Eva"},
		{"xml", `<hash/>`, s.Token[:12] + "@example.com"},
		{"xml", `<deposit-account/>`, s.Token[:12] + "@example.com"},
		{"x-www-form-urlencoded", `opening_responsible_name=F%C3%A1bio`, "Fábio"},
		{"json", `{"deposit-account":{"opened_at":null}}`, ""},
		{"json", `{"deposit_account":null}`, ""},
		{"json", `{"deposit_account":"open"}`, ""},
		{"json", `{"closed_at":"2026-03-04T08:00:00-03:00"}`, ""},
		{"json", `{"name":"Ana"}`, ""},
		{"json", `["2026-03-04T08:00:00-03:00"]`, ""},
		{"json", `"open"`, ""},
		{"xml", `<hash><name>Ana</name></hash>`, ""},
		{"xml", `<register><opening-responsible-name>Ana</opening-responsible-name></register>`, ""},
	} {
		a := s.call(t, "PUT", path+"/open", document(c.body), with("Content-Type", "application/"+c.mediaType),
			with("Accept", "application/json"))
		if c.name == "" {
			a.wantBody(t, 422, broken)
			continue
		}
		equal(t, c.body+" "+a.want(t, 200).at(t, "deposit_account.opening_responsible_name"), c.body+" "+c.name)
		s.call(t, "PUT", path+"/close", document("")).want(t, 200)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM register_sessions`), 12)
}

func TestTheSessionsOfARegister(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t, register)
	other := s.newDepositAccount(t, register)
	s.call(t, "PUT", other+"/open", document("")).want(t, 200)
	for _, name := range []string{"Ana", "Bia", "Caio"} {
		s.call(t, "PUT", path+"/open", document(fmt.Sprintf(`{"opened_at":"2026-03-04T08:00:00-03:00",`+
			`"opening_responsible_name":%q}`, name))).want(t, 200)
		if name != "Caio" {
			s.call(t, "PUT", path+"/close", document(`{"closing_responsible_id":"18"}`)).want(t, 200)
		}
	}
	a := s.call(t, "GET", path+"/sessions").want(t, 200)
	equal(t, a.all(t, "register_session.opening_responsible_name"), []string{"Caio", "Bia", "Ana"})
	equal(t, a.all(t, "register_session.closing_responsible_id"), []string{"<nil>", "18", "18"})
	equal(t, a.all(t, "register_session.opened_at")[2], "2026-03-04T08:00:00-03:00")
	page := s.call(t, "GET", path+"/sessions?per_page=1&page=2").want(t, 200)
	equal(t, page.all(t, "register_session.opening_responsible_name"), []string{"Bia"})
	if links := page.header.Get("Links"); !strings.Contains(links, "page=3") {
		t.Errorf("no next page in %q", links)
	}
	s.call(t, "GET", path+"/sessions?search[opened_at]=2026-03-04").wantBody(t, 422,
		`{"opened_at":["não é um filtro conhecido: os filtros são ids"]}`)

	t.Run("of an account that is none", func(t *testing.T) {
		s.call(t, "GET", s.newDepositAccount(t)+"/sessions").wantBody(t, 200, "[]")
		s.call(t, "PUT", path+"/close", document("")).want(t, 200)
		s.call(t, "PUT", path, document(`{"deposit_account":{"deposit_account_type_id":2}}`)).want(t, 200)
		equal(t, len(s.call(t, "GET", path+"/sessions").all(t, "register_session.id")), 3) // it was one
	})
	t.Run("of an account that is deleted", func(t *testing.T) {
		s.call(t, "DELETE", path).want(t, 200)
		s.call(t, "GET", path+"/sessions").want(t, 404)
	})
}

// Of two openings at once, one is refused.
func TestARegisterIsOpenedOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t, register)
	open := func() (answer, error) { return s.send(t.Context(), "PUT", path+"/open", document("")) }
	for range 10 {
		codes := s.atOnce(t, open, open)
		if codes != [2]int{200, 422} && codes != [2]int{422, 200} {
			t.Error(codes)
		}
		s.call(t, "PUT", path+"/close", document("")).want(t, 200)
	}
}
