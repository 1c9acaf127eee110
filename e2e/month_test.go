package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/demo"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// closing is a made-up month while it is closed, by the worker and one person who knows the truth.
type closing struct {
	*e2etest.Site
	t      *testing.T
	at     string // the path of the entity
	truth  demo.Truth
	open   map[int64]demo.TrueLine // by transaction
	counts struct{ byItself, accepted, blindly, misleading, byHand int }
}

// proposal is what the worker, or a suggestion, takes a line for.
type proposal struct {
	AccountIDs     []int64           `json:"selected_financial_account_ids"`
	TransactionIDs []int64           `json:"selected_financial_transaction_ids"`
	Adjustments    []demo.Adjustment `json:"adjustments"`
	NewAccounts    []demo.NewAccount `json:"new_accounts"`
}

// send sends a document and expects the status of an answer.
func (c *closing) send(method, path string, document any, want int) {
	c.t.Helper()
	body, err := json.Marshal(document)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := c.Do(method, path, "application/json", bytes.NewReader(body))
	if err != nil || answer.Status != want {
		c.t.Fatalf("%s %s %s: %v %d %s", method, path, body, err, answer.Status, answer.Body)
	}
}

// isTrue reports whether a proposal is what its line really is, to the cent.
func (c *closing) isTrue(p proposal) bool {
	if len(p.TransactionIDs) != 1 {
		return false
	}
	r := c.open[p.TransactionIDs[0]].Reconcile
	if r == nil || !slices.Equal(r.Adjustments, p.Adjustments) || len(r.NewAccounts) != len(p.NewAccounts) ||
		!slices.Equal(slices.Sorted(slices.Values(r.AccountIDs)), slices.Sorted(slices.Values(p.AccountIDs))) {
		return false
	}
	return len(r.NewAccounts) == 0 || *r.NewAccounts[0].CategoryID == *p.NewAccounts[0].CategoryID
}

// automatic lets the worker do what is unmistakable and what the rules say, and compares all of it
// with the truth.
func (c *closing) automatic() {
	c.t.Helper()
	for _, rule := range c.truth.Rules {
		c.send("POST", c.at+"/reconciliation_rules", map[string]any{"reconciliation_rule": rule}, http.StatusCreated)
	}
	for _, id := range c.truth.DepositAccountIDs {
		c.send("PUT", paths.DepositAccount(c.truth.EntityID, id), map[string]any{
			"deposit_account": map[string]any{"automatic_reconciliation": true}}, http.StatusOK)
	}
	testkit.Eventually(c.t, "the worker has looked at all of it", func() bool {
		return e2etest.Value[int](c.t, c.DB, `SELECT count(*) FROM jobs WHERE queue = 'reconciliation'`) == 0
	})
	type record struct{ ID int64 }
	var made []struct {
		Reconcile struct {
			ID           int64
			MadeBy       string   `json:"made_by"`
			Accounts     []record `json:"financial_accounts"`
			Transactions []record `json:"financial_transactions"`
		}
	}
	c.Get(c.t, c.at+"/reconciles?per_page=500", &made)
	for _, m := range made {
		var one struct {
			Reconcile struct {
				New      []int64 `json:"new_financial_account_ids"`
				Accounts []struct {
					ID         int64
					CategoryID *int64 `json:"category_id"`
				} `json:"financial_accounts"`
			}
		}
		c.Get(c.t, fmt.Sprintf("%s/reconciles/%d", c.at, m.Reconcile.ID), &one)
		p := proposal{}
		for _, t := range m.Reconcile.Transactions {
			p.TransactionIDs = append(p.TransactionIDs, t.ID)
		}
		for _, f := range one.Reconcile.Accounts {
			if slices.Contains(one.Reconcile.New, f.ID) {
				p.NewAccounts = append(p.NewAccounts, demo.NewAccount{CategoryID: f.CategoryID})
			} else {
				p.AccountIDs = append(p.AccountIDs, f.ID)
			}
		}
		if !c.isTrue(p) {
			c.t.Errorf("the worker reconciled %+v, and it is %+v", p, c.open[p.TransactionIDs[0]].Reconcile)
		}
		delete(c.open, p.TransactionIDs[0])
		c.counts.byItself++
	}
}

// acceptSuggestions accepts what is true of the suggestions, as long as there is something.
func (c *closing) acceptSuggestions() {
	c.t.Helper()
	for accepted := -1; accepted != c.counts.accepted; {
		accepted, c.counts.misleading = c.counts.accepted, 0
		for _, id := range c.truth.DepositAccountIDs {
			search := fmt.Sprintf(
				"suggestions?per_page=500&search[deposit_account_id]=%d&search[occurred_at_gte]=%s"+
					"&search[occurred_at_lte]=%s", id, c.truth.From, c.truth.To)
			var pairs struct {
				Suggestions []struct{ Transfer demo.Pair }
			}
			c.Get(c.t, c.at+"/transfers/"+search, &pairs)
			for _, s := range pairs.Suggestions {
				if is := c.open[s.Transfer.DebitID].Transfer; is != nil && *is == s.Transfer {
					c.pair(*is)
					c.counts.accepted += 2
				} else {
					c.counts.misleading++
				}
			}
			var found struct {
				Suggestions []struct {
					Score, Rivals int64
					Reconcile     json.RawMessage
				}
			}
			c.Get(c.t, c.at+"/reconciles/"+search, &found)
			for _, s := range found.Suggestions {
				var p proposal
				if err := json.Unmarshal(s.Reconcile, &p); err != nil {
					c.t.Fatal(err)
				}
				switch blind := s.Score >= finance.BlindScore && s.Rivals == 0; {
				case c.isTrue(p):
					c.send("POST", c.at+"/reconciles", s.Reconcile, http.StatusOK)
					delete(c.open, p.TransactionIDs[0])
					c.counts.accepted++
					if blind {
						c.counts.blindly++
					}
				case blind:
					c.t.Errorf("%+v is suggested with a score of %d, and it is %+v", p, s.Score,
						c.open[p.TransactionIDs[0]])
				default:
					c.counts.misleading++
				}
			}
		}
	}
}

func (c *closing) pair(p demo.Pair) {
	c.t.Helper()
	c.send("POST", c.at+"/transfers", map[string]any{"transfer": p}, http.StatusCreated)
	delete(c.open, p.DebitID)
	delete(c.open, p.CreditID)
}

// byHand reconciles and pairs the rest, as the truth says.
func (c *closing) byHand() {
	c.t.Helper()
	for _, l := range c.truth.Lines {
		if _, open := c.open[l.TransactionID]; !open || l.Is == "nothing" {
			continue
		}
		if l.Transfer != nil {
			c.pair(*l.Transfer)
			c.counts.byHand += 2
			continue
		}
		c.send("POST", c.at+"/reconciles", l.Reconcile, http.StatusOK)
		delete(c.open, l.TransactionID)
		c.counts.byHand++
	}
}

// closed fails unless what is left of each deposit account is what belongs to nothing.
func (c *closing) closed() {
	c.t.Helper()
	for _, id := range c.truth.DepositAccountIDs {
		want := 0
		for _, l := range c.open {
			if l.DepositAccountID == id {
				want++
			}
		}
		var got struct{ Left struct{ Count int } }
		c.Get(c.t, fmt.Sprintf("%s/reconciliation?from=%s&to=%s", paths.DepositAccount(c.truth.EntityID, id),
			c.truth.From, c.truth.To), &got)
		if got.Left.Count != want {
			c.t.Errorf("deposit account %d: %d lines are left, want %d", id, got.Left.Count, want)
		}
	}
	for _, l := range c.open {
		if l.Is != "nothing" {
			c.t.Errorf("left is %+v", l)
		}
	}
}

// A made-up month is closed by the worker and one person. Nothing that the worker does is wrong, most
// of the rest is suggested, and in the end only what belongs to nothing is left.
func TestAMonthIsClosed(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	worker := s.Start("work", "reconciliation")
	s.Serve()
	worker.Ready()
	for seed := range tier.Size(1, 5) {
		file := filepath.Join(t.TempDir(), "truth.json")
		// A past month for any clock: its cash flow expects nothing, and its days have an aging.
		s.Run("demo", "--month", "2026-10", "--seed", fmt.Sprint(seed+1), "--truth", file)
		c := closing{Site: s, t: t, open: map[int64]demo.TrueLine{}}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &c.truth)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.at = paths.Entity(c.truth.EntityID)
		for _, l := range c.truth.Lines {
			c.open[l.TransactionID] = l
		}
		for _, step := range []func(){c.reported, c.automatic, c.acceptSuggestions, c.byHand, c.closed, c.settled} {
			step()
		}
		if said := s.Run("verify", "--json"); said != "" {
			t.Errorf("seed %d: what is closed does not agree: %q", seed+1, said)
		}
		n := c.counts
		t.Logf("seed %d: %d lines: %d by itself, %d suggested, %d of them blindly, %d by hand, %d left; "+
			"%d suggestions that are not true", seed+1, len(c.truth.Lines), n.byItself, n.accepted, n.blindly, n.byHand,
			len(c.open), n.misleading)
		if n.byItself < len(c.truth.Lines)*4/10 || n.byHand+len(c.open) > 30 {
			t.Errorf("seed %d: %+v of %d lines", seed+1, n, len(c.truth.Lines))
		}
	}
}
