package api

import (
	"context"
	"strings"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/storage/list"
)

var creditCards = resource[finance.CreditCard]{
	root: "credit_card", plural: "credit_cards",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.CreditCard],
		error) {
		return cards.List(ctx, q, c.scope(), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.CreditCard, error) {
		return cards.Read(ctx, q, c.scope(), id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.CreditCard, error) {
		return cards.LockAndRead(ctx, tx, c.scope(), id)
	},
	newRecord: func(c *call) *finance.CreditCard {
		return &finance.CreditCard{AccountID: c.access.AccountID, EntityID: c.entityID}
	},
	assign:   assignCreditCard,
	validate: (*finance.CreditCard).Validate,
	refers:   func(k *finance.CreditCard) storage.Refers { return storage.Refers{References: &k.References} },
	insert:   inTurn(asMethod(cards.Insert)),
	update:   asMethod(cards.Update),
	remove:   asMethod(cards.Remove),
	events: func(_ *call, k *finance.CreditCard, action finance.Action) []finance.Event {
		return []finance.Event{{
			Family: finance.CreditCardsFamily, Action: action, AccountID: k.AccountID, EntityID: k.EntityID,
			IDs: []int64{k.ID},
		}}
	},
	show: showCreditCard,
	path: func(_ *call, k *finance.CreditCard) string { return paths.CreditCard(k.EntityID, k.ID) },
}

func assignCreditCard(in *wire.Input, k *finance.CreditCard) {
	in.String("name", &k.Name)
	in.String("flag", &k.Flag)
	in.IntPtr("closing_day", &k.ClosingDay)
	in.IntPtr("expiration_day", &k.ExpirationDay)
	in.StringPtr("observation", &k.Observation)
	assignReferences(in, &k.References)
	archive := k.ArchivedAt != nil
	in.Bool("archive", &archive)
	k.SetArchive(archive, in.Now)
	k.Today = finance.DateOf(in.Now)
}

func showCreditCard(c *call, w *wire.Writer, k *finance.CreditCard) {
	w.Int("id", k.ID)
	w.String("name", k.Name)
	w.String("flag", k.Flag)
	w.IntPtr("closing_day", k.ClosingDay)
	w.IntPtr("expiration_day", k.ExpirationDay)
	var from *string
	if month := k.AppliesFrom(); month != nil {
		text := month.String()
		from = &text
	}
	w.StringPtr("applies_from", from)
	wire.Decimal(w, "balance", k.Balance)
	w.Int("entity_id", k.EntityID)
	w.IntPtr("category_id", k.CategoryID)
	w.IntPtr("person_id", k.PersonID)
	w.IntPtr("classification_center_id", k.ClassificationCenterID)
	w.StringPtr("observation", k.Observation)
	w.TimePtr("archived_at", k.ArchivedAt)
	w.String("flag_image_url", k.FlagImageURL())
	c.links(w, link{"self", "get", paths.CreditCard(k.EntityID, k.ID)})
}

var creditCardParent = parent{checkCreditCard, lockCreditCard}

// checkCreditCard checks that the card of the path exists.
func checkCreditCard(ctx context.Context, q storage.Queries, c *call) error {
	id := c.pathID("credit_card_id")
	_, err := cards.Read(ctx, q, c.scope(), id)
	return found(err, "credit_card", id)
}

// lockCreditCard locks the card of the path until the transaction ends, which serialises the
// changes below it.
func lockCreditCard(ctx context.Context, tx *storage.Tx, c *call) error {
	id := c.pathID("credit_card_id")
	return found(cards.Lock(ctx, tx, c.scope(), id), "credit_card", id)
}

var creditCardFields = openapi.Fields{
	"name": {Doc: "Its name.", Example: "Cartão da loja"},
	"flag": {Doc: "The card network.", In: "Case does not matter: " + strings.Join(finance.CardNetworks,
		", ") + ".", Example: "Visa"},
	"closing_day": {Doc: "The closing day of an invoice, or the last day of a shorter month.", Min: 1, Max: 31,
		NotNull: true},
	"expiration_day": {Doc: "The due day of an invoice, or the last day of a shorter month.", Min: 1, Max: 31,
		NotNull: true},
	"applies_from": {Doc: "The month, `YYYY-MM`, of the first invoice with these days; null while they apply to all " +
		"invoices and there is none. New days apply after the last invoice that is closed, paid or reconciled. A job " +
		"dates the later ones anew; until it has, these cannot be paid.", Example: "2027-03"},
	"balance": {Doc: "The sum of all unpaid invoices, future invoices included."},
	"flag_image_url": {Doc: "A neutral picture, relative to the address of the API; it needs no token.",
		Example: "flags/visa.png"},
	"archive": {In: "Archives the card and brings it back."},
	"category_id": {Doc: "Given to the payable accounts of its invoices, as are person and center.",
		In: "Given to the payable accounts of its invoices, as are person and center."},
}
