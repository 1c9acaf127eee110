package db_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/internal/share"
	"bordero/internal/tracing"

	"github.com/jmoiron/sqlx"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// Each way to send a statement is counted, with what it waited for, and nothing between statements.
func TestStatementsAreCounted(t *testing.T) {
	t.Parallel()
	pool := open(t)
	var spent db.Spent
	places := share.NewPlaces(1)
	ctx := db.WithPlaces(db.WithSpent(t.Context(), &spent), places, 1)
	taken, err := places.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var users, begun sync.WaitGroup
	begun.Add(4)
	for range 4 {
		users.Go(func() {
			begun.Done()
			_, one := db.One[int64](ctx, pool, `SELECT 1`)
			_, many := db.Many[int64](ctx, pool, `SELECT 1`)
			_, exec := db.Exec(ctx, pool, `SELECT 1`)
			err := db.InTx(ctx, pool, func(tx *sqlx.Tx) error {
				rows, err := db.Rows(ctx, tx, `SELECT 1`)
				if err == nil {
					err = rows.Close()
				}
				return err
			})
			if err := errors.Join(one, many, exec, err); err != nil {
				t.Error(err)
			}
		})
	}
	const waited = 20 * time.Millisecond
	begun.Wait()
	time.AfterFunc(waited, taken)
	users.Wait()
	if n := spent.Statements(); n != 16 {
		t.Errorf("%d statements, not 16", n)
	}
	if spent.Time() < waited {
		t.Errorf("%v, after %v of waiting for a place", spent.Time(), waited)
	}

	var idle db.Spent
	began, pause := time.Now(), 20*time.Millisecond
	err = db.InTx(db.WithSpent(t.Context(), &idle), pool, func(*sqlx.Tx) error { time.Sleep(pause); return nil })
	if took := time.Since(began); err != nil || idle.Statements() != 0 || idle.Time() <= 0 || idle.Time() > took-pause {
		t.Errorf("%v in %d statements of a transaction that only pauses, in %v: %v", idle.Time(), idle.Statements(),
			took, err)
	}
}

var twoNamed = db.Named("test.two", `SELECT @value::bigint + 1`)

// A slow statement below a span is a span with its name in the program, and without its values; of the statements of
// one span, a hundred are.
func TestSlowStatementsAreSpans(t *testing.T) {
	t.Parallel()
	const value = int64(424_242_424_242_424_242) // longer than the digits of a time
	pool := open(t)
	exporter := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))
	run := func(slow time.Duration, times int) (said []string) {
		t.Helper()
		exporter.Reset()
		ctx, span := tracing.New(provider, slow).Request(t.Context(), "")
		for range times {
			err := db.InTx(ctx, pool, func(tx *sqlx.Tx) error {
				_, err := db.One[int64](ctx, tx, twoNamed.SQL, twoNamed.Args(db.Args{"value": value})...)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		span.Answered(tracing.Answer{Method: "GET", Status: 200})
		for _, s := range exporter.GetSpans() {
			if s.Parent.IsValid() {
				said = append(said, fmt.Sprint(s.Name, " ", s.Attributes[len(s.Attributes)-1].Value.AsString()))
			}
		}
		if text := fmt.Sprint(exporter.GetSpans()); strings.Contains(text, fmt.Sprint(value)) {
			t.Errorf("a value is in %s", text)
		}
		return said
	}
	if said := run(0, 1); !slices.Equal(said, []string{"BEGIN BEGIN", "SELECT test.two", "COMMIT COMMIT"}) {
		t.Errorf("the spans are %q", said)
	}
	if said := run(time.Hour, 1); len(said) != 0 {
		t.Errorf("without a slow statement the spans are %q", said)
	}
	if said := run(0, 50); len(said) != 100 {
		t.Errorf("%d spans", len(said))
	}
}
