package list

import "strings"

// Source is the FROM of a list: records of one table or, with Parents, the records of several parents. No index
// has the records of all parents in the order of the list, but one has the records of each: a page is merged
// from the first records of each parent.
type Source struct {
	// Rows begins with the table of the records and ends with the conditions that scope it. With Parents, it
	// selects the records of one parent.
	Rows string
	// Parents is an item of FROM: "(SELECT id FROM deposit_accounts WHERE …) d".
	Parents string
	// Alias is the table's alias in Rows; only with Parents.
	Alias string
	// Count is a statement for the number of records without filters; "" to count Rows.
	Count string
}

// page returns the statement of a page. after is the condition of its first record, after an AND, or "".
func (s Source) page(columns, after string, o Order, limit string) string {
	order := "\nORDER BY " + o.SQL() + " "
	from := s.Rows + after
	if s.Parents != "" {
		// The first records of each parent, also of the pages before this one.
		first := strings.Replace(limit, "nullif(@size, 0) OFFSET @offset",
			"CAST(nullif(@size, 0) AS bigint) + CAST(@offset AS bigint)", 1)
		from = s.merged("SELECT " + s.Alias + ".* FROM " + from + order + first)
	}
	return "SELECT " + columns + "\nFROM " + from + order + limit
}

// count returns the statement that counts the records.
func (s Source) count(all bool) string {
	switch {
	case all && s.Count != "":
		return s.Count
	case s.Parents != "":
		return "SELECT count(*) FROM " + s.merged("SELECT FROM "+s.Rows)
	}
	return "SELECT count(*) FROM " + s.Rows
}

// countUpTo returns the statement that counts the records up to a number.
func (s Source) countUpTo(most string) string {
	from := s.Rows
	if s.Parents != "" {
		from = s.merged("SELECT FROM " + s.Rows)
	}
	return "SELECT count(*) FROM (SELECT FROM " + from + " LIMIT " + most + ") counted"
}

// merged returns the FROM of the records that a statement selects of each parent.
func (s Source) merged(selected string) string {
	return s.Parents + "\nCROSS JOIN LATERAL (" + selected + ") " + s.Alias
}
