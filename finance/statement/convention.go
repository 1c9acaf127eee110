package statement

import "strings"

// seeAmount records the marks of an amount of a QIF file.
func (p *pass) seeAmount(amount string) {
	switch point := decimalPoint(amount); {
	case strings.Count(amount, ".") > 1 && !strings.Contains(amount, ","): // only thousands have several marks
		p.decimalComma = true
	case strings.Count(amount, ",") > 1 && !strings.Contains(amount, "."):
		p.decimalPoint = true
	case point == len(amount) || point == thousands(amount):
	case amount[point] == ',':
		p.decimalComma = true
	default:
		p.decimalPoint = true
	}
}

// amount removes a lone thousands separator: a comma unless some rows have a decimal comma, a
// point if only decimal commas occur.
func (c convention) amount(text string) string {
	i := thousands(text)
	if i < 0 || text[i] == ',' && c.decimalComma || text[i] == '.' && (c.decimalPoint || !c.decimalComma) {
		return text
	}
	return text[:i] + text[i+1:]
}

// thousands returns the index of the only mark of an amount if it may group thousands, as in
// 12,345 and 12.345; else -1.
func thousands(amount string) int {
	i := strings.IndexAny(amount, ".,")
	if i < 0 {
		return -1
	}
	before, _ := trimSigns(amount[:i])
	after := amount[i+1:]
	if len(before) < 1 || len(before) > 3 || before[0] == '0' || len(after) != 3 || !isNumber(before) ||
		!isNumber(after) {
		return -1
	}
	return i
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }
