package operators

import (
	"context"
	"strings"
	"time"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/members"

	"github.com/lib/pq"
)

// ChangeSearch selects changes of an account for an operator. Zero values select all.
type ChangeSearch struct {
	storage.ChangeFilter
	RequestID string
	UserID    int64
	Since     *time.Time
	Until     *time.Time // the end, not included
	Before    int64      // only changes with lower numbers
}

// FoundChanges is a page of a search, newest first.
type FoundChanges struct {
	Changes []storage.Change
	Next    int64 // Before of the next page; 0 at the end
}

// searchedChanges is the largest number of changes that one page of a search looks at; of a search by a
// record, of each of both ways.
const searchedChanges = "5000"

// changeWay has the statements that find changes by an index: the lowest number that all of its conditions
// reach within searchedChanges, and a page.
type changeWay struct{ reached, page db.Statement }

var (
	changesByNumber  = changesBy("number", "true")
	changesByRequest = changesBy("request", "request_id = @request")
	changesByUser    = changesBy("user", "user_id = @user")
	// The record is alone in its change, or among others.
	changesByRecord = changesBy("record", "record_ids[1] = @record AND cardinality(record_ids) = 1",
		"cardinality(record_ids) > 1")
)

func changesBy(name string, conditions ...string) changeWay {
	each := func(columns, filters, end string) string {
		selects := make([]string, len(conditions))
		for i, condition := range conditions {
			selects[i] = `(
			SELECT ` + columns + ` FROM changes
			WHERE account_id = @account AND sequence > @after AND sequence < @before AND ` + condition + filters + `
			ORDER BY sequence DESC ` + end + `)`
		}
		return strings.Join(selects, " UNION ALL ")
	}
	return changeWay{
		reached: db.Named("changes.reached_by_"+name, `
		SELECT coalesce(max(sequence), 0) FROM (`+each("sequence", "", "OFFSET "+searchedChanges+" - 1 LIMIT 1")+`) c`),
		page: db.Named("changes.search_by_"+name, `
		SELECT `+storage.ChangeColumns+` FROM (`+each(storage.ChangeColumns, `
				AND (@family = '' OR family = @family) AND (@action = '' OR action = @action)
				AND (@entity::bigint = 0 OR entity_id = @entity) AND (@record::bigint = 0 OR @record = ANY(record_ids))
				AND (@user::bigint = 0 OR user_id = @user)
				AND (@since::timestamptz IS NULL OR occurred_at >= @since) AND (@until::timestamptz IS NULL OR `+
			`occurred_at < @until)`, `LIMIT @limit`)+`) c
		ORDER BY sequence DESC LIMIT @limit`),
	}
}

// SearchChanges reads a page of up to limit changes, newest first. It finds them by an index of
// their request, else of their record, else of their user, else of their numbers. The rest of the
// search filters the changes that one request looks at, so a page may be empty although a next page
// exists.
func SearchChanges(ctx context.Context, q storage.Queries, account int64, s ChangeSearch, limit int) (page FoundChanges,
	err error) {
	after, before, err := searchedSpan(ctx, q, account, s)
	if err != nil || after+1 >= before {
		return page, err
	}
	way, sought := changesByNumber, db.Args(nil)
	switch {
	case s.RequestID != "":
		way, sought = changesByRequest, db.Args{"request": s.RequestID}
	case s.RecordID != 0:
		way, sought = changesByRecord, db.Args{"record": s.RecordID}
	case s.UserID != 0:
		way, sought = changesByUser, db.Args{"user": s.UserID}
	}
	span := db.Args{"account": account, "after": after, "before": before}
	reached, err := db.OneNamed[int64](ctx, q.DB, way.reached, span, sought)
	if err != nil {
		return page, err
	}
	span["after"] = max(after, reached-1)
	filters := db.Args{
		"family": s.Family, "action": s.Action, "entity": s.EntityID, "record": s.RecordID, "user": s.UserID,
		"since": s.Since, "until": s.Until, "limit": limit + 1,
	}
	if s.RequestID != "" {
		filters["request"] = s.RequestID
	}
	page.Changes, err = db.ManyNamed[storage.Change](ctx, q.DB, way.page, span, filters)
	switch {
	case len(page.Changes) > limit:
		page.Changes = page.Changes[:limit]
		page.Next = page.Changes[limit-1].Sequence
	case reached-1 > after:
		page.Next = reached
	}
	return page, err
}

// longestTransaction bounds how much earlier a change may have occurred than one with a lower
// number: a change occurred when its transaction began.
const longestTransaction = time.Hour

// searchedSpan returns two numbers: every change that a search finds lies between them, exclusive
// of both.
func searchedSpan(ctx context.Context, q storage.Queries, account int64, s ChangeSearch) (after, before int64,
	err error) {
	span, err := q.ChangeSpan(ctx, account)
	if err != nil {
		return 0, 0, err
	}
	after, before = span.Dropped, span.Latest+1
	if s.Before != 0 {
		before = min(before, s.Before)
	}
	if s.Until != nil {
		last, err := lastChangeAt(ctx, q, account, span, s.Until.Add(longestTransaction))
		if err != nil {
			return 0, 0, err
		}
		before = min(before, last+1)
	}
	if s.Since != nil {
		after, err = lastChangeAt(ctx, q, account, span, s.Since.Add(-longestTransaction))
	}
	return after, before, err
}

// lastChangeAt returns the number of the last change before a time, by halving the span: numbers
// follow time but for the length of transactions.
func lastChangeAt(ctx context.Context, q storage.Queries, account int64, span storage.ChangeSpan, at time.Time) (int64,
	error) {
	return db.One[int64](ctx, q.DB, `
		WITH RECURSIVE halved AS (
			SELECT $2::bigint AS low, $3::bigint AS high
			UNION ALL
			SELECT CASE WHEN earlier THEN middle ELSE low END, CASE WHEN earlier THEN high ELSE middle - 1 END
			FROM (SELECT low, high, (low + high + 1) / 2 AS middle FROM halved WHERE low < high) h
			CROSS
				JOIN LATERAL (SELECT coalesce((SELECT occurred_at < $4 FROM changes WHERE account_id = $1
					AND sequence = middle), true) AS earlier) c)
		SELECT low FROM halved WHERE low = high`, account, span.Dropped, span.Latest, at)
}

// AccountName returns the name of an account.
func AccountName(ctx context.Context, q storage.Queries, account int64) (string, error) {
	return db.One[string](ctx, q.DB, `SELECT name FROM accounts WHERE id = $1`, account)
}

// MemberEmails returns the e-mails of the users, by id. Users that are not members of the account
// are left out.
func MemberEmails(ctx context.Context, q storage.Queries, account int64, users []int64) (map[int64]string, error) {
	rows, err := db.Many[members.Administrator](ctx, q.DB, `
		SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1
			AND u.id = ANY($2)`, account, pq.Int64Array(users))
	emails := make(map[int64]string, len(rows))
	for _, r := range rows {
		emails[r.ID] = r.Email
	}
	return emails, err
}

// MemberByEmail returns the id of the member with the e-mail, in any case of letters.
func MemberByEmail(ctx context.Context, q storage.Queries, account int64, email string) (int64, error) {
	return db.One[int64](ctx, q.DB, `
		SELECT u.id FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1
			AND lower(u.email) = lower($2)`, account, email)
}
