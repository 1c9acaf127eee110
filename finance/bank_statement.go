package finance

import (
	"fmt"
	"strings"
	"time"

	"bordero/internal/messages"
)

// States of the import of a statement.
const (
	ImportQueued     = "queued"
	ImportProcessing = "processing"
	ImportSuccess    = "success"
	ImportError      = "error"
	ImportPreviewed  = "previewed" // read without an import
)

// PreviewLasts is how long a preview can be confirmed after its upload.
const PreviewLasts = 7 * 24 * time.Hour

// BankStatement is an uploaded file and the result of its import (OpenAPI: BankStatement). The
// Event fields describe the import.
type BankStatement struct {
	ID               int64
	AccountID        int64
	DepositAccountID int64
	FileKey          string // in object storage
	FileFileName     string
	FileContentType  string
	FileFileSize     int64
	FileUpdatedAt    time.Time
	EventID          int64
	EventStatus      string
	EventOutput      *string
	EventStartedAt   *time.Time // of the last attempt; nil before the first
	EventFinishedAt  *time.Time
	EventWarnings    StatementWarnings
	Accept           Texts             // codes of warnings with which the file is imported all the same
	StatementMapping *StatementMapping // of a preview that came with one; its confirmation keeps it
	ImportCounts
	ItemsCount        *int64  // nil if its items were not stored
	FileFormat        *string // statement.Format; nil before the file was read. Written, not read
	FileAccountNumber *string // the account that the file names
	LedgerBalance     *Amount
	LedgerBalanceOn   *Date
	PeriodStart       *Date
	PeriodEnd         *Date
	PeriodBroken      bool  // the file does not cover all days of the period
	FirstItemOn       *Date // of the imported and the known items; written, not read
	LastItemOn        *Date
	Proof             *BalanceProof // nil where it was not read, or if the file states no balance
	CreatedAt         time.Time
	UpdatedAt         time.Time
	Preview           bool // only a preview, in whatever state
}

// Removable refuses the deletion of a statement before its import has ended, because its
// transactions are not known yet.
func (b *BankStatement) Removable() error {
	if b.EventStatus == ImportQueued || b.EventStatus == ImportProcessing {
		return Refuse(Base, messages.ImportRuns)
	}
	return nil
}

// SuspectsImportable refuses a preview, and a statement before the end of its import.
func (b *BankStatement) SuspectsImportable() error {
	if b.Preview {
		return Refuse(Base, messages.OnlyPreviewed)
	}
	return b.Removable()
}

// Confirmable refuses to confirm any statement except one that was previewed.
func (b *BankStatement) Confirmable() error {
	if b.EventStatus != ImportPreviewed {
		return Refuse(Base, messages.NotPreviewed.With(b.EventStatus))
	}
	return nil
}

// Ended is the status of an import, or of a preview, that succeeds.
func (b *BankStatement) Ended() string {
	if b.Preview {
		return ImportPreviewed
	}
	return ImportSuccess
}

// PreviewDifference counts the items that a preview and its import saw differently.
type PreviewDifference struct {
	Previewed, Outcome string
	Count              int64
}

// Period is a first and a last day, both inclusive. Both are zero in an empty period.
type Period struct{ First, Last Date }

// Add widens the period to include the day.
func (p *Period) Add(d Date) {
	if p.First.IsZero() || d.Before(p.First) {
		p.First = d
	}
	if d.After(p.Last) {
		p.Last = d
	}
}

// ImportCounts are the numbers of imported items and of ignored items by reason. Each item is in
// exactly one count.
type ImportCounts struct {
	ImportedItemsCount            int64
	FutureItemsIgnoredCount       int64
	AmountZeroItemsIgnoredCount   int64
	InvalidDateItemsIgnoredCount  int64
	PendingItemsIgnoredCount      int64
	BalanceItemsIgnoredCount      int64
	DuplicateItemsIgnoredCount    int64
	OtherAccountItemsIgnoredCount int64
}

// SuspectedDuplicate is an item that was ignored as a duplicate although its description differs from the one
// stored. A person should check it.
type SuspectedDuplicate struct {
	Line               int
	Day                Date
	Amount             Amount
	Description, Known string
}

// Output describes the result of an import to a person: the imported items and their period, the
// ignored items with the reasons, and the warnings. The period is the one that the file states, or
// else that of its items. For a preview it lists the warnings that its confirmation has to accept.
func (b *BankStatement) Output(items Period, unaccepted []string) string {
	var text strings.Builder
	if b.Preview {
		text.WriteString(messages.WouldBeImported(b.ImportedItemsCount))
	} else {
		text.WriteString(messages.Imported(b.ImportedItemsCount))
	}
	if b.PeriodStart != nil && b.PeriodEnd != nil {
		items = Period{*b.PeriodStart, *b.PeriodEnd}
	}
	if !items.First.IsZero() {
		fmt.Fprintf(&text, " "+messages.Periodf, items.First.Brazilian(), items.Last.Brazilian())
	}
	var ignored []string
	for _, r := range []struct {
		n         int64
		one, many string
	}{
		{b.DuplicateItemsIgnoredCount, messages.OneKnown, messages.ManyKnown},
		{b.FutureItemsIgnoredCount, messages.Future, messages.Future},
		{b.AmountZeroItemsIgnoredCount, messages.ZeroAmount, messages.ZeroAmount},
		{b.InvalidDateItemsIgnoredCount, messages.NoDay, messages.NoDay},
		{b.PendingItemsIgnoredCount, messages.OnePending, messages.ManyPending},
		{b.BalanceItemsIgnoredCount, messages.OneBalance, messages.ManyBalances},
		{b.OtherAccountItemsIgnoredCount, messages.Elsewhere, messages.Elsewhere},
	} {
		switch {
		case r.n == 1:
			ignored = append(ignored, "1 "+r.one)
		case r.n > 1:
			ignored = append(ignored, fmt.Sprintf("%d %s", r.n, r.many))
		}
	}
	if len(ignored) > 0 {
		fmt.Fprintf(&text, " "+messages.Ignoredf, strings.Join(ignored, ", "))
	}
	for _, w := range b.EventWarnings {
		text.WriteString(" " + w.Message)
	}
	if len(unaccepted) > 0 {
		fmt.Fprintf(&text, " "+messages.ConfirmWithf, strings.Join(unaccepted, ", "))
	}
	return text.String()
}

// PreviewOutput describes to a person, after the Output of an import, where it differs from its
// preview; "" if nowhere.
func (b *BankStatement) PreviewOutput(differences []PreviewDifference) string {
	foreseen := b.ImportedItemsCount
	var known, fresh, others int64
	for _, d := range differences {
		switch {
		case d.Previewed == ItemImported && d.Outcome == ItemDuplicate:
			known += d.Count
		case d.Outcome == ItemImported:
			fresh += d.Count
		default:
			others += d.Count
		}
		if d.Previewed == ItemImported {
			foreseen += d.Count
		}
		if d.Outcome == ItemImported {
			foreseen -= d.Count
		}
	}
	var text strings.Builder
	for _, p := range []struct {
		n         int64
		one, many string
	}{
		{known, messages.CameMeanwhile, messages.CamesMeanwhile},
		{fresh, messages.BecameNew, messages.BecamesNew},
		{others, messages.OtherEnd, messages.OtherEnds},
	} {
		switch {
		case p.n == 1:
			fmt.Fprintf(&text, "; "+p.one, p.n)
		case p.n > 1:
			fmt.Fprintf(&text, "; "+p.many, p.n)
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return " " + messages.Foreseen(foreseen) + text.String() + "."
}
