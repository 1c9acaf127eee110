package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
)

// rights are the rights of a member or a token.
type rights struct {
	Administrator bool
	Permissions   []string
	Entities      []int64 // nil for all
	ReadOnly      bool    `json:"read_only"`

	ticked []int64 // entities of a form, also if it has all entities
}

// allRights are those of a new member or token, unless the form takes some away.
var allRights = rights{Permissions: permissions()}

func permissions() (names []string) {
	for _, p := range finance.Permissions {
		names = append(names, string(p))
	}
	return names
}

// All lists the permissions that there are.
func (rights) All() []string { return permissions() }

// Allows reports whether the rights have a permission.
func (r rights) Allows(permission string) bool { return slices.Contains(r.Permissions, permission) }

// Names reports whether the rights, or the form that they are of, name an entity.
func (r rights) Names(entity int64) bool {
	return slices.Contains(r.Entities, entity) || slices.Contains(r.ticked, entity)
}

// AllEntities reports whether the rights are those to all entities, also later ones.
func (r rights) AllEntities() bool { return r.Entities == nil }

// Lacks lists the permissions that the rights do not have.
func (r rights) Lacks() []string {
	return slices.DeleteFunc(permissions(), r.Allows)
}

// rightsOf reads the rights of a form.
func rightsOf(form url.Values) rights {
	r := rights{Administrator: form.Has("administrator"), Permissions: form["permission"],
		ReadOnly: form.Has("read_only")}
	for _, text := range form["entity"] {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			r.ticked = append(r.ticked, id)
		}
	}
	if form.Get("entities") == "some" {
		r.Entities = append([]int64{}, r.ticked...)
	}
	return r
}

// newRights reads the rights of the form of a new record. It refuses ticked entities beside all entities, which the
// record would see instead.
func newRights(form url.Values) (rights, error) {
	r := rightsOf(form)
	if r.AllEntities() && len(r.ticked) > 0 {
		return r, wrong("entities", messages.ChooseEntities)
	}
	return r, nil
}

// document returns the rights as the API takes them: null for all. An administrator has all permissions and entities;
// the API refuses one that only reads.
func (r rights) document() map[string]any {
	d := map[string]any{"permissions": nil, "entities": nil, "read_only": r.ReadOnly}
	if r.Administrator {
		return d
	}
	if len(r.Lacks()) > 0 {
		d["permissions"] = append([]string{}, r.Permissions...)
	}
	if r.Entities != nil {
		d["entities"] = r.Entities
	}
	return d
}

// member is a member of the account.
type member struct {
	ID    int64
	Email string
	rights
	CreatedAt string `json:"created_at"`
	LoginCode string `json:"login_code"`
}

// token is a token that opens the account.
type token struct {
	ID           int64
	Prefix, Name string
	Email        string
	AllAccounts  bool `json:"all_accounts"`
	rights
	LastUsedAt string `json:"last_used_at"`
	ExpiresAt  string `json:"expires_at"`
	CreatedAt  string `json:"created_at"`
	Value      string
}

// membersPage lists the members, or the tokens, of the account, with the form of a new one.
type membersPage struct {
	Members []member
	Tokens  []token
	Rights  rights // of the form
}

// readMembers reads the members of the account.
func (v *visit) readMembers() (all []member, err error) {
	var list []struct{ Member member }
	_, err = v.get("/members", nil, &list)
	for _, m := range list {
		all = append(all, m.Member)
	}
	return all, err
}

// formRights returns the rights in the refused form, which is shown again. It returns the fresh ones if there is no
// such form, or the member has changed since the form was shown (412): the rights in the form would undo that change.
func (v *visit) formRights(fresh rights) rights {
	if !v.Sent.Has("entities") || v.status() == http.StatusPreconditionFailed {
		return fresh
	}
	return rightsOf(v.Sent)
}

func (v *visit) members() error {
	list, err := v.readMembers()
	if err != nil {
		return err
	}
	return v.show(v.status(), "members", &membersPage{Members: list, Rights: v.formRights(allRights)})
}

// createMember takes the form of a new member: 201 with the code of the first login, which no other page has.
func (v *visit) createMember() error {
	r, err := newRights(v.Sent)
	if err != nil {
		return v.again(err, (*visit).members)
	}
	document := r.document()
	document["email"], document["administrator"] = v.Sent.Get("email"), r.Administrator
	var made struct{ Member member }
	if err := v.send(http.MethodPost, "/members", map[string]any{"member": document}, &made); err != nil {
		return v.again(err, (*visit).members)
	}
	return v.show(http.StatusCreated, "member-made", made.Member)
}

// LoginPage is the address of the login.
func (v *visit) LoginPage() string {
	if v.console.PublicURL != "" {
		return v.console.PublicURL + Root + "/login"
	}
	return Root + "/login"
}

// personPage is a member or a token, and the form that changes it.
type personPage struct {
	Member  member
	Version string // the ETag of the member
	Token   token
	Rights  rights
}

// memberPath is the path of the member in the API.
func (v *visit) memberPath() string { return "/members/" + v.r.PathValue("member") }

func (v *visit) member() error {
	var shown struct{ Member member }
	h, err := v.get(v.memberPath(), nil, &shown)
	if err != nil {
		return err
	}
	return v.show(v.status(), "member", &personPage{Member: shown.Member, Version: h.Get("ETag"),
		Rights: v.formRights(shown.Member.rights)})
}

func (v *visit) tokens() error {
	var list []struct{ Token token }
	if _, err := v.get("/tokens", nil, &list); err != nil {
		return err
	}
	p := &membersPage{Rights: v.formRights(allRights)}
	for _, t := range list {
		p.Tokens = append(p.Tokens, t.Token)
	}
	var err error
	if p.Members, err = v.readMembers(); err != nil {
		return err
	}
	return v.show(v.status(), "tokens", p)
}

// From is when the page with the form was shown. The days of a token count from there: the form that is sent twice has
// the same document.
func (v *visit) From() string { return v.console.Now().Format(time.RFC3339) }

// createToken takes the form of a new token: 201 with its value, which no other page has.
func (v *visit) createToken() error {
	r, err := newRights(v.Sent)
	if err != nil {
		return v.again(err, (*visit).tokens)
	}
	document := r.document()
	document["name"], document["email"] = v.Sent.Get("name"), v.Sent.Get("email")
	if text := v.Sent.Get("days"); text != "" {
		document["expires_at"] = text // refused by the API, unless it is a number of days
		if days, err := strconv.Atoi(text); err == nil && days > 0 && days < 10_000 {
			from, err := time.Parse(time.RFC3339, v.Sent.Get("from"))
			if err != nil {
				from = v.console.Now()
			}
			document["expires_at"] = from.AddDate(0, 0, days).Format(time.RFC3339)
		}
	}
	var made struct{ Token token }
	if err := v.send(http.MethodPost, "/tokens", map[string]any{"token": document}, &made); err != nil {
		return v.again(err, (*visit).tokens)
	}
	return v.show(http.StatusCreated, "token-made", made.Token)
}

// tokenPath is the path of the token in the API.
func (v *visit) tokenPath() string { return "/tokens/" + v.r.PathValue("token") }

func (v *visit) token() error {
	var shown struct{ Token token }
	if _, err := v.get(v.tokenPath(), nil, &shown); err != nil {
		return err
	}
	return v.show(v.status(), "token", &personPage{Token: shown.Token})
}

// memberActions are the forms of a member's page.
var memberActions = map[string]handler{
	"rights": act(http.MethodPut, (*visit).memberPath, func(v *visit) any {
		r := rightsOf(v.Sent)
		document := r.document()
		document["administrator"] = r.Administrator
		return map[string]any{"member": document}
	}, (*visit).member, (*visit).afterRights, "saved"),
	"remove": act(http.MethodDelete, (*visit).memberPath, nil, (*visit).member,
		func(v *visit) string { return v.Root() + "/members" }, "removed"),
}

// afterRights is the page that follows a change of rights: the member's, unless an administrator has given up the role.
func (v *visit) afterRights() string {
	if _, err := v.readMembers(); refusedWith(err, http.StatusForbidden) != nil {
		return v.Root() + "/entities"
	}
	return v.Root() + v.memberPath()
}

// tokenActions are the forms of a token's page.
var tokenActions = map[string]handler{
	"rename": act(http.MethodPut, (*visit).tokenPath, func(v *visit) any {
		return map[string]any{"token": map[string]any{"name": v.Sent.Get("name")}}
	}, (*visit).token, func(v *visit) string { return v.Root() + v.tokenPath() }, "saved"),
	"revoke": act(http.MethodDelete, (*visit).tokenPath, nil, (*visit).token,
		func(v *visit) string { return v.Root() + "/tokens" }, "revoked"),
}

// emails returns the e-mails of the members by the id of the user; none for a session that may not see them.
func (v *visit) emails() (map[int64]string, error) {
	list, err := v.readMembers()
	if refusedWith(err, http.StatusForbidden) != nil {
		return nil, nil
	}
	emails := map[int64]string{}
	for _, m := range list {
		emails[m.ID] = m.Email
	}
	return emails, err
}
