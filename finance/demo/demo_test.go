package demo

import (
	"slices"
	"testing"

	"bordero/finance"
)

var today, _ = finance.NewDate(2026, 11, 21)

func TestTextsAreComplete(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range finance.DefaultCategories() {
		names = append(names, k.Parent+finance.CategorySeparator+k.Name)
	}
	for _, k := range readKinds() {
		if k.weight < 1 || k.least == 0 || k.most == 0 || (k.least < 0) != (k.most < 0) || k.written == "" {
			t.Errorf("a movement that cannot be: %+v", k)
		}
		if !slices.Contains(names, k.category) {
			t.Errorf("%s: no category that accounts begin with", k.category)
		}
	}
	for _, heading := range []string{"given names", "surnames", "trades", "places", "streets", "cities", "banks",
		"centers", "classifier", "products"} {
		if len(texts[heading]) < 3 {
			t.Errorf("%d %s", len(texts[heading]), heading)
		}
	}
}

func TestRecordsAreValid(t *testing.T) {
	t.Parallel()
	c := NewCompany(1, 200, 3, today)
	c.Classifier.ID = 1
	valid := func(what string, err error) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	valid("entity", c.Entity.Validate())
	for i := range c.People { // an entity accepts the same tax numbers
		e := finance.Entity{
			Name: c.People[i].Name, FederationSubscriptionNumber: c.People[i].FederationSubscriptionNumber}
		valid(e.Name, e.Validate())
		valid(e.Name, c.People[i].Validate())
	}
	for i := range c.Banks {
		valid("deposit account", c.Banks[i].Validate())
	}
	for i, o := range c.Outlets {
		o.Account.EntityID, o.Account.ID = 1, int64(i)+1
		valid(o.Account.Name, o.Account.Validate())
		for i := range o.Rules {
			valid(o.Account.Name, o.Rules[i].Validate())
		}
	}
	for s := range c.Sales(500) {
		valid("sale", s.Validate())
	}
	for m := range c.Movements(500) {
		if m.Transaction.OccurredAt.After(today) {
			t.Errorf("a movement on %v", m.Transaction.OccurredAt)
		}
		if m.Account != nil && *m.Account.TotalAmount != m.Transaction.Amount.Abs() {
			t.Errorf("%v paid by %v", m.Account.TotalAmount, m.Transaction.Amount)
		}
	}
}
