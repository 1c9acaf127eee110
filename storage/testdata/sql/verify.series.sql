SELECT account_id, record, expected, found
		FROM (
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('parcel %s of %s in the %s series %s of %s accounts of entity %s',
				CASE WHEN f.number_of_parcels IS NOT NULL THEN place END,
				s.number_of_parcels, s.recurrence_period, f.recurrence_id, s.kind, s.entity_id),
			format('parcel %s of %s in a %s series of %s accounts of entity %s', f.current_parcel, f.number_of_parcels,
				f.recurrence_period,
				f.kind, f.entity_id)
		FROM (SELECT id, account_id, entity_id, kind, recurrence_id, recurrence_period, number_of_parcels,
			current_parcel,
				id - recurrence_id + 1 AS place, min(id) OVER (PARTITION BY account_id, recurrence_id) AS first
			FROM financial_accounts WHERE recurrence_id IS NOT NULL) f
		JOIN financial_accounts s ON s.account_id = f.account_id AND s.id = f.first
		WHERE (f.kind, f.entity_id, f.recurrence_period, f.number_of_parcels) IS DISTINCT FROM
			(s.kind, s.entity_id, s.recurrence_period, s.number_of_parcels) OR f.current_parcel <> place OR place < 1) AS d (account_id, record, expected, found) ORDER BY account_id, record
