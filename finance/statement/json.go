package statement

import (
	"bytes"
	"cmp"
	"io"
	"strings"
	"time"

	"bordero/finance"
	"bordero/finance/memo"
	"bordero/internal/messages"
)

// jsonFile reads a file of JSON: one array of items, pages of them ({"results": […]} or {"data": […]}), or items one
// behind the other, as in JSON lines. The members of an item tell its dialect.
type jsonFile struct {
	*pass
	jsonText
	place jsonPlace
	first bool // no item has begun in the array

	line0  int // where the item begins
	fields [jsonFields]jsonValue
	owner  string // the account's id in the items so far
	desc   []byte
}

type jsonPlace int

const (
	betweenValues jsonPlace = iota
	inArray
	inArrayOfPage
	inPage
)

// jsonValue is the value of a member. The zero value is that of a missing member, or of null.
type jsonValue struct {
	kind byte   // its first character: '"', '{', '[', 't', 'f', '0' of a number, 'n'; 0 if it is missing
	text []byte // of a string or a number
	more bool   // the string is longer than text
	line int
}

func newJSON(text io.Reader, p *pass) *jsonFile {
	return &jsonFile{pass: p, jsonText: newJSONText(text)}
}

// next returns the next item, without texts in the survey; its errors are those of Reader.Next.
func (j *jsonFile) next() (Item, error) {
	for {
		switch j.place {
		case betweenValues:
			c, err := j.peek()
			if err != nil {
				return Item{}, err
			}
			switch c {
			case '[':
				j.pos++
				j.place, j.first, j.says = inArray, true, true
			case '{':
				item, ended, err := j.object(true)
				if ended || err != nil {
					return item, err
				}
			default:
				return Item{}, j.unexpected("{, [")
			}
		case inPage:
			if ended, err := j.members(nil, true, false, 1); err != nil {
				return Item{}, err
			} else if ended {
				j.place = betweenValues
			}
		default:
			more, err := j.more(j.first, ']')
			if err != nil {
				return Item{}, err
			}
			if !more {
				j.place = map[jsonPlace]jsonPlace{inArray: betweenValues, inArrayOfPage: inPage}[j.place]
				continue
			}
			j.first = false
			if c, err := j.peek(); err != nil {
				return Item{}, j.ended(err, "]")
			} else if c != '{' {
				return Item{}, j.unexpected("{")
			}
			item, _, err := j.object(false)
			return item, err
		}
	}
}

// object reads an object that is an item, or a page if it is no element of an array: then it stops inside the array
// of the page, and ended is false.
func (j *jsonFile) object(top bool) (item Item, ended bool, err error) {
	for i := range j.fields {
		j.fields[i] = jsonValue{text: j.fields[i].text[:0]}
	}
	j.line0 = j.jsonText.line
	j.pos++
	if ended, err = j.members(itemMembers, top, true, 1); err != nil || !ended {
		return Item{}, false, err
	}
	j.says = true
	item, err = j.finish()
	j.items++
	return item, true, err
}

// members reads the members of an object up to its end, or up to the array of a page.
func (j *jsonFile) members(known jsonMembers, top, first bool, depth int) (ended bool, err error) {
	for ; ; first = false {
		more, err := j.more(first, '}')
		if err != nil || !more {
			return err == nil, err
		}
		name, err := j.name()
		if err != nil {
			return false, err
		}
		m := known[string(name)]
		if isPage := top && (string(name) == "results" || string(name) == "data"); isPage {
			if c, err := j.peek(); err == nil && c == '[' {
				j.pos++
				j.place, j.first, j.says = inArrayOfPage, true, true
				return false, nil
			}
		}
		if m == nil {
			err = j.skip(depth)
		} else {
			err = j.value(m, depth)
		}
		if err != nil {
			return false, err
		}
	}
}

// value reads the value of a member of an item.
func (j *jsonFile) value(m *jsonMember, depth int) error {
	c, err := j.peek()
	if err != nil {
		return j.ended(err, "}")
	}
	if m.members != nil && c == '{' {
		if m.field != noField {
			j.fields[m.field].kind = c
		}
		j.pos++
		_, err := j.members(m.members, false, true, depth+1)
		return err
	}
	if m.field == noField {
		return j.skip(depth)
	}
	v := &j.fields[m.field]
	if v.kind != 0 {
		return j.fault(messages.JSONTwicef, m.field)
	}
	v.kind, v.line = c, j.jsonText.line
	switch {
	case c == '"':
		v.text, v.more, err = j.text(v.text, maxValue)
		return err
	case c == '-' || '0' <= c && c <= '9':
		v.kind = '0'
		v.text, err = j.number(v.text)
		return err
	case c == 'n':
		v.kind = 0
	}
	return j.skip(depth)
}

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
	if j.rules == nil {
		return Item{}, nil
	}
	d := j.dialect()
	if d == nil {
		return Item{}, j.fault(messages.JSONNoDay)
	}
	item := Item{Line: j.line0, Account: j.account, Card: j.isCard()}
	item.Day, err = j.day(d)
	if err == nil {
		item.Amount, err = j.amount(d)
	}
	item.AmountLine = max(item.Line, j.fields[d.amount].line)
	if err == nil {
		item.Pending, err = j.pending(d)
	}
	for _, t := range []struct {
		into   *string
		fields []jsonField
	}{
		{&item.FITID, d.id}, {&item.Document, d.document}, {&item.Currency, d.currency},
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

// day reads the day of the item. A moment has the day that it is in the zone of the pass.
func (j *jsonFile) day(d *jsonDialect) (finance.Date, error) {
	f := j.given(d.day)
	v := &j.fields[f]
	if v.kind != '"' {
		return finance.Date{}, j.fault(messages.JSONKindf, f, messages.JSONDay)
	}
	day, ok := parseMoment(v.text, j.zone)
	if !ok {
		return day, j.fault(messages.JSONDatef, f, v.text)
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

// amount reads the amount of the item, with the sign that its direction stands for.
func (j *jsonFile) amount(d *jsonDialect) (string, error) {
	f := d.amount
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
// offset is local.
func parseMoment(text []byte, zone *time.Location) (finance.Date, bool) {
	if len(text) < 10 || len(text) > 40 {
		return finance.Date{}, false
	}
	day, err := finance.ParseDate(string(text[:10]))
	if err != nil {
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
		return finance.DateOf(moment.In(cmp.Or(zone, time.UTC))), true
	}
	_, err = time.Parse("2006-01-02T15:04:05", written)
	return day, err == nil
}
