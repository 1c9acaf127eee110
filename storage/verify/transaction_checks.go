package verify

import (
	"bordero/storage"
)

// transactionChecks are the rules of transactions, transfers and registers.
var transactionChecks = []check{
	rule("balances", `
		WITH recomputed AS (
			SELECT account_id, deposit_account_id AS id, sum(amount) AS sum, count(*) AS count, max(occurred_at) AS last
			FROM financial_transactions GROUP BY account_id, deposit_account_id)
		SELECT d.account_id, format('deposit account %s', d.id),
			format('%s in %s transactions until %s', coalesce(k.sum, 0), coalesce(k.count, 0),
				coalesce(k.last::text, 'none')),
			format('%s in %s transactions until %s', transactions_sum, transactions_count,
				coalesce(last_transaction_date::text, 'none'))
		FROM deposit_accounts d LEFT JOIN recomputed k USING (account_id, id)
		WHERE (transactions_sum, transactions_count, last_transaction_date) IS DISTINCT FROM (coalesce(k.sum, 0),
			coalesce(k.count, 0), k.last)
			AND `+storage.EntityVisible("d")),

	rule("transfers", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('transaction %s of deposit account %s: %s on %s, the other side of %s', t.transfer_id,
				t.transfer_deposit_account_id,
				-t.amount, t.occurred_at, t.id),
			CASE WHEN o.id IS NULL THEN 'no such transaction'
				ELSE format('of deposit account %s: %s on %s, the other side of %s', o.deposit_account_id, o.amount,
					o.occurred_at,
					coalesce(o.transfer_id::text, 'none')) END
		FROM financial_transactions t LEFT JOIN financial_transactions o ON o.account_id = t.account_id
			AND o.id = t.transfer_id
		WHERE t.transfer_id IS NOT NULL AND t.pair_id IS NULL AND (t.id, t.transfer_deposit_account_id, -t.amount,
			t.occurred_at, t.currency_id)
			IS DISTINCT FROM (o.transfer_id, o.deposit_account_id, o.amount, o.occurred_at, o.currency_id)`),

	rule("pairs", storage.CheckPairs),

	rule("currencies of transactions", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('currency %s', d.currency_id),
			format('currency %s', t.currency_id)
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.currency_id <> d.currency_id`),

	rule("currencies of reconciles", `
		SELECT t.account_id, format('reconcile %s', t.reconcile_id), 'transactions in reais',
			format('transaction %s in currency %s', t.id, t.currency_id)
		FROM financial_transactions t WHERE t.reconcile_id IS NOT NULL AND t.currency_id <> 1`),

	rule("registers", `
		SELECT r.account_id, format('deposit account %s, whose register is open', r.deposit_account_id), 'type 8',
			format('type %s', coalesce(d.deposit_account_type_id::text, 'none'))
		FROM register_sessions r JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE r.closed_at IS NULL AND d.deposit_account_type_id IS DISTINCT FROM 8`),

	rule("entities of transactions", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a center and a transfer within entity %s', d.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'transfer with entity ' || o.entity_id)
		FROM financial_transactions t
		JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		LEFT JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
		LEFT JOIN deposit_accounts o ON o.account_id = t.account_id AND o.id = t.transfer_deposit_account_id
		WHERE (t.classification_center_id IS NOT NULL OR t.transfer_deposit_account_id IS NOT NULL)
			AND (z.entity_id <> d.entity_id OR o.entity_id <> d.entity_id)`),
}
