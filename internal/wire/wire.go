// Package wire writes and reads documents as JSON and as XML. The API and the webhooks use
// both formats for the same content, which wire knows nothing of. It also writes lists of records
// as rows of a Sheet, which becomes a file of CSV or a Workbook.
package wire

// Format is the format of a document.
type Format int

// The formats.
const (
	JSON Format = iota
	XML
	cells // of a Sheet, which has no documents
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
