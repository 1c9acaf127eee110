package statement

import "strings"

// maxSummaries bounds the memory for a file that only lists accounts.
const maxSummaries = 100

// accounts collects the statements of a file about its accounts.
type accounts struct {
	account  string              // the account in effect
	summary  *account            // its summary, nil before there is something to note
	byNumber map[string]*account // by accountKey
	all      []*account
}

// account is one account of a file.
type account struct {
	Summary
	signed          bool  // an amount has a sign
	debits, credits int64 // items of such types
}

// see records the amount of an item, and the direction of its type.
func (a *account) see(amount string, d direction) {
	digit := strings.IndexAny(amount, "0123456789")
	if digit < 0 {
		return
	}
	a.signed = a.signed || strings.ContainsAny(amount[:digit], "+-")
	switch d {
	case debit:
		a.debits++
	case credit:
		a.credits++
	}
}

// use sets the account in effect.
func (a *accounts) use(number string) {
	a.account, a.summary = number, nil
}

// note returns the summary of the account in effect, for the caller to fill in.
func (a *accounts) note() *account {
	if a.summary == nil {
		a.summary = a.mention(a.account)
	}
	return a.summary
}

// mention returns the summary of the account, new if needed. Without room for another account, the
// caller gets a summary that is not stored.
func (a *accounts) mention(number string) *account {
	key := accountKey(number)
	s := a.byNumber[key]
	if s == nil {
		s = &account{Summary: Summary{Account: number}}
		if len(a.all) < maxSummaries {
			a.store(key, s)
		}
	}
	return s
}

// count counts an item of the account in effect. If there is no room, an account with items
// replaces one without.
func (a *accounts) count() {
	s := a.note()
	s.Items++
	if s.Items > 1 || len(a.all) < maxSummaries {
		return
	}
	key := accountKey(s.Account)
	if a.byNumber[key] == s {
		return
	}
	for i, other := range a.all {
		if other.Items == 0 {
			delete(a.byNumber, accountKey(other.Account))
			a.all = append(a.all[:i], a.all[i+1:]...)
			a.store(key, s)
			return
		}
	}
}

func (a *accounts) store(key string, s *account) {
	if a.byNumber == nil {
		a.byNumber = map[string]*account{}
	}
	a.byNumber[key] = s
	a.all = append(a.all, s)
}

func (a *accounts) summaries() []Summary {
	summaries := make([]Summary, len(a.all))
	for i, s := range a.all {
		summaries[i] = s.Summary
	}
	return summaries
}

// of returns the summary of an account by its number; of the only one for "".
func (a *accounts) of(number string) Summary {
	if number != "" {
		if s := a.byNumber[accountKey(number)]; s != nil {
			return s.Summary
		}
		return Summary{}
	}
	var only *account
	several := false
	for _, s := range a.all {
		switch {
		case only == nil || only.Items == 0 && s.Items > 0:
			only, several = s, false
		case s.Items > 0 || only.Items == 0:
			several = true
		}
	}
	if only == nil || several {
		return Summary{}
	}
	return only.Summary
}

// nameless reports whether no account has a number.
func (a *accounts) nameless() bool {
	for _, s := range a.all {
		if s.Account != "" {
			return false
		}
	}
	return true
}

// called returns how the file writes the number of an account: the number with the same key, else the only one
// that is the same account; otherwise the number itself.
func (a *accounts) called(number string) string {
	found := number
	if a.byNumber[accountKey(number)] != nil || len(a.all) == maxSummaries { // the file may have further ones
		return number
	}
	for _, s := range a.all {
		if !SameAccount(s.Account, number) {
			continue
		}
		if found != number {
			return number
		}
		found = s.Account
	}
	return found
}
