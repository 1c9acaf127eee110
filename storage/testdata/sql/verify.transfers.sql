SELECT account_id, record, expected, found
		FROM (
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
			IS DISTINCT FROM (o.transfer_id, o.deposit_account_id, o.amount, o.occurred_at, o.currency_id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
