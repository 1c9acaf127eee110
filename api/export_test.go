package api

import "bordero/internal/cursor"

// OpenAPI returns the OpenAPI document.
func OpenAPI(url string) []byte { return documentationOf(url).Files["/openapi.json"].Content }

// WriteCursor returns the cursor of a walk for any place.
func WriteCursor(place []string, path string, account int64, search map[string]string) string {
	return cursor.Write(place, walk{path, account, search})
}

// Route is a row of the route table, for the tests that walk it.
type Route struct{ Method, Path string }

// Routes returns the route table.
func Routes() []Route {
	var list []Route
	for _, r := range new(API).routes() {
		list = append(list, Route{r.method, r.path})
	}
	return list
}
