package cli

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
)

// unanswered is the error of a request without a response: a sentence instead of the names of the
// functions that failed.
func unanswered(what, address string, err error) error {
	return fmt.Errorf("no %s answers at %s: %s; is it running?", what, address, reason(err))
}

// ofServer translates the error of a connection to PostgreSQL or Redis, and returns any other error
// unchanged.
func ofServer(err error) error {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "dial" {
		return err
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return unanswered("server", dns.Name, err)
	}
	return unanswered("server", fmt.Sprint(op.Addr), err)
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
