package workers

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/download"
	"bordero/storage"
)

// Signer returns the addresses of files. Only its process has the key that signs them.
type Signer struct {
	Store     *storage.Store
	Files     *blobs.Store
	Key       ed25519.PrivateKey // for files that the API serves
	PublicURL string             // of the API
	Life      time.Duration      // of an address
}

// Answer returns the address of the file that a download.SignURL names, which must have a row.
// The database's clock counts its lifetime, both here and where it is checked.
func (s Signer) Answer(ctx context.Context, ask []byte) (string, error) {
	var q download.SignURL
	if err := json.Unmarshal(ask, &q); err != nil {
		return "", err
	}
	f, err := s.Store.StoredFile(ctx, q.AccountID, q.FileKey)
	if err != nil {
		return "", err
	}
	if !s.Files.Local() {
		return s.Files.Address(ctx, f.FileKey, f.ContentType, download.Disposition(f.Name), s.Life)
	}
	ends := f.Now.Add(s.Life + time.Second - 1) // an address has whole seconds: round up to the promised life
	return s.PublicURL + download.Sign(s.Key, download.File{AccountID: f.AccountID, Key: f.FileKey, Expires: ends}), nil
}
