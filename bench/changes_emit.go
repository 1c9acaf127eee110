package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// measureEmit compares the CPU time of creating and updating people, the sealer's included, with
// that of the same program without the change feed.
func measureEmit(ctx context.Context, h *harness) (ours, floor figure, err error) {
	without, err := h.feedless(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := h.build(ctx); err != nil {
		return nil, nil, err
	}
	binary := h.binary
	defer func() { h.binary = binary }()
	var sides [2]figure
	for i, program := range []string{binary, without} {
		h.binary = program
		if sides[i], err = h.writing(ctx); err != nil {
			return nil, nil, err
		}
	}
	return sides[0], sides[1], nil
}

// writing starts an API and a scheduler and measures the milliseconds of CPU per request, of
// which every second one creates a person and the others update one of a hundred.
func (h *harness) writing(ctx context.Context) (figure, error) {
	i, err := newImports(ctx, h)
	if err != nil {
		return nil, err
	}
	addr := strings.TrimPrefix(i.url, "http://")
	s := servers{harness: h, lease: i.lease, tenant: i.tenant, api: addr}
	create := s.request(http.MethodPost, addr, "/people", newPerson)
	var requests [][]byte
	for range 100 {
		requests = append(requests, create)
	}
	if err := s.sendOnce(ctx, requests); err != nil {
		return nil, err
	}
	for n := range 200 { // each update changes the name that the one before wrote
		update := fmt.Sprintf(`{"person":{"name":"Padaria %d","customer":true}}`, n/100)
		requests = append(requests, create, s.request(http.MethodPut, addr, fmt.Sprintf("/people/%d", n%100+1), update))
	}
	send := s.send(addr, requests[100:]...)
	return func(ctx context.Context, d time.Duration) (sample, error) {
		sent, err := send(ctx, d)
		return sample{value: sent.more["cpu"]}, err
	}, nil
}

// sendOnce sends each of the requests, one after the other.
func (s servers) sendOnce(ctx context.Context, requests [][]byte) error {
	return sendAll(ctx, 1, s.api, func() (request []byte) {
		if len(requests) > 0 {
			request, requests = requests[0], requests[1:]
		}
		return request
	})
}

// A cut replaces a passage of a file: from a text to the end of the next one, if that is not empty.
type cut struct{ file, from, to, with string }

// feedCuts take the change feed out of the service: changes are not written, the sealer is not
// woken, and the values before and after an update are not compared.
var feedCuts = []cut{
	{"storage/events.go", "INSERT INTO unsealed_changes (", "FROM (\n", "SELECT 0::bigint AS id, parent_id, array_agg(id ORDER BY id) AS record_ids FROM (\n"},
	{"storage/events.go", "GROUP BY parent_id, part ORDER BY parent_id, part", "RETURNING id, parent_id, record_ids)",
		"WHERE num_nulls($15::bigint, $16::text, $17::text, $18::text, $19::text[]) >= 0 GROUP BY parent_id, part)"},
	{"storage/changes.go", "if !tx.unsealed {", "", "if false {"},
	{"api/changed_attributes.go", "w := wire.NewWriter(", "", "return nil\n\tw := wire.NewWriter("},
}

// feedless builds bordero without the change feed.
func (h *harness) feedless(ctx context.Context) (binary string, err error) {
	if err := h.servers(ctx); err != nil { // creates the directory
		return "", err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for i, c := range feedCuts {
		path := filepath.Join(root, c.file)
		source := path
		if done := overlay.Replace[path]; done != "" {
			source = done
		}
		content, err := os.ReadFile(source)
		if err != nil {
			return "", err
		}
		changed, err := c.apply(string(content))
		if err != nil {
			return "", err
		}
		overlay.Replace[path] = filepath.Join(h.dir, fmt.Sprintf("cut%d.go", i))
		if err := os.WriteFile(overlay.Replace[path], []byte(changed), 0o644); err != nil {
			return "", err
		}
	}
	list := filepath.Join(h.dir, "overlay.json")
	if err := os.WriteFile(list, must(json.Marshal(overlay)), 0o644); err != nil {
		return "", err
	}
	progress("building bordero without the feed")
	binary = filepath.Join(h.dir, "feedless")
	out, err := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", binary, "bordero").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build without the feed: %w\n%s", err, out)
	}
	return binary, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

func (c cut) apply(content string) (string, error) {
	before, rest, ok1 := strings.Cut(content, c.from)
	_, after, ok2 := strings.Cut(rest, c.to)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("%s lacks %q, or %q after it", c.file, c.from, c.to)
	}
	return before + c.with + after, nil
}
