-- $1 = account
-- $2 = entity
-- $3 = position
-- $4 = max_position
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
INSERT INTO reconciliation_rules AS r (account_id, entity_id, position, name, automatic, text_contains, amount_gte, amount_lte, type, deposit_account_id, counterpart_document, new_account, match, category_id, person_id, classification_center_id, description, document, observation, days)
		VALUES ($1, $2, coalesce(nullif($3::int, 0),
	(SELECT least(coalesce(max(o.position), 0) + 1, $4::int)
	FROM reconciliation_rules o WHERE o.account_id = $1 AND o.entity_id = $2)), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) RETURNING r.id, r.account_id, r.entity_id, r.position, r.name, r.automatic, r.text_contains, r.amount_gte, r.amount_lte, r.type, r.deposit_account_id, r.counterpart_document, r.new_account, r.match, r.category_id, r.person_id, r.classification_center_id, r.description, r.document, r.observation, r.days, r.created_at, r.updated_at
