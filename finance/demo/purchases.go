package demo

import (
	"iter"
	"math/rand/v2"

	"bordero/finance"
)

// Purchases generates recent purchases with the card, some of them in installments. The value yielded is valid until
// the next one.
func (c *Company) Purchases() iter.Seq[*finance.CreditCardTransaction] {
	return func(yield func(*finance.CreditCardTransaction) bool) {
		r := c.random("purchases")
		for i := range 24 {
			t := c.purchase(r, c.today().AddDays(2*i-48))
			if i%6 == 0 {
				parcels := int64(3)
				t.NumberOfParcels = &parcels
			}
			if !yield(&t) {
				return
			}
		}
	}
}

// purchase generates a purchase of the day.
func (c *Company) purchase(r *rand.Rand, day finance.Date) finance.CreditCardTransaction {
	k := pickWeighted(r, c.kinds, func(k kind) int {
		if k.bill && k.most < 0 {
			return k.weight
		}
		return 0
	})
	t := finance.CreditCardTransaction{
		AccountID: c.Entity.AccountID, CreditCardID: c.Card.ID, Amount: -between(r, k.least, k.most), OccurredAt: day,
		Description: &k.about,
	}
	t.CategoryID, t.PersonID = c.category(k.category), &c.People[c.somebody(r, true)].ID
	if r.IntN(3) > 0 {
		t.ClassificationCenterID = c.center(r, true)
	}
	t.CustomClassifications = c.classified(r, 3, t.Amount)
	return t
}
