package share

import "sync"

// Counter counts what each account has under way, and refuses more than a limit. Nothing waits for it. The zero value
// is empty.
type Counter struct {
	mu sync.Mutex
	of map[int64]int64 // by account; without the accounts that have nothing under way
}

// Take counts one more of the account, and returns the function that ends it; nil if the account has as many as the
// limit, or more because the limit was higher. used is what the account had before.
func (c *Counter) Take(account, limit int64) (used int64, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	used = c.of[account]
	if used >= limit {
		return used, nil
	}
	if c.of == nil {
		c.of = map[int64]int64{}
	}
	c.of[account]++
	return used, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.of[account]--; c.of[account] == 0 {
			delete(c.of, account)
		}
	}
}

// Used returns what the account has under way.
func (c *Counter) Used(account int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[account]
}
