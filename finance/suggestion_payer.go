package finance

import (
	"cmp"
	"slices"
	"strings"
)

// Distances in days between a payment and the due date of an outstanding account, where the payer, or payee,
// is certain.
const (
	LatePaymentDays  = 60
	EarlyPaymentDays = 30
)

// payerKey is an identifier that makes the payer, or payee, of a transaction certain.
type payerKey struct {
	by     payerIdentifier
	number int32  // of the dictionary
	name   string // of a person, without case and accents
	paid   bool   // the transaction is a debit
	amount Amount // of a search for equal amounts
}

type payerIdentifier int8

const (
	payerEndToEnd payerIdentifier = iota
	payerCharge
	payerDocument
	payerTaxID
	payerName
)

// minDocument is how many characters make a document unlike another by chance.
const minDocument = 3

// payers are the accounts by the identifiers of their payers or payees, in order of day.
type payers struct {
	equal    bool // accounts are found by their amount, too
	accounts map[payerKey][]*entry
	lengths  map[[2]string][]int // of the persons' names, in words, by their first two words
}

func (m *matcher) payers(equal bool) payers {
	p := payers{equal: equal, accounts: map[payerKey][]*entry{}, lengths: map[[2]string][]int{}}
	for _, a := range m.accounts {
		keys := p.keys(a)
		if name := split(a.of.CounterpartName); len(name) > 1 {
			if start := [2]string(name); !slices.Contains(p.lengths[start], len(name)) {
				p.lengths[start] = append(p.lengths[start], len(name))
			}
			keys = append(keys, p.named(a, name))
		}
		for _, k := range keys {
			p.accounts[k] = append(p.accounts[k], a)
		}
	}
	return p
}

// key returns a key of a record with what is the same in all of them.
func (p payers) key(e *entry, k payerKey) payerKey {
	k.paid = e.amount < 0
	if p.equal {
		k.amount = e.amount
	}
	return k
}

func (p payers) named(e *entry, name []string) payerKey {
	return p.key(e, payerKey{by: payerName, name: strings.Join(name, " ")})
}

// keys returns the keys of a record, except the names in its text.
func (p payers) keys(e *entry) (keys []payerKey) {
	document := e.document
	if len(documentKey(e.of.Document)) < minDocument {
		document = 0
	}
	for _, k := range [...]payerKey{
		{by: payerEndToEnd, number: e.endToEnd}, {by: payerCharge, number: e.charge},
		{by: payerDocument, number: document}, {by: payerTaxID, number: e.taxID},
	} {
		if k.number != 0 {
			keys = append(keys, p.key(e, k))
		}
	}
	return keys
}

// maxNameWords bounds the words of a text among which names are looked for.
const maxNameWords = 40

// namesIn returns the keys of the persons whose whole names the text of a transaction has. A name that the
// bank wrote in its place is no part of another.
func (p payers) namesIn(t *entry) (keys []payerKey) {
	if name := split(t.of.CounterpartName); len(name) > 0 {
		return []payerKey{p.named(t, name)}
	}
	words := split(t.of.Text)
	words = words[:min(len(words), maxNameWords)]
	for rest := words; len(rest) > 1; rest = rest[1:] {
		for _, length := range p.lengths[[2]string(rest)] {
			if length > len(rest) {
				continue
			}
			if k := p.named(t, rest[:length]); len(p.accounts[k]) > 0 {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// debt is an account of the certain payer, or payee, of a transaction.
type debt struct {
	account *entry
	named   bool // only the name makes it certain
}

// of returns the unused accounts of the certain payer of a transaction, in order of day: of more than
// MaxSuggestionCandidates for an identifier the nearest.
func (p payers) of(t *entry) (found []debt) {
	seen := map[*entry]bool{}
	for _, k := range append(p.keys(t), p.namesIn(t)...) {
		for _, a := range near(between(p.accounts[k], t.day-LatePaymentDays, t.day+EarlyPaymentDays), t.day, 0,
			LatePaymentDays) {
			if !seen[a] && !a.used {
				seen[a], found = true, append(found, debt{a, k.by == payerName})
			}
		}
	}
	slices.SortFunc(found, func(a, b debt) int { return cmp.Compare(a.account.line, b.account.line) })
	return found
}

// overdue takes the transactions of a certain payer who owes an account of the same amount from before the
// window: a customer with a monthly fee pays last month's fee first. An account that was marked as paid
// about then, or one with an identifier of the transaction alone, comes before.
func (m *matcher) overdue() {
	p := m.payers(true)
	for _, t := range m.transactions {
		same := p.of(t)
		nearer := func(o debt) bool {
			of := newMatch(t, []*entry{o.account}, false)
			return of.days <= m.window && (!o.account.open || of.endToEnd || of.charge || of.document)
		}
		if len(same) == 0 || !same[0].account.open || t.day-same[0].account.day <= m.window ||
			slices.ContainsFunc(same, nearer) {
			continue
		}
		found := newMatch(t, []*entry{same[0].account}, false)
		found.named = same[0].named
		m.take(found)
	}
}

// differing takes pairs whose amounts differ, if the payer is certain and the difference is a usual one:
// differences of one kind before differences of two, then the nearest.
func (m *matcher) differing(charges LateCharges) {
	p := m.payers(false)
	var found []match
	of := map[*entry]int{} // how often each record is in one
	for _, t := range m.transactions {
		if t.used {
			continue
		}
		for _, o := range p.of(t) {
			if d := charges.between(t, o.account); d != nil {
				pair := newMatch(t, []*entry{o.account}, false)
				pair.named, pair.difference = o.named, d
				found = append(found, pair)
				of[t]++
				of[o.account]++
			}
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.difference.kinds, b.difference.kinds), cmp.Compare(a.days, b.days),
			cmp.Compare(a.one.line, b.one.line), cmp.Compare(a.parts[0].line, b.parts[0].line))
	})
	for _, pair := range found {
		if t, a := pair.one, pair.parts[0]; !t.used && !a.used {
			pair.rivals = of[t] + of[a] - 2
			m.take(pair)
		}
	}
}

// between returns the usual difference between a transaction and an outstanding account; nil if there is none.
func (c LateCharges) between(t, a *entry) *difference {
	if !a.open || a.amount == t.amount {
		return nil
	}
	d := c.explain(payment{
		kind: KindOf(t.amount), nominal: a.of.Nominal, due: a.amount.Abs(), paid: t.amount.Abs(),
		dueOn: a.of.OccurredAt, paidOn: t.of.OccurredAt,
	})
	if d != nil {
		d.adjustment.FinancialAccountID = a.id
	}
	return d
}
