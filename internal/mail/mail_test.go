package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gomail "github.com/wneessen/go-mail"

	"bordero/internal/mail/mailtest"
)

var letter = Message{To: "ana@example.com", Subject: "Webhook 1 com erro: notificações", Text: "Olá\n"}

func TestAnEmailIsAFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mail")
	for range 2 {
		if err := Send(t.Context(), Options{Dir: dir, From: "bordero@example.com"}, letter); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 2 || !strings.HasSuffix(files[0], ".eml") || !strings.HasSuffix(files[1], ".eml") {
		t.Fatal(files)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"To: <ana@example.com>", "From: <bordero@example.com>", "Subject: =?UTF-8?",
		"Ol=C3=A1", "Date: ", "Message-ID: "} {
		if !strings.Contains(string(content), want) {
			t.Errorf("no %q in\n%s", want, content)
		}
	}
}

// server is mailtest.Server with another answer to commands that begin with a prefix.
func server(t *testing.T, prefix, answer string) (url string, told <-chan string) {
	t.Helper()
	return mailtest.Server(t, func(command string) string {
		if prefix != "" && strings.HasPrefix(command, prefix) {
			return answer
		}
		return ""
	})
}

func TestAnEmailGoesToTheServer(t *testing.T) {
	t.Parallel()
	url, told := server(t, "", "")
	if err := Send(t.Context(), Options{URL: url, Dir: "not used", From: "bordero@example.com"}, letter); err != nil {
		t.Fatal(err)
	}
	if said := <-told; !strings.Contains(said, "RCPT TO:<ana@example.com>") || !strings.Contains(said, "Ol=C3=A1") {
		t.Error(said)
	}
}

func TestWhatIsTakenIsSentWhateverFollows(t *testing.T) {
	t.Parallel()
	url, told := server(t, "QUIT", mailtest.HangUp)
	if err := Send(t.Context(), Options{URL: url, From: "bordero@example.com"}, letter); err != nil {
		t.Error(err)
	}
	if said := <-told; !strings.HasSuffix(said, "\n.\nQUIT\n") {
		t.Error(said)
	}
}

func TestWhatIsNotTakenIsAnError(t *testing.T) {
	t.Parallel()
	url, _ := server(t, "RCPT", "550 <ana@example.com>: nobody of that name")
	if err := Send(t.Context(), Options{URL: url, From: "bordero@example.com"}, letter); err == nil ||
		!strings.Contains(err.Error(), "550") || strings.Contains(err.Error(), "ana@") {
		t.Error(err)
	}
	if err := Send(t.Context(), Options{From: "bordero@example.com"}, letter); !errors.Is(err, ErrNowhere) {
		t.Error(err)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := Send(ctx, Options{URL: "smtp://ana:hunter2@" + silent.Addr().String(), From: "bordero@example.com"},
		letter); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

// Only what concerns the recipient is final: a server that cannot take anything yet may do so later.
func TestARecipientIsRefusedForGood(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command, answer string
		want            error
	}{
		{"RCPT", "550 5.1.1 <ana@example.com>: unknown", ErrRefused},
		{"RCPT", "553 no such mailbox", ErrRefused},
		{"RCPT", "554 5.7.1 <ana@example.com>: relay access denied", ErrPutOff},
		{"RCPT", "530 5.7.0 authenticate first", ErrPutOff},
		{"RCPT", "503 MAIL first", ErrPutOff},
		{"RCPT", "450 4.2.1 later", ErrPutOff},
		{"DATA", "554 no valid recipients", ErrPutOff},
		{"DATA", "451 4.3.0 later", ErrPutOff},
		{".", "550 5.1.1 <ana@example.com>: unknown", ErrPutOff},
		{".", "451 4.7.1 greylisted", ErrPutOff},
	} {
		t.Run(c.command+" "+c.answer, func(t *testing.T) {
			t.Parallel()
			url, _ := server(t, c.command, c.answer)
			err := Send(t.Context(), Options{URL: url, From: "bordero@example.com"}, letter)
			if !errors.Is(err, c.want) || strings.Contains(err.Error(), "ana@") {
				t.Error(err)
			}
		})
	}
	none := Message{To: "ana at example.com", Subject: letter.Subject, Text: letter.Text}
	if err := Send(t.Context(), Options{Dir: t.TempDir(), From: "bordero@example.com"}, none); !errors.Is(err,
		ErrRefused) || strings.Contains(err.Error(), "ana") {
		t.Error(err)
	}
}

// A server may greet and answer late. One that does not answer a whole e-mail may have taken it.
func TestAServerTakesItsTime(t *testing.T) {
	t.Parallel()
	failed := errors.New("another error")
	for _, c := range []struct {
		command string
		after   time.Duration
		answer  string
		want    error
	}{
		{"", 6 * time.Second, "", nil},
		{"", 2 * time.Minute, "", failed},
		{"DATA", time.Minute, "", nil},
		{"DATA", 4 * time.Minute, "", failed},
		{"DATA", 0, mailtest.HangUp, failed},
		{".", 2 * time.Minute, "", nil},
		{".", 4 * time.Minute, "", ErrUnanswered},
		{".", 0, mailtest.HangUp, ErrUnanswered},
		{"QUIT", 4 * time.Minute, "", nil},
	} {
		t.Run(fmt.Sprintf("%q %v %s", c.command, c.after, c.answer), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				var server sync.WaitGroup
				server.Go(func() {
					mailtest.Converse(theirs, func(command string) string {
						if command != c.command {
							return ""
						}
						time.Sleep(c.after) // of the bubble's time
						return c.answer
					})
				})
				dial := func(context.Context, string, string) (net.Conn, error) { return ours, nil }
				err := send(t.Context(), Options{URL: "smtp://mail.example.com", From: "bordero@example.com"}, letter,
					gomail.WithDialContextFunc(dial))
				_ = ours.Close()
				server.Wait()
				if c.want == failed && (err == nil || errors.Is(err, ErrUnanswered)) ||
					c.want != failed && !errors.Is(err, c.want) {
					t.Error(err)
				}
			})
		})
	}
}
