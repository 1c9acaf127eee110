package storage

import "context"

// hide takes a record of account level from every list; what refers to it is
// cleared later. It waits for open transactions that have just referred to it,
// FOR KEY SHARE, and none refers to it afterwards.
func (tx *Tx) hide(ctx context.Context, table string, account, id int64) error {
	_, err := exec(ctx, tx.q, `UPDATE `+table+` SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM `+table+` WHERE account_id = $1 AND id = $2 FOR UPDATE)`, account, id)
	return err
}
