package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/storage"
	"bordero/storage/demo"
	"bordero/storage/list"
)

// tenants is how many share the load: writes to one deposit account are serialised.
const tenants = 4

// customer is a tenant of the load, with the books of a company.
type customer struct {
	tenant
	accounts    []int64 // deposit accounts
	saleAccount int64
}

// newCustomer fills an account with size sales and transactions.
func newCustomer(ctx context.Context, store *storage.Store, number, size int) (c customer, err error) {
	if c.tenant, err = newTenant(ctx, store, fmt.Sprintf("%016x", number)); err != nil {
		return c, err
	}
	filled, err := demo.Fill(ctx, store, demo.Options{
		AccountID: c.AccountID, Sales: size, Transactions: size, Seed: uint64(number),
		Today: finance.DateOf(time.Now()),
	}, func(string, int, int) {})
	if err != nil {
		return c, err
	}
	c.EntityID = filled.EntityID
	banks, err := store.DepositAccounts(ctx, c.Scope, list.Query{})
	if err != nil {
		return c, err
	}
	for _, d := range banks.Items {
		c.accounts = append(c.accounts, d.ID)
	}
	all := finance.Access{AccountID: c.AccountID, Administrator: true, AllEntities: true}
	outlets, err := store.SaleAccounts(ctx, all, list.Query{})
	if err != nil {
		return c, err
	}
	for _, a := range outlets.Items {
		if a.AcceptsMethod("credit") {
			c.saleAccount = a.ID
		}
	}
	return c, nil
}

// request returns one request of the mix. Of a hundred, 70 read, 15 create a sale, 13 create a
// transaction and 2 upload a statement of 100 items. Do not change the mix: figures of different
// releases are compared.
func (c customer) request(ctx context.Context, url string, r *rand.Rand) *http.Request {
	account := c.accounts[r.IntN(len(c.accounts))]
	entity := fmt.Sprintf("%s/entities/%d", url, c.EntityID)
	bank := fmt.Sprintf("%s/deposit_accounts/%d", entity, account)
	day := finance.DateOf(time.Now()).AddDays(-r.IntN(700))
	switch n := r.IntN(100); {
	case n < 20:
		return c.ask(ctx, http.MethodGet, bank, "", nil)
	case n < 45:
		return c.ask(ctx, http.MethodGet, bank+"/financial_transactions?page=1&per_page=50", "", nil)
	case n < 60:
		return c.ask(ctx, http.MethodGet, fmt.Sprintf("%s/"+
			"sales?per_page=50&search[occurred_at_gte]=%v&search[occurred_at_lte]=%v", entity, day, day.AddDays(7)), "",
			nil)
	case n < 70:
		return c.ask(ctx, http.MethodGet, entity+"/payable_accounts?per_page=50&search[status_equals]=1", "", nil)
	case n < 85:
		return c.ask(ctx, http.MethodPost, entity+"/sales", "application/json", fmt.Appendf(nil,
			`{"sale":{"sale_account_id":%d,"payment_method":"credit","issuer":"Visa","nominal_amount":"%d.%02d",`+
				`"occurred_at":"%v"}}`,
			c.saleAccount, 1+r.IntN(500), r.IntN(100), day))
	case n < 98:
		return c.ask(ctx, http.MethodPost, bank+"/financial_transactions", "application/json", fmt.Appendf(nil,
			`{"financial_transaction":{"type":"Debit","amount":"%d.%02d","occurred_at":"%v","user_description":"PIX"}}`,
			1+r.IntN(900), r.IntN(100), day))
	default:
		body, contentType := upload(statementtest.OFX(100, statementtest.Seed(r.Int64()), statementtest.Start(day)))
		return c.ask(ctx, http.MethodPost, bank+"/bank_statements", contentType, body)
	}
}

// upload returns a document with the statement, and its content type.
func upload(file []byte) (body []byte, contentType string) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, _ := form.CreateFormFile("bank_statement[file]", "extrato.ofx") // a Buffer accepts all writes
	_, _ = part.Write(file)
	_ = form.Close()
	return b.Bytes(), form.FormDataContentType()
}

func (c customer) ask(ctx context.Context, method, url, contentType string, body []byte) *http.Request {
	req := must(http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body)))
	req.SetBasicAuth(c.token, "x")
	req.Header.Set("ACCOUNT_ID", fmt.Sprint(c.AccountID)) // the user is a member of all accounts
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	return req
}

// arrivals are the results of an open-loop load.
type arrivals struct {
	took   []float64 // ms, each since the request was due
	failed int       // not answered with 2xx
	late   int       // never sent: all clients were still waiting when the load ended
	first  string    // of the failures
}

// clients limits the requests in flight.
const clients = 256

// arrive sends requests at the rate for d, each when it is due and not when the one before is
// answered. The latency thus includes the wait that a slow service causes.
func arrive(ctx context.Context, rate float64, d time.Duration, seed uint64,
	request func(context.Context, *rand.Rand) *http.Request) arrivals {
	var all arrivals
	var mu sync.Mutex
	var next atomic.Int64
	var sending sync.WaitGroup
	begin := time.Now()
	end, most := begin.Add(d), int64(rate*d.Seconds())
	for range min(clients, most) {
		sending.Go(func() {
			for i := next.Add(1) - 1; i < most && ctx.Err() == nil; i = next.Add(1) - 1 {
				due := begin.Add(time.Duration(float64(i) / rate * float64(time.Second)))
				time.Sleep(time.Until(due))
				if time.Now().After(end.Add(time.Second)) {
					mu.Lock()
					all.late++
					mu.Unlock()
					continue
				}
				err := send(request(ctx, rand.New(rand.NewPCG(seed, uint64(i)))))
				took := float64(time.Since(due).Microseconds()) / 1000
				mu.Lock()
				all.took = append(all.took, took)
				if err != nil {
					all.failed++
					all.first = err.Error()
				}
				mu.Unlock()
			}
		})
	}
	sending.Wait()
	return all
}

// loadClient pools a connection for each of the clients.
var loadClient = &http.Client{
	Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConns: clients, MaxIdleConnsPerHost: clients},
}

func send(req *http.Request) error {
	res, err := loadClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s %s", req.Method, req.URL.Path, res.Status, body)
	}
	return err
}
