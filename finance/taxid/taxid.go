// Package taxid checks Brazil's tax numbers, the CPF of people and the CNPJ of companies, by
// their check digits. It is pure arithmetic and knows no records.
package taxid

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	cpf = regexp.MustCompile(`^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$`)
	// Since July 2026 all characters of a CNPJ except the check digits may be letters.
	cnpj = regexp.MustCompile(`^[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}/?[0-9A-Za-z]{4}-?\d{2}$`)
)

// Valid reports whether s is a CPF or a CNPJ: the check digits are right, and not all characters
// are the same. The usual punctuation is optional; other characters are refused. Letters may be
// lower case.
func Valid(s string) bool {
	switch {
	case cpf.MatchString(s):
		return checked(Compact(s), 11)
	case cnpj.MatchString(s):
		return checked(Compact(s), 9)
	}
	return false
}

// Compact returns the letters and digits of s in upper case, the form for searches and
// comparisons.
func Compact(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToUpper(c)
		}
		return -1
	}, s)
}

// Complete appends the two check digits to the 9 digits of a CPF, or to the 12
// digits and upper-case letters of a CNPJ, without punctuation.
func Complete(number string) string {
	maxWeight := 11
	if len(number) == 12 {
		maxWeight = 9
	}
	for range 2 {
		number += string(checkDigit(number, maxWeight))
	}
	return number
}

// checked reports whether the last two digits follow from the others. It refuses numbers of one
// repeated digit, such as 111.111.111-11, although their check digits are right.
func checked(number string, maxWeight int) bool {
	n := len(number)
	return strings.Count(number, number[:1]) < n &&
		number[n-2] == checkDigit(number[:n-2], maxWeight) &&
		number[n-1] == checkDigit(number[:n-1], maxWeight)
}

// checkDigit computes modulo 11 over the characters with weights 2, 3, 4 … from the right,
// starting again at 2 after maxWeight. The value of a character is its distance from '0' in
// ASCII: A is 17.
func checkDigit(characters string, maxWeight int) byte {
	sum, weight := 0, 2
	for i := len(characters) - 1; i >= 0; i-- {
		sum += weight * int(characters[i]-'0')
		if weight++; weight > maxWeight {
			weight = 2
		}
	}
	if rest := sum % 11; rest >= 2 {
		return byte('0' + 11 - rest)
	}
	return '0'
}
