// Package tokens makes access tokens, and tells those that have a slip in them. It is
// apart because the commands make them and the API looks at them.
package tokens

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
)

const (
	random = 40 // characters from the system's random source
	length = random + 8
)

// New is a token: 40 hex characters from the system's random source, and 8 that check
// them.
func New() string {
	var b [random / 2]byte
	_, _ = rand.Read(b[:]) // never fails
	text := hex.EncodeToString(b[:])
	return text + check(text)
}

// check is the CRC-32 (IEEE) of a text, most significant digit first.
func check(text string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) }

// Checked reports whether a token has the check that New gives it. One in four billion
// guesses has it by chance.
func Checked(token string) bool {
	return len(token) == length && token[random:] == check(token[:random])
}

// Possible reports whether a token has the form of those that were ever issued. Those of
// earlier releases are as long and have no check.
func Possible(token string) bool {
	return len(token) == length && strings.Trim(token, "0123456789abcdef") == ""
}
