package finance

// existing finds the accounts that a new account of a rule would repeat. They are compared as
// ApplyRules does, which shows what the rule would do.
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

// fitting reports whether an account that may be expected where a transaction is fits it better than
// a new one. Such an account goes to no other transaction, or the next run would make a new one. Of
// more than MaxSuggestionCandidates it knows the nearest alone: once some of these are reconciled it
// may find another, and leave what it would have made.
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
