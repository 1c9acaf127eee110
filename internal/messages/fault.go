package messages

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Fault is one fault of a request. The faults of the catalogue are constants; With, Of and Hinted
// return copies with the details of one occurrence. It is an error, with a text for the API user.
type Fault struct {
	// Code is a stable word, by which programs recognise the fault (X-Error-Code).
	Code string
	// Status is the status of an answer to a request with this fault.
	Status int
	// Text states the fault, after the attribute's name if there is one; in the catalogue it may
	// contain verbs for With.
	Text string
	// Hint is how to mend the request.
	Hint string
	// Allowed lists the accepted values, if they can be listed.
	Allowed []string
}

// Most is how many faults an answer names: more are of no use, and looking for duplicates among
// thousands takes long.
const Most = 100

// Catalogue has all faults, in the order of the error page. Faults that differ only in their
// wording share a code and follow each other.
var Catalogue []*Fault

// fault adds a fault of an attribute or a record to the catalogue.
func fault(code, text, hint string) *Fault {
	return refusal(http.StatusUnprocessableEntity, code, text, hint)
}

// refusal adds a fault with another status to the catalogue.
func refusal(status int, code, text, hint string) *Fault {
	f := &Fault{Code: code, Status: status, Text: text, Hint: hint}
	Catalogue = append(Catalogue, f)
	return f
}

// worded adds the same fault in other words.
func (f *Fault) worded(text string) *Fault { return f.variant(text, f.Hint) }

// variant adds the same fault in other words, with a hint of its own.
func (f *Fault) variant(text, hint string) *Fault { return refusal(f.Status, f.Code, text, hint) }

func (f *Fault) Error() string { return f.Text }

// With returns the fault with the values of the verbs in its text.
func (f *Fault) With(values ...any) *Fault {
	with := *f
	with.Text = fmt.Sprintf(f.Text, values...)
	return &with
}

// Of returns the fault with the list of accepted values.
func (f *Fault) Of(allowed []string) *Fault {
	with := *f
	with.Allowed = allowed
	return &with
}

// Hinted returns the fault with another hint.
func (f *Fault) Hinted(hint string) *Fault {
	with := *f
	with.Hint = hint
	return &with
}

// OfTest turns the reason for which a webhook's URL did not answer into a fault of the URL.
func (f *Fault) OfTest() *Fault {
	of := *f
	of.Text = "não respondeu à requisição de teste: " + f.Text
	return &of
}

// Title returns the meaning of a code: the first title of the catalogue with it.
func Title(code string) string {
	for _, f := range Catalogue {
		if f.Code == code {
			return f.Title()
		}
	}
	return SeveralFaults
}

// NotOneOf is NotInList with the list.
func NotOneOf[T any](list []T) *Fault {
	var allowed []string
	for _, v := range list {
		allowed = append(allowed, fmt.Sprint(v))
	}
	return NotInList.Of(allowed)
}

var verb = regexp.MustCompile(`%(\.\d+)?[a-z]`)

// Title returns the text of a fault of the catalogue with an ellipsis for each verb.
func (f *Fault) Title() string {
	return strings.ReplaceAll(verb.ReplaceAllLiteralString(f.Text, "…"), "%%", "%")
}

// FaultOf returns the fault in the error of a parser. Another error is NotValid.
func FaultOf(err error) *Fault {
	if f := (*Fault)(nil); errors.As(err, &f) {
		return f
	}
	return NotValid
}
