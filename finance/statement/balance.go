package statement

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Some banks write a balance as if it were a movement. Its description has words of balances alone; the first
// may be written together with others.
var (
	balanceWord = regexp.MustCompile(`^(?:ANTERIOR|ANT|INICIAL|FINAL|DIA|DO|DA|TOTAL|PARCIAL|ATUAL|DISPONIVEL|BLOQUEA` +
		`DO|EM|NA|DATA|` +
		`CONTA|CTA|CC|CORRENTE|MOVIMENTACAO|APLIC|APL|APLICACAO|APLICACOES|AUTOMATICAS?|AUTOM|AUT|MAIS|BLOQ|` +
		`[0-9]+)$`)
	balanceStart = regexp.MustCompile(`^(?:SALDO|SDO)(?:` + strings.Trim(balanceWord.String(), "^$") + `)*$`)
)

// isBalance ignores accents, case, zeros before the text and blanks between single letters: "S A L D O DO DIA" is
// a balance.
func isBalance(description string) bool {
	start := strings.TrimLeft(description, "0 ")
	if start == "" || start[0]|0x20 != 's' {
		return false
	}
	words := balanceWords(start)
	if !balanceStart.MatchString(words[0]) {
		return false
	}
	for i, word := range words[1:] {
		inDate := month(word) > 0 && words[i] != "" && isNumber(words[i])
		applied := word == "AP" && words[i] == "MAIS" // alone it may be an apartment
		if !inDate && !applied && !balanceWord.MatchString(word) {
			return false
		}
	}
	return true
}

// balanceWords splits a description into words in upper case, without accents. Single letters in a row are one.
func balanceWords(description string) []string {
	words := strings.FieldsFunc(unaccented(description), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	for i := 0; i < len(words); i++ {
		end := i
		for end < len(words) && len(words[end]) == 1 && !isNumber(words[end]) {
			end++
		}
		if end-i > 1 {
			words = slices.Replace(words, i, end, strings.Join(words[i:end], ""))
		}
	}
	return words
}
