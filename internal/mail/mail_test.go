package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// server accepts one e-mail, or refuses the recipient, and returns what it received. It may hang up
// once it has taken the e-mail.
func server(t *testing.T, recipient string, hangsUp bool) (url string, told <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	all := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var said strings.Builder
		defer func() { all <- said.String() }()
		say := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
		say("220 ready")
		data := false
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			line := lines.Text()
			said.WriteString(line + "\n")
			switch {
			case data && line != ".":
			case data:
				data = false
				say("250 taken")
				if hangsUp {
					return
				}
			case strings.HasPrefix(line, "RCPT"):
				say(recipient)
			case line == "DATA":
				data = true
				say("354 go on")
			case line == "QUIT":
				say("221 bye")
				return
			case strings.HasPrefix(line, "EHLO"):
				say("250-ready")
				say("250 ENHANCEDSTATUSCODES")
			default:
				say("250 ok")
			}
		}
	}()
	return "smtp://" + l.Addr().String(), all
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
	for answer, want := range map[string]bool{
		"550 5.1.1 <ana@example.com>: unknown": true, "553 no such mailbox": true,
		"554 5.7.1 <ana@example.com>: relay access denied": false,
		"530 5.7.0 authenticate first":                     false, "503 MAIL first": false, "450 4.2.1 later": false,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			url, _ := server(t, answer, false)
			err := Send(t.Context(), Options{URL: url, From: "bordero@example.com"}, letter)
			if err == nil || errors.Is(err, ErrRefused) != want || strings.Contains(err.Error(), "ana@") {
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
