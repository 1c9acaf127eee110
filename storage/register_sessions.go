package storage

import (
	"context"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/list"
)

// registerColumns are selected with the alias r.
const registerColumns = `r.id, r.account_id, r.deposit_account_id, r.opened_at, r.opening_responsible_id,
	r.opening_responsible_name,
	r.closed_at, r.closing_responsible_id, r.closing_responsible_name`

// lastSession selects the newest session of a row of deposit_accounts that is a cash register, as JSON.
var lastSession = `CASE WHEN deposit_account_type_id = ` + strconv.Itoa(finance.CashRegister) + ` THEN (
		SELECT json_build_object('OpenedAt', ` + inUTC("r.opened_at") +
	`, 'OpeningResponsibleID', r.opening_responsible_id,
			'OpeningResponsibleName', r.opening_responsible_name, 'ClosedAt', ` + inUTC("r.closed_at") + `,
			'ClosingResponsibleID', r.closing_responsible_id, 'ClosingResponsibleName', r.closing_responsible_name)
		FROM register_sessions r WHERE r.account_id = deposit_accounts.account_id
			AND r.deposit_account_id = deposit_accounts.id
		ORDER BY r.id DESC LIMIT 1) END`

// inUTC formats a time for JSON. By default PostgreSQL writes the offset of the zone. Historical
// offsets have seconds, which the parser of times does not read.
func inUTC(column string) string {
	return `to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

// RegisterSessions lists one page of the sessions of a deposit account of the entity, newest first.
func (q Queries) RegisterSessions(ctx context.Context, s Scope, depositAccount int64,
	l list.Query) (list.Page[finance.RegisterSession], error) {
	return list.Read[finance.RegisterSession](ctx, q.DB, l, nil, registerColumns,
		`register_sessions r JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE r.account_id = @account AND d.entity_id = @entity AND r.deposit_account_id = @deposit_account
			AND d.deleted_at IS NULL`,
		list.By("r.id").Down(), db.Args{
			"account": s.AccountID, "entity": s.EntityID, "deposit_account": depositAccount,
		})
}

// OpenRegister opens the cash register of a locked deposit account, and emits the event of the
// session. A register that is open already is a finance.Invalid: the schema allows one open session.
func (tx *Tx) OpenRegister(ctx context.Context, d *finance.DepositAccount, r *finance.RegisterSession) error {
	err := tx.ExecEmitting(ctx, "register_sessions", `
		INSERT INTO register_sessions (account_id, deposit_account_id, opened_at, opening_responsible_id,
			opening_responsible_name)
		VALUES (@account, @deposit_account, @opened_at, @user, @user_name) RETURNING`, finance.Created, d.AccountID,
		db.Args{"deposit_account": d.ID, "opened_at": r.OpenedAt, "user": r.OpeningResponsibleID,
			"user_name": r.OpeningResponsibleName})
	if err != nil {
		return refused(err)
	}
	return tx.registerMoved(ctx, d)
}

// registerMoved sets updated_at of a deposit account after its register was opened or closed, and
// reads the account with that session.
func (tx *Tx) registerMoved(ctx context.Context, d *finance.DepositAccount) (err error) {
	*d, err = db.One[finance.DepositAccount](ctx, tx.DB, `
		UPDATE deposit_accounts SET updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING `+
		depositAccountColumns, d.AccountID, d.ID)
	return err
}

// OpenRegisterSession reads the open session of a cash register and locks it FOR UPDATE. If
// the register is closed, it returns ErrNotFound.
func (tx *Tx) OpenRegisterSession(ctx context.Context, account, depositAccount int64) (*finance.RegisterSession,
	error) {
	r, err := db.One[finance.RegisterSession](ctx, tx.DB, `SELECT `+registerColumns+`
		FROM register_sessions r WHERE r.account_id = $1 AND r.deposit_account_id = $2
			AND r.closed_at IS NULL FOR UPDATE`, account, depositAccount)
	return &r, err
}

// CloseRegister stores the closing of the locked open session of a locked deposit account, and emits the
// event of the session with the attributes that change.
func (tx *Tx) CloseRegister(ctx context.Context, d *finance.DepositAccount, r *finance.RegisterSession,
	attributes string) error {
	_, err := db.Exec(ctx, tx.DB, `
		UPDATE register_sessions SET closed_at = $3, closing_responsible_id = $4, closing_responsible_name = $5
		WHERE account_id = $1 AND id = $2 AND closed_at IS NULL`,
		d.AccountID, r.ID, r.ClosedAt, r.ClosingResponsibleID, r.ClosingResponsibleName)
	if err != nil {
		return err
	}
	err = tx.Emit(ctx, finance.Event{
		Family: finance.RegisterSessionsFamily, Action: finance.Updated,
		AccountID: d.AccountID, EntityID: d.EntityID, ParentID: d.ID, IDs: []int64{r.ID}, Attributes: attributes,
	})
	if err != nil {
		return err
	}
	return tx.registerMoved(ctx, d)
}
