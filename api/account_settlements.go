package api

import (
	"cmp"
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// settleMany returns the batch that pays or receives accounts of a kind, each by its amount due unless a total is
// sent. Its items have no root: {"id": 1, "occurred_at": "2026-03-04"}.
func settleMany(r resource[finance.FinancialAccount], kind finance.AccountKind) batch[finance.FinancialAccount] {
	return batch[finance.FinancialAccount]{
		all: func(ctx context.Context, tx *storage.Tx, c *call, items []*wire.Input, _ bool) (
			*batchResult[finance.FinancialAccount], error) {
			s := settledBatch{r: r, c: c, items: items, result: &batchResult[finance.FinancialAccount]{
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

func assignSettled(in *wire.Input, s *finance.AccountSettlement) {
	in.Int("id", &s.AccountID)
	wire.DecodeIntoPtr(in, "occurred_at", &s.OccurredAt)
	wire.DecodeIntoPtr(in, "total_amount", &s.TotalAmount)
	in.IntPtr("expected_deposit_account_id", &s.ExpectedDepositAccountID)
}

var settledFields = fieldsOf(accountSettlementFields, openapi.Fields{
	"id":           {Doc: "The account."},
	"total_amount": {Doc: "What was paid or received; the amount due where absent."},
})

// settledBatch is the state of settleMany while its items are carried out.
type settledBatch struct {
	r      resource[finance.FinancialAccount]
	c      *call
	items  []*wire.Input
	result *batchResult[finance.FinancialAccount]

	settled []*finance.FinancialAccount
	before  [][]byte // the settled accounts, as they were
}

func (s *settledBatch) settle(ctx context.Context, tx *storage.Tx, kind finance.AccountKind) error {
	asked, ids := make([]finance.AccountSettlement, len(s.items)), make([]int64, len(s.items))
	refers := make([]storage.Refers, len(s.items))
	for i, in := range s.items {
		assignSettled(in, &asked[i])
		ids[i] = asked[i].AccountID
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
	for i, in := range s.items {
		fault := s.settleOne(i, held[asked[i].AccountID], asked[i], missing[i])
		if err := s.result.Items[i].end(i, in, http.StatusOK, fault); err != nil {
			return err
		}
	}
	if len(s.settled) == 0 {
		return nil
	}
	if err := tx.SettleFinancialAccounts(ctx, s.c.scope(), s.settled); err != nil {
		return err
	}
	var events []finance.Event
	for i, f := range s.settled {
		e := s.r.events(s.c, f, finance.Updated)[0]
		_, e.Attributes = changedAttributes(s.before[i], s.r.rendered(s.c, f))
		events = append(events, e)
	}
	return tx.EmitEach(ctx, events)
}

// settleOne settles an account by item i, and returns the fault of the item. f is nil for an account that does not
// exist; missing is the fault of the references.
func (s *settledBatch) settleOne(i int, f *finance.FinancialAccount, by finance.AccountSettlement,
	missing error) error {
	in := s.items[i]
	if by.AccountID == 0 { // of an unreadable id, checked reports that fault alone
		return checked(in, finance.Refuse("id", messages.Blank))
	}
	if f == nil {
		return cmp.Or(checked(in, nil), found(storage.ErrNotFound, s.r.root, by.AccountID))
	}
	before, changed := s.r.rendered(s.c, f), *f
	if err := joined(func() error { return checked(in, changed.SettleBy(by)) },
		func() error { return missing }); err != nil {
		return placed(in, err)
	}
	*f = changed
	s.settled, s.before = append(s.settled, f), append(s.before, before)
	s.result.Items[i].Body = f
	return nil
}
