package share

import "testing"

func TestACounterRefusesWhatIsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	var c Counter
	_, first := c.Take(1, 2)
	_, second := c.Take(1, 2)
	if used, third := c.Take(1, 2); third != nil || used != 2 {
		t.Errorf("a third of two, beside %d", used)
	}
	if used, other := c.Take(2, 1); other == nil || used != 0 {
		t.Error("another account is refused")
	} else {
		other()
	}
	first()
	if used, lower := c.Take(1, 1); lower != nil || used != 1 || c.Used(1) != 1 { // a lower limit ends nothing
		t.Errorf("one more than a lowered limit, beside %d", used)
	}
	second()
	if c.Used(1) != 0 || len(c.of) != 0 {
		t.Errorf("accounts that have nothing under way are kept: %v", c.of)
	}
	if _, none := c.Take(1, 0); none != nil {
		t.Error("one of none")
	}
}
