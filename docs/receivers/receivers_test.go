package receivers_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/testkit"
)

const secret = "0123456789abcdef01234567"

// The examples run as the documentation describes, and receive genuine and false messages. A
// language without an interpreter here is skipped.
func TestReceiversVerifySignatures(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{
		"Go": {"go", "run", "receiver.go"}, "Ruby": {"ruby", "receiver.rb"}, "Python": {"python3", "receiver.py"},
		"Node": {"node", "receiver.mjs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("%s is not installed", command[0])
			}
			r := start(t, command)
			r.breakOff(t, "Content-Length: 10\r\n\r\n{}")
			r.breakOff(t, "Content-Length: -5\r\n\r\n{}")
			now := time.Now()
			body := `{"event":"sales.created","timestamp":"2026-03-04T10:20:30Z","sale":{"id":7}}`
			inXML := `<?xml version="1.0" encoding="UTF-8"?><hash><event>sales.destroyed</event><timestamp ` +
				`type="datetime">2026-03-04T10:20:30Z</timestamp><sale><id type="integer">7</id></sale></hash>`
			genuine := signed(secret, "1", now, body)
			for _, c := range []struct {
				name string
				send message
				want int
			}{
				{"a genuine one", genuine, 200},
				{"the same once more", genuine, 200},
				{"the next attempt of it", signed(secret, "1", now.Add(time.Second), body), 200},
				{"another body", genuine.but("", strings.Replace(body, "7", "8", 1)), 401},
				{"another id", genuine.but("webhook-id", "2"), 401},
				{"another time", genuine.but("webhook-timestamp", strconv.FormatInt(now.Unix()+1, 10)), 401},
				{"no time", genuine.but("webhook-timestamp", "now"), 401},
				{"another signature", genuine.but("webhook-signature", "v1,AAAA"), 401},
				{"no signature", genuine.but("webhook-signature", ""), 401},
				{"by another secret", signed("76543210fedcba9876543210", "3", now, body), 401},
				{"recorded ten minutes ago", signed(secret, "4", now.Add(-10*time.Minute), body), 401},
				{"of the future", signed(secret, "5", now.Add(10*time.Minute), body), 401},
				{"while the secret is rotated",
					genuine.but("webhook-signature", "v1,AAAA "+genuine.headers["webhook-signature"]), 200},
				{"the test of a new webhook", signed(secret, "test_1", now, `{"test":true}`), 200},
				{"the test of one in XML",
					signed(secret, "test_2", now, `<?xml version="1.0" encoding="UTF-8"?><hash><test type="boolean">`+
						`true</test></hash>`).inXML(), 200},
				{"one in XML", signed(secret, "7", now, inXML).inXML(), 200},
				{"the same in XML once more", signed(secret, "7", now, inXML).inXML(), 200},
				{"another body in XML", signed(secret, "7", now, inXML).inXML().but("",
					strings.Replace(inXML, "7", "8", 1)), 401},
				{"another genuine one", signed(secret, "6", now, strings.Replace(body, "created", "updated", 1)), 200},
			} {
				if got := r.post(t, c.send); got != c.want {
					t.Errorf("%s: %d, want %d", c.name, got, c.want)
				}
			}
			// Each was done once, and the tests were no events.
			if events := r.events(t,
				"sales.updated"); events != "event sales.created\nevent sales.destroyed\nevent sales.updated\n" {
				t.Errorf("done:\n%s", events)
			}
		})
	}
}

type message struct {
	headers map[string]string
	body    string
}

func signed(secret, id string, at time.Time, body string) message {
	w := finance.Webhook{Secret: secret}
	return message{w.Headers("6f1ed002ab5595859014ebf0951522d9", id, at, []byte(body)), body}
}

// inXML returns the message with the Content-Type of XML.
func (m message) inXML() message { return m.but("Content-Type", "application/xml; charset=utf-8") }

// but returns the message with another header or, if header is empty, with another body.
func (m message) but(header, value string) message {
	if header == "" {
		m.body = value
		return m
	}
	headers := map[string]string{}
	for name, v := range m.headers {
		headers[name] = v
	}
	headers[header] = value
	m.headers = headers
	return m
}

// running is a receiver that runs.
type running struct {
	url string
	mu  sync.Mutex
	out strings.Builder
}

func start(t *testing.T, command []string) *running {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "BORDERO_WEBHOOK_SECRET="+secret, "PORT=0")
	own(cmd)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(cmd) })
	lines := bufio.NewReader(out)
	url, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v says no address: %v", command, err)
	}
	r := &running{url: strings.TrimSpace(url)}
	go func() {
		for {
			line, err := lines.ReadString('\n')
			r.mu.Lock()
			r.out.WriteString(line)
			r.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return r
}

// events waits until the receiver has done last, and returns what it has done.
func (r *running) events(t *testing.T, last string) string {
	t.Helper()
	var out string
	testkit.Eventually(t, last+" in the output", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		out = r.out.String()
		return strings.Contains(out, last)
	}, func() string { return out })
	return out
}

// breakOff sends the rest of a request after its first headers, and leaves without reading an answer.
func (r *running) breakOff(t *testing.T, rest string) {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "POST / HTTP/1.1\r\nHost: a\r\n"+rest); err != nil {
		t.Fatal(err)
	}
}

func (r *running) post(t *testing.T, m message) int {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(m.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range m.headers {
		q.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// The documentation's test vectors match what the service computes.
func TestTheVectorsAreTrue(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	const id, requestID, body = "msg_417", "6f1ed002ab5595859014ebf0951522d9",
		`{"event":"classification_centers.destroyed","timestamp":"2026-03-04T10:20:30Z",` +
			`"classification_center":{"id":3,"_links":[{"rel":"self","method":"GET",` +
			`"url":"https://api.example.com/classification_centers/3"}]}}`
	at := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
	until := at.Add(time.Hour)
	old := "76543210fedcba9876543210"
	for _, text := range []string{
		body, id, requestID, secret, old, fmt.Sprint(at.Unix()),
		finance.SignSHA1(secret, requestID, []byte(body)),
		finance.SignStandard([]string{secret}, id, at, []byte(body)),
		(&finance.Webhook{Secret: secret, PreviousSecret: &old, PreviousSecretUntil: &until}).Headers(requestID, id, at,
			[]byte(body))["webhook-signature"],
		"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
	} {
		if !strings.Contains(string(document), text) {
			t.Errorf("docs/webhooks.md lacks %s", text)
		}
	}
	// Receivers rely on the documentation for the names of the headers.
	for name := range (&finance.Webhook{}).Headers("", "", at, nil) {
		if !strings.Contains(strings.ToLower(string(document)), strings.ToLower("`"+name+"`")) {
			t.Errorf("docs/webhooks.md does not tell of %s", name)
		}
	}
}
