package statement

// maxSummaries bounds what a file of nothing but accounts can make us keep.
const maxSummaries = 100

// accounts notes what a file says of its accounts.
type accounts struct {
	account  string              // in effect
	summary  *Summary            // of it, once there is something to note
	byNumber map[string]*Summary // under the account's number as SameAccount sees it
	all      []*Summary
}

// use makes account the one in effect.
func (a *accounts) use(account string) {
	a.account, a.summary = account, nil
}

// note returns where to note what the file says of the account in effect.
func (a *accounts) note() *Summary {
	if a.summary == nil {
		a.summary = a.mention(a.account)
	}
	return a.summary
}

// mention notes that there is such an account. Where there is no room, what is
// noted of it is lost.
func (a *accounts) mention(account string) *Summary {
	key := accountKey(account)
	s := a.byNumber[key]
	if s == nil {
		s = &Summary{Account: account}
		if len(a.all) < maxSummaries {
			a.keep(key, s)
		}
	}
	return s
}

// count counts an item of the account in effect. One with items takes the place
// of one without.
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
			a.keep(key, s)
			return
		}
	}
}

func (a *accounts) keep(key string, s *Summary) {
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
