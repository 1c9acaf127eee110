package outgoing

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bordero/internal/messages"
)

// Each way in which a user's server fails has its own sentence.
func TestCauses(t *testing.T) {
	t.Parallel()
	mail := func(c net.Conn) { read(c); _, _ = c.Write([]byte("220 mail\r\n\r\n")) }
	gone := listen(t, nil)
	gone.Close()
	for name, c := range map[string]struct {
		url  string
		want *messages.Fault
	}{
		"an unknown name":       {"http://unknown.example/", messages.NameNotFound},
		"a resolver that fails": {"http://broken.example/", messages.NotConnected},
		"a private address":     {"http://10.255.255.1/", messages.AddressRefused},
		"nobody listens":        {"http://" + gone.Addr().String(), messages.ConnectionRefused},
		"silence": {
			"http://" + listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }).Addr().String(),
			messages.NotInTime},
		"the end before the answer": {"http://" + listen(t, read).Addr().String(), messages.AnswerCutOff},
		"a reset": {
			"http://" + listen(t, func(c net.Conn) { read(c); _ = c.(*net.TCPConn).SetLinger(0) }).Addr().String(),
			messages.AnswerCutOff},
		"no HTTP":                    {"http://" + listen(t, mail).Addr().String(), messages.NotHTTP},
		"neither HTTP nor TLS":       {"https://" + listen(t, mail).Addr().String(), messages.TLSFailed},
		"HTTP where TLS is expected": {"https://" + server(t, nil), messages.TLSFailed},
		"an unknown certificate":     {"https://" + server(t, &tls.Config{}), messages.CertificateFailed},
		"an old version of TLS": {"https://" + server(t, &tls.Config{MaxVersion: tls.VersionTLS11}),
			messages.TLSFailed},
		"no certificate for the name": {
			"https://" + server(t, &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				return nil, io.EOF
			}}), messages.TLSFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := client(loopback, resolver(t))
			client.Timeout = 3 * time.Second
			res, err := client.Post(c.url, "application/json", strings.NewReader("{}"))
			if err == nil {
				_, err = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
			if err == nil || Cause(err) != c.want {
				t.Errorf("%v: %v, want %v", err, Cause(err), c.want)
			}
		})
	}
}

// server returns the address of a server that answers 200, with TLS if a configuration is given.
func server(t *testing.T, secure *tls.Config) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	if s.TLS = secure; secure != nil {
		s.StartTLS()
	} else {
		s.Start()
	}
	return s.Listener.Addr().String()
}

// listen accepts connections, and closes each after serve.
func listen(t *testing.T, serve func(net.Conn)) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return l
}

// read takes the beginning of a request.
func read(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }
