package statement

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"bordero/finance"
	"bordero/finance/memo"
	"bordero/internal/messages"
)

// finish returns the item of the fields.
func (j *jsonFile) finish() (Item, error) {
	account, err := j.accountOf()
	if err != nil {
		return Item{}, err
	}
	if account != j.account {
		j.use(account)
	}
	j.count()
	d := j.dialect()
	day, undated := j.day(d)
	if j.rules == nil {
		j.dates.saw(day, undated)
		return Item{}, nil
	}
	item := Item{Line: j.line0, AmountLine: j.line0, Account: j.account, Card: j.isCard(), Day: day}
	if undated != nil { // the survey has found other dates
		return item, nil
	}
	amount, currency := d.amount, d.currency
	if d.inAccount != noField && j.fields[d.inAccount].kind == '0' {
		amount, currency = d.inAccount, nil
	}
	item.Amount, err = j.amount(d, amount)
	item.AmountLine = max(item.Line, j.fields[amount].line)
	if err == nil {
		item.Pending, err = j.pending(d)
	}
	for _, t := range []struct {
		into   *string
		fields []jsonField
	}{
		{&item.FITID, d.id}, {&item.Document, d.document}, {&item.Currency, currency},
		{&item.Payment.TxID, []jsonField{txIDField}}, {&item.Payment.EndToEndID, []jsonField{endToEndField}},
	} {
		if err == nil {
			*t.into, err = j.code(t.fields)
		}
	}
	if err == nil {
		item.Description, err = j.description(d)
	}
	if err == nil {
		err = j.counterpart(d, &item)
	}
	return item, err
}

// accountOf returns the number of the item's account, if the item gives it. A file may have the items of several
// accounts only if it gives their numbers.
func (j *jsonFile) accountOf() (string, error) {
	if number, err := j.code([]jsonField{accountNumberField}); number != "" || err != nil {
		return number, err
	}
	for _, f := range []jsonField{accountIDField, accountField} {
		id := j.fields[f].text
		if len(id) == 0 {
			continue
		}
		if j.owner == "" {
			j.owner = string(id)
		}
		if string(id) != j.owner {
			return "", j.fault(messages.JSONAccountsf, f, id, j.owner)
		}
		break
	}
	return "", nil
}

// isCard reports whether the item is of a credit card.
func (j *jsonFile) isCard() bool {
	if j.fields[cardField].kind == '{' {
		return true
	}
	kind := string(bytes.ToUpper(j.fields[accountCategoryField].text))
	return kind == "CREDIT_CARD" || kind == "CREDIT CARD"
}

// dialect returns the dialect of the item by its members; nil without a date.
func (j *jsonFile) dialect() *jsonDialect {
	for i := range jsonDialects {
		for _, f := range jsonDialects[i].day {
			if j.fields[f].kind != 0 {
				return &jsonDialects[i]
			}
		}
	}
	return nil
}

// day reads the day of the item. A moment has the day that it is in the zone of the pass. The error names the member
// whose date is missing or cannot be read.
func (j *jsonFile) day(d *jsonDialect) (finance.Date, error) {
	if d == nil {
		return finance.Date{}, j.fault(messages.JSONNoDay)
	}
	f := j.given(d.day)
	v := &j.fields[f]
	if v.kind != '"' {
		return finance.Date{}, j.fault(messages.JSONKindf, f, messages.JSONDay)
	}
	day, ok := parseMoment(v.text, j.zone)
	if !ok { // the day may be readable without the time
		return finance.Date{}, j.fault(messages.JSONDatef, f, v.text)
	}
	return day, nil
}

// given returns the first of the fields that the item has, or the first one.
func (j *jsonFile) given(fields []jsonField) jsonField {
	for _, f := range fields {
		if j.fields[f].kind != 0 {
			return f
		}
	}
	return fields[0]
}

// amount reads the field f as the amount of the item, with the sign that its direction stands for.
func (j *jsonFile) amount(d *jsonDialect, f jsonField) (string, error) {
	v := &j.fields[f]
	switch {
	case v.kind == 0:
		return "", j.fault(messages.JSONMissingf, f)
	case v.kind != '0' && v.kind != '"':
		return "", j.fault(messages.JSONKindf, f, messages.JSONValue)
	case !isJSONNumber(v.text) || bytes.ContainsAny(v.text, "eE"):
		return "", j.fault(messages.JSONAmountf, f, v.text, messages.NotANumber)
	}
	if _, err := parseAmount(string(v.text)); err != nil {
		return "", j.fault(messages.JSONAmountf, f, v.text, err)
	}
	if d.directions == nil {
		return string(v.text), nil
	}
	of, ok := d.directions[string(j.fields[d.direction].text)]
	if !ok {
		return "", j.fault(messages.JSONChoicef, d.direction, j.fields[d.direction].text, d.choices)
	}
	digits, negative := bytes.CutPrefix(v.text, []byte("-"))
	switch {
	case negative && d.unsigned:
		return "", j.fault(messages.JSONSignedf, f, v.text, d.direction)
	case of == debit:
		return "-" + string(digits), nil
	}
	return string(digits), nil
}

// pending reports whether the bank has not booked the item.
func (j *jsonFile) pending(d *jsonDialect) (bool, error) {
	v := &j.fields[d.status]
	if v.kind == 0 && d.statuses[""] != "" {
		return false, nil
	}
	status := d.statuses[string(v.text)]
	if v.kind != '"' || status == "" {
		return false, j.fault(messages.JSONChoicef, d.status, v.text, d.statusChoices)
	}
	return status == "pending", nil
}

// code returns the first of some fields that is not empty, as an id or a code of at most maxNumber bytes.
func (j *jsonFile) code(fields []jsonField) (string, error) {
	for _, f := range fields {
		v := &j.fields[f]
		switch {
		case v.kind == 0:
			continue
		case v.kind != '"' && v.kind != '0':
			return "", j.fault(messages.JSONKindf, f, messages.JSONText)
		}
		if text := bankNumber(v.clean(nil)); text != "" {
			return text, nil
		}
	}
	return "", nil
}

// clean appends the text of the value to dst, as a text of an Item.
func (v *jsonValue) clean(dst []byte) []byte {
	text := v.text
	if v.more {
		text = append(wholeRunes(text), "&hellip;"...)
	}
	if text = trimmed(text); plain(text) {
		return append(dst, text...)
	}
	return clean(dst, text)
}

// description joins the texts of the item.
func (j *jsonFile) description(d *jsonDialect) (string, error) {
	f := j.given(d.text)
	if kind := j.fields[f].kind; kind != 0 && kind != '"' {
		return "", j.fault(messages.JSONKindf, f, messages.JSONText)
	}
	j.desc = j.fields[f].clean(j.desc[:0])
	if d.more == noField || j.fields[d.more].kind != '"' {
		return string(j.desc), nil
	}
	return describe(j.desc, j.fields[d.more].clean(nil)), nil
}

// counterpart reads the other side of the payment: who was paid by a debit, or paid a credit.
func (j *jsonFile) counterpart(d *jsonDialect, item *Item) (err error) {
	names, documents := d.payer, d.payerDocument
	if strings.HasPrefix(item.Amount, "-") {
		names, documents = d.receiver, d.receiverDocument
	}
	p := &item.Payment
	if p.CounterpartName, err = j.code(names); err == nil {
		p.CounterpartDocument, err = j.code(documents)
	}
	if *p != (memo.Payment{}) {
		*p = memo.Given(*p)
	}
	return err
}

// parseMoment reads a day, or a moment of RFC 3339, which gets the day that it is in the zone. A moment without an
// offset is local. 0001-01-01, which .NET sends for a date that was not set, is no day; in the zone of a moment it may
// be one of the year 0.
func parseMoment(text []byte, zone *time.Location) (finance.Date, bool) {
	if len(text) < 10 || len(text) > 40 {
		return finance.Date{}, false
	}
	day, err := finance.ParseDate(string(text[:10]))
	if err != nil || day.IsZero() {
		return day, false
	}
	if len(text) == 10 {
		return day, true
	}
	if text[10] != 'T' && text[10] != ' ' {
		return day, false
	}
	written := string(text[:10]) + "T" + string(text[11:])
	if moment, err := time.Parse(time.RFC3339, written); err == nil {
		day, ok := finance.NewDate(moment.In(cmp.Or(zone, time.UTC)).Date())
		return day, ok && !day.IsZero()
	}
	_, err = time.Parse("2006-01-02T15:04:05", written)
	return day, err == nil
}
