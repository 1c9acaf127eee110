package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
)

const (
	actionTime = 15 * time.Second // longer than the test of a webhook takes
	atOnce     = 10_000           // failed jobs that a button retries or dismisses, and that the overview counts
	resent     = 1000             // failed deliveries that a button sends again, and that the overview counts
)

// errForm is the error of a form without a field that the overview sends.
var errForm = errors.New("the form lacks a field: reload the page")

// act returns the handler of a button, which refuses a form of another session. do returns the
// parameters of the page that reports the result (note).
func (m *Monitor) act(name string, do func(context.Context, url.Values, session) (url.Values, error)) func(
	http.ResponseWriter, *http.Request, session) {
	return func(w http.ResponseWriter, r *http.Request, s session) {
		r.Body = http.MaxBytesReader(w, r.Body, 4096)
		if !s.meant(r.PostFormValue("csrf")) {
			http.Error(w, "this form is not from your session: reload the page", http.StatusForbidden)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), actionTime)
		defer cancel()
		result, err := do(ctx, r.PostForm, s)
		log := m.log.With("action", name, "user", s.user.Name)
		for _, field := range []string{"id", "kind", "until", "account", "webhook"} {
			if value := r.PostFormValue(field); value != "" {
				log = log.With(field, value)
			}
		}
		switch {
		case errors.Is(err, context.Canceled): // perhaps after its change
			log.Warn("action of the overview cut off", "error", err)
		case errors.Is(err, errForm):
			http.Error(w, err.Error(), http.StatusBadRequest)
		case storage.Unavailable(err):
			log.Error("action of the overview failed", "error", err)
			http.Error(w, "PostgreSQL does not answer, and may have made the change: look at the overview first",
				http.StatusServiceUnavailable)
		case err != nil:
			log.Error("action of the overview failed", "error", err)
			http.Error(w, "an error of the server: its log has the reason", http.StatusInternalServerError)
		default:
			log.Info("action of the overview", "result", result.Encode())
			for _, kept := range []string{"range", "reload"} {
				if value := r.PostFormValue(kept); value != "" {
					result.Set(kept, value)
				}
			}
			http.Redirect(w, r, overview+"?"+result.Encode(), http.StatusSeeOther)
		}
	}
}

// failedJobs calls one for a form with the id of a job, and all for a form with a kind and a time.
func failedJobs(
	form url.Values, done string, one func(int64) error, all func(string, time.Time) (int64, error),
) (url.Values, error) {
	if kind := form.Get("kind"); kind != "" {
		until, err := time.Parse(time.RFC3339Nano, form.Get("until"))
		if err != nil {
			return nil, errForm
		}
		n, err := all(kind, until)
		return numbers(done+"_all", n), err
	}
	id, err := number(form, "id")
	if err != nil {
		return nil, err
	}
	err = one(id)
	if errors.Is(err, storage.ErrNotFound) {
		return numbers("missing", id), nil
	}
	return numbers(done, id), err
}

func (m *Monitor) retryJobs(ctx context.Context, form url.Values, _ session) (url.Values, error) {
	return failedJobs(form, "retried",
		func(id int64) error {
			_, err := m.store.RetryJob(ctx, id)
			return err
		},
		func(kind string, until time.Time) (int64, error) {
			return m.store.RetryFailedJobs(ctx, kind, until, atOnce)
		})
}

func (m *Monitor) dismissJobs(ctx context.Context, form url.Values, s session) (url.Values, error) {
	return failedJobs(form, "dismissed",
		func(id int64) error { return m.store.DismissJob(ctx, id, s.user.Name) },
		func(kind string, until time.Time) (int64, error) {
			return m.store.DismissFailedJobs(ctx, kind, until, s.user.Name, atOnce)
		})
}

// webhook returns the fields of a form that name a webhook.
func webhook(form url.Values) (account, id int64, err error) {
	if account, err = number(form, "account"); err != nil {
		return 0, 0, err
	}
	id, err = number(form, "webhook")
	return account, id, err
}

func (m *Monitor) verifyWebhook(ctx context.Context, form url.Values, _ session) (url.Values, error) {
	account, id, err := webhook(form)
	if err != nil {
		return nil, err
	}
	code, err := m.verify(ctx, account, id)
	if errors.Is(err, storage.ErrNotFound) {
		return numbers("missing_webhook", id), nil
	}
	return numbers("verified", id, "code", int64(code)), err
}

// failedDeliveries is a search of deliveries, as in the API.
var failedDeliveries = map[string]string{"status": string(finance.DeliveryFailed)}

func (m *Monitor) redeliverFailed(ctx context.Context, form url.Values, _ session) (url.Values, error) {
	account, id, err := webhook(form)
	if err != nil {
		return nil, err
	}
	n := 0
	err = m.store.InTx(ctx, func(tx *storage.Tx) error {
		w, err := deliveries.LockWebhook(ctx, tx, account, id)
		if err != nil {
			return err
		}
		failed := jobs.RedeliverWebhook{Search: failedDeliveries, UpTo: math.MaxInt64}
		ids, err := deliveries.RedeliverNext(ctx, tx, w, failed, resent)
		n = len(ids)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) {
		return numbers("missing_webhook", id), nil
	}
	return numbers("redelivered", id, "count", n), err
}

func number(form url.Values, name string) (int64, error) {
	n, err := strconv.ParseInt(form.Get(name), 10, 64)
	if err != nil {
		return 0, errForm
	}
	return n, nil
}

// numbers returns parameters, from names and values in turn.
func numbers(pairs ...any) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return values
}

// note describes the result of a button. Anyone can make a link with any parameters, so only their
// numbers are shown.
func note(query url.Values) string {
	has := func(name string) (int64, bool) {
		n, err := number(query, name)
		return n, err == nil
	}
	for name, sentence := range map[string]string{
		"retried":     "Job %d will be retried.",
		"retried_all": "Failed jobs that will be retried: %d.",
		"dismissed":   "Job %d is dismissed. It stays stored for a while: bordero jobs list --dismissed shows it.",
		"dismissed_all": "Failed jobs that are dismissed: %d. They stay stored for a while: bordero jobs list " +
			"--dismissed shows them.",
		"missing":         "No failed job %d: it is being retried, done or dismissed.",
		"missing_webhook": "No webhook %d: it was deleted.",
	} {
		if n, ok := has(name); ok {
			return fmt.Sprintf(sentence, n)
		}
	}
	if id, ok := has("redelivered"); ok {
		n, _ := has("count")
		return fmt.Sprintf("Failed deliveries of webhook %d that are sent again, or held until it is verified: %d.", id,
			n)
	}
	id, ok := has("verified")
	switch code, _ := has("code"); {
	case !ok:
		return ""
	case code == http.StatusOK:
		return fmt.Sprintf("Webhook %d answered the test with 200. It is active, and its held deliveries are sent.", id)
	case code == 0:
		return fmt.Sprintf(
			"Webhook %d did not answer the test, or its address is not public. Nothing else has changed.", id)
	default:
		return fmt.Sprintf("Webhook %d answered the test with %d instead of 200. Nothing else has changed.", id, code)
	}
}
