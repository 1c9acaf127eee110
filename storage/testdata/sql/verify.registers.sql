SELECT account_id, record, expected, found
		FROM (
		SELECT r.account_id, format('deposit account %s, whose register is open', r.deposit_account_id), 'type 8',
			format('type %s', coalesce(d.deposit_account_type_id::text, 'none'))
		FROM register_sessions r JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE r.closed_at IS NULL AND d.deposit_account_type_id IS DISTINCT FROM 8) AS d (account_id, record, expected, found) ORDER BY account_id, record
