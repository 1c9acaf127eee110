package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// lists are the paths of the lists of each family that is copied. {entity} and {parent} stand for
// the ids in a change.
var lists = map[string]string{
	"entities":               "/entities",
	"people":                 "/people",
	"deposit_accounts":       "/entities/{entity}/deposit_accounts",
	"financial_transactions": "/entities/{entity}/deposit_accounts/{parent}/financial_transactions",
	"payable_accounts":       "/entities/{entity}/payable_accounts",
	"receivable_accounts":    "/entities/{entity}/receivable_accounts",
	"sales":                  "/entities/{entity}/sales",
}

// pageSize is the size of a page, and the most ids of a search.
const pageSize = 500

type follower struct {
	client *client
	copy   *recordCopy
}

// change is the content of a change about its records.
type change struct {
	Event     string  `json:"event"`
	EntityID  int64   `json:"entity_id"`
	ParentID  int64   `json:"parent_id"`
	RecordIDs []int64 `json:"record_ids"`
}

// changes reads the changes after a number.
func (f *follower) changes(ctx context.Context, after int64, more string) (all []change, next, latest int64,
	err error) {
	var page struct {
		Changes      []struct{ Change change }
		Next, Latest int64
	}
	_, err = f.client.get(ctx, fmt.Sprintf("/changes?after=%d%s", after, more), &page)
	for _, c := range page.Changes {
		all = append(all, c.Change)
	}
	return all, page.Next, page.Latest, err
}

// follow reads the next changes, waiting for some, and the records that they name. A change says
// that a record changed: it is read as it is now. If that is newer, its change is still to come, and
// reading it twice is harmless.
func (f *follower) follow(ctx context.Context) error {
	all, next, _, err := f.changes(ctx, f.copy.next, "&wait=30")
	if err != nil {
		return err
	}
	changed := changedRecords{}
	for _, c := range all {
		family, action, _ := strings.Cut(c.Event, ".")
		list := c.list(family)
		changed.add(family, list, c.RecordIDs...)
		if family == "financial_transactions" { // its deposit account has another balance
			changed.add("deposit_accounts", c.list("deposit_accounts"), c.ParentID)
		}
		for _, id := range c.RecordIDs {
			if list != "" && action == "destroyed" {
				f.copy.removeBelow(fmt.Sprintf("%s/%d", list, id))
			}
		}
	}
	if err := f.readAll(ctx, "entities", lists["entities"], changed); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		family, list, _ := strings.Cut(name, " ")
		if family == "entities" {
			continue
		}
		gone, err := f.isBelowNothing(ctx, list)
		if err != nil {
			return err
		}
		if gone {
			continue
		}
		if err := f.readAll(ctx, family, list, changed); err != nil {
			return err
		}
	}
	return f.copy.commit(next)
}

// readAll reads the changed records of a list.
func (f *follower) readAll(ctx context.Context, family, list string, changed changedRecords) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(changed[family+" "+list])), pageSize) {
		if err := f.read(ctx, family, list, ids); err != nil {
			return err
		}
	}
	return nil
}

// isBelowNothing reports whether a list is below an entity that is deleted. Such an entity and its records are readable
// until its deletion ends in the background, and no change says when. An entity that the copy does not have may be one
// that the user may see since a moment ago: it is read.
func (f *follower) isBelowNothing(ctx context.Context, list string) (bool, error) {
	text, _, below := strings.Cut(strings.TrimPrefix(list, "/entities/"), "/")
	id, err := strconv.ParseInt(text, 10, 64)
	if !below || err != nil {
		return false, nil
	}
	entity := key{"entities", id}
	if !f.copy.has(entity) {
		if err := f.read(ctx, entity.Family, lists[entity.Family], []int64{id}); err != nil {
			return false, err
		}
	}
	return !f.copy.has(entity), nil
}

// list returns the path of the list of a family that the change is about; "" for one that is not copied.
func (c change) list(family string) string {
	return strings.NewReplacer("{entity}", strconv.FormatInt(c.EntityID, 10), "{parent}",
		strconv.FormatInt(c.ParentID, 10)).Replace(lists[family])
}

// changedRecords are ids by the family and the path of their list.
type changedRecords map[string]map[int64]bool

func (c changedRecords) add(family, list string, ids ...int64) {
	if list == "" {
		return
	}
	name := family + " " + list
	if c[name] == nil {
		c[name] = map[int64]bool{}
	}
	for _, id := range ids {
		c[name][id] = true
	}
}

// read reads records of a list. Records that are not found were deleted.
func (f *follower) read(ctx context.Context, family, list string, ids []int64) error {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
		f.copy.remove(key{family, id})
	}
	var page []map[string]json.RawMessage
	_, err := f.client.get(ctx, fmt.Sprintf("%s?per_page=%d&search[ids]=%s", list, pageSize, strings.Join(texts, ",")),
		&page)
	if errors.Is(err, errGone) { // with the record above it
		return nil
	}
	if err != nil {
		return err
	}
	return f.put(family, list, page, nil)
}

// put copies the records of a page, except for deleted entities, and calls each with their ids.
func (f *follower) put(family, list string, page []map[string]json.RawMessage, each func(id int64)) error {
	for _, document := range page {
		for _, record := range document { // under its root key
			var has struct {
				ID        int64
				DeletedAt *string `json:"deleted_at"`
			}
			if err := json.Unmarshal(record, &has); err != nil {
				return err
			}
			if has.DeletedAt != nil {
				continue
			}
			f.copy.put(key{family, has.ID}, list, record)
			if each != nil {
				each(has.ID)
			}
		}
	}
	return nil
}

// load reads all lists, at first and as the sweep of changes that the copy may have missed. It asks
// for the number of the last change before: later changes are followed from there.
func (f *follower) load(ctx context.Context) error {
	before := maps.Clone(f.copy.records)
	latest, err := f.latest(ctx)
	if err != nil {
		return err
	}
	for k := range before {
		f.copy.remove(k) // unless it is read again
	}
	for _, family := range []string{"people", "entities"} {
		if err := f.walk(ctx, family, lists[family], func(id int64) error {
			if family == "entities" {
				return f.loadEntity(ctx, strconv.FormatInt(id, 10))
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if err := f.copy.commit(latest); err != nil {
		return err
	}
	different := 0
	for k, s := range before {
		if !bytes.Equal(s.Record, f.copy.records[k].Record) {
			different++
		}
	}
	slog.Info("all lists are read", "records", len(f.copy.records), "before", len(before), "changed", different)
	return nil
}

// latest returns the number of the last change.
func (f *follower) latest(ctx context.Context) (int64, error) {
	_, _, latest, err := f.changes(ctx, 0, "&limit=1")
	var first forgotten
	if errors.As(err, &first) { // the first changes are no longer stored
		_, _, latest, err = f.changes(ctx, first.Oldest-1, "&limit=1")
	}
	return latest, err
}

func (f *follower) loadEntity(ctx context.Context, entity string) error {
	for _, family := range []string{"payable_accounts", "receivable_accounts", "sales", "deposit_accounts"} {
		list := strings.ReplaceAll(lists[family], "{entity}", entity)
		err := f.walk(ctx, family, list, func(id int64) error {
			if family != "deposit_accounts" {
				return nil
			}
			return f.walk(ctx, "financial_transactions", fmt.Sprintf("%s/%d/financial_transactions", list, id), nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// walk reads a whole list by its cursor, and then calls each with the ids.
func (f *follower) walk(ctx context.Context, family, list string, each func(id int64) error) error {
	var ids []int64
	for cursor, more := "", true; more; more = cursor != "" {
		var page []map[string]json.RawMessage
		header, err := f.client.get(ctx, fmt.Sprintf("%s?per_page=%d&cursor=%s", list, pageSize,
			url.QueryEscape(cursor)), &page)
		if errors.Is(err, errGone) { // meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.put(family, list, page, func(id int64) { ids = append(ids, id) }); err != nil {
			return err
		}
		cursor = header.Get("X-Next-Cursor")
	}
	if each == nil {
		return nil
	}
	for _, id := range ids {
		if err := each(id); err != nil {
			return err
		}
	}
	return nil
}
