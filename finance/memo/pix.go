package memo

import (
	"regexp"
	"strings"
	"time"
)

var (
	// The bank of the payer (ISPB), the minute in UTC, and letters and digits that the bank chose; with a
	// D in front it identifies a return. Case matters. Numbers of 31 or 33 characters are other things.
	endToEndID = regexp.MustCompile(`\b[ED]\d{8}(\d{12})[0-9A-Za-z]{11}\b`)
	// Nothing in the shape of a txid tells it from any other code, so it needs its label. "***" means none.
	txID = regexp.MustCompile(`(?i)\bTX ?ID(?: ?[:=] ?| )([0-9A-Z]+)\b`)
)

// pixBegan is the year in which Pix began.
const pixBegan = 2020

func (l line) endToEndIDs() (found []string) {
	if !l.hasWord(32) {
		return nil
	}
	for _, id := range endToEndID.FindAllStringSubmatch(l.text, -1) {
		if minute, err := time.Parse("200601021504", id[1]); err == nil && minute.Year() >= pixBegan {
			found = append(found, id[0])
		}
	}
	return found
}

func (l line) txIDs() (found []string) {
	if !strings.Contains(l.folded, "TXID") && !strings.Contains(l.folded, "TX ID") {
		return nil
	}
	for _, id := range txID.FindAllStringSubmatch(l.text, -1) {
		labelled := strings.ContainsAny(id[0], ":=") || strings.ContainsAny(id[1], "0123456789")
		if labelled && len(id[1]) <= 35 && !endToEndID.MatchString(id[1]) {
			found = append(found, id[1])
		}
	}
	return found
}

// without returns the line without the identifiers of p, so that names begin and end there.
func (l line) without(p Payment) line {
	if p.EndToEndID != "" {
		l = newLine(strings.ReplaceAll(l.text, p.EndToEndID, " "))
	}
	if p.TxID != "" {
		l = newLine(txID.ReplaceAllString(l.text, " "))
	}
	return l
}

// hasWord reports whether the line has so many letters and digits in a row.
func (l line) hasWord(length int) bool {
	run := 0
	for i := 0; i < len(l.folded) && run < length; i++ {
		if c := l.folded[i]; 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			run++
		} else {
			run = 0
		}
	}
	return run >= length
}
