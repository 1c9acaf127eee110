package statement

import (
	"bytes"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
)

// chain checks the balances in the rows of a table: each is the one before plus the amounts between them. Tables begin
// with the oldest row, or with the newest one, so both directions are followed.
type chain struct {
	down, up    link
	first, last finance.Date // of the rows, in the order of the file
	closes      finance.Date // the day that the last closing balance is of
	closing     maybe
}

// link follows the balances in one direction. Its sum may exceed the range of amounts: sums that wrap are equal
// still.
type link struct {
	sum    maybe // the balance that is due
	breaks int64
	end    maybe // the balance at the end of the statement
	on     finance.Date
}

// meet compares a balance with the one that is due.
func (l *link) meet(balance finance.Amount) {
	if l.sum.ok && l.sum.Amount != balance {
		l.breaks++
	}
	l.sum = maybe{balance, true}
}

// follow follows the amount and the balance of a row.
func (t *table) follow(day finance.Date, amount, balance maybe) {
	c := &t.chain
	if c.first.IsZero() {
		c.first = day
	}
	c.last = day
	if t.columns.closing && balance.ok { // of the day, in each of its rows
		c.followDay(day, amount, balance)
	} else {
		c.follow(day, amount, balance)
	}
	if amount.Amount > 0 && amount.ok {
		t.sums.credits += amount.Amount
	} else if amount.ok {
		t.sums.debits += amount.Amount
	}
}

func (c *chain) follow(day finance.Date, amount, balance maybe) {
	if amount.ok {
		c.down.sum.Amount += amount.Amount
	}
	if balance.ok {
		c.down.meet(balance.Amount)
		c.down.end, c.down.on = balance, day
		c.up.meet(balance.Amount)
		if !c.up.end.ok && c.up.on != day {
			c.up.end, c.up.on = balance, day
		}
	} else {
		c.beside(day)
	}
	if amount.ok {
		c.up.sum.Amount -= amount.Amount
	}
}

// beside is a row without a balance: a balance of its day that comes before it in time is not that of its end.
func (c *chain) beside(day finance.Date) {
	if c.down.on == day {
		c.down.end.ok = false
	}
	if !c.up.end.ok {
		c.up.on = day
	}
}

// followDay follows a balance of the end of its day.
func (c *chain) followDay(day finance.Date, amount, balance maybe) {
	if day != c.closes {
		if c.closing.ok {
			c.down.meet(c.closing.Amount)
		}
		c.up.meet(balance.Amount)
		c.closes, c.closing = day, balance
	}
	c.down.sum.Amount += amount.Amount
	c.up.sum.Amount -= amount.Amount
	c.down.end, c.down.on = balance, day
	if c.up.on.IsZero() {
		c.up.end, c.up.on = balance, day
	}
}

// end returns the link of the file's direction.
func (c *chain) end() link {
	if c.closing.ok {
		c.down.meet(c.closing.Amount)
	}
	switch {
	case c.first.After(c.last), c.first == c.last && c.up.breaks < c.down.breaks:
		return c.up
	case c.first == c.last && c.up.breaks == c.down.breaks && c.up.end != c.down.end: // it begins with either
		c.down.end.ok = false
	}
	return c.down
}

// closeChain ends the rows of an account: the balance at their end is that of the statement.
func (t *table) closeChain() {
	end := t.chain.end()
	t.broken += end.breaks
	t.chain, t.sums = chain{}, totals{}
	if s := t.note(); end.end.ok && !end.on.IsZero() &&
		(s.LedgerBalanceOn == nil || !end.on.Before(*s.LedgerBalanceOn)) {
		s.LedgerBalance, s.LedgerBalanceOn = &end.end.Amount, &end.on
	}
}

// totals are the sums of the credits and debits so far.
type totals struct{ credits, debits finance.Amount }

// readTotal compares the sums of the rows with those that the file states below them.
func (t *table) readTotal(cells [][]byte) error {
	if t.rules == nil {
		return nil
	}
	for _, i := range t.columns.money {
		stated, _, err := t.money(i, cellAt(cells, i))
		if err != nil {
			return err
		}
		sum := t.sums.credits
		switch t.columns.roles[i] {
		case creditRole:
		case debitRole:
			sum, stated.Amount = t.sums.debits, min(stated.Amount, -stated.Amount)
		default:
			continue
		}
		if stated.ok && stated.Amount != sum {
			return t.fault(i, messages.WrongTotalf, stated.Amount.Brazilian(), sum.Brazilian())
		}
	}
	return nil
}

// stated are the balances that a table of Mercado Pago states above its header, in a row of four amounts.
type stated struct {
	separator byte // of the names, in the row before; 0 if that is another one
	closing   maybe
}

// state reads a row above the header. The opening balance begins the chain.
func (t *table) state(text []byte) {
	separator := t.stated.separator
	t.stated.separator = 0
	for _, c := range []byte(";,\t") {
		if foldedRow(strings.Split(string(text), string(c))) == "INITIALBALANCE;CREDITS;DEBITS;FINALBALANCE" {
			t.stated.separator = c
		}
	}
	if separator == 0 || t.rules == nil {
		return
	}
	opening, closing := t.statedBalances(text, separator)
	if opening.ok && closing.ok {
		t.chain.down.sum, t.stated.closing = opening, closing
	}
}

func (t *table) statedBalances(text []byte, separator byte) (opening, closing maybe) {
	cells := bytes.Split(text, []byte{separator})
	for i, cell := range cells {
		m, ok := parseMoney(nil, trimmed(cell))
		value, err := m.amount(t.rules.decimalComma)
		switch {
		case !ok || err != nil || len(cells) != 4:
			return maybe{}, maybe{}
		case i == 0:
			opening = maybe{value, true}
		case i == 3:
			closing = maybe{value, true}
		}
	}
	return opening, closing
}

// atStatedEnd refuses a table that ends with another balance than the one stated above it.
func (t *table) atStatedEnd() error {
	end := t.chain.down.sum
	if t.stated.closing.ok && end.ok && t.stated.closing != end {
		return t.refuse(messages.WrongEndf, t.stated.closing.Amount.Brazilian(), end.Amount.Brazilian())
	}
	return nil
}

// brokenBalances notes balances of tables that do not follow from the one before.
func (p *pass) brokenBalances() []Note {
	if p.broken == 0 {
		return nil
	}
	return []Note{{BrokenBalances, p.broken}}
}
