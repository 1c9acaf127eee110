package finance

import (
	"strings"
	"testing"

	"bordero/internal/messages"
)

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("á", maxNote)
	longer := longest + "a"
	refused := "observation " + messages.TooLong.With(maxNote).Text
	for name, of := range map[string]struct {
		validate func(note *string) error
		want     string
	}{
		"account": {func(note *string) error { return (&FinancialAccount{Observation: note}).Validate() }, refused},
		"transaction": {func(note *string) error { return (&FinancialTransaction{Observation: note}).Validate() },
			refused},
		"sale": {func(note *string) error { return (&Sale{Observation: note}).Validate() }, refused},
		"card": {func(note *string) error { return (&CreditCard{Observation: note}).Validate() }, refused},
		"purchase": {func(note *string) error { return (&CreditCardTransaction{Observation: note}).Validate() },
			refused},
		"rule": {func(note *string) error {
			return (&ReconciliationRule{RuleAction: RuleAction{Observation: note}}).Validate()
		}, "new_account." + refused},
		"person": {func(note *string) error { return (&Person{Note: note}).Validate() },
			strings.Replace(refused, "observation", "note", 1)},
	} {
		if err := of.validate(&longest); err != nil && strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: the longest note: %v", name, err)
		}
		if err := of.validate(&longer); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v, want %q", name, err, of.want)
		}
	}
}
