package storage

import (
	"testing"

	"github.com/jmoiron/sqlx"
)

// CheckCascades holds the lists of cascades to the schema of a database.
func CheckCascades(t *testing.T, url string) {
	db, err := sqlx.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checkCascades(t, db)
	checkOrder(t, db)
}
