-- $1 = account
-- $2 = entity
-- $3 = name
-- $4 = flag
-- $5 = observation
-- $6 = category_id
-- $7 = person_id
-- $8 = classification_center_id
-- $9 = archived_at
INSERT INTO credit_cards (account_id, entity_id, name, flag, observation, category_id, person_id, classification_center_id, archived_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id
