package outgoing

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// bypasses are addresses that have got past some guard somewhere. PORT is one that a
// service listens on here.
var bypasses = []string{
	// Loopback, in every spelling that some resolver understands.
	"http://127.0.0.1:PORT/", "http://127.0.0.1.:PORT/", "http://127.1:PORT/", "http://127.0.1:PORT/",
	"http://127.000.000.001:PORT/",
	"http://127.0.0.2:PORT/", "http://127.255.255.254:PORT/", "http://2130706433:PORT/", "http://0x7f000001:PORT/",
	"http://0x7f.0.0.1:PORT/",
	"http://0x7f.1:PORT/", "http://0X7F.0X0.0X0.0X1:PORT/", "http://0177.0.0.1:PORT/", "http://017700000001:PORT/",
	"http://0177.0.1:PORT/",
	"http://00000000177.0.0.1:PORT/", "http://0:PORT/", "http://0.0.0.0:PORT/", "http://0.0.0.1:PORT/",
	"http://①②⑦.⓪.⓪.①:PORT/", "http://127。0。0。1:PORT/",
	"http://localhost:PORT/", "http://localhost.:PORT/", "http://LOCALHOST:PORT/", "http://a.localhost:PORT/",
	"http://loc%61lhost:PORT/",
	"http://localhost.localdomain:PORT/", "http://ip6-localhost:PORT/",
	"http://[::1]:PORT/", "http://[::]:PORT/", "http://[0:0:0:0:0:0:0:1]:PORT/", "http://[0000::0001]:PORT/",
	"http://[::1%25lo]:PORT/",
	// IPv4 within IPv6: mapped, compatible, NAT64, 6to4, Teredo, ISATAP behind a link.
	"http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
	"http://[::ffff:0:127.0.0.1]:PORT/",
	"http://[::127.0.0.1]:PORT/", "http://[::7f00:1]:PORT/", "http://[::ffff:169.254.169.254]/",
	"http://[64:ff9b::127.0.0.1]:PORT/",
	"http://[64:ff9b::7f00:1]:PORT/", "http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::7f00:1]:PORT/",
	"http://[2002:7f00:1::]:PORT/",
	"http://[2002:a9fe:a9fe::1]/", "http://[2001:0:7f00:1::1]:PORT/", "http://[2001::1]/",
	"http://[fe80::5efe:127.0.0.1]:PORT/",
	// Networks that are not public.
	"http://10.0.0.1/", "http://10.255.255.255/", "http://172.16.0.1/", "http://172.31.255.254/", "http://192.168.0.1/",
	"http://192.168.1.1:8080/",
	"http://100.64.0.1/", "http://100.127.255.254/", "http://192.0.0.8/", "http://192.0.2.1/", "http://192.88.99.1/",
	"http://198.18.0.1/",
	"http://198.51.100.1/", "http://203.0.113.1/", "http://224.0.0.1/", "http://239.255.255.250:1900/",
	"http://240.0.0.1/", "http://255.255.255.255/",
	"http://[fc00::1]/", "http://[fd12:3456:789a::1]/", "http://[fe80::1]/", "http://[fe80::1%25lo]:PORT/",
	"http://[fe80::1%25eth0]/", "http://[fec0::1]/",
	"http://[ff02::1]/", "http://[ff0e::1]/", "http://[100::1]/", "http://[2001:db8::1]/", "http://[3fff::1]/",
	"http://[5f00::1]/", "http://[2606:4700::1111%25lo]/",
	// Cloud metadata services.
	"http://169.254.169.254/latest/meta-data/", "http://169.254.170.2/", "http://0xa9fea9fe/", "http://2852039166/",
	"http://0251.0376.0251.0376/",
	"http://[fd00:ec2::254]/", "http://100.100.100.200/", "http://168.63.129.16/", "http://192.0.0.192/",
	"http://metadata.google.internal/",
	// Names that resolve to them, once or always.
	"http://127.0.0.1.nip.example:PORT/", "http://private.example:PORT/", "http://several.example:PORT/",
	"http://mapped.example:PORT/", "http://rebinds.example:PORT/",
	// Addresses that two parsers read differently.
	"http://example.com@127.0.0.1:PORT/", "http://user:password@private.example:PORT/",
	"http://127.0.0.1:PORT#@example.com/",
	"http://127.0.0.1:PORT?@example.com/", `http://127.0.0.1:PORT\@example.com/`,
	"http://example.com:80@127.0.0.1:PORT/", "http://@127.0.0.1:PORT/",
	"http://127.0.0.1:PORT\t/", "http://127.0.0.1:PORT\r\nHost: example.com/", " http://127.0.0.1:PORT/",
	"http://127.0.0.1%2f.example.com:PORT/",
	"http://[::1].example.com:PORT/", "http://127.0.0.1:PORT:80/",
	// Other schemes and ports.
	"ftp://127.0.0.1:PORT/", "file:///etc/passwd", "gopher://127.0.0.1:PORT/_", "unix:///run/postgres",
	"//127.0.0.1:PORT/", "127.0.0.1:PORT", "http:127.0.0.1:PORT",
	"http:/127.0.0.1:PORT/", "http:///127.0.0.1:PORT/", "http://:PORT/", "http://public.example:22/",
	"http://public.example:25/", "http://public.example:1023/",
	"http://public.example:0/", "http://public.example:65536/", "http://public.example:-1/", "http://public.example:/",
	"http://public.example:080a/", "",
}

func TestWhatIsNotPublicIsNotReached(t *testing.T) {
	t.Parallel()
	if len(bypasses) < 60 {
		t.Fatalf("only %d bypasses", len(bypasses))
	}
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	port := server.URL[strings.LastIndex(server.URL, ":")+1:]
	for _, raw := range bypasses {
		address := strings.ReplaceAll(raw, "PORT", port)
		names := resolver(t)
		if found, err := names.LookupHost(t.Context(), "rebinds.example"); err != nil || found[0] != "93.184.216.34" {
			t.Fatalf("the name is not public at first: %v, %v", found, err)
		}
		if CheckURL(address) != nil {
			continue
		}
		res, err := client(Options{}, names).Post(address, "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = res.Body.Close()
		}
		var name *net.DNSError // Go's resolver refuses names of digits; the system's accepts them
		nobody := errors.As(err, &name) && name.IsNotFound && strings.Trim(name.Name, "0123456789.") == ""
		if !errors.Is(err, ErrRefused) && !errors.Is(err, syscall.EAFNOSUPPORT) && !nobody {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the service was reached %d times", n)
	}
}

func TestWhatIsDialled(t *testing.T) {
	t.Parallel()
	office := Options{Allow: []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8"),
		netip.MustParsePrefix("168.63.129.16/32"),
	}}
	for _, c := range []struct {
		options Options
		address string
		refused bool
	}{
		{Options{}, "8.8.8.8:443", false},
		{Options{}, "93.184.216.34:80", false},
		{Options{}, "200.147.3.157:1024", false},
		{Options{}, "200.147.3.157:65535", false},
		{Options{}, "[2606:4700::1111]:443", false},
		{Options{}, "[2804:14c::1]:8443", false},
		{Options{}, "8.8.8.8:22", true},
		{Options{}, "8.8.8.8:1023", true},
		{Options{}, "[2606:4700::1111]:25", true},
		{Options{}, "10.1.2.3:443", true},
		{Options{}, "168.63.129.16:80", true},
		{Options{}, "nonsense", true},
		{office, "10.1.2.3:443", false},
		{office, "10.1.2.3:22", true},
		{office, "10.2.0.1:443", true},
		{office, "127.0.0.1:8080", true},
		{office, "168.63.129.16:80", false},
		{office, "[fd12::1]:443", false},
		{office, "[fe80::1]:443", true},
		{office, "8.8.8.8:443", false},
	} {
		network := "tcp4"
		if strings.HasPrefix(c.address, "[") {
			network = "tcp6"
		}
		if err := guard(c.options)(t.Context(), network, c.address, nil); errors.Is(err, ErrRefused) != c.refused {
			t.Errorf("%s with %v allowed: %v", c.address, c.options.Allow, err)
		}
	}
	if err := guard(Options{})(t.Context(), "udp4", "8.8.8.8:443", nil); !errors.Is(err, ErrRefused) {
		t.Errorf("udp: %v", err)
	}
}

func TestBadURLsGetAReason(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://example.com": "", "http://example.com:8080/a?b=c#d": "", "https://example.com:443": "",
		"http://[2606:4700::1111]:80/": "", "HTTPS://EXAMPLE.COM": "",
		"https://padaria.com.br/notificações": "", "https://xn--po-jma.example": "",
		"": "não é válido", "example.com": "não é válido", "ftp://example.com": "não é válido",
		"https://": "não é válido", "https://a b": "não é válido",
		"https://example.com:": "não é válido", "mailto:a@example.com": "não é válido",
		"https://example.com:99999": "deve usar a porta 80, a 443 ou uma a partir da 1024",
		"https://a@example.com":     "não pode ter usuário nem senha",
		"https://a:b@example.com":   "não pode ter usuário nem senha",
		"https://example.com:22":    "deve usar a porta 80, a 443 ou uma a partir da 1024",
	} {
		got := ""
		if err := CheckURL(raw); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

// loopback lets the client reach the servers of the tests.
var loopback = Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var followed atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(target.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(target.URL, status))
		t.Cleanup(server.Close)
		res, err := New(loopback).Post(server.URL, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("%d has become %d", status, res.StatusCode)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}

func TestACertificateIsVerified(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	res, err := New(loopback).Post(server.URL, "application/json", strings.NewReader("{}"))
	if err == nil {
		_ = res.Body.Close()
		t.Error("a certificate that nobody has signed is accepted")
	}
}

func TestAProxyOfTheEnvironmentIsNotAsked(t *testing.T) {
	var asked atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTP_PROXY", proxy.URL)
	res, err := client(loopback, resolver(t)).Post("http://private.example:1/", "application/json",
		strings.NewReader("{}"))
	if err == nil {
		_ = res.Body.Close()
	}
	if !errors.Is(err, ErrRefused) || asked.Load() { // port 1
		t.Errorf("%v", err)
	}
}

func TestAnExchangeEnds(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	c := New(loopback)
	if c.Timeout != 10*time.Second {
		t.Errorf("an exchange may take %v", c.Timeout)
	}
	c.Timeout = 50 * time.Millisecond
	res, err := c.Post(server.URL, "application/json", strings.NewReader("{}"))
	if err == nil {
		_ = res.Body.Close()
	}
	var network net.Error
	if !errors.As(err, &network) || !network.Timeout() {
		t.Errorf("%v", err)
	}
}

// A server that changes the protocol, unasked, and then says nothing.
func TestAnotherProtocolIsAnAnswerWithoutABody(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	address := listen(t, func(c net.Conn) {
		read(c)
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: silence\r\n\r\n")
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second)) // it would wait for ever
		_, err := io.Copy(io.Discard, c)
		ended <- err
		_ = c.Close()
	}).Addr().String()
	res, err := New(loopback).Post("http://"+address, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); res.StatusCode != 101 || len(body) != 0 || err != nil {
		t.Errorf("%d %q %v", res.StatusCode, body, err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the connection stays open: %v", err)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	c := New(loopback)
	for i := range 3 {
		var reused bool
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if reused != (i > 0) {
			t.Errorf("POST %d: reused %v", i, reused)
		}
	}
}

// Many webhooks may share a host: connections that were all open at once are reused.
func TestAHostsConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	const atOnce = 200
	var dialled atomic.Int64
	turn := make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-turn }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dialled.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := New(loopback)
	for range 3 {
		ended := make(chan error)
		for range atOnce {
			go func() {
				answer, err := c.Get(s.URL)
				if err == nil {
					_, err = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
				}
				ended <- err
			}()
		}
		for range atOnce {
			turn <- struct{}{}
		}
		for range atOnce {
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := dialled.Load(); n > atOnce+atOnce/4 {
		t.Errorf("%d connections for %d at once", n, atOnce)
	}
}

// The monitor's users and the readers of e-mails must not see the keys that some addresses of
// webhooks contain.
func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://erp.example:8443/hooks/in?key=1#x":                     "https://erp.example:8443/hooks/in",
		"https://ana:hunter2@erp.example/":                              "https://erp.example/",
		"https://h/services/T000/0123456789abcdef01234567/notification": "https://h/services/T000/0123…/notification",
		"https://h/a%2Fb": "https://h/a%2Fb",
	} {
		if got := Address(url); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}

// A request line has three words, whatever the query of a webhook's URL holds; see the path of the same URL.
func TestTheRequestLineOfAPostIsEscaped(t *testing.T) {
	t.Parallel()
	lines := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		lines <- r.RequestURI
	}))
	t.Cleanup(server.Close)
	client := New(Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	for path, want := range map[string]string{
		"/x?m=a b":                   "/x?m=a%20b",
		"/x?m=ç":                     "/x?m=%C3%A7",
		"/a b/ç?m=a b":               "/a%20b/%C3%A7?m=a%20b",
		"/x?m=a%20b&n=%C3%A7&o=%c3":  "/x?m=a%20b&n=%C3%A7&o=%c3", // once
		"/x?m=100%":                  "/x?m=100%25",
		"/x?m=%zz%2":                 "/x?m=%25zz%252",
		"/x?m=a+b&n[]=1&o={1|2}":     "/x?m=a+b&n[]=1&o=%7B1%7C2%7D",
		`/x?m="a"\<b>^` + "`":        "/x?m=%22a%22%5C%3Cb%3E%5E%60",
		"/x?a:b@c/d?e!$'()*,;=f~.-_": "/x?a:b@c/d?e!$'()*,;=f~.-_",
		"/x?m=\xe7":                  "/x?m=%E7",
		"/x?":                        "/x?",
		"/x?m=a#b c":                 "/x?m=a",
	} {
		if err := CheckURL(server.URL + path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
		r, err := Post(t.Context(), server.URL+path, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Errorf("%q: %v", path, err)
			continue
		}
		_ = answer.Body.Close()
		if got := <-lines; got != want {
			t.Errorf("%q is asked for as %q, want %q", path, got, want)
		}
	}
}
