package finance

import (
	"fmt"
	"strings"
	"time"

	"bordero/internal/messages"
)

// States of the import of a statement (decisions.md, Bank statements).
const (
	ImportQueued     = "queued"
	ImportProcessing = "processing"
	ImportSuccess    = "success"
	ImportError      = "error"
)

// BankStatement is one uploaded file and what became of it (spec.md,
// BankStatement). The event is its import.
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
	EventFinishedAt  *time.Time
	ImportCounts
	LedgerBalance   *Amount
	LedgerBalanceOn *Date
	PeriodStart     *Date
	PeriodEnd       *Date
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// ImportCounts say how many items of a file came in, and how many were ignored
// for which reason. Each item is in one of them.
type ImportCounts struct {
	ImportedItemsCount            int64
	FutureItemsIgnoredCount       int64
	AmountZeroItemsIgnoredCount   int64
	InvalidDateItemsIgnoredCount  int64
	BalanceItemsIgnoredCount      int64
	DuplicateItemsIgnoredCount    int64
	OtherAccountItemsIgnoredCount int64
}

// Doubt is an item that was ignored as known, though its description differs
// from the one remembered: somebody should look.
type Doubt struct {
	Line               int
	Day                Date
	Amount             Amount
	Description, Known string
}

// maxDoubts is how many doubts a person is shown.
const maxDoubts = 5

// Output tells a person what an import did.
func (c ImportCounts) Output(doubts []Doubt) string {
	var b strings.Builder
	b.WriteString(messages.Imported(c.ImportedItemsCount))
	var ignored []string
	for _, r := range []struct {
		n         int64
		one, many string
	}{
		{c.DuplicateItemsIgnoredCount, messages.OneKnown, messages.ManyKnown},
		{c.FutureItemsIgnoredCount, messages.Future, messages.Future},
		{c.AmountZeroItemsIgnoredCount, messages.ZeroAmount, messages.ZeroAmount},
		{c.InvalidDateItemsIgnoredCount, messages.NoDay, messages.NoDay},
		{c.BalanceItemsIgnoredCount, messages.OneBalance, messages.ManyBalances},
		{c.OtherAccountItemsIgnoredCount, messages.OneElsewhere, messages.ManyElsewhere},
	} {
		switch {
		case r.n == 1:
			ignored = append(ignored, "1 "+r.one)
		case r.n > 1:
			ignored = append(ignored, fmt.Sprintf("%d %s", r.n, r.many))
		}
	}
	if len(ignored) > 0 {
		fmt.Fprintf(&b, " "+messages.Ignoredf, strings.Join(ignored, ", "))
	}
	for i, d := range doubts {
		if i == maxDoubts {
			fmt.Fprintf(&b, " "+messages.AndMoref, len(doubts)-i)
			break
		}
		if i == 0 {
			b.WriteString(" " + messages.Doubts)
		}
		fmt.Fprintf(&b, " "+messages.Doubtf, d.Line, d.Day, d.Amount, d.Description, d.Known)
	}
	return strings.TrimSuffix(b.String(), ";")
}
