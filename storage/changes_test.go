package storage_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/storage/verify"
)

// feed is a store with a sealer.
type feed struct {
	*subscriber
	sealer *storage.Sealer
}

func newFeed(t *testing.T) *feed {
	f := &feed{subscriber: newSubscriber(t)}
	f.exec(`DELETE FROM webhooks`)
	f.exec(`TRUNCATE unsealed_changes`) // of the fixtures
	var err error
	if f.sealer, err = f.OpenSealer(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.sealer.Close)
	return f
}

// seal seals all committed changes.
func (f *feed) seal() {
	f.t.Helper()
	for sealed := 100; sealed == 100; {
		var err error
		if _, sealed, err = f.sealer.Seal(f.t.Context(), 100); err != nil {
			f.t.Fatal(err)
		}
	}
}

// all reads all changes of the account.
func (f *feed) all() []storage.Change {
	f.t.Helper()
	changes, _, err := f.Changes(f.t.Context(), f.AccountID, 0, 1<<40, storage.ChangeFilter{}, storage.Viewer{
		All: true}, 1<<20)
	if err != nil {
		f.t.Fatal(err)
	}
	return changes
}

func (f *feed) sale(id int64) finance.Event {
	return finance.Event{Family: finance.SalesFamily, Action: finance.Updated, AccountID: f.AccountID,
		EntityID: f.EntityID, IDs: []int64{id}}
}

func (f *feed) emit(e finance.Event) {
	f.t.Helper()
	ctx := jobs.WithAuthor(jobs.WithRequestID(f.t.Context(), "r-1"), jobs.By{UserID: 7, Token: "abcdef"})
	f.tx(func(tx *storage.Tx) error { return tx.Emit(ctx, e) })
}

// chained checks that the numbers have no gap and that each hash follows from the one before.
func chained(t *testing.T, changes []storage.Change) {
	t.Helper()
	before := make([]byte, sha256.Size)
	for i, c := range changes {
		sum := sha256.Sum256([]byte(hex.EncodeToString(before) + "\n" + c.Canonical()))
		if c.Sequence != int64(i+1) || !slices.Equal(c.Hash, sum[:]) {
			t.Fatalf("change %d has the number %d and the hash %x, want %x", i+1, c.Sequence, c.Hash, sum)
		}
		if c.Attributes != nil {
			if digest := sha256.Sum256([]byte(*c.Attributes)); !slices.Equal(c.Digest, digest[:]) {
				t.Fatalf("change %d has the digest %x of %s", i+1, c.Digest, *c.Attributes)
			}
		}
		before = c.Hash
	}
}

func TestChangesAreNumberedAndChained(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	named := f.sale(1)
	named.Attributes, named.VisibleTo, named.ParentID = `{"name":["A","Ç\"\n"]}`, []finance.Family{
		finance.SalesFamily, finance.PeopleFamily}, 9
	f.emit(named)
	f.emit(finance.Event{Family: finance.MembersFamily, Action: finance.Destroyed, AccountID: f.AccountID, IDs: []int64{
		3}})
	f.seal()
	f.emit(f.sale(2))
	f.seal()
	changes := f.all()
	chained(t, changes)
	if len(changes) != 3 {
		t.Fatalf("%d changes", len(changes))
	}
	first := changes[0]
	if *first.Attributes != named.Attributes || *first.RequestID != "r-1" || *first.UserID != 7 ||
		*first.Token != "abcdef" || first.Job != nil ||
		*first.EntityID != f.EntityID || *first.ParentID != 9 || !slices.Equal(first.RecordIDs, []int64{1}) {
		t.Errorf("the first change is %+v", first)
	}
	if changes[1].EntityID != nil {
		t.Errorf("a member has the entity %d", *changes[1].EntityID)
	}
	if left := f.text(`SELECT count(*) FROM unsealed_changes`); left != "0" {
		t.Errorf("%s changes are left", left)
	}
}

func TestABulkChangeHasAThousandRecords(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	e := f.sale(0)
	for e.IDs = nil; len(e.IDs) < 2500; {
		e.IDs = append(e.IDs, int64(len(e.IDs)+1))
	}
	f.exec(`INSERT INTO webhooks (account_id, entity_id, url, format, secret) VALUES ($1, $2, 'https://example.com/',
		'json', 's')`, f.AccountID, f.EntityID)
	f.emit(e)
	f.seal()
	changes := f.all()
	chained(t, changes)
	var ids []int64
	for _, c := range changes {
		ids = append(ids, c.RecordIDs...)
	}
	if len(changes) != 3 || !slices.Equal(ids, e.IDs) {
		t.Errorf("%d changes with %d records", len(changes), len(ids))
	}
	if others := f.text(`SELECT count(*) FROM deliveries d WHERE NOT EXISTS (
		SELECT FROM changes c WHERE c.id = d.change_id AND d.record_id = ANY(c.record_ids))`); others != "0" {
		t.Errorf("%s deliveries report another change", others)
	}
}

func TestAChangeHasItsRecordsInOrder(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	e := f.sale(0)
	for _, e.IDs = range [][]int64{nil, {3, 1, 2}} {
		e.ParentID = 9
		f.emit(e)
	}
	f.seal()
	changes := f.all()
	if len(changes) != 1 || !slices.Equal(changes[0].RecordIDs, []int64{1, 2, 3}) || *changes[0].ParentID != 9 {
		t.Errorf("the changes of no record and of three are %+v", changes)
	}
}

// A transaction that is open holds up no other, and comes later when it commits.
func TestAnOpenTransactionHoldsUpNoChange(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	written, commit, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		done <- f.InTx(t.Context(), func(tx *storage.Tx) error {
			err := tx.Emit(t.Context(), f.sale(1))
			close(written)
			<-commit
			return err
		})
	}()
	<-written
	for i := range 300 { // enough that the sealer passes over the open one's id
		f.emit(f.sale(int64(i + 2)))
		f.seal()
	}
	if n := len(f.all()); n != 300 {
		t.Fatalf("%d changes are sealed beside an open transaction", n)
	}
	close(commit)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	f.seal()
	f.seal()
	f.seal()
	changes := f.all()
	chained(t, changes)
	if last := changes[len(changes)-1]; len(changes) != 301 || last.RecordIDs[0] != 1 {
		t.Errorf("%d changes, the last of %v", len(changes), last.RecordIDs)
	}
}

func TestOnlyOneSealerExists(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	if silence, err := f.sealer.Silence(t.Context()); silence != "4s" {
		t.Errorf("a stopped sealer keeps others away for %q: %v", silence, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if second, err := f.OpenSealer(soon); err == nil {
		second.Close()
		t.Fatal("there is a second sealer")
	}
	f.sealer.Close()
	next, err := f.OpenSealer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next.Close()
}

func TestChangesAreSeenByRights(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	other := int64(77)
	f.emit(f.sale(1))
	e := f.sale(2)
	e.EntityID = other
	f.emit(e)
	f.emit(finance.Event{Family: finance.PeopleFamily, Action: finance.Created, AccountID: f.AccountID, IDs: []int64{
		3}})
	e = f.sale(4)
	e.Family, e.VisibleTo = finance.AttachmentsFamily, []finance.Family{
		finance.SalesFamily, finance.PayableAccountsFamily}
	f.emit(e)
	f.seal()
	for _, c := range []struct {
		name string
		v    storage.Viewer
		want []int64
	}{
		{"all", storage.Viewer{All: true}, []int64{1, 2, 3, 4}},
		{"sales", storage.Viewer{Families: []finance.Family{finance.SalesFamily}}, []int64{1, 2}},
		{"sales of an entity", storage.Viewer{Families: []finance.Family{finance.SalesFamily}, Entities: []int64{
			other}}, []int64{2}},
		{"of no entity", storage.Viewer{Families: finance.ChangeFamilies, Entities: []int64{}}, []int64{3}},
		{"attachments of what one may not see", storage.Viewer{Families: []finance.Family{finance.AttachmentsFamily}},
			nil},
		{"attachments", storage.Viewer{
			Families: []finance.Family{finance.AttachmentsFamily, finance.PayableAccountsFamily}}, []int64{4}},
		{"nothing", storage.Viewer{}, nil},
	} {
		changes, _, err := f.Changes(t.Context(), f.AccountID, 0, 4, storage.ChangeFilter{}, c.v, 500)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, c := range changes {
			got = append(got, c.RecordIDs...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestOldChangesAreDropped(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	f.emit(f.sale(1))
	f.emit(f.sale(2))
	f.seal()
	roll := func() {
		t.Helper()
		if err := f.RollChanges(t.Context(), 0); err != nil { // 90 days at least
			t.Fatal(err)
		}
	}
	roll()
	if parts := f.text(`SELECT count(*) FROM change_parts`); parts != "1" {
		t.Fatalf("%s partitions in the first month", parts)
	}
	f.exec(`UPDATE change_parts SET began_at = began_at - interval '31 days'`)
	roll()
	f.emit(f.sale(3))
	f.seal()
	chained(t, f.all())
	if in := f.text(`SELECT string_agg(part::text, ' ' ORDER BY sequence) FROM changes`); in != "1 1 2" {
		t.Fatalf("the changes are in the partitions %s", in)
	}
	f.exec(`UPDATE change_parts SET began_at = began_at - interval '91 days'`)
	roll()
	f.emit(f.sale(4))
	f.seal()
	span, err := f.ChangeSpan(t.Context(), f.AccountID)
	if err != nil || span != (storage.ChangeSpan{Dropped: 2, Latest: 4}) {
		t.Errorf("%+v, %v", span, err)
	}
	if left := f.all(); len(left) != 2 || left[0].Sequence != 3 {
		t.Errorf("%d changes are left", len(left))
	}
}

// The order of the changes is that of their ids, whatever a clock says.
func TestAClockThatIsSetBackChangesNoOrder(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	for i := range 4 {
		f.emit(f.sale(int64(i + 1)))
	}
	f.exec(`UPDATE unsealed_changes SET occurred_at = now() - id * interval '1 day'`)
	f.seal()
	f.exec(`UPDATE change_parts SET began_at = began_at + interval '40 days'`) // as if the clock was ahead then
	if err := f.RollChanges(t.Context(), 400*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	f.exec(`UPDATE change_parts SET began_at = began_at - interval '31 days'`)
	if err := f.RollChanges(t.Context(), 400*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if parts := f.text(`SELECT count(*) FROM change_parts`); parts != "2" {
		t.Errorf("%s partitions a month after the clock was set back", parts)
	}
	f.emit(f.sale(5))
	f.exec(`UPDATE unsealed_changes SET occurred_at = now() - interval '1 year'`)
	f.seal()
	all := f.all()
	if len(all) != 5 {
		t.Fatalf("%d changes", len(all))
	}
	for i, c := range all {
		if c.Sequence != int64(i+1) || c.RecordIDs[0] != int64(i+1) {
			t.Errorf("change %d is of the record %d", c.Sequence, c.RecordIDs[0])
		}
	}
	f.agrees("")
}

// Verify names the first change that was altered behind the service's back.
func TestVerifyFindsAlteredChanges(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	for i := range 6 {
		e := f.sale(int64(i + 1))
		e.Attributes = `{"note":["a","b"]}`
		f.emit(e)
	}
	f.seal()
	f.agrees("")
	for name, c := range map[string]struct{ alter, record string }{
		"changed": {`UPDATE changes SET record_ids = '{9}' WHERE sequence = 3`, "change 3"},
		"author":  {`UPDATE changes SET user_id = 8 WHERE sequence = 2`, "change 2"},
		"attributes": {`UPDATE changes SET attributes = '{"note":["a","c"]}' WHERE sequence = 4`,
			"attributes of change 4"},
		"deleted": {`DELETE FROM changes WHERE sequence = 3`, "change 4"},
		"last":    {`DELETE FROM changes WHERE sequence = 6`, "the last change"},
		"swapped": {`UPDATE changes SET sequence = 103 WHERE sequence = 3; UPDATE changes SET sequence = 3
			WHERE sequence = 4;
			UPDATE changes SET sequence = 4 WHERE sequence = 103`, "change 3"},
		"recomputed": {`UPDATE changes SET record_ids = '{9}', hash = sha256('x') WHERE sequence = 3`, "change 3"},
		"erased":     {`UPDATE changes SET attributes = NULL`, ""},
	} {
		f.exec(`CREATE TABLE saved AS SELECT * FROM changes`)
		f.exec(c.alter)
		found, err := verify.Run(t.Context(), f.Store, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range found {
			if d.Check == "changes" {
				got += d.Record
			}
		}
		if got != c.record {
			t.Errorf("%s: verify names %q, want %q", name, got, c.record)
		}
		f.exec(`DELETE FROM changes`)
		f.exec(`INSERT INTO changes SELECT * FROM saved`)
		f.exec(`DROP TABLE saved`)
	}
	f.agrees("")
}

func TestAReadOnlyStoreWritesNothing(t *testing.T) {
	t.Parallel()
	s := storagetest.Open(t, storagetest.DatabaseURL(t), storage.Options{ReadOnly: true})
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.Emit(t.Context(), finance.Event{Family: finance.PeopleFamily, Action: finance.Created, AccountID: 1,
			IDs: []int64{7}})
	})
	if err == nil || !strings.Contains(err.Error(), "read-only transaction") {
		t.Errorf("%v", err)
	}
}
