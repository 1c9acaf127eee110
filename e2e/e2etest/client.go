package e2etest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

// Client is a user of the API. Its JSON is the output of `account create`.
type Client struct {
	URL    string `json:"-"`
	Token  string
	Entity int64 `json:"entity_id"`
	ID     int64 `json:"account_id"`
}

// Answer is a response of the API.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Refused is the error of an unexpected response.
type Refused struct{ Answer }

func (r Refused) Error() string { return fmt.Sprintf("%d: %s", r.Status, r.Body) }

// visitor pools as many connections as the tests have clients.
var visitor = &http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
}

// Do sends a request and reads the response.
func (c *Client) Do(method, path, contentType string, body io.Reader) (Answer, error) {
	return c.DoKeyed("", method, path, contentType, body)
}

// DoKeyed is Do with an Idempotency-Key, unless it is empty.
func (c *Client) DoKeyed(key, method, path, contentType string, body io.Reader) (Answer, error) {
	request, err := http.NewRequest(method, c.URL+path, body)
	if err != nil {
		return Answer{}, err
	}
	request.SetBasicAuth(c.Token, "x")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	answer, err := visitor.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	return Answer{answer.StatusCode, answer.Header, read}, err
}

// Get reads the document at path into v. Any status but 200 fails the test.
func (c *Client) Get(t testing.TB, path string, v any) Answer {
	t.Helper()
	answer, err := c.Do(http.MethodGet, path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Status != http.StatusOK {
		t.Fatalf("GET %s: %v", path, Refused{answer})
	}
	if err := json.Unmarshal(answer.Body, v); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return answer
}

// Post creates a record from document and reads the response into v.
func (c *Client) Post(path string, document, v any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	answer, err := c.Do(http.MethodPost, path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if answer.Status != http.StatusCreated {
		return Refused{answer}
	}
	return json.Unmarshal(answer.Body, v)
}

// DepositAccount has the fields that the tests use.
type DepositAccount struct {
	ID      int64
	Balance finance.Amount `json:"calculated_balance"`
	Last    *finance.Date  `json:"last_transaction_date"`
}

// NewDepositAccount creates a checking account. number is its account_number, which may be "".
func (c *Client) NewDepositAccount(t testing.TB, number string) int64 {
	t.Helper()
	return c.NewDepositAccountIn(t, number, "BRL")
}

// NewDepositAccountIn is NewDepositAccount in a currency, by its code.
func (c *Client) NewDepositAccountIn(t testing.TB, number, currency string) int64 {
	t.Helper()
	in := slices.IndexFunc(finance.Currencies, func(c finance.Currency) bool { return c.Code == currency })
	if in < 0 {
		t.Fatalf("no currency %q", currency)
	}
	document := map[string]any{"name": "Banco", "deposit_account_type_id": 1, "currency_id": finance.Currencies[in].ID}
	if number != "" {
		document["account_number"] = number
	}
	var made struct {
		DepositAccount DepositAccount `json:"deposit_account"`
	}
	if err := c.Post(paths.DepositAccounts(c.Entity), map[string]any{"deposit_account": document}, &made); err != nil {
		t.Fatal(err)
	}
	return made.DepositAccount.ID
}

// Balance returns the calculated balance of a deposit account.
func (c *Client) Balance(t testing.TB, depositAccount int64) finance.Amount {
	t.Helper()
	var got struct {
		DepositAccount DepositAccount `json:"deposit_account"`
	}
	c.Get(t, paths.DepositAccount(c.Entity, depositAccount), &got)
	return got.DepositAccount.Balance
}

// Transaction has the fields that the tests use.
type Transaction struct {
	ID         int64
	Amount     finance.Amount
	OccurredAt finance.Date `json:"occurred_at"`
	Document   *string
}

// Transactions returns the newest page of the transactions of a deposit account.
func (c *Client) Transactions(t testing.TB, depositAccount int64) []Transaction {
	t.Helper()
	var page []struct {
		Transaction Transaction `json:"financial_transaction"`
	}
	c.Get(t, paths.FinancialTransactions(c.Entity, depositAccount)+"?per_page=500", &page)
	all := make([]Transaction, len(page))
	for i, p := range page {
		all[i] = p.Transaction
	}
	return all
}

// NewTransaction creates a credit.
func (c *Client) NewTransaction(depositAccount int64, amount finance.Amount, document string) (Transaction, error) {
	var made struct {
		Transaction Transaction `json:"financial_transaction"`
	}
	err := c.Post(paths.FinancialTransactions(c.Entity, depositAccount), map[string]any{
		"financial_transaction": map[string]any{
			"type": finance.Credit, "amount": amount.String(), "occurred_at": "2026-01-02", "document": document,
		}}, &made)
	return made.Transaction, err
}

// Counts are the counters of a statement.
type Counts struct {
	Imported     int `json:"imported_items_count"`
	Future       int `json:"future_items_ignored_count"`
	Zero         int `json:"amount_zero_items_ignored_count"`
	InvalidDate  int `json:"invalid_date_items_ignored_count"`
	Pending      int `json:"pending_items_ignored_count"`
	BalanceRows  int `json:"balance_items_ignored_count"`
	Duplicate    int `json:"duplicate_items_ignored_count"`
	OtherAccount int `json:"other_account_items_ignored_count"`
}

// Statement is an uploaded file and the state of its import.
type Statement struct {
	ID               int64
	DepositAccountID int64 `json:"deposit_account_id"`
	Counts
	Event struct {
		Status     string
		Output     string
		FinishedAt *time.Time `json:"finished_at"`
	}
	Proof *BalanceProof `json:"balance_proof"`
}

// BalanceProof compares the balance that a statement states with ours.
type BalanceProof struct {
	Status       string
	On           *finance.Date
	Bank         finance.Amount  `json:"bank_balance"`
	Ours         *finance.Amount `json:"our_balance"`
	Difference   *finance.Amount
	Explanations []struct {
		Kind   finance.ExplanationKind
		Amount finance.Amount
	}
}

// Ended reports whether the import or the preview has ended.
func (s Statement) Ended() bool {
	return s.Event.Status == "success" || s.Event.Status == "error" || s.Event.Status == "previewed"
}

// Upload uploads a statement. Any status but 201 is an error.
func (c *Client) Upload(depositAccount int64, file []byte) (Statement, error) {
	return c.upload(depositAccount, "", file)
}

// Preview uploads a statement for a preview, as Upload does.
func (c *Client) Preview(depositAccount int64, file []byte) (Statement, error) {
	return c.upload(depositAccount, "?preview=true", file)
}

func (c *Client) upload(depositAccount int64, query string, file []byte) (Statement, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("bank_statement[file]", "extrato.ofx")
	if err != nil {
		return Statement{}, err
	}
	if _, err := part.Write(file); err != nil {
		return Statement{}, err
	}
	if err := form.Close(); err != nil {
		return Statement{}, err
	}
	answer, err := c.Do(http.MethodPost, paths.BankStatements(c.Entity, depositAccount)+query,
		form.FormDataContentType(), &body)
	if err != nil {
		return Statement{}, err
	}
	if answer.Status != http.StatusCreated {
		return Statement{}, Refused{answer}
	}
	var made struct {
		Statement Statement `json:"bank_statement"`
	}
	if err := json.Unmarshal(answer.Body, &made); err != nil {
		return Statement{}, err
	}
	if want := c.URL + paths.BankStatement(c.Entity, depositAccount, made.Statement.ID); answer.Header.Get(
		"Location") != want {
		return Statement{}, fmt.Errorf("location %q, not %q", answer.Header.Get("Location"), want)
	}
	return made.Statement, nil
}

// MustUpload uploads a statement that must be accepted and queued.
func (c *Client) MustUpload(t testing.TB, depositAccount int64, file []byte) Statement {
	t.Helper()
	s, err := c.Upload(depositAccount, file)
	if err != nil {
		t.Fatal(err)
	}
	if s.Event.Status != finance.ImportQueued {
		t.Errorf("a new statement is %s", s.Event.Status)
	}
	return s
}

// Statement fetches a statement again.
func (c *Client) Statement(t testing.TB, s Statement) Statement {
	t.Helper()
	var got struct {
		Statement Statement `json:"bank_statement"`
	}
	c.Get(t, paths.BankStatement(c.Entity, s.DepositAccountID, s.ID), &got)
	return got.Statement
}

// Open sets the initial balance of a deposit account by a statement, which must be possible.
func (c *Client) Open(t testing.TB, s Statement) Statement {
	t.Helper()
	answer, err := c.Do(http.MethodPost, paths.BankStatement(c.Entity, s.DepositAccountID, s.ID)+"/opening_balance", "",
		nil)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("the opening balance: %v, %v", Refused{answer}, err)
	}
	var opened struct {
		Statement Statement `json:"bank_statement"`
	}
	if err := json.Unmarshal(answer.Body, &opened); err != nil {
		t.Fatal(err)
	}
	return opened.Statement
}

// AwaitEnd waits until the import of a statement has ended.
func (c *Client) AwaitEnd(t testing.TB, s Statement) Statement {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("the end of import %d", s.ID), func() bool {
		s = c.Statement(t, s)
		return s.Ended()
	})
	return s
}

// Import uploads a file and waits for the end of its import.
func (c *Client) Import(t testing.TB, depositAccount int64, file []byte) Statement {
	t.Helper()
	return c.AwaitEnd(t, c.MustUpload(t, depositAccount, file))
}
