-- $1 = account
-- $2 = entity
-- $3 = title
-- $4 = file_key
-- $5 = attachment_file_name
-- $6 = attachment_content_type
-- $7 = attachment_file_size
INSERT INTO attachments (account_id, entity_id, title, file_key, attachment_file_name, attachment_content_type, attachment_file_size)
	VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
