package statement

// maxSummaries bounds the memory for a file that only lists accounts.
const maxSummaries = 100

// accounts collects what a file states about its accounts.
type accounts struct {
	account  string              // the account in effect
	summary  *Summary            // its summary, nil before there is something to note
	byNumber map[string]*Summary // by accountKey
	all      []*Summary
}

// use sets the account in effect.
func (a *accounts) use(account string) {
	a.account, a.summary = account, nil
}

// note returns the summary of the account in effect, for the caller to fill in.
func (a *accounts) note() *Summary {
	if a.summary == nil {
		a.summary = a.mention(a.account)
	}
	return a.summary
}

// mention returns the summary of the account, new if needed. Without room for another account,
// the new summary is not stored and what is noted in it is lost.
func (a *accounts) mention(account string) *Summary {
	key := accountKey(account)
	s := a.byNumber[key]
	if s == nil {
		s = &Summary{Account: account}
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

func (a *accounts) store(key string, s *Summary) {
	if a.byNumber == nil {
		a.byNumber = map[string]*Summary{}
	}
	a.byNumber[key] = s
	a.all = append(a.all, s)
}

func (a *accounts) summaries() []Summary {
	summaries := make([]Summary, len(a.all))
	for i, s := range a.all {
		summaries[i] = *s
	}
	return summaries
}

func (a *accounts) of(account string) Summary {
	if account != "" {
		if s := a.byNumber[accountKey(account)]; s != nil {
			return *s
		}
		return Summary{}
	}
	var only *Summary
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
	return *only
}
