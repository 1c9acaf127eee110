package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// shownOnce matches the text that a page shows once: a token, or a login code.
var shownOnce = regexp.MustCompile(`<code>(?:[^<]*#)?([0-9a-f]{32,48})</code>`)

// A token is made with fewer rights, shown once, renamed and revoked.
func TestTheFormsOfTokens(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.root() + "/tokens"
	refused := b.fill(t, list, list, "name", strings.Repeat("x", 256), "days", "30").want(t, 422)
	b.read(t, list, refused)
	if !strings.Contains(refused.body, `aria-describedby="name-faults"`) ||
		!strings.Contains(refused.body, `<option value="30" selected>`) {
		t.Errorf("the refused form:\n%s", refused.body)
	}
	form := b.forms(t, list)[list]
	send := func() answer {
		return b.post(t, list, "form", form.Get("form"), "key", form.Get("key"), "name", "ERP <b>", "permission",
			string(finance.PayableAccounts), "read_only", "1", "entities", "some", "entity",
			fmt.Sprint(s.EntityID))
	}
	for _, days := range []string{"abc", "-1", "0", "99999999999"} { // none of them is a token that never expires
		b.fill(t, list, list, "name", "Loja", "days", days).want(t, 422)
	}
	b.fill(t, list, list, "name", "Loja", "days", "365").want(t, http.StatusCreated) // it outlives the session
	shown := time.Now().Add(-time.Hour).Truncate(time.Second)
	if _, err := time.Parse(time.RFC3339, form.Get("from")); err != nil {
		t.Errorf("when the page was shown: %v", err)
	}
	// The form is sent an hour after its page was shown.
	b.fill(t, list, list, "name", "Hora", "days", "2", "from", shown.Format(time.RFC3339)).
		want(t, http.StatusCreated)
	until := s.call(t, "GET", "/tokens").all(t, "token.expires_at")
	if want := shown.AddDate(0, 0, 2); !slices.ContainsFunc(until, func(text string) bool {
		at, err := time.Parse(time.RFC3339, text)
		return err == nil && at.Equal(want)
	}) {
		t.Errorf("no token expires at %v: %q", want, until)
	}
	soon := time.Now().Add(time.Hour)
	expiring := s.enter(t, storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, ExpiresAt: &soon}))
	later := expiring.fill(t, list, list, "name", "ERP", "days", "365").want(t, 422).body
	if !strings.Contains(later, "quando o seu token expira") {
		t.Errorf("a token that outlives the token typed in:\n%s", later)
	}
	// Ticked entities are not all entities, and stay ticked.
	ticked := []string{"form", form.Get("form"), "name", "Loja", "entities", "all",
		"entity", fmt.Sprint(s.EntityID), "email", "bia@example.com"}
	for _, list := range []string{list, b.root() + "/members"} {
		all := b.post(t, list, ticked...).want(t, 422)
		b.read(t, list, all)
		for _, want := range []string{"Você marcou entidades", `value="all" checked`,
			fmt.Sprintf(`name="entity" value="%d" checked`, s.EntityID)} {
			if !strings.Contains(all.body, want) {
				t.Errorf("the form of %s with all entities and ticked ones lacks %s:\n%s", list, want, all.body)
			}
		}
	}
	if wide := b.post(t, list, ticked[:6]...).want(t, http.StatusCreated).body; !strings.Contains(wide,
		"; todas as entidades.") {
		t.Errorf("a token of all entities:\n%s", wide)
	}
	made := send().want(t, http.StatusCreated)
	b.read(t, list, made)
	value := shownOnce.FindStringSubmatch(made.body)
	if value == nil || !strings.Contains(made.body, "ERP &lt;b&gt;") {
		t.Fatalf("the new token:\n%s", made.body)
	}
	if again := send().want(t, http.StatusCreated).body; shownOnce.MatchString(again) {
		t.Errorf("the value is shown again:\n%s", again)
	}
	rights := s.call(t, "GET", "/user/permissions", as(value[1])).want(t, http.StatusOK)
	equal(t, rights.at(t, "user.accounts.0.payable_accounts")+rights.at(t, "user.accounts.0.receivable_accounts")+
		rights.at(t, "user.accounts.0.read_only"), "truefalsetrue")
	of := b.link(t, list, regexp.MustCompile(`/tokens/\d+$`), "ERP &lt;b&gt;")
	b.fill(t, of, of+"/rename", "name", "").want(t, 422)
	b.fill(t, of, of+"/rename", "name", "Loja").want(t, http.StatusSeeOther)
	if body := b.open(t, of).body; !strings.Contains(body, "Token Loja") || strings.Contains(body, value[1]) {
		t.Errorf("the renamed token:\n%s", body)
	}
	b.fill(t, of, of+"/revoke").want(t, http.StatusSeeOther)
	s.call(t, "GET", "/entities", as(value[1])).want(t, http.StatusUnauthorized)
	b.open(t, of).want(t, http.StatusNotFound)
}

// A member is added with a code that logs in once; its rights are changed, and it is removed. The last administrator
// stays.
func TestTheFormsOfMembers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.root() + "/members"
	refused := b.fill(t, list, list, "email", "ninguém").want(t, 422)
	if b.read(t, list, refused); !strings.Contains(refused.body, `aria-describedby="email-faults"`) {
		t.Errorf("the refused form:\n%s", refused.body)
	}
	only := b.fill(t, list, list, "email", "bia@example.com", "administrator", "1", "read_only", "1").want(t, 422)
	if b.read(t, list, only); !strings.Contains(only.body, "não pode restringir um administrador") {
		t.Errorf("an administrator that only reads:\n%s", only.body)
	}
	form := b.forms(t, list)[list]
	made := b.post(t, list, "form", form.Get("form"), "key", form.Get("key"), "email", "bia@example.com", "permission",
		string(finance.PayableAccounts), "entities", "all").want(t, http.StatusCreated)
	b.read(t, list, made)
	code := shownOnce.FindStringSubmatch(made.body)
	if code == nil || !strings.Contains(made.body, publicURL+"/console/login#"+code[1]) {
		t.Fatalf("the new member:\n%s", made.body)
	}
	bia := s.enter(t, code[1])
	bia.open(t, bia.entityPage(s.EntityID)+"/payable_accounts").want(t, http.StatusOK)
	for _, page := range []string{bia.entityPage(s.EntityID) + "/receivable_accounts", list, bia.root() + "/tokens"} {
		a := bia.open(t, page).want(t, http.StatusForbidden)
		if bia.read(t, page, a); !strings.Contains(a.body, "Sem permissão") {
			t.Errorf("%s:\n%s", page, a.body)
		}
	}
	of := b.link(t, list, regexp.MustCompile(`/members/\d+$`), "bia@example.com")
	proof := form.Get("form")
	b.post(t, of+"/rights", "form", proof, "entities", "all", "permission",
		string(finance.ReceivableAccounts)).want(t, http.StatusSeeOther)
	bia.open(t, bia.entityPage(s.EntityID)+"/receivable_accounts").want(t, http.StatusOK)
	// A form that is older than another administrator's change does not take it back, and is shown as the rights are.
	old := b.forms(t, of)[of+"/rights"].Get("version")
	b.fill(t, of, of+"/rights", "read_only", "1", "permission", string(finance.ReceivableAccounts)).
		want(t, http.StatusSeeOther)
	stale := b.post(t, of+"/rights", "form", proof, "version", old, "entities", "all", "permission",
		string(finance.ReceivableAccounts), "permission", string(finance.Budgets)).want(t, 412)
	b.read(t, of, stale)
	for _, want := range []string{"o registro mudou depois que a página foi aberta",
		`name="read_only" value="1" checked`, `value="receivable_accounts" checked`, `value="budgets">`} {
		if !strings.Contains(stale.body, want) {
			t.Errorf("the page after the old form lacks %s:\n%s", want, stale.body)
		}
	}
	b.fill(t, of, of+"/remove").want(t, http.StatusSeeOther)
	bia.open(t, bia.root()+"/entities").want(t, http.StatusSeeOther) // to the login
	self := list + "/" + fmt.Sprint(s.UserID)
	last := b.fill(t, self, self+"/remove").want(t, 422)
	if b.read(t, self, last); !strings.Contains(last.body, `role="alert"`) {
		t.Errorf("the last administrator:\n%s", last.body)
	}
	for _, right := range []string{`name="administrator" value="1" checked`, `value="all" checked`} {
		if !strings.Contains(last.body, right) {
			t.Errorf("a refused removal takes the right %s:\n%s", right, last.body)
		}
	}

	// An administrator who gives up the role sees the entities, and that the change was made.
	b.fill(t, list, list, "email", "eva@example.com", "administrator", "1").want(t, http.StatusCreated)
	b.post(t, self+"/rights", "form", proof, "entities", "all", "administrator", "1").want(t, http.StatusSeeOther)
	given := b.post(t, self+"/rights", "form", proof, "entities", "all").want(t, http.StatusSeeOther)
	after := b.open(t, given.header.Get("Location")).want(t, http.StatusOK)
	if b.read(t, b.root()+"/entities", after); !strings.Contains(after.body, "Salvo.") {
		t.Errorf("the page after the role was given up:\n%s", after.body)
	}
}

// link returns the address with the form, of a link with the text in a page.
func (b *tab) link(t testing.TB, page string, form *regexp.Regexp, text string) string {
	t.Helper()
	for part := range strings.SplitSeq(b.open(t, page).body, `<a href="`) {
		address, rest, _ := strings.Cut(part, `"`)
		if shown, _, _ := strings.Cut(rest, "</a>"); form.MatchString(address) && strings.HasSuffix(shown, text) {
			return address
		}
	}
	t.Fatalf("%s has no link %q", page, text)
	return ""
}
