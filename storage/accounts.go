package storage

import (
	"context"
	"errors"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/list"

	"github.com/lib/pq"
)

var accountFilters = list.Table("Account", map[string]list.Filter{"updated_at_gte": list.ChangedSince("")})

// Accounts lists the accounts with these ids, by id.
func (q Queries) Accounts(ctx context.Context, ids []int64, l list.Query) (list.Page[finance.Account], error) {
	return list.Read[finance.Account](ctx, q.DB, l, accountFilters,
		`id, name, uuid, plan_slug, default_currency_id, sandbox, created_at, updated_at`,
		`accounts WHERE id = ANY(@accounts)`, list.By("id"), db.Args{"accounts": pq.Array(ids)})
}

// AccountNames reads the ids and the names of the accounts with these ids, by id.
func (q Queries) AccountNames(ctx context.Context, ids []int64) ([]finance.Account, error) {
	return db.Many[finance.Account](ctx, q.DB, `SELECT id, name FROM accounts WHERE id = ANY($1) ORDER BY id`,
		pq.Array(ids))
}

// InsertAccount inserts an account, a sandbox or not, with the default categories, and returns its id.
func (tx *Tx) InsertAccount(ctx context.Context, name string, sandbox bool) (int64, error) {
	id, err := db.One[int64](ctx, tx.DB, `INSERT INTO accounts (name, sandbox) VALUES ($1, $2) RETURNING id`, name,
		sandbox)
	if err != nil {
		return 0, err
	}
	return id, tx.insertDefaultCategories(ctx, id)
}

// InsertFirstEntity inserts the entity with which an account begins, which has its name.
func (tx *Tx) InsertFirstEntity(ctx context.Context, account int64, name string) (*finance.Entity, error) {
	e := finance.NewEntity(account, name)
	if err := tx.InsertEntity(ctx, &e); err != nil {
		return nil, err
	}
	return &e, tx.Emit(ctx, finance.Event{Family: finance.EntitiesFamily, Action: finance.Created, AccountID: account,
		EntityID: e.ID, IDs: []int64{e.ID}})
}

var emitCategories = EmissionOf("emit.default_categories",
	`SELECT id, NULL::bigint AS parent_id FROM categories WHERE account_id = @account AND deleted_at IS NULL`,
	finance.CategoriesFamily)

// LockAccount locks the row of an account FOR NO KEY UPDATE until the transaction ends, for rules that
// depend on several of its rows (docs/locking.md). An unknown account is ErrNotFound.
func (tx *Tx) LockAccount(ctx context.Context, account int64) error {
	_, err := db.One[int64](ctx, tx.DB, `SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account)
	return err
}

// ErrWhichAccount means that there are several accounts, or no account.
var ErrWhichAccount = errors.New("there is not one account alone")

// OnlyAccount returns the id of the only account. Without exactly one account it returns
// ErrWhichAccount.
func (q Queries) OnlyAccount(ctx context.Context) (int64, error) {
	ids, err := db.Many[int64](ctx, q.DB, `SELECT id FROM accounts ORDER BY id LIMIT 2`)
	if err == nil && len(ids) != 1 {
		err = ErrWhichAccount
	}
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// AccountRow is an account as an operator sees it.
type AccountRow struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Sandbox   bool      `json:"sandbox"`
	CreatedAt time.Time `json:"created_at"`
	Entities  int64     `json:"entities"` // without deleted ones
	Members   int64     `json:"members"`  // empty while the account is being deleted
}

// AllAccounts lists all accounts, by id. It is for operators.
func (q Queries) AllAccounts(ctx context.Context) ([]AccountRow, error) {
	return db.Many[AccountRow](ctx, q.DB, `
		SELECT a.id, a.name, a.sandbox, a.created_at,
			(SELECT count(*) FROM entities e WHERE e.account_id = a.id AND e.deleted_at IS NULL) AS entities,
			(SELECT count(*) FROM memberships m WHERE m.account_id = a.id) AS members
		FROM accounts a ORDER BY a.id`)
}
