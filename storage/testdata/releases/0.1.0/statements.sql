DELETE FROM accounts WHERE id = $1 AND id = ANY($2)
;
DELETE FROM attachments WHERE account_id = $1 AND id = $2
;
DELETE FROM attachments a WHERE a.account_id = $1 AND a.id = ANY($2) AND NOT EXISTS (SELECT FROM financial_account_attachments x
			WHERE x.account_id = $1 AND x.attachment_id = a.id AND NOT ('financial_account' = $4 AND x.financial_account_id = ANY($3))) AND NOT EXISTS (SELECT FROM financial_transaction_attachments x
			WHERE x.account_id = $1 AND x.attachment_id = a.id AND NOT ('financial_transaction' = $4 AND x.financial_transaction_id = ANY($3))) AND NOT EXISTS (SELECT FROM sale_attachments x
			WHERE x.account_id = $1 AND x.attachment_id = a.id AND NOT ('sale' = $4 AND x.sale_id = ANY($3)))
		RETURNING a.id, a.entity_id
;
DELETE FROM bank_statements WHERE account_id = $1 AND id = $2
;
DELETE FROM bank_statements WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
DELETE FROM categories WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM categories WHERE account_id = $1 AND id = ANY(ARRAY(
				SELECT id FROM categories c WHERE account_id = $1 AND NOT EXISTS (
					SELECT FROM categories b WHERE b.account_id = $1 AND b.parent_id = c.id) LIMIT 4000))
;
DELETE FROM classification_centers WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM credit_card_billings WHERE account_id = $1 AND credit_card_id = $2
			AND starts_on >= coalesce($3, date '0001-01-01')
;
DELETE FROM credit_card_invoices WHERE account_id = $1 AND id = ANY($2) AND transactions_count = 0
;
DELETE FROM credit_card_transaction_custom_classifications WHERE account_id = $1 AND credit_card_transaction_id = $2 AND id <> ALL($3)
;
DELETE FROM credit_card_transaction_custom_classifications WHERE account_id = $1 AND credit_card_transaction_id = ANY($3) AND custom_classifier_value_id = ANY($2::bigint[])
;
DELETE FROM credit_card_transaction_custom_classifications WHERE account_id = $1 AND credit_card_transaction_id = ANY($3) AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
DELETE FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($2) RETURNING credit_card_invoice_id AS "invoice.id", amount
;
DELETE FROM credit_cards WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM custom_classifier_values WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM custom_classifiers WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM deletions WHERE account_id = $1 AND (root = $2 AND record_id = $3 OR $2 = 'accounts')
;
DELETE FROM deliveries WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM delivery_attempts WHERE account_id = $1 AND delivery_id = ANY($2)
;
DELETE FROM deposit_accounts WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM entities WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM financial_account_attachments WHERE account_id = $1 AND financial_account_id = $2 AND attachment_id <> ALL($3)
;
DELETE FROM financial_account_center_classifications WHERE account_id = $1 AND financial_account_id = ANY($3) AND classification_center_id = ANY($2::bigint[])
;
DELETE FROM financial_account_custom_classifications WHERE account_id = $1 AND financial_account_id = ANY($3) AND custom_classifier_value_id = ANY($2::bigint[])
;
DELETE FROM financial_account_custom_classifications WHERE account_id = $1 AND financial_account_id = ANY($3) AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
DELETE FROM financial_account_taxes WHERE account_id = $1 AND financial_account_id = $2
;
DELETE FROM financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY($2) RETURNING id
;
DELETE FROM financial_accounts WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM financial_transaction_attachments WHERE account_id = $1 AND financial_transaction_id = $2 AND attachment_id <> ALL($3)
;
DELETE FROM financial_transactions WHERE account_id = $1 AND (id = $2 OR transfer_id = $2)
;
DELETE FROM financial_transactions WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM financial_transactions t WHERE account_id = $1 AND id = ANY($2)
		RETURNING id, deposit_account_id, (SELECT entity_id FROM deposit_accounts d WHERE d.account_id = $1 AND d.id = t.deposit_account_id) AS entity_id,
			amount
;
DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
				SELECT ctid FROM idempotency_keys WHERE created_at <= now() - interval '24 hours'
				ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))
;
DELETE FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 AND number = ANY(ARRAY(
		SELECT number FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 LIMIT $3))
;
DELETE FROM imported_items WHERE account_id = $1 AND bank_statement_id = ANY(ARRAY(
		SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 AND deleted_at IS NOT NULL))
;
DELETE FROM imported_items WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM imported_items WHERE account_id = $1 AND bank_statement_id = $2 LIMIT $3))
;
DELETE FROM jobs WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))
;
DELETE FROM jobs WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[])) RETURNING id
;
DELETE FROM jobs WHERE account_id = $1
;
DELETE FROM jobs WHERE id = ANY($1)
;
DELETE FROM membership_entities WHERE account_id = $1 AND user_id = $2
;
DELETE FROM memberships USING users
		WHERE memberships.account_id = $1 AND users.id = memberships.user_id AND lower(users.email) = lower($2)
;
DELETE FROM memberships WHERE account_id = $1
;
DELETE FROM people WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM reconciles WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM sale_account_center_classifications WHERE account_id = $1 AND sale_account_id = $2 AND id <> ALL($3)
;
DELETE FROM sale_account_center_classifications WHERE account_id = $1 AND sale_account_id = ANY($3) AND classification_center_id = ANY($2::bigint[])
;
DELETE FROM sale_account_custom_classifications WHERE account_id = $1 AND sale_account_id = $2 AND id <> ALL($3)
;
DELETE FROM sale_account_custom_classifications WHERE account_id = $1 AND sale_account_id = ANY($3) AND custom_classifier_value_id = ANY($2::bigint[])
;
DELETE FROM sale_account_custom_classifications WHERE account_id = $1 AND sale_account_id = ANY($3) AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
DELETE FROM sale_accounts WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM sale_attachments WHERE account_id = $1 AND sale_id = $2 AND attachment_id <> ALL($3)
;
DELETE FROM sale_center_classifications WHERE account_id = $1 AND sale_id = $2 AND id <> ALL($3)
;
DELETE FROM sale_center_classifications WHERE account_id = $1 AND sale_id = ANY($3) AND classification_center_id = ANY($2::bigint[])
;
DELETE FROM sale_custom_classifications WHERE account_id = $1 AND sale_id = $2 AND id <> ALL($3)
;
DELETE FROM sale_custom_classifications WHERE account_id = $1 AND sale_id = ANY($3) AND custom_classifier_value_id = ANY($2::bigint[])
;
DELETE FROM sale_custom_classifications WHERE account_id = $1 AND sale_id = ANY($3) AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
DELETE FROM sale_rule_applications
		WHERE account_id = $1 AND sale_account_id = $2 AND payment_method = $3 AND issuer IS NOT DISTINCT FROM $4
;
DELETE FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2 AND id = $3
;
DELETE FROM sale_rule_applications a WHERE a.account_id = $1 AND a.sale_account_id = $2 AND EXISTS (
			SELECT FROM sale_rule_applications n WHERE n.account_id = $1 AND n.sale_account_id = $2 AND n.id > a.id
			AND n.payment_method IS NOT DISTINCT FROM a.payment_method AND n.issuer IS NOT DISTINCT FROM a.issuer)
;
DELETE FROM sale_rules WHERE account_id = $1 AND id = $2
;
DELETE FROM sale_taxes WHERE account_id = $1 AND sale_id = $2 AND id <> ALL($3)
;
DELETE FROM sales WHERE account_id = $1 AND id = ANY($2)
;
DELETE FROM tokens WHERE user_id IN (SELECT user_id FROM memberships WHERE account_id = $1)
			AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = tokens.user_id AND m.account_id <> $1)
;
DELETE FROM webhooks WHERE account_id = $1 AND id = ANY($2)
;
INSERT INTO accounts (name) VALUES ($1) RETURNING id
;
INSERT INTO attachments (account_id, entity_id, title, file_key, attachment_file_name, attachment_content_type, attachment_file_size)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
;
INSERT INTO bank_statements AS b (account_id, deposit_account_id, file_key, file_file_name, file_content_type, file_file_size)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type, b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_finished_at, b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.balance_items_ignored_count, b.duplicate_items_ignored_count, b.other_account_items_ignored_count, b.items_count,
	b.ledger_balance, b.ledger_balance_on, b.period_start, b.period_end, b.created_at, b.updated_at
;
INSERT INTO categories (account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at
;
INSERT INTO classification_centers (account_id, entity_id, name, cost_center, revenue_center)
		VALUES ($1, $2, $3, $4, $5) RETURNING id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at
;
INSERT INTO credit_card_billings (account_id, credit_card_id, starts_on, first_month, closing_day, expiration_day)
			VALUES ($1, $2, coalesce($3, date '0001-01-01'), coalesce($4, date '0001-01-01'), $5, $6)
;
INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date)
		SELECT DISTINCT $1::bigint, $2::bigint, s.start_date, s.end_date, s.due_date
		FROM unnest($3::date[], $4::date[], $5::date[]) AS s (start_date, end_date, due_date)
		ON CONFLICT (account_id, credit_card_id, end_date) DO NOTHING
;
INSERT INTO credit_card_transaction_custom_classifications (account_id, credit_card_transaction_id, custom_classifier_value_id, amount, percentage)
		SELECT $1, id, by, nullif(amount, '')::numeric, nullif(percentage, '')::numeric
		FROM unnest($2::bigint[]) AS id, unnest($3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS s (by, amount, percentage, line)
		ORDER BY id, line
;
INSERT INTO credit_cards (account_id, entity_id, name, flag, observation, category_id, person_id, classification_center_id, archived_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id
;
INSERT INTO custom_classifier_values (account_id, custom_classifier_id, value) VALUES ($1, $2, $3) RETURNING id, account_id, custom_classifier_id, value, created_at, updated_at
;
INSERT INTO custom_classifiers (account_id, name) VALUES ($1, $2) RETURNING id, account_id, name, created_at, updated_at
;
INSERT INTO deletions AS d (account_id, root, record_id, kind, place, estimated)
		SELECT $1, $2, $3, kind, place, count FROM unnest($4::text[], $5::bigint[]) WITH ORDINALITY AS s (kind, count, place)
		ON CONFLICT (account_id, root, record_id, kind) DO UPDATE SET estimated = d.deleted + excluded.estimated
;
INSERT INTO deposit_accounts (account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
			account_number, initial_balance, force_destroy, archived_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at
;
INSERT INTO entities (account_id, name, federation_subscription_number, federation_subscription_code, force_destroy)
		VALUES ($1, $2, $3, $4, $5) RETURNING id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at
;
INSERT INTO financial_account_attachments (account_id, financial_account_id, attachment_id)
		SELECT $1, record, file FROM unnest($2::bigint[]) AS record, unnest($3::bigint[]) AS file
		ON CONFLICT DO NOTHING
;
INSERT INTO financial_account_center_classifications (account_id, financial_account_id, classification_center_id, amount, percentage)
			SELECT x.account_id, f.id, x.classification_center_id, x.amount, x.percentage
			FROM sale_account_center_classifications x, unnest($3::bigint[]) AS f (id)
			WHERE x.account_id = $1 AND x.sale_account_id = $2 ORDER BY f.id, x.id
;
INSERT INTO financial_account_custom_classifications (account_id, financial_account_id, custom_classifier_value_id, amount, percentage)
			SELECT x.account_id, f.id, x.custom_classifier_value_id, x.amount, x.percentage
			FROM sale_account_custom_classifications x, unnest($3::bigint[]) AS f (id)
			WHERE x.account_id = $1 AND x.sale_account_id = $2 ORDER BY f.id, x.id
;
INSERT INTO financial_account_taxes (account_id, financial_account_id, line, tax_id, amount)
		SELECT $1, id, line, tax_id, amount
		FROM unnest($2::bigint[]) AS id, unnest($3::int[], $4::numeric[]) WITH ORDINALITY AS t (tax_id, amount, line)
;
INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, description, credit_card_invoice_id,
				category_id, person_id, classification_center_id)
			SELECT i.account_id, $4, 'payable', i.due_date, i.balance, i.month, s.description, i.id,
				(SELECT id FROM categories WHERE account_id = $1 AND id = $5 AND deleted_at IS NULL FOR KEY SHARE),
				(SELECT id FROM people WHERE account_id = $1 AND id = $6 AND deleted_at IS NULL FOR KEY SHARE),
				(SELECT id FROM classification_centers WHERE account_id = $1 AND id = $7 AND deleted_at IS NULL FOR KEY SHARE)
			FROM unnest($2::bigint[], $3::text[]) AS s (id, description) JOIN credit_card_invoices i ON i.account_id = $1 AND i.id = s.id
			WHERE NOT EXISTS (SELECT FROM financial_accounts f WHERE f.account_id = $1 AND f.credit_card_invoice_id = i.id)
			RETURNING id
;
INSERT INTO financial_accounts (id, due_date, competency_month, status, occurred_at, total_amount, recurrence_id, current_parcel,
			account_id, entity_id, kind, creator_id, recurrence_period, number_of_parcels, amount, ticket_amount, interest_amount, discount_amount,
			description, document, document_emission_date, observation, remind, category_id, classification_center_id, expected_deposit_account_id, person_id)
		SELECT r.id, r.due_date, r.competency_month, CASE r.line WHEN 1 THEN $4::smallint ELSE 1 END,
			CASE r.line WHEN 1 THEN $5::date END, CASE r.line WHEN 1 THEN $6::numeric END,
			CASE WHEN $11::text IS NOT NULL THEN $1[1] END, CASE WHEN $12::int IS NOT NULL THEN r.line END,
			$7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25
		FROM unnest($1::bigint[], $2::date[], $3::date[]) WITH ORDINALITY AS r (id, due_date, competency_month, line)
;
INSERT INTO financial_transaction_attachments (account_id, financial_transaction_id, attachment_id)
		SELECT $1, record, file FROM unnest($2::bigint[]) AS record, unnest($3::bigint[]) AS file
		ON CONFLICT DO NOTHING
;
INSERT INTO financial_transactions AS t (account_id, deposit_account_id, amount, occurred_at, document, user_description,
				observation, category_id, person_id, classification_center_id, currency_id)
			SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10, currency_id FROM deposit_accounts WHERE account_id = $1 AND id = $2
			RETURNING t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
;
INSERT INTO financial_transactions AS t (account_id, deposit_account_id, bank_statement_id, currency_id,
			amount, occurred_at, guid, document, original_description)
		SELECT account_id, id, $3, currency_id, $4, $5, $6, $7, $8 FROM deposit_accounts WHERE account_id = $1 AND id = $2
		RETURNING t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
;
INSERT INTO idempotency_keys (account_id, path, key, user_id, request, status, location, content_type, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, ''::bytea))
		ON CONFLICT (account_id, path, key) DO UPDATE SET
			user_id = $4, request = $5, status = $6, location = $7, content_type = $8, body = excluded.body, created_at = now()
;
INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		VALUES ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), greatest($8, now()))
		RETURNING id, due_at <= now() AS due
;
INSERT INTO membership_entities (account_id, user_id, entity_id)
		SELECT account_id, $2, id FROM entities WHERE account_id = $1 AND id = ANY($3)
;
INSERT INTO memberships (account_id, user_id, administrator, denied, all_entities) VALUES ($1, $2, $3, coalesce($4, '{}'::text[]), $5)
		ON CONFLICT (account_id, user_id) DO UPDATE
		SET administrator = excluded.administrator, denied = excluded.denied, all_entities = excluded.all_entities
;
INSERT INTO people (account_id, creator_id, name, person_type, customer, supplier, federation_subscription_number,
			federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code,
			country, febraban_name, febraban_favored_code, note, force_destroy)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		RETURNING id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at
;
INSERT INTO reconciles AS r (account_id, entity_id, kind, creator_id) VALUES ($1, $2, $3, $4) RETURNING r.id, r.account_id, r.entity_id, r.kind, r.creator_id, r.created_at
;
INSERT INTO register_sessions (account_id, deposit_account_id, opened_at, opening_responsible_id, opening_responsible_name)
		VALUES ($1, $2, $3, $4, $5) RETURNING id, account_id, deposit_account_id, opened_at, opening_responsible_id, opening_responsible_name,
	closed_at, closing_responsible_id, closing_responsible_name
;
INSERT INTO sale_account_center_classifications (account_id, sale_account_id, classification_center_id, amount, percentage)
		SELECT $1, id, by, nullif(amount, '')::numeric, nullif(percentage, '')::numeric
		FROM unnest($2::bigint[]) AS id, unnest($3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS s (by, amount, percentage, line)
		ORDER BY id, line
;
INSERT INTO sale_account_custom_classifications (account_id, sale_account_id, custom_classifier_value_id, amount, percentage)
		SELECT $1, id, by, nullif(amount, '')::numeric, nullif(percentage, '')::numeric
		FROM unnest($2::bigint[]) AS id, unnest($3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS s (by, amount, percentage, line)
		ORDER BY id, line
;
INSERT INTO sale_accounts (account_id, entity_id, name, provider, description, payment_methods, consolidate, category_id, person_id,
			classification_center_id, expected_deposit_account_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id
;
INSERT INTO sale_attachments (account_id, sale_id, attachment_id)
		SELECT $1, record, file FROM unnest($2::bigint[]) AS record, unnest($3::bigint[]) AS file
		ON CONFLICT DO NOTHING
;
INSERT INTO sale_center_classifications (account_id, sale_id, classification_center_id, amount, percentage)
		SELECT $1, id, by, nullif(amount, '')::numeric, nullif(percentage, '')::numeric
		FROM unnest($2::bigint[]) AS id, unnest($3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS s (by, amount, percentage, line)
		ORDER BY id, line
;
INSERT INTO sale_custom_classifications (account_id, sale_id, custom_classifier_value_id, amount, percentage)
		SELECT $1, id, by, nullif(amount, '')::numeric, nullif(percentage, '')::numeric
		FROM unnest($2::bigint[]) AS id, unnest($3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS s (by, amount, percentage, line)
		ORDER BY id, line
;
INSERT INTO sale_rule_applications (account_id, sale_account_id, payment_method, issuer, sale_rule_id, fee_percentage, fixed_fee_amount,
			minimum_fee_amount, days_to_liquidation, weekdays, up_to)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce(max(id), 0) FROM sales WHERE account_id = $1 AND sale_account_id = $2
;
INSERT INTO sale_rules AS r (account_id, sale_account_id, payment_method, issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount,
			days_to_liquidation, weekdays, apply_rules)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount,
	r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id
;
INSERT INTO sale_taxes (account_id, sale_id, tax_id, amount)
		SELECT $1, id, tax_id, amount
		FROM unnest($2::bigint[]) AS id, unnest($3::int[], $4::numeric[]) WITH ORDINALITY AS t (tax_id, amount, line)
		ORDER BY id, line
;
INSERT INTO sales (occurred_at, confirmed_at, installment_number, account_id, entity_id, original_sale_id, installment_count,
			sale_account_id, payment_method, issuer, document, document_emission_date, provider_code, competency_month, description, observation,
			nominal_amount, interest_amount, ticket_amount, discount_amount, total_amount, total_taxes, category_id, person_id,
			classification_center_id)
		SELECT r.occurred_at::date, nullif(r.confirmed_at, '')::date, nullif(r.number, '')::int, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
			$14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25
		FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS r (occurred_at, confirmed_at, number, line)
		ORDER BY r.line RETURNING id
;
INSERT INTO tokens (sha256, user_id, prefix, expires_at) VALUES ($1, $2, $3, $4)
;
INSERT INTO users (email) VALUES ($1)
		ON CONFLICT (lower(email)) DO UPDATE SET email = users.email RETURNING id
;
INSERT INTO webhooks (account_id, entity_id, url, format, description, secret, healthy_check_code)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at
;
SELECT 1 / 0
;
SELECT DISTINCT account_id FROM webhooks ORDER BY account_id
;
SELECT DISTINCT credit_card_invoice_id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($2)
;
SELECT DISTINCT id FROM (SELECT credit_card_transaction_id AS id FROM credit_card_transaction_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT credit_card_transaction_id AS id FROM credit_card_transaction_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT financial_account_id AS id FROM financial_account_center_classifications WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT financial_account_id AS id FROM financial_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT financial_account_id AS id FROM financial_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM credit_card_transactions WHERE account_id = $1 AND category_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM credit_card_transactions WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM credit_card_transactions WHERE account_id = $1 AND person_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM credit_cards WHERE account_id = $1 AND category_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM credit_cards WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM credit_cards WHERE account_id = $1 AND person_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_accounts WHERE account_id = $1 AND category_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_accounts WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_accounts WHERE account_id = $1 AND expected_deposit_account_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_accounts WHERE account_id = $1 AND person_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_accounts WHERE account_id = $1 AND sale_account_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_transactions WHERE account_id = $1 AND category_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_transactions WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM financial_transactions WHERE account_id = $1 AND person_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM sale_accounts WHERE account_id = $1 AND category_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM sale_accounts WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM sale_accounts WHERE account_id = $1 AND expected_deposit_account_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM sale_accounts WHERE account_id = $1 AND person_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM sales WHERE account_id = $1 AND category_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM sales WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT id FROM sales WHERE account_id = $1 AND person_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT sale_account_id AS id FROM sale_account_center_classifications WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT sale_account_id AS id FROM sale_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT sale_account_id AS id FROM sale_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT sale_id AS id FROM sale_center_classifications WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT sale_id AS id FROM sale_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[]) LIMIT 20000) f ORDER BY id
;
SELECT DISTINCT id FROM (SELECT sale_id AS id FROM sale_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))) LIMIT 20000) f ORDER BY id
;
SELECT EXISTS (SELECT FROM financial_accounts WHERE account_id = $1 AND sale_account_id = $2 AND status > 1)
			OR EXISTS (SELECT FROM sales WHERE account_id = $1 AND sale_account_id = $2 AND awaiting_pricing AND status > 1)
;
SELECT EXISTS (SELECT FROM jobs WHERE kind = 'delete_cascade' AND account_id = $1 AND args::json ->> 'root' = 'accounts')
;
SELECT EXISTS (SELECT FROM memberships WHERE account_id = $1 AND administrator)
;
SELECT EXISTS (SELECT FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2)
;
SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE
;
SELECT FROM bank_statements WHERE account_id = $1 AND id = $2 FOR UPDATE
;
SELECT FROM financial_accounts
		WHERE account_id = $1 AND recurrence_id = (SELECT f.recurrence_id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.id = $4)
		ORDER BY id FOR UPDATE
;
SELECT FROM financial_accounts WHERE account_id = $1 AND reconcile_id = $2 ORDER BY id FOR NO KEY UPDATE
;
SELECT FROM financial_transactions WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE
;
SELECT FROM financial_transactions WHERE account_id = $1 AND reconcile_id = $2 ORDER BY id FOR NO KEY UPDATE
;
SELECT FROM sale_accounts WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE
;
SELECT FROM sale_accounts WHERE account_id = $1 AND id = (
			SELECT sale_account_id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND status = 2) FOR NO KEY UPDATE
;
SELECT FROM sales WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE
;
SELECT NOT EXISTS (SELECT FROM entities WHERE account_id = $1 AND id <> $2 AND deleted_at IS NULL) AS last,
			EXISTS (SELECT FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL) AS deposit_accounts,
			EXISTS (SELECT FROM financial_accounts WHERE account_id = $1 AND entity_id = $2) AS financial_accounts,
			EXISTS (SELECT FROM classification_centers WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL) AS classification_centers
;
SELECT a.entity_id, a.consolidate,
			EXISTS (SELECT FROM webhooks w WHERE w.account_id = a.account_id AND w.entity_id = a.entity_id) AS heard
		FROM sale_accounts a JOIN entities e ON e.account_id = a.account_id AND e.id = a.entity_id
		WHERE a.account_id = $1 AND a.id = $2 AND a.deleted_at IS NULL AND e.deleted_at IS NULL
		FOR SHARE OF a FOR KEY SHARE OF e
;
SELECT a.id FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4 FOR NO KEY UPDATE
;
SELECT a.id, a.account_id, a.entity_id, a.name, a.provider, a.description, a.payment_methods, a.consolidate, a.category_id,
	a.person_id, a.classification_center_id, a.expected_deposit_account_id, a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.entity_id = $4 ORDER BY a.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT a.id, a.account_id, a.entity_id, a.name, a.provider, a.description, a.payment_methods, a.consolidate, a.category_id,
	a.person_id, a.classification_center_id, a.expected_deposit_account_id, a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4
;
SELECT a.id, a.account_id, a.entity_id, a.name, a.provider, a.description, a.payment_methods, a.consolidate, a.category_id,
	a.person_id, a.classification_center_id, a.expected_deposit_account_id, a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.updated_at >= CAST($4 AS timestamptz) ORDER BY a.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT a.id, a.account_id, a.entity_id, a.name, a.provider, a.description, a.payment_methods, a.consolidate, a.category_id,
	a.person_id, a.classification_center_id, a.expected_deposit_account_id, a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) ORDER BY a.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT a.id, a.account_id, a.entity_id, a.name, a.provider, a.description, a.payment_methods, a.consolidate, a.category_id,
	a.person_id, a.classification_center_id, a.expected_deposit_account_id, a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications FROM sale_accounts a WHERE a.account_id = $1 AND a.id = $2
;
SELECT a.id, a.account_id, a.entity_id, a.payment_methods FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4 FOR KEY SHARE
;
SELECT a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type, a.attachment_file_size,
	a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT financial_account_id AS id FROM financial_account_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY financial_account_id LIMIT 100000) x) AS account_ids,
	(
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT financial_transaction_id AS id FROM financial_transaction_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY financial_transaction_id LIMIT 100000) x) AS transaction_ids, (
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT sale_id AS id FROM sale_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY sale_id LIMIT 100000) x) AS sale_ids
		FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 AND a.id = $3
;
SELECT a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type, a.attachment_file_size,
	a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT financial_account_id AS id FROM financial_account_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY financial_account_id LIMIT 20) x) AS account_ids,
	(
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT financial_transaction_id AS id FROM financial_transaction_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY financial_transaction_id LIMIT 20) x) AS transaction_ids, (
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT sale_id AS id FROM sale_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY sale_id LIMIT 20) x) AS sale_ids FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 AND a.updated_at >= CAST($3 AS timestamptz) ORDER BY a.id DESC LIMIT nullif($4, 0) OFFSET $5
;
SELECT a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type, a.attachment_file_size,
	a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT financial_account_id AS id FROM financial_account_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY financial_account_id LIMIT 20) x) AS account_ids,
	(
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT financial_transaction_id AS id FROM financial_transaction_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY financial_transaction_id LIMIT 20) x) AS transaction_ids, (
		SELECT coalesce(json_agg(x.id), '[]') FROM (
			SELECT sale_id AS id FROM sale_attachments
			WHERE account_id = a.account_id AND attachment_id = a.id ORDER BY sale_id LIMIT 20) x) AS sale_ids FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 ORDER BY a.id DESC LIMIT nullif($3, 0) OFFSET $4
;
SELECT account_id, file_key, attachment_file_name AS name, attachment_content_type AS content_type, clock_timestamp() AS now
		FROM attachments WHERE account_id = $1 AND file_key = $2
		UNION ALL
		SELECT account_id, file_key, file_file_name, file_content_type, clock_timestamp()
		FROM bank_statements WHERE account_id = $1 AND file_key = $2 AND deleted_at IS NULL
;
SELECT account_id, record, expected, found
				FROM (
		SELECT b.account_id, format('bank statement %s, deleted', b.id), 'a job that undoes it', 'none'
		FROM bank_statements b WHERE deleted_at IS NOT NULL AND NOT EXISTS (
			SELECT FROM jobs WHERE kind = 'delete_bank_statement' AND CAST(args::json ->> 'bank_statement_id' AS bigint) = b.id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT c.account_id, format('category %s', c.id), 'a parent that is there, or deleted with it', format('category %s, deleted', p.id)
		FROM categories c JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND p.deleted_at IS NOT NULL) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT c.account_id, format('category %s', c.id), coalesce(p.full_name || ' / ', '') || c.name, c.full_name
		FROM categories c LEFT JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND c.full_name <> coalesce(p.full_name || ' / ', '') || c.name) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('parcel %s of %s in the %s series %s of %s accounts of entity %s', CASE WHEN f.number_of_parcels IS NOT NULL THEN place END,
				s.number_of_parcels, s.recurrence_period, f.recurrence_id, s.kind, s.entity_id),
			format('parcel %s of %s in a %s series of %s accounts of entity %s', f.current_parcel, f.number_of_parcels, f.recurrence_period,
				f.kind, f.entity_id)
		FROM (SELECT id, account_id, entity_id, kind, recurrence_id, recurrence_period, number_of_parcels, current_parcel,
				id - recurrence_id + 1 AS place, min(id) OVER (PARTITION BY account_id, recurrence_id) AS first
			FROM financial_accounts WHERE recurrence_id IS NOT NULL) f
		JOIN financial_accounts s ON s.account_id = f.account_id AND s.id = f.first
		WHERE (f.kind, f.entity_id, f.recurrence_period, f.number_of_parcels) IS DISTINCT FROM
			(s.kind, s.entity_id, s.recurrence_period, s.number_of_parcels) OR f.current_parcel <> place OR place < 1) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT f.account_id, format('%s account %s', f.kind, f.id), format('a center and a deposit account of entity %s', f.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'deposit account of entity ' || d.entity_id)
		FROM financial_accounts f
		LEFT JOIN classification_centers z ON z.account_id = f.account_id AND z.id = f.classification_center_id
		LEFT JOIN deposit_accounts d ON d.account_id = f.account_id AND d.id = f.expected_deposit_account_id
		WHERE z.entity_id <> f.entity_id OR d.entity_id <> f.entity_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT h.account_id, format('%s %s, deleted', h.root, h.id), 'a job that removes it', 'none'
		FROM (SELECT account_id, 'entities' AS root, id FROM entities WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'deposit_accounts', id FROM deposit_accounts WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'credit_cards', id FROM credit_cards WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'sale_accounts', id FROM sale_accounts WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'webhooks', id FROM webhooks w WHERE deleted_at IS NOT NULL AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = w.account_id AND e.id = w.entity_id AND e.deleted_at IS NOT NULL)) h
		WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'delete_cascade' AND j.account_id = h.account_id
			AND (j.args::json ->> 'root' = h.root AND CAST(j.args::json ->> 'id' AS bigint) = h.id OR j.args::json ->> 'root' = 'accounts'))) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT i.account_id, format('invoice %s of credit card %s', i.id, i.credit_card_id),
			CASE WHEN i.balance > 0 THEN format('a payable account of %s due on %s in entity %s', i.balance, i.due_date, k.entity_id)
				ELSE 'no payable account' END,
			CASE WHEN f.id IS NULL THEN 'none' ELSE format('%s account %s of %s due on %s in entity %s', f.kind, f.id, f.amount, f.due_date, f.entity_id) END
		FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE ((f.id IS NOT NULL) <> (i.balance > 0) OR (f.amount, f.due_date, f.entity_id) <> (i.balance, i.due_date, k.entity_id))
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = k.account_id AND e.id = k.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT i.account_id, format('item %s of bank statement %s', i.number, i.bank_statement_id),
			format('a transaction of deposit account %s that bank statement %s brought', i.deposit_account_id, i.bank_statement_id),
			format('transaction %s of deposit account %s, brought by %s', t.id, t.deposit_account_id, coalesce(t.bank_statement_id::text, 'none'))
		FROM imported_items i JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id
		WHERE (t.deposit_account_id, t.bank_statement_id) IS DISTINCT FROM (i.deposit_account_id, i.bank_statement_id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT k.account_id, format('credit card %s', k.id), format('a center of entity %s', k.entity_id), format('center of entity %s', z.entity_id)
		FROM credit_cards k JOIN classification_centers z ON z.account_id = k.account_id AND z.id = k.classification_center_id
		WHERE z.entity_id <> k.entity_id
		UNION ALL
		SELECT t.account_id, format('transaction %s of credit card %s', t.id, k.id), format('a center of entity %s', k.entity_id),
			format('center of entity %s', z.entity_id)
		FROM credit_card_transactions t JOIN credit_cards k ON k.account_id = t.account_id AND k.id = t.credit_card_id
		JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
		WHERE z.entity_id <> k.entity_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT r.account_id, format('%s account %s', f.kind, f.id), format('a %s one of entity %s, as reconcile %s', r.kind, r.entity_id, r.id),
			format('a %s one of entity %s', f.kind, f.entity_id)
		FROM financial_accounts f JOIN reconciles r ON r.account_id = f.account_id AND r.id = f.reconcile_id
		WHERE (f.kind, f.entity_id) <> (r.kind, r.entity_id)
		UNION ALL
		SELECT r.account_id, format('transaction %s of deposit account %s', t.id, d.id),
			format('a %s of entity %s, as reconcile %s', CASE r.kind WHEN 'payable' THEN 'Debit' ELSE 'Credit' END, r.entity_id, r.id),
			format('%s of entity %s', t.amount, d.entity_id)
		FROM financial_transactions t JOIN reconciles r ON r.account_id = t.account_id AND r.id = t.reconcile_id
		JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE d.entity_id <> r.entity_id OR (r.kind = 'payable') <> (t.amount < 0)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT s.account_id, format('sale %s', s.id),
			format('status %s, due on %s, liquidated on %s, in a receivable account of sale account %s of entity %s', CASE WHEN f.settling THEN s.status ELSE f.status END,
				f.due_date, coalesce(CASE WHEN f.settling THEN s.liquidated_at ELSE f.occurred_at END::text, 'none'), s.sale_account_id, s.entity_id),
			format('status %s, due on %s, liquidated on %s, in a %s account of sale account %s of entity %s', s.status, s.estimated_liquidated_at,
				coalesce(s.liquidated_at::text, 'none'), f.kind, f.sale_account_id, f.entity_id)
		FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id AND f.id = s.financial_account_id
		WHERE f.due_date <> s.estimated_liquidated_at OR (f.kind, f.entity_id) <> ('receivable', s.entity_id)
			OR f.sale_account_id IS DISTINCT FROM s.sale_account_id AND NOT s.awaiting_pricing
			OR NOT f.settling AND (f.status, f.occurred_at) IS DISTINCT FROM (s.status, s.liquidated_at)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT t.account_id, format('transaction %s of credit card %s', t.id, t.credit_card_id),
			format('a day of invoice %s of credit card %s, %s to %s', i.id, i.credit_card_id, i.start_date, i.end_date),
			format('%s of credit card %s', t.occurred_at, t.credit_card_id)
		FROM credit_card_transactions t JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id
		WHERE t.credit_card_id <> i.credit_card_id OR t.occurred_at NOT BETWEEN i.start_date AND i.end_date
		UNION ALL
		SELECT account_id, format('invoice %s of credit card %s', id, credit_card_id), format('a start after %s', before), format('a start on %s', start_date)
		FROM (SELECT id, account_id, credit_card_id, start_date,
				lag(end_date) OVER (PARTITION BY account_id, credit_card_id ORDER BY end_date) AS before FROM credit_card_invoices) i
		WHERE start_date <= before) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a bank statement of deposit account %s', t.deposit_account_id),
			format('bank statement %s of deposit account %s', b.id, b.deposit_account_id)
		FROM financial_transactions t JOIN bank_statements b ON b.account_id = t.account_id AND b.id = t.bank_statement_id
		WHERE b.deposit_account_id <> t.deposit_account_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a center and a transfer within entity %s', d.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'transfer with entity ' || o.entity_id)
		FROM financial_transactions t
		JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		LEFT JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
		LEFT JOIN deposit_accounts o ON o.account_id = t.account_id AND o.id = t.transfer_deposit_account_id
		WHERE (t.classification_center_id IS NOT NULL OR t.transfer_deposit_account_id IS NOT NULL)
			AND (z.entity_id <> d.entity_id OR o.entity_id <> d.entity_id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('transaction %s of deposit account %s: %s on %s, the other side of %s', t.transfer_id, t.transfer_deposit_account_id,
				-t.amount, t.occurred_at, t.id),
			CASE WHEN o.id IS NULL THEN 'no such transaction'
				ELSE format('of deposit account %s: %s on %s, the other side of %s', o.deposit_account_id, o.amount, o.occurred_at,
					coalesce(o.transfer_id::text, 'none')) END
		FROM financial_transactions t LEFT JOIN financial_transactions o ON o.account_id = t.account_id AND o.id = t.transfer_id
		WHERE t.transfer_id IS NOT NULL AND (t.id, t.transfer_deposit_account_id, -t.amount, t.occurred_at, t.currency_id)
			IS DISTINCT FROM (o.transfer_id, o.deposit_account_id, o.amount, o.occurred_at, o.currency_id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT w.account_id, format('webhook %s', w.id), 'a job that is due when the first of its pending deliveries is',
			format('%s pending since %s, and none', count(*), min(d.next_at))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id AND d.status = 'pending'
		WHERE w.status = 'active' AND w.deleted_at IS NULL AND NOT EXISTS (
			SELECT FROM jobs j WHERE j.kind = 'deliver_webhook' AND j.key = 'webhook:' || w.id
				AND (j.due_at <= greatest(d.next_at, now()) OR j.attempts > 0))
		GROUP BY w.account_id, w.id) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT w.account_id, format('webhook %s, active', w.id), 'nothing that is held', format('%s deliveries held', count(*))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id AND d.status = 'held'
		WHERE w.status = 'active' AND w.deleted_at IS NULL GROUP BY w.account_id, w.id) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		SELECT x.account_id, format('attachment %s', a.id), format('a record of entity %s', a.entity_id), format('%s of entity %s', x.record, x.entity_id)
		FROM (SELECT l.account_id, l.attachment_id, format('%s account %s', f.kind, f.id) AS record, f.entity_id
				FROM financial_account_attachments l JOIN financial_accounts f ON f.account_id = l.account_id AND f.id = l.financial_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('transaction %s', t.id), d.entity_id
				FROM financial_transaction_attachments l JOIN financial_transactions t ON t.account_id = l.account_id AND t.id = l.financial_transaction_id
				JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('sale %s', s.id), s.entity_id
				FROM sale_attachments l JOIN sales s ON s.account_id = l.account_id AND s.id = l.sale_id) x
		JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE a.entity_id <> x.entity_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH asked AS (
			SELECT account_id, sale_account_id AS id, 'price_sales' AS kind, count(*) AS count
			FROM sales s WHERE awaiting_pricing AND status < 2 AND (financial_account_id IS NULL OR EXISTS (
				SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id AND f.status = 1 AND NOT f.settling)) GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, 'price_sales', count(*) FROM sale_rule_applications GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, 'settle_sales', count(*) FROM financial_accounts WHERE settling GROUP BY 1, 2)
		SELECT a.account_id, format('sale account %s', a.id), format('a job %s', q.kind), format('%s to do and no job', q.count)
		FROM asked q JOIN sale_accounts a USING (account_id, id) JOIN entities e ON e.account_id = a.account_id AND e.id = a.entity_id
		WHERE a.deleted_at IS NULL AND e.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = q.kind AND j.key = a.account_id || ':' || a.id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH ignored AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count, count(*) FILTER (WHERE outcome = 'future') AS future,
				count(*) FILTER (WHERE outcome = 'zero') AS zero, count(*) FILTER (WHERE outcome = 'invalid_date') AS invalid_date,
				count(*) FILTER (WHERE outcome = 'balance') AS balance, count(*) FILTER (WHERE outcome = 'duplicate') AS duplicate,
				count(*) FILTER (WHERE outcome = 'other_account') AS other_account
			FROM ignored_items GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s', b.id),
			format('of %s items %s imported and ignored: %s future, %s zero, %s invalid_date, %s balance, %s duplicate, %s other_account', items_count,
				imported_items_count, future_items_ignored_count, amount_zero_items_ignored_count, invalid_date_items_ignored_count,
				balance_items_ignored_count, duplicate_items_ignored_count, other_account_items_ignored_count),
			format('ignored: %s future, %s zero, %s invalid_date, %s balance, %s duplicate, %s other_account', coalesce(i.future, 0),
				coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.balance, 0), coalesce(i.duplicate, 0), coalesce(i.other_account, 0))
		FROM bank_statements b LEFT JOIN ignored i USING (account_id, id)
		WHERE b.deleted_at IS NULL AND items_count IS NOT NULL AND (items_count <> imported_items_count + coalesce(i.count, 0)
			OR (future_items_ignored_count, amount_zero_items_ignored_count, invalid_date_items_ignored_count, balance_items_ignored_count,
				duplicate_items_ignored_count, other_account_items_ignored_count) <>
			(coalesce(i.future, 0), coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.balance, 0), coalesce(i.duplicate, 0),
				coalesce(i.other_account, 0))) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH kept AS (
			SELECT account_id, credit_card_invoice_id AS id, sum(amount) AS sum, count(*) AS count FROM credit_card_transactions GROUP BY 1, 2)
		SELECT i.account_id, format('invoice %s of credit card %s', i.id, i.credit_card_id),
			format('%s in %s transactions, one at least', coalesce(s.sum, 0), coalesce(s.count, 0)),
			format('%s in %s transactions', i.balance, i.transactions_count)
		FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN kept s ON s.account_id = i.account_id AND s.id = i.id
		WHERE (i.balance, i.transactions_count) IS DISTINCT FROM (s.sum, s.count) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = k.account_id AND e.id = k.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH kept AS (
			SELECT account_id, deposit_account_id AS id, sum(amount) AS sum, count(*) AS count, max(occurred_at) AS last
			FROM financial_transactions GROUP BY account_id, deposit_account_id)
		SELECT d.account_id, format('deposit account %s', d.id),
			format('%s in %s transactions until %s', coalesce(k.sum, 0), coalesce(k.count, 0), coalesce(k.last::text, 'none')),
			format('%s in %s transactions until %s', transactions_sum, transactions_count, coalesce(last_transaction_date::text, 'none'))
		FROM deposit_accounts d LEFT JOIN kept k USING (account_id, id)
		WHERE (transactions_sum, transactions_count, last_transaction_date) IS DISTINCT FROM (coalesce(k.sum, 0), coalesce(k.count, 0), k.last)
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH kept AS (
			SELECT account_id, financial_account_id AS id, sum(receivable_amount) AS sum, count(*) AS count
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('%s of %s sales%s', coalesce(k.sum, 0), coalesce(k.count, 0), CASE WHEN NOT f.consolidated AND k.count > 1 THEN ' of a day' END),
			format('%s of %s sales', f.amount, f.sales_count)
		FROM financial_accounts f LEFT JOIN kept k USING (account_id, id)
		WHERE (f.sale_account_id IS NOT NULL OR k.count > 0) AND ((f.amount, f.sales_count) IS DISTINCT FROM (coalesce(k.sum, 0), coalesce(k.count, 0))
			OR f.sales_count = 0 OR f.sales_count > 1 AND NOT f.consolidated) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = f.account_id AND e.id = f.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH made AS (
			SELECT account_id, delivery_id AS id, count(*) AS count, max(number) AS last, count(*) FILTER (WHERE finished_at IS NULL) AS open
			FROM delivery_attempts GROUP BY 1, 2)
		SELECT d.account_id, format('delivery %s of webhook %s, %s', d.id, d.webhook_id, d.status),
			format('%s attempts of %s, by number, all closed but the last%s', d.attempts_count, d.attempts_allowed,
				CASE WHEN d.delivered_at IS NOT NULL THEN ', delivered' END),
			format('%s attempts, %s the last, %s open', coalesce(m.count, 0), coalesce(m.last, 0), coalesce(m.open, 0))
		FROM deliveries d LEFT JOIN made m USING (account_id, id)
		WHERE d.attempts_count <> coalesce(m.count, 0) OR d.attempts_count <> coalesce(m.last, 0) OR d.attempts_count > d.attempts_allowed
			OR m.open > 1 OR (m.open > 0 AND d.status IN ('delivered', 'failed')) OR (d.status = 'delivered') <> (d.delivered_at IS NOT NULL)
			OR (d.status = 'failed' AND d.attempts_count <> d.attempts_allowed) OR (d.status = 'delivered' AND d.attempts_count = 0)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH owed AS (
			SELECT account_id, reconcile_id AS id, sum(total_amount) AS sum FROM financial_accounts WHERE reconcile_id IS NOT NULL GROUP BY 1, 2),
		moved AS (
			SELECT account_id, reconcile_id AS id, abs(sum(amount)) AS sum FROM financial_transactions WHERE reconcile_id IS NOT NULL GROUP BY 1, 2)
		SELECT r.account_id, format('reconcile %s', r.id), 'accounts and transactions of the same sum',
			format('accounts of %s, transactions of %s', coalesce(o.sum, 0), coalesce(m.sum, 0))
		FROM reconciles r LEFT JOIN owed o USING (account_id, id) LEFT JOIN moved m USING (account_id, id)
		WHERE (o.sum IS DISTINCT FROM m.sum OR m.sum IS NULL) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = r.account_id AND e.id = r.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH remembered AS (SELECT account_id, bank_statement_id AS id, count(*) AS count FROM imported_items GROUP BY 1, 2),
		kept AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count
			FROM financial_transactions WHERE bank_statement_id IS NOT NULL GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			format('%s items remembered, as many transactions or fewer', CASE event_status WHEN 'success' THEN imported_items_count ELSE 0 END),
			format('%s items remembered, %s transactions, %s counted', coalesce(r.count, 0), coalesce(k.count, 0), imported_items_count)
		FROM bank_statements b LEFT JOIN remembered r USING (account_id, id) LEFT JOIN kept k USING (account_id, id)
		WHERE b.deleted_at IS NULL AND (imported_items_count <> coalesce(r.count, 0) OR coalesce(k.count, 0) > coalesce(r.count, 0)
			OR (event_status <> 'success' AND r.count > 0)) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH spread AS (
			SELECT account_id, financial_account_id AS id, coalesce(sum(amount_difference), 0) AS sum
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('receivable account %s', f.id), format('%s spread among its sales', coalesce(f.total_amount - f.amount, 0)),
			format('%s spread', p.sum)
		FROM financial_accounts f JOIN spread p USING (account_id, id)
		WHERE NOT f.settling AND p.sum <> coalesce(f.total_amount - f.amount, 0) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = f.account_id AND e.id = f.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT account_id, record, expected, found
				FROM (
		WITH waiting AS (
			SELECT CAST(args::json ->> 'bank_statement_id' AS bigint) AS id, count(*) AS count
			FROM jobs WHERE kind = 'import_statement' AND failed_at IS NULL GROUP BY 1)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			CASE WHEN event_status IN ('queued', 'processing') THEN 'one job and no end' ELSE 'an end and no job' END,
			format('%s jobs, ended at %s', coalesce(j.count, 0), coalesce(event_finished_at::text, 'none'))
		FROM bank_statements b LEFT JOIN waiting j USING (id)
		WHERE ((event_status IN ('queued', 'processing') AND coalesce(j.count, 0) <> 1) OR (event_status = 'success' AND j.count > 0)
			OR (event_finished_at IS NULL) = (event_status IN ('success', 'error'))) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
;
SELECT b.account_id, b.id AS bank_statement_id, b.event_status AS status, b.file_file_size AS bytes, b.created_at
		FROM (
			SELECT account_id, (args::json->>'bank_statement_id')::bigint AS id FROM jobs
			WHERE queue = 'statements' AND kind = 'import_statement' AND failed_at IS NULL ORDER BY due_at, id LIMIT $1
		) j JOIN bank_statements b ON b.account_id = j.account_id AND b.id = j.id
		ORDER BY b.created_at, b.id
;
SELECT b.id FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3 AND b.id = $4
		AND b.deleted_at IS NULL FOR NO KEY UPDATE OF b
;
SELECT b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type, b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_finished_at, b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.balance_items_ignored_count, b.duplicate_items_ignored_count, b.other_account_items_ignored_count, b.items_count,
	b.ledger_balance, b.ledger_balance_on, b.period_start, b.period_end, b.created_at, b.updated_at
		FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3 AND b.id = $4 AND b.deleted_at IS NULL
;
SELECT b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type, b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_finished_at, b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.balance_items_ignored_count, b.duplicate_items_ignored_count, b.other_account_items_ignored_count, b.items_count,
	b.ledger_balance, b.ledger_balance_on, b.period_start, b.period_end, b.created_at, b.updated_at
		FROM bank_statements b WHERE b.account_id = $1 AND b.id = $2 AND b.deleted_at IS NULL
;
SELECT b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type, b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_finished_at, b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.balance_items_ignored_count, b.duplicate_items_ignored_count, b.other_account_items_ignored_count, b.items_count,
	b.ledger_balance, b.ledger_balance_on, b.period_start, b.period_end, b.created_at, b.updated_at FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3 AND b.deleted_at IS NULL AND b.updated_at >= CAST($4 AS timestamptz) ORDER BY b.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type, b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_finished_at, b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.balance_items_ignored_count, b.duplicate_items_ignored_count, b.other_account_items_ignored_count, b.items_count,
	b.ledger_balance, b.ledger_balance_on, b.period_start, b.period_end, b.created_at, b.updated_at FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3 AND b.deleted_at IS NULL ORDER BY b.id DESC LIMIT nullif($4, 0) OFFSET $5
;
SELECT b.id, b.account_id, b.deposit_account_id, d.entity_id, b.file_key
		FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND b.id = $2 AND b.deleted_at IS NOT NULL
;
SELECT coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 FROM jobs
		WHERE queue = $1 AND failed_at IS NULL AND due_at <= now() AND leased_until IS NULL
;
SELECT consolidate FROM sale_accounts WHERE account_id = $1 AND id = $2
;
SELECT count(*) FROM attachments WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM attachments WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3 AND b.deleted_at IS NULL
;
SELECT count(*) FROM categories WHERE account_id = $1 AND account_id = ANY($2)
;
SELECT count(*) FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3))
;
SELECT count(*) FROM classification_centers WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM classification_centers WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM credit_card_transaction_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[])
;
SELECT count(*) FROM credit_card_transaction_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
SELECT count(*) FROM credit_card_transactions WHERE account_id = $1 AND category_id = ANY($2::bigint[])
;
SELECT count(*) FROM credit_card_transactions WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = ANY(ARRAY(SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))))
;
SELECT count(*) FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = ANY(ARRAY(SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = ANY(ARRAY(SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM credit_card_transactions WHERE account_id = $1 AND person_id = ANY($2::bigint[])
;
SELECT count(*) FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id JOIN credit_cards k ON k.account_id = t.account_id AND k.id = t.credit_card_id
		WHERE t.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND t.credit_card_id = $3 AND i.month = $4
;
SELECT count(*) FROM credit_cards WHERE account_id = $1 AND category_id = ANY($2::bigint[])
;
SELECT count(*) FROM credit_cards WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM credit_cards WHERE account_id = $1 AND person_id = ANY($2::bigint[])
;
SELECT count(*) FROM credit_cards k CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay', b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND fold(k.name) LIKE fold($3)
;
SELECT count(*) FROM custom_classifier_values WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM custom_classifiers WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL)
;
SELECT count(*) FROM deliveries WHERE account_id = $1 AND webhook_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM deliveries WHERE account_id = $1 AND webhook_id = ANY(ARRAY(SELECT id FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM deliveries WHERE account_id = $1 AND webhook_id = ANY(ARRAY(SELECT id FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL
;
SELECT count(*) FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND name = $3
;
SELECT count(*) FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3))
;
SELECT count(*) FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM financial_account_center_classifications WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
SELECT count(*) FROM financial_accounts WHERE account_id = $1 AND category_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_accounts WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM financial_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM financial_accounts WHERE account_id = $1 AND expected_deposit_account_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_accounts WHERE account_id = $1 AND person_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3
;
SELECT count(*) FROM financial_transactions WHERE account_id = $1 AND category_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_transactions WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM financial_transactions WHERE account_id = $1 AND person_id = ANY($2::bigint[])
;
SELECT count(*) FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.updated_at >= CAST($4 AS timestamptz)
;
SELECT count(*) FROM idempotency_keys WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM ignored_items WHERE account_id = $1 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))))
;
SELECT count(*) FROM ignored_items WHERE account_id = $1 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM ignored_items WHERE account_id = $1 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM imported_items WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM imported_items WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM imported_items WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM memberships WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM people WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM people WHERE account_id = $1 AND deleted_at IS NULL AND person_type = ANY($2)
;
SELECT count(*) FROM reconciles WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM reconciles WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM register_sessions WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM register_sessions WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM register_sessions WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM sale_account_center_classifications WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_account_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
SELECT count(*) FROM sale_accounts WHERE account_id = $1 AND category_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_accounts WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM sale_accounts WHERE account_id = $1 AND expected_deposit_account_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_accounts WHERE account_id = $1 AND person_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_center_classifications WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY($2::bigint[])
;
SELECT count(*) FROM sale_custom_classifications WHERE account_id = $1 AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[])))
;
SELECT count(*) FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = ANY(ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = ANY(ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM sale_rules WHERE account_id = $1 AND sale_account_id = ANY(ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))
;
SELECT count(*) FROM sale_rules WHERE account_id = $1 AND sale_account_id = ANY(ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM sale_rules WHERE account_id = $1 AND sale_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM sales WHERE account_id = $1 AND category_id = ANY($2::bigint[])
;
SELECT count(*) FROM sales WHERE account_id = $1 AND classification_center_id = ANY($2::bigint[])
;
SELECT count(*) FROM sales WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM sales WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM sales WHERE account_id = $1 AND person_id = ANY($2::bigint[])
;
SELECT count(*) FROM sales WHERE account_id = $1 AND sale_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT count(*) FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))
;
SELECT count(*) FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))
;
SELECT d.id, family, action, record_id, coalesce(entity_id, 0) AS entity_id, coalesce(parent_id, 0) AS parent_id, created_at,
			attempts_count, attempts_allowed, body, coalesce(traceparent, '') AS traceparent, a.number IS NOT NULL AS open
		FROM deliveries d LEFT JOIN delivery_attempts a
			ON a.account_id = $1 AND a.delivery_id = d.id AND a.number = d.attempts_count AND a.finished_at IS NULL
		WHERE webhook_id = $2 AND CASE WHEN d.account_id = $1 THEN true END AND status = 'pending' AND next_at <= now()
		ORDER BY next_at, d.id LIMIT $3
;
SELECT deleted_at FROM entities WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT e.account_id, e.id, e.name
		FROM memberships m JOIN entities e ON e.account_id = m.account_id
		WHERE m.user_id = $1 AND (m.administrator OR m.all_entities OR EXISTS (SELECT FROM membership_entities s
			WHERE s.account_id = e.account_id AND s.user_id = m.user_id AND s.entity_id = e.id))
		ORDER BY e.account_id, e.id
;
SELECT f.id FROM financial_accounts f
		WHERE f.account_id = $1 AND f.status = 1 AND f.id = ANY(ARRAY(
			SELECT unnest($3::bigint[])
			UNION SELECT g.id FROM financial_accounts g WHERE g.account_id = $1 AND g.sale_account_id = $2 AND g.gathering AND g.status = 1))
		ORDER BY f.id FOR NO KEY UPDATE
;
SELECT f.id FROM financial_accounts f
	WHERE f.account_id = $1 AND f.id = ANY(ARRAY(
		SELECT financial_account_id FROM sales WHERE account_id = $1 AND id = ANY($2) AND financial_account_id IS NOT NULL))
	ORDER BY f.id FOR NO KEY UPDATE
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.amount <= CAST($4 AS numeric) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.amount = CAST($4 AS numeric) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.amount >= CAST($4 AS numeric) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.category_id = $4 ORDER BY f.status + 0, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.category_id IN (SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $4) ORDER BY f.status + 0, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.classification_center_id = $4 ORDER BY f.status + 0, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.classification_center_id IN (SELECT id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND name = $4) ORDER BY f.status + 0, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.document = $4 ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.due_date <= CAST($4 AS date) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.due_date >= CAST($4 AS date) AND f.due_date <= CAST($5 AS date) ORDER BY f.status, f.due_date, f.id LIMIT nullif($6, 0) OFFSET $7
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.due_date >= CAST($4 AS date) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.id = $4 FOR UPDATE
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.occurred_at <= CAST($4 AS date) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.occurred_at >= CAST($4 AS date) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.person_id = $4 ORDER BY f.status + 0, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.person_id IN (SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND name = $4) ORDER BY f.status + 0, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.status = $4 ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.updated_at >= CAST($4 AS timestamptz) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND fold(f.description) LIKE fold($4) ORDER BY f.status, f.due_date, f.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 ORDER BY f.status, f.due_date, f.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT f.id, f.account_id, f.entity_id, f.kind, f.status, f.due_date, f.occurred_at, f.amount, f.ticket_amount,
	f.interest_amount, f.discount_amount, f.total_amount, f.competency_month, f.description, f.document, f.document_emission_date,
	f.observation, f.remind, f.reminded_at, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id,
	f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at, f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications
		FROM financial_accounts f WHERE f.account_id = $1 AND f.reconcile_id = $2 ORDER BY f.id
;
SELECT f.id, f.account_id, f.entity_id, f.kind, f.status, f.due_date, f.occurred_at, f.amount, f.ticket_amount,
	f.interest_amount, f.discount_amount, f.total_amount, f.competency_month, f.description, f.document, f.document_emission_date,
	f.observation, f.remind, f.reminded_at, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id,
	f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at, f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications,
	CASE WHEN f.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT json_agg(json_build_object('ID', m.id, 'DepositAccountID', m.deposit_account_id)) FROM (
			SELECT id, deposit_account_id FROM financial_transactions
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id ORDER BY id LIMIT 20) m) END AS reconciled_with
			FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) AND f.kind = ANY($3) ORDER BY f.id
;
SELECT f.id, f.account_id, f.entity_id, f.kind, f.status, f.due_date, f.occurred_at, f.amount, f.ticket_amount,
	f.interest_amount, f.discount_amount, f.total_amount, f.competency_month, f.description, f.document, f.document_emission_date,
	f.observation, f.remind, f.reminded_at, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id,
	f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at, f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications,
	CASE WHEN f.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT json_agg(json_build_object('ID', m.id, 'DepositAccountID', m.deposit_account_id)) FROM (
			SELECT id, deposit_account_id FROM financial_transactions
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id ORDER BY id LIMIT 20) m) END AS reconciled_with
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY f.id
;
SELECT f.id, f.account_id, f.entity_id, f.kind, f.status, f.due_date, f.occurred_at, f.amount, f.ticket_amount,
	f.interest_amount, f.discount_amount, f.total_amount, f.competency_month, f.description, f.document, f.document_emission_date,
	f.observation, f.remind, f.reminded_at, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id,
	f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at, f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications,
	CASE WHEN f.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT json_agg(json_build_object('ID', m.id, 'DepositAccountID', m.deposit_account_id)) FROM (
			SELECT id, deposit_account_id FROM financial_transactions
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id ORDER BY id LIMIT 20) m) END AS reconciled_with
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY f.status, f.due_date, f.id
;
SELECT f.id, f.account_id, f.entity_id, f.kind, f.status, f.due_date, f.occurred_at, f.amount, f.ticket_amount,
	f.interest_amount, f.discount_amount, f.total_amount, f.competency_month, f.description, f.document, f.document_emission_date,
	f.observation, f.remind, f.reminded_at, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id,
	f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at, f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications,
	CASE WHEN f.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT json_agg(json_build_object('ID', m.id, 'DepositAccountID', m.deposit_account_id)) FROM (
			SELECT id, deposit_account_id FROM financial_transactions
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id ORDER BY id LIMIT 20) m) END AS reconciled_with FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3 AND f.id = $4
;
SELECT f.id, f.entity_id FROM financial_accounts f JOIN entities e ON e.account_id = f.account_id AND e.id = f.entity_id
		WHERE f.account_id = $1 AND f.sale_account_id = $2 AND f.settling AND e.deleted_at IS NULL
		ORDER BY f.id LIMIT 1 FOR NO KEY UPDATE OF f
;
SELECT f.id, f.occurred_at, CASE f.kind WHEN 'payable' THEN -f.total_amount ELSE f.total_amount END AS amount,
			coalesce(f.document, '') AS document, concat_ws(' ', f.description, p.name) AS text
		FROM financial_accounts f LEFT JOIN people p ON p.account_id = f.account_id AND p.id = f.person_id
		WHERE f.account_id = $1 AND f.entity_id = $2 AND f.status = 2 AND f.kind = ANY($3)
			AND f.occurred_at BETWEEN CAST($4 AS date) - $7::int AND CAST($5 AS date) + $7::int
			AND (f.expected_deposit_account_id IS NULL OR f.expected_deposit_account_id = $6) LIMIT $8
;
SELECT f.id, f.status, f.sale_account_id, f.credit_card_invoice_id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND f.kind = $3
		AND f.id = ANY($4) ORDER BY f.id FOR UPDATE
;
SELECT file_key FROM attachments WHERE account_id = $1 AND entity_id = $2 AND id = $3
;
SELECT file_key FROM attachments WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 500
;
SELECT file_key FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 499
;
SELECT file_key FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 500
;
SELECT financial_account_id AS id, count(*) AS count, sum(receivable_amount) AS amount FROM sales
		WHERE account_id = $1 AND id = ANY($2) AND financial_account_id IS NOT NULL GROUP BY 1
;
SELECT i.id, i.account_id, i.bank_statement_id, i.line, i.occurred_at, i.amount, i.mark, i.description,
	i.document, i.fitid, i.outcome, t.id AS financial_transaction_id FROM (
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description, document, fitid,
			'imported' AS outcome, financial_transaction_id
		FROM imported_items
		UNION ALL
		SELECT number, account_id, bank_statement_id, line, day, amount, mark, description, document, fitid, outcome, NULL
		FROM ignored_items) i
	LEFT JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id
		WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id = $3
;
SELECT i.id, i.account_id, i.bank_statement_id, i.line, i.occurred_at, i.amount, i.mark, i.description,
	i.document, i.fitid, i.outcome, t.id AS financial_transaction_id FROM (
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description, document, fitid,
			'imported' AS outcome, financial_transaction_id
		FROM imported_items
		UNION ALL
		SELECT number, account_id, bank_statement_id, line, day, amount, mark, description, document, fitid, outcome, NULL
		FROM ignored_items) i
	LEFT JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id
		WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id > CAST($3 AS bigint) AND i.id <= CAST($4 AS bigint) ORDER BY i.id
;
SELECT i.id, i.account_id, i.bank_statement_id, i.line, i.occurred_at, i.amount, i.mark, i.description,
	i.document, i.fitid, i.outcome, t.id AS financial_transaction_id FROM (
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description, document, fitid,
			'imported' AS outcome, financial_transaction_id
		FROM imported_items
		UNION ALL
		SELECT number, account_id, bank_statement_id, line, day, amount, mark, description, document, fitid, outcome, NULL
		FROM ignored_items) i
	LEFT JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id > 0 AND i.outcome = $3 ORDER BY i.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT i.id, i.account_id, i.credit_card_id, i.start_date, i.end_date, i.due_date, i.balance, i.transactions_count, f.id AS payable_account_id FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE i.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND i.credit_card_id = $3 ORDER BY i.month LIMIT nullif($4, 0) OFFSET $5
;
SELECT id FROM (SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM sale_accounts WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM (SELECT id FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0))) o WHERE id >= $3 ORDER BY id
;
SELECT id FROM accounts ORDER BY id
;
SELECT id FROM accounts WHERE id = $1
;
SELECT id FROM accounts WHERE id = $1 AND id = $2
;
SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE
;
SELECT id FROM attachments
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) ORDER BY id FOR KEY SHARE
;
SELECT id FROM attachments WHERE account_id = $1 AND entity_id = $2 AND id = $3 FOR UPDATE
;
SELECT id FROM attachments WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT attachment_id FROM financial_account_attachments WHERE account_id = $1 AND financial_account_id = ANY($2)))
		ORDER BY id FOR UPDATE
;
SELECT id FROM attachments WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT attachment_id FROM financial_transaction_attachments WHERE account_id = $1 AND financial_transaction_id = ANY($2)))
		ORDER BY id FOR UPDATE
;
SELECT id FROM attachments WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT attachment_id FROM sale_attachments WHERE account_id = $1 AND sale_id = ANY($2)))
		ORDER BY id FOR UPDATE
;
SELECT id FROM bank_statements WHERE account_id = $1 AND id = ANY($2) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE
;
SELECT id FROM classification_centers
		WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL FOR KEY SHARE
;
SELECT id FROM classification_centers
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE
;
SELECT id FROM classification_centers WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2
;
SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2 AND end_date = ANY($3::date[])
;
SELECT id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM credit_card_transaction_custom_classifications x WHERE x.account_id = $1 AND x.credit_card_transaction_id = credit_card_transactions.id AND custom_classifier_value_id = ANY($2::bigint[]))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM credit_card_transaction_custom_classifications x WHERE x.account_id = $1 AND x.credit_card_transaction_id = credit_card_transactions.id AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($3) AND (category_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($3) AND (classification_center_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($3) AND (person_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL FOR NO KEY UPDATE
;
SELECT id FROM credit_cards WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM credit_cards WHERE account_id = $1 AND id = ANY($3) AND (category_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM credit_cards WHERE account_id = $1 AND id = ANY($3) AND (classification_center_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM credit_cards WHERE account_id = $1 AND id = ANY($3) AND (person_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM custom_classifier_values
			WHERE account_id = $1 AND custom_classifier_id = $2 AND fold(value) = fold($3) AND deleted_at IS NULL FOR KEY SHARE
;
SELECT id FROM custom_classifier_values WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM custom_classifiers WHERE account_id = $1 AND fold(name) = fold($2) AND deleted_at IS NULL FOR KEY SHARE
;
SELECT id FROM custom_classifiers WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM custom_classifiers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE
;
SELECT id FROM deliveries WHERE account_id = $1 AND id = ANY($2) AND status IN ('delivered', 'failed', 'expired')
			FOR UPDATE SKIP LOCKED
;
SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL FOR KEY SHARE
;
SELECT id FROM deposit_accounts WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM entities WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) AND kind = ANY($4) ORDER BY id FOR KEY SHARE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY($2)
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM financial_account_center_classifications x WHERE x.account_id = $1 AND x.financial_account_id = financial_accounts.id AND classification_center_id = ANY($2::bigint[]))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM financial_account_custom_classifications x WHERE x.account_id = $1 AND x.financial_account_id = financial_accounts.id AND custom_classifier_value_id = ANY($2::bigint[]))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM financial_account_custom_classifications x WHERE x.account_id = $1 AND x.financial_account_id = financial_accounts.id AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($3) AND (category_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($3) AND (classification_center_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($3) AND (expected_deposit_account_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($3) AND (person_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_accounts WHERE account_id = $1 AND recurrence_id = $2 AND status <> $3
;
SELECT id FROM financial_transactions WHERE account_id = $1 AND id = ANY($3) AND (category_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_transactions WHERE account_id = $1 AND id = ANY($3) AND (classification_center_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_transactions WHERE account_id = $1 AND id = ANY($3) AND (person_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM financial_transactions WHERE account_id = $1 AND reconcile_id = ANY($2) ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM people WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM people WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE
;
SELECT id FROM reconciles WHERE account_id = $1 AND entity_id = $2 AND id = $3 FOR UPDATE
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM sale_account_center_classifications x WHERE x.account_id = $1 AND x.sale_account_id = sale_accounts.id AND classification_center_id = ANY($2::bigint[]))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM sale_account_custom_classifications x WHERE x.account_id = $1 AND x.sale_account_id = sale_accounts.id AND custom_classifier_value_id = ANY($2::bigint[]))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM sale_account_custom_classifications x WHERE x.account_id = $1 AND x.sale_account_id = sale_accounts.id AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = ANY($3) AND (category_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = ANY($3) AND (classification_center_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = ANY($3) AND (expected_deposit_account_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sale_accounts WHERE account_id = $1 AND id = ANY($3) AND (person_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sales WHERE account_id = $1 AND (id = $2 OR original_sale_id = $2 AND status < $3) ORDER BY id FOR UPDATE
;
SELECT id FROM sales WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM sale_center_classifications x WHERE x.account_id = $1 AND x.sale_id = sales.id AND classification_center_id = ANY($2::bigint[]))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sales WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM sale_custom_classifications x WHERE x.account_id = $1 AND x.sale_id = sales.id AND custom_classifier_value_id = ANY($2::bigint[]))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sales WHERE account_id = $1 AND id = ANY($3) AND (EXISTS (
				SELECT FROM sale_custom_classifications x WHERE x.account_id = $1 AND x.sale_id = sales.id AND custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = ANY($2::bigint[]))))) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sales WHERE account_id = $1 AND id = ANY($3) AND (category_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sales WHERE account_id = $1 AND id = ANY($3) AND (classification_center_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM sales WHERE account_id = $1 AND id = ANY($3) AND (person_id = ANY($2::bigint[])) IS TRUE ORDER BY id FOR NO KEY UPDATE
;
SELECT id FROM unnest($2::bigint[]) AS t (id)
		UNION SELECT id FROM financial_transactions WHERE account_id = $1 AND transfer_id = ANY($2)
;
SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
;
SELECT id, ARRAY[id::text] AS key FROM sales WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id DESC LIMIT 1000
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1000
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 880
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 890
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 901
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 912
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 923
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 934
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 945
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 956
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 967
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 978
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 989
;
SELECT id, ARRAY[occurred_at::text, id::text] AS key FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1000
;
SELECT id, account_id, custom_classifier_id, value, created_at, updated_at FROM custom_classifier_values
		WHERE account_id = $1 AND custom_classifier_id = $2 AND id = $3 AND deleted_at IS NULL
;
SELECT id, account_id, custom_classifier_id, value, created_at, updated_at FROM custom_classifier_values
		WHERE account_id = $1 AND custom_classifier_id = $2 AND id = $3 AND deleted_at IS NULL FOR NO KEY UPDATE
;
SELECT id, account_id, custom_classifier_id, value, created_at, updated_at FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = $2 AND deleted_at IS NULL AND updated_at >= CAST($3 AS timestamptz) ORDER BY fold(value), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, custom_classifier_id, value, created_at, updated_at FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = $2 AND deleted_at IS NULL ORDER BY fold(value), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, deposit_account_id, opened_at, opening_responsible_id, opening_responsible_name,
	closed_at, closing_responsible_id, closing_responsible_name
		FROM register_sessions WHERE account_id = $1 AND deposit_account_id = $2 AND closed_at IS NULL FOR UPDATE
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) AND entity_id = $4 AND fold(name) LIKE fold($5) ORDER BY fold(name), id LIMIT nullif($6, 0) OFFSET $7
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) AND entity_id = $4 ORDER BY fold(name), id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) AND fold(name) LIKE fold($4) ORDER BY fold(name), id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) AND id = $4
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) AND id = $4 FOR NO KEY UPDATE
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) AND name = $4 ORDER BY fold(name), id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) AND updated_at >= CAST($4 AS timestamptz) ORDER BY fold(name), id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND ($2 OR entity_id = ANY($3)) ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL FOR NO KEY UPDATE
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at
		FROM deposit_accounts d WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL
		AND EXISTS (SELECT FROM entities e WHERE e.account_id = $1 AND e.id = d.entity_id AND e.deleted_at IS NULL)
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND bank_account_id = $3 AND deposit_account_type_id = $4 ORDER BY fold(name), id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND bank_account_id = $3 ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND deposit_account_type_id = $3 ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND fold(name) LIKE fold($3) ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND name = $3 ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND updated_at >= CAST($3 AS timestamptz) ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL AND updated_at >= CAST($2 AS timestamptz) ORDER BY id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT nullif($2, 0) OFFSET $3
;
SELECT id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL
;
SELECT id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE
;
SELECT id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE
;
SELECT id, account_id, name, created_at, updated_at
		FROM custom_classifiers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL
;
SELECT id, account_id, name, created_at, updated_at
		FROM custom_classifiers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE
;
SELECT id, account_id, name, created_at, updated_at FROM custom_classifiers WHERE account_id = $1 AND deleted_at IS NULL AND updated_at >= CAST($2 AS timestamptz) ORDER BY id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, name, created_at, updated_at FROM custom_classifiers WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT nullif($2, 0) OFFSET $3
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND (federation_subscription_number IS NULL) = $4 ORDER BY id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND federation_subscription_code = $4 ORDER BY id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND federation_subscription_code LIKE $4 AND fold(name) LIKE fold($5) ORDER BY id LIMIT nullif($6, 0) OFFSET $7
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND federation_subscription_code LIKE $4 ORDER BY id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND fold(name) LIKE fold($4) ORDER BY id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND name = $4 ORDER BY id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND updated_at >= CAST($4 AS timestamptz) ORDER BY id LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) ORDER BY id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND id = $2
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND id = $2 FOR KEY SHARE
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE
;
SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at FROM entities WHERE account_id = $1 AND id = $2 FOR UPDATE
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at
		FROM people WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at
		FROM people WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at FROM people WHERE account_id = $1 AND deleted_at IS NULL AND federation_subscription_code = $2 ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at FROM people WHERE account_id = $1 AND deleted_at IS NULL AND name = $2 AND person_type = ANY($3) ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at FROM people WHERE account_id = $1 AND deleted_at IS NULL AND name = $2 ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at FROM people WHERE account_id = $1 AND deleted_at IS NULL AND person_type = ANY($2) ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at FROM people WHERE account_id = $1 AND deleted_at IS NULL AND updated_at >= CAST($2 AS timestamptz) ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at FROM people WHERE account_id = $1 AND deleted_at IS NULL ORDER BY fold(name), id LIMIT nullif($2, 0) OFFSET $3
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at
		FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND fold(full_name) = fold($2) FOR KEY SHARE
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at
		FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND id = $2 FOR KEY SHARE
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at
		FROM categories WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at
		FROM categories WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $2 ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND name = $2 AND parent_id = $3 ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND name = $2 AND updated_at >= CAST($3 AS timestamptz) ORDER BY fold(name), id LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND name = $2 ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND parent_id = $2 ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND updated_at >= CAST($2 AS timestamptz) ORDER BY fold(name), id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at FROM categories WHERE account_id = $1 AND deleted_at IS NULL ORDER BY fold(name), id LIMIT nullif($2, 0) OFFSET $3
;
SELECT id, amount FROM financial_transactions WHERE account_id = $1 AND reconcile_id IS NULL AND id = ANY(ARRAY(
		SELECT id FROM financial_transactions WHERE account_id = $1 AND bank_statement_id = $2 LIMIT $3))
	ORDER BY id FOR UPDATE
;
SELECT id, bool_or(misfit) AS misfit FROM (
			SELECT a.id, f.consolidated <> a.consolidate OR f.consolidated AND EXISTS (
				SELECT FROM financial_accounts o WHERE o.account_id = $1 AND o.sale_account_id = a.id AND o.due_date = f.due_date
				AND o.status = 1 AND o.consolidated AND o.id <> f.id) AS misfit, false AS awaits
			FROM financial_accounts f JOIN sale_accounts a ON a.account_id = f.account_id AND a.id = f.sale_account_id
			WHERE f.account_id = $1 AND f.id = ANY($2) AND f.status = 1
			UNION ALL
			SELECT s.sale_account_id, false, true FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id AND f.id = s.financial_account_id
			WHERE s.account_id = $1 AND s.financial_account_id = ANY($2) AND s.awaiting_pricing AND f.status = 1) a
		WHERE misfit OR awaits GROUP BY id ORDER BY id
;
SELECT id, claims, kind, queue FROM jobs WHERE kind = $1 AND key = $2 AND CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END LIMIT 1
;
SELECT id, claims, kind, queue, due_at AS at FROM jobs
		WHERE queue = $1 AND failed_at IS NULL AND due_at <= now() AND coalesce(leased_until < now(), true) AND (due_at, id) > ($2, $3)
		ORDER BY due_at, id LIMIT $4
;
SELECT id, count(*) OVER () AS count FROM financial_transactions
		WHERE account_id = $1 AND bank_statement_id = $2 AND reconcile_id IS NOT NULL ORDER BY id LIMIT $3
;
SELECT id, created_at <= now() - make_interval(secs => $3) AS old,
					status IN ('delivered', 'failed', 'expired') AND coalesce(delivered_at, created_at) <= now() - make_interval(secs => $3) AS done
				FROM deliveries WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $4
;
SELECT id, credit_card_invoice_id AS "invoice.id" FROM credit_card_transactions
		WHERE account_id = $1 AND credit_card_id = $2 AND recurrence_id = $3
;
SELECT id, entity_id FROM credit_cards WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT credit_card_id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($2))) FOR NO KEY UPDATE
;
SELECT id, entity_id FROM reconciles WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT reconcile_id FROM financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY($2) AND reconcile_id IS NOT NULL)) ORDER BY id FOR UPDATE
;
SELECT id, entity_id FROM reconciles WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT reconcile_id FROM financial_accounts WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT financial_account_id FROM sales WHERE account_id = $1 AND id = ANY($2))) AND reconcile_id IS NOT NULL)) ORDER BY id FOR UPDATE
;
SELECT id, entity_id FROM reconciles WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT reconcile_id FROM financial_transactions WHERE account_id = $1 AND id = ANY($2) AND reconcile_id IS NOT NULL)) ORDER BY id FOR UPDATE
;
SELECT id, family || '.' || action AS event, status, attempts_count, CASE status WHEN 'pending' THEN next_at END AS next_attempt_at,
	created_at, delivered_at FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND created_at >= CAST($3 AS timestamptz) ORDER BY id DESC LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, family || '.' || action AS event, status, attempts_count, CASE status WHEN 'pending' THEN next_at END AS next_attempt_at,
	created_at, delivered_at FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND family || '.' || action = $3 AND created_at >= CAST($4 AS timestamptz) ORDER BY id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT id, family || '.' || action AS event, status, attempts_count, CASE status WHEN 'pending' THEN next_at END AS next_attempt_at,
	created_at, delivered_at FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND family || '.' || action = $3 ORDER BY id DESC LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, family || '.' || action AS event, status, attempts_count, CASE status WHEN 'pending' THEN next_at END AS next_attempt_at,
	created_at, delivered_at FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND id = $3
;
SELECT id, family || '.' || action AS event, status, attempts_count, CASE status WHEN 'pending' THEN next_at END AS next_attempt_at,
	created_at, delivered_at FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND status = $3 ORDER BY id DESC LIMIT nullif($4, 0) OFFSET $5
;
SELECT id, family || '.' || action AS event, status, attempts_count, CASE status WHEN 'pending' THEN next_at END AS next_attempt_at,
	created_at, delivered_at FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) ORDER BY id DESC LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, full_name FROM categories WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id FOR KEY SHARE
;
SELECT id, kind, sale_account_id, sales_count FROM financial_accounts
		WHERE account_id = $1 AND reconcile_id = ANY($2) ORDER BY id FOR NO KEY UPDATE
;
SELECT id, kind, status, total_amount FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) ORDER BY id FOR NO KEY UPDATE
;
SELECT id, name, uuid, plan_slug, default_currency_id, created_at, updated_at FROM accounts WHERE id IN (SELECT account_id FROM memberships WHERE user_id = $1) AND updated_at >= CAST($2 AS timestamptz) ORDER BY id LIMIT nullif($3, 0) OFFSET $4
;
SELECT id, name, uuid, plan_slug, default_currency_id, created_at, updated_at FROM accounts WHERE id IN (SELECT account_id FROM memberships WHERE user_id = $1) ORDER BY id LIMIT nullif($2, 0) OFFSET $3
;
SELECT id, payment_method, issuer, priced_up_to, up_to FROM sale_rule_applications
		WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id LIMIT 1 FOR UPDATE
;
SELECT j.id, j.kind, j.queue, j.key, j.account_id, j.request_id, j.created_at, j.due_at, j.leased_until, j.attempts, j.error, j.failed_at,
			d.deleted, d.left
		FROM (SELECT id, kind, queue, key, account_id, request_id, created_at, due_at, leased_until, attempts, error, failed_at, args
			FROM jobs ORDER BY id DESC LIMIT $1) j
		LEFT JOIN LATERAL (
			SELECT CAST(sum(deleted) AS bigint) AS deleted, CAST(sum(greatest(estimated - deleted, 0)) AS bigint) AS left FROM deletions
			WHERE j.kind = 'delete_cascade' AND account_id = j.account_id AND root = j.args::json ->> 'root'
				AND record_id = CAST(j.args::json ->> 'id' AS bigint)) d ON true
		ORDER BY j.id DESC
;
SELECT j.id, j.kind, j.queue, j.key, j.account_id, j.request_id, j.created_at, j.due_at, j.leased_until, j.attempts, j.error, j.failed_at,
			d.deleted, d.left
		FROM (SELECT id, kind, queue, key, account_id, request_id, created_at, due_at, leased_until, attempts, error, failed_at, args
			FROM jobs WHERE failed_at IS NOT NULL ORDER BY id DESC LIMIT $1) j
		LEFT JOIN LATERAL (
			SELECT CAST(sum(deleted) AS bigint) AS deleted, CAST(sum(greatest(estimated - deleted, 0)) AS bigint) AS left FROM deletions
			WHERE j.kind = 'delete_cascade' AND account_id = j.account_id AND root = j.args::json ->> 'root'
				AND record_id = CAST(j.args::json ->> 'id' AS bigint)) d ON true
		ORDER BY j.id DESC
;
SELECT k FROM unnest($1::text[]) k
		WHERE NOT EXISTS (SELECT FROM bank_statements WHERE file_key = k) AND NOT EXISTS (SELECT FROM attachments WHERE file_key = k)
;
SELECT k.id, k.account_id, k.entity_id, k.name, k.flag, d.closing_day, d.expiration_day, d.billings, k.observation,
	k.category_id, k.person_id, k.classification_center_id, k.archived_at, k.created_at, k.updated_at,
	(SELECT coalesce(sum(i.balance), 0) FROM credit_card_invoices i
		WHERE i.account_id = k.account_id AND i.credit_card_id = k.id AND NOT EXISTS (
			SELECT FROM financial_accounts f WHERE f.account_id = i.account_id AND f.credit_card_invoice_id = i.id AND f.status > 1)) AS balance FROM credit_cards k CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay', b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND fold(k.name) LIKE fold($3) ORDER BY k.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT k.id, k.account_id, k.entity_id, k.name, k.flag, d.closing_day, d.expiration_day, d.billings, k.observation,
	k.category_id, k.person_id, k.classification_center_id, k.archived_at, k.created_at, k.updated_at,
	(SELECT coalesce(sum(i.balance), 0) FROM credit_card_invoices i
		WHERE i.account_id = k.account_id AND i.credit_card_id = k.id AND NOT EXISTS (
			SELECT FROM financial_accounts f WHERE f.account_id = i.account_id AND f.credit_card_invoice_id = i.id AND f.status > 1)) AS balance FROM credit_cards k CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay', b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL ORDER BY k.id LIMIT nullif($3, 0) OFFSET $4
;
SELECT k.id, k.account_id, k.entity_id, k.name, k.flag, d.closing_day, d.expiration_day, d.billings, k.observation,
	k.category_id, k.person_id, k.classification_center_id, k.archived_at, k.created_at, k.updated_at,
	(SELECT coalesce(sum(i.balance), 0) FROM credit_card_invoices i
		WHERE i.account_id = k.account_id AND i.credit_card_id = k.id AND NOT EXISTS (
			SELECT FROM financial_accounts f WHERE f.account_id = i.account_id AND f.credit_card_invoice_id = i.id AND f.status > 1)) AS balance FROM credit_cards k CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay', b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.entity_id = $2 AND k.id = $3 AND k.deleted_at IS NULL
;
SELECT k.id, k.account_id, k.entity_id, k.name, k.flag, d.closing_day, d.expiration_day, d.billings, k.observation,
	k.category_id, k.person_id, k.classification_center_id, k.archived_at, k.created_at, k.updated_at,
	(SELECT coalesce(sum(i.balance), 0) FROM credit_card_invoices i
		WHERE i.account_id = k.account_id AND i.credit_card_id = k.id AND NOT EXISTS (
			SELECT FROM financial_accounts f WHERE f.account_id = i.account_id AND f.credit_card_invoice_id = i.id AND f.status > 1)) AS balance FROM credit_cards k CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay', b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.id = $2
;
SELECT kind, deleted, greatest(estimated - deleted, 0) AS left, started_at FROM deletions
		WHERE account_id = $1 AND root = 'entities' AND record_id = $2 ORDER BY place
;
SELECT kind, key, pg_advisory_xact_lock($2, hashtext(kind || ' ' || key))::text AS turn
			FROM jobs j WHERE id = $1 AND CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END AND NOT EXISTS (
				SELECT FROM jobs held WHERE held.kind = j.kind AND held.key = j.key
				AND held.failed_at IS NULL AND held.leased_until >= now())
;
SELECT nextval('financial_accounts_id_seq') FROM generate_series(1, $1)
;
SELECT nextval(s.name) FROM (SELECT pg_get_serial_sequence($1, 'id')::regclass AS name OFFSET 0) s, generate_series(1, $2::int)
;
SELECT now() + make_interval(secs => $1)
;
SELECT number, started_at, finished_at, response_code, error, response_excerpt FROM delivery_attempts
		WHERE account_id = $1 AND delivery_id = $2 ORDER BY number
;
SELECT o.currency_id = d.currency_id FROM deposit_accounts o JOIN deposit_accounts d ON d.account_id = o.account_id AND d.id = $4
		WHERE o.account_id = $1 AND o.entity_id = $2 AND o.id = $3 AND o.deleted_at IS NULL FOR KEY SHARE OF o
;
SELECT pg_advisory_xact_lock(hashtextextended('import:' || $1::bigint, 0))
;
SELECT pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'key', $1::bigint, $2::text, $3::text), 0))
;
SELECT queue, kind, state, count(*) AS count, max(extract(epoch FROM now() - since))::float8 AS seconds
		FROM (
			SELECT q.queue, j.kind, j.state, j.since
			FROM unnest($1::text[]) AS q(queue) CROSS JOIN LATERAL (
				(SELECT kind, CASE WHEN leased_until >= now() THEN 'running' ELSE 'waiting' END AS state, due_at AS since
				FROM jobs WHERE queue = q.queue AND failed_at IS NULL AND due_at <= now() ORDER BY due_at, id LIMIT $2)
				UNION ALL
				(SELECT kind, 'later', now() FROM jobs
				WHERE queue = q.queue AND failed_at IS NULL AND due_at > now() ORDER BY due_at, id LIMIT $2)) j
			UNION ALL
			(SELECT queue, kind, 'failed', failed_at FROM jobs WHERE failed_at IS NOT NULL ORDER BY id DESC LIMIT $2)
		) seen
		GROUP BY queue, kind, state ORDER BY queue, kind, state
;
SELECT r.id, r.account_id, r.entity_id, r.kind, r.creator_id, r.created_at
		FROM reconciles r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.id = $3
;
SELECT r.id, r.account_id, r.entity_id, r.kind, r.creator_id, r.created_at,
		(SELECT coalesce(json_agg(json_build_object('ID', f.id) ORDER BY f.id), '[]')
			FROM financial_accounts f WHERE f.account_id = r.account_id AND f.reconcile_id = r.id) AS account_refs,
		(SELECT coalesce(json_agg(json_build_object('ID', t.id, 'DepositAccountID', t.deposit_account_id) ORDER BY t.id), '[]')
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id) AS transaction_refs FROM reconciles r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.kind = ANY($3) ORDER BY r.id DESC LIMIT nullif($4, 0) OFFSET $5
;
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount,
	r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id FROM sale_rules r WHERE r.account_id = $1 AND r.id = $2
;
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount,
	r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $4
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4) AND r.id = $5
;
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount,
	r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $4
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4) AND r.id = $5 FOR NO KEY UPDATE OF r
;
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount,
	r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $4
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4) AND r.updated_at >= CAST($5 AS timestamptz) ORDER BY r.id LIMIT nullif($6, 0) OFFSET $7
;
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount,
	r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $4
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4) ORDER BY r.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT s.id FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id AND f.id = s.financial_account_id
		WHERE s.account_id = $1 AND s.id = ANY($2) AND s.status = 1 AND f.status > 1
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND (s.category_id IS NULL) = $3 ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND (s.classification_center_id IS NULL) = $3 ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND (s.id = $3 OR s.original_sale_id = $3)
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND (s.person_id IS NULL) = $3 ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND CAST($3 AS boolean) IS NOT NULL ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND fold(s.description) LIKE fold($3) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND fold(s.observation) LIKE fold($3) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.amount_difference <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.amount_difference >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $3
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL)
		SELECT id FROM tree)) AND CAST($4 AS boolean) IS NOT NULL ORDER BY s.id + 0 LIMIT nullif($5, 0) OFFSET $6
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $3
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL)
		SELECT id FROM tree)) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.category_id = ANY (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $3)) AND CAST($4 AS boolean) IS NOT NULL ORDER BY s.id + 0 LIMIT nullif($5, 0) OFFSET $6
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.classification_center_id = ANY (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND name = $3)) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.competency_month <= CAST($3 AS date) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.competency_month >= CAST($3 AS date) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.confirmed_at <= CAST($3 AS date) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.confirmed_at >= CAST($3 AS date) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.discount_amount <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.discount_amount >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.document = $3 ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.document_emission_date <= CAST($3 AS date) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.document_emission_date >= CAST($3 AS date) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.estimated_liquidated_at <= CAST($3 AS date) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.estimated_liquidated_at >= CAST($3 AS date) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.fee_percentage <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.fee_percentage >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.fee_percentage_amount <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.fee_percentage_amount >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.financial_account_id = $3 ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.fixed_fee_amount <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.fixed_fee_amount >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.id = $3 FOR UPDATE
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.id IN (
		SELECT x.sale_id
		FROM unnest(CAST($3 AS text[])) WITH ORDINALITY AS w (named, line)
		JOIN custom_classifier_values v ON v.account_id = $1 AND v.custom_classifier_id = split_part(w.named, ':', 1)::bigint
			AND fold(v.value) = fold(substr(w.named, strpos(w.named, ':') + 1)) AND v.deleted_at IS NULL
		JOIN sale_custom_classifications x ON x.account_id = $1 AND x.custom_classifier_value_id = v.id
		GROUP BY x.sale_id HAVING count(DISTINCT w.line) = cardinality(CAST($3 AS text[]))) AND s.nominal_amount <= CAST($4 AS numeric) AND s.total_taxes <= CAST($5 AS numeric) ORDER BY s.id + 0 LIMIT nullif($6, 0) OFFSET $7
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.id IN (
		SELECT x.sale_id
		FROM unnest(CAST($3 AS text[])) WITH ORDINALITY AS w (named, line)
		JOIN custom_classifier_values v ON v.account_id = $1 AND v.custom_classifier_id = split_part(w.named, ':', 1)::bigint
			AND fold(v.value) = fold(substr(w.named, strpos(w.named, ':') + 1)) AND v.deleted_at IS NULL
		JOIN sale_custom_classifications x ON x.account_id = $1 AND x.custom_classifier_value_id = v.id
		GROUP BY x.sale_id HAVING count(DISTINCT w.line) = cardinality(CAST($3 AS text[]))) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.interest_amount <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.interest_amount >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.issuer = $3 ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.liquidated_at <= CAST($3 AS date) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.liquidated_at >= CAST($3 AS date) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.nominal_amount <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.nominal_amount >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.occurred_at <= CAST($3 AS date) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.occurred_at >= CAST($3 AS date) AND s.payment_method = $4 AND s.sale_account_id = $5 AND s.status = CASE CAST($6 AS int) WHEN 4 THEN 0 ELSE CAST($6 AS int) END AND (CAST($6 AS int) <> 4 OR NOT s.awaiting_pricing) ORDER BY s.id + 0 LIMIT nullif($7, 0) OFFSET $8
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.occurred_at >= CAST($3 AS date) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.payment_method = $3 ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.person_id = ANY (ARRAY(SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND name = $3)) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.provider_code = $3 ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.sale_account_id = $3 AND s.updated_at >= CAST($4 AS timestamptz) ORDER BY s.id + 0 LIMIT nullif($5, 0) OFFSET $6
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.sale_account_id = $3 ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.status = CASE CAST($3 AS int) WHEN 4 THEN 0 ELSE CAST($3 AS int) END AND (CAST($3 AS int) <> 4 OR NOT s.awaiting_pricing) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.ticket_amount <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.ticket_amount >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.total_amount <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.total_amount >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.total_taxes <= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.total_taxes >= CAST($3 AS numeric) ORDER BY s.id LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.updated_at >= CAST($3 AS timestamptz) ORDER BY s.id + 0 LIMIT nullif($4, 0) OFFSET $5
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 ORDER BY s.id LIMIT nullif($3, 0) OFFSET $4
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3 AND s.id <= $4 AND s.awaiting_pricing AND s.status < 2 AND $5 = '' AND $6 = '' AND (s.financial_account_id IS NULL OR EXISTS (
		SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id AND f.status = 1)) AND (s.financial_account_id IS NULL OR s.financial_account_id = ANY($7::bigint[]))
	ORDER BY s.id FOR NO KEY UPDATE
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3 AND s.id <= $4 AND s.status < 2 AND s.payment_method = $5 AND coalesce(s.issuer, '') = $6 AND (s.financial_account_id IS NULL OR s.financial_account_id = ANY($7::bigint[]))
	ORDER BY s.id FOR NO KEY UPDATE
;
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3 AND s.id <= $4 AND s.status = 1 AND $5 = '' AND $6 = '' AND (s.financial_account_id IS NULL OR s.financial_account_id = ANY($7::bigint[]))
	ORDER BY s.id FOR NO KEY UPDATE
;
SELECT s.id, s.account_id, s.entity_id, s.sale_account_id, s.status, s.awaiting_pricing, s.payment_method, s.issuer, s.document,
	s.document_emission_date, s.provider_code, s.occurred_at, s.confirmed_at, s.competency_month, s.description, s.observation, s.nominal_amount,
	s.interest_amount, s.ticket_amount, s.discount_amount, s.total_amount, s.total_taxes, s.sale_rule_id, s.financial_account_id,
	s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount, s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday,
	s.estimated_liquidated_at, s.liquidated_at, s.amount_difference, s.installment_number, s.installment_count, s.original_sale_id,
	s.category_id, s.person_id, s.classification_center_id, s.created_at, s.updated_at,
	(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.id), '[]')
		FROM sale_taxes x WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS taxes,
	(SELECT coalesce(json_agg(json_build_object('ID', i.id, 'InstallmentNumber', i.installment_number,
			'NominalAmount', i.nominal_amount::text, 'Status', i.status) ORDER BY i.installment_number, i.id), '[]')
		FROM sales i WHERE i.account_id = s.account_id AND i.original_sale_id = s.id) AS installments,
	(SELECT coalesce(json_agg(json_build_object('ID', a.id, 'EntityID', a.entity_id, 'Title', a.title, 'AttachmentFileName', a.attachment_file_name,
			'AttachmentContentType', a.attachment_content_type, 'AttachmentFileSize', a.attachment_file_size) ORDER BY a.id), '[]')
		FROM sale_attachments x JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachments,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM sale_attachments x
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications
			FROM sales s WHERE s.account_id = $1 AND s.id = ANY($2) ORDER BY s.id
;
SELECT s.id, s.account_id, s.entity_id, s.sale_account_id, s.status, s.awaiting_pricing, s.payment_method, s.issuer, s.document,
	s.document_emission_date, s.provider_code, s.occurred_at, s.confirmed_at, s.competency_month, s.description, s.observation, s.nominal_amount,
	s.interest_amount, s.ticket_amount, s.discount_amount, s.total_amount, s.total_taxes, s.sale_rule_id, s.financial_account_id,
	s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount, s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday,
	s.estimated_liquidated_at, s.liquidated_at, s.amount_difference, s.installment_number, s.installment_count, s.original_sale_id,
	s.category_id, s.person_id, s.classification_center_id, s.created_at, s.updated_at,
	(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.id), '[]')
		FROM sale_taxes x WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS taxes,
	(SELECT coalesce(json_agg(json_build_object('ID', i.id, 'InstallmentNumber', i.installment_number,
			'NominalAmount', i.nominal_amount::text, 'Status', i.status) ORDER BY i.installment_number, i.id), '[]')
		FROM sales i WHERE i.account_id = s.account_id AND i.original_sale_id = s.id) AS installments,
	(SELECT coalesce(json_agg(json_build_object('ID', a.id, 'EntityID', a.entity_id, 'Title', a.title, 'AttachmentFileName', a.attachment_file_name,
			'AttachmentContentType', a.attachment_content_type, 'AttachmentFileSize', a.attachment_file_size) ORDER BY a.id), '[]')
		FROM sale_attachments x JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachments,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM sale_attachments x
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.id = $3
;
SELECT s.id, s.account_id, s.entity_id, s.sale_account_id, s.status, s.awaiting_pricing, s.payment_method, s.issuer, s.document,
	s.document_emission_date, s.provider_code, s.occurred_at, s.confirmed_at, s.competency_month, s.description, s.observation, s.nominal_amount,
	s.interest_amount, s.ticket_amount, s.discount_amount, s.total_amount, s.total_taxes, s.sale_rule_id, s.financial_account_id,
	s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount, s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday,
	s.estimated_liquidated_at, s.liquidated_at, s.amount_difference, s.installment_number, s.installment_count, s.original_sale_id,
	s.category_id, s.person_id, s.classification_center_id, s.created_at, s.updated_at,
	(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.id), '[]')
		FROM sale_taxes x WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS taxes,
	(SELECT coalesce(json_agg(json_build_object('ID', i.id, 'InstallmentNumber', i.installment_number,
			'NominalAmount', i.nominal_amount::text, 'Status', i.status) ORDER BY i.installment_number, i.id), '[]')
		FROM sales i WHERE i.account_id = s.account_id AND i.original_sale_id = s.id) AS installments,
	(SELECT coalesce(json_agg(json_build_object('ID', a.id, 'EntityID', a.entity_id, 'Title', a.title, 'AttachmentFileName', a.attachment_file_name,
			'AttachmentContentType', a.attachment_content_type, 'AttachmentFileSize', a.attachment_file_size) ORDER BY a.id), '[]')
		FROM sale_attachments x JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachments,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM sale_attachments x
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications FROM sales s WHERE s.account_id = $1 AND s.id = ANY($2) ORDER BY s.id
;
SELECT s.line, v.id, v.value
		FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS s (line, classifier, name)
		JOIN custom_classifier_values v
			ON v.account_id = $1 AND v.custom_classifier_id = s.classifier AND fold(v.value) = fold(s.name) AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = $1 AND k.id = v.custom_classifier_id AND k.deleted_at IS NULL
		FOR KEY SHARE OF v, k
;
SELECT sha256 FROM tokens
		WHERE revoked_at IS NULL AND (sha256 = $1 OR (length($2) = $3 AND prefix = $2)) FOR UPDATE
;
SELECT start_date, end_date, due_date FROM credit_card_invoices
		WHERE account_id = $1 AND credit_card_id = $2 ORDER BY end_date DESC LIMIT 1
;
SELECT status FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE
;
SELECT status, credit_card_invoice_id FROM financial_accounts
		WHERE account_id = $1 AND credit_card_invoice_id = ANY($2) ORDER BY id FOR NO KEY UPDATE
;
SELECT status, occurred_at, total_amount FROM financial_accounts WHERE account_id = $1 AND id = $2
;
SELECT t.id FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id JOIN credit_cards k ON k.account_id = t.account_id AND k.id = t.credit_card_id
		WHERE t.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND t.credit_card_id = $3 AND i.month = $4 ORDER BY t.occurred_at, t.id LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id <> $2 AND d.deleted_at IS NULL AND t.id = ANY($3) AND ($4 OR d.entity_id = ANY($5)) ORDER BY t.id
;
SELECT t.id FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.id = ANY($3) AND $4 ORDER BY t.id FOR KEY SHARE OF t
;
SELECT t.id, t.account_id, t.credit_card_id, t.amount, t.occurred_at, t.document, t.observation, t.description,
	t.category_id, t.person_id, t.classification_center_id, t.recurrence_id, t.parcel, t.parcels, t.created_at, t.updated_at,
	i.id AS "invoice.id", i.start_date AS "invoice.start_date", i.end_date AS "invoice.end_date", i.due_date AS "invoice.due_date",
	i.balance AS "invoice.balance",
	(SELECT p.id FROM credit_card_transactions p WHERE p.account_id = t.account_id AND p.recurrence_id = t.recurrence_id AND p.parcel < t.parcel
		ORDER BY p.parcel DESC LIMIT 1) AS previous_id,
	(SELECT n.id FROM credit_card_transactions n WHERE n.account_id = t.account_id AND n.recurrence_id = t.recurrence_id AND n.parcel > t.parcel
		ORDER BY n.parcel LIMIT 1) AS next_id, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id) AS custom_classifications
		FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id WHERE t.account_id = $1 AND t.id = $2
;
SELECT t.id, t.account_id, t.credit_card_id, t.amount, t.occurred_at, t.document, t.observation, t.description,
	t.category_id, t.person_id, t.classification_center_id, t.recurrence_id, t.parcel, t.parcels, t.created_at, t.updated_at,
	i.id AS "invoice.id", i.start_date AS "invoice.start_date", i.end_date AS "invoice.end_date", i.due_date AS "invoice.due_date",
	i.balance AS "invoice.balance",
	(SELECT p.id FROM credit_card_transactions p WHERE p.account_id = t.account_id AND p.recurrence_id = t.recurrence_id AND p.parcel < t.parcel
		ORDER BY p.parcel DESC LIMIT 1) AS previous_id,
	(SELECT n.id FROM credit_card_transactions n WHERE n.account_id = t.account_id AND n.recurrence_id = t.recurrence_id AND n.parcel > t.parcel
		ORDER BY n.parcel LIMIT 1) AS next_id, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id) AS custom_classifications
		FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY t.occurred_at, t.id
;
SELECT t.id, t.account_id, t.credit_card_id, t.amount, t.occurred_at, t.document, t.observation, t.description,
	t.category_id, t.person_id, t.classification_center_id, t.recurrence_id, t.parcel, t.parcels, t.created_at, t.updated_at,
	i.id AS "invoice.id", i.start_date AS "invoice.start_date", i.end_date AS "invoice.end_date", i.due_date AS "invoice.due_date",
	i.balance AS "invoice.balance",
	(SELECT p.id FROM credit_card_transactions p WHERE p.account_id = t.account_id AND p.recurrence_id = t.recurrence_id AND p.parcel < t.parcel
		ORDER BY p.parcel DESC LIMIT 1) AS previous_id,
	(SELECT n.id FROM credit_card_transactions n WHERE n.account_id = t.account_id AND n.recurrence_id = t.recurrence_id AND n.parcel > t.parcel
		ORDER BY n.parcel LIMIT 1) AS next_id, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id) AS custom_classifications FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id JOIN credit_cards k ON k.account_id = t.account_id AND k.id = t.credit_card_id
		WHERE t.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND t.credit_card_id = $3 AND t.id = $4
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
			FROM financial_transactions t WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY t.id
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND (t.id = $3 OR t.transfer_id = $3) ORDER BY t.id FOR UPDATE OF t
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.id = $4
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
		FROM financial_transactions t WHERE t.account_id = $1 AND t.deposit_account_id = $2
		ORDER BY t.occurred_at DESC, t.id DESC LIMIT $3 OFFSET $4
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
		FROM financial_transactions t WHERE t.account_id = $1 AND t.id = $2
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
		FROM financial_transactions t WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY t.id
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
		FROM financial_transactions t WHERE t.account_id = $1 AND t.reconcile_id = $2 ORDER BY t.id
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND (fold(t.original_description) LIKE fold($4) OR fold(t.user_description) LIKE fold($4)) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND (t.amount < 0) = $4 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND (t.category_id IS NULL) = $4 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND (t.classification_center_id IS NULL) = $4 AND (t.amount < 0) = $5 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($6, 0) OFFSET $7
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND (t.person_id IS NULL) = $4 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.amount <= CAST($4 AS numeric) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.amount = CAST($4 AS numeric) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.amount >= CAST($4 AS numeric) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.category_id = $4 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.classification_center_id = $4 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.document = $4 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.occurred_at <= CAST($4 AS date) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.occurred_at >= CAST($4 AS date) AND t.occurred_at <= CAST($5 AS date) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($6, 0) OFFSET $7
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.occurred_at >= CAST($4 AS date) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.person_id = $4 ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3 AND t.updated_at >= CAST($4 AS timestamptz) ORDER BY t.occurred_at DESC, t.id DESC LIMIT nullif($5, 0) OFFSET $6
;
SELECT t.id, t.deposit_account_id, t.amount, t.reconcile_id, t.bank_statement_id
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.id = ANY($3) ORDER BY t.id FOR NO KEY UPDATE OF t
;
SELECT t.id, t.occurred_at, t.amount, coalesce(t.document, '') AS document,
			concat_ws(' ', t.original_description, t.user_description, p.name) AS text
		FROM financial_transactions t LEFT JOIN people p ON p.account_id = t.account_id AND p.id = t.person_id
		WHERE t.account_id = $1 AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND t.deposit_account_id = $3 AND t.occurred_at >= CAST($4 AS date) AND t.occurred_at <= CAST($5 AS date) LIMIT $2
;
SELECT t.prefix, u.email, t.created_at, t.expires_at, t.revoked_at, t.last_used_at
		FROM tokens t JOIN users u ON u.id = t.user_id JOIN memberships m ON m.user_id = u.id
		WHERE m.account_id = $1 ORDER BY t.created_at, t.prefix
;
SELECT transactions_count FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3 AND deleted_at IS NULL
;
SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND m.administrator ORDER BY u.id
;
SELECT u.id, u.email, coalesce(m.account_id, 0), coalesce(a.name, ''), coalesce(m.administrator, false), m.denied,
	coalesce(m.all_entities, false),
	ARRAY(SELECT e.entity_id FROM membership_entities e WHERE e.account_id = m.account_id AND e.user_id = u.id ORDER BY e.entity_id)
		FROM memberships m JOIN users u ON u.id = m.user_id JOIN accounts a ON a.id = m.account_id
		WHERE m.account_id = $1 ORDER BY lower(u.email)
;
SELECT u.id, u.email, coalesce(m.account_id, 0), coalesce(a.name, ''), coalesce(m.administrator, false), m.denied,
	coalesce(m.all_entities, false),
	ARRAY(SELECT e.entity_id FROM membership_entities e WHERE e.account_id = m.account_id AND e.user_id = u.id ORDER BY e.entity_id), t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 hour'
		FROM tokens t
		JOIN users u ON u.id = t.user_id
		LEFT JOIN memberships m ON m.user_id = u.id
		LEFT JOIN accounts a ON a.id = m.account_id
		WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
		ORDER BY m.account_id
;
SELECT user_id, request, status, location, content_type, body FROM idempotency_keys
		WHERE account_id = $1 AND path = $2 AND key = $3 AND created_at > now() - interval '24 hours'
;
SELECT w.status, n.next_at, EXISTS (
			SELECT FROM jobs WHERE kind = $3 AND key = $4 AND failed_at IS NULL AND due_at <= greatest(n.next_at, now())) AS asked
		FROM webhooks w LEFT JOIN LATERAL (
			SELECT next_at FROM deliveries d WHERE webhook_id = $2 AND CASE WHEN d.account_id = $1 THEN true END AND status = 'pending' ORDER BY next_at, id LIMIT 1) n ON true
		WHERE w.account_id = $1 AND w.id = $2 AND w.deleted_at IS NULL
;
SELECT w.url, family || '.' || action AS event, d.created_at, coalesce(a.finished_at, now()) AS failed_at,
			a.response_code AS code, a.error, d.attempts_count AS attempts
		FROM deliveries d JOIN webhooks w ON w.account_id = d.account_id AND w.id = d.webhook_id
		JOIN delivery_attempts a ON a.account_id = d.account_id AND a.delivery_id = d.id AND a.number = d.attempts_count
		WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.id = $3 AND w.deleted_at IS NULL
;
UPDATE attachments SET title = $3, updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING updated_at
;
UPDATE bank_statements
		SET event_status = $3, event_output = $4, event_finished_at = $5, imported_items_count = $6, future_items_ignored_count = $7,
			amount_zero_items_ignored_count = $8, invalid_date_items_ignored_count = $9, balance_items_ignored_count = $10,
			duplicate_items_ignored_count = $11, other_account_items_ignored_count = $12,
			ledger_balance = $13, ledger_balance_on = $14, period_start = $15, period_end = $16, items_count = $17, updated_at = now()
		WHERE account_id = $1 AND id = $2
;
UPDATE bank_statements SET deleted_at = now(), updated_at = now() WHERE account_id = $1 AND id = $2
;
UPDATE bank_statements SET event_status = $3, event_output = NULL, event_finished_at = NULL, updated_at = now()
		WHERE account_id = $1 AND id = $2 AND event_status <> 'success' AND deleted_at IS NULL
;
UPDATE bank_statements SET imported_items_count = imported_items_count + 1,
			duplicate_items_ignored_count = duplicate_items_ignored_count - 1, updated_at = now()
		WHERE account_id = $1 AND id = $2
;
UPDATE categories
		SET parent_id = $3, name = $4, full_name = $5, revenue = $6, cost = $7, force_destroy = $8, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id, use_count,
	created_at, updated_at
;
UPDATE categories SET use_count = n.count
		FROM (
			SELECT k.id, coalesce(u.count, 0) AS count
			FROM categories k LEFT JOIN (SELECT used, sum(count) AS count FROM (SELECT used, count(*) AS count FROM (SELECT category_id AS used, id FROM sale_accounts WHERE account_id = $1 AND category_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT category_id AS used, id FROM credit_cards WHERE account_id = $1 AND category_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT category_id AS used, id FROM sales WHERE account_id = $1 AND category_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT category_id AS used, id FROM credit_card_transactions WHERE account_id = $1 AND category_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT category_id AS used, id FROM financial_accounts WHERE account_id = $1 AND category_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT category_id AS used, id FROM financial_transactions WHERE account_id = $1 AND category_id IS NOT NULL) r GROUP BY used) t GROUP BY used) u ON u.used = k.id
			WHERE k.account_id = $1 AND k.use_count <> coalesce(u.count, 0) ORDER BY k.id FOR NO KEY UPDATE OF k SKIP LOCKED) n
		WHERE categories.account_id = $1 AND categories.id = n.id
;
UPDATE classification_centers SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM classification_centers WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE classification_centers SET name = $4, cost_center = $5, revenue_center = $6, updated_at = now()
		WHERE account_id = $1 AND id = $2 AND entity_id = $3 RETURNING id, account_id, entity_id, name, cost_center, revenue_center, use_count, created_at, updated_at
;
UPDATE classification_centers SET use_count = n.count
		FROM (
			SELECT k.id, coalesce(u.count, 0) AS count
			FROM classification_centers k LEFT JOIN (SELECT used, sum(count) AS count FROM (SELECT used, count(*) AS count FROM (SELECT classification_center_id AS used, id FROM sale_accounts WHERE account_id = $1 AND classification_center_id IS NOT NULL UNION SELECT classification_center_id, sale_account_id FROM sale_account_center_classifications WHERE account_id = $1) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT classification_center_id AS used, id FROM credit_cards WHERE account_id = $1 AND classification_center_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT classification_center_id AS used, id FROM sales WHERE account_id = $1 AND classification_center_id IS NOT NULL UNION SELECT classification_center_id, sale_id FROM sale_center_classifications WHERE account_id = $1) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT classification_center_id AS used, id FROM credit_card_transactions WHERE account_id = $1 AND classification_center_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT classification_center_id AS used, id FROM financial_accounts WHERE account_id = $1 AND classification_center_id IS NOT NULL UNION SELECT classification_center_id, financial_account_id FROM financial_account_center_classifications WHERE account_id = $1) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT classification_center_id AS used, id FROM financial_transactions WHERE account_id = $1 AND classification_center_id IS NOT NULL) r GROUP BY used) t GROUP BY used) u ON u.used = k.id
			WHERE k.account_id = $1 AND k.use_count <> coalesce(u.count, 0) ORDER BY k.id FOR NO KEY UPDATE OF k SKIP LOCKED) n
		WHERE classification_centers.account_id = $1 AND classification_centers.id = n.id
;
UPDATE credit_card_invoices i
		SET balance = i.balance + m.sum, transactions_count = i.transactions_count + m.count
		FROM (SELECT id, sum(amount) AS sum, sum(count) AS count FROM unnest($2::bigint[], $3::numeric[], $4::bigint[]) AS s (id, amount, count)
			GROUP BY id) m
		WHERE i.account_id = $1 AND i.id = m.id RETURNING i.id, i.due_date, i.balance, i.transactions_count
;
UPDATE credit_card_transactions t
		SET credit_card_invoice_id = i.id, occurred_at = $4, amount = $6, document = $7, observation = $8, description = $9, category_id = $10,
			person_id = $11, classification_center_id = $12, updated_at = now()
		FROM credit_card_invoices i
		WHERE t.account_id = $1 AND t.id = $2 AND i.account_id = $1 AND i.credit_card_id = $3 AND i.end_date = $5
		RETURNING i.id AS "invoice.id"
;
UPDATE credit_cards
		SET name = $3, flag = $4, observation = $5, category_id = $6, person_id = $7, classification_center_id = $8, archived_at = $9,
			updated_at = now()
		WHERE account_id = $1 AND id = $2
;
UPDATE credit_cards SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM credit_cards WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE custom_classifier_values SET deleted_at = now(), updated_at = now()
		WHERE account_id = $1 AND custom_classifier_id = $2 AND deleted_at IS NULL
;
UPDATE custom_classifier_values SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM custom_classifier_values WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE custom_classifier_values SET value = $3, updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING id, account_id, custom_classifier_id, value, created_at, updated_at
;
UPDATE custom_classifiers SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM custom_classifiers WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE custom_classifiers SET name = $3, updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING id, account_id, name, created_at, updated_at
;
UPDATE deletions SET deleted = deleted + $5 WHERE account_id = $1 AND root = $2 AND record_id = $3 AND kind = $4
;
UPDATE deliveries SET status = 'expired' WHERE account_id = $1 AND id = ANY(ARRAY(
					SELECT id FROM deliveries WHERE account_id = $1 AND status = 'held' AND created_at <= now() - make_interval(secs => $2)
					LIMIT $3 FOR UPDATE SKIP LOCKED))
;
UPDATE deliveries SET status = 'pending', next_at = created_at WHERE account_id = $1 AND webhook_id = $2 AND status = 'held'
;
UPDATE deliveries d SET status = $4, attempts_allowed = attempts_count + $5, delivered_at = NULL,
			next_at = CASE WHEN status = 'pending' AND EXISTS (SELECT FROM delivery_attempts a
				WHERE a.account_id = d.account_id AND a.delivery_id = d.id AND a.finished_at IS NULL) THEN next_at ELSE now() END
		WHERE account_id = $1 AND webhook_id = $2 AND id = $3 RETURNING id
;
UPDATE deliveries d SET status = 'held' WHERE webhook_id = $2 AND CASE WHEN d.account_id = $1 THEN true END AND status = 'pending'
;
UPDATE deposit_accounts
		SET last_transaction_date = (
			SELECT max(occurred_at) FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2)
		WHERE account_id = $1 AND id = $2
;
UPDATE deposit_accounts
		SET name = $3, description = $4, deposit_account_type_id = $5, bank_account_id = $6, currency_id = $7,
			account_number = $8, initial_balance = $9, force_destroy = $10, archived_at = $11, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
	account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count,
	last_transaction_date, force_destroy, archived_at, created_at, updated_at
;
UPDATE deposit_accounts
		SET transactions_sum = transactions_sum + $3, transactions_count = transactions_count + $4,
			last_transaction_date = greatest(last_transaction_date, $5), updated_at = now()
		WHERE account_id = $1 AND id = $2
;
UPDATE deposit_accounts SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM deposit_accounts WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE deposit_accounts d SET transactions_sum = t.sum, transactions_count = t.count, last_transaction_date = t.last
		FROM (SELECT t.deposit_account_id AS id, sum(t.amount) AS sum, count(*) AS count, max(t.occurred_at) AS last
			FROM financial_transactions t JOIN deposit_accounts o ON o.account_id = t.account_id AND o.id = t.deposit_account_id
			WHERE t.account_id = $1 AND o.entity_id = $2 GROUP BY 1) t
		WHERE d.account_id = $1 AND d.entity_id = $2 AND d.id = t.id
;
UPDATE entities
		SET name = $3, federation_subscription_number = $4, federation_subscription_code = $5, force_destroy = $6, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at
;
UPDATE entities SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM entities WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE entities SET deleted_at = now(), updated_at = now() WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM entities WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id FOR UPDATE))
;
UPDATE financial_accounts AS f
		SET status = $3, due_date = $4, occurred_at = $5, total_amount = $6, competency_month = $7, amount = $8, ticket_amount = $9,
			interest_amount = $10, discount_amount = $11, description = $12, document = $13, document_emission_date = $14, observation = $15,
			remind = $16, category_id = $17, classification_center_id = $18, expected_deposit_account_id = $19, person_id = $20, updated_at = now()
		WHERE f.account_id = $1 AND f.id = $2 RETURNING f.id, f.account_id, f.entity_id, f.kind, f.status, f.due_date, f.occurred_at, f.amount, f.ticket_amount,
	f.interest_amount, f.discount_amount, f.total_amount, f.competency_month, f.description, f.document, f.document_emission_date,
	f.observation, f.remind, f.reminded_at, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id,
	f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at, f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications,
	CASE WHEN f.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT json_agg(json_build_object('ID', m.id, 'DepositAccountID', m.deposit_account_id)) FROM (
			SELECT id, deposit_account_id FROM financial_transactions
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id ORDER BY id LIMIT 20) m) END AS reconciled_with
;
UPDATE financial_accounts SET gathering = consolidated WHERE account_id = $1 AND id = $2
;
UPDATE financial_accounts SET reconcile_id = NULL, status = 2, updated_at = now() WHERE account_id = $1 AND reconcile_id = ANY($2)
;
UPDATE financial_accounts SET settling = false WHERE account_id = $1 AND id = $2
;
UPDATE financial_accounts SET settling = true WHERE account_id = $1 AND id = ANY($2)
;
UPDATE financial_accounts f SET amount = f.amount - d.amount, sales_count = f.sales_count - d.count, updated_at = now()
		FROM unnest($2::bigint[], $3::bigint[], $4::numeric[]) AS d (id, count, amount) WHERE f.account_id = $1 AND f.id = d.id
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action
;
UPDATE financial_accounts f SET amount = i.balance, updated_at = now() FROM credit_card_invoices i
			WHERE f.account_id = $1 AND i.account_id = $1 AND f.credit_card_invoice_id = i.id AND i.id = ANY($2) AND f.amount <> i.balance
			RETURNING f.id
;
UPDATE financial_accounts f SET amount = s.sum, sales_count = s.count, total_amount = CASE f.status WHEN 2 THEN s.sum END
		FROM (SELECT financial_account_id AS id, sum(receivable_amount) AS sum, count(*) AS count
			FROM sales WHERE account_id = $1 AND entity_id = $2 AND financial_account_id IS NOT NULL GROUP BY 1) s
		WHERE f.account_id = $1 AND f.id = s.id
;
UPDATE financial_accounts f SET reconcile_id = $3, status = 3, expected_deposit_account_id = $4, updated_at = now()
		WHERE f.account_id = $1 AND f.id = ANY($2) RETURNING f.id, f.account_id, f.entity_id, f.kind, f.status, f.due_date, f.occurred_at, f.amount, f.ticket_amount,
	f.interest_amount, f.discount_amount, f.total_amount, f.competency_month, f.description, f.document, f.document_emission_date,
	f.observation, f.remind, f.reminded_at, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id,
	f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at, f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications
;
UPDATE financial_accounts o SET gathering = false
		FROM financial_accounts f
		WHERE f.account_id = $1 AND f.id = $2 AND f.consolidated AND o.account_id = $1 AND o.sale_account_id = f.sale_account_id
			AND o.due_date = f.due_date AND o.gathering AND o.status = 1 AND o.id <> f.id
;
UPDATE financial_transactions AS t
		SET amount = $3, occurred_at = $4, document = $5, user_description = $6, observation = $7,
			category_id = $8, person_id = $9, classification_center_id = $10, updated_at = now()
		WHERE t.account_id = $1 AND t.id = $2 RETURNING t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
;
UPDATE financial_transactions SET amount = $3, occurred_at = $4, updated_at = now() WHERE account_id = $1 AND id = $2
;
UPDATE financial_transactions SET reconcile_id = NULL, updated_at = now() WHERE account_id = $1 AND reconcile_id = ANY($2)
;
UPDATE financial_transactions t SET reconcile_id = $3, updated_at = now()
		WHERE t.account_id = $1 AND t.id = ANY($2) RETURNING t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
;
UPDATE jobs SET attempts = $3 WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))
;
UPDATE jobs SET attempts = 7
;
UPDATE jobs SET claims = claims + 1, attempts = attempts + 1, leased_until = now() + make_interval(secs => $1)
			WHERE id = ANY(ARRAY(
				SELECT id FROM jobs WHERE kind = $2 AND key = $3 AND CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END 
				AND NOT EXISTS (
					SELECT FROM jobs held WHERE held.kind = $2 AND held.key = $3
					AND held.failed_at IS NULL AND held.leased_until >= now())
				FOR UPDATE NOWAIT))
	RETURNING id, kind, queue, coalesce(key, '') AS key, args, coalesce(cursor, '') AS cursor,
		coalesce(account_id, 0) AS account_id, attempts, claims,
		coalesce(request_id, '') AS request_id, coalesce(traceparent, '') AS traceparent
;
UPDATE jobs SET claims = claims + 1, attempts = attempts + 1, leased_until = now() + make_interval(secs => $1)
		WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE id = ANY((SELECT $2::bigint[])::bigint[]) AND CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END FOR UPDATE SKIP LOCKED))
	RETURNING id, kind, queue, coalesce(key, '') AS key, args, coalesce(cursor, '') AS cursor,
		coalesce(account_id, 0) AS account_id, attempts, claims,
		coalesce(request_id, '') AS request_id, coalesce(traceparent, '') AS traceparent
;
UPDATE jobs SET cursor = $3, attempts = CASE WHEN coalesce(cursor, '') <> $3 THEN 1 ELSE attempts END,
				leased_until = now() + make_interval(secs => $4) WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))
;
UPDATE jobs SET error = $3, leased_until = NULL, due_at = now() + make_interval(secs => $4) WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))
;
UPDATE jobs SET error = $3, leased_until = NULL, failed_at = now() WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))
;
UPDATE jobs SET failed_at = NULL, attempts = 0, due_at = now()
		WHERE id = $1 AND failed_at IS NOT NULL RETURNING id, claims, kind, queue
;
UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = CASE WHEN $3 THEN attempts ELSE attempts - 1 END
		WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[])) AND CASE WHEN leased_until IS NOT NULL THEN true END RETURNING id, claims, kind, queue
;
UPDATE jobs SET leased_until = now() + make_interval(secs => $3)
		WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[])) AND CASE WHEN leased_until IS NOT NULL THEN true END FOR UPDATE SKIP LOCKED))
;
UPDATE jobs SET leased_until = now() - interval '1 second'
;
UPDATE jobs SET leased_until = now() - interval '1 second' WHERE leased_until IS NOT NULL
;
UPDATE people
		SET name = $3, person_type = $4, customer = $5, supplier = $6, federation_subscription_number = $7,
			federation_subscription_code = $8, email = $9, phone = $10, site = $11, address = $12, address_number = $13,
			complement = $14, neighborhood = $15, city = $16, state = $17, zip_code = $18, country = $19, febraban_name = $20,
			febraban_favored_code = $21, note = $22, force_destroy = $23, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at
;
UPDATE people SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM people WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE people SET use_count = n.count
		FROM (
			SELECT k.id, coalesce(u.count, 0) AS count
			FROM people k LEFT JOIN (SELECT used, sum(count) AS count FROM (SELECT used, count(*) AS count FROM (SELECT person_id AS used, id FROM sale_accounts WHERE account_id = $1 AND person_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT person_id AS used, id FROM credit_cards WHERE account_id = $1 AND person_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT person_id AS used, id FROM sales WHERE account_id = $1 AND person_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT person_id AS used, id FROM credit_card_transactions WHERE account_id = $1 AND person_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT person_id AS used, id FROM financial_accounts WHERE account_id = $1 AND person_id IS NOT NULL) r GROUP BY used UNION ALL SELECT used, count(*) AS count FROM (SELECT person_id AS used, id FROM financial_transactions WHERE account_id = $1 AND person_id IS NOT NULL) r GROUP BY used) t GROUP BY used) u ON u.used = k.id
			WHERE k.account_id = $1 AND k.use_count <> coalesce(u.count, 0) ORDER BY k.id FOR NO KEY UPDATE OF k SKIP LOCKED) n
		WHERE people.account_id = $1 AND people.id = n.id
;
UPDATE register_sessions SET closed_at = $3, closing_responsible_id = $4, closing_responsible_name = $5
		WHERE account_id = $1 AND id = $2 AND closed_at IS NULL RETURNING id, account_id, deposit_account_id, opened_at, opening_responsible_id, opening_responsible_name,
	closed_at, closing_responsible_id, closing_responsible_name
;
UPDATE sale_accounts AS a
		SET name = $3, provider = $4, description = $5, payment_methods = $6, consolidate = $7, category_id = $8, person_id = $9,
			classification_center_id = $10, expected_deposit_account_id = $11, updated_at = now()
		WHERE a.account_id = $1 AND a.id = $2 RETURNING a.id, a.account_id, a.entity_id, a.name, a.provider, a.description, a.payment_methods, a.consolidate, a.category_id,
	a.person_id, a.classification_center_id, a.expected_deposit_account_id, a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications
;
UPDATE sale_accounts SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM sale_accounts WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE sale_rule_applications SET priced_up_to = $4 WHERE account_id = $1 AND sale_account_id = $2 AND id = $3
;
UPDATE sale_rules AS r
		SET payment_method = $3, issuer = $4, fee_percentage = $5, fixed_fee_amount = $6, minimum_fee_amount = $7, days_to_liquidation = $8,
			weekdays = $9, apply_rules = $10, updated_at = now()
		WHERE r.account_id = $1 AND r.id = $2 RETURNING r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount,
	r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id
;
UPDATE sales AS s
		SET occurred_at = $3, confirmed_at = $4, installment_number = $5, installment_count = $6, awaiting_pricing = $7, sale_account_id = $8,
			payment_method = $9, issuer = $10, document = $11, document_emission_date = $12, provider_code = $13, competency_month = $14,
			description = $15, observation = $16, nominal_amount = $17, interest_amount = $18, ticket_amount = $19, discount_amount = $20,
			total_amount = $21, total_taxes = $22, category_id = $23, person_id = $24, classification_center_id = $25, updated_at = now()
		WHERE s.account_id = $1 AND s.id = $2 RETURNING s.id, s.account_id, s.entity_id, s.sale_account_id, s.status, s.awaiting_pricing, s.payment_method, s.issuer, s.document,
	s.document_emission_date, s.provider_code, s.occurred_at, s.confirmed_at, s.competency_month, s.description, s.observation, s.nominal_amount,
	s.interest_amount, s.ticket_amount, s.discount_amount, s.total_amount, s.total_taxes, s.sale_rule_id, s.financial_account_id,
	s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount, s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday,
	s.estimated_liquidated_at, s.liquidated_at, s.amount_difference, s.installment_number, s.installment_count, s.original_sale_id,
	s.category_id, s.person_id, s.classification_center_id, s.created_at, s.updated_at,
	(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.id), '[]')
		FROM sale_taxes x WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS taxes,
	(SELECT coalesce(json_agg(json_build_object('ID', i.id, 'InstallmentNumber', i.installment_number,
			'NominalAmount', i.nominal_amount::text, 'Status', i.status) ORDER BY i.installment_number, i.id), '[]')
		FROM sales i WHERE i.account_id = s.account_id AND i.original_sale_id = s.id) AS installments,
	(SELECT coalesce(json_agg(json_build_object('ID', a.id, 'EntityID', a.entity_id, 'Title', a.title, 'AttachmentFileName', a.attachment_file_name,
			'AttachmentContentType', a.attachment_content_type, 'AttachmentFileSize', a.attachment_file_size) ORDER BY a.id), '[]')
		FROM sale_attachments x JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachments,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM sale_attachments x
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName', k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id AND z.deleted_at IS NULL
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications
;
UPDATE sales SET original_sale_id = NULL, updated_at = now()
		WHERE account_id = $1 AND original_sale_id = $2 AND id <> ALL($3) RETURNING id
;
UPDATE tokens SET last_used_at = now() WHERE sha256 = (
			SELECT sha256 FROM tokens WHERE sha256 = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')
			FOR NO KEY UPDATE SKIP LOCKED)
;
UPDATE tokens SET revoked_at = now() WHERE sha256 = $1
;
UPDATE webhooks SET deleted_at = now() WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM entities WHERE account_id = $1 AND account_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0)))) AND deleted_at IS NULL ORDER BY id FOR UPDATE))
;
UPDATE webhooks SET deleted_at = now() WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM webhooks WHERE account_id = $1 AND entity_id = ANY(ARRAY(SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0)) AND deleted_at IS NULL ORDER BY id FOR UPDATE))
;
UPDATE webhooks SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 FOR UPDATE)
;
UPDATE webhooks SET description = $3, updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at
;
UPDATE webhooks SET healthy_check_code = $3, updated_at = now() WHERE account_id = $1 AND id = $2
;
UPDATE webhooks SET previous_secret = secret, previous_secret_until = now() + interval '24 hours', secret = $3, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING id, account_id, entity_id, url, format, description, secret, previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at
;
UPDATE webhooks SET status = 'active', healthy_check_code = $3, updated_at = now() WHERE account_id = $1 AND id = $2
;
UPDATE webhooks SET status = 'error', updated_at = now() WHERE account_id = $1 AND id = $2
;
WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
			UNION ALL SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id)
		SELECT id FROM tree
;
WITH RECURSIVE tree AS (
		SELECT id, full_name FROM categories WHERE account_id = $1 AND id = $2
		UNION ALL
		SELECT c.id, tree.full_name || ' / ' || c.name
		FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL)
		UPDATE categories c SET full_name = tree.full_name, updated_at = now()
		FROM tree WHERE c.account_id = $1 AND c.id = tree.id AND c.full_name <> tree.full_name RETURNING c.id
;
WITH RECURSIVE tree AS (
		SELECT id, full_name FROM categories WHERE account_id = $1 AND id = $2
		UNION ALL
		SELECT c.id, tree.full_name || ' / ' || c.name
		FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL), held AS (
			SELECT id FROM categories WHERE account_id = $1 AND id IN (SELECT id FROM tree) FOR UPDATE),
		hidden AS (
			UPDATE categories SET deleted_at = now(), updated_at = now()
			WHERE account_id = $1 AND id IN (SELECT id FROM held) RETURNING id)
		SELECT id FROM hidden WHERE id <> $2 ORDER BY id
;
WITH RECURSIVE tree AS (
		SELECT id, full_name FROM categories WHERE account_id = $1 AND id = $2
		UNION ALL
		SELECT c.id, tree.full_name || ' / ' || c.name
		FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL)SELECT EXISTS (SELECT FROM tree WHERE id = $3)
;
WITH accounts AS MATERIALIZED (
		SELECT id, status, occurred_at, CASE status WHEN 1 THEN 0 ELSE total_amount - amount END AS difference, amount, sales_count
		FROM financial_accounts WHERE account_id = $1 AND id = ANY($2)),
	parts AS (
		SELECT s.id, a.id AS of, a.status, a.occurred_at, a.difference, s.receivable_amount, div(abs(a.difference) * 100 *
			CASE a.amount WHEN 0 THEN 1 ELSE s.receivable_amount END, CASE a.amount WHEN 0 THEN a.sales_count ELSE a.amount END) AS cents
		FROM accounts a JOIN sales s ON s.account_id = $1 AND s.financial_account_id = a.id),
	wanted AS (
		SELECT id, status, occurred_at,
			CASE WHEN difference <> 0 THEN sign(difference) * (cents + CASE WHEN place <= remaining THEN 1 ELSE 0 END) * 0.01 END AS difference
		FROM (SELECT p.*, row_number() OVER (PARTITION BY of ORDER BY receivable_amount DESC, id) AS place,
			abs(difference) * 100 - sum(cents) OVER (PARTITION BY of) AS remaining FROM parts p) p),
	held AS (
		SELECT s.id, w.status, w.occurred_at, w.difference FROM wanted w JOIN sales s ON s.account_id = $1 AND s.id = w.id
		WHERE (s.status, s.liquidated_at, s.amount_difference) IS DISTINCT FROM (w.status, w.occurred_at, w.difference)
		ORDER BY s.id LIMIT $3 FOR NO KEY UPDATE OF s)
	UPDATE sales s SET status = h.status, liquidated_at = h.occurred_at, amount_difference = h.difference, updated_at = now()
	FROM held h WHERE s.account_id = $1 AND s.id = h.id
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 1000),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 1700),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 1870),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 2000),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 370),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 3870),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 3960),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 3980),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 3990),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 4000),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 500),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 700),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, day, amount, mark, ordinal FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY day ASC, amount ASC, mark ASC, ordinal ASC LIMIT 870),
		gone AS (DELETE FROM imported_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[day::text, amount::text, mark::text, ordinal::text] FROM batch ORDER BY day DESC, amount DESC, mark DESC, ordinal DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM attachments WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM attachments t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'attachments' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM attachments WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM attachments t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'attachments' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM attachments WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM attachments t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'attachments' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM attachments WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 500),
		gone AS (DELETE FROM attachments t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'attachments' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 1999),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 3998),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 499),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 500),
		gone AS (DELETE FROM bank_statements t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'bank_statements' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM classification_centers t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'classification_centers' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM classification_centers t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'classification_centers' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM classification_centers t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'classification_centers' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM classification_centers WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM classification_centers t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'classification_centers' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM credit_cards WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM credit_cards t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_cards' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM credit_cards WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM credit_cards t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_cards' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM credit_cards WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM credit_cards t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_cards' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM credit_cards WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM credit_cards t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_cards' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM custom_classifier_values WHERE account_id = $1 AND account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM custom_classifier_values t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM custom_classifier_values t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM custom_classifiers WHERE account_id = $1 AND account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM custom_classifiers t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM deliveries WHERE account_id = $1 AND webhook_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM deliveries t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM deliveries WHERE account_id = $1 AND webhook_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM deliveries t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM deliveries WHERE account_id = $1 AND webhook_id = $2 ORDER BY id ASC LIMIT 3798),
		gone AS (DELETE FROM deliveries t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM deliveries WHERE account_id = $1 AND webhook_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM deliveries t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM deposit_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'deposit_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 3998),
		gone AS (DELETE FROM deposit_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'deposit_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM deposit_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'deposit_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM entities WHERE account_id = $1 AND account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM entities t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM people WHERE account_id = $1 AND account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM people t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM reconciles WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM reconciles t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM reconciles WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM reconciles t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM reconciles WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 250),
		gone AS (DELETE FROM reconciles t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM reconciles WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 3997),
		gone AS (DELETE FROM reconciles t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM reconciles WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM reconciles t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM reconciles WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 500),
		gone AS (DELETE FROM reconciles t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM register_sessions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM register_sessions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM register_sessions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM register_sessions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM register_sessions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM register_sessions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM register_sessions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM register_sessions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM sale_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM sale_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM sale_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM sale_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM sale_rule_applications t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM sale_rule_applications t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM sale_rule_applications t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM sale_rule_applications t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM sale_rules t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_rules' AS family, NULL::bigint AS entity_id, sale_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM sale_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM sale_rules t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_rules' AS family, NULL::bigint AS entity_id, sale_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM sale_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM sale_rules t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_rules' AS family, NULL::bigint AS entity_id, sale_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM sale_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM sale_rules t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sale_rules' AS family, NULL::bigint AS entity_id, sale_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM sale_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sales WHERE account_id = $1 AND entity_id = $2 ORDER BY id DESC LIMIT 1000),
		gone AS (DELETE FROM sales t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id ASC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sales WHERE account_id = $1 AND entity_id = $2 ORDER BY id DESC LIMIT 3960),
		gone AS (DELETE FROM sales t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id ASC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM sales WHERE account_id = $1 AND entity_id = $2 ORDER BY id DESC LIMIT 4000),
		gone AS (DELETE FROM sales t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id ASC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM webhooks WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 1000),
		gone AS (DELETE FROM webhooks t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM webhooks WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 2000),
		gone AS (DELETE FROM webhooks t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM webhooks WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 3999),
		gone AS (DELETE FROM webhooks t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, id FROM webhooks WHERE account_id = $1 AND entity_id = $2 ORDER BY id ASC LIMIT 4000),
		gone AS (DELETE FROM webhooks t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[id::text] FROM batch ORDER BY id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, kind, status, due_date, id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY kind ASC, status ASC, due_date ASC, id ASC LIMIT 1000),
		gone AS (DELETE FROM financial_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[kind::text, status::text, due_date::text, id::text] FROM batch ORDER BY kind DESC, status DESC, due_date DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, kind, status, due_date, id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY kind ASC, status ASC, due_date ASC, id ASC LIMIT 2000),
		gone AS (DELETE FROM financial_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[kind::text, status::text, due_date::text, id::text] FROM batch ORDER BY kind DESC, status DESC, due_date DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, kind, status, due_date, id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY kind ASC, status ASC, due_date ASC, id ASC LIMIT 3935),
		gone AS (DELETE FROM financial_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[kind::text, status::text, due_date::text, id::text] FROM batch ORDER BY kind DESC, status DESC, due_date DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, kind, status, due_date, id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY kind ASC, status ASC, due_date ASC, id ASC LIMIT 4000),
		gone AS (DELETE FROM financial_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[kind::text, status::text, due_date::text, id::text] FROM batch ORDER BY kind DESC, status DESC, due_date DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, kind, status, due_date, id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 ORDER BY kind ASC, status ASC, due_date ASC, id ASC LIMIT 500),
		gone AS (DELETE FROM financial_accounts t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[kind::text, status::text, due_date::text, id::text] FROM batch ORDER BY kind DESC, status DESC, due_date DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, month FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2 ORDER BY month ASC LIMIT 1000),
		gone AS (DELETE FROM credit_card_invoices t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[month::text] FROM batch ORDER BY month DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, month FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2 ORDER BY month ASC LIMIT 2000),
		gone AS (DELETE FROM credit_card_invoices t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[month::text] FROM batch ORDER BY month DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, month FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2 ORDER BY month ASC LIMIT 3988),
		gone AS (DELETE FROM credit_card_invoices t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[month::text] FROM batch ORDER BY month DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, month FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2 ORDER BY month ASC LIMIT 4000),
		gone AS (DELETE FROM credit_card_invoices t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[month::text] FROM batch ORDER BY month DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, month FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2 ORDER BY month ASC LIMIT 500),
		gone AS (DELETE FROM credit_card_invoices t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[month::text] FROM batch ORDER BY month DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, number FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 ORDER BY number ASC LIMIT 1000),
		gone AS (DELETE FROM ignored_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[number::text] FROM batch ORDER BY number DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, number FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 ORDER BY number ASC LIMIT 2000),
		gone AS (DELETE FROM ignored_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[number::text] FROM batch ORDER BY number DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, number FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 ORDER BY number ASC LIMIT 3980),
		gone AS (DELETE FROM ignored_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[number::text] FROM batch ORDER BY number DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, number FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 ORDER BY number ASC LIMIT 4000),
		gone AS (DELETE FROM ignored_items t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[number::text] FROM batch ORDER BY number DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1725),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1750),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1775),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1800),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1825),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1850),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1875),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1900),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1925),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1950),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1975),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1991),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1992),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1993),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1994),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1995),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1996),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1997),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1998),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1999),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 2000),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3725),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3750),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3775),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3800),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3825),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3850),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3875),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3880),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3890),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3900),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3901),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3912),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3923),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3925),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3934),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3945),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3950),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3956),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3961),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3962),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3963),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3964),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3966),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3967),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3968),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3970),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3972),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3974),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3975),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3976),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3978),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3980),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3981),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3982),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3983),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3984),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3986),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3988),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3989),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3990),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3991),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3992),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3993),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3994),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3995),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3996),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3997),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3998),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3999),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id FROM credit_card_transactions WHERE account_id = $1 AND credit_card_invoice_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 4000),
		gone AS (DELETE FROM credit_card_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 AND (occurred_at, id) > ($3, $4) ORDER BY occurred_at ASC, id ASC LIMIT 250),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1000),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1338),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1712),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 1976),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 2000),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 212),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 250),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3908),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3954),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 3976),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 4000),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 500),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 712),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 88),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 954),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, occurred_at, id, transfer_id FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY occurred_at ASC, id ASC LIMIT 976),
		gone AS (DELETE FROM financial_transactions t WHERE ctid = ANY(ARRAY(SELECT place FROM batch UNION ALL SELECT ctid FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT transfer_id FROM batch WHERE transfer_id IS NOT NULL)))) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[occurred_at::text, id::text] FROM batch ORDER BY occurred_at DESC, id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM gone GROUP BY 1, 2, 3) r) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, path, key FROM idempotency_keys WHERE account_id = $1 AND account_id = $2 ORDER BY path ASC, key ASC LIMIT 4000),
		gone AS (DELETE FROM idempotency_keys t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[path::text, key::text] FROM batch ORDER BY path DESC, key DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH batch AS MATERIALIZED (SELECT ctid AS place, user_id FROM memberships WHERE account_id = $1 AND account_id = $2 ORDER BY user_id ASC LIMIT 4000),
		gone AS (DELETE FROM memberships t WHERE ctid = ANY(ARRAY(SELECT place FROM batch)) RETURNING 1)
		SELECT b.found, b.gone, coalesce(b.last, '{}') AS last, coalesce(g.family, '') AS family, coalesce(g.entity_id, 0) AS entity_id,
			coalesce(g.parent_id, 0) AS parent_id, coalesce(g.ids, '{}') AS ids
		FROM (SELECT (SELECT count(*) FROM batch) AS found, (SELECT count(*) FROM gone) AS gone, (SELECT ARRAY[user_id::text] FROM batch ORDER BY user_id DESC LIMIT 1) AS last) b
		LEFT JOIN (SELECT '' AS family, 0 AS entity_id, 0 AS parent_id, '{}'::bigint[] AS ids) g ON true
;
WITH changed AS (DELETE FROM sales WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE credit_card_transactions SET category_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE credit_card_transactions SET classification_center_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE credit_card_transactions SET person_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE credit_card_transactions SET updated_at = now()
				WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'credit_card_transactions' AS family, NULL::bigint AS entity_id, credit_card_id AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, (SELECT p.entity_id FROM credit_cards p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE credit_cards SET category_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'credit_cards' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE credit_cards SET classification_center_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'credit_cards' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE credit_cards SET person_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'credit_cards' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_accounts SET category_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_accounts SET classification_center_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_accounts SET expected_deposit_account_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_accounts SET person_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_accounts SET updated_at = now()
				WHERE account_id = $1 AND id = ANY($2) RETURNING id, kind || '_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_transactions SET category_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_transactions SET classification_center_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE financial_transactions SET person_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'financial_transactions' AS family, NULL::bigint AS entity_id, deposit_account_id AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, (SELECT p.entity_id FROM deposit_accounts p WHERE p.account_id = $1 AND p.id = r.parent_id) AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sale_accounts SET category_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sale_accounts SET classification_center_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sale_accounts SET expected_deposit_account_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sale_accounts SET person_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sale_accounts SET updated_at = now()
				WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sale_accounts' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, deleted_at IS NOT NULL AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sales SET category_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sales SET classification_center_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sales SET original_sale_id = NULL, updated_at = now()
		WHERE account_id = $1 AND original_sale_id = ANY($2) AND id <> ALL($2) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sales SET person_id = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH changed AS (UPDATE sales SET updated_at = now()
				WHERE account_id = $1 AND id = ANY($2) RETURNING id, 'sales' AS family, entity_id AS entity_id, NULL::bigint AS parent_id, false AS quiet)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (SELECT family, entity_id AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM changed GROUP BY 1, 2, 3) r) g
;
WITH drawn AS MATERIALIZED (
			SELECT nextval('credit_card_transactions_id_seq') AS id, s.* FROM unnest($3::date[], $4::date[]) WITH ORDINALITY AS s (day, end_date, parcel))
		INSERT INTO credit_card_transactions (id, account_id, credit_card_id, credit_card_invoice_id, occurred_at, recurrence_id, parcel, parcels,
			amount, document, observation, description, category_id, person_id, classification_center_id)
		SELECT d.id, $1, $2, i.id, d.day, CASE WHEN $5::int IS NOT NULL THEN first_value(d.id) OVER (ORDER BY d.parcel) END,
			CASE WHEN $5::int IS NOT NULL THEN d.parcel END, $5, $6, $7, $8, $9, $10, $11, $12
		FROM drawn d JOIN credit_card_invoices i ON i.account_id = $1 AND i.credit_card_id = $2 AND i.end_date = d.end_date
		ORDER BY d.parcel RETURNING id, credit_card_invoice_id AS "invoice.id"
;
WITH ended AS MATERIALIZED (
			SELECT * FROM unnest($2::bigint[], $3::int[], $4::int[], $5::bool[], $6::text[], $7::text[], $8::float8[], $9::float8[])
				AS e (id, number, code, delivered, error, excerpt, took, again)),
		closed AS (
			UPDATE delivery_attempts a SET response_code = nullif(e.code, 0), error = nullif(e.error, ''), response_excerpt = nullif(e.excerpt, ''),
				finished_at = CASE WHEN e.took < 0 THEN now() ELSE started_at + make_interval(secs => e.took) END
			FROM ended e WHERE a.account_id = $1 AND a.delivery_id = e.id AND a.number = e.number AND a.finished_at IS NULL
			RETURNING a.delivery_id, a.number, e.delivered, e.again),
		kept AS (
			UPDATE deliveries d SET
				status = CASE WHEN c.delivered THEN 'delivered' WHEN attempts_count >= attempts_allowed THEN 'failed' ELSE 'pending' END,
				delivered_at = CASE WHEN c.delivered THEN now() END,
				next_at = now() + make_interval(secs => c.again)
			FROM closed c WHERE d.account_id = $1 AND d.id = c.delivery_id AND d.attempts_count = c.number AND d.status = 'pending'
			RETURNING d.id, d.status)
		SELECT id FROM kept WHERE status = 'failed' ORDER BY id
;
WITH held AS (
			SELECT id, financial_account_id, receivable_amount FROM sales
			WHERE account_id = $1 AND id = ANY($2) AND status = 1 ORDER BY id FOR NO KEY UPDATE),
		withdrawn AS (
			UPDATE sales s SET status = 0, sale_rule_id = NULL, financial_account_id = NULL, fee_percentage = NULL, fee_percentage_amount = NULL,
	fixed_fee_amount = NULL, receivable_amount = NULL, days_to_liquidation = NULL, liquidation_weekday = NULL, estimated_liquidated_at = NULL, updated_at = now() FROM held WHERE s.account_id = $1 AND s.id = held.id),
		deltas AS (SELECT financial_account_id AS id, sum(receivable_amount) AS amount, count(*) AS n FROM held GROUP BY 1)
		UPDATE financial_accounts f SET amount = f.amount - d.amount, sales_count = f.sales_count - d.n, updated_at = now()
		FROM deltas d WHERE f.account_id = $1 AND f.id = d.id
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action
;
WITH ids AS (SELECT nextval(s) AS here, nextval(s) AS there
			FROM CAST(pg_get_serial_sequence('financial_transactions', 'id') AS regclass) s)
		INSERT INTO financial_transactions AS t (id, account_id, deposit_account_id, amount, occurred_at, document, user_description,
			observation, category_id, person_id, classification_center_id, transfer_id, transfer_deposit_account_id, currency_id)
		SELECT s.id, d.account_id, d.id, s.amount, $4, $5, $6, $7, $8, $9, $10, s.other_id, s.other_account, d.currency_id
		FROM ids, LATERAL (VALUES (here, $2::bigint, $3::numeric, there, $11::bigint), (there, $11, -$3, here, $2))
			AS s (id, deposit_account, amount, other_id, other_account)
		JOIN deposit_accounts d ON d.account_id = $1 AND d.id = s.deposit_account
		RETURNING t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id, t.transfer_deposit_account_id,
	t.reconcile_id, t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
;
WITH item AS (
			DELETE FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $3 AND number = $4
			RETURNING day, amount, mark, fitid, description, number, line, document
		), remembered AS (
			SELECT ordinal FROM imported_items JOIN item USING (day, amount, mark) WHERE account_id = $1 AND deposit_account_id = $2
		)
		INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, mark, ordinal, fitid, description,
			number, line, document, financial_transaction_id)
		SELECT $1, $2, $3, day, amount, mark,
			(SELECT min(o) FROM generate_series(1, (SELECT count(*) + 1 FROM remembered)) o WHERE o NOT IN (SELECT ordinal FROM remembered)),
			fitid, description, number, line, document, $5
		FROM item
;
WITH opened AS (
			UPDATE deliveries d SET attempts_count = attempts_count + 1, body = coalesce(d.body, n.body)
			FROM unnest($2::bigint[], $3::bytea[], $4::text[]) AS n (id, body, request_id)
			WHERE d.account_id = $1 AND d.id = n.id AND status = 'pending'
			RETURNING d.id, attempts_count, request_id)
		INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id)
		SELECT $1, id, attempts_count, request_id FROM opened RETURNING delivery_id
;
WITH picked AS MATERIALIZED (SELECT s.id, s.financial_account_id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3 AND s.id <= $4 AND s.awaiting_pricing AND s.status < 2 AND $5 = '' AND $6 = '' AND (s.financial_account_id IS NULL OR EXISTS (
		SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id AND f.status = 1)) ORDER BY s.id LIMIT $7)
		SELECT count(*) AS count, coalesce(max(id), 0) AS last,
			ARRAY(SELECT DISTINCT financial_account_id FROM picked WHERE financial_account_id IS NOT NULL) AS accounts FROM picked
;
WITH picked AS MATERIALIZED (SELECT s.id, s.financial_account_id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3 AND s.id <= $4 AND s.status < 2 AND s.payment_method = $5 AND coalesce(s.issuer, '') = $6 ORDER BY s.id LIMIT $7)
		SELECT count(*) AS count, coalesce(max(id), 0) AS last,
			ARRAY(SELECT DISTINCT financial_account_id FROM picked WHERE financial_account_id IS NOT NULL) AS accounts FROM picked
;
WITH picked AS MATERIALIZED (SELECT s.id, s.financial_account_id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3 AND s.id <= $4 AND s.status = 1 AND $5 = '' AND $6 = '' ORDER BY s.id LIMIT $7)
		SELECT count(*) AS count, coalesce(max(id), 0) AS last,
			ARRAY(SELECT DISTINCT financial_account_id FROM picked WHERE financial_account_id IS NOT NULL) AS accounts FROM picked
;
WITH r AS (INSERT INTO reconciles (account_id, entity_id, kind) VALUES (1, 1, 'receivable') RETURNING id)
				UPDATE financial_transactions SET reconcile_id = r.id FROM r WHERE financial_transactions.id = $1
;
WITH rules AS MATERIALIZED (
			SELECT id, payment_method, issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays, ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0) FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts
			FROM (SELECT 0 AS id, $3::text AS payment_method, $4::text AS issuer, $5::numeric AS fee_percentage, $6::numeric AS fixed_fee_amount,
				$7::numeric AS minimum_fee_amount, $8::int AS days_to_liquidation, $9::text AS weekdays) r),
		held AS (
			SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount, coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s
			WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.status < 2 AND s.payment_method = $3 AND coalesce(s.issuer, '') = $4
				AND (s.financial_account_id IS NULL OR EXISTS (
					SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id AND f.status = 1))),
		priced AS MATERIALIZED (
	SELECT h.*, false AS awaits, r.id AS rule, r.fee_percentage AS percentage, p.part, r.fixed_fee_amount AS fixed,
		greatest(h.total_amount - greatest(coalesce(p.part, 0) + coalesce(r.fixed_fee_amount, 0), coalesce(r.minimum_fee_amount, 0)), 0) AS receivable,
		r.days_to_liquidation AS days, CASE WHEN r.weekdays IS NOT NULL THEN extract(dow FROM d.day)::smallint END AS weekday,
		CASE WHEN r.id IS NOT NULL THEN d.day END AS day
	FROM held h
	LEFT JOIN rules r ON r.payment_method = h.payment_method AND r.issuer = h.issuer
	CROSS JOIN LATERAL (SELECT round(h.total_amount * r.fee_percentage * 0.01, 2) AS part, h.sold_on + r.days_to_liquidation AS first) p
	CROSS JOIN LATERAL (SELECT least(p.first + r.shifts[extract(dow FROM p.first)::int + 1], date '9999-12-31') AS day) d),
		days AS (
			SELECT day AS on, sum(before) AS before, sum(after) AS after FROM (
				SELECT estimated_liquidated_at AS day, receivable_amount AS before, 0 AS after FROM priced WHERE estimated_liquidated_at IS NOT NULL
				UNION ALL SELECT day, 0, receivable FROM priced) d
			GROUP BY day HAVING sum(before) <> sum(after))
		SELECT count(*) AS sales_count,
			count(*) FILTER (WHERE (receivable_amount, estimated_liquidated_at) IS DISTINCT FROM (receivable, day)) AS changed_sales_count,
			coalesce(sum(total_amount), 0) AS total_amount, coalesce(sum(receivable_amount), 0) AS receivable_amount,
			coalesce(sum(receivable), 0) AS new_receivable_amount, (SELECT count(*) FROM days) AS changed_days_count,
			(SELECT coalesce(json_agg(json_build_object('On', d.on, 'Before', d.before::text, 'After', d.after::text) ORDER BY d.on), '[]')
				FROM (SELECT * FROM days ORDER BY days.on LIMIT $10) d) AS days
		FROM priced
;
WITH rules AS MATERIALIZED (SELECT id, payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays,
		ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0) FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2),
	held AS MATERIALIZED (
		SELECT h.* FROM unnest($3::bigint[]) AS l (id),
		LATERAL (SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount, coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s WHERE s.account_id = $1 AND s.id = l.id OFFSET 0) h),
	priced AS (
	SELECT h.*, false AS awaits, r.id AS rule, r.fee_percentage AS percentage, p.part, r.fixed_fee_amount AS fixed,
		greatest(h.total_amount - greatest(coalesce(p.part, 0) + coalesce(r.fixed_fee_amount, 0), coalesce(r.minimum_fee_amount, 0)), 0) AS receivable,
		r.days_to_liquidation AS days, CASE WHEN r.weekdays IS NOT NULL THEN extract(dow FROM d.day)::smallint END AS weekday,
		CASE WHEN r.id IS NOT NULL THEN d.day END AS day
	FROM held h
	LEFT JOIN rules r ON r.payment_method = h.payment_method AND r.issuer = h.issuer
	CROSS JOIN LATERAL (SELECT round(h.total_amount * r.fee_percentage * 0.01, 2) AS part, h.sold_on + r.days_to_liquidation AS first) p
	CROSS JOIN LATERAL (SELECT least(p.first + r.shifts[extract(dow FROM p.first)::int + 1], date '9999-12-31') AS day) d),
	sought AS MATERIALIZED (
	SELECT p.*, g.id AS target, 0::bigint AS apart FROM priced p
	LEFT JOIN (SELECT id, due_date FROM financial_accounts
		WHERE account_id = $1 AND sale_account_id = $2 AND gathering AND status = 1) g ON g.due_date = p.day),
	drawn AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1 THEN nextval('financial_accounts_id_seq') END AS first
		FROM sought t WHERE day IS NOT NULL AND target IS NULL),
	homeless AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS home FROM drawn),
	placed AS (SELECT t.*, target AS home FROM sought t WHERE day IS NULL OR target IS NOT NULL UNION ALL SELECT * FROM homeless),
	fresh AS MATERIALIZED (
		SELECT home AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count, min(description) AS description
		FROM homeless GROUP BY home),
	opened AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount, sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id, expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count, a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description, a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2 ORDER BY n.id),
	moved AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.home, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END, days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = $1 AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount, p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.home, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due FROM sought WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM sought WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	summed AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE WHEN f.due_date <> d.due THEN date_trunc('month', d.due) ELSE f.competency_month END, updated_at = now()
		FROM deltas d
		WHERE f.account_id = $1 AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM summed
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2
;
WITH rules AS MATERIALIZED (SELECT id, payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays,
		ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0) FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2),
	held AS MATERIALIZED (
		SELECT h.* FROM unnest($3::bigint[]) AS l (id),
		LATERAL (SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount, coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s WHERE s.account_id = $1 AND s.id = l.id OFFSET 0) h),
	priced AS (
	SELECT h.*, false AS awaits, r.id AS rule, r.fee_percentage AS percentage, p.part, r.fixed_fee_amount AS fixed,
		greatest(h.total_amount - greatest(coalesce(p.part, 0) + coalesce(r.fixed_fee_amount, 0), coalesce(r.minimum_fee_amount, 0)), 0) AS receivable,
		r.days_to_liquidation AS days, CASE WHEN r.weekdays IS NOT NULL THEN extract(dow FROM d.day)::smallint END AS weekday,
		CASE WHEN r.id IS NOT NULL THEN d.day END AS day
	FROM held h
	LEFT JOIN rules r ON r.payment_method = h.payment_method AND r.issuer = h.issuer
	CROSS JOIN LATERAL (SELECT round(h.total_amount * r.fee_percentage * 0.01, 2) AS part, h.sold_on + r.days_to_liquidation AS first) p
	CROSS JOIN LATERAL (SELECT least(p.first + r.shifts[extract(dow FROM p.first)::int + 1], date '9999-12-31') AS day) d),
	sought AS MATERIALIZED (
	SELECT p.*, g.id AS target, p.id AS apart FROM priced p
	LEFT JOIN financial_accounts g ON p.day IS NOT NULL
		AND g.account_id = $1 AND g.id = p.financial_account_id AND g.sale_account_id = $2 AND NOT g.consolidated),
	drawn AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1 THEN nextval('financial_accounts_id_seq') END AS first
		FROM sought t WHERE day IS NOT NULL AND target IS NULL),
	homeless AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS home FROM drawn),
	placed AS (SELECT t.*, target AS home FROM sought t WHERE day IS NULL OR target IS NOT NULL UNION ALL SELECT * FROM homeless),
	fresh AS MATERIALIZED (
		SELECT home AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count, min(description) AS description
		FROM homeless GROUP BY home),
	opened AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount, sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id, expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count, a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description, a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2 ORDER BY n.id),
	moved AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.home, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END, days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = $1 AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount, p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.home, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due FROM sought WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM sought WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	summed AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE WHEN f.due_date <> d.due THEN date_trunc('month', d.due) ELSE f.competency_month END, updated_at = now()
		FROM deltas d
		WHERE f.account_id = $1 AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM summed
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2
;
WITH rules AS MATERIALIZED (SELECT id, payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays,
		ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0) FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2),
	held AS MATERIALIZED (
		SELECT h.* FROM unnest($3::bigint[]) AS l (id),
		LATERAL (SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount, coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s WHERE s.account_id = $1 AND s.id = l.id OFFSET 0) h),
	priced AS (
	SELECT h.*, h.awaiting_pricing AS awaits, h.sale_rule_id AS rule, h.fee_percentage AS percentage, h.fee_percentage_amount AS part, h.fixed_fee_amount AS fixed,
		h.receivable_amount AS receivable, h.days_to_liquidation AS days, h.liquidation_weekday AS weekday, h.estimated_liquidated_at AS day
	FROM held h),
	sought AS MATERIALIZED (
	SELECT p.*, g.id AS target, 0::bigint AS apart FROM priced p
	LEFT JOIN (SELECT id, due_date FROM financial_accounts
		WHERE account_id = $1 AND sale_account_id = $2 AND gathering AND status = 1) g ON g.due_date = p.day),
	drawn AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1 THEN nextval('financial_accounts_id_seq') END AS first
		FROM sought t WHERE day IS NOT NULL AND target IS NULL),
	homeless AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS home FROM drawn),
	placed AS (SELECT t.*, target AS home FROM sought t WHERE day IS NULL OR target IS NOT NULL UNION ALL SELECT * FROM homeless),
	fresh AS MATERIALIZED (
		SELECT home AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count, min(description) AS description
		FROM homeless GROUP BY home),
	opened AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount, sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id, expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count, a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description, a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2 ORDER BY n.id),
	moved AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.home, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END, days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = $1 AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount, p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.home, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due FROM sought WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM sought WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	summed AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE WHEN f.due_date <> d.due THEN date_trunc('month', d.due) ELSE f.competency_month END, updated_at = now()
		FROM deltas d
		WHERE f.account_id = $1 AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM summed
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2
;
WITH rules AS MATERIALIZED (SELECT id, payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays,
		ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0) FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts FROM sale_rules WHERE account_id = $1 AND sale_account_id = $2),
	held AS MATERIALIZED (
		SELECT h.* FROM unnest($3::bigint[]) AS l (id),
		LATERAL (SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount, coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s WHERE s.account_id = $1 AND s.id = l.id OFFSET 0) h),
	priced AS (
	SELECT h.*, h.awaiting_pricing AS awaits, h.sale_rule_id AS rule, h.fee_percentage AS percentage, h.fee_percentage_amount AS part, h.fixed_fee_amount AS fixed,
		h.receivable_amount AS receivable, h.days_to_liquidation AS days, h.liquidation_weekday AS weekday, h.estimated_liquidated_at AS day
	FROM held h),
	sought AS MATERIALIZED (
	SELECT p.*, g.id AS target, p.id AS apart FROM priced p
	LEFT JOIN financial_accounts g ON p.day IS NOT NULL
		AND g.account_id = $1 AND g.id = p.financial_account_id AND g.sale_account_id = $2 AND NOT g.consolidated),
	drawn AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1 THEN nextval('financial_accounts_id_seq') END AS first
		FROM sought t WHERE day IS NOT NULL AND target IS NULL),
	homeless AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS home FROM drawn),
	placed AS (SELECT t.*, target AS home FROM sought t WHERE day IS NULL OR target IS NOT NULL UNION ALL SELECT * FROM homeless),
	fresh AS MATERIALIZED (
		SELECT home AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count, min(description) AS description
		FROM homeless GROUP BY home),
	opened AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount, sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id, expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count, a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description, a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2 ORDER BY n.id),
	moved AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.home, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END, days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = $1 AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount, p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.home, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due FROM sought WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM sought WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	summed AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE WHEN f.due_date <> d.due THEN date_trunc('month', d.due) ELSE f.competency_month END, updated_at = now()
		FROM deltas d
		WHERE f.account_id = $1 AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM summed
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2
;
WITH rules AS MATERIALIZED (SELECT sale_rule_id AS id, payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays,
		ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0) FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts FROM sale_rule_applications
		WHERE account_id = $1 AND sale_account_id = $2 AND id = $4 AND sale_rule_id IS NOT NULL),
	held AS MATERIALIZED (
		SELECT h.* FROM unnest($3::bigint[]) AS l (id),
		LATERAL (SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount, coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s WHERE s.account_id = $1 AND s.id = l.id OFFSET 0) h),
	priced AS (
	SELECT h.*, false AS awaits, r.id AS rule, r.fee_percentage AS percentage, p.part, r.fixed_fee_amount AS fixed,
		greatest(h.total_amount - greatest(coalesce(p.part, 0) + coalesce(r.fixed_fee_amount, 0), coalesce(r.minimum_fee_amount, 0)), 0) AS receivable,
		r.days_to_liquidation AS days, CASE WHEN r.weekdays IS NOT NULL THEN extract(dow FROM d.day)::smallint END AS weekday,
		CASE WHEN r.id IS NOT NULL THEN d.day END AS day
	FROM held h
	LEFT JOIN rules r ON r.payment_method = h.payment_method AND r.issuer = h.issuer
	CROSS JOIN LATERAL (SELECT round(h.total_amount * r.fee_percentage * 0.01, 2) AS part, h.sold_on + r.days_to_liquidation AS first) p
	CROSS JOIN LATERAL (SELECT least(p.first + r.shifts[extract(dow FROM p.first)::int + 1], date '9999-12-31') AS day) d),
	sought AS MATERIALIZED (
	SELECT p.*, g.id AS target, 0::bigint AS apart FROM priced p
	LEFT JOIN (SELECT id, due_date FROM financial_accounts
		WHERE account_id = $1 AND sale_account_id = $2 AND gathering AND status = 1) g ON g.due_date = p.day),
	drawn AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1 THEN nextval('financial_accounts_id_seq') END AS first
		FROM sought t WHERE day IS NOT NULL AND target IS NULL),
	homeless AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS home FROM drawn),
	placed AS (SELECT t.*, target AS home FROM sought t WHERE day IS NULL OR target IS NOT NULL UNION ALL SELECT * FROM homeless),
	fresh AS MATERIALIZED (
		SELECT home AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count, min(description) AS description
		FROM homeless GROUP BY home),
	opened AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount, sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id, expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count, a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description, a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2 ORDER BY n.id),
	moved AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.home, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END, days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = $1 AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount, p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.home, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due FROM sought WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM sought WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	summed AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE WHEN f.due_date <> d.due THEN date_trunc('month', d.due) ELSE f.competency_month END, updated_at = now()
		FROM deltas d
		WHERE f.account_id = $1 AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM summed
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2
;
WITH rules AS MATERIALIZED (SELECT sale_rule_id AS id, payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays,
		ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0) FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts FROM sale_rule_applications
		WHERE account_id = $1 AND sale_account_id = $2 AND id = $4 AND sale_rule_id IS NOT NULL),
	held AS MATERIALIZED (
		SELECT h.* FROM unnest($3::bigint[]) AS l (id),
		LATERAL (SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount, coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s WHERE s.account_id = $1 AND s.id = l.id OFFSET 0) h),
	priced AS (
	SELECT h.*, false AS awaits, r.id AS rule, r.fee_percentage AS percentage, p.part, r.fixed_fee_amount AS fixed,
		greatest(h.total_amount - greatest(coalesce(p.part, 0) + coalesce(r.fixed_fee_amount, 0), coalesce(r.minimum_fee_amount, 0)), 0) AS receivable,
		r.days_to_liquidation AS days, CASE WHEN r.weekdays IS NOT NULL THEN extract(dow FROM d.day)::smallint END AS weekday,
		CASE WHEN r.id IS NOT NULL THEN d.day END AS day
	FROM held h
	LEFT JOIN rules r ON r.payment_method = h.payment_method AND r.issuer = h.issuer
	CROSS JOIN LATERAL (SELECT round(h.total_amount * r.fee_percentage * 0.01, 2) AS part, h.sold_on + r.days_to_liquidation AS first) p
	CROSS JOIN LATERAL (SELECT least(p.first + r.shifts[extract(dow FROM p.first)::int + 1], date '9999-12-31') AS day) d),
	sought AS MATERIALIZED (
	SELECT p.*, g.id AS target, p.id AS apart FROM priced p
	LEFT JOIN financial_accounts g ON p.day IS NOT NULL
		AND g.account_id = $1 AND g.id = p.financial_account_id AND g.sale_account_id = $2 AND NOT g.consolidated),
	drawn AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1 THEN nextval('financial_accounts_id_seq') END AS first
		FROM sought t WHERE day IS NOT NULL AND target IS NULL),
	homeless AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS home FROM drawn),
	placed AS (SELECT t.*, target AS home FROM sought t WHERE day IS NULL OR target IS NOT NULL UNION ALL SELECT * FROM homeless),
	fresh AS MATERIALIZED (
		SELECT home AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count, min(description) AS description
		FROM homeless GROUP BY home),
	opened AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount, sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id, expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count, a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description, a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2 ORDER BY n.id),
	moved AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.home, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END, days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = $1 AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount, p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.home, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due FROM sought WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM sought WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	summed AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE WHEN f.due_date <> d.due THEN date_trunc('month', d.due) ELSE f.competency_month END, updated_at = now()
		FROM deltas d
		WHERE f.account_id = $1 AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM summed
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM fresh n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2
;
WITH sent AS (SELECT * FROM unnest($2::text[], $3::text[], $4::boolean[]) WITH ORDINALITY AS s (parent, name, revenue, line)),
		roots AS (
			INSERT INTO categories (account_id, name, full_name, revenue, cost)
			SELECT $1, name, name, revenue, NOT revenue FROM sent WHERE parent = '' ORDER BY line RETURNING id, name)
		INSERT INTO categories (account_id, parent_id, name, full_name, revenue, cost)
		SELECT $1, r.id, s.name, r.name || ' / ' || s.name, s.revenue, NOT s.revenue
		FROM sent s JOIN roots r ON r.name = s.parent ORDER BY s.line
;
WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, traceparent, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), coalesce(r.parent_id, nullif($5::bigint, 0)), nullif($7, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w, (
		SELECT id, NULL::bigint AS parent_id FROM sales
		WHERE account_id = $1 AND entity_id = $4 AND updated_at = now() AND sale_account_id = ($6::bigint[])[1]
			AND id > ($6::bigint[])[2] AND id <= ($6::bigint[])[3]) r
			RETURNING webhook_id, status) INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT $8, $9, replace($10, $12, webhook_id::text), replace($11, $12, webhook_id::text), $1, nullif($13, ''), nullif($7, ''), now()
		FROM (SELECT DISTINCT webhook_id FROM told WHERE status = 'pending') asked
		RETURNING id
;
WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, traceparent, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), coalesce(r.parent_id, nullif($5::bigint, 0)), nullif($7, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w, (SELECT id, NULL::bigint AS parent_id FROM financial_transactions WHERE account_id = $1 AND bank_statement_id = $6) r
			RETURNING webhook_id, status) INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT $8, $9, replace($10, $12, webhook_id::text), replace($11, $12, webhook_id::text), $1, nullif($13, ''), nullif($7, ''), now()
		FROM (SELECT DISTINCT webhook_id FROM told WHERE status = 'pending') asked
		RETURNING id
;
WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, traceparent, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), coalesce(r.parent_id, nullif($5::bigint, 0)), nullif($7, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w, (SELECT id, NULL::bigint AS parent_id FROM sales
		WHERE account_id = $1 AND financial_account_id = ANY($6::bigint[]) AND updated_at = now()) r
			RETURNING webhook_id, status) INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT $8, $9, replace($10, $12, webhook_id::text), replace($11, $12, webhook_id::text), $1, nullif($13, ''), nullif($7, ''), now()
		FROM (SELECT DISTINCT webhook_id FROM told WHERE status = 'pending') asked
		RETURNING id
;
WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, traceparent, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), coalesce(r.parent_id, nullif($5::bigint, 0)), nullif($7, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w, (SELECT id, deposit_account_id AS parent_id FROM financial_transactions
		WHERE account_id = $1 AND id = ANY($6::bigint[])) r
			RETURNING webhook_id, status) INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT $8, $9, replace($10, $12, webhook_id::text), replace($11, $12, webhook_id::text), $1, nullif($13, ''), nullif($7, ''), now()
		FROM (SELECT DISTINCT webhook_id FROM told WHERE status = 'pending') asked
		RETURNING id
;
WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, traceparent, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), coalesce(r.parent_id, nullif($5::bigint, 0)), nullif($7, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w, (SELECT unnest($6::bigint[]) AS id, NULL::bigint AS parent_id) r
			RETURNING webhook_id, status) INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT $8, $9, replace($10, $12, webhook_id::text), replace($11, $12, webhook_id::text), $1, nullif($13, ''), nullif($7, ''), now()
		FROM (SELECT DISTINCT webhook_id FROM told WHERE status = 'pending') asked
		RETURNING id
;
WITH watched AS (
			(SELECT account_id, (args::json->>'webhook_id')::bigint AS id FROM (
				SELECT account_id, args FROM jobs
				WHERE queue = 'webhooks' AND kind = 'deliver_webhook' AND failed_at IS NULL ORDER BY due_at, id LIMIT 1000) j
			GROUP BY 1, 2 LIMIT $1)
			UNION
			(SELECT account_id, id FROM webhooks WHERE status = 'error' ORDER BY account_id, id LIMIT $1)
		)
		SELECT w.account_id, w.id AS webhook_id, w.status,
			(SELECT count(*) FROM (SELECT FROM deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' LIMIT 1000) p) AS pending,
			n.held, n.failed, n.delivered
		FROM watched JOIN webhooks w ON w.account_id = watched.account_id AND w.id = watched.id CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE status = 'held') AS held, count(*) FILTER (WHERE status = 'failed') AS failed,
				count(*) FILTER (WHERE status = 'delivered') AS delivered
			FROM (SELECT status FROM deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id ORDER BY d.id DESC LIMIT 1000) newest) n
		WHERE w.deleted_at IS NULL
		ORDER BY w.status <> 'error', w.account_id, w.id