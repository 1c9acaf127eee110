package statement

import (
	"regexp"
	"strings"
	"unicode"
)

// SameAccount reports whether two account numbers belong to one account. They do if their letters
// and digits are the same, but for case and leading zeros. A branch or check digit that only one of
// them has is ignored: 12345 is the same account as 0001/12345-6.
//
// A branch is 3 to 5 digits before '/', '-' or a blank; a check digit is one character after the
// last '-'. The relation is not transitive: 12345 is the same as 12345-6 and as 12345-7.
func SameAccount(a, b string) bool {
	if sameKey(a, b) {
		return true
	}
	for _, x := range accountForms(a) {
		for _, y := range accountForms(b) {
			if x.same(y) {
				return true
			}
		}
	}
	return false
}

// accountForm is one way to understand an account number: with or without a branch.
type accountForm struct{ branch, number, digit string }

var (
	branched = regexp.MustCompile(`^ *([0-9]{3,5}) *[-/ ] *(.+)$`)
	checked  = regexp.MustCompile(`^(.+)-([0-9A-Za-z]) *$`)
)

func accountForms(number string) []accountForm {
	forms := []accountForm{{number: number}}
	if m := branched.FindStringSubmatch(number); m != nil {
		forms = append(forms, accountForm{branch: m[1], number: m[2]})
	}
	for i, f := range forms {
		if m := checked.FindStringSubmatch(f.number); m != nil {
			forms[i].number, forms[i].digit = m[1], m[2]
		}
	}
	return forms
}

// same compares the parts that both numbers have. A check digit may lack its '-'.
func (f accountForm) same(g accountForm) bool {
	return f.usable() && g.usable() && (f.branch == "" || g.branch == "" || sameKey(f.branch, g.branch)) &&
		(sameKey(f.number, g.number) && (f.digit == "" || g.digit == "" || strings.EqualFold(f.digit, g.digit)) ||
			sameKey(f.number+f.digit, g.number+g.digit))
}

// usable reports whether the number is long enough to be one, and not masked as on cards.
func (f accountForm) usable() bool {
	n := 0
	for _, c := range f.number {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			n++
		}
	}
	return n >= 4 && !strings.ContainsAny(f.number, "*#?•") && !strings.Contains(strings.ToUpper(f.number), "XX")
}

// sameKey reports whether two account numbers have the same letters and digits, ignoring case, punctuation and
// leading zeros.
func sameKey(a, b string) bool { return a == b || accountKey(a) == accountKey(b) }

func accountKey(account string) string {
	key := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToUpper(c)
		}
		return -1
	}, account)
	if trimmed := strings.TrimLeft(key, "0"); trimmed != "" || key == "" {
		return trimmed
	}
	return "0"
}
