package storage

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/jobs"

	"github.com/lib/pq"
)

// changeIDs is the largest number of records in one change.
const changeIDs = 1000

// noteChanges notes that the transaction wrote changes: its end wakes the sealer, and offers the
// tickets.
func (tx *Tx) noteChanges(tickets []jobs.Ticket) {
	if !tx.unsealed {
		tx.unsealed = true
		tx.tickets = append(tx.tickets, jobs.Unsealed)
	}
	tx.tickets = append(tx.tickets, tickets...)
}

// familyNames returns NULL for an empty list.
func familyNames(families []finance.Family) any {
	if len(families) == 0 {
		return nil
	}
	names := make(pq.StringArray, len(families))
	for i, f := range families {
		names[i] = string(f)
	}
	return names
}

// Change is a change of the feed.
type Change struct {
	ID         int64
	AccountID  int64
	Sequence   int64
	Family     finance.Family
	Action     finance.Action
	EntityID   *int64
	ParentID   *int64
	RecordIDs  pq.Int64Array
	Concerns   pq.StringArray // families: the viewer must see one of these, and the change's own; nil: only its own
	OccurredAt time.Time
	RequestID  *string
	UserID     *int64
	Token      *string
	Job        *string
	Attributes *string // JSON; nil if there are no attributes, or they are erased
	Digest     []byte  // of the attributes
	Hash       []byte
}

// ChangeColumns are the stored columns of a change, in the order of the table.
const ChangeColumns = `id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash`

// Canonical returns the text of a change that its hash covers (docs/changes.md).
func (c *Change) Canonical() string {
	id := func(n *int64) string {
		if n == nil {
			return ""
		}
		return strconv.FormatInt(*n, 10)
	}
	ids := make([]string, len(c.RecordIDs))
	for i, n := range c.RecordIDs {
		ids[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join([]string{
		strconv.FormatInt(c.Sequence, 10), strconv.FormatInt(c.ID, 10), strconv.FormatInt(c.AccountID, 10),
		string(c.Family) + "." + string(c.Action),
		id(c.EntityID), id(c.ParentID), strings.Join(ids, ","), strings.Join(c.Concerns, ","),
		strconv.FormatInt(c.OccurredAt.UnixMicro(), 10),
		finance.OrZero(c.RequestID), id(c.UserID), finance.OrZero(c.Token), finance.OrZero(c.Job),
		hex.EncodeToString(c.Digest),
	}, "\n")
}

// CanonicalColumns is Change.Canonical in SQL, of the columns of c.
func CanonicalColumns(c string) string {
	return strings.ReplaceAll(`concat_ws(E'\n', c.sequence, c.id, c.account_id, c.family || '.' || c.action,
		coalesce(c.entity_id::text, ''), coalesce(c.parent_id::text, ''), array_to_string(c.record_ids, ','),
			coalesce(array_to_string(c.concerns, ','), ''),
		(extract(epoch FROM c.occurred_at) * 1000000)::bigint, coalesce(c.request_id, ''),
			coalesce(c.user_id::text, ''), coalesce(c.token, ''),
		coalesce(c.job, ''), coalesce(encode(c.digest, 'hex'), ''))`, "c.", c+".")
}

// ChangeFilter selects changes. Zero values select all.
type ChangeFilter struct {
	Family   finance.Family
	Action   finance.Action
	EntityID int64
	RecordID int64
}

// Viewer holds the rights of a reader of changes. The zero value sees only the changes that every
// member sees.
type Viewer struct {
	All      bool // everything: an administrator, or an operator
	Families []finance.Family
	Entities []int64 // that still exist; nil: all, including deleted ones
}

// ChangeSpan describes the stored changes of an account: the changes after Dropped, up to Latest.
type ChangeSpan struct{ Dropped, Latest int64 }

// ChangeSpan reads the numbers of the stored changes; zeros for an account without changes.
func (q Queries) ChangeSpan(ctx context.Context, account int64) (ChangeSpan, error) {
	return db.One[ChangeSpan](ctx, q.DB, `
		SELECT coalesce(max(dropped), 0) AS dropped, coalesce(max(sequence), 0) AS latest FROM change_heads
			WHERE account_id = $1`, account)
}

// ChangeHeads reads the number of the last change of each of the accounts. Accounts without changes
// are left out.
func (q Queries) ChangeHeads(ctx context.Context, accounts []int64) (map[int64]int64, error) {
	rows, err := db.Many[struct{ AccountID, Sequence int64 }](ctx, q.DB,
		`SELECT account_id, sequence FROM change_heads WHERE account_id = ANY($1)`, accounts)
	heads := make(map[int64]int64, len(rows))
	for _, r := range rows {
		heads[r.AccountID] = r.Sequence
	}
	return heads, err
}

// changePageBytes is the size of attributes at which a page of changes ends. The attributes of one
// change have at most 80 KB, so no page is too large for a reader.
const changePageBytes = 8 << 20

// selectedChanges is the condition of the changes that a viewer and a filter select, with selectedChangesArgs.
const selectedChanges = `account_id = @account AND sequence > @after AND sequence <= @through
			AND (@family = '' OR family = @family) AND (@action = '' OR action = @action)
			AND (@entity::bigint = 0 OR entity_id = @entity) AND (@record::bigint = 0 OR @record = ANY(record_ids))
			AND (@sees_all OR (family = ANY(@seen_families) AND (concerns IS NULL OR concerns && @seen_families)
				AND (@sees_all_entities OR entity_id IS NULL OR entity_id = ANY(@seen_entities))))`

func selectedChangesArgs(account, after, through int64, f ChangeFilter, v Viewer) db.Args {
	return db.Args{
		"account": account, "after": after, "through": through,
		"family": f.Family, "action": f.Action, "entity": f.EntityID, "record": f.RecordID, "sees_all": v.All,
		"seen_families": familyNames(v.Families), "sees_all_entities": v.Entities == nil,
		"seen_entities": pq.Int64Array(v.Entities),
	}
}

var pageOfChanges = db.Named("changes.page", `
	SELECT `+ChangeColumns+` FROM (
		SELECT *,
			sum(octet_length(attributes)) OVER (ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS
				bytes_before
		FROM changes
		WHERE `+selectedChanges+`
		ORDER BY sequence LIMIT @limit) page
	WHERE coalesce(bytes_before, 0) < @most_bytes ORDER BY sequence`)

// Changes reads up to limit changes with numbers from after + 1 to through, in their order, and
// fewer if they are large. It returns the last number that it looked at, after which the next page
// begins. Changes that the viewer may not see are left out.
func (q Queries) Changes(ctx context.Context, account, after, through int64, f ChangeFilter, v Viewer, limit int) (
	all []Change, last int64, err error) {
	all, err = db.ManyNamed[Change](ctx, q.DB, pageOfChanges,
		selectedChangesArgs(account, after, through, f, v),
		db.Args{"limit": limit, "most_bytes": changePageBytes})
	bytes := 0
	for _, c := range all {
		if c.Attributes != nil {
			bytes += len(*c.Attributes)
		}
	}
	if len(all) == limit || bytes >= changePageBytes {
		through = all[len(all)-1].Sequence
	}
	return all, through, err
}

var countOfChanges = db.Named("changes.count", `
	SELECT count(*) AS found, coalesce((array_agg(sequence ORDER BY sequence))[@n::bigint], 0) AS nth FROM changes
	WHERE `+selectedChanges)

// CountChanges counts the changes that Changes would read without a limit, and returns the number of the nth one; 0 if
// they are fewer.
func (q Queries) CountChanges(ctx context.Context, account, after, through int64, f ChangeFilter, v Viewer, n int64) (
	found, nth int64, err error) {
	c, err := db.OneNamed[struct{ Found, Nth int64 }](ctx, q.DB, countOfChanges,
		selectedChangesArgs(account, after, through, f, v), db.Args{"n": n})
	return c.Found, c.Nth, err
}

// EntitiesThatExist returns the ids that are entities of the account.
func (q Queries) EntitiesThatExist(ctx context.Context, account int64, ids []int64) ([]int64, error) {
	return db.Many[int64](ctx, q.DB, `SELECT id FROM entities WHERE account_id = $1 AND id = ANY($2) ORDER BY id`,
		account, ids)
}

// ParseChangeEvent reads the name of a family's events, such as "sales.*", or of one, such as
// "sales.created".
func ParseChangeEvent(name string) (f ChangeFilter, err error) {
	family, action, _ := strings.Cut(name, ".")
	for _, known := range finance.ChangeFamilies {
		if family != string(known) {
			continue
		}
		f.Family = known
		if action == "*" {
			return f, nil
		}
		for _, f.Action = range finance.Actions {
			if action == string(f.Action) {
				return f, nil
			}
		}
	}
	return ChangeFilter{}, messages.NotInList
}

// ChangesUntil returns the latest time, in whole seconds, before which no updated_at can appear any
// more: records have the time at which their transaction began, and become visible when it commits.
// A client that reads it before a list can begin the next search for changes at this time without
// missing any.
//
// PostgreSQL reports a statement slightly after it has begun, hence the second subtracted.
// Sessions that cannot write (Options.ReadOnly) and programs that only copy a database (pg_dump)
// are ignored. The sessions of another database role are not visible: all processes and commands
// except migrate share one.
func (q Queries) ChangesUntil(ctx context.Context) (time.Time, error) {
	return db.One[time.Time](ctx, q.DB, `
		SELECT date_trunc('second', least(now(), min(coalesce(xact_start, query_start))) - interval '1 second')
			FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
			AND (xact_start IS NOT NULL OR state = 'active') AND application_name NOT LIKE 'pg\_%'
			AND application_name <> '`+readers+`'`)
}

// readers is the application of the sessions that cannot write.
const readers = "bordero reads"
