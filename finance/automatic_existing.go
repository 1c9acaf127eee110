package finance

// existing finds the accounts that a new account of a rule would repeat. It compares them as
// ApplyRules does, which previews the rule.
type existing struct {
	words    dictionary
	accounts map[existingKey][]*Candidate // by day
	entries  map[existingKey][]*entry     // the same, of the keys that were asked for
}

// existingKey keeps the accounts that are expected elsewhere out of the MaxSuggestionCandidates.
type existingKey struct {
	amount         Amount
	depositAccount int64
}

func newExisting(accounts []*Candidate) *existing {
	x := existing{dictionary{}, map[existingKey][]*Candidate{}, map[existingKey][]*entry{}}
	for _, a := range accounts {
		k := existingKey{a.Amount, a.DepositAccountID}
		x.accounts[k] = append(x.accounts[k], a)
	}
	return &x
}

// fitting reports whether an existing account fits a transaction better than a new one would. It
// reserves such accounts: given to another transaction, the next run would make a new account for
// this one. It compares at most MaxSuggestionCandidates accounts, the nearest by day. Once some of
// these are reconciled, a later run may find an account further away and make no new one.
func (x *existing) fitting(t *Candidate) bool {
	found := false
	e := x.words.entry(&t.Movement, 0)
	for _, k := range []existingKey{{t.Amount, 0}, {t.Amount, t.DepositAccountID}} {
		for _, a := range betterThanNew(e, x.of(k)) {
			x.accounts[k][a.line].member.rivals = true
			found = true
		}
	}
	return found
}

func (x *existing) of(k existingKey) []*entry {
	if _, known := x.entries[k]; !known {
		for i, a := range x.accounts[k] {
			x.entries[k] = append(x.entries[k], x.words.entry(&a.Movement, i))
		}
	}
	return x.entries[k]
}
