package storage

import (
	"context"
	"strings"
	"time"

	"bordero/internal/db"

	"github.com/lib/pq"
)

// ChangeSearch is what an operator looks for in the changes of an account. Zero values select all.
type ChangeSearch struct {
	ChangeFilter
	RequestID string
	UserID    int64
	Since     *time.Time
	Until     *time.Time // the end, not included
	Before    int64      // only changes with lower numbers
}

// FoundChanges is a page of a search, newest first.
type FoundChanges struct {
	Changes []Change
	Next    int64 // where the next page begins, as Before; 0 if there is none
}

// searchedChanges is the largest number of changes that one page of a search looks at; of a search by a
// record, of each of both ways.
const searchedChanges = "5000"

// SearchChanges reads a page of up to limit changes, newest first. An index leads to them by their
// request, else by their record, else by their user, else by their numbers; the rest of the search
// filters what one request looks at, so a page may be empty while there is a next one.
func (q Queries) SearchChanges(ctx context.Context, account int64, s ChangeSearch, limit int) (page FoundChanges, err error) {
	after, before, err := q.searchedSpan(ctx, account, s)
	if err != nil || after+1 >= before {
		return page, err
	}
	ways, arg := []string{"$4::bigint IS NULL"}, any(nil)
	switch {
	case s.RequestID != "":
		ways, arg = []string{"request_id = $4"}, s.RequestID
	case s.RecordID != 0: // alone, or among others
		ways, arg = []string{"record_ids[1] = $4 AND cardinality(record_ids) = 1", "cardinality(record_ids) > 1"}, s.RecordID
	case s.UserID != 0:
		ways, arg = []string{"user_id = $4"}, s.UserID
	}
	each := func(columns, condition, end string) string {
		selects := make([]string, len(ways))
		for i, way := range ways {
			selects[i] = `(SELECT ` + columns + ` FROM changes WHERE account_id = $1 AND sequence > $2 AND sequence < $3 AND ` + way + condition +
				` ORDER BY sequence DESC ` + end + `)`
		}
		return strings.Join(selects, " UNION ALL ")
	}
	// The lowest number that all ways reach.
	reached, err := db.One[int64](ctx, q.DB, `
		SELECT coalesce(max(sequence), 0) FROM (`+each("sequence", "", "OFFSET "+searchedChanges+" - 1 LIMIT 1")+`) c`, account, after, before, arg)
	if err != nil {
		return page, err
	}
	page.Changes, err = db.Many[Change](ctx, q.DB, `
		SELECT `+changeColumns+` FROM (`+each(changeColumns, `
			AND ($5 = '' OR family = $5) AND ($6 = '' OR action = $6) AND ($7 = 0 OR entity_id = $7) AND ($8 = 0 OR $8 = ANY(record_ids))
			AND ($9 = 0 OR user_id = $9) AND ($10::timestamptz IS NULL OR occurred_at >= $10) AND ($11::timestamptz IS NULL OR occurred_at < $11)`, `LIMIT $12`)+`) c
		ORDER BY sequence DESC LIMIT $12`,
		account, max(after, reached-1), before, arg, s.Family, s.Action, s.EntityID, s.RecordID, s.UserID, s.Since, s.Until, limit+1)
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

// searchedSpan returns the numbers between which what a search finds lies, without both.
func (q Queries) searchedSpan(ctx context.Context, account int64, s ChangeSearch) (after, before int64, err error) {
	span, err := q.ChangeSpan(ctx, account)
	if err != nil {
		return 0, 0, err
	}
	after, before = span.Dropped, span.Latest+1
	if s.Before != 0 {
		before = min(before, s.Before)
	}
	if s.Until != nil {
		last, err := q.lastChangeAt(ctx, account, span, s.Until.Add(longestTransaction))
		if err != nil {
			return 0, 0, err
		}
		before = min(before, last+1)
	}
	if s.Since != nil {
		after, err = q.lastChangeAt(ctx, account, span, s.Since.Add(-longestTransaction))
	}
	return after, before, err
}

// lastChangeAt returns the number of the last change before a time, by halving the span: numbers
// follow time but for the length of transactions.
func (q Queries) lastChangeAt(ctx context.Context, account int64, span ChangeSpan, at time.Time) (int64, error) {
	return db.One[int64](ctx, q.DB, `
		WITH RECURSIVE halved AS (
			SELECT $2::bigint AS low, $3::bigint AS high
			UNION ALL
			SELECT CASE WHEN earlier THEN middle ELSE low END, CASE WHEN earlier THEN high ELSE middle - 1 END
			FROM (SELECT low, high, (low + high + 1) / 2 AS middle FROM halved WHERE low < high) h
			CROSS JOIN LATERAL (SELECT coalesce((SELECT occurred_at < $4 FROM changes WHERE account_id = $1 AND sequence = middle), true) AS earlier) c)
		SELECT low FROM halved WHERE low = high`, account, span.Dropped, span.Latest, at)
}

// AccountName returns the name of an account.
func (q Queries) AccountName(ctx context.Context, account int64) (string, error) {
	return db.One[string](ctx, q.DB, `SELECT name FROM accounts WHERE id = $1`, account)
}

// MemberEmails returns the e-mails of those of the users who are members of the account.
func (q Queries) MemberEmails(ctx context.Context, account int64, users []int64) (map[int64]string, error) {
	rows, err := db.Many[Administrator](ctx, q.DB, `
		SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 AND u.id = ANY($2)`, account, pq.Int64Array(users))
	emails := make(map[int64]string, len(rows))
	for _, r := range rows {
		emails[r.ID] = r.Email
	}
	return emails, err
}

// MemberByEmail returns the id of the member with the e-mail, in any case of letters.
func (q Queries) MemberByEmail(ctx context.Context, account int64, email string) (int64, error) {
	return db.One[int64](ctx, q.DB, `
		SELECT u.id FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 AND lower(u.email) = lower($2)`, account, email)
}
