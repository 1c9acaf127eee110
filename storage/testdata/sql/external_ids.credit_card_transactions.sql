-- $1 = account
-- $2 = entity
-- $3 = identities
SELECT r.id, r.external_id AS identity, NOT ((r.credit_card_id <> ALL (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE) AS hidden
		FROM credit_card_transactions r
		JOIN credit_cards p ON p.account_id = r.account_id AND p.id = r.credit_card_id
		WHERE r.account_id = $1 AND p.entity_id = $2 AND r.external_id = ANY($3) ORDER BY r.id
