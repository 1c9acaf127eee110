package workers

import (
	"time"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage/deliveries"
)

// formatOf returns the format of a webhook's notifications.
func formatOf(e *finance.Webhook) wire.Format {
	if e.Format == wire.XML.String() {
		return wire.XML
	}
	return wire.JSON
}

// notification returns the body of a delivery (OpenAPI: Notification). It has only the
// record's id and URL: a client with the right to see the record reads its current state
// there.
func notification(f wire.Format, publicURL string, d deliveries.Delivery) []byte {
	w := wire.NewWriter(f, time.UTC)
	defer w.Free()
	of := paths.Families[string(d.Family)]
	w.Document(func() {
		w.String("event", string(d.Family)+"."+string(d.Action))
		w.Time("timestamp", d.CreatedAt)
		if d.ChangeID != 0 {
			w.Int("change_id", d.ChangeID)
		}
		w.Object(of.Name, func() {
			w.Int("id", d.RecordID)
			w.Objects("_links", "_link", 1, func(int) {
				w.String("rel", "self")
				w.String("method", "GET")
				w.String("url", publicURL+of.Path(d.EntityID, d.ParentID, d.RecordID))
			})
		})
	})
	return append([]byte(nil), w.Bytes()...)
}
