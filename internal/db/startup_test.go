package db_test

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/storage/storagetest"
)

var options = db.Options{Application: "test", Timezone: "America/Sao_Paulo", StatementTimeout: time.Minute,
	IdleInTransaction: time.Hour}

// PgBouncer refuses a connection whose first message has parameters that it does not know.
func TestConnectionsBeginWithWhatPoolersKnow(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	first := make(chan []string, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		var head struct{ Length, Version int32 }
		if binary.Read(c, binary.BigEndian, &head) != nil {
			return
		}
		rest := make([]byte, head.Length-8)
		if _, err := io.ReadFull(c, rest); err == nil {
			first <- strings.Split(strings.TrimRight(string(rest), "\x00"), "\x00")
		}
	}()
	pool, err := db.Open("postgres://ana@"+listener.Addr().String()+"/books?sslmode=disable", options)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.PingContext(t.Context()); err == nil {
		t.Fatal("the server closed the connection")
	}
	sent := <-first
	known := []string{"user", "database", "client_encoding", "datestyle", "extra_float_digits", "application_name",
		"timezone"}
	for i := 0; i < len(sent); i += 2 {
		if !slices.Contains(known, strings.ToLower(sent[i])) {
			t.Errorf("the parameter %s is among the first: %q", sent[i], sent)
		}
	}
}

func TestSessionsHaveTheirSettings(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(storagetest.DatabaseURL(t), options)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for name, want := range map[string]string{
		"application_name": "test", "TimeZone": "America/Sao_Paulo", "jit": "off",
		"max_parallel_workers_per_gather": "0",
		"statement_timeout":               "1min", "idle_in_transaction_session_timeout": "1h",
		"client_connection_check_interval": "1s",
	} {
		if got, err := db.One[string](t.Context(), pool, `SELECT current_setting($1)`, name); err != nil ||
			got != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
}
