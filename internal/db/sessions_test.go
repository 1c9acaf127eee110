package db_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/storage/storagetest"
)

func TestAPoolerOfTransactionsIsRecognized(t *testing.T) {
	t.Parallel()
	direct := storagetest.DatabaseURL(t)
	if err := db.OwnSessions(t.Context(), direct); err != nil {
		t.Errorf("PostgreSQL itself: %v", err)
	}
	for _, c := range []struct {
		mode        string
		connections int
		want        error
	}{
		{"session", 2, nil}, {"transaction", 1, db.ErrPooled}, {"transaction", 5, db.ErrPooled},
		{"statement", 5, db.ErrPooled},
	} {
		pooled := storagetest.PgBouncer(t, direct, c.mode, c.connections)
		for range 3 { // with an empty pool first, and a filled one later
			if err := db.OwnSessions(t.Context(), pooled); !errors.Is(err, c.want) {
				t.Errorf("a pooler of the mode %s, %d connections: %v", c.mode, c.connections, err)
			}
		}
	}
}

// Without an answer it is not known, within the time of the context.
func TestADatabaseThatDoesNotAnswerIsNoPooler(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = db.OwnSessions(ctx, "postgres://ana@"+silent.Addr().String()+"/books?sslmode=disable")
	if err == nil || errors.Is(err, db.ErrPooled) {
		t.Errorf("a server that does not answer: %v", err)
	}
}
