-- $1 = account
-- $2 = days
-- $3 = amounts
-- $4 = marks
-- $5 = ordinals
-- $6 = new_marks
-- $7 = new_ordinals
-- $8 = deposit_account
UPDATE imported_items i SET ordinal = i.ordinal + 1000000000 FROM unnest(CAST($2 AS date[]), CAST($3 AS numeric[]), CAST($4 AS text[]),
	CAST($5 AS int[]),
		CAST($6 AS text[]), CAST($7 AS int[])) c (day, amount, mark, ordinal, new_mark, new_ordinal)
		WHERE i.account_id = $1 AND i.deposit_account_id = $8 AND i.day = c.day
			AND i.amount = c.amount AND i.mark = c.mark
			AND i.ordinal = c.ordinal
