package api_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"bordero/internal/messages"
	"bordero/storage/storagetest"
)

// raised has the codes of the faults that the tests of this package have caused.
var raised sync.Map

// unraised are the codes that no test can cause, each with the reason.
var unraised = map[string]string{
	"balance_too_large": "the output of an import has its sentence",
	"split_differs":     "it is of an item of a batch; TestASplitSaleIsSentAgain causes it",
}

func TestMain(m *testing.M) {
	os.Exit(storagetest.Run(func() int {
		code := m.Run()
		if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
			code = checkRaised()
		}
		return code
	}))
}

// checkRaised fails a whole run that did not cause each fault of the catalogue.
func checkRaised() (code int) {
	for _, f := range messages.Catalogue {
		if _, ok := raised.Load(f.Code); !ok && unraised[f.Code] == "" {
			fmt.Printf("no test causes the error %s: %s\n", f.Code, f.Text)
			raised.Store(f.Code, true) // once
			code = 1
		}
	}
	return code
}
