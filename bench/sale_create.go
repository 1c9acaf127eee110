package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/storage"

	"github.com/gin-gonic/gin"
)

// measureCreateSale compares creating a sale, with its job and its event, with a bare handler
// that decodes the same document and runs the same statements in a transaction.
func measureCreateSale(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	store, err := storage.Open(s.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return nil, nil, err
	}
	defer store.Close()
	account := finance.SaleAccount{AccountID: s.AccountID, EntityID: s.EntityID, Name: "Cielo", Provider: "cielo", PaymentMethods: "credit"}
	if err := store.InTx(ctx, func(tx *storage.Tx) error { return tx.InsertSaleAccount(ctx, &account) }); err != nil {
		return nil, nil, err
	}
	path := fmt.Sprintf("/entities/%d/sales", s.EntityID)
	newSale := fmt.Sprintf(`{"sale":{"sale_account_id":%d,"nominal_amount":"199.11","occurred_at":"2026-03-04","description":"Bolo de casamento",`+
		`"payment_method":"credit","issuer":"Visa","document":"NF 1"}}`, account.ID)
	figures := [2]figure{}
	for i, addr := range []string{s.api, s.floor} {
		figures[i] = s.send(addr, s.request(http.MethodPost, addr, path, newSale))
	}
	err = s.answerAlike(ctx, http.MethodPost, path, newSale, func(document any) any {
		root, _ := document.(map[string]any)
		sale, _ := root["sale"].(map[string]any)
		for _, differs := range []string{"id", "created_at", "updated_at", "links"} {
			sale[differs] = sale[differs] != nil
		}
		return document
	})
	return figures[0], figures[1], err
}

// floorNewSale is the request that creates a sale.
type floorNewSale struct {
	SaleAccountID int64   `json:"sale_account_id"`
	NominalAmount string  `json:"nominal_amount"`
	OccurredAt    string  `json:"occurred_at"`
	Description   *string `json:"description"`
	PaymentMethod string  `json:"payment_method"`
	Issuer        *string `json:"issuer"`
	Document      *string `json:"document"`
}

// createSale creates a sale as a.write, storage.InsertSale and Emit do.
func (f floorAPI) createSale(c *gin.Context) {
	_, account, ok := f.access(c)
	if !ok {
		return
	}
	entity, err := strconv.ParseInt(c.Param("entity_id"), 10, 64)
	if err != nil {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	var sent struct {
		Sale floorNewSale `json:"sale"`
	}
	if err := json.NewDecoder(c.Request.Body).Decode(&sent); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	kept, err := f.insertSale(c, account, entity, sent.Sale)
	if !found(c, err) {
		return
	}
	document := f.sale(entity, kept)
	c.Header("Location", kept.Links[0].Href)
	c.JSON(http.StatusCreated, document)
}

func (f floorAPI) insertSale(ctx context.Context, account, entity int64, s floorNewSale) (*floorSale, error) {
	tx, err := f.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // no-op after a commit
	var of struct {
		ID           int64
		AccountID    int64      `db:"account_id"`
		Name         string     `db:"name"`
		Number       *string    `db:"federation_subscription_number"`
		ForceDestroy bool       `db:"force_destroy"`
		CreatedAt    time.Time  `db:"created_at"`
		UpdatedAt    time.Time  `db:"updated_at"`
		DeletedAt    *time.Time `db:"deleted_at"`
	}
	if err := f.oneOf(ctx, tx, &of, `SELECT id, account_id, name, federation_subscription_number, force_destroy, created_at, updated_at, deleted_at
		FROM entities WHERE account_id = $1 AND id = $2 FOR KEY SHARE`, account, entity); err != nil {
		return nil, err
	}
	var by struct {
		ID        int64
		AccountID int64  `db:"account_id"`
		EntityID  int64  `db:"entity_id"`
		Methods   string `db:"payment_methods"`
	}
	if err := f.oneOf(ctx, tx, &by, `SELECT a.id, a.account_id, a.entity_id, a.payment_methods FROM sale_accounts a
		WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4 FOR KEY SHARE`,
		account, true, "{}", s.SaleAccountID); err != nil {
		return nil, err
	}
	if by.EntityID != entity || !strings.Contains(by.Methods, s.PaymentMethod) {
		return nil, fmt.Errorf("sale account %d", s.SaleAccountID)
	}
	var id, job, told int64
	if err := f.oneOf(ctx, tx, &id, `
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, issuer, document, occurred_at, competency_month, description,
			nominal_amount, total_amount, total_taxes)
		VALUES ($1, $2, $3, $4, $5, $6, $7::date, date_trunc('month', $7::date), $8, $9, $9, 0) RETURNING id`,
		account, entity, s.SaleAccountID, s.PaymentMethod, s.Issuer, s.Document, s.OccurredAt, s.Description, s.NominalAmount); err != nil {
		return nil, err
	}
	if err := f.oneOf(ctx, tx, &job, `
		INSERT INTO jobs (kind, queue, key, args, account_id) VALUES ('price_sales', 'sales', $1, $2, $3) RETURNING id`,
		fmt.Sprintf("%d:%d", account, s.SaleAccountID), fmt.Sprintf(`{"account_id":%d,"sale_account_id":%d}`, account, s.SaleAccountID), account); err != nil {
		return nil, err
	}
	var kept floorSale
	if err := f.oneOf(ctx, tx, &kept, floorSales+`FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.id = $3`, account, entity, id); err != nil {
		return nil, err
	}
	if err := f.oneOf(ctx, tx, &told, floorNotified, account, "sales", "created", entity, 0, id); err != nil {
		return nil, err
	}
	return &kept, tx.Commit()
}
