package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bordero/finance"

	"github.com/lib/pq"
)

// belonging is a table whose rows each hang on an owner, and go with it. Tables whose
// foreign key says ON DELETE CASCADE need no line of their own.
type belonging struct {
	table  string
	owner  string // the column that names the owner
	under  string // the owner's table: another belonging's, or the root
	key    string // the columns that tell the rows of an owner apart, in the order of an index
	newest bool   // the last rows go first: what refers to another of the table is newer
	pairs  bool   // transactions: the other side of a transfer goes in the same statement
	files  bool   // file_key names a file
	tells  *teller
	// exactly removes rows of an account by their ids in another way than by a DELETE:
	// all that others still see agrees at every commit.
	exactly func(*Tx, context.Context, int64, []int64) error
}

// batch is what a chunk takes: up to most rows after the place.
func (b *belonging) batch(from place, most int) string {
	direction, after := "ASC", ">"
	if b.newest {
		direction, after = "DESC", "<"
	}
	columns := strings.Split(b.key, ", ")
	beyond := ""
	if len(from.Key) == len(columns) {
		var values []string
		for i := range columns {
			values = append(values, fmt.Sprintf("$%d", i+3))
		}
		beyond = fmt.Sprintf(" AND (%s) %s (%s)", b.key, after, strings.Join(values, ", "))
	}
	return fmt.Sprintf(`%s WHERE account_id = $1 AND %s = $2%s ORDER BY %s %s LIMIT %d`,
		b.table, b.owner, beyond, strings.Join(columns, " "+direction+", "), direction, most)
}

func (b *belonging) args(account int64, from place) []any {
	args := []any{account, from.Owner}
	for _, k := range from.Key {
		args = append(args, k)
	}
	return args
}

// texts are the columns of the key as the cursor has them.
func (b *belonging) texts() string {
	return "ARRAY[" + strings.ReplaceAll(b.key, ", ", "::text, ") + "::text]"
}

// errMissed is the error of rows that somebody changed while they were to go: they
// are somewhere else in the table, and are to be taken again.
var errMissed = errors.New("some rows have changed")

// take removes up to most rows after the place, tells of them, and returns how many
// it found and the key of the last. errMissed is not of those that it has removed.
func (b *belonging) take(ctx context.Context, tx *Tx, account int64, from place, most int) (n int64, last []string, err error) {
	if b.exactly != nil {
		found, err := many[struct {
			ID  int64
			Key pq.StringArray
		}](ctx, tx.q, `SELECT id, `+b.texts()+` AS key FROM `+b.batch(from, most), b.args(account, from)...)
		if err != nil || len(found) == 0 {
			return 0, nil, err
		}
		ids := make([]int64, len(found))
		for i, f := range found {
			ids[i] = f.ID
		}
		return int64(len(found)), found[len(found)-1].Key, b.exactly(tx, ctx, account, ids)
	}
	rows, err := many[struct {
		Found    int64
		Gone     int64
		Last     pq.StringArray
		Family   finance.Family
		EntityID int64
		ParentID int64
		IDs      pq.Int64Array
	}](ctx, tx.q, b.deletion(from, most), b.args(account, from)...)
	if err != nil {
		return 0, nil, err
	}
	for _, r := range rows {
		if len(r.IDs) == 0 {
			continue
		}
		err := tx.Emit(ctx, finance.Event{
			Family: r.Family, Action: finance.Destroyed, AccountID: account, EntityID: r.EntityID, ParentID: r.ParentID, IDs: r.IDs,
		})
		if err != nil {
			return 0, nil, err
		}
	}
	if rows[0].Gone < rows[0].Found {
		return rows[0].Gone, nil, errMissed
	}
	return rows[0].Found, rows[0].Last, nil
}

// deletion removes a batch by place, in one statement. It returns a row for each
// family, entity and parent that is told of it, one at least.
func (b *belonging) deletion(from place, most int) string {
	columns, told, places, returning := b.key, `SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids`, `SELECT place FROM batch`, "1"
	if b.pairs {
		columns += ", transfer_id"
		places += ` UNION ALL SELECT ctid FROM ` + b.table + ` WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL))`
	}
	if b.tells != nil {
		returning = b.tells.columns()
		told = b.tells.groups(`gone`)
	}
	ends := "DESC"
	if b.newest {
		ends = "ASC"
	}
	return strings.NewReplacer("{columns}", columns, "{batch}", b.batch(from, most), "{table}", b.table, "{places}", places,
		"{returning}", returning, "{last}", b.texts(), "{ends}", strings.ReplaceAll(b.key, ", ", " "+ends+", ")+" "+ends, "{told}", told).Replace(`
		WITH batch AS MATERIALIZED (SELECT ctid AS place, {columns} FROM {batch}),
		gone AS (DELETE FROM {table} t WHERE ctid = ANY(ARRAY({places})) RETURNING {returning})
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT {last} FROM batch ORDER BY {ends} LIMIT 1) AS last) b
		LEFT JOIN ({told}) g ON true`)
}
