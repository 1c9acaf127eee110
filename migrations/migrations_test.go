package migrations

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

func TestMigrationsAreNumberedWithoutGaps(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if !strings.HasPrefix(e.Name(), fmt.Sprintf("%05d_", i+1)) {
			t.Errorf("%s is number %d", e.Name(), i+1)
		}
	}
	if Latest() != int64(len(entries)) {
		t.Errorf("the latest is %d of %d", Latest(), len(entries))
	}
}

// Outside a transaction nothing limits the wait for a lock, so that an index can be built beside long
// transactions. A statement that locks a table sets a limit of its own: writers would queue behind it.
func TestNoMigrationWaitsForATableWithoutALimit(t *testing.T) {
	bounded := regexp.MustCompile(`(?s)SET lock_timeout = '3s';.*?RESET lock_timeout;`)
	locks := regexp.MustCompile(`(?mi)^(ALTER|CREATE|DROP|TRUNCATE|LOCK) .*`)
	harmless := regexp.MustCompile(` INDEX CONCURRENTLY | VALIDATE CONSTRAINT `) // these let writers go on
	entries, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range entries {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), "+goose NO TRANSACTION") || name < "00018" { // those are of release 0.1.0
			continue
		}
		for _, statement := range locks.FindAllString(bounded.ReplaceAllString(string(content), ""), -1) {
			if !harmless.MatchString(statement) {
				t.Errorf("%s: %s", name, statement)
			}
		}
	}
}
