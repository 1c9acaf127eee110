package finance

import (
	"crypto/hmac"
	"crypto/sha1" // the signature of X-Service-Signature; HMAC does not lean on collisions
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/internal/messages"
)

// WebhookStatus tells whether notifications go out to a webhook.
type WebhookStatus string

// The statuses. One in error keeps its notifications until it is verified.
const (
	WebhookActive  WebhookStatus = "active"
	WebhookInError WebhookStatus = "error"
)

// Label is the status as users read it (OpenAPI: Webhook).
func (s WebhookStatus) Label() string {
	if s == WebhookInError {
		return messages.WebhookInError
	}
	return messages.WebhookActive
}

// WebhookFormats are the formats that notifications come in.
var WebhookFormats = []string{"json", "xml"}

// Webhook is an address that is told of what happens in an entity (OpenAPI:
// Webhook). Only its description changes.
type Webhook struct {
	ID                  int64
	AccountID           int64
	EntityID            int64
	URL                 string
	Format              string
	Description         *string
	Secret              string // 24 hex characters: the key of both signatures
	PreviousSecret      *string
	PreviousSecretUntil *time.Time // until then the previous one signs too
	Status              WebhookStatus
	HealthyCheckCode    *int64 // of the last test's answer; nil when none came
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// maxURL is the length of an address in characters.
const maxURL = 2048

// Validate refuses a webhook without an entity, a format or an address, in the
// order in which clients know it. What an address may be is for internal/outgoing
// to say.
func (w *Webhook) Validate() error {
	var invalid Invalid
	if w.EntityID == 0 {
		invalid.Add("entity", messages.Blank)
	}
	if w.Format == "" {
		invalid.Add("format", messages.Blank)
	}
	if !slices.Contains(WebhookFormats, w.Format) {
		invalid.Add("format", messages.NotInList)
	}
	if strings.TrimSpace(w.URL) == "" {
		invalid.Add("url", messages.Blank)
	}
	if utf8.RuneCountInString(w.URL) > maxURL {
		invalid.Add("url", fmt.Sprintf(messages.TooLongf, maxURL))
	}
	validateText(&invalid, "description", w.Description)
	return invalid.Err()
}

// Secrets are the keys that sign at the moment, the newest first.
func (w *Webhook) Secrets(at time.Time) []string {
	if w.PreviousSecret != nil && at.Before(*w.PreviousSecretUntil) {
		return []string{w.Secret, *w.PreviousSecret}
	}
	return []string{w.Secret}
}

// Headers are those that say of one POST what it is and that it is ours: requestID
// is new for each, id is the notification's and stays.
func (w *Webhook) Headers(requestID, id string, at time.Time, body []byte) map[string]string {
	return map[string]string{
		"X-Service-RequestId": requestID,
		"X-Service-Signature": SignSHA1(w.Secret, requestID, body),
		"webhook-id":          id,
		"webhook-timestamp":   strconv.FormatInt(at.Unix(), 10),
		"webhook-signature":   SignStandard(w.Secrets(at), id, at, body),
	}
}

// SignSHA1 is X-Service-Signature: HMAC-SHA1 over the request's id followed by the
// body, in lower-case hex (docs/webhooks.md).
func SignSHA1(secret, requestID string, body []byte) string {
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(requestID))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// SignStandard is webhook-signature of Standard Webhooks: for each secret, with a
// blank between, "v1," and the base64 of HMAC-SHA256 over id, the Unix time at and
// the body, with dots between.
func SignStandard(secrets []string, id string, at time.Time, body []byte) string {
	signed := make([]string, len(secrets))
	for i, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signed[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signed, " ")
}
