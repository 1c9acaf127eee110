package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	"bordero/storage"
)

// unanswered is the error of a request without a response: a sentence instead of the names of the
// functions that failed. A server that was not waited for is not to blame.
func unanswered(what, address string, err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return fmt.Errorf("no %s answers at %s: %s; is it running?", what, address, reason(err))
}

// ofServer translates the error of a connection to PostgreSQL or Redis, and returns any other error
// unchanged. Of several hosts it names the answer of each, after the fact that none accepts writes.
func ofServer(err error) error {
	var silent, said []string
	for _, e := range joined(err) {
		var op *net.OpError
		if !errors.As(e, &op) || op.Op != "dial" {
			said = append(said, e.Error())
			continue
		}
		address := fmt.Sprint(op.Addr)
		if dns := new(net.DNSError); errors.As(e, &dns) {
			address = dns.Name
		}
		silent = append(silent, address+": "+reason(e))
	}
	switch noPrimary := errors.Is(err, storage.ErrNoPrimary); {
	case len(silent) == 0 && !noPrimary:
		return err
	case len(said) == 0:
		return fmt.Errorf("no server answers at %s; is it running?", strings.Join(silent, ", nor at "))
	default:
		return errors.New(strings.Join(append(said, silent...), "; "))
	}
}

// joined returns the single errors in err. lib/pq joins the errors of all hosts.
func joined(err error) []error {
	var several interface{ Unwrap() []error }
	if !errors.As(err, &several) {
		return []error{err}
	}
	var all []error
	for _, e := range several.Unwrap() {
		all = append(all, joined(e)...)
	}
	return all
}

// reason describes in a few words why there was no response.
func reason(err error) string {
	var number syscall.Errno
	var dns *net.DNSError
	var network net.Error
	var request *url.Error
	switch {
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no such host"
	case errors.As(err, &network) && network.Timeout():
		return "it took too long"
	case errors.Is(err, io.EOF):
		return "the connection was closed"
	case errors.As(err, &request):
		return request.Err.Error()
	}
	return err.Error()
}
