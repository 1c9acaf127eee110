package api

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// The quotas of the account (decision 0049), which were read with the token. A refusal that ends with time is 429; one
// that only a deletion or the operator ends is 422.

// limit counts a request of a valid token, reports in headers how many requests of its account are left in the minute
// (decision 0013), and refuses requests beyond the quotas. Urgent ones that are allowed are not refused, a few at once.
func (a *API) limit(c *call, allowed bool) error {
	exceeded := a.limitMinute(c, c.quotas()[finance.RequestsPerMinute])
	if c.route.needs.urgent && allowed && c.Request.ContentLength == 0 { // whose body would keep the place
		if _, release := a.urgent.Take(c.tenant(), mostUrgent); release != nil {
			c.Writer.Header().Del("Retry-After")
			c.urgent, c.ends = true, append(c.ends, release)
			return nil
		}
	}
	if exceeded != nil {
		return exceeded
	}
	if page := pageOf(c.ctx()); page != nil && page.held && page.tenant() == c.tenant() {
		c.held = true // as a part of the page
		return nil
	}
	return a.takeHeld(c)
}

// mostUrgent is how many urgent requests of an account need neither a quota nor a place at once.
const mostUrgent = 2

// takeHeld counts a request among those under way until it ends, and refuses one beyond the quota.
func (a *API) takeHeld(c *call) error {
	most := c.quotas()[finance.HeldRequests]
	used, release := a.held.Take(c.tenant(), most)
	if release == nil {
		return messages.TooManyHeld.With(used, most)
	}
	c.held, c.ends = true, append(c.ends, release)
	return nil
}

// quotas returns the quotas of the account; of a request without an account, which counts for its user, the defaults.
func (c *call) quotas() finance.Quotas {
	if c.access.AccountID == 0 {
		return finance.DefaultQuotas
	}
	return c.access.Quotas
}

func (a *API) limitMinute(c *call, limit int64) error {
	if a.Limiter == nil {
		return nil
	}
	w, ok := a.Limiter.Take(c.ctx(), c.tenant(), limit)
	if !ok {
		return nil
	}
	h := c.Writer.Header()
	h.Set("X-RateLimit-Limit", strconv.FormatInt(w.Limit, 10))
	h.Set("X-RateLimit-Remaining", strconv.FormatInt(w.Remaining, 10))
	h.Set("X-RateLimit-Reset", w.Reset.Format(time.RFC3339))
	if !w.Exceeded {
		return nil
	}
	wait := int(math.Ceil(w.Wait.Seconds()))
	h.Set("Retry-After", strconv.Itoa(wait))
	return messages.TooMany.With(w.Limit, messages.Seconds(wait))
}

// end runs what ends with the request.
func (c *call) end() {
	for _, end := range c.ends {
		end()
	}
}

// beginExport counts an export until the request ends, and refuses an export beyond the quota.
func (c *call) beginExport() error {
	most := c.quotas()[finance.Exports]
	used, release := c.api.exports.Take(c.tenant(), most)
	if release == nil {
		return messages.TooManyExports.With(used, most)
	}
	c.ends = append(c.ends, release)
	return nil
}

// refusedFile returns the refusal of a file, or of its copies together, beyond the quotas of the account; nil within
// them. Files of uploads that are committed at the same time do not count yet, nor do the items of imports that have
// not ended.
func (c *call) refusedFile(ctx context.Context, q storage.Queries, bytes int64, statement bool) (refused, err error) {
	used, err := q.Usage(ctx, c.access.AccountID)
	if err != nil {
		return nil, err
	}
	return used.RefuseFile(c.access.Quotas, bytes, statement), nil
}

// quotaUse is a quota of the account. Used is nil if it is not known at the moment.
type quotaUse struct {
	Quota finance.Quota
	Limit int64
	Used  *int64
}

// showQuotas answers with the quotas of the account, and how much of each is used: 200.
func (a *API) showQuotas(c *call) error {
	of, err := a.Store.Quotas(c.ctx(), c.access.AccountID)
	if err != nil {
		return err
	}
	all := make([]quotaUse, 0, len(of.Used))
	for _, q := range finance.AllQuotas() {
		used, known := of.Used[q], true
		switch q {
		case finance.RequestsPerMinute:
			known = false
			if a.Limiter != nil {
				used, known = a.Limiter.Used(c.ctx(), c.tenant())
			}
		case finance.HeldRequests:
			used = a.held.Used(c.tenant())
		case finance.Exports:
			used = a.exports.Used(c.tenant())
		}
		u := quotaUse{Quota: q, Limit: of.Quotas[q]}
		if known {
			u.Used = &used
		}
		all = append(all, u)
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Document(func() { showQuotaUses(c, w, &all) })
	}))
}

func showQuotaUses(_ *call, w *wire.Writer, all *[]quotaUse) {
	w.Objects("quotas", "quota", len(*all), func(i int) {
		u := (*all)[i]
		w.String("name", u.Quota.String())
		w.Int("limit", u.Limit)
		w.IntPtr("used", u.Used)
	})
}

var quotaFields = openapi.Fields{
	"quotas": {Doc: "One for each quota, always in the same order."},
	"quotas.name": {Doc: "Its name, which refusals state. `requests_per_minute`: requests of all tokens of the " +
		"account in a calendar minute. `held_requests`: requests being served at once, and `exports`: lists being " +
		"sent as CSV or XLSX at once, in one process of the API. `running_imports`: statements being imported at " +
		"once; further ones wait. `file_bytes`: bytes of files of statements and attachments. `statement_rows`: " +
		"items of statements that are stored, imported and ignored ones. `webhooks`: webhooks.",
		Enum: openapi.Enum{Name: "QuotaName", Values: quotaNames()}},
	"quotas.limit": {Doc: "The most that the account may use. One below `used` refuses only what is new."},
	"quotas.used":  {Doc: "What the account uses now; null while it is not known."},
}

func quotaNames() (names []string) {
	for _, q := range finance.AllQuotas() {
		names = append(names, q.String())
	}
	return names
}
