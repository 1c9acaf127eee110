// Package mail sends e-mails to people: through a server, or into a directory
// where none is. It is apart because it knows nothing of what it says.
package mail

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Options say where e-mails go. One of URL and Dir is enough; URL comes first.
type Options struct {
	URL  string // smtp://user:password@host:port with STARTTLS where the server has it, or smtps://…
	Dir  string // each e-mail becomes a file *.eml here
	From string // the sender's address
}

// Message is an e-mail of plain text.
type Message struct{ To, Subject, Text string }

// ErrNowhere is the error of an e-mail that has no way out.
var ErrNowhere = errors.New("e-mails have no way out: set BORDERO_SMTP_URL or BORDERO_MAIL_DIR")

// timeout bounds each step of a conversation with the server: the client that we
// use looks at a context only while it dials.
const timeout = 5 * time.Second

// Send sends one e-mail; without an error it has been taken by the server, or is
// in the directory. An error names neither the recipient, the server's credentials
// nor the text: it is logged, and shown to operators.
func Send(ctx context.Context, o Options, m Message) error {
	msg := gomail.NewMsg()
	if err := msg.From(o.From); err != nil {
		return fmt.Errorf("sender: %w", err)
	}
	if msg.To(m.To) != nil {
		return errors.New("the recipient is no e-mail address") // the error would show it
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageID()
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	switch {
	case o.URL != "":
		bound := timeout
		if deadline, ok := ctx.Deadline(); ok {
			bound = min(bound, time.Until(deadline))
		}
		client, err := client(o.URL, bound)
		if err != nil {
			return err
		}
		if err := client.DialAndSendWithContext(ctx, msg); err != nil {
			return fmt.Errorf("send an e-mail: %w", unaddressed(err))
		}
		return nil
	case o.Dir != "":
		return write(o.Dir, msg)
	default:
		return ErrNowhere
	}
}

// unaddressed is an error without the recipient, and without what the server said,
// which may name him.
func unaddressed(err error) error {
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return err
	}
	text := refused.Reason.String()
	if code := refused.ErrorCode(); code > 0 {
		text = fmt.Sprintf("%s: the server answered %d", text, code)
	}
	return errors.New(text)
}

// client speaks to the server of an URL.
func client(raw string, bound time.Duration) (*gomail.Client, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("the URL of the mail server cannot be read") // the error would show the password
	}
	options := []gomail.Option{gomail.WithTimeout(bound), gomail.WithTLSPolicy(gomail.TLSOpportunistic)}
	if u.Scheme == "smtps" {
		options = append(options, gomail.WithSSL())
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		options = append(options, gomail.WithPort(port))
	} else if u.Scheme == "smtps" {
		options = append(options, gomail.WithPort(gomail.DefaultPortSSL))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()),
			gomail.WithPassword(password), gomail.WithTLSPolicy(gomail.TLSMandatory)) // a password is not sent in the clear
	}
	return gomail.NewClient(u.Hostname(), options...)
}

// write puts an e-mail into the directory in one step: a reader sees all of it.
func write(dir string, msg *gomail.Msg) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, time.Now().UTC().Format("20060102T150405")+"-*.new")
	if err != nil {
		return err
	}
	_, err = msg.WriteTo(f)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), f.Name()[:len(f.Name())-len(filepath.Ext(f.Name()))]+".eml")
}
