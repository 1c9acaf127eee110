package statement

import (
	"io"
	"slices"

	"bordero/finance"
)

// Routing tells to which of some account numbers the statements of a file belong.
type Routing struct {
	To        []int // of each account of the file, the index of its number; -1 for an account without exactly one
	Unknown   []string
	Ambiguous []Ambiguity
}

// Ambiguity is an account of a file to which several numbers belong.
type Ambiguity struct {
	Account string // as the file writes it
	Numbers []int  // the indexes of these numbers
}

// Accounts are the accounts of a file.
type Accounts struct {
	Numbers []string // as the file first writes them, in its order; "" for items without a number
	named   accounts
}

// ReadAccounts reads the accounts of a file to its end, in memory that does not grow with the file, but for a
// workbook, which may have 16 MiB unpacked. An account counts if the file has items, a balance or a period of it; if
// no account has any, the named ones count. With more than a hundred accounts, accounts without items may be missing.
// With an *Error, which reports a broken file as
// that of Reader.Next does, the accounts are those before the fault. Any other error is the underlying reader's.
func ReadAccounts(file io.Reader) (Accounts, error) {
	format, text, err := detected(file, nil)
	if err != nil {
		return Accounts{}, err
	}
	survey := newSurvey(format, finance.Date{})
	survey.small = true
	next := survey.over(text)
	for err == nil {
		_, err = next()
	}
	if err == io.EOF {
		err = nil
	}
	a := Accounts{named: survey.accounts}
	for _, counts := range []func(Summary) bool{
		func(s Summary) bool { return s.Items > 0 || s.Account != "" && s.Speaks() },
		func(s Summary) bool { return s.Account != "" },
	} {
		for _, s := range a.named.summaries() {
			if counts(s) {
				a.Numbers = append(a.Numbers, s.Account)
			}
		}
		if len(a.Numbers) > 0 {
			break
		}
	}
	return a, err
}

// Route finds the number of each account of the file, as an import into the account of that number does (see
// Reader.AccountOf). A number with the same letters and digits comes before others that are the same by SameAccount.
func (a Accounts) Route(numbers []string) Routing {
	of := map[string][]int{} // by accountKey of the file's account
	for i, number := range numbers {
		key := accountKey(a.named.called(number))
		of[key] = append(of[key], i)
	}
	var r Routing
	for _, account := range a.Numbers {
		found := of[accountKey(account)]
		exact := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !sameKey(numbers[i], account) })
		if len(exact) > 0 {
			found = exact
		}
		to := -1
		switch len(found) {
		case 0:
			r.Unknown = append(r.Unknown, account)
		case 1:
			to = found[0]
		default:
			r.Ambiguous = append(r.Ambiguous, Ambiguity{account, found})
		}
		r.To = append(r.To, to)
	}
	return r
}
