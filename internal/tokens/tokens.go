// Package tokens generates access tokens and login codes, and detects mistyped tokens, for
// the API. It is apart because all must agree on the form.
package tokens

import (
	"fmt"
	"hash/crc32"
	"strings"

	"bordero/internal/random"
)

const (
	drawn  = 40 // characters from the system's random source
	length = drawn + 8
)

// New returns a token: 40 hex characters from the system's random source, and 8 that check
// them.
func New() string {
	text := random.Hex(drawn / 2)
	return text + check(text)
}

// NewLoginCode returns a login code: 32 hex characters from the system's random source. It is shorter
// than a token, so that nobody takes one for the other.
func NewLoginCode() string { return random.Hex(16) }

// check returns the CRC-32 (IEEE) of a text, most significant digit first.
func check(text string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) }

// Checked reports whether a token has the check that New adds. One in four billion guesses
// has it by chance.
func Checked(token string) bool {
	return len(token) == length && token[drawn:] == check(token[:drawn])
}

// Possible reports whether a token has the form of any that was ever issued. Tokens of earlier
// releases are as long and have no check.
func Possible(token string) bool {
	return len(token) == length && strings.Trim(token, "0123456789abcdef") == ""
}
