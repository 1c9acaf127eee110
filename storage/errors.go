package storage

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"bordero/finance"
	"bordero/internal/messages"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// constraints are the last defence of the schema that a request can meet, and
// what a client is told.
var constraints = map[string]finance.Message{
	"register_sessions_open":     {Attribute: finance.Base, Text: messages.RegisterOpen},
	"deposit_accounts_entity_fk": {Attribute: "entity", Text: messages.NotExisting},
	// A transaction that came while the currency was changed.
	"financial_transactions_currency_fk": {Attribute: "currency", Text: messages.CurrencyFixed},
	"categories_full_name":               {Attribute: "name", Text: messages.Taken},
	"custom_classifiers_name":            {Attribute: "name", Text: messages.Taken},
	"custom_classifier_values_value":     {Attribute: "value", Text: messages.Taken},
	"categories_full_name_length":        {Attribute: "full_name", Text: messages.TooLong},
	"sale_rules_key":                     {Attribute: "payment_method", Text: messages.RuleTaken},
}

// refused turns the violation of a known constraint into what is wrong with the
// record; every other error stays as it is.
func refused(err error) error {
	if e := pq.As(err, pqerror.UniqueViolation, pqerror.ForeignKeyViolation, pqerror.CheckViolation); e != nil {
		if m, known := constraints[e.Constraint]; known {
			return finance.Refuse(m.Attribute, m.Text)
		}
	}
	return err
}

// Reason is in a few words why a database cannot be used: what an operator can
// mend has words of its own.
func Reason(err error) string {
	var e *pq.Error
	if !errors.As(err, &e) {
		return "does not answer"
	}
	switch e.Code {
	case "42704": // a setting that we ask for and it does not know
		return "is too old: version 15 or newer is needed"
	case "28P01", "28000":
		return "refuses the user or the password of DATABASE_URL"
	case "3D000":
		return "has no database of the name in DATABASE_URL"
	case "53300":
		return "has no connection left: raise max_connections, or lower BORDERO_DATABASE_CONNECTIONS"
	case "57P03":
		return "is starting or stopping"
	}
	return "does not answer"
}

// Unavailable tells an error of a database that is down, starting, stopping or full
// of connections, or of a deadlock that came each time, from one of a statement:
// trying again later may help.
func Unavailable(err error) bool {
	var network net.Error
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network) {
		return true
	}
	var e *pq.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code.Class() {
	case "08", "40", "53", "57": // connection, a deadlock that came each time, resources, operator's intervention (57014, a timeout, among them)
		return true
	}
	return false
}
