package finance

import "testing"

func TestSumsAreWrittenAsAmountsWhateverTheirSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0.0", "0.00": "0.0", "12": "12.0", "150.00": "150.0", "150.90": "150.9", "-0.05": "-0.05",
		"1000.00":             "1000.0",
		"9999999999999999.99": "9999999999999999.99", "-12345678901234567890.10": "-12345678901234567890.1",
	} {
		var s Sum
		if err := s.Scan([]byte(text)); err != nil || string(s) != want {
			t.Errorf("%s is %s, %v; want %s", text, s, err, want)
		}
	}
	if got, err := Sum("").AppendText([]byte("x")); err != nil || string(got) != "x0.0" {
		t.Errorf("nothing is %s, %v", got, err)
	}
	if err := new(Sum).Scan(nil); err == nil {
		t.Error("null is taken")
	}
}
