package proof

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"

	"github.com/lib/pq"
)

// A look at a deposit account proves its newest statements, which are at most provenDays days older than the newest
// one, or than today if that states the balance of a later day: more than a year of them, if each day has one. It reads
// all transactions since the oldest.
const (
	maxProven  = 400
	provenDays = 400
)

var readNewest = db.Named("balance_proofs.newest", proofsOf(`b.id = ANY(ARRAY(
		SELECT id FROM (
			SELECT b.id, b.ledger_balance_on AS day, first_value(b.ledger_balance_on) OVER newest AS newest,
				row_number() OVER newest AS nth
			FROM bank_statements b WHERE `+provable+` AND b.deposit_account_id = @deposit_account
			WINDOW newest AS (ORDER BY b.ledger_balance_on DESC NULLS LAST, b.id DESC)
			ORDER BY nth LIMIT @most) b
		WHERE nth = 1 OR day >= least(newest, current_date) - @days::int))`))

// Prove stores whether the newest 400 statements of a deposit account that state a balance agree, without those more
// than 400 days older than the newest, and emits an event of each statement with another result than in the last run.
// Running it twice is harmless. It locks the stored result of the newest before it reads, so that another run, or an
// import of the release before, which stores this result too, does not overtake it.
func Prove(ctx context.Context, tx *storage.Tx, account, depositAccount int64) error {
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM balance_proofs WHERE account_id = $1 AND deposit_account_id = $2
		FOR NO KEY UPDATE`, account, depositAccount)
	if err != nil {
		return err
	}
	proofs, err := db.ManyNamed[finance.BalanceProof](ctx, tx.DB, readNewest, db.Args{
		"account": account, "deposit_account": depositAccount, "most": maxProven, "days": provenDays})
	if err != nil {
		return err
	}
	if len(proofs) == 0 {
		_, err = db.Exec(ctx, tx.DB, `
			WITH statements AS (
				DELETE FROM statement_proofs WHERE account_id = $1 AND deposit_account_id = $2)
			DELETE FROM balance_proofs WHERE account_id = $1 AND deposit_account_id = $2`, account, depositAccount)
		return err
	}
	var statements pq.Int64Array
	var statuses pq.StringArray
	for _, p := range proofs {
		statements, statuses = append(statements, p.BankStatementID), append(statuses, p.Status)
	}
	turned, err := db.ManyNamed[struct{ BankStatementID, EntityID int64 }](ctx, tx.DB, storeProofs,
		db.Args{"account": account, "deposit_account": depositAccount, "statements": statements,
			"statuses": statuses})
	if err != nil {
		return err
	}
	var events []finance.Event
	for _, t := range turned {
		events = append(events, finance.Event{Family: finance.BankStatementsFamily, Action: finance.Updated,
			AccountID: account, EntityID: t.EntityID, ParentID: depositAccount, IDs: []int64{t.BankStatementID}})
	}
	return tx.EmitEach(ctx, events)
}

// storeProofs stores the proofs of the @statements, the newest first, instead of the earlier ones, and returns the
// statements that had another status. The status of the newest counts as stored in balance_proofs, which processes of
// the release before update.
var storeProofs = db.Named("balance_proofs.store", `
	WITH proven AS (
		SELECT id, status, nth FROM unnest(@statements::bigint[], @statuses::text[]) WITH ORDINALITY
			AS p (id, status, nth)),
	newest AS (
		INSERT INTO balance_proofs (account_id, deposit_account_id, bank_statement_id, status)
		SELECT @account, @deposit_account, id, status FROM proven WHERE nth = 1
		ON CONFLICT (account_id, deposit_account_id) DO UPDATE
		SET bank_statement_id = excluded.bank_statement_id, status = excluded.status, proven_at = excluded.proven_at),
	removed AS (
		DELETE FROM statement_proofs WHERE account_id = @account AND deposit_account_id = @deposit_account
			AND bank_statement_id <> ALL(@statements::bigint[])),
	stored AS (
		INSERT INTO statement_proofs (account_id, deposit_account_id, bank_statement_id, status)
		SELECT @account, @deposit_account, id, status FROM proven WHERE NOT EXISTS (
			SELECT FROM statement_proofs s WHERE s.account_id = @account AND s.deposit_account_id = @deposit_account
				AND s.bank_statement_id = proven.id AND s.status = proven.status)
		ORDER BY id
		ON CONFLICT (account_id, deposit_account_id, bank_statement_id) DO UPDATE SET status = excluded.status)
	SELECT proven.id AS bank_statement_id, d.entity_id FROM proven
	JOIN deposit_accounts d ON d.account_id = @account AND d.id = @deposit_account
	LEFT JOIN statement_proofs s ON s.account_id = @account AND s.deposit_account_id = @deposit_account
		AND s.bank_statement_id = proven.id
	LEFT JOIN balance_proofs b ON b.account_id = @account AND b.deposit_account_id = @deposit_account
		AND b.bank_statement_id = proven.id
	WHERE proven.status <> coalesce(b.status, s.status) ORDER BY proven.id`)

// Enqueue enqueues the jobs that look at the proofs of up to 1,000 deposit accounts that may have
// changed since the last look, and have no such job, nor one that failed within a day, and returns their
// number. A change counts for another minute, because its time is the begin of its transaction.
func Enqueue(ctx context.Context, s *storage.Store) (asked int, err error) {
	kind := jobs.ProveBalanceKind
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		tickets, err := db.Many[jobs.Ticket](ctx, tx.DB, `
			WITH changed AS (
				SELECT p.account_id, p.deposit_account_id, p.account_id || ':' || p.deposit_account_id AS key
					FROM balance_proofs p
				JOIN deposit_accounts d ON d.account_id = p.account_id AND d.id = p.deposit_account_id
				WHERE d.deleted_at IS NULL AND d.updated_at > p.proven_at - interval '1 minute' AND NOT EXISTS (
					SELECT FROM jobs j WHERE j.kind = $1 AND j.key = p.account_id || ':' || p.deposit_account_id
						AND coalesce(j.failed_at > now() - interval '1 day', true))
				ORDER BY p.proven_at LIMIT 1000)
			`+queue.InsertJobs+`
			SELECT $1, $2, key, json_build_object('account_id', account_id, 'deposit_account_id',
				deposit_account_id)::text, account_id, NULL, NULL, now()
			FROM changed
			RETURNING id, 0 AS claims, kind, queue, key, false AS running`, kind.Name, kind.Queue)
		asked = len(tickets)
		tx.Offer(tickets...)
		return err
	})
	return asked, err
}

// Count is the number of deposit accounts by the status of their newest proof.
type Count struct {
	Status string
	Count  int64
}

// Counts counts the deposit accounts by the status of their newest proof, as of the last
// look.
func Counts(ctx context.Context, q storage.Queries) ([]Count, error) {
	counts, err := db.Many[Count](ctx, q.DB, `SELECT status, count(*) AS count
		FROM balance_proofs GROUP BY status ORDER BY status`)
	if err != nil {
		return nil, fmt.Errorf("count proofs: %w", err)
	}
	return counts, nil
}

// DifferingRow is a deposit account whose newest proof differs, for operators.
type DifferingRow struct {
	AccountID        int64 `db:"account_id"`
	Account          string
	EntityID         int64 `db:"entity_id"`
	DepositAccountID int64 `db:"deposit_account_id"`
	Name             string
	BankStatementID  int64         `db:"bank_statement_id"`
	On               *finance.Date // the day of the bank's balance
	ProvenAt         time.Time     `db:"proven_at"`
}

// Differing lists the deposit accounts whose newest proof differs, as of the last look, the newest first.
func Differing(ctx context.Context, q storage.Queries, limit int) ([]DifferingRow, error) {
	rows, err := db.Many[DifferingRow](ctx, q.DB, `
		SELECT p.account_id, a.name AS account, d.entity_id, p.deposit_account_id, d.name, p.bank_statement_id,
			b.ledger_balance_on AS "on", p.proven_at
		FROM (
			SELECT * FROM balance_proofs WHERE status = 'differs'
			ORDER BY proven_at DESC, account_id, deposit_account_id LIMIT $1
		) p JOIN accounts a ON a.id = p.account_id
		JOIN deposit_accounts d ON d.account_id = p.account_id AND d.id = p.deposit_account_id
		JOIN bank_statements b ON b.account_id = p.account_id AND b.id = p.bank_statement_id
		ORDER BY p.proven_at DESC, p.account_id, p.deposit_account_id`, limit)
	if err != nil {
		return nil, fmt.Errorf("list proofs: %w", err)
	}
	return rows, nil
}

// ProveImport adds the proof of a statement to the output of its import, which is to succeed with this transaction.
// Other writers wait for the balance meanwhile, so only a difference that arose among the last 50,000 transactions is
// explained, and a job looks which proofs of the deposit account have turned. Enqueue is not enough: the transaction of
// a large import may be too old for it. A statement without a balance may turn proofs, too.
func ProveImport(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) error {
	if b.LedgerBalance == nil {
		proven, err := db.One[bool](ctx, tx.DB, `SELECT EXISTS (SELECT FROM balance_proofs WHERE account_id = $1
			AND deposit_account_id = $2)`, b.AccountID, b.DepositAccountID)
		if err != nil || !proven {
			return err
		}
	} else if err := addProof(ctx, tx, b); err != nil {
		return err
	}
	return tx.Enqueue(ctx, b.AccountID, jobs.ProveBalance{AccountID: b.AccountID, DepositAccountID: b.DepositAccountID})
}

// addProof adds the proof of a statement to the output of its import.
func addProof(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) error {
	if err := tx.ApplyMovements(ctx); err != nil {
		return err
	}
	p, err := compareBalance(ctx, tx.Queries, b)
	if err != nil {
		return err
	}
	if p.Status == finance.ProofDiffers {
		if err := explainSoon(ctx, tx, b, p); err != nil {
			return err
		}
	}
	sentence := p.Sentence()
	if sentence == "" {
		return nil
	}
	*b.EventOutput += " " + sentence
	_, err = db.Exec(ctx, tx.DB, `UPDATE bank_statements SET event_output = $3 WHERE account_id = $1 AND id = $2`,
		b.AccountID, b.ID, b.EventOutput)
	return err
}

// OfTx is Of, after the changes of this transaction.
func OfTx(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) (*finance.BalanceProof, error) {
	if err := tx.ApplyMovements(ctx); err != nil {
		return nil, err
	}
	return Of(ctx, tx.Queries, b)
}

// explainSoon explains the difference of a proof from the last transactions, and from files with few known items.
func explainSoon(ctx context.Context, tx *storage.Tx, b *finance.BankStatement, p *finance.BalanceProof) error {
	since, err := db.One[finance.Date](ctx, tx.DB, `
		SELECT occurred_at FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2
			AND occurred_at <= $3
		ORDER BY occurred_at DESC, id DESC OFFSET $4 LIMIT 1`, b.AccountID, b.DepositAccountID, b.LedgerBalanceOn,
		maxReadByImports)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return explain(ctx, tx.Queries, b, p, limits{known: maxKnownByImports})
	case err != nil:
		return err
	}
	return explain(ctx, tx.Queries, b, p, limits{&since, maxKnownByImports})
}

// The numbers of transactions, and of items of files that were known, from which an import explains a difference. So
// many known items, as of daily files of the last months, take a second.
const (
	maxReadByImports  = 50_000
	maxKnownByImports = 250_000
)
