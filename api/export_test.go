package api

// OpenAPI is the document.
func OpenAPI() []byte { return openAPI() }

// Route is a line of the table of routes, for the tests that walk it.
type Route struct{ Method, Path string }

// Routes is the table of routes.
func Routes() []Route {
	var list []Route
	for _, r := range new(API).routes() {
		list = append(list, Route{r.method, r.path})
	}
	return list
}
