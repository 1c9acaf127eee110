package api

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/messages"
	"bordero/internal/share"
	"bordero/internal/wire"
	"bordero/storage"
)

// maxRoutedAccounts bounds the copies of a routed file.
const maxRoutedAccounts = 20

// routeStatement stores a statement's file once for each of its accounts, below the deposit account of the entity
// with that account number, in one transaction: 201 with the list, in the order of the file, and the Location of the
// first. A file with an account that no deposit account has, or several have, stores nothing (decision 0041).
func (a *API) routeStatement(c *call) error {
	if _, err := a.Store.Entity(c.ctx(), c.scope()); err != nil {
		return found(err, entities.root, c.entityID) // before up to 50 MiB are read in vain
	}
	file := &keptFile{holding: c.holding}
	r, asked, err := a.receiveStatement(c, file, 0)
	if err != nil {
		return err
	}
	accounts, refused, err := a.copyForEachAccount(c, r, file)
	if err != nil {
		a.discard(c, r)
		return err
	}
	return a.storeUpload(c, r, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		if refused != nil { // after the refusals of the entity
			return answer{}, refused
		}
		into, err := routed(ctx, tx, c, accounts)
		if err != nil {
			return answer{}, err
		}
		all := make([]finance.BankStatement, len(into))
		for i := range into {
			all[i] = asked
			all[i].FileKey, all[i].DepositAccountID = append(r.copies, r.key)[i], into[i]
			if err := c.storeStatement(ctx, tx, &all[i]); err != nil {
				return answer{}, err
			}
		}
		out := c.answer(http.StatusCreated, func(w *wire.Writer) {
			w.List(bankStatements.root, bankStatements.plural, len(all), func(i int) {
				showBankStatement(c, w, &all[i])
			})
		})
		out.location = c.url(bankStatements.path(c, &all[0]))
		return out, nil
	})
}

// copyForEachAccount reads the accounts of a received file, and stores a copy for each but one. refused is the fault
// of a file without accounts, with items of an unnamed account, with too many accounts, or with copies beyond the
// quotas of the account.
func (a *API) copyForEachAccount(c *call, r *received, file *keptFile) (accounts statement.Accounts, refused,
	err error) {
	if r.refused != nil {
		return accounts, r.refused, nil
	}
	if err := c.enter(); err != nil {
		return accounts, nil, err
	}
	content, err := file.open()
	if err != nil {
		return accounts, nil, err
	}
	accounts, err = statement.ReadAccounts(content)
	var broken *statement.Error
	if err != nil && !errors.As(err, &broken) {
		return accounts, nil, err
	}
	switch n := len(accounts.Numbers); {
	case n == 0 && broken != nil:
		return accounts, finance.Refuse("file", messages.BrokenStatement.With(broken)), nil
	case n == 0 || slices.Contains(accounts.Numbers, ""):
		return accounts, finance.Refuse("file", messages.NoAccountNumber), nil
	case n > maxRoutedAccounts:
		return accounts, finance.Refuse("file", messages.TooManyAccounts.With(maxRoutedAccounts)), nil
	}
	refused, err = c.refusedFile(c.ctx(), a.Store.Queries, r.size*int64(len(accounts.Numbers)), r.statement)
	if refused != nil || err != nil {
		return accounts, refused, err
	}
	c.leave() // the file store may hang
	for range accounts.Numbers[1:] {
		content, err := file.open()
		if err != nil {
			return accounts, nil, err
		}
		key, _, err := a.Files.Put(c.ctx(), c.access.AccountID, content)
		if err != nil {
			return accounts, nil, err
		}
		r.copies = append(r.copies, key)
	}
	return accounts, nil, nil
}

// routed returns the deposit account of each account of a file, and locks them FOR KEY SHARE. A deposit account that
// is deleted meanwhile is as unknown as a missing one.
func routed(ctx context.Context, tx *storage.Tx, c *call, accounts statement.Accounts) ([]int64, error) {
	numbered, err := tx.NumberedDepositAccounts(ctx, c.scope())
	if err != nil {
		return nil, err
	}
	numbers := make([]string, len(numbered))
	for i, d := range numbered {
		numbers[i] = d.AccountNumber
	}
	route := accounts.Route(numbers)
	var ids []int64
	for _, to := range route.To {
		if to >= 0 {
			ids = append(ids, numbered[to].ID)
		}
	}
	remaining, err := tx.ShareDepositAccounts(ctx, c.scope(), ids)
	if err != nil {
		return nil, err
	}
	into := make([]int64, len(route.To))
	for i, to := range route.To {
		if to < 0 {
			continue
		}
		if into[i] = numbered[to].ID; !slices.Contains(remaining, into[i]) {
			route.Unknown = append(route.Unknown, accounts.Numbers[i])
		}
	}
	return into, unrouted(route, numbered)
}

// unrouted refuses a file with accounts that no deposit account has, or several have.
func unrouted(route statement.Routing, numbered []storage.NumberedAccount) error {
	var invalid finance.Invalid
	if len(route.Unknown) > 0 {
		names := make([]string, len(route.Unknown))
		for i, number := range route.Unknown {
			names[i] = shortened(number, messages.NoNumber)
		}
		invalid.Add("file", messages.UnknownAccounts.With(strings.Join(names, ", ")))
	}
	if len(route.Ambiguous) > 0 {
		names := make([]string, len(route.Ambiguous))
		for i, account := range route.Ambiguous {
			ids := make([]string, len(account.Numbers))
			for k, n := range account.Numbers {
				ids[k] = fmt.Sprint(numbered[n].ID)
			}
			names[i] = fmt.Sprintf("%s (%s)", shortened(account.Account, messages.NoNumber), strings.Join(ids, ", "))
		}
		invalid.Add("file", messages.AmbiguousAccounts.With(strings.Join(names, ", ")))
	}
	return invalid.Err()
}

// keptFile keeps a file in memory, compressed, while it is stored: the API may write to the file store, but not read
// from it. A statement takes about a tenth of its size.
type keptFile struct {
	holding *share.Holding
	content bytes.Buffer
	deflate *flate.Writer // nil before the first byte of the file
}

// deflateMemory is the memory of a flate.Writer.
const deflateMemory = 1 << 20

// heldWriter takes the memory of the bytes that it writes.
type heldWriter struct {
	w       io.Writer
	holding *share.Holding
}

func (h heldWriter) Write(p []byte) (int, error) {
	if err := h.holding.Take(int64(len(p))); err != nil {
		return 0, err
	}
	return h.w.Write(p)
}

// Write adds to the file. Its errors are those of share.Holding.
func (f *keptFile) Write(p []byte) (int, error) {
	if f.deflate == nil {
		if err := f.holding.Take(deflateMemory); err != nil {
			return 0, err
		}
		f.deflate, _ = flate.NewWriter(heldWriter{&f.content, f.holding}, flate.BestSpeed) // the level is valid
	}
	return f.deflate.Write(p)
}

// open returns a reader of the whole file, which is not empty and cannot be written any more.
func (f *keptFile) open() (io.Reader, error) {
	if err := f.deflate.Close(); err != nil {
		return nil, err
	}
	return flate.NewReader(bytes.NewReader(f.content.Bytes())), nil
}
