-- $1 = account
-- $2 = name
-- $3 = flag
-- $4 = observation
-- $5 = category_id
-- $6 = person_id
-- $7 = classification_center_id
-- $8 = archived_at
-- $9 = id
UPDATE credit_cards SET name = $2, flag = $3, observation = $4, category_id = $5, person_id = $6, classification_center_id = $7, archived_at = $8, updated_at = now() WHERE account_id = $1 AND id = $9
