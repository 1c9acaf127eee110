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
	Life      time.Duration      // of an address after each answer of the API with it
}

// longestInS3 is the longest life for which S3 takes a signature.
const longestInS3 = 168 * time.Hour

// Answer returns the address of the file that a download.SignURL names, which must have a row.
// The database's clock counts its lifetime, both here and where the API checks it; for an address in S3, the clocks of
// this process and of S3 do.
func (s Signer) Answer(ctx context.Context, ask []byte) (string, error) {
	var q download.SignURL
	if err := json.Unmarshal(ask, &q); err != nil {
		return "", err
	}
	f, err := s.Store.StoredFile(ctx, q.AccountID, q.FileKey)
	if err != nil {
		return "", err
	}
	life := s.Life + s.Life/60 // the API answers with an address again for a sixtieth of its life
	if !s.Files.Local() {
		return s.Files.Address(ctx, f.FileKey, f.ContentType, download.Disposition(f.Name), min(life, longestInS3))
	}
	ends := f.Now.Add(life + time.Second - 1) // an address has whole seconds: round up to the promised life
	return s.PublicURL + download.Sign(s.Key, download.File{AccountID: f.AccountID, Key: f.FileKey, Expires: ends}), nil
}
