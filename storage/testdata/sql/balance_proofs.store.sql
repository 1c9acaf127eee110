-- $1 = account
-- $2 = statements
-- $3 = statuses
-- $4 = deposit_account
WITH proven AS (
		SELECT id, status, nth FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY
			AS p (id, status, nth)),
	newest AS (
		INSERT INTO balance_proofs (account_id, deposit_account_id, bank_statement_id, status)
		SELECT $1, $4, id, status FROM proven WHERE nth = 1
		ON CONFLICT (account_id, deposit_account_id) DO UPDATE
		SET bank_statement_id = excluded.bank_statement_id, status = excluded.status, proven_at = excluded.proven_at),
	removed AS (
		DELETE FROM statement_proofs WHERE account_id = $1 AND deposit_account_id = $4
			AND bank_statement_id <> ALL($2::bigint[])),
	stored AS (
		INSERT INTO statement_proofs (account_id, deposit_account_id, bank_statement_id, status)
		SELECT $1, $4, id, status FROM proven WHERE NOT EXISTS (
			SELECT FROM statement_proofs s WHERE s.account_id = $1 AND s.deposit_account_id = $4
				AND s.bank_statement_id = proven.id AND s.status = proven.status)
		ORDER BY id
		ON CONFLICT (account_id, deposit_account_id, bank_statement_id) DO UPDATE SET status = excluded.status)
	SELECT proven.id AS bank_statement_id, d.entity_id FROM proven
	JOIN deposit_accounts d ON d.account_id = $1 AND d.id = $4
	LEFT JOIN statement_proofs s ON s.account_id = $1 AND s.deposit_account_id = $4
		AND s.bank_statement_id = proven.id
	LEFT JOIN balance_proofs b ON b.account_id = $1 AND b.deposit_account_id = $4
		AND b.bank_statement_id = proven.id
	WHERE proven.status <> coalesce(b.status, s.status) ORDER BY proven.id
