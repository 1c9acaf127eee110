package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
)

// problemType is the media type of problem details (RFC 9457).
const problemType = "application/problem+json"

// problemDetails is the answer to a request that was refused, for clients that accept problemType
// (OpenAPI: Problem).
type problemDetails struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Code     string `json:"code"`
	Instance string `json:"instance"` // the request id
	problemMembers
	Errors []problemItem `json:"errors"`
}

// problemMembers are the extension members (RFC 9457) of a 410 of the feed and of a request without an account.
type problemMembers struct {
	Oldest   int64          `json:"oldest,omitempty"` // number of a stored change of the feed
	Latest   int64          `json:"latest,omitempty"`
	Accounts []namedAccount `json:"accounts,omitempty"` // to choose from
}

type namedAccount struct {
	Account accountName `json:"account"`
}

type accountName struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// problemItem is one fault, and its place in the request.
type problemItem struct {
	Pointer   string   `json:"pointer,omitempty"` // into the body, RFC 6901
	Parameter string   `json:"parameter,omitempty"`
	Header    string   `json:"header,omitempty"`
	Code      string   `json:"code"`
	Message   string   `json:"message"`
	Hint      string   `json:"hint"`
	Allowed   []string `json:"allowed,omitempty"`
	ID        int64    `json:"id,omitempty"` // of the record that has a taken value
}

// refuse renders the faults of a request, at least one: as problem details for a client that
// accepts them, else as the document that clients have always received. The faults within the items
// of a batch are listed, too, but do not decide the code.
func (c *call) refuse(faults []finance.Message, members problemMembers, document func(*wire.Writer),
	within ...finance.Message) answer {
	code := faults[0].Code
	for _, f := range faults {
		c.api.CountFault(f.Code)
		if f.Code != code {
			code = messages.Invalid
		}
	}
	status := faults[0].Status
	c.Writer.Header().Set("X-Error-Code", code)
	if !c.problems {
		return c.answer(status, document)
	}
	p := problemDetails{
		Type: c.url("/docs/errors#" + code), Title: messages.Title(code), Status: status, Code: code,
		Instance: c.requestID, problemMembers: members,
	}
	var texts []string
	for _, f := range faults {
		texts = append(texts, strings.TrimPrefix(f.Attribute+" "+f.Text, finance.Base+" "))
	}
	for _, f := range append(faults, within[:min(len(within), messages.Most)]...) {
		p.Errors = append(p.Errors, c.located(f))
	}
	p.Detail = strings.TrimSpace(strings.Join(texts, "; "))
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // people read &amp; in a hint
	if err := e.Encode(p); err != nil {
		panic(err) // texts always marshal
	}
	return answer{status: status, contentType: problemType, body: bytes.TrimSpace(body.Bytes())}
}

// exampleProblem returns the refusal of an entity without a name, for the page of errors of the API
// at a URL.
func exampleProblem(url string) string {
	blank := messages.Blank
	body, err := json.MarshalIndent(problemDetails{
		Type: url + "/docs/errors#" + blank.Code, Title: blank.Title(), Status: blank.Status,
		Detail: "name " + blank.Text,
		Code:   blank.Code, Instance: "7f3a9c",
		Errors: []problemItem{{Pointer: "/entity/name", Code: blank.Code, Message: blank.Text, Hint: blank.Hint}},
	}, "", "  ")
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(body)
}

// headerOf names the header that a fault is about, by code.
var headerOf = map[string]string{
	messages.Unauthorized.Code: "Authorization", messages.NoAccount.Code: accountHeaders[0],
	messages.UnknownAccount.Code: accountHeaders[0],
	messages.BodyOfType.Code:     "Content-Type", messages.EncodedBody.Code: "Content-Encoding",
	messages.NoBoundary.Code: "Content-Type", messages.OtherVersion.Code: "If-Match",
	messages.KeyLength.Code: keyHeader, messages.KeyBusy.Code: keyHeader, messages.KeyReused.Code: keyHeader,
}

// placeOf names the attribute that a fault is about, by code, where the attribute of the fault is
// not sent: one part of a reconciliation or pair that does not match the other, or the attribute
// for a fault of the whole record.
var placeOf = map[string]string{
	messages.SumsDiffer.Code: finance.SelectedAccounts, messages.KindsMixed.Code: finance.SelectedAccounts,
	messages.AccountsOpen.Code:       finance.SelectedAccounts,
	messages.PayableCredits.Code:     finance.SelectedTransactions,
	messages.ForeignCurrencies.Code:  finance.SelectedTransactions,
	messages.OtherEntity.Code:        finance.SelectedTransactions,
	messages.AmountsNotOpposite.Code: "credit_transaction_id", messages.TooFarApart.Code: "credit_transaction_id",
	messages.NoFee.Code: "fee_percentage", messages.NoCondition.Code: "text_contains",
	messages.OneRuleAction.Code: "new_account",
}

// located returns a fault with its place in the request.
func (c *call) located(f finance.Message) problemItem {
	item := problemItem{Header: headerOf[f.Code], Code: f.Code, Message: f.Text, Hint: f.Hint, Allowed: f.Allowed,
		ID: f.RecordID}
	place := cmp.Or(placeOf[f.Code], f.Place, finance.PlaceOf(f.Attribute))
	if strings.HasPrefix(f.Place, "/") {
		place = f.Place
	}
	if place == "" || place == finance.Base {
		return item
	}
	filter := "search[" + f.Attribute + "]"
	name, beside := strings.CutPrefix(f.Attribute, "search.") // of a filter beside a document
	_, parameter := c.GetQuery(f.Attribute)
	_, inBody := c.inBody[f.Attribute]
	inBody = inBody || c.inBody != nil && strings.HasPrefix(f.Place, "/")
	switch {
	case f.Code == messages.UnknownAttribute.Code:
		item.Pointer = place
	case f.Code == messages.UnknownParameter.Code, f.Code == messages.BareFilter.Code:
		item.Parameter = f.Attribute
	case beside:
		item.Parameter = "search[" + name + "]"
	case c.Query(filter) != "":
		item.Parameter = filter
	case parameter, c.bare && !inBody:
		item.Parameter = f.Attribute
	case c.Request.Method == http.MethodGet && c.Request.ContentLength == 0:
		item.Parameter = filter
	case c.uploads != "": // bank_statement[file]
		item.Pointer = "/" + pointerOf(c.uploads)
	case c.Request.Method == http.MethodDelete && f.Code == messages.Blank.Code && c.document != nil &&
		c.document.Empty():
		item.Parameter = f.Attribute
	case strings.HasPrefix(place, "/"):
		item.Pointer = place
	case c.document != nil && (!c.document.Empty() || f.Code == messages.Blank.Code):
		item.Pointer, _ = c.document.Pointer(place)
	}
	return item
}

// acceptsProblems reports whether an Accept header lists problemType.
func acceptsProblems(accept string) bool {
	return slices.ContainsFunc(strings.Split(accept, ","), func(part string) bool {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil || media != problemType {
			return false
		}
		q, err := strconv.ParseFloat(parameters["q"], 64)
		return err != nil || q > 0
	})
}
