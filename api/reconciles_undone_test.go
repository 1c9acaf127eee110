package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/tier"
	"bordero/jobs"
)

// undoable are the records of an entity that clients reconcile at once, in every way there is.
type undoable struct {
	*service
	t *testing.T
	// paths; the last one is derived from sales, or from a card's purchases
	accounts     map[finance.AccountKind][]string
	opened       []string                         // those that were outstanding in the beginning
	transactions map[finance.AccountKind][]string // paths of those that can pay an account of the kind
	// deposit accounts; gone is deleted in the end, with what it reconciled
	kept, gone  string
	saleAccount string
	card        string
	pricing     sync.Mutex
	made        sync.Map     // paths of sales and purchases that clients made
	reconciled  atomic.Int64 // reconciles that were accepted
}

func newUndoable(t *testing.T, s *service) *undoable {
	scoped := *s
	scoped.EntityID = s.anotherEntity(t).ID
	u := &undoable{service: &scoped, t: t, accounts: map[finance.AccountKind][]string{},
		transactions: map[finance.AccountKind][]string{}}
	u.kept, u.gone = u.newDepositAccount(t), u.newDepositAccount(t)
	for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
		for i, fields := range []string{
			`"amount":10`, `"amount":"20.01","interest_amount":1,"discount_amount":"0.5"`,
			`"amount":30,"occurred_at":"2026-03-03"`,
			fmt.Sprintf(`"amount":"40.4","ticket_amount":1,"occurred_at":"2026-03-03","total_amount":39,`+
				`"expected_deposit_account_id":%d`, lastID(u.kept)),
		} {
			path := u.newAccount(t, kind, `"due_date":"2026-03-04",`+fields)
			u.accounts[kind] = append(u.accounts[kind], path)
			if i < 2 {
				u.opened = append(u.opened, path)
			}
		}
		move := map[finance.AccountKind]string{finance.Payable: finance.Debit, finance.Receivable: finance.Credit}[kind]
		for i, amount := range []string{"10", "30", "50.51", "98.7", "196", "9.99", "70"} {
			below := []string{u.kept, u.kept, u.gone}[i%3]
			if move == finance.Credit { // equal amounts of two accounts can be pairs
				below = []string{u.gone, u.kept, u.kept}[i%3]
			}
			u.transactions[kind] = append(u.transactions[kind], u.newTransaction(t, below, move, amount, "2026-03-04"))
		}
	}
	u.saleAccount = u.newSaleAccount(t, `"consolidate":true`)
	u.newSaleRule(t, u.saleAccount, `"payment_method":"pix","fee_percentage":2,"days_to_liquidation":30`)
	for range 3 {
		u.sell()
	}
	u.card = u.newCard(t, 25, 5)
	u.buy(t, u.card, `"amount":98.7,"occurred_at":"2026-03-10"`)
	u.made.Clear()
	daily := paths.FinancialAccount(u.EntityID, "receivable",
		query[int64](t, s, `SELECT id FROM financial_accounts WHERE sale_account_id = $1`, lastID(u.saleAccount)))
	invoice := u.payableOf(t, u.card, "2026-04")
	u.accounts[finance.Receivable] = append(u.accounts[finance.Receivable], daily)
	u.accounts[finance.Payable] = append(u.accounts[finance.Payable], invoice)
	u.opened = append(u.opened, daily, invoice)
	return u
}

// ask sends a request of one of the clients. It fails the test unless the answer's status is one of
// those wanted.
func (u *undoable) ask(method, path, text string, want ...int) answer {
	a, err := u.send(u.t.Context(), method, path, document(text))
	if err != nil || !slices.Contains(want, a.status) {
		u.t.Errorf("%s %s %s: %d %s %v, want %v", method, path, text, a.status, a.body, err, want)
	}
	return a
}

// price prices the sales. One run takes all jobs of a sale account, and runs never overlap.
func (u *undoable) price() {
	u.pricing.Lock()
	defer u.pricing.Unlock()
	u.service.price(u.t, lastID(u.saleAccount))
}

func (u *undoable) sell() {
	a := u.ask("POST", paths.Entity(u.EntityID)+"/sales", fmt.Sprintf(
		`{"sale":{"sale_account_id":%d,"payment_method":"pix","nominal_amount":"33.33","occurred_at":"2026-03-01"}}`,
		lastID(u.saleAccount)), 201)
	u.made.Store(a.header.Get("Location")[len(publicURL):], true)
	u.price()
}

func (u *undoable) purchase() {
	a := u.ask("POST", u.card+"/transactions", `{"credit_card_transaction":{"amount":"12.34",`+
		`"occurred_at":"2026-03-11"}}`, 201, 422)
	if a.status == 201 {
		u.made.Store(a.header.Get("Location")[len(publicURL):], true)
	}
}

// read returns the status of the record at the path, and what it owes, was paid, or moved.
func (u *undoable) read(path string) (status int, amount finance.Amount) {
	var records map[string]struct {
		Status   int
		Amount   finance.Amount
		Total    *finance.Amount `json:"total_amount"`
		Interest finance.Amount  `json:"interest_amount"`
		Ticket   finance.Amount  `json:"ticket_amount"`
		Discount finance.Amount  `json:"discount_amount"`
	}
	if err := json.Unmarshal([]byte(u.ask("GET", path, ``, 200).body), &records); err != nil {
		u.t.Error(err)
	}
	for _, r := range records {
		status, amount = r.Status, r.Amount+r.Interest+r.Ticket-r.Discount
		if r.Total != nil {
			amount = *r.Total
		}
	}
	return status, amount.Abs()
}

// someOf returns one to most of all, in random order.
func someOf(r *rand.Rand, all []string, most int) (chosen []string) {
	for _, i := range r.Perm(len(all))[:1+r.IntN(most)] {
		chosen = append(chosen, all[i])
	}
	return chosen
}

// drawn is the body for some accounts of a kind, and transactions that can pay them.
func (u *undoable) drawn(r *rand.Rand) string {
	kind := []finance.AccountKind{finance.Payable, finance.Receivable}[r.IntN(2)]
	return u.body(r, kind, someOf(r, u.accounts[kind], 2), someOf(r, u.transactions[kind], 2))
}

// body is a request that makes the sums equal by adjustments or a new account, if the other clients
// leave its records alone.
func (u *undoable) body(r *rand.Rand, kind finance.AccountKind, accounts, transactions []string) string {
	var moved, owed finance.Amount
	for _, path := range transactions {
		_, amount := u.read(path)
		moved += amount
	}
	open := false
	for _, path := range accounts {
		status, amount := u.read(path)
		owed, open = owed+amount, open || status == finance.Outstanding
	}
	more := fmt.Sprintf(`,"settle_open":%v`, open)
	switch difference := moved - owed; {
	case difference > 0 && r.IntN(2) == 0:
		more += fmt.Sprintf(`,"new_accounts":[{"amount":"%s","interest_amount":"%s"}]`, difference-difference/3,
			difference/3)
	case difference != 0:
		raising, lowering := []string{"interest_amount", "ticket_amount", "fee_amount"},
			[]string{"discount_amount", "withheld_tax_amount"}
		if kind == finance.Receivable {
			raising, lowering = raising[:2], append(lowering, "fee_amount")
		}
		names := raising
		if difference < 0 {
			names = lowering
		}
		first, half := r.IntN(len(names)), difference.Abs()/2
		adjustment := fmt.Sprintf(`{"financial_account_id":%d,%q:"%s"`, lastID(accounts[0]), names[first],
			difference.Abs()-half)
		if half > 0 {
			adjustment += fmt.Sprintf(`,%q:"%s"`, names[(first+1)%len(names)], half)
		}
		more += `,"adjustments":[` + adjustment + `}]`
	}
	return strings.TrimSuffix(reconciling(idsOf(accounts), idsOf(transactions)), "}") + more + "}"
}

func idsOf(paths []string) (all []int64) {
	for _, path := range paths {
		all = append(all, lastID(path))
	}
	return all
}

func (u *undoable) reconcileOne(text string, want ...int) {
	if a := u.ask("POST", paths.Reconciles(u.EntityID), text, want...); a.status == 200 {
		u.reconciled.Add(1)
	}
}

func (u *undoable) reconcileMany(r *rand.Rand) {
	var items []string
	for range 3 {
		items = append(items, `{"reconcile":`+u.drawn(r)+`}`)
	}
	a := u.ask("POST", paths.Reconciles(u.EntityID)+"/batch", fmt.Sprintf(`{"atomic":%v,"items":[%s]}`, r.IntN(2) == 0,
		strings.Join(items, ",")), 200, 422)
	var answered struct{ Sums struct{ Created int64 } }
	if err := json.Unmarshal([]byte(a.body), &answered); err != nil {
		u.t.Error(err, a.body)
	}
	u.reconciled.Add(answered.Sums.Created)
}

// settle pays or receives an account, or undoes that.
func (u *undoable) settle(r *rand.Rand) {
	path := u.opened[r.IntN(len(u.opened))]
	if r.IntN(2) == 0 {
		u.ask("PUT", path+"/"+undoing(path), ``, 200, 422)
		return
	}
	root, verb := "payable_account", "pay"
	if strings.Contains(path, "receivable") {
		root, verb = "receivable_account", "receive"
	}
	u.ask("PUT", path+"/"+verb, fmt.Sprintf(`{%q:{"total_amount":"%d.77","occurred_at":"2026-03-05"}}`, root,
		r.IntN(50)), 200, 422)
}

func undoing(path string) string {
	if strings.Contains(path, "receivable") {
		return "undo_receivement"
	}
	return "undo_payment"
}

// undo undoes one of the newest reconciles.
func (u *undoable) undo(r *rand.Rand) {
	var listed []struct{ Reconcile struct{ ID int64 } }
	if err := json.Unmarshal([]byte(u.ask("GET", paths.Reconciles(u.EntityID), ``, 200).body), &listed); err != nil {
		u.t.Error(err)
	}
	if len(listed) > 0 {
		u.ask("DELETE", fmt.Sprintf("%s/%d", paths.Reconciles(u.EntityID), listed[r.IntN(len(listed))].Reconcile.ID),
			``, 200, 404)
	}
}

// pair pairs a debit with a credit of its amount, which is refused if they are of one deposit account.
func (u *undoable) pair(r *rand.Rand) {
	i := r.IntN(len(u.transactions[finance.Payable]))
	u.ask("POST", paths.Transfers(u.EntityID), fmt.Sprintf(`{"transfer":{"debit_transaction_id":%d,`+
		`"credit_transaction_id":%d}}`,
		lastID(u.transactions[finance.Payable][i]), lastID(u.transactions[finance.Receivable][i])), 201, 422)
}

// unpair undoes one of the pairs.
func (u *undoable) unpair(r *rand.Rand) {
	var listed []struct{ Transfer struct{ ID int64 } }
	if err := json.Unmarshal([]byte(u.ask("GET", paths.Transfers(u.EntityID), ``, 200).body), &listed); err != nil {
		u.t.Error(err)
	}
	if len(listed) > 0 {
		u.ask("DELETE", paths.Transfer(u.EntityID, listed[r.IntN(len(listed))].Transfer.ID), ``, 200, 404)
	}
}

// client does a number of random things.
func (u *undoable) client(r *rand.Rand, steps int) {
	for range steps {
		switch r.IntN(19) {
		case 0:
			u.sell()
		case 1:
			u.purchase()
		case 2, 3:
			u.settle(r)
		case 4, 5, 6:
			u.undo(r)
		case 7, 8:
			u.reconcileMany(r)
		case 9, 10:
			u.pair(r)
		case 11:
			u.unpair(r)
		default:
			u.reconcileOne(u.drawn(r), 200, 422)
		}
	}
}

// state is all that the entity has, but for times, and for what is in the deposit account that goes.
func (u *undoable) state() map[string]string {
	at := paths.Entity(u.EntityID)
	all := u.documents(u.t, at+"/payable_accounts", at+"/receivable_accounts", at+"/sales", at+"/reconciles",
		at+"/transfers", u.kept, u.kept+"/financial_transactions",
		u.card+"/invoices")
	for table, of := range map[string]string{"financial_accounts": "entity_id = $1", "sales": "entity_id = $1",
		"financial_transactions": "deposit_account_id = (SELECT min(id) FROM deposit_accounts WHERE entity_id = $1)"} {
		// The worker leaves the transactions of what was undone to people from then on.
		all[table] = query[string](u.t, u.service, `SELECT coalesce(string_agg((to_jsonb(r) - ARRAY['updated_at',
			'left_to_people'])::text, E'\n' ORDER BY id), '') FROM `+table+` r WHERE `+of, u.EntityID)
	}
	return all
}

// undoAll undoes what the clients left: all pairs and half of the reconciles by the deletion of a
// deposit account.
func (u *undoable) undoAll() {
	u.call(u.t, "DELETE", u.gone).want(u.t, 200)
	u.removeHidden(u.t, jobs.DeleteCascade{AccountID: u.AccountID, Root: "deposit_accounts", ID: lastID(u.gone)})
	u.price()
	u.agrees(u.t)
	for _, id := range u.call(u.t, "GET", paths.Reconciles(u.EntityID)+"?per_page=500").all(u.t, "reconcile.id") {
		u.call(u.t, "DELETE", paths.Reconciles(u.EntityID)+"/"+id).want(u.t, 200)
	}
	for _, path := range u.opened {
		if status, _ := u.read(path); status == finance.Settled {
			u.call(u.t, "PUT", path+"/"+undoing(path), document(``)).want(u.t, 200)
		}
	}
	u.price()
	u.made.Range(func(path, _ any) bool {
		u.ask("DELETE", path.(string), ``, 200, 204)
		return true
	})
	u.price()
}

// Many clients reconcile, pair, settle and undo at once. Whatever they did, the books agree, and undoing all
// of it gives the beginning back exactly.
func TestUndoingAllGivesTheBeginningBack(t *testing.T) {
	t.Parallel()
	s := newService(t)
	rounds, byClients := tier.Size(3, 100), int64(0)
	for range rounds {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			u := newUndoable(t, s)
			before := u.state()
			for kind, accounts := range u.accounts { // derived ones are reconciled in each round
				u.reconcileOne(u.body(rand.New(rand.NewPCG(seed, 0)), kind, accounts[4:], u.transactions[kind][:1]),
					200)
			}
			var clients sync.WaitGroup
			for i := range uint64(4) {
				clients.Go(func() { u.client(rand.New(rand.NewPCG(seed, i)), 12) })
			}
			clients.Wait()
			u.agrees(t)
			equal(t, query[int](t, s, inexact), 0)
			u.undoAll()
			equal(t, u.state(), before)
			u.verified(t)
			made := query[int64](t, s, `SELECT count(*) FROM unsealed_changes WHERE entity_id = $1
				AND family = 'reconciles' AND action = 'created'`, u.EntityID)
			equal(t, made, u.reconciled.Load())
			byClients += made - int64(len(u.accounts)) // a single round may be unlucky
		})
	}
	if byClients == 0 {
		t.Errorf("clients reconciled nothing in %d rounds", rounds)
	}
}

// A sale after the reconcile opened a substitute for its day: undone, the first takes all sales again.
func TestAReconcileIsUndoneBesideASubstitute(t *testing.T) {
	t.Parallel()
	s, sold, path := newReceivables(t, true)
	below := s.newDepositAccount(t)
	accept := func(id int64, moved string) {
		t.Helper()
		s.reconciles(t, ids(id), ids(s.moved(t, below, finance.Credit, moved)), `,"settle_open":true`).want(t, 200)
	}
	undo := map[string]func(){
		"by a request": func() { s.call(t, "DELETE", paths.Reconciles(s.EntityID)+"/1").want(t, 200) },
		"with the substitute's, by a deletion": func() {
			accept(query[int64](t, s, `SELECT max(id) FROM financial_accounts`), "98")
			s.call(t, "DELETE", below).want(t, 200)
			s.removeHidden(t, jobs.DeleteCascade{AccountID: s.AccountID, Root: "deposit_accounts", ID: lastID(below)})
		},
	}
	for _, how := range slices.Sorted(maps.Keys(undo)) {
		accept(lastID(path), map[bool]string{true: "196", false: "294"}[how == "by a request"])
		s.newSale(t, sold, `"payment_method":"pix","nominal_amount":100,"occurred_at":"2026-03-01"`)
		s.price(t, 1)
		equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), 2)
		undo[how]()
		s.price(t, 1)
		equal(t, how+query[string](t, s, `SELECT string_agg(concat_ws(' ', id, amount, gathering), ', ')
			FROM financial_accounts`),
			how+map[bool]string{true: "1 294.00 t", false: "1 392.00 t"}[how == "by a request"])
		s.verified(t)
	}
}
