package finance

import (
	"slices"
	"strings"
)

// CardNetworks are the flags of credit cards, by the name that is kept.
var CardNetworks = []string{
	"Visa", "MasterCard", "American Express", "Elo", "Hipercard", "Hiper", "Diners Club", "Discover", "JCB", "Aura", "Sorocred", "Cabal",
	"Banescard", "Credz", "Credsystem", "Agiplan", "Avista", "UnionPay", "Calcard", "Sicredi", "Verdecard", "Mais!",
}

// canonicalIn finds how the list spells the name, whatever its case.
func canonicalIn(list []string, name string) (canonical string, ok bool) {
	i := slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, strings.TrimSpace(name)) })
	if i < 0 {
		return name, false
	}
	return list[i], true
}
