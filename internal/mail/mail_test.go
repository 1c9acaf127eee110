package mail

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// server is mailtest.Server with one answer to all recipients.
func server(t *testing.T, recipient string, hangsUp bool) (url string, told <-chan string) {
	t.Helper()
	return mailtest.Server(t, func(string) string { return recipient }, hangsUp)
}

func TestAnEmailGoesToTheServer(t *testing.T) {
	t.Parallel()
	url, told := server(t, "250 ok", false)
	if err := Send(t.Context(), Options{URL: url, Dir: "not used", From: "bordero@example.com"}, letter); err != nil {
		t.Fatal(err)
	}
	if said := <-told; !strings.Contains(said, "RCPT TO:<ana@example.com>") || !strings.Contains(said, "Ol=C3=A1") {
		t.Error(said)
	}
}

func TestWhatIsTakenIsSentWhateverFollows(t *testing.T) {
	t.Parallel()
	url, told := server(t, "250 ok", true)
	if err := Send(t.Context(), Options{URL: url, From: "bordero@example.com"}, letter); err != nil {
		t.Error(err)
	}
	if said := <-told; !strings.HasSuffix(said, "\n.\n") {
		t.Error(said)
	}
}

func TestWhatIsNotTakenIsAnError(t *testing.T) {
	t.Parallel()
	url, _ := server(t, "550 <ana@example.com>: nobody of that name", false)
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
	for answer, want := range map[string]error{
		"550 5.1.1 <ana@example.com>: unknown": ErrRefused, "553 no such mailbox": ErrRefused,
		"554 5.7.1 <ana@example.com>: relay access denied": ErrPutOff,
		"530 5.7.0 authenticate first":                     ErrPutOff, "503 MAIL first": ErrPutOff,
		"450 4.2.1 later": ErrPutOff,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			url, _ := server(t, answer, false)
			err := Send(t.Context(), Options{URL: url, From: "bordero@example.com"}, letter)
			if !errors.Is(err, want) || strings.Contains(err.Error(), "ana@") {
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
