package download

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// NewKey returns a new key in the format of its file: PKCS #8 in PEM.
func NewKey() ([]byte, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}

// ReadKey reads the key in a file that NewKey or `openssl genpkey -algorithm ed25519` has
// made.
func ReadKey(file string) (ed25519.PrivateKey, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseKey(content)
}

// ParseKey parses the content of such a file.
func ParseKey(content []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, errors.New("no key in PEM")
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := any.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("a %T, not an Ed25519 key", any)
	}
	return key, nil
}

// PublicText returns the public half of a key as the environment has it.
func PublicText(key ed25519.PrivateKey) string {
	return base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
}

// PublicKeys parses the public halves of keys: the present one, and earlier ones while addresses
// signed by them are valid.
func PublicKeys(texts []string) ([]ed25519.PublicKey, error) {
	var keys []ed25519.PublicKey
	for _, text := range texts {
		key, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, errors.New("a public key has 32 bytes in base64")
		}
		keys = append(keys, key)
	}
	return keys, nil
}
