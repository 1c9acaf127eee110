package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// measureCursors compares the last page of 500 sales, to which it walks by cursors, with the first one:
// the time of a page, one request at a time.
func measureCursors(ctx context.Context, h *harness) (last, first figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	if err := s.sales(ctx); err != nil {
		return nil, nil, err
	}
	cursor, pages := "", 1
	for {
		next, err := s.next(ctx, s.salesAfter(cursor))
		if err != nil {
			return nil, nil, err
		}
		if next == "" {
			break
		}
		cursor, pages = next, pages+1
	}
	if pages < h.sales/listed {
		return nil, nil, fmt.Errorf("%d pages of %d sales", pages, h.sales)
	}
	progress("%s: page %d against page 1", h.path.name, pages)
	return s.takes(s.salesAfter(cursor)), s.takes(s.salesAfter("")), nil
}

func (s servers) salesAfter(cursor string) string {
	return fmt.Sprintf("/entities/%d/sales?per_page=%d&cursor=%s", s.EntityID, listed, url.QueryEscape(cursor))
}

// next reads a page and returns the cursor of the next one, or "".
func (s servers) next(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.api+path, nil)
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(s.token, "x")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", path, res.Status)
	}
	return res.Header.Get("X-Next-Cursor"), nil
}

// takes measures the milliseconds of a request.
func (s servers) takes(path string) figure {
	send := s.sendBy(1, s.api, s.request(http.MethodGet, s.api, path, ""))
	return func(ctx context.Context, d time.Duration) (sample, error) {
		sent, err := send(ctx, d)
		if err == nil {
			sent.value = 1000 / sent.value
		}
		return sent, err
	}
}
