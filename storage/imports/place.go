package imports

// markAboveFile marks remembered items that stand for no item of the file (decision 0016). An item
// with a FITID that is unique in the file pairs with the first remembered item with that FITID; the
// other items of the file take the first positions beside these pairs. Remembered items above these
// positions are above the file. If all items of the file are known, nothing is marked: their texts are
// compared with all remembered items. Only gaps can make an item new while another is above the file.
const markAboveFile = `
	WITH unique_fitids AS (
		SELECT fitid, min(day) AS day, min(amount) AS amount, min(mark) AS mark
		FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL GROUP BY fitid HAVING count(*) = 1
	), remembered AS (
		SELECT k.ctid AS row, day, amount, mark, k.items, k.ordinal,
			u.fitid IS NOT NULL AND row_number() OVER (PARTITION BY day, amount, mark,
				fitid ORDER BY k.ordinal) = 1 AS paired
		FROM remembered k LEFT JOIN unique_fitids u USING (day, amount, mark, fitid) WHERE k.has_gap
	), others AS (
		SELECT row, day, amount, mark, paired, items - count(*) FILTER (WHERE paired) OVER (PARTITION BY day, amount,
			mark) AS number,
			ordinal - count(*) FILTER (WHERE paired) OVER (PARTITION BY day, amount, mark ORDER BY ordinal) AS position
		FROM remembered
	), compared AS (
		SELECT row, position > number AS above_file, number,
			count(*) FILTER (WHERE position <= number) OVER (PARTITION BY day, amount, mark) AS known
		FROM others WHERE NOT paired
	)
	UPDATE remembered SET above_file = true FROM compared c WHERE remembered.ctid = c.row AND c.above_file
		AND c.known < c.number`

// placeItems numbers the items of each day, amount and mark. First come items with a remembered
// FITID that is unique in the file; then items with a remembered description, at most as many as
// remembered items have it beside these FITIDs; then the others. Where only one of two items has a FITID,
// a description that contains the other is the same: one format of a bank has the payee before the
// text of another (decision 0044). Twenty texts of a day, amount and mark are compared so. Each group
// is in the order of the file. The first items, as many as are remembered, are known; the others are
// new. Remembered items that are above the file do not count. New items get the smallest free ordinals
// and, if $1, transaction ids in the order of the file. An item raises no doubt if its description
// contains the remembered description of its FITID: earlier releases left the REFNUM out of
// descriptions. Another FITID or description says nothing beside items of other doors alone, which have ids and
// texts of their own (decision 0045). The free ordinals are joined last: a sort would copy the array of a group with
// each of its items.
const placeItems = `
	WITH groups AS (
		SELECT day, amount, mark, count(*) FILTER (WHERE NOT above_file) AS n, bool_or(same_door) AS same_door,
			CASE WHEN bool_or(has_gap) THEN
				ARRAY(SELECT o FROM generate_series(1, max(ordinal)) o EXCEPT SELECT unnest(array_agg(ordinal))
					ORDER BY 1) END AS free
		FROM remembered GROUP BY day, amount, mark
	), gaps AS (
		SELECT day, amount, mark, h.ordinal, h.nth FROM groups, unnest(free) WITH ORDINALITY h (ordinal, nth)
	), unique_fitids AS (
		SELECT fitid, min(day) AS day, min(amount) AS amount, min(mark) AS mark
		FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL GROUP BY fitid HAVING count(*) = 1
	), known_fitids AS (
		SELECT day, amount, mark, fitid, min(coalesce(description, '')) AS description FROM remembered
			JOIN unique_fitids
			USING (day, amount, mark, fitid) GROUP BY 1, 2, 3, 4
	), remembered_fitids AS (
		SELECT DISTINCT day, amount, mark, fitid FROM remembered WHERE fitid IS NOT NULL
	), known_descriptions AS (
		SELECT day, amount, mark, coalesce(description, '') AS description,
			count(*) - count(DISTINCT u.fitid) AS left_over, bool_or(remembered.fitid IS NULL) AS without_fitid,
			bool_or(remembered.fitid IS NOT NULL) AS with_fitid
		FROM remembered LEFT JOIN unique_fitids u USING (day, amount, mark, fitid) WHERE NOT above_file
		GROUP BY 1, 2, 3, 4
	), known_texts AS (
		SELECT day, amount, mark,
			(array_agg(description ORDER BY description) FILTER (WHERE with_fitid))[1:20] AS with_fitid,
			(array_agg(description ORDER BY description) FILTER (WHERE without_fitid))[1:20] AS without_fitid
		FROM known_descriptions WHERE description <> '' GROUP BY 1, 2, 3
	), matched AS (
		SELECT s.*, CASE WHEN k.description IS NOT NULL THEN k.description
			ELSE coalesce((SELECT min(text)
				FROM unnest(CASE WHEN s.fitid IS NULL THEN t.with_fitid ELSE t.without_fitid END) text
				WHERE s.description <> '' AND (strpos(s.description, text) > 0 OR strpos(text, s.description) > 0)),
				s.description, '') END AS text
		FROM staged s LEFT JOIN known_texts t USING (day, amount, mark)
		LEFT JOIN known_descriptions k ON k.day = s.day AND k.amount = s.amount AND k.mark = s.mark
			AND k.description = s.description
		WHERE s.ignored IS NULL
	), compared AS (
		SELECT s.*, g.n, f.fitid IS NOT NULL AS same_fitid,
			coalesce(g.same_door, false) AS same_door, r.fitid IS NULL AND s.fitid IS NOT NULL AS other_fitid,
			coalesce(strpos(s.description, f.description) > 0, false) AS longer,
				k.description IS NULL AS new_description, coalesce(k.left_over, 0) AS left_over,
			row_number() OVER (PARTITION BY s.day, s.amount, s.mark, f.fitid IS NULL, s.text ORDER BY s.number) AS nth
		FROM matched s
		LEFT JOIN groups g ON g.day = s.day AND g.amount = s.amount AND g.mark = s.mark
		LEFT JOIN known_fitids f ON f.day = s.day AND f.amount = s.amount AND f.mark = s.mark AND f.fitid = s.fitid
		LEFT JOIN remembered_fitids r ON r.day = s.day AND r.amount = s.amount AND r.mark = s.mark AND r.fitid = s.fitid
		LEFT JOIN known_descriptions k ON k.day = s.day AND k.amount = s.amount AND k.mark = s.mark
			AND k.description = s.text
	), numbered AS (
		SELECT *, row_number() OVER (PARTITION BY day, amount, mark ORDER BY same_fitid DESC, other_description,
			number) AS place
		FROM (SELECT *, new_description OR NOT same_fitid AND nth > left_over AS other_description FROM compared) c
	)
	INSERT INTO placed (id, number, line, day, amount, mark, card, ordinal, fitid, document, description, fresh,
		doubtful, suspect, end_to_end_id, txid, counterpart_name, counterpart_document)
	SELECT CASE WHEN fresh
		AND $1 THEN nextval(CAST(pg_get_serial_sequence('financial_transactions', 'id') AS regclass)) END, p.*
	FROM (
		SELECT i.number, i.line, i.day, i.amount, i.mark, i.card, coalesce(h.ordinal, i.place),
			i.fitid, i.document, i.description, i.place > coalesce(i.n, 0) AS fresh, i.place <= i.n
				AND i.same_door AND i.other_description AND NOT i.longer,
			coalesce(i.place <= i.n AND i.same_door AND i.new_description AND i.other_fitid, false),
			i.end_to_end_id, i.txid, i.counterpart_name, i.counterpart_document
		FROM numbered i LEFT JOIN gaps h ON h.day = i.day AND h.amount = i.amount AND h.mark = i.mark
			AND h.nth = i.place - i.n
		ORDER BY i.number) p`
