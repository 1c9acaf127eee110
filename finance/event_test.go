package finance_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"bordero/finance"
)

// Every declared family and action is listed, so that tests over the lists cover later ones too.
func TestAllFamiliesAndActionsAreListed(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("event.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ +(Family|Action) += "(\w+)"$`).FindAllSubmatch(source, -1)
	if len(declared) != len(finance.ChangeFamilies)+len(finance.Actions) {
		t.Errorf("%d are declared, and listed %v %v", len(declared), finance.ChangeFamilies, finance.Actions)
	}
	for _, d := range declared {
		name := string(d[2])
		if !slices.Contains(finance.ChangeFamilies, finance.Family(name)) &&
			!slices.Contains(finance.Actions, finance.Action(name)) {
			t.Errorf("%s is not listed", name)
		}
	}
}
