package statement

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Instalment returns the mark of an instalment in the description of a card's item, in the form "3/10", or "". A mark
// is n/m or "n de m" and, behind PARC, PARCELA or PCL, also n-m and "n m", with 1 ≤ n ≤ m and 2 ≤ m ≤ 99. The last one
// counts, since a day of purchase comes first. Dates with a year are not marks.
func Instalment(description string) string {
	numbers := digits.FindAllStringIndex(description, -1)
	for i := len(numbers) - 2; i >= 0; i-- {
		n, m := small(description, numbers[i]), small(description, numbers[i+1])
		if 1 <= n && n <= m && 2 <= m && m <= 99 && isMark(description, numbers, i) {
			return fmt.Sprintf("%d/%d", n, m)
		}
	}
	return ""
}

var (
	digits = regexp.MustCompile(`[0-9]+`)
	parcel = regexp.MustCompile(`(?i)(^|\PL)(PARC|PARCELA|PCL)[^\pL\pN]*$`)
	// pointed is a number that goes on behind it, as an amount, or a time of day, does.
	pointed = regexp.MustCompile(`^[.,:][0-9]`)
	// dated is a number of a date.
	dated = regexp.MustCompile(`^([0-9]{1,2}|[0-9]{4})$`)
)

// The ways in which two numbers are joined.
const (
	slashed = "/"
	worded  = "de"
	hyphen  = "-"
	blank   = ""
)

// isMark reports whether the number i and the next one are written as a mark, and are no part of a date or an amount.
func isMark(text string, numbers [][]int, i int) bool {
	before, after := text[:numbers[i][0]], text[numbers[i+1][1]:]
	joined := join(text, numbers, i)
	switch joined {
	case slashed:
		if strings.HasSuffix(before, "/") || strings.HasPrefix(after, "/") {
			return false
		}
	case worded, hyphen, blank:
		if join(text, numbers, i-1) == slashed || join(text, numbers, i+1) == slashed ||
			pointed.MatchString(after) || i > 0 && pointed.MatchString(text[numbers[i-1][1]:]) {
			return false
		}
		if joined != worded && !parcel.MatchString(before) {
			return false
		}
	default:
		return false
	}
	return !continues(text, numbers, i-1, i-1, joined) && !continues(text, numbers, i+1, i+2, joined)
}

// continues reports whether the numbers k and k+1 are joined in the same way, and the number at end is one of a date:
// the three are a date. A number with a slash behind it begins a date of its own.
func continues(text string, numbers [][]int, k, end int, joined string) bool {
	return join(text, numbers, k) == joined && dated.MatchString(text[numbers[end][0]:numbers[end][1]]) &&
		(joined == slashed || join(text, numbers, end) != slashed)
}

// join returns the joint between the number k and the next one; "none" if they are not joined.
func join(text string, numbers [][]int, k int) string {
	const none = "none"
	if k < 0 || k+1 >= len(numbers) {
		return none
	}
	between := text[numbers[k][1]:numbers[k+1][0]]
	trimmed := strings.TrimSpace(between)
	switch {
	case trimmed == slashed, trimmed == hyphen, trimmed == blank:
		return trimmed
	case strings.EqualFold(trimmed, worded) && len(between) >= len(trimmed)+2:
		return worded
	}
	return none
}

// small parses a number of one to three digits; it returns 0 for a longer one.
func small(text string, at []int) int {
	number := text[at[0]:at[1]]
	if len(number) > 3 {
		return 0
	}
	n, _ := strconv.Atoi(number) // only digits
	return n
}
