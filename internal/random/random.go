// Package random makes ids, names and secrets that nothing can guess, of the one form that our
// columns, headers and file names share. It is apart so that nobody chooses another source.
package random

import (
	"crypto/rand"
	"encoding/hex"
)

// Hex returns n bytes from the system's random source as 2n hexadecimal digits.
func Hex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
