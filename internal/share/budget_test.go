package share

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func TestABudgetIsShared(t *testing.T) {
	t.Parallel()
	b := NewBudget(10, 6)
	first, second, other, third := b.Hold(1), b.Hold(1), b.Hold(2), b.Hold(3)
	urgent := b.HoldUrgent(1)
	for i, step := range []struct {
		do   func() error
		want error
		held int64
	}{
		{func() error { return first.Take(7) }, ErrTooLarge, 0},
		{func() error { return first.Take(4) }, nil, 4},
		{func() error { return first.Take(3) }, ErrTooLarge, 4},
		{func() error { return second.Take(3) }, ErrNoRoom, 4},
		{func() error { return second.Take(2) }, nil, 6},
		{func() error { return urgent.Take(3) }, nil, 9},
		{func() error { return urgent.Take(2) }, ErrNoRoom, 9}, // of all accounts
		{func() error { urgent.Keep(0); return nil }, nil, 6},
		{func() error { return other.Reserve(4) }, nil, 10},
		{func() error { return third.Take(1) }, ErrNoRoom, 10},
		{func() error { return other.Take(3) }, nil, 10},       // of the four
		{func() error { return other.Take(2) }, ErrNoRoom, 10}, // one is left
		{func() error { return other.Take(1) }, nil, 10},
		{func() error { other.Reuse(); return other.Take(4) }, nil, 10},
		{func() error { first.Keep(1); return third.Take(3) }, nil, 10},
		{func() error { first.Keep(9); return nil }, nil, 10}, // no more than it holds
		{func() error { other.Reuse(); other.Keep(4); return other.Take(1) }, ErrNoRoom, 10},
		{func() error { first.Keep(0); second.Keep(0); other.Keep(0); third.Keep(0); return nil }, nil, 0},
	} {
		if err := step.do(); !errors.Is(err, step.want) || b.Held() != step.held {
			t.Fatalf("step %d: %v, %d are held", i, err, b.Held())
		}
	}
	if len(b.of) != 0 {
		t.Errorf("accounts that hold nothing are kept: %v", b.of)
	}
	var none *Budget
	for _, h := range []*Holding{none.Hold(1), none.HoldUrgent(1)} {
		if h.Take(1<<40) != nil || h.Reserve(1<<40) != nil {
			t.Error("without a budget, bytes are refused")
		}
	}
}

// Whatever is taken and freed, no account holds more than its share, and nothing remains.
func TestNoAccountHoldsMoreThanItsShare(t *testing.T) {
	t.Parallel()
	for range 200 {
		b := NewBudget(100, 40)
		holdings := []*Holding{b.Hold(1), b.Hold(1), b.Hold(2), b.Hold(3), b.HoldUrgent(3)}
		for range 200 {
			h, n := holdings[rand.N(len(holdings))], rand.Int64N(30)
			before := h.held
			var err error
			switch rand.N(4) {
			case 0:
				err = h.Take(n)
			case 1:
				err = h.Reserve(n)
			case 2:
				h.Reuse()
			case 3:
				h.Keep(n)
			}
			if err != nil && h.held != before {
				t.Fatalf("%v, but it holds %d instead of %d", err, h.held, before)
			}
			sum, all := map[share]int64{}, int64(0)
			for _, h := range holdings {
				if sum[h.share] += h.held; sum[h.share] > 40 || h.spare > h.held || h.spare < 0 {
					t.Fatalf("%+v", h)
				}
				all += h.held
			}
			if all != b.Held() || all > 100 {
				t.Fatalf("%d of %d are held", b.Held(), all)
			}
		}
		for _, h := range holdings {
			h.Keep(0)
		}
		if b.Held() != 0 || len(b.of) != 0 {
			t.Fatalf("%d remain, %v", b.Held(), b.of)
		}
	}
}
