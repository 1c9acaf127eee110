package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// floorAddr is the variable with which the bench starts itself as the floor of the API's paths:
// ordinary handlers of Gin, sqlx and encoding/json, with the statements that the API runs and
// nothing else.
const floorAddr = "BENCH_FLOOR_ADDR"

// floorPrepared makes the floor prepare its statements, which is seldom done in practice.
const floorPrepared = "BENCH_FLOOR_PREPARED"

// serveFloor serves until the process ends.
func serveFloor(addr string) error {
	db, err := openFloor(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	f := floorAPI{db: sqlx.NewDb(db, "postgres"), url: "http://" + addr}
	if os.Getenv(floorPrepared) != "" {
		f.prepared = &sync.Map{}
	}
	e.GET("/healthz", func(c *gin.Context) { c.Status(http.StatusOK) })
	e.GET("/entities/:entity_id/deposit_accounts/:deposit_account_id", f.depositAccount)
	e.GET("/entities/:entity_id/deposit_accounts/:deposit_account_id/financial_transactions", f.transactions)
	e.POST("/entities/:entity_id/deposit_accounts/:deposit_account_id/financial_transactions", f.createTransaction)
	return http.ListenAndServe(addr, e) // on the loopback, for a minute
}

type floorAPI struct {
	db       *sqlx.DB
	url      string
	prepared *sync.Map // *sqlx.Stmt by statement; nil: statements are not prepared
}

// one reads one row, and all reads all rows.
func (f floorAPI) one(ctx context.Context, dest any, query string, args ...any) error {
	if f.prepared == nil {
		return f.db.GetContext(ctx, dest, query, args...)
	}
	return f.stmt(query).GetContext(ctx, dest, args...)
}

// oneOf is one inside a transaction.
func (f floorAPI) oneOf(ctx context.Context, tx *sqlx.Tx, dest any, query string, args ...any) error {
	if f.prepared == nil {
		return tx.GetContext(ctx, dest, query, args...)
	}
	return tx.StmtxContext(ctx, f.stmt(query)).GetContext(ctx, dest, args...)
}

func (f floorAPI) all(ctx context.Context, dest any, query string, args ...any) error {
	if f.prepared == nil {
		return f.db.SelectContext(ctx, dest, query, args...)
	}
	return f.stmt(query).SelectContext(ctx, dest, args...)
}

func (f floorAPI) stmt(query string) *sqlx.Stmt {
	if s, ok := f.prepared.Load(query); ok {
		return s.(*sqlx.Stmt)
	}
	s, _ := f.prepared.LoadOrStore(query, must(f.db.Preparex(query)))
	return s.(*sqlx.Stmt)
}

type floorAccess struct {
	UserID        int64          `db:"id"`
	Email         string         `db:"email"`
	AccountID     int64          `db:"account_id"`
	AccountName   string         `db:"account_name"`
	Administrator bool           `db:"administrator"`
	Denied        pq.StringArray `db:"denied"`
	AllEntities   bool           `db:"all_entities"`
	EntityIDs     pq.Int64Array  `db:"entity_ids"`
}

// account checks the token, as storage.Accesses does. For a bad token it answers 401 and ok is
// false.
func (f floorAPI) account(c *gin.Context) (account int64, ok bool) {
	token, _, _ := c.Request.BasicAuth()
	sum := sha256.Sum256([]byte(token))
	var accesses []floorAccess
	err := f.all(c.Request.Context(), &accesses, `
		SELECT u.id, u.email, coalesce(m.account_id, 0) AS account_id, coalesce(a.name, '') AS account_name,
		       coalesce(m.administrator, false) AS administrator, m.denied,
			coalesce(m.all_entities, false) AS all_entities,
		       ARRAY(SELECT e.entity_id FROM membership_entities e WHERE e.account_id = m.account_id
			AND e.user_id = u.id) AS entity_ids
		FROM tokens t
		JOIN users u ON u.id = t.user_id
		LEFT JOIN memberships m ON m.user_id = u.id AND (t.account_id IS NULL OR t.account_id = m.account_id)
		LEFT JOIN accounts a ON a.id = m.account_id
		WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
		ORDER BY m.account_id`, sum[:])
	if err != nil {
		c.AbortWithError(http.StatusInternalServerError, err)
		return 0, false
	}
	if len(accesses) != 1 || !accesses[0].AllEntities {
		c.AbortWithStatus(http.StatusUnauthorized)
		return 0, false
	}
	return accesses[0].AccountID, true
}

// floorDay writes a date without a time.
type floorDay time.Time

func (d *floorDay) Scan(src any) error {
	t, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("day from %T", src)
	}
	*d = floorDay(t)
	return nil
}

func (d floorDay) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(d).Format(`"2006-01-02"`)), nil
}

type floorLink struct {
	Rel    string `json:"rel"`
	Href   string `json:"href"`
	Method string `json:"method"`
}

// floorDepositAccount has the whole document. Fields without a column are constants on both
// sides.
type floorDepositAccount struct {
	ID                   int64       `db:"id" json:"id"`
	AccountID            int64       `db:"account_id" json:"-"`
	EntityID             int64       `db:"entity_id" json:"entity_id"`
	Name                 string      `db:"name" json:"name"`
	Description          *string     `db:"description" json:"description"`
	DepositAccountTypeID *int64      `db:"deposit_account_type_id" json:"deposit_account_type_id"`
	BankAccountID        *int64      `db:"bank_account_id" json:"bank_account_id"`
	CurrencyID           int64       `db:"currency_id" json:"currency_id"`
	AccountNumber        *string     `db:"account_number" json:"account_number"`
	SuggestedNumber      *string     `json:"suggested_account_number"`
	InitialBalance       *string     `db:"initial_balance" json:"initial_balance"`
	CalculatedBalance    string      `db:"calculated_balance" json:"calculated_balance"`
	TransactionsCount    int64       `db:"transactions_count" json:"-"`
	Archive              bool        `json:"archive"`
	ArchivedAt           *time.Time  `db:"archived_at" json:"archived_at"`
	LastTransactionDate  *floorDay   `db:"last_transaction_date" json:"last_transaction_date"`
	Automatic            bool        `db:"automatic_reconciliation" json:"automatic_reconciliation"`
	ForceDestroy         bool        `db:"force_destroy" json:"force_destroy"`
	ImportedFromSync     bool        `json:"imported_from_sync"`
	SyncResponse         *string     `json:"sync_response"`
	LogoImageURL         string      `json:"logo_image_url"`
	CreatedAt            time.Time   `db:"created_at" json:"created_at"`
	UpdatedAt            time.Time   `db:"updated_at" json:"updated_at"`
	Links                []floorLink `json:"links"`
}

func (f floorAPI) depositAccount(c *gin.Context) {
	account, ok := f.account(c)
	if !ok {
		return
	}
	entity, id, ok := pathIDs(c)
	if !ok {
		return
	}
	var d floorDepositAccount
	err := f.one(c.Request.Context(), &d, `
		SELECT id, account_id, entity_id, name, description, deposit_account_type_id, bank_account_id, currency_id,
			account_number, initial_balance, coalesce(initial_balance, 0) + transactions_sum AS calculated_balance,
				transactions_count,
			last_transaction_date, automatic_reconciliation, force_destroy, archived_at, created_at, updated_at
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3`, account, entity, id)
	if !found(c, err) {
		return
	}
	d.Archive = d.ArchivedAt != nil
	d.LogoImageURL = "logos/logo-bank-account.png"
	d.Links = []floorLink{{"self", fmt.Sprintf("%s/entities/%d/deposit_accounts/%d", f.url, entity, id), "get"}}
	c.JSON(http.StatusOK, gin.H{"deposit_account": d})
}

// pathIDs reads the entity and the deposit account of the path, or answers 404.
func pathIDs(c *gin.Context) (entity, account int64, ok bool) {
	entity, err1 := strconv.ParseInt(c.Param("entity_id"), 10, 64)
	account, err2 := strconv.ParseInt(c.Param("deposit_account_id"), 10, 64)
	if err1 != nil || err2 != nil {
		c.AbortWithStatus(http.StatusNotFound)
		return 0, 0, false
	}
	return entity, account, true
}

// found reports whether a row was found; otherwise it answers 404 or 500.
func found(c *gin.Context, err error) bool {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		c.AbortWithStatus(http.StatusNotFound)
	case err != nil:
		c.AbortWithError(http.StatusInternalServerError, err)
	}
	return err == nil
}

type floorTransaction struct {
	ID                       int64     `db:"id" json:"id"`
	AccountID                int64     `db:"account_id" json:"-"`
	GUID                     *string   `db:"guid" json:"guid"`
	Type                     string    `db:"type" json:"type"`
	AbsoluteAmount           string    `json:"absolute_amount"`
	Amount                   string    `db:"amount" json:"amount"`
	OccurredAt               floorDay  `db:"occurred_at" json:"occurred_at"`
	Document                 *string   `db:"document" json:"document"`
	OriginalDescription      *string   `db:"original_description" json:"original_description"`
	UserDescription          *string   `db:"user_description" json:"user_description"`
	BankStatementID          *int64    `db:"bank_statement_id" json:"bank_statement_id"`
	ClassificationCenterID   *int64    `json:"classification_center_id"`
	DepositAccountID         int64     `db:"deposit_account_id" json:"deposit_account_id"`
	PersonID                 *int64    `json:"person_id"`
	ParentID                 *int64    `json:"parent_id"`
	CurrencyID               int64     `db:"currency_id" json:"currency_id"`
	CategoryID               *int64    `json:"category_id"`
	TransferID               *int64    `json:"transfer_id"`
	CreatedAt                time.Time `db:"created_at" json:"created_at"`
	UpdatedAt                time.Time `db:"updated_at" json:"updated_at"`
	ImportedFromSync         bool      `json:"imported_from_sync"`
	BalanceDifference        bool      `json:"balance_difference"`
	Divided                  bool      `json:"divided"`
	AttachmentsCount         int64     `json:"attachments_count"`
	Observation              *string   `db:"observation" json:"observation"`
	Reconciled               bool      `json:"reconciled"`
	TransferDepositAccountID *int64    `json:"transfer_deposit_account_id"`
	AttachmentIDList         []int64   `json:"attachment_id_list"`
	ReconcileID              *int64    `json:"reconcile_id"`
	Reconciliations          struct {
		FinancialAccounts     []int64 `json:"financial_accounts"`
		FinancialTransactions []int64 `json:"financial_transactions"`
	} `json:"reconciliations"`
	Links []floorLink `json:"links"`
}

func (f floorAPI) transactions(c *gin.Context) {
	account, ok := f.account(c)
	if !ok {
		return
	}
	entity, err1 := strconv.ParseInt(c.Param("entity_id"), 10, 64)
	id, err2 := strconv.ParseInt(c.Param("deposit_account_id"), 10, 64)
	perPage, err3 := strconv.Atoi(c.DefaultQuery("per_page", "20"))
	if err1 != nil || err2 != nil || err3 != nil {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	ctx := c.Request.Context()
	var total int64
	err := f.one(ctx, &total, `
		SELECT transactions_count FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3`, account,
		entity, id)
	if !found(c, err) {
		return
	}
	var rows []floorTransaction
	err = f.all(ctx, &rows, `
		SELECT t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type,
			t.amount,
			t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation,
				t.bank_statement_id,
			t.currency_id, t.created_at, t.updated_at
		FROM financial_transactions t WHERE t.account_id = $1 AND t.deposit_account_id = $2
		ORDER BY t.occurred_at DESC, t.id DESC LIMIT $3 OFFSET $4`, account, id, perPage, 0)
	if !found(c, err) {
		return
	}
	all := make([]gin.H, len(rows))
	for i := range rows {
		f.complete(&rows[i], entity)
		all[i] = gin.H{"financial_transaction": &rows[i]}
	}
	c.Header("X-Total", strconv.FormatInt(total, 10))
	c.JSON(http.StatusOK, all)
}
