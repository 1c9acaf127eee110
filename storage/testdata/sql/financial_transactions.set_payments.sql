-- $1 = account
-- $2 = ids
-- $3 = end_to_end_ids
-- $4 = txids
-- $5 = names
-- $6 = documents
UPDATE financial_transactions t SET end_to_end_id = coalesce(t.end_to_end_id, nullif(p.end_to_end_id, '')),
		txid = coalesce(t.txid, nullif(p.txid, '')),
		counterpart_name = coalesce(t.counterpart_name, nullif(p.name, '')),
		counterpart_document = coalesce(t.counterpart_document, nullif(p.document, ''))
	FROM unnest(CAST($2 AS bigint[]), CAST($3 AS text[]), CAST($4 AS text[]),
		CAST($5 AS text[]), CAST($6 AS text[])) p (id, end_to_end_id, txid, name, document)
	WHERE t.account_id = $1 AND t.id = p.id
