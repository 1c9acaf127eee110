package finance

import (
	"crypto/hmac"
	"crypto/sha1" // X-Service-Signature; HMAC does not rely on collision resistance
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/internal/messages"
)

// WebhookStatus determines whether notifications are sent to a webhook.
type WebhookStatus string

// The statuses. The deliveries of a webhook in error are held until it is verified.
const (
	WebhookActive  WebhookStatus = "active"
	WebhookInError WebhookStatus = "error"
)

// Label returns the status as users see it (OpenAPI: Webhook).
func (s WebhookStatus) Label() string {
	if s == WebhookInError {
		return messages.WebhookInError
	}
	return messages.WebhookActive
}

// WebhookFormats lists the formats of notifications.
var WebhookFormats = []string{"json", "xml"}

// Webhook is a URL that receives the events of an entity (OpenAPI: Webhook). An update changes
// only its description.
type Webhook struct {
	ID                  int64
	AccountID           int64
	EntityID            int64
	URL                 string
	Format              string
	Description         *string
	Events              EventNames
	Secret              string // 24 to 64 hex characters: the key of both signatures
	PreviousSecret      *string
	PreviousSecretUntil *time.Time // until then PreviousSecret signs too
	Status              WebhookStatus
	// HealthyCheckCode is the status of the last test, or of the later attempt that put the webhook
	// in error; nil without a whole answer.
	HealthyCheckCode *int64
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// maxURL is the maximum length of a URL in characters.
const maxURL = 2048

var secretForm = regexp.MustCompile(`^[0-9a-fA-F]{24,64}$`)

// Validate refuses a webhook without an entity, a format or a URL, a secret of another form and
// unknown events, with messages in the order that clients expect. internal/outgoing decides which
// URLs are allowed.
func (w *Webhook) Validate() error {
	var invalid Invalid
	if w.EntityID == 0 {
		invalid.Add("entity", messages.Blank)
	}
	if w.Format == "" {
		invalid.Add("format", messages.Blank)
	}
	if !slices.Contains(WebhookFormats, w.Format) {
		invalid.Add("format", messages.NotOneOf(WebhookFormats))
	}
	if strings.TrimSpace(w.URL) == "" {
		invalid.Add("url", messages.Blank)
	}
	if utf8.RuneCountInString(w.URL) > maxURL {
		invalid.Add("url", messages.TooLong.With(maxURL))
	}
	validateText(&invalid, "description", w.Description)
	if !secretForm.MatchString(w.Secret) {
		invalid.Add("secret", messages.NotSecret)
	}
	w.Events.validate(&invalid)
	return invalid.Err()
}

// Secrets returns the secrets that sign at the given time, newest first.
func (w *Webhook) Secrets(at time.Time) []string {
	if w.PreviousSecret != nil && at.Before(*w.PreviousSecretUntil) {
		return []string{w.Secret, *w.PreviousSecret}
	}
	return []string{w.Secret}
}

// Headers returns the headers that identify and sign one POST. requestID is new for each POST; id
// identifies the notification and does not change.
func (w *Webhook) Headers(requestID, id string, at time.Time, body []byte) map[string]string {
	return map[string]string{
		"X-Service-RequestId": requestID,
		"X-Service-Signature": SignSHA1(w.Secret, requestID, body),
		"webhook-id":          id,
		"webhook-timestamp":   strconv.FormatInt(at.Unix(), 10),
		"webhook-signature":   SignStandard(w.Secrets(at), id, at, body),
	}
}

// SignSHA1 returns X-Service-Signature: HMAC-SHA1 over the request id followed by the body, in
// lower-case hex (docs/webhooks.md).
func SignSHA1(secret, requestID string, body []byte) string {
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(requestID))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// SignStandard returns webhook-signature of Standard Webhooks: for each secret, "v1," and the
// base64 of HMAC-SHA256 over id, Unix time and body, joined by dots. The signatures are separated
// by spaces.
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
