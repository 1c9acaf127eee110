package statement

import (
	"bytes"
	"strings"

	"bordero/internal/messages"
)

// item begins the item of a row, and returns the one before.
func (t *table) item(cells [][]byte, date []byte) (before Item, ok bool, err error) {
	before, ok = t.take()
	if number := t.cell(cells, accountRole); len(number) > 0 && string(number) != t.number {
		t.number = string(number)
		t.change(string(appendClean(nil, number)))
	}
	t.notes = 0
	t.waiting, t.waits = Item{Line: t.row(), AmountLine: t.row(), Account: t.account, Card: t.columns.card}, true
	if t.rules == nil {
		t.count()
		return before, ok, t.survey(cells, date)
	}
	err = t.fill(&t.waiting, cells, date)
	if t.waits = !t.waiting.Balance || !t.waiting.Day.IsZero(); t.waits { // else the opening balance, without a date
		t.count()
	}
	return before, ok, err
}

// take returns the item that waits, if any.
func (t *table) take() (Item, bool) {
	ok := t.waits
	t.waits = false
	return t.waiting, ok
}

// change sets the account in effect, at the end of another one's rows.
func (t *table) change(number string) {
	if t.rules != nil {
		t.closeChain()
	}
	t.use(number)
}

// survey records how a row writes its date and its amounts.
func (t *table) survey(cells [][]byte, date []byte) error {
	switch day, isSerial := serial(date, t.dayZero()); {
	case isSerial:
		t.cells.serial.set(t.row(), "", date)
		t.dates.see([]byte(day), t.row())
	case !isZeroDate(date):
		if mayBeDate(date) {
			t.cells.written.set(t.row(), "", date)
		}
		t.dates.see(date, t.row())
	}
	t.cells.ends.next(t.rowEnd(cells))
	for _, i := range t.columns.money {
		cell := cellAt(cells, i)
		m, ok := parseMoney(t.text[:0], cell)
		if !ok {
			return t.fault(i, messages.BadAmountf, cell, messages.NotANumber)
		}
		t.text = m.number
		if i == len(cells)-1 && !bytes.ContainsAny(cell, "Ee") {
			t.cells.ends.amount(m)
		}
		if seen := t.cells.see(m.number); seen != nil {
			seen.set(t.row(), t.prefix()+t.place(i, t.titles[i]), cell)
		}
	}
	return nil
}

// fill reads the row of an item.
func (t *table) fill(it *Item, cells [][]byte, date []byte) error {
	t.describe(it, cells)
	if it.Balance && (!mayBeDate(date) || isZeroDate(date)) { // between two days
		it.Day = t.day
	} else {
		if day, isSerial := serial(date, t.dayZero()); isSerial {
			date = []byte(day)
		}
		it.Day = t.readDay(date)
		t.day = it.Day
	}
	t.unsigned = t.undirected(it, cells)
	amount, balance, err := t.amounts(cells)
	if err != nil {
		return err
	}
	if it.Balance { // the balance may be in the column of amounts
		if !balance.ok {
			balance = amount
		}
		amount = balance
	}
	if amount.ok {
		it.Amount = amount.Amount.String()
	}
	if it.Balance {
		amount.ok = false
	}
	t.follow(it.Day, amount, balance)
	return nil
}

// shortened returns a text of at most maxValue bytes, or its beginning and "…".
func shortened(text []byte) []byte {
	if len(text) > maxValue {
		text = append(bytes.TrimRight(wholeRunes(text[:maxValue]), " "), "…"...)
	}
	return text
}

// describe sets the texts of an item, and marks the item as a balance if its texts say so.
func (t *table) describe(it *Item, cells [][]byte) {
	t.text = t.text[:0]
	for _, i := range t.columns.texts {
		cell := cellAt(cells, i)
		from := len(t.text)
		if from > 0 && len(cell) > 0 {
			t.text = append(t.text, ' ')
		}
		t.text = appendClean(t.text, cell)
		if from > 0 && len(t.text) > from && bytes.Equal(t.text[:from], t.text[from+1:]) { // said twice
			t.text = t.text[:from]
		}
	}
	if cell := t.cell(cells, instalmentRole); len(cell) > 0 {
		if mark := Instalment(string(cell)); mark != "" {
			t.text = append(append(t.text, ' '), mark...)
		}
	}
	t.text = bytes.Trim(t.text, " ")
	it.Description = string(shortened(t.text))
	it.Balance = isBalance(it.Description) || strings.HasPrefix(it.Description, "COD. LANC. 0")
	it.FITID = bankNumber(appendClean(nil, t.cell(cells, idRole)))
	if document := t.cell(cells, documentRole); len(bytes.Trim(document, "0")) > 0 {
		it.Document = bankNumber(appendClean(nil, document))
	}
}
