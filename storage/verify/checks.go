package verify

import (
	"slices"
	"strings"

	"bordero/internal/db"
)

// checks are the rules of Run. They are true at every commit, after any change or deletion, and join
// whole tables. They do not repeat the constraints of the schema. The records of a deleted entity are
// removed table by table: rules that this would break leave them out.
var checks = slices.Concat(transactionChecks, importChecks, accountChecks, saleChecks, jobChecks, usageChecks)

// check is a rule: its statement returns a row per difference.
type check struct {
	name      string
	statement db.Statement
}

// rule returns the check of a query for the account, the record, the expected state and the actual one.
func rule(name, query string) check {
	return check{name, db.Named("verify."+strings.ReplaceAll(name, " ", "_"), `
		SELECT account_id, record, expected, found
		FROM (`+query+`) AS d (account_id, record, expected, found) ORDER BY account_id, record`)}
}
