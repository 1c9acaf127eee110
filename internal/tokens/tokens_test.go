package tokens

import (
	"strings"
	"testing"
)

// The expected checks were computed bit by bit, without hash/crc32.
func TestChecked(t *testing.T) {
	t.Parallel()
	if got := check("123456789"); got != "cbf43926" { // the vector that implementations of CRC-32 are compared by
		t.Errorf("the check of 123456789 is %s", got)
	}
	zeros := strings.Repeat("0", 40)
	for name, c := range map[string]struct {
		token             string
		checked, possible bool
	}{
		"zeros":              {zeros + "963fbb8e", true, true},
		"all digits":         {"0123456789abcdef0123456789abcdef012345672a342d20", true, true},
		"a check from 0":     {zeros[:39] + "30f36ea34", true, true},
		"of before":          {zeros + zeros[:8], false, true},
		"least digit first":  {zeros + "8ebb3f96", false, true},
		"a check of capital": {zeros + "963FBB8E", false, false},
		"no hex":             {strings.Repeat("g", 48), false, false},
		"one character less": {zeros + "963fbb8", false, false},
		"one more":           {zeros + "963fbb8e0", false, false},
		"the check alone":    {"963fbb8e", false, false},
		"nothing":            {"", false, false},
	} {
		if got := Checked(c.token); got != c.checked {
			t.Errorf("%s: checked is %v", name, got)
		}
		if got := Possible(c.token); got != c.possible {
			t.Errorf("%s: possible is %v", name, got)
		}
	}
}

// A wrong character anywhere, and two swapped ones, fail the check.
func TestASlipFailsTheCheck(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		token := New()
		if !Checked(token) || !Possible(token) || seen[token] {
			t.Fatalf("%s is no new token", token)
		}
		seen[token] = true
		for i := range token {
			for _, digit := range "0123456789abcdef" {
				if slip := token[:i] + string(digit) + token[i+1:]; slip != token && Checked(slip) {
					t.Errorf("%s passes for %s", slip, token)
				}
			}
			if i == 0 {
				continue
			}
			if slip := token[:i-1] + token[i:i+1] + token[i-1:i] + token[i+1:]; slip != token && Checked(slip) {
				t.Errorf("%s passes for %s", slip, token)
			}
		}
	}
}
