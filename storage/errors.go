package storage

import (
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// constraints maps the constraints that a request can violate to the message that the
// client receives.
var constraints = map[string]finance.Message{
	"register_sessions_open":     {Attribute: finance.Base, Fault: messages.RegisterOpen},
	"deposit_accounts_entity_fk": {Attribute: "entity", Fault: messages.NotExisting},
	// A transaction was inserted while the currency was changed.
	"financial_transactions_currency_fk": {Attribute: "currency", Fault: messages.CurrencyFixed},
	"categories_full_name":               {Attribute: "name", Fault: messages.Taken},
	"custom_classifiers_name":            {Attribute: "name", Fault: messages.Taken},
	"custom_classifier_values_value":     {Attribute: "value", Fault: messages.Taken},
	"categories_full_name_length":        {Attribute: "full_name", Fault: messages.TooLong.With(255)},
	"sale_rules_key":                     {Attribute: "payment_method", Fault: messages.RuleTaken},
}

// refused turns the violation of a known constraint into a finance.Invalid; it returns
// every other error unchanged.
func refused(err error) error {
	if e := pq.As(err, pqerror.UniqueViolation, pqerror.ForeignKeyViolation, pqerror.CheckViolation); e != nil {
		if m, known := constraints[e.Constraint]; known {
			return finance.Refuse(m.Attribute, m.Fault)
		}
	}
	return err
}

// Reason returns in a few words why the database cannot be used. Causes that an
// operator can fix have texts of their own.
func Reason(err error) string {
	if errors.Is(err, db.ErrNoPrimary) {
		return "has no host that accepts writes"
	}
	var e *pq.Error
	if !errors.As(err, &e) {
		return unreachable(err)
	}
	switch e.Code {
	case pqerror.UndefinedObject, pqerror.InvalidParameterValue:
		// Of the settings of a session (db.Open), an old server lacks this one; the others can be wrong in any version.
		if e.Code == pqerror.UndefinedObject && strings.Contains(e.Message, `"client_connection_check_interval"`) {
			return "is too old: version 15 or newer is needed"
		}
		return "refuses a setting of the session: " + e.Message
	case pqerror.InvalidPassword, pqerror.InvalidAuthorizationSpecification:
		return "refuses the user or the password of DATABASE_URL"
	case pqerror.InvalidCatalogName:
		return "has no database of the name in DATABASE_URL"
	case pqerror.TooManyConnections:
		return "has no connection left: raise max_connections, or lower BORDERO_DATABASE_CONNECTIONS"
	case pqerror.CannotConnectNow:
		return "is starting or stopping"
	}
	return "does not answer"
}

// unreachable tells apart why there is no connection: a file of a certificate, TLS, a certificate, a name or a port.
// One cause has one text, without the port of a connection of ours.
func unreachable(err error) string {
	var file *fs.PathError
	var name *net.DNSError
	var dial *net.OpError
	switch {
	case errors.As(err, &file):
		return "cannot be asked: " + file.Error()
	case errors.Is(err, pq.ErrSSLNotSupported):
		return "cannot be asked: " + pq.ErrSSLNotSupported.Error()
	case errors.As(err, new(x509.UnknownAuthorityError)), errors.As(err, new(x509.HostnameError)),
		errors.As(err, new(x509.CertificateInvalidError)): // lib/pq returns them bare for verify-ca
		return "cannot be trusted: " + err.Error()
	case errors.As(err, &name) && name.IsTimeout:
		return "does not answer: lookup " + name.Name + ": it took too long"
	case errors.As(err, &dial) && dial.Op == "dial":
		return "does not answer: " + dial.Err.Error()
	}
	return "does not answer"
}

// TimedOut reports whether PostgreSQL ended a statement at its time limit: it had too much to do, or waited too long
// for another transaction.
func TimedOut(err error) bool { return pq.As(err, pqerror.QueryCanceled) != nil }

// Unavailable reports whether err is temporary, so that trying again later may help: the
// database is down, starting, stopping, read-only, out of connections or without a primary, a deadlock recurred,
// or it is not known whether a commit survives.
func Unavailable(err error) bool {
	var network net.Error
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, db.ErrUnconfirmed) || errors.Is(err, db.ErrNoPrimary) || errors.As(err, &network) {
		return true
	}
	var e *pq.Error
	if !errors.As(err, &e) {
		return false
	}
	if e.Code == pqerror.ReadOnlySQLTransaction { // lib/pq asks only new sessions whether they may write
		return true
	}
	switch e.Code.Class() {
	case pqerror.ClassConnectionException, pqerror.ClassTransactionRollback, // a deadlock that recurred
		pqerror.ClassInsufficientResources, pqerror.ClassOperatorIntervention: // a timeout, among others
		return true
	}
	return false
}
