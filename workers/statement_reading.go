package workers

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/workers/runtime"
)

// reading is the state of reading a file into the staging.
type reading struct {
	into  finance.DepositAccount
	today finance.Date
	zone  *time.Location
	add   func(imports.StagedItem) error

	b     finance.BankStatement // with the ignored items counted, and the balance and period of the file
	items int64
	taken int64          // items that are imported or known
	days  finance.Period // of these

	currency   string                 // of the statement, as the file names it
	currencies finance.ItemCurrencies // of the items that are taken
	byType     bool                   // items have the signs of their types
	restored   bool                   // the balance has confirmed the written signs instead
	notes      []statement.Note
}

// stoppable is a file that cannot be read any more when the process is about to stop.
type stoppable struct {
	io.ReadSeeker
	job *importJob
}

func (s stoppable) Read(p []byte) (int, error) {
	if s.job.Stopping() {
		return 0, runtime.ErrStopping
	}
	return s.ReadSeeker.Read(p)
}

// read adds the items, counts the ignored ones, and records the balance and period that the
// file states.
func (r *reading) read(file io.ReadSeeker, job *importJob) error {
	f := statement.NewReader(stoppable{file, job}, r.today)
	f.Map(cmp.Or(r.b.StatementMapping, r.into.StatementMapping))
	f.Zone = r.zone
	number, account := "", ""
	if r.into.AccountNumber != nil {
		number = *r.into.AccountNumber
		account = f.AccountOf(number)
	}
	for {
		item, err := f.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := r.take(item, account); err != nil {
			return err
		}
	}
	said := f.Summary(account)
	if err := accountOf(f.Summaries(), number, r.items > r.b.OtherAccountItemsIgnoredCount ||
		said.Speaks()); err != nil {
		return err
	}
	format := string(f.Format())
	r.currency, r.notes, r.b.FileFormat = said.Currency, f.Notes(), &format
	if said.Account != "" {
		r.b.FileAccountNumber = &said.Account
	}
	r.b.LedgerBalance, r.b.LedgerBalanceOn = said.LedgerBalance, said.LedgerBalanceOn
	r.b.PeriodStart, r.b.PeriodEnd, r.b.PeriodBroken = said.PeriodStart, said.PeriodEnd, said.PeriodBroken
	return nil
}

// warn adds to b the warnings about the file as a whole, and returns the codes that the client must
// accept, and did not. The import has its turn from here on: an earlier one may bring the first
// account number.
func (r *reading) warn(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) (unaccepted []string, err error) {
	accept := b.Accept
	if b.FileAccountNumber != nil && r.into.AccountNumber == nil {
		if !b.Preview {
			if err := imports.TakeTurn(ctx, tx, r.into.ID); err != nil {
				return nil, err
			}
		}
		numbers, err := imports.ImportedNumbers(ctx, tx, r.into.AccountID, r.into.ID)
		if err != nil {
			return nil, err
		}
		if r.warnOfNumber(&b.EventWarnings, *b.FileAccountNumber, numbers) {
			accept = append(slices.Clone(accept), finance.WarnOtherAccount)
		}
	}
	b.EventWarnings.AddOtherCurrency(r.currencies, r.currency, r.into.CurrencyID)
	for _, note := range r.notes {
		if r.restored && note.Code == statement.SignsByType {
			continue
		}
		b.EventWarnings.Add(note.Code, note.Count)
	}
	return b.EventWarnings.Unaccepted(accept), nil
}

// warnOfNumber warns of a file of another account than the first one that was imported, unless somebody has accepted
// its number before. It reports whether a file of that number was imported before, without that: by an earlier
// release, which went on to import such files.
func (r *reading) warnOfNumber(warnings *finance.StatementWarnings, number string, numbers []imports.ImportedNumber) (
	before bool) {
	for i, n := range numbers {
		if !statement.SameAccount(number, n.Number) {
			continue
		}
		if i == 0 || n.Accepted {
			return false
		}
		before = true
	}
	if len(numbers) > 0 {
		warnings.AddOtherAccount(number, numbers[0].Number, r.taken)
	}
	return before
}

func (r *reading) take(item statement.Item, account string) error {
	outcome, amount, err := statement.Classify(item, account, r.today)
	if err != nil {
		return err
	}
	r.items++
	staged := imports.StagedItem{
		Line: item.Line, Day: item.Day, Amount: amount,
		Card:  item.Card || *r.into.DepositAccountTypeID == finance.CardAccount,
		FITID: item.FITID, Document: item.Document, Description: item.Description,
	}
	if outcome != statement.Imported {
		staged.Ignored = string(outcome)
	}
	switch outcome {
	case statement.OtherAccount:
		r.b.OtherAccountItemsIgnoredCount++
	case statement.InvalidDate:
		r.b.InvalidDateItemsIgnoredCount++
	case statement.Zero:
		r.b.AmountZeroItemsIgnoredCount++
	case statement.Pending:
		r.b.PendingItemsIgnoredCount++
	case statement.Balance:
		r.b.BalanceItemsIgnoredCount++
	case statement.Future:
		r.b.FutureItemsIgnoredCount++
	default:
		r.taken++
		r.days.Add(item.Day)
		r.byType = r.byType || item.ByType
		r.currencies.Add(item.Currency)
		staged.Payment = item.Payment.Or(imports.PaymentOf(finance.OrZero(r.into.BankAccountID), item.Description,
			item.Document, item.FITID))
	}
	return r.add(staged)
}

// confirmTypes checks the signs of items against the balance that the file states, if the signs are
// those of the items' types. If the balance confirms the written signs instead, it restores them.
func (r *reading) confirmTypes(ctx context.Context, tx *storage.Tx) error {
	if !r.byType {
		return nil
	}
	var err error
	r.restored, err = imports.RestoreSigns(ctx, tx, &r.b)
	return err
}

// accountOf refuses a file with items of several accounts if the deposit account has no number, and
// a file without the account of that number. own is set if the file has items or a statement of
// that account.
func accountOf(said []statement.Summary, account string, own bool) error {
	var found []string
	for _, s := range said {
		if s.Items == 0 {
			continue
		}
		name := s.Account
		if name == "" {
			name = messages.NoNumber
		}
		found = append(found, name)
	}
	names := strings.Join(found, ", ")
	switch {
	case account == "" && len(found) > 1:
		return refusal{why: fmt.Sprintf(messages.ManyAccountsf, names)}
	case account != "" && len(found) > 0 && !own:
		return refusal{why: fmt.Sprintf(messages.OtherAccountsf, account, names)}
	}
	return nil
}
