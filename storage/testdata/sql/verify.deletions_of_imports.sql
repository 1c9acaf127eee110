SELECT account_id, record, expected, found
		FROM (
		SELECT b.account_id, format('bank statement %s, deleted', b.id), 'a job that undoes it', 'none'
		FROM bank_statements b WHERE deleted_at IS NOT NULL AND NOT EXISTS (
			SELECT FROM jobs WHERE kind = 'delete_bank_statement' AND CAST(args::json ->> 'bank_statement_id' AS bigint) = b.id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
