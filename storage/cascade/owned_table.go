package cascade

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// ownedTable is a table of rows that each have an owner and are removed with it. A table with a
// foreign key ON DELETE CASCADE needs no ownedTable.
type ownedTable struct {
	table       string
	owner       string // the column that names the owner
	parentTable string // the owner's table: another owned table's, or the root
	key         string // the columns that identify a row of an owner, in the order of an index
	newest      bool   // removes the last rows first: a row that refers to another of the table is newer
	pairs       bool   // transactions: removes the other side of a transfer in the same statement
	files       bool   // file_key names a file
	hidden      bool   // only rows that are hidden go
	tells       *storage.EventMapping
	// removeRows removes rows of an account by their ids instead of a plain DELETE, so that the
	// sums of the remaining records agree at every commit.
	removeRows rowRemover
}

// batch returns the text after FROM of a query for a chunk, up to most rows after the place, and its
// arguments.
func (b *ownedTable) batch(account int64, from place, most int) (string, db.Args) {
	args := db.Args{"account": account, "owner": from.Owner}
	direction, after := "ASC", ">"
	if b.newest {
		direction, after = "DESC", "<"
	}
	columns := strings.Split(b.key, ", ")
	beyond := ""
	if len(from.Key) == len(columns) {
		var values []string
		for i, column := range columns {
			values = append(values, "@last_"+column)
			args["last_"+column] = from.Key[i]
		}
		beyond = fmt.Sprintf(" AND (%s) %s (%s)", b.key, after, strings.Join(values, ", "))
	}
	return fmt.Sprintf(`%s WHERE account_id = @account AND %s = @owner%s%s ORDER BY %s %s LIMIT %d`,
		b.table, b.owner, b.condition(), beyond, strings.Join(columns, " "+direction+", "), direction, most), args
}

// condition returns the condition of the rows that go, after an AND; "" if all rows of an owner go.
func (b *ownedTable) condition() string {
	if b.hidden {
		return ` AND deleted_at IS NOT NULL`
	}
	return ""
}

// texts returns the columns of the key as an array of text, as the cursor contains them.
func (b *ownedTable) texts() string {
	return "ARRAY[" + strings.ReplaceAll(b.key, ", ", "::text, ") + "::text]"
}

// errMissed is returned if another transaction changed some rows of the chunk, which moved
// them in the table: the chunk must be repeated.
var errMissed = errors.New("some rows have changed")

// take removes up to most rows after the place, emits their events, and returns the number of
// rows found and the key of the last. With errMissed it returns the number of rows removed,
// which must be committed.
func (b *ownedTable) take(ctx context.Context, tx *storage.Tx, account int64, from place, most int) (n int64,
	last []string, err error) {
	batch, args := b.batch(account, from, most)
	if b.removeRows != nil {
		find := db.Bind(`SELECT id, ` + b.texts() + ` AS key FROM ` + batch)
		found, err := db.ManyNamed[struct {
			ID  int64
			Key pq.StringArray
		}](ctx, tx.DB, find, args)
		if err != nil || len(found) == 0 {
			return 0, nil, err
		}
		ids := make([]int64, len(found))
		for i, f := range found {
			ids[i] = f.ID
		}
		return int64(len(found)), found[len(found)-1].Key, b.removeRows(ctx, tx, account, ids)
	}
	remove := db.Bind(b.deletion(batch))
	rows, err := db.ManyNamed[struct {
		Found    int64
		Gone     int64
		Last     pq.StringArray
		Family   finance.Family
		EntityID int64
		ParentID int64
		IDs      pq.Int64Array
		Concerns finance.FamilyList
	}](ctx, tx.DB, remove, args)
	if err != nil {
		return 0, nil, err
	}
	for _, r := range rows {
		if len(r.IDs) == 0 {
			continue
		}
		err := tx.Emit(ctx, finance.Event{
			Family: r.Family, Action: finance.Destroyed, AccountID: account, EntityID: r.EntityID, ParentID: r.ParentID,
			IDs: r.IDs, VisibleTo: r.Concerns,
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

// deletion returns a statement that removes a batch by ctid. The statement returns a row for each
// event that is due (a family, an entity and a parent), at least one row.
func (b *ownedTable) deletion(batch string) string {
	columns, told, places, returning := b.key,
		`SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids, '[]'::json AS concerns`,
		`SELECT place FROM batch`, "1"
	if b.pairs {
		columns += ", transfer_id"
		places += ` UNION ALL SELECT ctid FROM ` + b.table + ` WHERE account_id = @account AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL))`
	}
	if b.tells != nil {
		returning = b.tells.Columns()
		told = b.tells.Groups(`deleted_rows`)
	}
	ends := "DESC"
	if b.newest {
		ends = "ASC"
	}
	return strings.NewReplacer("{columns}", columns, "{batch}", batch, "{table}", b.table, "{places}",
		places,
		"{returning}", returning, "{last}", b.texts(), "{ends}", strings.ReplaceAll(b.key, ", ", " "+ends+", ")+" "+
			ends, "{told}", told).Replace(`
		WITH batch AS MATERIALIZED (SELECT ctid AS place, {columns} FROM {batch}),
		deleted_rows AS (DELETE FROM {table} t WHERE ctid = ANY(ARRAY({places})) RETURNING {returning})
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family,
			coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids, coalesce(g.concerns, '[]') AS concerns
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM deleted_rows) AS gone,
			(SELECT {last} FROM batch ORDER BY {ends} LIMIT 1) AS last) b
		LEFT JOIN ({told}) g ON true`)
}
