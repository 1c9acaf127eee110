// Package mailtest has a mail server for tests. It is apart so that only tests import it.
package mailtest

import (
	"bufio"
	"cmp"
	"fmt"
	"net"
	"strings"
	"testing"
)

// HangUp is the answer of a server that closes the connection instead.
const HangUp = "hang up"

// Server takes e-mails one after the other until the test ends, and returns its URL and what each client said. Its
// answers are those of Converse.
func Server(t testing.TB, answer func(command string) string) (url string, told <-chan string) {
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
			all <- Converse(conn, answer)
		}
	}()
	return "smtp://" + l.Addr().String(), all
}

// Converse speaks SMTP with one client, and returns the lines that the client sent. answer returns the answer to a
// command, such as RCPT TO:<ana@example.com>, or HangUp; of "." that to an e-mail, of "" the greeting. If it returns
// an empty text, the answer is one that takes the e-mail.
func Converse(conn net.Conn, answer func(command string) string) string {
	defer conn.Close()
	var said strings.Builder
	data := false
	reply := func(command string) (open bool) {
		text := cmp.Or(answer(command), usual(command))
		if text == HangUp {
			return false
		}
		fmt.Fprintf(conn, "%s\r\n", text)
		data = strings.HasPrefix(text, "354")
		return command != "QUIT"
	}
	open := reply("")
	for lines := bufio.NewScanner(conn); open && lines.Scan(); {
		line := lines.Text()
		said.WriteString(line + "\n")
		if !data || line == "." {
			open = reply(line)
		}
	}
	return said.String()
}

func usual(command string) string {
	switch {
	case command == "":
		return "220 ready"
	case command == "DATA":
		return "354 go on"
	case command == "QUIT":
		return "221 bye"
	case strings.HasPrefix(command, "EHLO"):
		return "250-ready\r\n250 ENHANCEDSTATUSCODES"
	}
	return "250 ok"
}
