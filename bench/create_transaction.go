package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"bordero/storage"

	"github.com/gin-gonic/gin"
)

// postedTo is how many deposit accounts receive the transactions, in rotation.
const postedTo = 100

// measureCreateTransaction compares creating a transaction, with its balance and its event, with
// a bare handler that decodes the same document and runs the same statements in a transaction.
func measureCreateTransaction(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, requests, err := newTransactions(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	err = s.answerAlike(ctx, http.MethodPost, s.accountPath("/financial_transactions"), newTransaction,
		func(document any) any {
			root, _ := document.(map[string]any)
			transaction, _ := root["financial_transaction"].(map[string]any)
			for _, differs := range []string{"id", "created_at", "updated_at", "links"} {
				transaction[differs] = transaction[differs] != nil
			}
			return document
		})
	return s.send(s.api, requests(s.api)...), s.send(s.floor, requests(s.floor)...), err
}

const newTransaction = `{"financial_transaction":{"type":"Debit","amount":"199.11","occurred_at":"2026-03-04",` +
	`"document":"NF 1",` +
	`"user_description":"Bolo de casamento"}}`

// newTransactions starts the servers and creates the deposit accounts. requests returns the
// requests to one of the servers.
func newTransactions(ctx context.Context, h *harness) (s servers, requests func(addr string) [][]byte, err error) {
	if s, err = newServers(ctx, h); err != nil {
		return s, nil, err
	}
	store, err := storage.Open(s.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return s, nil, err
	}
	defer store.Close()
	accounts := make([]int64, postedTo)
	for i := range accounts {
		if accounts[i], err = newDepositAccount(ctx, store, s.tenant); err != nil {
			return s, nil, err
		}
	}
	s.account = accounts[0]
	return s, func(addr string) (all [][]byte) {
		for _, s.account = range accounts {
			all = append(all, s.request(http.MethodPost, addr, s.accountPath("/financial_transactions"),
				newTransaction))
		}
		return all
	}, nil
}

// createTransaction creates a transaction as storage.InsertFinancialTransaction and Emit do.
func (f floorAPI) createTransaction(c *gin.Context) {
	account, ok := f.account(c)
	if !ok {
		return
	}
	entity, id, ok := pathIDs(c)
	if !ok {
		return
	}
	var sent struct {
		Transaction struct {
			Type            string  `json:"type"`
			Amount          string  `json:"amount"`
			OccurredAt      string  `json:"occurred_at"`
			Document        *string `json:"document"`
			UserDescription *string `json:"user_description"`
		} `json:"financial_transaction"`
	}
	if err := json.NewDecoder(c.Request.Body).Decode(&sent); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	t := sent.Transaction
	amount := t.Amount
	if t.Type == "Debit" {
		amount = "-" + amount
	}
	kept, err := f.insertTransaction(c, account, entity, id, amount, t.OccurredAt, t.Document, t.UserDescription)
	if !found(c, err) {
		return
	}
	c.Header("Location", kept.Links[0].Href)
	c.JSON(http.StatusCreated, gin.H{"financial_transaction": kept})
}

func (f floorAPI) insertTransaction(ctx context.Context, account, entity, id int64, amount, day string, document,
	description *string) (*floorTransaction, error) {
	tx, err := f.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // no-op after a commit
	var held, told int64
	err = f.oneOf(ctx, tx, &held, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3
			AND deleted_at IS NULL FOR KEY SHARE`, account, entity, id)
	if err != nil {
		return nil, err
	}
	var t floorTransaction
	err = f.oneOf(ctx, tx, &t, `
		INSERT INTO financial_transactions AS t (account_id, deposit_account_id, amount, occurred_at, document,
			user_description, currency_id)
		SELECT account_id, id, $3, $4, $5, $6, currency_id FROM deposit_accounts WHERE account_id = $1 AND id = $2
		RETURNING t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit'
			ELSE 'Credit' END AS type, t.amount,
			t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation,
				t.bank_statement_id,
			t.currency_id, t.created_at, t.updated_at`,
		account, id, amount, day, document, description)
	if err != nil {
		return nil, err
	}
	err = f.oneOf(ctx, tx, &told, floorNotified, account, entity, id, t.ID)
	if err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE deposit_accounts
		SET transactions_sum = transactions_sum + $3, transactions_count = transactions_count + 1,
			last_transaction_date = greatest(last_transaction_date, $4), updated_at = now()
		WHERE account_id = $1 AND id = $2`, account, id, amount, day)
	if err != nil {
		return nil, err
	}
	f.complete(&t, entity)
	return &t, tx.Commit()
}

// floorNotified is the statement of storage.Emit for one record, without the jobs and the trace.
const floorNotified = `
		WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL
				AND (events IS NULL OR events && ARRAY['financial_transactions.*', 'financial_transactions.created'])
			ORDER BY id FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, status)
			SELECT $1, w.id, 'financial_transactions', 'created', $4::bigint, $2, $3::bigint, CASE w.status
				WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w
			RETURNING status)
		SELECT count(*) FROM told WHERE status = 'pending'`

// complete adds the fields of the document that have no column.
func (f floorAPI) complete(t *floorTransaction, entity int64) {
	self := fmt.Sprintf("%s/entities/%d/deposit_accounts/%d/financial_transactions/%d", f.url, entity,
		t.DepositAccountID, t.ID)
	t.AbsoluteAmount = strings.TrimPrefix(t.Amount, "-")
	t.AttachmentIDList = []int64{}
	t.Reconciliations.FinancialAccounts, t.Reconciliations.FinancialTransactions = []int64{}, []int64{}
	t.Links = []floorLink{{"self", self, "get"}, {"destroy", self, "delete"}}
}
