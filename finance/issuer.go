package finance

import "strings"

// Issuers are the card networks (spec.md, Sale), by the name that is kept.
var Issuers = []string{
	"Visa", "MasterCard", "American Express", "Elo", "Hipercard", "Hiper", "Diners Club", "Discover", "JCB", "Aura", "Sorocred",
	"Cabal", "Banescard", "Credz", "Credsystem", "Agiplan", "Avista", "UnionPay", "Calcard", "Sicredi", "Verdecard", "Mais!",
}

// IssuerOf is the name on the list that the text is, whatever its case. ok is
// false where none is.
func IssuerOf(list []string, text string) (name string, ok bool) {
	for _, name := range list {
		if strings.EqualFold(name, strings.TrimSpace(text)) {
			return name, true
		}
	}
	return text, false
}
