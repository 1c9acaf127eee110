package storage

import (
	"strings"
	"unicode"
)

// column is the name of a record's field as the schema spells it: BankAccountID
// is bank_account_id. So records need no tags, and finance knows no SQL.
func column(field string) string {
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(field, "IDs", "Ids"))
	for i, r := range runes {
		if unicode.IsUpper(r) {
			// A word begins after a lower case letter, and before one within a
			// row of capitals.
			if i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
