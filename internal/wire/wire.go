// Package wire writes and reads documents as JSON and as XML. It stands apart
// because the API and the webhooks say the same things in both formats, and
// knows nothing of what they say.
package wire

// Format is how a document is written.
type Format int

// The formats.
const (
	JSON Format = iota
	XML
)

// String returns "json" or "xml": the suffix of paths, the format of webhooks.
func (f Format) String() string {
	if f == XML {
		return "xml"
	}
	return "json"
}

// ContentType returns the value of the Content-Type header.
func (f Format) ContentType() string {
	if f == XML {
		return "application/xml; charset=utf-8"
	}
	return "application/json; charset=utf-8"
}
