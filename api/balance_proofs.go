package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/proof"
)

// balanceProofs lists the proofs of a deposit account. A statement shows its own proof.
var balanceProofs = resource[finance.BalanceProof]{
	root: "balance_proof", plural: "balance_proofs",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.BalanceProof],
		error) {
		return proof.List(ctx, q, c.scope(), c.pathID("deposit_account_id"), l)
	},
	parent: depositAccountParent,
	show: func(_ *call, w *wire.Writer, p *finance.BalanceProof) {
		w.Int("id", p.BankStatementID)
		showBalances(w, p)
	},
}

// showProof writes a proof with its explanations.
func showProof(w *wire.Writer, p *finance.BalanceProof) {
	showBalances(w, p)
	w.Objects("explanations", "explanation", len(p.Explanations), func(i int) {
		e := &p.Explanations[i]
		w.String("kind", string(e.Kind))
		wire.Decimal(w, "amount", e.Amount)
		w.IntArray("ids", "id", e.TransactionIDs)
		w.Objects("items", "item", len(e.Items), func(i int) {
			w.Int("bank_statement_id", e.Items[i].BankStatementID)
			w.Int("id", e.Items[i].ID)
		})
		if e.Days == nil {
			w.Null("days")
			return
		}
		w.Object("days", func() {
			wire.DatePtr(w, "from", &e.Days.First)
			wire.DatePtr(w, "to", &e.Days.Last)
		})
	})
}

func showBalances(w *wire.Writer, p *finance.BalanceProof) {
	w.String("status", p.Status)
	wire.DatePtr(w, "on", p.On)
	wire.Decimal(w, "bank_balance", p.BankBalance)
	wire.DecimalPtr(w, "our_balance", p.OurBalance)
	wire.DecimalPtr(w, "difference", p.Difference)
}

// setOpeningBalance sets the initial balance of the deposit account so that the proof of its first
// statement agrees, except for the items of later files: 200 with the statement. It may run twice.
func (a *API) setOpeningBalance(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		account, id := c.pathID("deposit_account_id"), c.pathID("bank_statement_id")
		d, err := tx.LockDepositAccount(ctx, c.scope(), account)
		if err != nil {
			return answer{}, found(err, depositAccounts.root, account)
		}
		b, err := tx.BankStatement(ctx, c.scope(), account, id)
		if err != nil {
			return answer{}, found(err, bankStatements.root, id)
		}
		if err := a.open(ctx, tx, c, d, b); err != nil {
			return answer{}, err
		}
		b.Proof, err = proof.OfTx(ctx, tx, b)
		return bankStatements.document(c, http.StatusOK, b), err
	})
}

// open sets the initial balance of a locked deposit account by a statement.
func (a *API) open(ctx context.Context, tx *storage.Tx, c *call, d *finance.DepositAccount,
	b *finance.BankStatement) error {
	if b.LedgerBalance == nil || b.LedgerBalanceOn == nil || b.EventStatus != finance.ImportSuccess {
		return finance.Refuse(finance.Base, messages.NoBalanceStated)
	}
	o, err := proof.ReadOpening(ctx, tx, b)
	switch {
	case err != nil:
		return err
	case o.BeingUndone:
		return finance.Refuse(finance.Base, messages.ImportBeingUndone)
	case o.First != b.ID:
		return finance.Refuse(finance.Base, messages.NotFirstStatement.With(o.First))
	case o.Begun:
		return finance.Refuse(finance.Base, messages.MovedBefore.With(o.Begins.Brazilian()))
	}
	p, err := proof.OfTx(ctx, tx, b)
	if err != nil {
		return err
	}
	if lacks, fits := p.Opening(); lacks != 0 || !fits {
		return openWith(ctx, tx, c, d, lacks, fits)
	}
	return nil
}

func openWith(ctx context.Context, tx *storage.Tx, c *call, d *finance.DepositAccount, lacks finance.Amount,
	fits bool) error {
	c.before = depositAccounts.rendered(c, d)
	opening := lacks
	if d.InitialBalance != nil {
		opening += *d.InitialBalance
	}
	if !fits || opening.Abs() > finance.MaxAmount {
		return finance.Refuse("initial_balance", messages.BalanceTooLarge)
	}
	d.InitialBalance = &opening
	if err := tx.UpdateDepositAccount(ctx, d); err != nil {
		return err
	}
	return depositAccounts.emit(ctx, tx, c, d, finance.Updated)
}

var balanceProofFields = openapi.Fields{
	"id": {Doc: "The statement that states the balance."},
	"status": {Doc: "Whether both balances are the same; `unknown` if the file does not state the day of its " +
		"balance.", Enum: openapi.Enum{Name: "BalanceProofStatus", Values: finance.ProofStatuses}},
	"on":           {Doc: "The day of the balance."},
	"bank_balance": {Doc: "The balance that the file states.", Example: "6529.19"},
	"our_balance": {Doc: "The initial balance and all transactions up to and including that day; null if the day is " +
		"not known.", Example: "6592.75"},
	"difference": {Doc: "The bank's balance less our balance.", Example: "-63.56"},
}
