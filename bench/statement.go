package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/storage"
	"bordero/storage/members"
)

// tenant is an account with one entity, and how to reach it.
type tenant struct {
	storage.Scope
	token string
	url   string // of the API
}

// newTenant creates an account with an entity and an administrator's token.
func newTenant(ctx context.Context, s *storage.Store, token string) (t tenant, err error) {
	t.token = token
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		if t.AccountID, err = tx.InsertAccount(ctx, "Bench"); err != nil {
			return err
		}
		entity := finance.Entity{AccountID: t.AccountID, Name: "Matriz"}
		if err := tx.InsertEntity(ctx, &entity); err != nil {
			return err
		}
		t.EntityID = entity.ID
		user, err := members.UpsertUser(ctx, tx, token+"@example.com")
		if err != nil {
			return err
		}
		err = members.PutMembership(ctx, tx, finance.Access{UserID: user, AccountID: t.AccountID, Administrator: true,
			AllEntities: true})
		if err != nil {
			return err
		}
		return members.InsertToken(ctx, tx, t.token, members.NewToken{UserID: user, AccountID: &t.AccountID})
	})
	return t, err
}

// newDepositAccount creates an empty deposit account of the tenant.
func newDepositAccount(ctx context.Context, s *storage.Store, t tenant) (int64, error) {
	kind := int64(finance.Checking)
	d := finance.DepositAccount{AccountID: t.AccountID, EntityID: t.EntityID, Name: "Banco",
		DepositAccountTypeID: &kind, CurrencyID: finance.BRL}
	err := s.InTx(ctx, func(tx *storage.Tx) error { return tx.InsertDepositAccount(ctx, &d) })
	return d.ID, err
}

// imports is the service with the processes that an import needs.
type imports struct {
	harness *harness
	lease
	tenant
	store *storage.Store
}

// newImports starts the API, the statements worker and the scheduler.
func newImports(ctx context.Context, h *harness) (i imports, err error) {
	i.harness = h
	if i.lease, err = h.lease(ctx); err != nil {
		return i, err
	}
	if i.store, err = storage.Open(i.databaseURL, storage.Options{Timezone: zone}); err != nil {
		return i, err
	}
	h.atEnd(func() { _ = i.store.Close() })
	if i.tenant, err = newTenant(ctx, i.store, "0123456789abcdef"); err != nil {
		return i, err
	}
	addr := freeAddr()
	i.url = "http://" + addr
	for _, args := range [][]string{{"api"}, {"work", "statements"}, {"scheduler"}} {
		if err := h.bordero(ctx, i.lease, addr, args...); err != nil {
			return i, err
		}
	}
	return i, nil
}

// imported are the counts of an import that ended.
type imported struct {
	New   int `json:"imported_items_count"`
	Known int `json:"duplicate_items_ignored_count"`
	Event struct {
		Status string
		Output string
	}
}

// run uploads the file and waits for its successful import. It returns how long both took.
func (i imports) run(ctx context.Context, account int64, file []byte) (imported, time.Duration, error) {
	body, contentType := upload(file)
	path := fmt.Sprintf("%s/entities/%d/deposit_accounts/%d/bank_statements", i.url, i.EntityID, account)

	began := time.Now()
	res, err := i.do(ctx, http.MethodPost, path, bytes.NewReader(body), contentType)
	if err != nil {
		return imported{}, 0, err
	}
	res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return imported{}, 0, fmt.Errorf("upload: %s", res.Status)
	}
	var shown struct {
		Statement imported `json:"bank_statement"`
	}
	err = until(ctx, 20*time.Millisecond, func() (bool, error) {
		res, err := i.do(ctx, http.MethodGet, res.Header.Get("Location"), nil, "")
		if err != nil {
			return false, err
		}
		defer res.Body.Close()
		err = json.NewDecoder(res.Body).Decode(&shown)
		switch status := shown.Statement.Event.Status; {
		case err != nil:
			return false, err
		case status == "error":
			return false, fmt.Errorf("import: %s", shown.Statement.Event.Output)
		default:
			return status == "success", nil
		}
	})
	return shown.Statement, time.Since(began), err
}

func (i imports) do(ctx context.Context, method, url string, body io.Reader, contentType string) (*http.Response,
	error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(i.token, "x")
	req.Header.Set("ACCOUNT_ID", strconv.FormatInt(i.AccountID, 10)) // needed where a load's user has several
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	return http.DefaultClient.Do(req)
}

// first measures, in items a second, the import of the file into empty accounts.
func (i imports) first(file []byte, n int) figure {
	return i.harness.repeated(n, func(ctx context.Context) (time.Duration, error) {
		account, err := newDepositAccount(ctx, i.store, i.tenant)
		if err != nil {
			return 0, err
		}
		return i.into(ctx, account, file, n, 0)
	})
}

// into imports the file and checks how many of its items were new and known.
func (i imports) into(ctx context.Context, account int64, file []byte, isNew, known int) (time.Duration, error) {
	got, took, err := i.run(ctx, account, file)
	if err == nil && (got.New != isNew || got.Known != known) {
		err = fmt.Errorf("%d new items and %d known ones, want %d and %d", got.New, got.Known, isNew, known)
	}
	return took, err
}

// repeated runs do, with n items each time, until d has passed, and measures the items per
// second.
func (h *harness) repeated(n int, do func(context.Context) (time.Duration, error)) figure {
	return func(ctx context.Context, d time.Duration) (sample, error) {
		var took time.Duration
		before := h.cpu(false)
		done := 0
		for done == 0 || took < d {
			one, err := do(ctx)
			if err != nil {
				return sample{}, err
			}
			took += one
			done += n
		}
		return withCPU(float64(done)/took.Seconds(), h.cpu(false)-before, done), nil
	}
}

// measureImport compares an upload and its import with a bare COPY of the same rows.
func measureImport(ctx context.Context, h *harness) (ours, floor figure, err error) {
	i, err := newImports(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	items := h.items
	file := statementtest.OFX(items)
	rows, err := rowsOf(file)
	if err != nil {
		return nil, nil, err
	}
	ours = i.first(file, items)
	floor = h.repeated(items, func(ctx context.Context) (time.Duration, error) {
		account, err := newDepositAccount(ctx, i.store, i.tenant)
		if err != nil {
			return 0, err
		}
		return copyRows(ctx, i, account, rows, true)
	})
	return ours, floor, i.alike(ctx)
}

// alike checks that both sides store the same rows of a file. Without that, comparing their
// speed would be meaningless.
func (i imports) alike(ctx context.Context) error {
	file := statementtest.OFX(1000)
	rows, err := rowsOf(file)
	if err != nil {
		return err
	}
	const kept = `
		SELECT md5(string_agg(concat_ws('|', amount, occurred_at, guid, t.document, original_description, currency_id,
			bank_statement_id IS NULL, day, i.amount, mark, ordinal, fitid, description, number, line, i.document,
			financial_transaction_id IS NULL), '' ORDER BY guid))
		FROM financial_transactions t FULL JOIN imported_items i USING (deposit_account_id, amount, bank_statement_id)
		WHERE deposit_account_id = $1 AND guid = fitid`
	var sums [2]string
	for side := range sums {
		account, err := newDepositAccount(ctx, i.store, i.tenant)
		if err != nil {
			return err
		}
		if side == 0 {
			_, _, err = i.run(ctx, account, file)
		} else {
			_, err = copyRows(ctx, i, account, rows, true)
		}
		if err != nil {
			return err
		}
		if err := i.db.QueryRowContext(ctx, kept, account).Scan(&sums[side]); err != nil {
			return err
		}
	}
	if sums[0] != sums[1] {
		return fmt.Errorf("the import and the COPY keep different rows")
	}
	return nil
}
