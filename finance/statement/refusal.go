package statement

import (
	"fmt"
	"strings"

	"bordero/internal/messages"
)

// refusal detects that a bank has refused the request: a STATUS with SEVERITY ERROR, for the
// sign-on or a statement. Closing tags may be missing.
type refusal struct {
	asked  bool // inside the answer to a sign-on or statement request
	inside bool // inside the STATUS of that answer
	failed bool // that STATUS has SEVERITY ERROR
	line   int
	code   string
	text   string
}

// heed processes the next tag of the file. Its error contains the bank's message.
func (r *refusal) heed(name []byte, closing bool, lex *lexer) error {
	switch tag := string(name); {
	case r.inside && (tag == "CODE" || tag == "SEVERITY" || tag == "MESSAGE"):
		if !closing {
			r.note(tag, string(lex.value()))
		}
		return nil
	case r.inside:
		if err := r.end(); err != nil {
			return err
		}
		r.inside = false
		return r.heed(name, closing, lex)
	case tag == "STATUS" && r.asked && !closing:
		*r = refusal{asked: true, inside: true, line: lex.line()}
	case tag == "SONRS", strings.HasSuffix(tag, "STMTTRNRS"):
		r.asked = !closing
	case strings.HasSuffix(tag, "RS"): // another answer, or the statement itself
		r.asked = false
	}
	return nil
}

func (r *refusal) note(tag, value string) {
	switch tag {
	case "CODE":
		r.code = value
	case "SEVERITY":
		r.failed = strings.EqualFold(value, "ERROR")
	case "MESSAGE":
		r.text = value
	}
}

// end returns the bank's refusal, if any, at the end of a STATUS or of the file.
func (r *refusal) end() error {
	if !r.inside || !r.failed {
		return nil
	}
	said := fmt.Sprintf(messages.BankRefusedf, r.code)
	if r.text != "" {
		said += ": " + r.text
	}
	return &Error{r.line, said}
}
