package api_test

import (
	"testing"

	"bordero/api"
)

// The root is the first address that a newcomer tries, with a browser or with curl.
func TestTheRootLeadsOn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	browser := with("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	a := s.fetch(t, "GET", "/", browser).want(t, 303)
	equal(t, a.header.Get("Location"), publicURL+"/docs")

	s = serve(t, s.store, func(c *api.Config) { c.Version = "v1.2.3" })
	s.fetch(t, "GET", "/", with("Accept", "*/*")).wantBody(t, 200, `{"name":"bordero","version":"v1.2.3","links":[`+
		`{"rel":"docs","href":"https://api.example.com/docs","method":"get"},`+
		`{"rel":"openapi","href":"https://api.example.com/openapi.json","method":"get"},`+
		`{"rel":"errors","href":"https://api.example.com/docs/errors","method":"get"},`+
		`{"rel":"accounts","href":"https://api.example.com/accounts","method":"get"}]}`)
	a = s.fetch(t, "GET", "/", with("Accept", "application/xml")).want(t, 200)
	equal(t, a.header.Get("Content-Type"), "application/xml; charset=utf-8")
	equal(t, s.fetch(t, "HEAD", "/").want(t, 200).body, "")
	s.fetch(t, "POST", "/").want(t, 405)

	// The suffix of a path wins over Accept.
	equal(t, s.fetch(t, "GET", "/.json", browser).want(t, 200).header.Get("Content-Type"),
		"application/json; charset=utf-8")
	equal(t, s.fetch(t, "GET", "/.xml", browser).want(t, 200).header.Get("Content-Type"),
		"application/xml; charset=utf-8")
}
