package workers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/internal/mail"
	"bordero/internal/messages"
	"bordero/internal/outgoing"
	"bordero/internal/paths"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/members"
	"bordero/workers/runtime"
)

// mailWebhookFailure writes to one administrator after the other. The cursor stores the ids of those with an
// e-mail, so a crash or a shutdown repeats at most one. It skips an administrator if the address is refused for
// good, or if the server may have taken the e-mail, and writes to the others first if the server puts it off. A
// dead job leaves administrators without an e-mail, until an operator retries it.
type mailWebhookFailure struct {
	store     *storage.Store
	mail      mail.Options
	publicURL string
	zone      *time.Location
}

func (w mailWebhookFailure) handler() runtime.Handler {
	return runtime.Entry[jobs.MailWebhookFailure]{Run: w.run, HasExternalEffects: true}.Handler()
}

func (w mailWebhookFailure) run(ctx context.Context, job *runtime.Job[jobs.MailWebhookFailure]) error {
	args := job.Args
	administrators, err := members.Administrators(ctx, w.store.Queries, args.AccountID)
	if err != nil {
		return err
	}
	mailed, err := mailedOf(job.Cursor, administrators)
	if err != nil {
		return err
	}
	var putOff error
	for _, to := range administrators {
		if slices.Contains(mailed, to.ID) {
			continue
		}
		if job.Stopping() {
			return runtime.ErrStopping
		}
		// Read anew for each e-mail, because the one before may have taken minutes.
		failure, err := deliveries.ReadFailure(ctx, w.store.Queries, args.AccountID, args.WebhookID, args.DeliveryID,
			args.Attempt)
		if errors.Is(err, storage.ErrNotFound) { // gone, or verified meanwhile; another failure has a job of its own
			return w.store.Complete(ctx, job.Job, nothing)
		}
		if err != nil {
			return err
		}
		present, err := members.Administrators(ctx, w.store.Queries, args.AccountID)
		if err != nil {
			return err
		}
		if !slices.Contains(present, to) { // removed meanwhile
			continue
		}
		err = w.tell(ctx, job, to, failure)
		if errors.Is(err, mail.ErrPutOff) {
			putOff = err
			continue
		}
		if err != nil {
			return err
		}
		mailed = append(mailed, to.ID)
		cursor, err := mailedCursor(mailed, present)
		if err != nil {
			return err
		}
		if err := w.store.Chunk(ctx, &job.Job, cursor, nothing); err != nil {
			return err
		}
	}
	if putOff != nil {
		return putOff
	}
	return w.store.Complete(ctx, job.Job, nothing)
}

// tell sends the e-mail to an administrator. One that is refused, or perhaps taken, is in the log alone: the others are
// to know all the same.
func (w mailWebhookFailure) tell(ctx context.Context, job *runtime.Job[jobs.MailWebhookFailure],
	to members.Administrator, failure deliveries.Failure) error {
	err := mail.Send(ctx, w.mail, w.message(to.Email, job.Args, failure))
	switch log := job.Logger.With("webhook_id", job.Args.WebhookID, "user_id", to.ID, "error", err); {
	case errors.Is(err, mail.ErrRefused):
		log.Warn("an administrator gets no e-mail about a webhook")
	case errors.Is(err, mail.ErrUnanswered):
		log.Warn("an administrator may have got no e-mail about a webhook")
	default:
		return err
	}
	return nil
}

// mailedOf returns the ids of the administrators with an e-mail: those up to the cursor, or those that it lists.
func mailedOf(cursor string, administrators []members.Administrator) (ids []int64, err error) {
	if strings.HasPrefix(cursor, "[") {
		err = json.Unmarshal([]byte(cursor), &ids)
		return ids, err
	}
	last, _ := strconv.ParseInt(cursor, 10, 64) // 0 at the beginning, when the cursor is empty
	for _, a := range administrators {
		if a.ID <= last {
			ids = append(ids, a.ID)
		}
	}
	return ids, nil
}

// mailedCursor sorts the ids and returns their cursor. It lists them only if an administrator before the last of them
// was put off: a worker of 0.3.0, which may run beside this one, reads a list as nobody and mails all again.
func mailedCursor(ids []int64, administrators []members.Administrator) (string, error) {
	slices.Sort(ids)
	last := ids[len(ids)-1]
	if !slices.ContainsFunc(administrators, func(a members.Administrator) bool {
		return a.ID < last && !slices.Contains(ids, a.ID)
	}) {
		return strconv.FormatInt(last, 10), nil
	}
	list, err := json.Marshal(ids)
	return string(list), err
}

// message states which webhook failed, the delivery, the time and the cause, and the remedy.
func (w mailWebhookFailure) message(to string, args jobs.MailWebhookFailure, f deliveries.Failure) mail.Message {
	last := messages.AttemptInterrupted
	if f.Error != nil {
		last = *f.Error
	}
	when := func(t time.Time) string { return t.In(w.zone).Format(messages.MomentLayout) }
	webhook := w.publicURL + paths.Webhook(args.WebhookID)
	return mail.Message{
		To: to, Subject: fmt.Sprintf(messages.WebhookFailureSubjectf, args.WebhookID),
		Text: fmt.Sprintf(messages.WebhookFailureTextf, args.WebhookID, cmp.Or(f.Description, messages.NoDescription),
			f.Entity, outgoing.Address(f.URL),
			f.Event, when(f.CreatedAt), f.Attempts, when(f.FailedAt), last, webhook, webhook,
			w.publicURL+paths.WebhookDelivery(args.WebhookID, args.DeliveryID)),
	}
}
