package api_test

import (
	"net/http"
	"testing"

	"bordero/api"
)

// Browsers store Basic credentials and send them with the forms of any page.
func TestWhatAnotherSiteSendsIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	bodies := map[string]string{
		"application/json": `{"error":"O navegador enviou esta requisição a partir de outro site: ela não é aceita."}`,
		"application/xml": `<?xml version="1.0" encoding="UTF-8"?>` +
			`<errors><error>O navegador enviou esta requisição a partir de outro site: ela não é aceita.</error>` +
			`</errors>`,
	}
	for _, from := range []option{
		with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Site", "same-site"),
		with("Origin", "https://evil.example"), with("Origin", "null"),
	} {
		for _, r := range api.Routes() {
			for format, body := range bodies {
				if r.Method != "GET" {
					s.call(t, r.Method, ids.path(r), valid(t, r), from, with("Accept", format)).wantBody(t,
						http.StatusForbidden, body)
				}
			}
		}
	}
	// Without WWW-Authenticate the browser shows no password prompt.
	a := s.call(t, "POST", "/people", as(""), with("Sec-Fetch-Site", "cross-site")).want(t, http.StatusForbidden)
	equal(t, a.header.Get("WWW-Authenticate"), "")
}

func TestWhatOurOwnPageSendsIsTaken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	form := body("application/x-www-form-urlencoded", "person[name]=Moinho")
	for _, from := range []option{
		with("Sec-Fetch-Site", "same-origin"), with("Sec-Fetch-Site", "none"), with("Origin", s.url),
		with("Origin", publicURL), // behind a proxy that sends another Host
	} {
		s.call(t, "POST", "/people", form, from).want(t, http.StatusCreated)
	}
	for _, method := range []string{"GET", "HEAD"} {
		s.call(t, method, "/people", with("Sec-Fetch-Site", "cross-site")).want(t, http.StatusOK)
	}
	a := s.call(t, "OPTIONS", "/people", with("Sec-Fetch-Site", "cross-site"))
	equal(t, a.status, http.StatusMethodNotAllowed) // as without the header
}
