package finance

import (
	"slices"

	"bordero/internal/messages"
)

// TransferSuggestion is a debit and a credit that are probably one transfer.
type TransferSuggestion struct {
	DebitTransactionID, CreditTransactionID int64
	Score                                   int64    // 0 to 100
	Rivals                                  int64    // how many other transactions would have fitted
	Reasons                                 []string // texts for the user

	Transactions []FinancialTransaction // filled in by storage
}

// TransactionIDs returns the ids of both transactions, sorted.
func (s *TransferSuggestion) TransactionIDs() []int64 {
	return []int64{min(s.DebitTransactionID, s.CreditTransactionID), max(s.DebitTransactionID, s.CreditTransactionID)}
}

// Points of the score of a transfer. Opposite amounts give 50.
const (
	nearPoints     = 20 // on the same day, decreasing to 0 at the end of TransferWindow
	transferPoints = 10 // a text says that it is a transfer
	ownPoints      = 10 // a text has the name of the entity
)

// transferWords are the words by which banks name a transfer.
var transferWords = map[string]bool{"transferencia": true, "transf": true, "ted": true, "doc": true, "tef": true,
	"pix": true}

// SuggestTransfers returns the pairs of transactions that are probably transfers, best first: one
// of a deposit account (here) and one of another (there), all in one currency, neither reconciled
// nor a side of a transfer. name is the name of the entity that owns the accounts. Transactions elsewhere are
// counted as rivals of those here, and not suggested. The result does not depend on the order of the
// arguments, and no transaction is in two pairs.
func SuggestTransfers(here, there []Movement, elsewhere []Elsewhere, name string) []TransferSuggestion {
	words := dictionary{}
	own := words.words(name)
	says := map[int64]bool{} // ids of transactions with the text of a transfer
	for _, m := range slices.Concat(here, there) {
		if saysTransfer(m.Text) {
			says[m.ID] = true
		}
	}
	opposite := Opposite(there)
	hintsOf := func(m match) transferHints {
		a, b := m.one, m.parts[0]
		return transferHints{transfer: says[a.id] || says[b.id],
			own: max(likeness(own, a.words), likeness(own, b.words)) >= 50}
	}
	m := matcher{
		transactions: entries(words, here), accounts: entries(words, opposite), elsewhere: elsewhere,
		window:  TransferWindow,
		score:   func(m match) int { return hintsOf(m).score(m) },
		reasons: func(m match) []string { return hintsOf(m).reasons(m) },
	}
	for _, least := range []int{strong, weak} {
		m.pairs(least, byDocument)
		m.pairs(least, byAmount)
	}
	debits := map[int64]bool{}
	for _, t := range here {
		debits[t.ID] = t.Amount < 0
	}
	var found []TransferSuggestion
	for _, s := range m.best() {
		debit, credit := s.TransactionIDs[0], s.AccountIDs[0]
		if !debits[debit] {
			debit, credit = credit, debit
		}
		found = append(found, TransferSuggestion{DebitTransactionID: debit, CreditTransactionID: credit, Score: s.Score,
			Rivals: s.Rivals, Reasons: s.Reasons})
	}
	return found
}

// Opposite returns movements with the amounts that their other sides have.
func Opposite(movements []Movement) []Movement {
	opposite := slices.Clone(movements)
	for i := range opposite {
		opposite[i].Amount = -opposite[i].Amount
	}
	return opposite
}

// transferHints reports whether the texts of two transactions contain words of a transfer, and the
// owner's name.
type transferHints struct{ transfer, own bool }

func (h transferHints) score(m match) int {
	score := 50 + nearPoints*(TransferWindow-m.days)/TransferWindow
	if m.document {
		score += documentPoints
	}
	if h.transfer {
		score += transferPoints
	}
	if h.own {
		score += ownPoints
	}
	return score
}

func (h transferHints) reasons(m match) []string {
	reasons := []string{messages.OppositeAmount, messages.DaysApart(m.days)}
	if m.document {
		reasons = append(reasons, messages.SameDocument)
	}
	if h.transfer {
		reasons = append(reasons, messages.SaysTransfer)
	}
	if h.own {
		reasons = append(reasons, messages.SaysOwnName)
	}
	return reasons
}

// saysTransfer reports whether a text has one of transferWords.
func saysTransfer(text string) bool {
	return slices.ContainsFunc(split(text), func(word string) bool { return transferWords[word] })
}
