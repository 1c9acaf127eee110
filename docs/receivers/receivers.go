// Package receivers has examples of programs that receive webhooks, in four languages. The API
// serves them with its documentation.
package receivers

import "embed"

// Files are the examples, one for each language.
//
//go:embed receiver.py receiver.mjs receiver.rb receiver.go
var Files embed.FS
