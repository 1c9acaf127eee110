package jobs

import "time"

// MailWebhookFailure notifies the administrators of an account by e-mail that a webhook is
// in error, and which delivery caused it. A crash or a shutdown may repeat one of the e-mails.
type MailWebhookFailure struct {
	AccountID  int64 `json:"account_id"`
	WebhookID  int64 `json:"webhook_id"`
	DeliveryID int64 `json:"delivery_id"`
	Attempt    int   `json:"attempt"` // the number of the attempt that failed; 0 in jobs of 0.3.0: the last one
}

// MailWebhookFailureKind is the kind of MailWebhookFailure.
var MailWebhookFailureKind = Kind{
	Name:     "mail_webhook_failure",
	Queue:    "webhooks",
	Attempts: 20,
	Delay:    Backoff(10*time.Second, time.Hour),
}

// Kind implements Args.
func (MailWebhookFailure) Kind() Kind { return MailWebhookFailureKind }
