package demo

import (
	"reflect"
	"slices"
	"testing"

	"bordero/finance"
	"bordero/internal/tier"
)

// closing is a month while it is closed: first without a person, then by suggestions.
type closing struct {
	*testing.T
	*Month
	seed     uint64
	open     map[int64]*Line // by transaction
	accounts []finance.Movement
	expected map[int64]*int64 // deposit accounts by account
	rules    []finance.ReconciliationRule

	byItself, suggested int
}

func newClosing(t *testing.T, seed uint64) *closing {
	m := october(seed)
	c := &closing{T: t, Month: m, seed: seed, open: map[int64]*Line{}, expected: map[int64]*int64{},
		rules: m.reconciliationRules()}
	for _, l := range m.Lines {
		c.open[l.Transaction.ID] = l
	}
	for _, f := range slices.Concat(m.Accounts, m.SaleReceivables) {
		c.accounts, c.expected[f.ID] = append(c.accounts, m.owed(f)), f.ExpectedDepositAccountID
	}
	return c
}

// close removes a line and the accounts that it paid.
func (c *closing) close(l *Line) {
	delete(c.open, l.Transaction.ID)
	for _, p := range l.Paid {
		c.accounts = slices.DeleteFunc(c.accounts, func(m finance.Movement) bool { return m.ID == p.Account.ID })
	}
}

func (c *closing) automatic() {
	var transactions, accounts []finance.Candidate
	for _, l := range c.Lines {
		transactions = append(transactions, finance.Candidate{Movement: c.moved(&l.Transaction), Unattended: true})
	}
	for _, m := range c.accounts {
		accounts = append(accounts, finance.Candidate{Movement: m})
	}
	for _, d := range finance.Decide(transactions, accounts, c.rules) {
		c.close(c.open[d.Transaction.ID])
		c.byItself++
	}
}

// suggestions returns the suggestions of one deposit account.
func (c *closing) suggestions(bank int64) []finance.Suggestion {
	var transactions, accounts []finance.Movement
	var elsewhere []finance.Elsewhere
	for _, l := range c.Lines {
		if c.open[l.Transaction.ID] == nil {
			continue
		}
		if t := c.moved(&l.Transaction); t.DepositAccountID == bank {
			transactions = append(transactions, t)
		} else {
			elsewhere = append(elsewhere, finance.Elsewhere{DepositAccountID: t.DepositAccountID,
				OccurredAt: t.OccurredAt, Amount: t.Amount, Count: 1})
		}
	}
	for _, m := range c.accounts {
		if at := c.expected[m.ID]; at == nil || *at == bank {
			accounts = append(accounts, m)
		}
	}
	return finance.Suggest(finance.DefaultLateCharges, c.rules, transactions, accounts, elsewhere)
}

func (c *closing) isTrue(s finance.Suggestion) bool {
	if len(s.TransactionIDs) != 1 {
		return false
	}
	l := c.open[s.TransactionIDs[0]]
	if len(s.NewAccounts) > 0 {
		return l.New != nil
	}
	var paid []int64
	var adjustments []finance.Adjustment
	for _, p := range l.Paid {
		paid = append(paid, p.Account.ID)
		if p.adjusted() {
			p.FinancialAccountID = p.Account.ID
			adjustments = append(adjustments, p.Adjustment)
		}
	}
	slices.Sort(paid)
	return slices.Equal(paid, s.AccountIDs) && reflect.DeepEqual(adjustments, s.Adjustments)
}

// accept accepts the suggestions that are true, as long as there are any, and returns how many were not in the
// last round. No other may be one that the guide says to accept blindly. With onlyBlindly it accepts these alone.
func (c *closing) accept(onlyBlindly bool) (misleading int) {
	for accepted := -1; accepted != c.suggested; {
		accepted, misleading = c.suggested, 0
		for _, b := range c.Banks {
			for _, s := range c.suggestions(b.ID) {
				l, blind := c.open[s.TransactionIDs[0]], s.Score >= finance.BlindScore && s.Rivals == 0
				switch {
				case !blind && onlyBlindly:
				case c.isTrue(s):
					c.close(l)
					c.suggested++
				case blind:
					c.Errorf("seed %d: %s of %v on %v is suggested as %+v", c.seed, *l.Transaction.OriginalDescription,
						l.Transaction.Amount, l.Transaction.OccurredAt, s)
				default:
					misleading++
				}
			}
		}
	}
	return misleading
}

// A suggestion of the score from which the guide says to accept it blindly is true, whatever the month: the
// accounts, and to the cent the adjustments. Little is left for the hand.
func TestNothingOfAMonthIsSuggestedWrongly(t *testing.T) {
	t.Parallel()
	for seed := range tier.Size[uint64](30, 1000) {
		blind := newClosing(t, seed+1)
		blind.accept(true)
		c := newClosing(t, seed+1)
		c.automatic()
		misleading := c.accept(false)
		left := 0
		for _, l := range c.open {
			if l.Other == nil { // transfers have suggestions of their own
				left++
			}
		}
		t.Logf("seed %d: %d lines, %d by itself, %d suggested, %d left, %d that are not true; blindly alone %d",
			c.seed, len(c.Lines), c.byItself, c.suggested, left, misleading, blind.suggested)
		if left > len(c.Lines)/8 {
			t.Errorf("seed %d: %d of %d lines are left", c.seed, left, len(c.Lines))
		}
	}
}
