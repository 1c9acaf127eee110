package workers

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/mail/mailtest"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/members"
)

// An administrator whose address is none keeps no other from the e-mail.
func TestARefusedAdministratorIsPassedOver(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.administrators("rui at example.com", "ana@example.com")
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

// An administrator that the mail server puts off keeps no other from the e-mail, who gets one.
func TestAnAdministratorThatIsPutOffIsTriedAgain(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.administrators("rui@example.com", "ana@example.com")
	tries := 0
	var told <-chan string
	c.smtp, told = mailtest.Server(t, func(command string) string {
		if !strings.HasPrefix(command, "RCPT TO:") {
			return ""
		}
		if tries++; strings.Contains(command, "rui") && tries < 4 {
			return "450 4.1.2 Domain not found"
		}
		return ""
	})
	c.answers(status(http.StatusInternalServerError))
	c.webhook("/")
	c.work()
	c.happen(1)
	c.over()
	if got := recipients(told); !strings.HasSuffix(got, "ana rui") {
		t.Errorf("the e-mails go to %v", got)
	}
}

// An administrator whose e-mail the server may have taken gets it once, and the others get theirs.
func TestAnEmailWithoutAnAnswerIsNotRepeated(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.administrators("rui@example.com", "ana@example.com")
	first := true
	var told <-chan string
	c.smtp, told = mailtest.Server(t, func(command string) string {
		if command == "." && first {
			first = false
			return mailtest.HangUp
		}
		return ""
	})
	c.answers(status(http.StatusInternalServerError))
	c.webhook("/")
	c.work()
	c.happen(1)
	c.over()
	warned := strings.Count(c.Log.String(), "an administrator may have got no e-mail about a webhook")
	got := recipients(told) // the tenant has an administrator before these
	if !strings.HasSuffix(got, " rui ana") || len(strings.Fields(got)) != 3 || warned != 1 {
		t.Errorf("the e-mails go to %s, with %d warnings", got, warned)
	}
}

// What changes while the server takes an e-mail counts for the next ones.
func TestEachEmailIsStillDue(t *testing.T) {
	t.Parallel()
	for change, others := range map[string]string{
		`DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = 'rui@example.com')`: "ana",
		`UPDATE webhooks SET status = 'active', error_delivery_id = NULL`:                                "",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			c := newDeliveryHarness(t)
			c.administrators("rui@example.com", "ana@example.com")
			var told <-chan string
			c.smtp, told = mailtest.Server(t, func(command string) string {
				if command == "." {
					if _, err := c.DB.ExecContext(t.Context(), change); err != nil {
						t.Error(err)
					}
				}
				return ""
			})
			c.answers(status(http.StatusInternalServerError))
			c.webhook("/")
			c.work()
			c.happen(1)
			c.over()
			first, got, _ := strings.Cut(recipients(told), " ") // the tenant has an administrator before these
			if first == "" || got != others {
				t.Errorf("after the change the e-mails go to %q, want %q", got, others)
			}
		})
	}
}

// recipients returns the first letters of the addresses to which clients sent an e-mail.
func recipients(told <-chan string) string {
	var all []string
	for len(told) > 0 {
		if _, to, ok := strings.Cut(<-told, "To: <"); ok {
			all = append(all, to[:3])
		}
	}
	return strings.Join(all, " ")
}

// The cursor is a number, as in 0.3.0, while nobody before it was put off.
func TestTheCursorOfMailedAdministrators(t *testing.T) {
	t.Parallel()
	administrators := []members.Administrator{{ID: 3}, {ID: 5}, {ID: 8}}
	for _, c := range []struct {
		cursor string
		mailed []int64
		next   int64
		moved  string
	}{
		{"", nil, 3, "3"},
		{"", nil, 5, "[5]"},
		{"3", []int64{3}, 5, "5"},
		{"3", []int64{3}, 8, "[3,8]"},
		{"4", []int64{3}, 5, "5"}, // 4 is no administrator any more
		{"[5,8]", []int64{5, 8}, 3, "8"},
		{"[4,8]", []int64{4, 8}, 5, "[4,5,8]"},
	} {
		mailed, err := mailedOf(c.cursor, administrators)
		if err != nil || !slices.Equal(mailed, c.mailed) {
			t.Errorf("%q has mailed %v, not %v: %v", c.cursor, mailed, c.mailed, err)
		}
		moved, err := mailedCursor(append(mailed, c.next), administrators)
		if err != nil || moved != c.moved {
			t.Errorf("%q and %d are %q, not %q: %v", c.cursor, c.next, moved, c.moved, err)
		}
	}
	if _, err := mailedOf("[5,", administrators); err == nil {
		t.Error("a cut cursor is read")
	}
}

// A job that a worker of 0.3.0 began goes on behind the last administrator with an e-mail.
func TestAMailOf030IsNotRepeated(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.administrators("rui@example.com", "ana@example.com")
	id := c.webhook("/", "status = 'error'", "error_delivery_id = 1")
	c.fail(id, 1)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return tx.Enqueue(ctx, c.AccountID, jobs.MailWebhookFailure{AccountID: c.AccountID, WebhookID: id,
			DeliveryID: 1, Attempt: 5})
	})
	c.Exec(`UPDATE jobs SET cursor = (SELECT id FROM users WHERE email = 'rui@example.com') WHERE kind = $1`,
		jobs.MailWebhookFailureKind.Name)
	c.work()
	c.over()
	if mails := strings.Join(c.mails(), ""); strings.Contains(mails, "rui@") || !strings.Contains(mails, "ana@") {
		t.Error(mails)
	}
}

// A late e-mail is about the attempt that failed, whatever became of the delivery.
func TestALateMailIsAboutTheFailure(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.administrators("ana@example.com")
	id := c.webhook("/", "status = 'error'", "error_delivery_id = 1")
	c.fail(id, 1)
	c.Exec(`UPDATE delivery_attempts SET error = 'respondeu com 503', response_code = 503 WHERE number = 5`)
	c.Exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at, response_code)
		VALUES ($1, 1, 6, 'r', now(), 200)`, c.AccountID)
	c.Exec(`UPDATE deliveries SET attempts_count = 6, attempts_allowed = 10, status = 'delivered',
		delivered_at = now()`)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return tx.Enqueue(ctx, c.AccountID, jobs.MailWebhookFailure{AccountID: c.AccountID, WebhookID: id,
			DeliveryID: 1, Attempt: 5})
	})
	c.work()
	c.over()
	if text := strings.Join(c.mails(), ""); !strings.Contains(text, "em 5 tentativas") ||
		!strings.Contains(text, "respondeu com 503") {
		t.Error(text)
	}
}

// A late e-mail is not sent if another delivery caused the error, or a later attempt of the same one, if the error is
// over, or the entity is being deleted.
func TestALateMailIsNotSentAfterTheError(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.administrators("ana@example.com")
	id := c.webhook("/")
	c.fail(id, 2)
	c.work()
	for _, change := range []string{
		`UPDATE webhooks SET status = 'error', error_delivery_id = 2`,
		`UPDATE webhooks SET status = 'active', error_delivery_id = NULL`,
		`WITH w AS (UPDATE webhooks SET status = 'error', error_delivery_id = 1, error_since = now())
			INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at, response_code)
			SELECT account_id, id, 10, 'r', now(), 503 FROM deliveries WHERE id = 1`,
		`WITH a AS (DELETE FROM delivery_attempts WHERE number = 10)
			UPDATE entities SET deleted_at = now()`,
	} {
		c.Exec(change)
		c.InTx(func(ctx context.Context, tx *storage.Tx) error {
			return tx.Enqueue(ctx, c.AccountID, jobs.MailWebhookFailure{AccountID: c.AccountID, WebhookID: id,
				DeliveryID: 1, Attempt: 5})
		})
		c.relayUntil("the end of the job", func() bool { return c.Count(`SELECT count(*) FROM jobs`) == 0 })
		if mails := c.mails(); len(mails) != 0 {
			t.Errorf("after %s: %s", change, mails[0])
		}
	}
}

// administrators makes administrators of the account.
func (c *deliveryHarness) administrators(emails ...string) {
	c.T.Helper()
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		for _, email := range emails {
			user, err := members.UpsertUser(ctx, tx, email)
			if err == nil {
				err = members.PutMembership(ctx, tx, finance.Access{UserID: user, AccountID: c.AccountID,
					Administrator: true, AllEntities: true})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
