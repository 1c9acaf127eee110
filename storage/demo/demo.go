// Package demo fills an account with the books of a made-up company. It is apart from storage
// because it copies rows into many tables at once, past the rules that requests obey.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"bordero/finance"
	books "bordero/finance/demo"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/cards"
)

// Options specify the books that Fill generates.
type Options struct {
	AccountID           int64
	Sales, Transactions int
	Seed                uint64
	Today               finance.Date
}

// Filled reports the number of records that Fill stored.
type Filled struct {
	AccountID             int64 `json:"account_id"`
	EntityID              int64 `json:"entity_id"`
	People                int   `json:"people"`
	FinancialTransactions int   `json:"financial_transactions"`
	FinancialAccounts     int   `json:"financial_accounts"`
	Reconciles            int   `json:"reconciles"`
	Sales                 int   `json:"sales"`
	Rows                  int   `json:"rows"` // copied rows, without reconciliations
}

// Fill adds an entity with the books of a generated company to an account, in one
// transaction. A second call adds another company. A missing account is storage.ErrNotFound. Fill
// calls step after each chunk with the kind of record, the number stored, and the total. The
// end of ctx cancels it between two rows.
func Fill(ctx context.Context, s *storage.Store, o Options, step func(what string, stored, of int)) (filled Filled,
	err error) {
	// As in storage.Stage: a COPY must not be rolled back from another goroutine.
	err = s.InTx(context.WithoutCancel(ctx), func(tx *storage.Tx) error {
		f := newLoader(ctx, tx, o, books.NewCompany(o.AccountID, min(40+(o.Sales+o.Transactions)/200, 5000), o.Seed,
			o.Today), step)
		if err := f.fill(context.WithoutCancel(ctx), f.company, f.outlets, f.card(f.c.Purchases()), f.movements,
			f.open, f.sales, f.settle); err != nil {
			return err
		}
		filled = f.stats
		return nil
	})
	return filled, err
}

// chunkSize is the number of records copied at once. PostgreSQL remembers each of them until
// the end of the COPY, to check its foreign keys.
const chunkSize = 50_000

// loader is one call of Fill.
type loader struct {
	ctx     context.Context // of the caller; checked between two rows
	tx      *storage.Tx
	options Options
	stats   Filled
	c       *books.Company
	step    func(what string, stored, of int)

	gathering map[gatheringKey]int64 // receivable accounts of sales
	ordinals  map[ordinalKey]int     // items of the current day
	day       finance.Date
	numbers   map[int64]int // items by statement
}

type gatheringKey struct {
	saleAccount int64
	day         finance.Date
}

type ordinalKey struct {
	depositAccount int64
	amount         finance.Amount
}

func newLoader(ctx context.Context, tx *storage.Tx, o Options, c *books.Company,
	step func(what string, stored, of int)) *loader {
	return &loader{
		ctx: ctx, tx: tx, step: step, options: o, c: c, gathering: map[gatheringKey]int64{},
		ordinals: map[ordinalKey]int{}, numbers: map[int64]int{},
	}
}

// fill stores the parts of the books of an account that exists.
func (f *loader) fill(ctx context.Context, parts ...func(context.Context) error) error {
	if _, err := db.One[int64](ctx, f.tx.DB, `SELECT id FROM accounts WHERE id = $1`, f.options.AccountID); err != nil {
		return err
	}
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return f.tx.EmitLoaded(ctx, storage.Scope{AccountID: f.c.Entity.AccountID, EntityID: f.c.Entity.ID})
}

// company stores the records to which other records refer. Records of account level get their
// events here, the others after all are loaded.
func (f *loader) company(ctx context.Context) error {
	c := f.c
	if err := f.tx.InsertEntity(ctx, &c.Entity); err != nil {
		return err
	}
	f.stats.AccountID, f.stats.EntityID, f.stats.People = c.Entity.AccountID, c.Entity.ID, len(c.People)
	var people []int64
	for i := range c.People {
		if err := f.tx.InsertPeople(ctx, []*finance.Person{&c.People[i]}); err != nil {
			return err
		}
		people = append(people, c.People[i].ID)
	}
	if err := f.created(ctx, finance.PeopleFamily, 0, people...); err != nil {
		return err
	}
	categories, err := db.Many[finance.Category](ctx, f.tx.DB, `
		SELECT id, full_name FROM categories WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`,
		c.Entity.AccountID)
	if err != nil {
		return err
	}
	c.Categories = map[string]int64{}
	for _, k := range categories {
		c.Categories[k.FullName] = k.ID
	}
	for i := range c.Centers {
		c.Centers[i].EntityID = c.Entity.ID
		if err := f.tx.InsertClassificationCenters(ctx, []*finance.ClassificationCenter{&c.Centers[i]}); err != nil {
			return err
		}
	}
	if err := f.classifier(ctx); err != nil {
		return err
	}
	for i := range c.Banks {
		c.Banks[i].EntityID = c.Entity.ID
		if err := f.tx.InsertDepositAccount(ctx, &c.Banks[i]); err != nil {
			return err
		}
	}
	for i := range c.Statements {
		b := &c.Statements[i]
		b.DepositAccountID = c.Banks[i*len(c.Banks)/len(c.Statements)].ID
		b.FileKey = fmt.Sprintf("demo/%d/%d", b.DepositAccountID, i) // no such file (verify.Files)
		if err := f.tx.InsertBankStatement(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// created emits the creation of records of account level.
func (f *loader) created(ctx context.Context, family finance.Family, parent int64, ids ...int64) error {
	return f.tx.Emit(ctx, finance.Event{Family: family, Action: finance.Created, AccountID: f.c.Entity.AccountID,
		ParentID: parent, IDs: ids})
}

// classifier stores the custom classifier and its values, or finds the existing ones of the
// account: their names are unique.
func (f *loader) classifier(ctx context.Context) error {
	c := f.c
	known, err := db.One[int64](ctx, f.tx.DB, `
		SELECT id FROM custom_classifiers WHERE account_id = $1 AND fold(name) = fold($2)
			AND deleted_at IS NULL FOR KEY SHARE`, c.Entity.AccountID, c.Classifier.Name)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		if err = f.tx.InsertCustomClassifier(ctx, &c.Classifier); err == nil {
			err = f.created(ctx, finance.CustomClassifiersFamily, 0, c.Classifier.ID)
		}
	case err == nil:
		c.Classifier.ID = known
	}
	if err != nil {
		return err
	}
	for i := range c.Values {
		v := &c.Values[i]
		v.CustomClassifierID = c.Classifier.ID
		known, err := db.One[int64](ctx, f.tx.DB, `
			SELECT id FROM custom_classifier_values
			WHERE account_id = $1 AND custom_classifier_id = $2 AND fold(value) = fold($3)
				AND deleted_at IS NULL FOR KEY SHARE`, v.AccountID, v.CustomClassifierID, v.Value)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			if err = f.tx.InsertCustomClassifierValue(ctx, v); err == nil {
				err = f.created(ctx, finance.CustomClassifierValuesFamily, v.CustomClassifierID, v.ID)
			}
		case err == nil:
			v.ID = known
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outlets stores the sale accounts and their rules. The rules are applied to no sales, because the
// sales are generated with their prices.
func (f *loader) outlets(ctx context.Context) error {
	for _, o := range f.c.Outlets {
		o.Account.EntityID, o.Account.ExpectedDepositAccountID = f.stats.EntityID, &f.c.Banks[0].ID
		if err := f.tx.InsertSaleAccount(ctx, &o.Account); err != nil {
			return err
		}
		for i := range o.Rules {
			rule := &o.Rules[i]
			rule.SaleAccountID, rule.ApplyRules = o.Account.ID, 1
			if err := f.tx.InsertSaleRule(ctx, rule); err != nil {
				return err
			}
		}
	}
	return nil
}

// card returns the part that stores a credit card with its purchases.
func (f *loader) card(purchases iter.Seq[*finance.CreditCardTransaction]) func(context.Context) error {
	return func(ctx context.Context) error {
		f.c.Card.EntityID = f.stats.EntityID
		if err := cards.Insert(ctx, f.tx, &f.c.Card); err != nil {
			return err
		}
		for t := range purchases {
			if err := cards.InsertTransaction(ctx, f.tx, t); err != nil {
				return err
			}
		}
		return nil
	}
}

// committed reports progress and returns the error of the caller's context.
func (f *loader) committed(what string, stored, of, rows int) error {
	f.stats.Rows += rows
	f.step(what, stored, of)
	return f.ctx.Err()
}

// ids draws n ids from the sequence of the table.
func (f *loader) ids(ctx context.Context, table string, n int) ([]int64, error) {
	return db.Many[int64](ctx, f.tx.DB, `
		SELECT nextval(s.name) FROM (SELECT pg_get_serial_sequence($1, 'id')::regclass AS name OFFSET 0) s,
			generate_series(1, $2::int)`, table, n)
}

// copy adds the rows to a table.
func (f *loader) copy(ctx context.Context, table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	return f.tx.Copy(ctx, table, columns, func(add func(...any) error) error {
		for _, row := range rows {
			if err := cmp.Or(f.ctx.Err(), add(row...)); err != nil {
				return err
			}
		}
		return nil
	})
}

// inChunks calls do with all, chunkSize at a time. The next chunk is generated while do stores one.
func inChunks[T any](all iter.Seq[*T], do func([]*T) error) error {
	chunks, ended := make(chan []*T), make(chan struct{})
	defer func() {
		close(ended)
		for range chunks { // generates no longer
		}
	}()
	go func() {
		defer close(chunks)
		for chunk := range chunked(all) {
			select {
			case chunks <- chunk:
			case <-ended:
				return
			}
		}
	}()
	for chunk := range chunks {
		if err := do(chunk); err != nil {
			return err
		}
	}
	return nil
}

// chunked yields all in chunks of chunkSize.
func chunked[T any](all iter.Seq[*T]) iter.Seq[[]*T] {
	return func(yield func([]*T) bool) {
		var chunk []*T
		for one := range all {
			if chunk = append(chunk, one); len(chunk) < chunkSize {
				continue
			}
			if !yield(chunk) {
				return
			}
			chunk = nil
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}
