// Package cursor writes and reads the cursors of lists: where a page ended, as an opaque text.
// It is apart from api because it knows neither the lists nor their orders.
package cursor

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

const (
	// most bounds the length of a cursor. One of a list by name is the longest: 255 characters, folded.
	most     = 8 << 10
	checksum = 8 // bytes of a SHA-256
)

// Write returns the cursor of a place in a walk: the values of the keys by which its list is
// ordered, texts without NUL. walk is the common part of all pages of the walk, such as its
// filters; encoding/json must be able to write it.
func Write(place []string, walk any) string {
	values := strings.Join(place, "\x00")
	return base64.RawURLEncoding.EncodeToString(append(sum(walk, values), values...))
}

// Read returns the place of a cursor. ok reports whether Write returned the cursor for the same walk.
// Anybody can compute another one: the values may be any.
func Read(text string, walk any) (place []string, ok bool) {
	if len(text) > most {
		return nil, false
	}
	all, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(all) <= checksum {
		return nil, false
	}
	place = strings.Split(string(all[checksum:]), "\x00")
	return place, Write(place, walk) == text
}

// sum returns the checksum of a cursor, by which one of another walk and one that was changed are
// recognised. It is no protection.
func sum(walk any, values string) []byte {
	all, err := json.Marshal([]any{walk, []byte(values)})
	if err != nil {
		panic(err)
	}
	digest := sha256.Sum256(all)
	return digest[:checksum]
}
