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

func TestSumsAreAddedExactlyWhateverTheirSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, plus, minus Sum }{
		{"", "", "0.0", "0.0"},
		{"1.5", "-1.55", "-0.05", "3.05"},
		{"9999999999999.99", "0.01", "10000000000000.0", "9999999999999.98"},
		{"-99999999999999999999.9", "0.15", "-99999999999999999999.75", "-100000000000000000000.05"},
		{"99999999999999999999.0", "99999999999999999998.95", "199999999999999999997.95", "0.05"},
		{"99999999999999999999.0", "99999999999999999999.0", "199999999999999999998.0", "0.0"},
	} {
		if plus, minus := c.a.Plus(c.b), c.a.Minus(c.b); plus != c.plus || minus != c.minus {
			t.Errorf("%s and %s are %s and %s, want %s and %s", c.a, c.b, plus, minus, c.plus, c.minus)
		}
		if less := c.b.Less(c.a); less != (c.minus != "0.0" && c.minus[0] != '-') {
			t.Errorf("%s less than %s: %v", c.b, c.a, less)
		}
	}
}
