package finance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bordero/internal/messages"
)

// Statuses of a balance proof (OpenAPI: BalanceProof).
const (
	ProofAgrees  = "agrees"
	ProofDiffers = "differs"
	ProofUnknown = "unknown" // the file does not say of which day its balance is
)

// ProofStatuses lists the statuses of a balance proof.
var ProofStatuses = []string{ProofAgrees, ProofDiffers, ProofUnknown}

// ExplanationKind is the cause of a part of a difference.
type ExplanationKind string

// The kinds of explanations, in the order in which a proof lists them. Later items came in a later
// file for the day of the balance: the bank had not booked them yet. Moved items came twice,
// because the bank moved them to another day.
const (
	OpeningBalance     ExplanationKind = "opening_balance"
	MissingPeriod      ExplanationKind = "missing_period"
	SuspectDuplicates  ExplanationKind = "suspect_duplicates"
	IgnoredItems       ExplanationKind = "ignored_items"
	MovedItems         ExplanationKind = "moved_items"
	ManualTransactions ExplanationKind = "manual_transactions"
	EditedItems        ExplanationKind = "edited_items"
	DeletedItems       ExplanationKind = "deleted_items"
	LaterItems         ExplanationKind = "later_items"
)

// ExplanationKinds lists the kinds of explanations, in their order.
var ExplanationKinds = []ExplanationKind{
	OpeningBalance, MissingPeriod, SuspectDuplicates, IgnoredItems, MovedItems, ManualTransactions, EditedItems,
	DeletedItems, LaterItems,
}

// BalanceProof compares the balance that a statement's file states with the balance of the deposit
// account on the same day (decision 0033). On, OurBalance and Difference are nil if the status is
// unknown.
type BalanceProof struct {
	BankStatementID int64
	Status          string
	On              *Date
	BankBalance     Amount
	OurBalance      *Sum
	Difference      *Sum // the bank's less ours
	Explanations    []Explanation
}

// Explanation is a part of a difference: an amount that our balance lacks, or has too much if it is
// negative.
type Explanation struct {
	Kind           ExplanationKind
	Amount         Amount
	TransactionIDs []int64
	Items          []ItemRef
	Days           *Period // of a missing period
}

// ItemRef names an item of a statement.
type ItemRef struct{ BankStatementID, ID int64 }

// LooseItem is an item that was not imported, although the bank may have counted its amount.
type LooseItem struct {
	ItemRef
	Amount Amount
}

// MovedItem is an imported item that an earlier file had on another day. Its Amount is the sum by
// which the bank's balance is less than that of the files. It lists the transactions of both days.
type MovedItem struct {
	LooseItem
	TransactionIDs []int64
}

// ProofSpan is the time from the end of one day with a balance of the bank, or from the beginning,
// to the end of the next.
type ProofSpan struct {
	Days      Period // from the zero Date in the first span
	Bank      Amount // how much the balance of the bank rose, from 0 in the first span
	Items     Amount // the sum of the items that files brought
	First     bool   // it has no balance before it: the initial balance of the account may be wrong
	Initial   Amount // of the account; 0 but in the first span
	Opens     Date   // in the first span, the first day of its statement
	Openable  bool   // in the first span, no transaction is before that day
	Uncovered []Period
	Doubtful  bool // a part of any amount may be missing, or be too much, that nothing else says
	Suspects  []LooseItem
	Future    []LooseItem // dated after the day of their import
	Balances  []LooseItem // written as movements
	Moved     []MovedItem
}

// Gap is the balance of the bank minus that of the files' items.
func (s ProofSpan) Gap() Amount { return s.Bank - s.Items - s.Initial }

// Explain returns the explanations of a difference. They are of two kinds: spans in which the
// balance of the bank rose by another sum than the items, and deviations of our transactions from
// the items, which are facts. Their amounts add up to the difference.
//
// If a span cannot be explained, or in two ways, there is no explanation: no answer is better than
// a wrong one.
func Explain(difference Amount, spans []ProofSpan, deviations []Explanation) []Explanation {
	var all []Explanation
	for _, s := range spans {
		if s.Gap() == 0 {
			continue
		}
		ways := s.ways(s.Gap())
		if len(ways) != 1 {
			return nil
		}
		all = append(all, ways[0])
	}
	for _, d := range deviations {
		if d.Amount != 0 {
			all = append(all, d)
		}
	}
	for _, e := range all {
		difference -= e.Amount
	}
	if difference != 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b Explanation) int {
		return cmp.Compare(slices.Index(ExplanationKinds, a.Kind), slices.Index(ExplanationKinds, b.Kind))
	})
	return all
}

// ways returns all explanations of a gap. An opening balance or a missing period can have any
// amount: they explain a gap only where nothing else could be a part of it.
func (s ProofSpan) ways(gap Amount) (ways []Explanation) {
	doubtful := s.Doubtful || len(s.Suspects)+len(s.Future)+len(s.Moved) > 0
	if s.First {
		if s.Openable && len(s.Uncovered) == 0 && !doubtful {
			ways = append(ways, Explanation{Kind: OpeningBalance, Amount: gap})
		}
		return ways
	}
	for _, items := range summing(s.Suspects, gap) {
		ways = append(ways, Explanation{Kind: SuspectDuplicates, Amount: gap, Items: items})
	}
	for _, items := range summing(s.movedItems(), gap) {
		ways = append(ways, Explanation{Kind: MovedItems, Amount: gap, Items: items,
			TransactionIDs: s.movedTransactions(items)})
	}
	for _, items := range summing(slices.Concat(s.Future, s.Balances), gap) {
		ways = append(ways, Explanation{Kind: IgnoredItems, Amount: gap, Items: items})
	}
	if len(s.Uncovered) == 1 && !doubtful { // of two, nobody knows the part of each
		ways = append(ways, Explanation{Kind: MissingPeriod, Amount: gap, Days: &s.Uncovered[0]})
	}
	return ways
}

func (s ProofSpan) movedItems() (items []LooseItem) {
	for _, m := range s.Moved {
		items = append(items, m.LooseItem)
	}
	return items
}

func (s ProofSpan) movedTransactions(of []ItemRef) (ids []int64) {
	for _, m := range s.Moved {
		if slices.Contains(of, m.ItemRef) {
			ids = append(ids, m.TransactionIDs...)
		}
	}
	return ids
}

// maxLoose bounds the items for which subsets are tried.
const maxLoose = 16

// summing returns the sets of one item, of two, and of all items whose sum is the amount. Larger
// subsets would find the amount by accident.
func summing(items []LooseItem, amount Amount) (sets [][]ItemRef) {
	var sum Amount
	all := make([]ItemRef, len(items))
	for i, a := range items {
		sum += a.Amount
		all[i] = a.ItemRef
	}
	if len(items) > 2 && sum == amount {
		sets = append(sets, all)
	}
	if len(items) > maxLoose {
		return sets
	}
	for i, a := range items {
		if a.Amount == amount {
			sets = append(sets, []ItemRef{a.ItemRef})
		}
		for _, b := range items[i+1:] {
			if a.Amount+b.Amount == amount {
				sets = append(sets, []ItemRef{a.ItemRef, b.ItemRef})
			}
		}
	}
	return sets
}

// Opening returns the correction of the initial balance with which the proof of a first statement
// agrees. It is the whole difference, less the items of later files: their day had not ended when
// the bank stated the balance, which is right without them. fits is false if the correction is no
// Amount.
func (p *BalanceProof) Opening() (lacks Amount, fits bool) {
	lacks, fits = p.Difference.Amount()
	for _, e := range p.Explanations {
		if e.Kind == LaterItems {
			lacks -= e.Amount
		}
	}
	return lacks, fits
}

// Covered returns the days that a file covers: from the earliest to the latest day of its period
// and of its items. Some banks write the day of the export as the period: a period of one day that
// the items contradict is ignored. The result is empty if the file has neither a period nor items.
func Covered(start, end *Date, items Period) Period {
	none := items == Period{}
	switch {
	case start == nil || end == nil:
		if none {
			return items
		}
	case *start == *end && !none && items != Period{*start, *end}:
		return items
	}
	for _, day := range []*Date{start, end} {
		if day != nil {
			items.Add(*day)
		}
	}
	return items
}

// Uncovered returns the days of a span outside of all periods, in their order.
func Uncovered(span Period, periods []Period) (open []Period) {
	slices.SortFunc(periods, func(a, b Period) int { return a.First.Compare(b.First) })
	next := span.First // the first day that may be uncovered
	for _, p := range periods {
		if p.First.After(span.Last) {
			break
		}
		if p.First.After(next) {
			open = append(open, Period{next, p.First.AddDays(-1)})
		}
		if after := p.Last.AddDays(1); after.After(next) {
			next = after
		}
	}
	if !next.After(span.Last) {
		open = append(open, Period{next, span.Last})
	}
	return open
}

// Sentence states for people whether the balances agree, and explains a difference; "" if the
// status is unknown.
func (p *BalanceProof) Sentence() string {
	switch p.Status {
	case ProofAgrees:
		return fmt.Sprintf(messages.ProofAgreesf, p.On.Brazilian(), p.BankBalance.Brazilian())
	case ProofDiffers:
		var whys []string
		for _, e := range p.Explanations {
			whys = append(whys, fmt.Sprintf("%s (%s)", messages.Explanations[string(e.Kind)], e.Amount.Brazilian()))
		}
		said := fmt.Sprintf(messages.ProofDiffersf, p.On.Brazilian(), p.BankBalance.Brazilian(),
			p.OurBalance.brazilian(), p.Difference.brazilian())
		if len(whys) > 0 {
			said += fmt.Sprintf(messages.Explainedf, strings.Join(whys, ", "))
		}
		return said + "."
	}
	return ""
}
