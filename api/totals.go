package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/reports"
)

func allTransactions() reports.Family     { return reports.Transactions(0) }
func allCardTransactions() reports.Family { return reports.CardTransactions(0) }
func payableFamily() reports.Family       { return reports.FinancialAccounts(finance.Payable) }
func receivableFamily() reports.Family    { return reports.FinancialAccounts(finance.Receivable) }

// totalsOf counts and sums the records of a list: 200. Without an entity in the path, it sums the lists of all
// entities that the user sees.
func totalsOf(a *API, family func() reports.Family) func(*call) error {
	return func(c *call) error { return a.sendTotals(c, family(), nil) }
}

// totalsOfDepositAccount is totalsOf for the transactions of the deposit account of the path.
func (a *API) totalsOfDepositAccount() func(*call) error {
	return func(c *call) error {
		return a.sendTotals(c, reports.Transactions(c.pathID("deposit_account_id")), checkDepositAccount)
	}
}

// totalsOfCreditCard is totalsOf for the transactions of the card of the path.
func (a *API) totalsOfCreditCard() func(*call) error {
	return func(c *call) error {
		return a.sendTotals(c, reports.CardTransactions(c.pathID("credit_card_id")), checkCreditCard)
	}
}

// sendTotals answers with the totals of a family, read in one snapshot. checkParent may be nil.
func (a *API) sendTotals(c *call, f reports.Family,
	checkParent func(context.Context, storage.Queries, *call) error) error {
	in, err := c.readBody()
	if err != nil {
		return err
	}
	search, err := c.search(in)
	if err != nil {
		return err
	}
	keys, badKeys := c.groupBy(f)
	var invalid finance.Invalid
	for _, fault := range []error{badKeys, f.CheckSearch(search)} {
		if err := invalid.Join(fault); err != nil {
			return err
		}
	}
	var all []reports.Total
	err = c.readReport(invalid, func(tx *storage.Tx, in reports.Scope) (err error) {
		if checkParent != nil {
			if err := checkParent(c.ctx(), tx.Queries, c); err != nil {
				return err
			}
		}
		all, err = reports.Totals(c.ctx(), tx.Queries, in, f, search, keys...)
		return err
	})
	if err != nil {
		return err
	}
	if c.sheet != nil {
		c.unsummed = slices.ContainsFunc(keys, func(k reports.Key) bool { return k.Name == reports.TreeKey }) ||
			slices.ContainsFunc(all, func(t reports.Total) bool { return t.CurrencyID != all[0].CurrencyID })
		return sendSheet(c, "totals", all, func(_ *call, w *wire.Writer, t *reports.Total) {
			if len(t.Keys) != len(keys) || len(t.Sums) != len(f.Sums) { // of a made-up row
				t = &reports.Total{Keys: make([]reports.Value, len(keys)), Sums: make([]finance.Sum, len(f.Sums))}
			}
			showTotal(w, f.Sums, keys, t)
		})
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) { showTotals(w, f.Sums, keys, all) }))
}

// groupBy reads the keys of the groups.
func (c *call) groupBy(f reports.Family) (keys []reports.Key, err error) {
	text, sent := c.getParameter(reports.GroupBy)
	if !sent {
		return nil, nil
	}
	names := strings.Split(text, ",")
	if len(names) > 2 {
		return nil, finance.Refuse(reports.GroupBy, messages.TooManyKeys)
	}
	var invalid finance.Invalid
	known := f.Keys()
	if c.entityID != 0 {
		known = slices.DeleteFunc(known, func(name string) bool { return name == reports.EntityKey })
	}
	for _, name := range names {
		k := reports.Key{Name: strings.TrimSpace(name)}
		if id, is := strings.CutPrefix(k.Name, reports.ClassifierKey); is && id != "" {
			k.Name = reports.ClassifierKey
			n, err := list.ID.Parse(id)
			if err != nil {
				invalid.Add(reports.GroupBy, messages.FaultOf(err))
				continue
			}
			k.Classifier = n.(int64)
		}
		if !slices.Contains(known, k.Name) || k == (reports.Key{Name: reports.ClassifierKey}) {
			invalid.Add(reports.GroupBy, messages.NotOneOf(known))
		}
		keys = append(keys, k)
	}
	if len(keys) == 2 && keyMembers(keys, 0)[0] == keyMembers(keys, 1)[0] {
		invalid.Add(reports.GroupBy, messages.RepeatedKey)
	}
	return keys, invalid.Err()
}

// recordKeys are the names of the members with the id and the name of a record, without their endings.
var recordKeys = map[string]string{
	"category": "category", reports.TreeKey: "category", "person": "person", "center": "classification_center",
	"deposit_account": "deposit_account", reports.EntityKey: "entity",
}

// keyMembers returns the names of the members that show the i-th key.
func keyMembers(keys []reports.Key, i int) []string {
	k := keys[i]
	if record := recordKeys[k.Name]; record != "" {
		members := []string{record + "_id", record + "_name"}
		if record == "category" {
			members = append(members, "category_full_name")
		}
		return members
	}
	switch {
	case k.Name != reports.ClassifierKey:
		return []string{k.Name}
	case i > 0 && keys[i-1].Name == reports.ClassifierKey && keys[i-1] != k:
		return []string{"second_custom_classification_name"}
	}
	return []string{"custom_classification_name"}
}

// showTotals writes one total or, with keys, the total of each group.
func showTotals(w *wire.Writer, sums []string, keys []reports.Key, all []reports.Total) {
	if len(keys) == 0 {
		w.Object("totals", func() { showTotal(w, sums, keys, &all[0]) })
		return
	}
	groups := func() {
		w.List("total", "totals", len(all), func(i int) { showTotal(w, sums, keys, &all[i]) })
	}
	if w.XML() {
		groups()
		return
	}
	w.Document(groups)
}

func showTotal(w *wire.Writer, sums []string, keys []reports.Key, t *reports.Total) {
	for i, k := range keys {
		members, v := keyMembers(keys, i), t.Keys[i]
		missing := v == reports.Value{}
		text := func(name, value string) {
			if missing {
				w.StringPtr(name, nil)
				return
			}
			w.String(name, value)
		}
		switch {
		case len(members) == 1 && k.Name == "status":
			w.Int(members[0], v.ID)
		case len(members) == 1:
			text(members[0], v.Text)
		default:
			id := &v.ID
			if missing {
				id = nil
			}
			w.IntPtr(members[0], id)
			text(members[1], v.Name)
			if len(members) > 2 {
				text(members[2], v.FullName)
			}
		}
	}
	w.Int("count", t.Count)
	for i, name := range sums {
		wire.Decimal(w, name, t.Sums[i])
	}
}

// totalOfGroup describes the total of one group in the OpenAPI document, with all keys.
func totalOfGroup(name string, f reports.Family) openapi.Record {
	var keys []reports.Key
	for _, name := range f.Keys() {
		switch name {
		case reports.TreeKey: // it has the members of category
		case reports.ClassifierKey:
			keys = append(keys, reports.Key{Name: name, Classifier: 1}, reports.Key{Name: name, Classifier: 2})
		default:
			keys = append(keys, reports.Key{Name: name})
		}
	}
	return describedTotal(name, "total", f, keys, reports.Value{ID: 1, Text: "2026-08", Name: "a", FullName: "a"})
}

// totalOfAll describes the total of a whole list in the OpenAPI document.
func totalOfAll(name string, f reports.Family) openapi.Record {
	return describedTotal(name, "totals", f, nil, reports.Value{})
}

func describedTotal(name, root string, f reports.Family, keys []reports.Key, v reports.Value) openapi.Record {
	write := func(keys []reports.Key, v reports.Value) func(*wire.Writer) {
		return func(w *wire.Writer) {
			showTotal(w, f.Sums, keys, &reports.Total{Sums: make([]finance.Sum, len(f.Sums)),
				Keys: slices.Repeat([]reports.Value{v}, len(keys))})
		}
	}
	recorded := func(format wire.Format) *wire.Schema {
		return wire.Recorded(format, write(keys, v), write(keys, reports.Value{}), write(nil, v))
	}
	return openapi.Record{Name: name, Root: root, Plural: "totals", Fields: totalFields,
		JSON: recorded(wire.JSON), XML: recorded(wire.XML)}
}

var totalFields = openapi.Fields{
	"count": {
		Doc: "The number of records. A record that is split among groups counts in each.",
	},
	"status":                     {Doc: "The status of the records, as in their list."},
	"category_id":                {Doc: "The category; null for the records without one."},
	"category_name":              {Doc: "The name of the category."},
	"category_full_name":         {Doc: "The name of the category after the names of the categories above it."},
	"person_id":                  {Doc: "The person; null for the records without one."},
	"person_name":                {Doc: "The name of the person."},
	"classification_center_id":   {Doc: "The center; null for the part of the sums without one."},
	"classification_center_name": {Doc: "The name of the center."},
	"custom_classification_name": {
		Doc: "The value of the classifier; null for the part of the sums without one.",
	},
	"deposit_account_id": {
		Doc: "The deposit account, of payable and receivable accounts the expected one.",
	},
	"deposit_account_name": {Doc: "The name of the deposit account."},
	"entity_id":            {Doc: "The entity."},
	"entity_name":          {Doc: "The name of the entity."},
	"month":                {Doc: "The month: of the day or, of accounts, of the due date.", Example: "2026-08"},
	"competency_month":     {Doc: "The month in which the records count.", Example: "2026-08"},
	"credits":              {Doc: "The sum of the credits.", Example: "1500.0"},
	"debits":               {Doc: "The sum of the debits, negative.", Example: "-151.0"},
	"sum":                  {Doc: "The sum of the amounts, debits negative.", Example: "1349.0"},
	"amount":               {Doc: "The sum of the amounts.", Example: "1500.0"},
	"total_amount":         {Doc: "The sum of the total amounts.", Example: "1510.0"},
	"due_amount": {
		Doc:     "What is due for the open accounts: amount, fine and interest, less discount.",
		Example: "1510.0",
	},
	"nominal_amount":    {Doc: "The sum of the nominal amounts.", Example: "199.0"},
	"net_amount":        {Doc: "The sum of the totals less taxes.", Example: "199.0"},
	"receivable_amount": {Doc: "The sum of the receivable amounts of priced sales.", Example: "194.02"},
	"second_custom_classification_name": {
		Doc: "The value of the second of two classifiers.",
	},
}
