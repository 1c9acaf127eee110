SELECT account_id, record, expected, found
		FROM (
	SELECT p.account_id, format('transfer %s', p.id),
		format('transactions %s and %s: sides of it in two deposit accounts of entity %s, of opposite amounts, '
			|| 'not reconciled',
			p.debit_transaction_id, p.credit_transaction_id, p.entity_id),
		concat_ws(', ', format('%s in deposit account %s, pair %s, other side %s', d.amount, d.deposit_account_id,
			d.pair_id, d.transfer_id),
			format('%s in deposit account %s, pair %s, other side %s', c.amount, c.deposit_account_id, c.pair_id,
				c.transfer_id),
			'reconciled in ' || coalesce(d.reconcile_id, c.reconcile_id))
	FROM transfers p
	LEFT JOIN financial_transactions d ON d.account_id = p.account_id AND d.id = p.debit_transaction_id
	LEFT JOIN financial_transactions c ON c.account_id = p.account_id AND c.id = p.credit_transaction_id
	LEFT JOIN deposit_accounts da ON da.account_id = p.account_id AND da.id = d.deposit_account_id
	WHERE (d.pair_id, d.transfer_id, d.transfer_deposit_account_id, c.pair_id, c.transfer_id,
		c.transfer_deposit_account_id, d.amount, d.currency_id, da.entity_id)
			IS DISTINCT FROM (p.id, c.id, c.deposit_account_id, p.id, d.id, d.deposit_account_id, -c.amount,
				c.currency_id, p.entity_id)
		OR d.amount > 0 OR d.reconcile_id IS NOT NULL OR c.reconcile_id IS NOT NULL
		OR abs(d.occurred_at - c.occurred_at) > 10
	UNION ALL
	SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
		format('a side of transfer %s', t.pair_id), 'not a side of it'
	FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
	WHERE t.pair_id IS NOT NULL AND NOT EXISTS (
		SELECT FROM transfers p WHERE p.account_id = t.account_id AND p.id = t.pair_id
			AND t.id IN (p.debit_transaction_id, p.credit_transaction_id))
		AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
