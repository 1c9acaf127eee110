package api

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"time"

	"bordero/internal/cursor"
	"bordero/internal/throttle"
	"bordero/internal/wire"

	"github.com/gin-gonic/gin"
)

// SendContent answers a request with content.
func SendContent(w http.ResponseWriter, r *http.Request, content io.ReadSeeker) error {
	g, _ := gin.CreateTestContext(w)
	g.Request = r
	return (&call{Context: g}).sendContent(time.Time{}, content)
}

// OpenAPI returns the OpenAPI document.
func OpenAPI(url string) []byte { return documentationOf(url).files[documentPath].plain() }

// OpenAPIOfJSON returns the OpenAPI document without XML.
func OpenAPIOfJSON(url string) []byte { return documentationOf(url).files[jsonDocumentPath].plain() }

// WriteCursor returns the cursor of a walk for any place.
func WriteCursor(place []string, path string, account int64, search map[string]string) string {
	return cursor.Write(place, walk{path, account, search})
}

// Route is a row of the route table, for the tests that walk it.
type Route struct {
	Method, Path string
	Costly       bool
}

// Routes returns the route table.
func Routes() []Route {
	var list []Route
	for _, r := range new(API).routes() {
		list = append(list, Route{r.method, r.path, r.needs.costly})
	}
	return list
}

// TextAttributes returns the places of the attributes that a request reads as texts, by the name of the
// request's schema: "name", "new_account/description", "new_accounts/0/document", "events/0".
func TextAttributes() map[string][]string {
	all := map[string][]string{}
	var walk func(schema, place string, s *wire.Schema)
	walk = func(schema, place string, s *wire.Schema) {
		switch {
		case s.Text:
			all[schema] = append(all[schema], place)
		case s.Items != nil:
			walk(schema, place+"/0", s.Items)
		}
		for _, m := range s.Members {
			walk(schema, place+"/"+m.Name, m.Schema)
		}
	}
	for _, r := range records() {
		if r.Input != nil {
			walk(r.Name+"Input", "", r.Input)
		}
	}
	return all
}

// DefaultGuesses returns the throttle of invalid tokens of an API whose configuration has none.
func DefaultGuesses() *throttle.Throttle { return defaultGuesses() }

// NewFeedWait returns the function with which requests of an account wait for a change after the latest that they have
// read, until stop is closed.
func NewFeedWait(stop <-chan struct{}) func(ctx context.Context, latest int64) bool {
	f := &feedWaits{stop: stop}
	return func(ctx context.Context, latest int64) bool { return f.wait(ctx, f.of(1), latest) }
}

// NewFeedWaits returns the function with which requests of a token and an account begin to wait.
func NewFeedWaits() func(token byte, account int64) (leave func(), err error) {
	f := &feedWaits{}
	return func(token byte, account int64) (func(), error) {
		return f.enter([sha256.Size]byte{token}, account)
	}
}
