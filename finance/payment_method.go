package finance

import (
	"slices"
	"strings"

	"bordero/internal/messages"
)

// PaymentMethods lists the ways to pay a sale.
var PaymentMethods = []string{"billet", "cash", "cheque", "credit", "debit", "deposit", "transfer", "parcelled", "pix",
	"voucher"}

// CardNetworks lists the card issuers. Sales and rules also accept UnknownNetwork, credit cards
// do not.
var CardNetworks = []string{
	"Visa", "MasterCard", "American Express", "Elo", "Hipercard", "Hiper", "Diners Club", "Discover", "JCB", "Aura",
	"Sorocred", "Cabal",
	"Banescard", "Credz", "Credsystem", "Agiplan", "Avista", "UnionPay", "Calcard", "Sicredi", "Verdecard", "Mais!",
}

// UnknownNetwork is the issuer of a card if the seller does not know its network.
const UnknownNetwork = "Desconhecida"

// VoucherProviders lists the issuers of vouchers.
var VoucherProviders = []string{"Alelo", "Sodexo", "Ticket", "VR", "Ben Visa Vale"}

// SaleCards lists the issuers of sales by card.
var SaleCards = append(slices.Clone(CardNetworks), UnknownNetwork)

// issuersOf returns the issuers that a method requires; nil for a method without an issuer.
func issuersOf(method string) []string {
	switch method {
	case "credit", "debit", "parcelled":
		return SaleCards
	case "voucher":
		return VoucherProviders
	}
	return nil
}

// Issuer returns the canonical spelling of a card or voucher issuer, ignoring case. ok is false
// for an unknown issuer.
func Issuer(name string) (canonical string, ok bool) {
	canonical, ok = canonicalIn(SaleCards, name)
	if !ok {
		canonical, ok = canonicalIn(VoucherProviders, name)
	}
	return canonical, ok
}

// canonicalIn returns the list's spelling of the name, ignoring case.
func canonicalIn(list []string, name string) (canonical string, ok bool) {
	i := slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, strings.TrimSpace(name)) })
	if i < 0 {
		return name, false
	}
	return list[i], true
}

// validateMethod refuses an unknown method, and an issuer that is not in the method's list. It
// normalises the issuer's spelling, and clears the issuer of a method without issuers.
func validateMethod(invalid *Invalid, method string, issuer **string) {
	switch {
	case method == "":
		invalid.Add("payment_method", messages.Blank)
		invalid.Add("payment_method", messages.NotOneOf(PaymentMethods))
		return
	case !slices.Contains(PaymentMethods, method):
		invalid.Add("payment_method", messages.NotOneOf(PaymentMethods))
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
			invalid.Add("issuer", messages.NotOneOf(list))
		}
		*issuer = &name
	}
}
