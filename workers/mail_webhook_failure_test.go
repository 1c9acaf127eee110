package workers

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
)

// An administrator whose address is none keeps no other from the e-mail.
func TestARefusedAdministratorIsPassedOver(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		for _, email := range []string{"rui at example.com", "ana@example.com"} {
			user, err := members.UpsertUser(ctx, tx, email)
			if err == nil {
				err = members.PutMembership(ctx, tx, finance.Access{UserID: user, AccountID: c.AccountID,
					Administrator: true,
					AllEntities:   true})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.answers(status(http.StatusInternalServerError))
	c.webhook("/")
	c.work()
	c.happen(1)
	c.relayUntil("the e-mail", func() bool {
		return strings.Contains(strings.Join(c.mails(), ""), "To: <ana@example.com>")
	})
	c.over()
	log := c.Log.String()
	if strings.Count(log, "an administrator gets no e-mail about a webhook") != 1 || strings.Contains(log, "rui") {
		t.Error(log)
	}
}
