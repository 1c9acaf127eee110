-- $1 = account
-- $2 = position
-- $3 = max_position
-- $4 = entity
-- $5 = name
-- $6 = automatic
-- $7 = text_contains
-- $8 = amount_gte
-- $9 = amount_lte
-- $10 = type
-- $11 = deposit_account_id
-- $12 = counterpart_document
-- $13 = new_account
-- $14 = match
-- $15 = category_id
-- $16 = person_id
-- $17 = classification_center_id
-- $18 = description
-- $19 = document
-- $20 = observation
-- $21 = days
-- $22 = id
UPDATE reconciliation_rules AS r SET position = coalesce(nullif($2::int, 0),
	(SELECT least(coalesce(max(o.position), 0) + 1, $3::int)
	FROM reconciliation_rules o WHERE o.account_id = $1 AND o.entity_id = $4)), name = $5, automatic = $6, text_contains = $7, amount_gte = $8, amount_lte = $9, type = $10, deposit_account_id = $11, counterpart_document = $12, new_account = $13, match = $14, category_id = $15, person_id = $16, classification_center_id = $17, description = $18, document = $19, observation = $20, days = $21,
		updated_at = now() WHERE r.account_id = $1 AND r.entity_id = $4 AND r.id = $22 RETURNING r.id, r.account_id, r.entity_id, r.position, r.name, r.automatic, r.text_contains, r.amount_gte, r.amount_lte, r.type, r.deposit_account_id, r.counterpart_document, r.new_account, r.match, r.category_id, r.person_id, r.classification_center_id, r.description, r.document, r.observation, r.days, r.created_at, r.updated_at
