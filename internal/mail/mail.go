// Package mail sends e-mails through a server, or writes them into a directory. It is
// apart from workers because no other package needs to know the protocol.
package mail

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Options configures where e-mails go. URL or Dir is required; URL takes precedence.
type Options struct {
	URL  string // smtp://user:password@host:port, with STARTTLS if the server offers it, or smtps://…
	Dir  string // each e-mail becomes a file *.eml here
	From string // the sender's address
}

// Message is an e-mail of plain text.
type Message struct{ To, Subject, Text string }

// ErrNowhere is the error of Send without a URL and a Dir.
var ErrNowhere = errors.New("e-mails cannot be sent: set BORDERO_SMTP_URL or BORDERO_MAIL_DIR")

// ErrRefused is the error of Send for a recipient that will never get an e-mail: it is no address,
// or the server refuses it for good.
var ErrRefused = errors.New("the recipient is refused")

// ErrPutOff is the error of Send if the server does not take an e-mail for this recipient now, perhaps because of a
// policy for all recipients. It may take one for another recipient.
var ErrPutOff = errors.New("the recipient is put off")

// ErrUnanswered is the error of Send if the server got the whole e-mail, but did not say whether it takes it: sent
// again, the recipient might have it twice.
var ErrUnanswered = errors.New("the server did not say whether it takes the e-mail")

// Bounds of the exchange with a server, which the SMTP library has for these steps together. Many servers greet after
// six seconds, against senders of spam, and scan an e-mail, for up to two minutes, before they take it.
const (
	toDial    = 10 * time.Second // with TLS, for smtps
	toGreet   = time.Minute      // the greeting; then once more, until the login has succeeded
	toDeliver = 3 * time.Minute  // from the sender's address until the e-mail is taken
)

// Send sends one e-mail. If it returns nil, the server has accepted the e-mail, or it is in
// the directory. An error contains neither the recipient, nor the server's credentials, nor
// the text: it is logged, and shown to operators. It takes about five minutes at most; the end
// of ctx cuts it off only while it dials, but its deadline is kept.
func Send(ctx context.Context, o Options, m Message) error { return send(ctx, o, m) }

func send(ctx context.Context, o Options, m Message, more ...gomail.Option) error {
	msg := gomail.NewMsg()
	if err := msg.From(o.From); err != nil {
		return fmt.Errorf("sender: %w", err)
	}
	if msg.To(m.To) != nil {
		return fmt.Errorf("%w: not an e-mail address", ErrRefused) // the library's error would show it
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageID()
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	switch {
	case o.URL != "":
		client, err := client(o.URL, more)
		if err != nil {
			return err
		}
		if err := deliver(ctx, client, msg); err != nil {
			return fmt.Errorf("send an e-mail: %w", unaddressed(err))
		}
		return nil
	case o.Dir != "":
		return write(o.Dir, msg)
	default:
		return ErrNowhere
	}
}

// deliver sends an e-mail through a server.
func deliver(ctx context.Context, client *gomail.Client, msg *gomail.Msg) error {
	limit := func(bound time.Duration) error {
		if deadline, ok := ctx.Deadline(); ok {
			bound = min(bound, time.Until(deadline))
		}
		return gomail.WithTimeout(bound)(client)
	}
	if err := limit(toGreet); err != nil {
		return err
	}
	dialing, cancel := context.WithTimeout(ctx, toDial)
	defer cancel()
	conn, err := client.DialToSMTPClientWithContext(dialing)
	if err != nil {
		return fmt.Errorf("dial failed: %w", err)
	}
	defer conn.Close()
	if err := limit(toDeliver); err != nil {
		return err
	}
	err = client.SendWithSMTPClient(conn, msg)
	_ = conn.Quit() // its failure is no reason to send the e-mail again
	return err
}

// unaddressed returns an error without the recipient and without the server's answer, which
// may contain it.
func unaddressed(err error) error {
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return err
	}
	text := refused.Reason.String()
	if code := refused.ErrorCode(); code > 0 {
		text = fmt.Sprintf("%s: the server answered %d", text, code)
	}
	switch {
	case refusesRecipient(refused):
		return fmt.Errorf("%w: %s", ErrRefused, text)
	case refused.Reason == gomail.ErrSMTPDataClose && refused.ErrorCode() == 0:
		return fmt.Errorf("%w: %s", ErrUnanswered, text)
	case refused.Reason == gomail.ErrSMTPRcptTo, refused.Reason == gomail.ErrSMTPDataClose,
		refused.Reason == gomail.ErrSMTPData && refused.ErrorCode() > 0:
		// Some servers decide about the recipient after DATA. They may as well refuse the text, so it is not final.
		return fmt.Errorf("%w: %s", ErrPutOff, text)
	}
	return errors.New(text)
}

// refusesRecipient reports whether the server will never take an e-mail for this recipient. 503, 530
// and policies (5.7), such as not to relay, concern all recipients, and an operator can mend them.
func refusesRecipient(e *gomail.SendError) bool {
	code := e.ErrorCode()
	return e.Reason == gomail.ErrSMTPRcptTo && code >= 500 && code != 503 && code != 530 &&
		!strings.HasPrefix(e.EnhancedStatusCode(), "5.7.")
}

// client returns a client of the server that a URL names, for one e-mail, with more options.
func client(raw string, more []gomail.Option) (*gomail.Client, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error would show the password.
		return nil, errors.New("the URL of the mail server cannot be read")
	}
	options := append([]gomail.Option{gomail.WithoutRset(), gomail.WithTLSPolicy(gomail.TLSOpportunistic)}, more...)
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
		// With mandatory TLS the password is never sent in the clear.
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()),
			gomail.WithPassword(password), gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	return gomail.NewClient(u.Hostname(), options...)
}

// write writes an e-mail into the directory in one step, so that a reader never sees a part
// of it.
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
