package imports

import (
	"context"

	"bordero/finance/memo"
	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// PaymentOf reads what a text of the bank says about the payment.
func PaymentOf(bank int64, description, document, fitid string) memo.Payment {
	return memo.Read(memo.Text{Bank: bank, Description: description, References: []string{fitid, document}})
}

// OfStatement returns the ids of the transactions of a statement after the given one, in their order and at most
// that many.
func OfStatement(ctx context.Context, q storage.Queries, account, statement, after int64, limit int) ([]int64, error) {
	return db.Many[int64](ctx, q.DB, `
		SELECT id FROM financial_transactions WHERE account_id = $1 AND bank_statement_id = $2 AND id > $3
		ORDER BY id LIMIT $4`, account, statement, after, limit)
}

// ReadPayments stores what the texts of imported transactions say about the payments, where nothing is stored: fields
// of a file come before texts. Running it twice is harmless.
func ReadPayments(ctx context.Context, tx *storage.Tx, account int64, transactions []int64) error {
	texts, err := db.Many[struct {
		ID, Bank                     int64
		Description, Document, FITID string
	}](ctx, tx.DB, `
		SELECT t.id, coalesce(d.bank_account_id, 0) AS bank, coalesce(t.original_description, '') AS description,
			coalesce(t.document, '') AS document, coalesce(t.guid, '') AS fitid
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY t.id
		FOR NO KEY UPDATE OF t`, account, pq.Array(transactions))
	if err != nil {
		return err
	}
	var ids []int64
	var endToEndIDs, txids, names, documents []string
	for _, t := range texts {
		if p := PaymentOf(t.Bank, t.Description, t.Document, t.FITID); p != (memo.Payment{}) {
			ids, endToEndIDs, txids = append(ids, t.ID), append(endToEndIDs, p.EndToEndID), append(txids, p.TxID)
			names, documents = append(names, p.CounterpartName), append(documents, p.CounterpartDocument)
		}
	}
	_, err = db.ExecNamed(ctx, tx.DB, setPayments, db.Args{
		"account": account, "ids": pq.Array(ids), "end_to_end_ids": pq.Array(endToEndIDs), "txids": pq.Array(txids),
		"names": pq.Array(names), "documents": pq.Array(documents),
	})
	return err
}

var setPayments = db.Named("financial_transactions.set_payments", `
	UPDATE financial_transactions t SET end_to_end_id = coalesce(t.end_to_end_id, nullif(p.end_to_end_id, '')),
		txid = coalesce(t.txid, nullif(p.txid, '')),
		counterpart_name = coalesce(t.counterpart_name, nullif(p.name, '')),
		counterpart_document = coalesce(t.counterpart_document, nullif(p.document, ''))
	FROM unnest(CAST(@ids AS bigint[]), CAST(@end_to_end_ids AS text[]), CAST(@txids AS text[]),
		CAST(@names AS text[]), CAST(@documents AS text[])) p (id, end_to_end_id, txid, name, document)
	WHERE t.account_id = @account AND t.id = p.id`)
