package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/lib/pq"
)

// newest is the list of transactions, of the largest page.
const newest = "/financial_transactions?per_page=500"

// servers are the two servers that answer the same requests: the API, and its floor.
// The load, PostgreSQL and each server are processes of their own, as in production.
type servers struct {
	*service
	floor   string // host:port
	account string // path of a deposit account
}

// newServers starts the servers over ten pages of transactions, as an import leaves them. The times have
// no fraction of a second, which only one side writes, and the amounts have no trailing zero.
func newServers(ctx context.Context, h *harness) servers {
	s := servers{service: h.service(ctx, "api"), floor: freeAddr()}
	account := s.newDepositAccount(ctx)
	s.account = s.path("/deposit_accounts/%d", account)
	for _, query := range []string{`
		INSERT INTO bank_statements (id, account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size)
		VALUES (1, $1, $2, 'key', 'extrato.ofx', 'application/x-ofx', 1)`, `
		INSERT INTO financial_transactions (account_id, deposit_account_id, bank_statement_id, currency_id, amount,
			occurred_at, guid, document, original_description, created_at, updated_at)
		SELECT $1, $2, 1, 1, (n * 10 + 1 + n % 9) * (CASE WHEN n % 4 = 0 THEN 1 ELSE -1 END) / 100.0,
			date '2025-01-02' + n / 25, 'F' || n, n, 'PIX ENVIADO MARIA DA CONCEIÇÃO ' || n,
			date_trunc('second', now()), date_trunc('second', now())
		FROM generate_series(1, 10 * 500) n`, `
		UPDATE deposit_accounts SET transactions_count = 5000, transactions_sum = -1.23,
			last_transaction_date = '2025-07-21', initial_balance = 10.55,
			created_at = date_trunc('second', now()), updated_at = date_trunc('second', now())
		WHERE account_id = $1 AND id = $2`} {
		s.exec(ctx, query, s.AccountID, account)
	}
	s.vacuum(ctx)
	env := append(slices.Clip(s.env), floorAddr+"="+s.floor)
	h.launch(ctx, env, "http://"+s.floor+"/healthz", exec.Command(must(os.Executable())))
	return s
}

// measureRead compares a GET below the deposit account with a bare handler of the same answer.
func measureRead(suffix string) preparation {
	return func(ctx context.Context, h *harness) (ours, floor figure) {
		s := newServers(ctx, h)
		s.alike(ctx, http.MethodGet, s.account+suffix, "")
		return rate(s.addr, s.raw(s.addr, http.MethodGet, s.account+suffix, "")),
			rate(s.floor, s.raw(s.floor, http.MethodGet, s.account+suffix, ""))
	}
}

const newTransaction = `{"financial_transaction":{"type":"Debit","amount":"199.11","occurred_at":"2026-03-04",` +
	`"document":"NF 1","user_description":"Bolo de casamento"}}`

// measureCreateTransaction compares creating a transaction, with its balance and its event, with
// a bare handler that decodes the same document and runs the same statements in a transaction.
func measureCreateTransaction(ctx context.Context, h *harness) (ours, floor figure) {
	s := newServers(ctx, h)
	s.alike(ctx, http.MethodPost, s.account+"/financial_transactions", newTransaction, "id", "created_at", "updated_at")
	var api, bare [][]byte
	for range 100 { // transactions of one deposit account wait for each other
		path := s.path("/deposit_accounts/%d/financial_transactions", s.newDepositAccount(ctx))
		api = append(api, s.raw(s.addr, http.MethodPost, path, newTransaction))
		bare = append(bare, s.raw(s.floor, http.MethodPost, path, newTransaction))
	}
	return rate(s.addr, api...), rate(s.floor, bare...)
}

// alike checks that both servers answer with the same records: the fields that both have are equal,
// except the ones that differ from request to request. Without that, comparing their speed would be
// meaningless. The API has further fields without a column, and the floor has columns that are not shown.
func (s servers) alike(ctx context.Context, method, path, document string, differ ...string) {
	api := recordsOf(must(answer(s.request(ctx, s.addr, method, path, document))))
	floor := recordsOf(must(answer(s.request(ctx, s.floor, method, path, document))))
	if len(api) != len(floor) {
		check(fmt.Errorf("the API answers with %d records and the floor with %d", len(api), len(floor)))
	}
	for i := range api {
		same := 0
		for name, value := range api[i] {
			if other, ok := floor[i][name]; ok && !slices.Contains(differ, name) {
				same++
				if !reflect.DeepEqual(value, other) {
					check(fmt.Errorf("%s: the API answers %v and the floor %v", name, value, other))
				}
			}
		}
		if same < 10 {
			check(fmt.Errorf("the API and the floor have only %d fields in common", same))
		}
	}
}

// recordsOf returns the records of an answer: a document, or a list of documents.
func recordsOf(answer []byte) (all []map[string]any) {
	var documents []map[string]map[string]any
	if answer[0] != '[' {
		answer = slices.Concat([]byte("["), answer, []byte("]"))
	}
	check(json.Unmarshal(answer, &documents))
	for _, d := range documents {
		for _, record := range d {
			all = append(all, record)
		}
	}
	return all
}

// floorAddr is the variable with which the bench starts itself as the floor of the API: ordinary handlers
// of Gin, database/sql and encoding/json that run the API's statements and nothing else.
const floorAddr = "BENCH_FLOOR_ADDR"

// floorAPI is the floor of the API. A failure is a panic, which closes the connection.
type floorAPI struct{ db *sql.DB }

// serveFloor serves until the process ends.
func serveFloor(addr string) error {
	f := floorAPI{openFloor(os.Getenv("DATABASE_URL"))}
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.GET("/healthz", func(c *gin.Context) { c.Status(http.StatusOK) })
	account := e.Group("/entities/:entity_id/deposit_accounts/:id")
	account.GET("", f.depositAccount)
	account.GET("/financial_transactions", f.list)
	account.POST("/financial_transactions", f.create)
	return http.ListenAndServe(addr, e) // on the loopback, for a minute
}

// place is the deposit account of a request's path, and the account of its token.
type place struct{ account, entity, id int64 }

// place checks the token and reads the path.
func (f floorAPI) place(c *gin.Context) place {
	token, _, _ := c.Request.BasicAuth()
	sum := sha256.Sum256([]byte(token))
	account := one[int64](c.Request.Context(), f.db, `
		SELECT m.account_id FROM tokens t JOIN users u ON u.id = t.user_id
		JOIN memberships m ON m.user_id = u.id AND m.account_id = t.account_id
		JOIN accounts a ON a.id = m.account_id
		WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
			AND m.all_entities`, sum[:])
	return place{account, must(strconv.ParseInt(c.Param("entity_id"), 10, 64)),
		must(strconv.ParseInt(c.Param("id"), 10, 64))}
}

// depositAccount reads a page of one deposit account, the first of its entity.
func (f floorAPI) depositAccount(c *gin.Context) {
	p := f.place(c)
	rows := readGolden("list.DepositAccounts").rows(c.Request.Context(), f.db, p.account, p.entity, "", 0, 1)
	c.JSON(http.StatusOK, gin.H{"deposit_account": rows[0]})
}

// list reads the newest transactions.
func (f floorAPI) list(c *gin.Context) {
	p := f.place(c)
	rows := readGolden("list.FinancialTransactions").rows(c.Request.Context(), f.db, p.account, p.entity, p.id,
		"9999-12-31", 0, must(strconv.Atoi(c.Query("per_page"))))
	all := make([]gin.H, len(rows))
	for i := range rows {
		all[i] = gin.H{"financial_transaction": rows[i]}
	}
	c.JSON(http.StatusOK, all)
}

// create stores a transaction and its event, and moves the balance, in one transaction of the database.
func (f floorAPI) create(c *gin.Context) {
	p, ctx := f.place(c), c.Request.Context()
	var sent struct {
		Transaction map[string]any `json:"financial_transaction"`
	}
	check(json.NewDecoder(c.Request.Body).Decode(&sent))
	values := sent.Transaction
	if values["type"] == "Debit" {
		values["amount"] = "-" + values["amount"].(string)
	}
	delete(values, "type")
	document := must(json.Marshal([]any{values}))
	var row any
	inTx(ctx, f.db, func(tx *sql.Tx) {
		must(tx.ExecContext(ctx, `SELECT FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3
			AND deleted_at IS NULL FOR KEY SHARE`, p.account, p.entity, p.id))
		row = readGolden("financial_transactions.insert").named(ctx, tx, map[string]any{"account": p.account,
			"deposit_account": p.id, "transactions": document})[0]
		id := *reflect.ValueOf(row).Elem().Field(0).Interface().(*int64)
		readGolden("emit.reconcile_transactions").emit(ctx, tx, p.account, p.entity, map[string]any{
			"family": "financial_transactions", "action": "created", "parent": p.id, "ids": pq.Array([]int64{id})})
		must(tx.ExecContext(ctx, `
			UPDATE deposit_accounts
			SET transactions_sum = transactions_sum + $3, transactions_count = transactions_count + 1,
				last_transaction_date = greatest(last_transaction_date, $4), updated_at = now()
			WHERE account_id = $1 AND id = $2`, p.account, p.id, values["amount"], values["occurred_at"]))
	})
	c.JSON(http.StatusCreated, gin.H{"financial_transaction": row})
}

// searches are texts that occur in all sales, in many, in few and nowhere. Some are too short for the index.
var searches = []string{
	"[description_contains]=casamento", "[description_contains]=o", "[description_contains]=99",
	"[description_contains]=9999", "[description_contains]=mento+99999", "[description_contains]=torta",
	"[description_contains]=zz", "[observation_contains]=%C3%80S", "[observation_contains]=150",
	"[observation_contains]=torta", "[description_contains]=bolo&search[observation_contains]=entregar",
	"[description_contains]=999&search[occurred_at_gte]=2026-03-01&search[occurred_at_lte]=2026-03-31",
}

// measureSearch measures the slowest page of 50 sales found by text, one request at a time:
// the median of five.
func measureSearch(ctx context.Context, h *harness) (ours, floor figure) {
	h.few(3)
	s := h.service(ctx, "api")
	s.sell(ctx)
	return func(ctx context.Context, _ time.Duration) (slowest sample) {
		for _, search := range searches {
			took := make([]time.Duration, 5)
			for i := range took {
				path := s.path("/sales?per_page=50&search") + search
				took[i] = timed(func() { s.ask(ctx, http.MethodGet, path, "", nil) })
			}
			ms := milliseconds(percentile(took, 50))
			progress("%s: %s: %s ms", h.measured, search, number(ms))
			slowest.value = max(slowest.value, ms)
		}
		return slowest
	}, nil
}

// sell creates 600 days of sales, without the checks of their references.
func (s *service) sell(ctx context.Context) {
	s.newSaleAccount(ctx)
	inTx(ctx, s.db, func(tx *sql.Tx) {
		must(tx.ExecContext(ctx, `SET LOCAL session_replication_role = replica`))
		must(tx.ExecContext(ctx, `
			WITH made AS (
				INSERT INTO sales (account_id, entity_id, sale_account_id, awaiting_pricing, payment_method, issuer,
					document, occurred_at, confirmed_at, competency_month, description, observation, nominal_amount,
					total_amount)
				SELECT $1, $2, 1, false, 'pix', NULL,
					'NF ' || n, day, CASE WHEN n % 2 = 0 THEN day + 1 END, date_trunc('month', day),
					'Bolo de casamento ' || n, CASE WHEN n % 50 = 0 THEN 'Entregar às ' || n END, n % 90000 + 10,
					n % 90000 + 10
				FROM (SELECT n, date '2025-01-01' + (n::bigint * 600 / $3::int)::int AS day
					FROM generate_series(1, $3::int) n) n ORDER BY n
				RETURNING account_id, entity_id, id, description, observation)
			INSERT INTO sale_texts (account_id, entity_id, sale_id, description, observation)
			SELECT account_id, entity_id, id, fold(description), fold(observation) FROM made`,
			s.AccountID, s.EntityID, s.sales))
	})
	s.vacuum(ctx)
}
