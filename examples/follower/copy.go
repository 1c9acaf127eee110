package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// recordCopy is the local copy, in memory and in a journal. Lines after the last line with a number
// come from a process that was killed, and do not count.
type recordCopy struct {
	next    int64 // the number after which changes are asked for; -1: nothing has been read
	records map[key]stored
	journal *os.File
	pending []line
}

// key identifies a record. Ids are unique within a family.
type key struct {
	Family string `json:"family"`
	ID     int64  `json:"id"`
}

// stored is a record, and the path of its list. By its external id the other system knows its own.
type stored struct {
	List       string          `json:"list,omitempty"`
	ExternalID string          `json:"external_id,omitempty"`
	Record     json.RawMessage `json:"record,omitempty"`
}

// line is a line of the journal: a record, one that is gone if it has no list, or the number.
type line struct {
	key
	stored
	Next *int64 `json:"next,omitempty"`
}

// openCopy reads the journal and writes it anew, without its repetitions.
func openCopy(name string) (*recordCopy, error) {
	c := &recordCopy{next: -1, records: map[key]stored{}}
	if err := c.read(name); err != nil {
		return nil, err
	}
	var err error
	if c.journal, err = os.Create(name + ".new"); err != nil {
		return nil, err
	}
	for k, s := range c.records {
		c.pending = append(c.pending, line{key: k, stored: s})
	}
	if err := c.commit(c.next); err != nil {
		return nil, err
	}
	return c, os.Rename(name+".new", name)
}

func (c *recordCopy) read(name string) error {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var group []line
	for lines := bufio.NewReader(f); ; {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil // a line that is cut off does not count
		}
		if err != nil {
			return err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if l.Next == nil {
			group = append(group, l)
			continue
		}
		for _, l := range group {
			c.apply(l)
		}
		c.next, group = *l.Next, nil
	}
}

func (c *recordCopy) apply(l line) {
	if l.List == "" {
		delete(c.records, l.key)
		return
	}
	c.records[l.key] = l.stored
}

func (c *recordCopy) put(k key, list string, record json.RawMessage) {
	var named struct {
		ExternalID string `json:"external_id"`
	}
	_ = json.Unmarshal(record, &named) // a record is an object, with null or a text if its kind has one
	c.pending = append(c.pending, line{key: k, stored: stored{list, named.ExternalID, record}})
}

func (c *recordCopy) remove(k key) { c.pending = append(c.pending, line{key: k}) }

// removeBelow removes the records of all lists below a path: their parent is gone.
func (c *recordCopy) removeBelow(path string) {
	for k, s := range c.records {
		if strings.HasPrefix(s.List, path+"/") {
			c.remove(k)
		}
	}
}

// has reports whether the copy will have a record.
func (c *recordCopy) has(k key) bool {
	for _, l := range slices.Backward(c.pending) {
		if l.key == k {
			return l.List != ""
		}
	}
	_, ok := c.records[k]
	return ok
}

// commit stores the records that were put and removed, together with the number up to which the
// copy is complete.
func (c *recordCopy) commit(next int64) error {
	w := bufio.NewWriter(c.journal)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // a record is kept as it was read, and compared so
	for _, l := range append(c.pending, line{Next: &next}) {
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := c.journal.Sync(); err != nil {
		return err
	}
	for _, l := range c.pending {
		c.apply(l)
	}
	c.next, c.pending = next, nil
	return nil
}

func (c *recordCopy) close() { _ = c.journal.Close() }
