package storage_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/storage/storagetest"

	_ "github.com/lib/pq" // the driver
)

var collect = flag.String("collect", "", "record the statements of this release in testdata/releases/`NAME`.json.gz")

// A release still serves while the next one migrates (decision 0030). So the statements of
// every release since the first are stored, and the newest schema must serve them.
func TestTheSchemaServesEarlierReleases(t *testing.T) {
	t.Parallel()
	releases, err := filepath.Glob("testdata/releases/*.json.gz")
	if err != nil || len(releases) == 0 {
		t.Fatalf("no release was recorded: %v", err)
	}
	db := storagetest.DB(t, storagetest.DatabaseURL(t))
	now := columns(t, db)
	for number, file := range releases {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := readRelease(t, file)
			for i, statement := range r.Statements {
				if err := prepare(t.Context(), db, fmt.Sprintf("statement_%d_%d", number, i), statement); err != nil {
					t.Errorf("%v\n%s", err, statement)
				}
			}
			for _, complaint := range unserved(r.Columns, now) {
				t.Error(complaint)
			}
		})
	}
}

// release is what a release relies on: its statements, and the columns of its schema by table and
// name.
type release struct {
	Statements []string                     `json:"statements"`
	Columns    map[string]map[string]column `json:"columns"`
}

func readRelease(t *testing.T, file string) (r release) {
	t.Helper()
	content, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	plain, err := gzip.NewReader(content)
	if err == nil {
		err = json.NewDecoder(plain).Decode(&r)
	}
	if err != nil || len(r.Statements) < 300 || len(r.Columns) < 30 {
		t.Fatalf("%s: %d statements, %d tables, %v", file, len(r.Statements), len(r.Columns), err)
	}
	return r
}

func (r release) write(t *testing.T, file string) {
	t.Helper()
	content, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	w, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // a valid level
	_, err = w.Write(content)
	if err := errors.Join(err, w.Close(), os.WriteFile(file, small.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatASchemaDoesNotServe(t *testing.T) {
	t.Parallel()
	before := map[string]map[string]column{
		"sales": {"id": {Type: "bigint", Required: true, Given: true},
			"note": {Type: "text", Required: false, Given: false}}}
	for name, c := range map[string]struct {
		now  map[string]column
		want int
	}{
		"the same": {before["sales"], 0},
		"a column that may be null": {
			map[string]column{"id": {Type: "bigint", Required: true, Given: true},
				"note": {Type: "text", Required: false, Given: false},
				"x":    {Type: "text", Required: false, Given: false}}, 0},
		"a column with a default": {map[string]column{"id": {Type: "bigint", Required: true, Given: true},
			"note": {Type: "text", Required: false, Given: false},
			"x":    {Type: "text", Required: true, Given: true}}, 0},
		"a column that must be given": {
			map[string]column{"id": {Type: "bigint", Required: true, Given: true},
				"note": {Type: "text", Required: false, Given: false},
				"x":    {Type: "text", Required: true, Given: false}}, 1},
		"one that is gone": {map[string]column{"id": {Type: "bigint", Required: true, Given: true}}, 1},
		"one of another type": {
			map[string]column{"id": {Type: "text", Required: true, Given: true},
				"note": {Type: "text", Required: false, Given: false}},
			1},
		"one that must be given now": {map[string]column{"id": {Type: "bigint", Required: true, Given: true},
			"note": {Type: "text", Required: true, Given: false}},
			1},
	} {
		if got := unserved(before, map[string]map[string]column{"sales": c.now}); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// column is what a statement of an earlier release relies on.
type column struct {
	Type     string `json:"type"`
	Required bool   `json:"required"` // never null
	Given    bool   `json:"given"`    // has a default
}

// unbounded are numerics that have lost their bound. No result of an earlier release may
// contain one: PostgreSQL refuses prepared statements whose result types have changed.
var unbounded = map[string]bool{"deposit_accounts.transactions_sum": true}

// unserved lists the differences that break statements for the schema before: a column that
// is gone or has another type, and a column that must be written now.
func unserved(before, now map[string]map[string]column) (complaints []string) {
	for table, old := range before {
		for name, was := range old {
			is, there := now[table][name]
			switch {
			case !there:
				complaints = append(complaints, fmt.Sprintf("%s.%s is gone", table, name))
			case is.Type != was.Type && !unbounded[table+"."+name]:
				complaints = append(complaints, fmt.Sprintf("%s.%s was %s, and is %s", table, name, was.Type, is.Type))
			case is.Required && !is.Given && !was.Required:
				complaints = append(complaints, fmt.Sprintf("%s.%s must be given now", table, name))
			}
		}
		for name, is := range now[table] {
			if _, there := old[name]; !there && is.Required && !is.Given {
				complaints = append(complaints, fmt.Sprintf("%s.%s is new and must be given", table, name))
			}
		}
	}
	return complaints
}

// columns returns the columns of all tables, by table and name.
func columns(t *testing.T, db *sql.DB) map[string]map[string]column {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `
		SELECT table_name, column_name, CASE data_type WHEN 'numeric' THEN concat('numeric',
			'(' || numeric_precision || ',' || numeric_scale || ')') ELSE data_type END,
			is_nullable = 'NO', column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS'
		FROM information_schema.columns WHERE table_schema = 'public'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]map[string]column{}
	for rows.Next() {
		var table, name string
		var c column
		if err := rows.Scan(&table, &name, &c.Type, &c.Required, &c.Given); err != nil {
			t.Fatal(err)
		}
		if all[table] == nil {
			all[table] = map[string]column{}
		}
		all[table][name] = c
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// prepare makes PostgreSQL parse a statement and resolve its names.
func prepare(ctx context.Context, db *sql.DB, name, statement string) error {
	_, err := db.ExecContext(ctx, "PREPARE "+name+" AS "+statement)
	return err
}

// TestCollectRelease runs the tests of several packages against a server that logs, and
// stores every statement of the storage package. It is for the day of a release:
//
//	go test ./storage -run TestCollectRelease -collect 0.1.0 -timeout 60m
func TestCollectRelease(t *testing.T) {
	if *collect == "" {
		t.Skip("for the day of a release")
	}
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	logs := filepath.Join(dir, "logs")
	if err := os.Mkdir(logs, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(logs, 0o777); err != nil { // the server runs as another user
		t.Fatal(err)
	}
	pg, err := private.StartPostgres(t.Context(), dir, private.Options{Settings: map[string]string{
		"max_connections": "400", "logging_collector": "on", "log_destination": "jsonlog", "log_directory": logs,
		"log_statement": "all", "log_rotation_size": "0",
		"log_parameter_max_length": "0",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	ctx := t.Context()
	if end, ok := t.Deadline(); ok { // statements logged until then are stored
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Minute))
		defer cancel()
	}
	tests := exec.CommandContext(ctx, "go", "test", "-count=1", "-short", "-timeout", "0", "bordero/api",
		"bordero/storage/...", "bordero/workers/...", "bordero/scheduler")
	tests.Env = append(os.Environ(), "TEST_DATABASE_URL="+pg.URL())
	if out, err := tests.CombinedOutput(); err != nil {
		t.Logf("some tests failed beside a server that logs: %v\n%s", err, out[max(0, len(out)-2000):])
	}

	db := storagetest.DB(t, storagetest.DatabaseURL(t))
	seen := map[string]bool{}
	var recorded []string
	for _, statement := range logged(t, logs) {
		if seen[statement] {
			continue
		}
		seen[statement] = true
		// fails for BEGIN, COPY and statements on temporary tables
		if err := prepare(t.Context(), db, fmt.Sprintf("statement_%d", len(seen)), statement); err == nil {
			recorded = append(recorded, statement)
		}
	}
	slices.SortFunc(recorded, func(a, b string) int { return cmp.Compare(a, b) })
	file := filepath.Join("testdata", "releases", *collect+".json.gz")
	release{Statements: recorded, Columns: columns(t, db)}.write(t, file)
	readRelease(t, file)
	t.Logf("%d of %d statements are recorded", len(recorded), len(seen))
}

var logPrefix = regexp.MustCompile(`^(statement|execute [^:]*): `)

// logged returns the statements of the stores that the server has logged.
func logged(t *testing.T, dir string) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no log in %s: %v", dir, err)
	}
	for _, file := range files {
		for line := range bytes.Lines([]byte(readFile(t, file))) {
			var entry struct {
				Application string `json:"application_name"`
				Message     string `json:"message"`
			}
			if err := json.Unmarshal(line, &entry); err != nil || entry.Application != "bordero test" {
				continue
			}
			if prefix := logPrefix.FindString(entry.Message); prefix != "" {
				all = append(all, strings.TrimSpace(strings.TrimPrefix(entry.Message, prefix)))
			}
		}
	}
	return all
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
