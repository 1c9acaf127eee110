package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
)

const registerColumns = `id, account_id, deposit_account_id, opened_at, opening_responsible_id, opening_responsible_name,
	closed_at, closing_responsible_id, closing_responsible_name`

// OpenRegister opens a cash register. A register that is open already is a finance.Invalid:
// the schema allows one open session.
func (tx *Tx) OpenRegister(ctx context.Context, r *finance.RegisterSession) (err error) {
	*r, err = db.One[finance.RegisterSession](ctx, tx.DB, `
		INSERT INTO register_sessions (account_id, deposit_account_id, opened_at, opening_responsible_id, opening_responsible_name)
		VALUES ($1, $2, $3, $4, $5) RETURNING `+registerColumns,
		r.AccountID, r.DepositAccountID, r.OpenedAt, r.OpeningResponsibleID, r.OpeningResponsibleName)
	return refused(err)
}

// OpenRegisterSession reads the open session of a cash register and locks it FOR UPDATE. If
// the register is closed, it returns ErrNotFound.
func (tx *Tx) OpenRegisterSession(ctx context.Context, account, depositAccount int64) (*finance.RegisterSession, error) {
	r, err := db.One[finance.RegisterSession](ctx, tx.DB, `SELECT `+registerColumns+`
		FROM register_sessions WHERE account_id = $1 AND deposit_account_id = $2 AND closed_at IS NULL FOR UPDATE`, account, depositAccount)
	return &r, err
}

// CloseRegister stores the closing of an open session.
func (tx *Tx) CloseRegister(ctx context.Context, r *finance.RegisterSession) (err error) {
	*r, err = db.One[finance.RegisterSession](ctx, tx.DB, `
		UPDATE register_sessions SET closed_at = $3, closing_responsible_id = $4, closing_responsible_name = $5
		WHERE account_id = $1 AND id = $2 AND closed_at IS NULL RETURNING `+registerColumns,
		r.AccountID, r.ID, r.ClosedAt, r.ClosingResponsibleID, r.ClosingResponsibleName)
	return err
}
