package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// client reads from the API. It tries again for as long as another attempt may succeed.
type client struct{ url, token, account string }

// errGone is the 404 of a list below a record that was deleted.
var errGone = errors.New("not found")

// forgotten is the answer for a number without later changes: they are no longer stored (410), or
// the number is above the last one, because the database was restored from a backup (422).
type forgotten struct{ Oldest int64 }

func (forgotten) Error() string { return "no changes after this number" }

// patient waits longer for an answer than a request for changes may be held.
var patient = http.Client{Timeout: time.Minute}

// get reads a document into v and returns the header of the answer.
func (c *client) get(ctx context.Context, path string, v any) (http.Header, error) {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 30*time.Second) {
		header, err := c.try(ctx, path, v)
		var later *retryable
		if !errors.As(err, &later) {
			return header, err
		}
		pause := max(later.after, wait/2+rand.N(wait/2)) // not all followers at once
		slog.Warn("will try again", "path", path, "error", later.err, "in", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// retryable is an error after which another attempt may succeed.
type retryable struct {
	err   error
	after time.Duration
}

func (r *retryable) Error() string { return r.err.Error() }

func (c *client) try(ctx context.Context, path string, v any) (http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(c.token, "x")
	if c.account != "" {
		req.Header.Set("ACCOUNT_ID", c.account)
	}
	ctxErr := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &retryable{err: err}
	}
	res, err := patient.Do(req)
	if err != nil {
		return nil, ctxErr(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, ctxErr(err)
	}
	switch code := res.StatusCode; {
	case code == http.StatusOK:
		return res.Header, json.Unmarshal(body, v)
	case code == http.StatusNotFound:
		return nil, errGone
	case code == http.StatusGone, code == http.StatusUnprocessableEntity && afterLatest(body):
		var f forgotten
		_ = json.Unmarshal(body, &f) // of a 410
		return nil, f
	case code == http.StatusTooManyRequests || code >= 500:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return nil, &retryable{fmt.Errorf("%s", res.Status), time.Duration(seconds) * time.Second}
	}
	return nil, fmt.Errorf("GET %s: %s: %s", path, res.Status, body)
}

// afterLatest reports whether a refusal is about the parameter after.
func afterLatest(body []byte) bool {
	var refused map[string]json.RawMessage
	return json.Unmarshal(body, &refused) == nil && refused["after"] != nil
}
