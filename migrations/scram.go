package migrations

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/lib/pq"
)

// passwordLiteral returns the literal for PASSWORD of CREATE ROLE: the verifier of SCRAM-SHA-256,
// since the server may log the statement. Two passwords are sent as they are: an empty one, for
// which the server stores no password, and one that is not printable ASCII. SASLprep, which the
// server and its clients apply before they hash a password, changes only the latter.
func passwordLiteral(password string) (string, error) {
	if password == "" || !printable(password) {
		return pq.QuoteLiteral(password), nil
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // it never fails
	v, err := verifier(password, salt)
	return pq.QuoteLiteral(v), err
}

func printable(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// verifier returns the verifier that PostgreSQL stores for a password (RFC 5803, RFC 7677), with
// the default number of iterations.
func verifier(password string, salt []byte) (string, error) {
	const iterations = 4096
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	stored := sha256.Sum256(keyOf(salted, "Client Key"))
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, text(salt), text(stored[:]),
		text(keyOf(salted, "Server Key"))), nil
}

func keyOf(salted []byte, name string) []byte {
	mac := hmac.New(sha256.New, salted)
	mac.Write([]byte(name))
	return mac.Sum(nil)
}
