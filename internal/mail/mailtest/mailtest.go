// Package mailtest has a mail server for tests. It is apart so that only tests import it.
package mailtest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
)

// Server takes e-mails one after the other until the test ends, and returns its URL and what each client said. It
// answers each recipient, such as <ana@example.com>, with a line of recipient. It may hang up once it has taken an
// e-mail.
func Server(t testing.TB, recipient func(address string) string, hangsUp bool) (url string, told <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	all := make(chan string, 100)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all <- converse(conn, recipient, hangsUp)
		}
	}()
	return "smtp://" + l.Addr().String(), all
}

// converse speaks SMTP with one client, and returns the lines that the client sent.
func converse(conn net.Conn, recipient func(string) string, hangsUp bool) string {
	defer conn.Close()
	var said strings.Builder
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
				return said.String()
			}
		case strings.HasPrefix(line, "RCPT TO:"):
			say(recipient(strings.TrimPrefix(line, "RCPT TO:")))
		case line == "DATA":
			data = true
			say("354 go on")
		case line == "QUIT":
			say("221 bye")
			return said.String()
		case strings.HasPrefix(line, "EHLO"):
			say("250-ready")
			say("250 ENHANCEDSTATUSCODES")
		default:
			say("250 ok")
		}
	}
	return said.String()
}
