package finance

import (
	"slices"
	"strings"

	"bordero/internal/messages"
)

// PaymentMethods are the ways in which a sale can be paid.
var PaymentMethods = []string{"billet", "cash", "cheque", "credit", "debit", "deposit", "transfer", "parcelled", "pix", "voucher"}

// CardNetworks are the issuers of cards: of a sale and of a rule beside
// UnknownNetwork, of a credit card alone.
var CardNetworks = []string{
	"Visa", "MasterCard", "American Express", "Elo", "Hipercard", "Hiper", "Diners Club", "Discover", "JCB", "Aura", "Sorocred", "Cabal",
	"Banescard", "Credz", "Credsystem", "Agiplan", "Avista", "UnionPay", "Calcard", "Sicredi", "Verdecard", "Mais!",
}

// UnknownNetwork is the issuer of a card that the seller does not know.
const UnknownNetwork = "Desconhecida"

// VoucherProviders are the issuers of vouchers.
var VoucherProviders = []string{"Alelo", "Sodexo", "Ticket", "VR", "Ben Visa Vale"}

var saleCards = append(slices.Clone(CardNetworks), UnknownNetwork)

// issuersOf are the issuers that the method asks for; none for a method without.
func issuersOf(method string) []string {
	switch method {
	case "credit", "debit", "parcelled":
		return saleCards
	case "voucher":
		return VoucherProviders
	}
	return nil
}

// Issuer finds the name of an issuer of cards or vouchers, whatever its case; ok
// is false where there is none.
func Issuer(name string) (canonical string, ok bool) {
	canonical, ok = canonicalIn(saleCards, name)
	if !ok {
		canonical, ok = canonicalIn(VoucherProviders, name)
	}
	return canonical, ok
}

// canonicalIn finds how the list spells the name, whatever its case.
func canonicalIn(list []string, name string) (canonical string, ok bool) {
	i := slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, strings.TrimSpace(name)) })
	if i < 0 {
		return name, false
	}
	return list[i], true
}

// validateMethod refuses a method that there is not, and an issuer that is not of
// the method's list. It spells the issuer as the list does, and takes it from a
// method without.
func validateMethod(invalid *Invalid, method string, issuer **string) {
	switch {
	case method == "":
		invalid.Add("payment_method", messages.Blank)
		invalid.Add("payment_method", messages.NotInList)
		return
	case !slices.Contains(PaymentMethods, method):
		invalid.Add("payment_method", messages.NotInList)
		return
	}
	list := issuersOf(method)
	switch {
	case list == nil:
		*issuer = nil
	case *issuer == nil:
		invalid.Add("issuer", messages.Blank)
	default:
		name, ok := canonicalIn(list, **issuer)
		if !ok {
			invalid.Add("issuer", messages.NotInList)
		}
		*issuer = &name
	}
}
