package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// newPerson is the request: the usual data of a customer.
const newPerson = `{"person":{"name":"Padaria São João Ltda","person_type":"JuridicalPerson","customer":true,"supplier":false,` +
	`"federation_subscription_number":"42.308.611/0001-41","email":"contato@padaria.example","phone":"(11) 5555-0101",` +
	`"address":"Rua das Flores","address_number":"12","city":"São Paulo","state":"SP","zip_code":"01000-000","country":"Brasil"}}`

// measureCreate compares creating a person, with its event, with a bare handler that decodes the
// same document and runs the same statements in a transaction.
func measureCreate(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	const path = "/people"
	figures := [2]figure{}
	for i, addr := range []string{s.api, s.floor} {
		figures[i] = s.send(addr, s.request(http.MethodPost, addr, path, newPerson))
	}
	err = s.answerAlike(ctx, http.MethodPost, path, newPerson, func(document any) any {
		root, _ := document.(map[string]any)
		person, _ := root["person"].(map[string]any)
		for _, differs := range []string{"id", "created_at", "updated_at"} {
			person[differs] = person[differs] != nil
		}
		return document
	})
	return figures[0], figures[1], err
}

type floorPerson struct {
	ID                  int64     `db:"id" json:"id"`
	AccountID           int64     `db:"account_id" json:"account_id"`
	Name                string    `db:"name" json:"name"`
	PersonType          *string   `db:"person_type" json:"person_type"`
	Customer            bool      `db:"customer" json:"customer"`
	Supplier            bool      `db:"supplier" json:"supplier"`
	Number              *string   `db:"federation_subscription_number" json:"federation_subscription_number"`
	Code                *string   `db:"federation_subscription_code" json:"federation_subscription_number_only_numbers"`
	SubscriptionTypeID  *int64    `json:"federation_subscription_type_id"`
	Email               *string   `db:"email" json:"email"`
	Phone               *string   `db:"phone" json:"phone"`
	Site                *string   `db:"site" json:"site"`
	Address             *string   `db:"address" json:"address"`
	AddressNumber       *string   `db:"address_number" json:"address_number"`
	Complement          *string   `db:"complement" json:"complement"`
	Neighborhood        *string   `db:"neighborhood" json:"neighborhood"`
	City                *string   `db:"city" json:"city"`
	State               *string   `db:"state" json:"state"`
	ZipCode             *string   `db:"zip_code" json:"zip_code"`
	Country             *string   `db:"country" json:"country"`
	FebrabanName        *string   `db:"febraban_name" json:"febraban_name"`
	FebrabanFavoredCode *string   `db:"febraban_favored_code" json:"febraban_favored_code"`
	Note                *string   `db:"note" json:"note"`
	ForceDestroy        bool      `db:"force_destroy" json:"force_destroy"`
	InterestedUsersIDs  []int64   `json:"interested_users_ids"`
	CreatorID           int64     `db:"creator_id" json:"-"`
	UseCount            int64     `db:"use_count" json:"use_count"`
	GUID                *string   `json:"guid"`
	ExcelImportID       *int64    `json:"excel_import_id"`
	ImportedFromSync    bool      `json:"imported_from_sync"`
	ModifiedBySync      bool      `json:"modified_by_sync"`
	CreatedAt           time.Time `db:"created_at" json:"created_at"`
	UpdatedAt           time.Time `db:"updated_at" json:"updated_at"`
}

// createPerson creates a person as storage.InsertPerson and Emit do.
func (f floorAPI) createPerson(c *gin.Context) {
	user, account, ok := f.access(c)
	if !ok {
		return
	}
	var sent struct {
		Person floorPerson `json:"person"`
	}
	if err := json.NewDecoder(c.Request.Body).Decode(&sent); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	p := sent.Person
	if err := f.insertPerson(c, account, user, &p); !found(c, err) {
		return
	}
	p.InterestedUsersIDs = []int64{p.CreatorID}
	c.Header("Location", f.url+"/people")
	c.JSON(http.StatusCreated, gin.H{"person": p})
}

func (f floorAPI) insertPerson(ctx context.Context, account, user int64, p *floorPerson) error {
	tx, err := f.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no-op after a commit
	err = f.oneOf(ctx, tx, p, `
		INSERT INTO people (account_id, creator_id, name, person_type, customer, supplier, federation_subscription_number,
			federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code,
			country, febraban_name, febraban_favored_code, note, force_destroy)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		RETURNING id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
			email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
			febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at`,
		account, user, p.Name, p.PersonType, p.Customer, p.Supplier, p.Number, digits(p.Number), p.Email, p.Phone, p.Site, p.Address,
		p.AddressNumber, p.Complement, p.Neighborhood, p.City, p.State, p.ZipCode, p.Country, p.FebrabanName, p.FebrabanFavoredCode, p.Note,
		p.ForceDestroy)
	if err != nil {
		return err
	}
	var told int64
	err = f.oneOf(ctx, tx, &told, floorNotified,
		account, "people", "created", 0, 0, p.ID)
	if err != nil {
		return err
	}
	return tx.Commit()
}

// digits returns a number without its punctuation.
func digits(number *string) *string {
	if number == nil {
		return nil
	}
	var code []rune
	for _, r := range *number {
		if r >= '0' && r <= '9' {
			code = append(code, r)
		}
	}
	text := string(code)
	return &text
}

// floorNotified is what storage.Emit runs, without the jobs and the trace.
const floorNotified = `
		WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), nullif($5::bigint, 0),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w, (SELECT $6::bigint AS id) r
			RETURNING webhook_id, status)
		SELECT count(*) FROM told WHERE status = 'pending'`
