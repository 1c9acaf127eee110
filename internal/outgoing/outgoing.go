// Package outgoing sends requests to addresses that users have entered. It reaches only
// public addresses, whatever a name resolves to. No other package decides what may be
// dialled.
package outgoing

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bordero/internal/messages"

	"code.dny.dev/ssrf"
)

// Timeout limits one exchange, from resolving the name to reading the last byte of the
// answer (docs/webhooks.md).
const Timeout = 10 * time.Second

// UserAgent identifies our requests.
const UserAgent = "bordero-webhooks/1"

// ErrRefused is the error of a connection to an address that is not allowed.
var ErrRefused = errors.New("address is not allowed")

// metadata has cloud metadata services within the public range, which the registries of
// special addresses omit.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // Azure
}

// Options configures which other addresses may be reached.
type Options struct {
	Allow []netip.Prefix // networks that may be reached although they are not public
}

// New returns a client that reaches public addresses on the ports 80, 443 and from 1024 on,
// without a proxy. It does not follow redirects, but returns them as answers. It reuses
// connections. An exchange ends after Timeout, also if the server changes the protocol (101),
// which is an answer without a body; a refused connection is ErrRefused.
func New(o Options) *http.Client { return client(o, nil) }

// client is New with a resolver of names; nil means the system's.
func client(o Options, names *net.Resolver) *http.Client {
	dialer := &net.Dialer{Timeout: Timeout, KeepAlive: 30 * time.Second, Resolver: names, ControlContext: guard(o)}
	return &http.Client{
		Timeout:       Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: sameProtocol{&http.Transport{
			Proxy:                  nil, // it would be dialled instead of the address
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    Timeout,
			IdleConnTimeout:        90 * time.Second,
			MaxIdleConns:           1024,
			MaxIdleConnsPerHost:    256, // many webhooks may share a host
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true, // the excerpt of an answer must be its bytes as sent
		}},
	}
}

// sameProtocol closes the connection of a server that changes the protocol, unasked. The body of
// such an answer would be the connection itself, and a read of it would end with no timeout.
type sameProtocol struct{ http.RoundTripper }

func (t sameProtocol) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusSwitchingProtocols {
		_ = answer.Body.Close()
		answer.Body = http.NoBody
	}
	return answer, err
}

// guard checks each address right before it is dialled, when a name can no longer resolve
// to another one.
func guard(o Options) func(context.Context, string, string, syscall.RawConn) error {
	var v4, v6 []netip.Prefix
	for _, p := range o.Allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	guardian := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...),
		ssrf.WithDeniedV4Prefixes(metadata...))
	return func(_ context.Context, network, address string, raw syscall.RawConn) error {
		_, port, err := net.SplitHostPort(address)
		if err != nil || !isPort(port) {
			return errors.Join(ErrRefused, err)
		}
		if err := guardian.Safe(network, address, raw); err != nil {
			return errors.Join(ErrRefused, err)
		}
		return nil
	}
}

// Post returns a POST of a body to a URL that CheckURL has accepted. net/http escapes the path of a URL as it sends
// it, but not the query.
func Post(ctx context.Context, to string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.URL.RawQuery = escapedQuery(r.URL.RawQuery)
	return r, nil
}

// notInQuery matches an escaped character, which stays, and each character to escape: the
// characters that net/url escapes in a path, but for "?", and a "%" that escapes nothing.
var notInQuery = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@\[\]/?]`)

// escapedQuery escapes the characters that must not be in a query, and no escaped character again.
func escapedQuery(raw string) string {
	return notInQuery.ReplaceAllStringFunc(raw, func(found string) string {
		if len(found) == 3 && found[0] == '%' {
			return found
		}
		var escaped strings.Builder
		for _, b := range []byte(found) {
			fmt.Fprintf(&escaped, "%%%02X", b)
		}
		return escaped.String()
	})
}

// isPort reports whether a port may be dialled: the ports of HTTP, and all from 1024 on, where no
// system service listens.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && (port == 80 || port == 443 || port >= 1024)
}

// longestWord is the length of a part of a path that is still taken for a word. A longer one
// may be a key.
const longestWord = 20

// Address returns a URL without its possible secrets: user, password and query, and the end of the
// long parts of its path.
func Address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if len(part) > longestWord {
			parts[i] = part[:4] + "…"
		}
	}
	return u.Scheme + "://" + u.Host + strings.Join(parts, "/")
}

// Cause returns why an exchange with New's client failed, for users: without details of our
// network. Only an address that is not allowed is called not public.
func Cause(err error) *messages.Fault {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var network net.Error
	var operation *net.OpError
	switch {
	case errors.Is(err, ErrRefused):
		return messages.AddressRefused
	case errors.As(err, &name) && name.IsNotFound: // else our resolver failed
		return messages.NameNotFound
	case errors.As(err, &certificate):
		return messages.CertificateFailed
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return messages.NotInTime
	case isTLS(err):
		return messages.TLSFailed
	case errors.Is(err, syscall.ECONNREFUSED):
		return messages.ConnectionRefused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return messages.AnswerCutOff
	case errors.As(err, &operation):
		return messages.NotConnected
	default:
		return messages.NotHTTP
	}
}

// isTLS reports whether a handshake failed. Most errors of crypto/tls have no type but their
// prefix.
func isTLS(err error) bool {
	var record tls.RecordHeaderError
	return errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch) || strings.Contains(err.Error(), ": tls: ")
}

// CheckURL refuses a URL that New's client could never reach, whatever its host resolves
// to. Allowed are http and https, without credentials, on a port that may be dialled. The
// error is a sentence for API users.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		strings.HasSuffix(u.Host, ":") {
		return messages.NotURL
	}
	if u.User != nil {
		return messages.URLCredentials
	}
	if port := u.Port(); port != "" && !isPort(port) {
		return messages.URLPort
	}
	return nil
}
