package db

import (
	"strings"
	"unicode"
)

// column returns the name of the column of a record's field: BankAccountID is
// bank_account_id. So records need no tags, and finance contains no SQL.
func column(field string) string {
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(field, "IDs", "Ids"))
	for i, r := range runes {
		if unicode.IsUpper(r) {
			// A word begins at a capital after a lower case letter, and at the last capital
			// of several before a lower case letter.
			if i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
