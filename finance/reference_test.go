package finance

import "testing"

// Records refer to these lists by id, so an id must never change its meaning.
func TestReferenceListsHaveEachIDCodeAndNameOnce(t *testing.T) {
	t.Parallel()
	seen := map[any]bool{}
	once := func(list string, values ...any) {
		for i, v := range values {
			key := [3]any{list, i, v}
			if v == "" || v == int64(0) || seen[key] {
				t.Errorf("%s: %v is missing or there twice", list, v)
			}
			seen[key] = true
		}
	}
	for i, x := range Taxes {
		once("taxes", x.ID, x.Name)
		if x.ID != int64(i+1) {
			t.Errorf("tax %d is in place %d", x.ID, i+1)
		}
	}
	last := int64(0)
	for _, b := range Banks {
		once("banks", b.ID, b.Name)
		if len(b.Code()) != 3 || b.ID <= last {
			t.Errorf("bank %v comes after %d", b, last)
		}
		last = b.ID
	}
	for i, c := range Currencies {
		once("currencies", c.ID, c.Code, c.NumericCode, c.Name)
		if c.ID != int64(i+1) || len(c.Code) != 3 || len(c.NumericCode) != 3 || c.MinorUnits < 0 || c.MinorUnits > 3 {
			t.Errorf("currency %v in place %d", c, i+1)
		}
	}
	if Currencies[BRL-1].Code != "BRL" {
		t.Error("1 is not the real")
	}
}
