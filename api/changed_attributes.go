package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"bordero/finance"
	"bordero/internal/wire"
)

// rendered returns the members of a record in JSON, for changedAttributes.
func (r resource[T]) rendered(c *call, t *T) []byte {
	return rendered(c.api.Zone, func(w *wire.Writer) { r.show(c, w, t) })
}

func rendered(zone *time.Location, show func(*wire.Writer)) []byte {
	w := wire.NewWriter(wire.JSON, zone)
	defer w.Free()
	w.Document(func() { show(w) })
	return bytes.Clone(w.Bytes())
}

// StatementChanges returns the attributes of a bank statement that differ, in the form of
// changedAttributes. The worker that imports the statement calls it.
func StatementChanges(zone *time.Location, before, after *finance.BankStatement) string {
	of := func(b *finance.BankStatement) []byte {
		return rendered(zone, func(w *wire.Writer) { showBankStatement(nil, w, b) })
	}
	_, changed := changedAttributes(of(before), of(after))
	return changed
}

// unchanging are the members of a record that changes do not report: secrets, and members that
// follow from others.
var unchanging = []string{"id", "updated_at", "links", "_links", "secret"}

// changedAttributes returns the id of a record and, as JSON, the attributes that an update changed,
// with both values: {"name": ["A", "B"]}. It returns "" if no attribute differs, or if the record
// before the update is unknown.
func changedAttributes(before, after []byte) (id int64, changed string) {
	if before == nil {
		return 0, ""
	}
	old, now := membersOf(before), membersOf(after)
	values := make(map[string]json.RawMessage, len(old))
	for _, m := range old {
		values[m.name] = m.value
	}
	b := []byte{'{'}
	for _, m := range now {
		if m.name == "id" {
			_ = json.Unmarshal(m.value, &id)
		}
		was, known := values[m.name]
		if slices.Contains(unchanging, m.name) || bytes.Equal(was, m.value) {
			continue
		}
		if !known {
			was = json.RawMessage("null")
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), m.name...), `":[`...)
		b = append(append(b, was...), ',')
		b = append(append(b, m.value...), ']')
	}
	if len(b) == 1 {
		return id, ""
	}
	return id, string(append(b, '}'))
}

type attribute struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object that the API wrote, in their order.
func membersOf(object []byte) (all []attribute) {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token()
	for d.More() {
		name, _ := d.Token()
		var m attribute
		m.name = name.(string)
		_ = d.Decode(&m.value)
		all = append(all, m)
	}
	return all
}
