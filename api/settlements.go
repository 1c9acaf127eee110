package api

import (
	"cmp"
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
)

// settleMany returns the batch that pays or receives accounts of a kind, each by its amount due unless a total is
// sent. Its items have no root: {"id": 1, "occurred_at": "2026-03-04"}.
func settleMany(r resource[finance.FinancialAccount], kind finance.AccountKind) batch[finance.FinancialAccount] {
	return batch[finance.FinancialAccount]{
		all: func(ctx context.Context, tx *storage.Tx, c *call, items []*wire.Input, _ bool) (
			*batchResult[finance.FinancialAccount], error) {
			s := settlements{r: r, c: c, items: items, result: &batchResult[finance.FinancialAccount]{
				Items: make([]batchItem[finance.FinancialAccount], len(items))}}
			return s.result, s.settle(ctx, tx, kind)
		},
		show: func(c *call, w *wire.Writer, f *finance.FinancialAccount) {
			w.Object(r.root, func() { r.show(c, w, f) })
		},
	}
}

var (
	payMany     = settleMany(payableAccounts, finance.Payable)
	receiveMany = settleMany(receivableAccounts, finance.Receivable)
)

// settlement is an item of settleMany.
type settlement struct {
	ID                       int64
	OccurredAt               *finance.Date
	TotalAmount              *finance.Amount
	ExpectedDepositAccountID *int64
}

func assignSettled(in *wire.Input, s *settlement) {
	in.Int("id", &s.ID)
	wire.DecodeIntoPtr(in, "occurred_at", &s.OccurredAt)
	wire.DecodeIntoPtr(in, "total_amount", &s.TotalAmount)
	in.IntPtr("expected_deposit_account_id", &s.ExpectedDepositAccountID)
}

var settledFields = fieldsOf(settlementFields, openapi.Fields{
	"id":           {Doc: "The account."},
	"total_amount": {Doc: "What was paid or received; the amount due where absent."},
})

// settlements is a batch of payments or receipts that is under way.
type settlements struct {
	r      resource[finance.FinancialAccount]
	c      *call
	items  []*wire.Input
	result *batchResult[finance.FinancialAccount]
}

func (s *settlements) settle(ctx context.Context, tx *storage.Tx, kind finance.AccountKind) error {
	asked, ids := make([]settlement, len(s.items)), make([]int64, len(s.items))
	refers := make([]storage.Refers, len(s.items))
	for i, in := range s.items {
		assignSettled(in, &asked[i])
		ids[i] = asked[i].ID
		refers[i] = storage.Refers{References: &finance.References{},
			ExpectedDepositAccountID: asked[i].ExpectedDepositAccountID}
	}
	missing, err := tx.ShareEach(ctx, s.c.scope(), s.c.access, refers)
	if err != nil {
		return err
	}
	held, err := tx.LockFinancialAccountsForDelete(ctx, s.c.scope(), kind, ids)
	if err != nil {
		return err
	}
	var settled []*finance.FinancialAccount
	var before [][]byte
	for i, in := range s.items {
		f := held[asked[i].ID]
		if f == nil {
			err = cmp.Or(checked(in, nil), found(storage.ErrNotFound, s.r.root, asked[i].ID))
			err = s.result.Items[i].end(i, in, http.StatusOK, err)
		} else {
			was, changed := s.r.rendered(s.c, f), *f
			changed.OccurredAt, changed.TotalAmount = asked[i].OccurredAt, asked[i].TotalAmount
			if changed.TotalAmount == nil {
				due := f.Due()
				changed.TotalAmount = &due
			}
			if id := asked[i].ExpectedDepositAccountID; id != nil {
				changed.ExpectedDepositAccountID = id
			}
			fault := placed(in, joined(func() error { return checked(in, changed.Settle()) },
				func() error { return missing[i] }))
			if fault == nil {
				*f = changed
				settled, before = append(settled, f), append(before, was)
				s.result.Items[i].Body = f
			}
			err = s.result.Items[i].end(i, in, http.StatusOK, fault)
		}
		if err != nil {
			return err
		}
	}
	if len(settled) == 0 {
		return nil
	}
	if err := tx.SettleFinancialAccounts(ctx, s.c.scope(), settled); err != nil {
		return err
	}
	var events []finance.Event
	for i, f := range settled {
		e := s.r.events(s.c, f, finance.Updated)[0]
		_, e.Attributes = changedAttributes(before[i], s.r.rendered(s.c, f))
		events = append(events, e)
	}
	return tx.EmitEach(ctx, events)
}
