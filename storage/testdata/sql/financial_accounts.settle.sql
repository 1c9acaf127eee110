-- $1 = account
-- $2 = accounts
UPDATE financial_accounts f
		SET status = n.status, occurred_at = n.occurred_at, total_amount = n.total_amount,
			expected_deposit_account_id = n.expected_deposit_account_id, updated_at = now()
		FROM json_populate_recordset(NULL::financial_accounts, $2) n
		WHERE f.account_id = $1 AND f.id = n.id RETURNING f.id, f.updated_at
