package api_test

import (
	"fmt"
	"image/png"
	"strings"
	"testing"

	"bordero/finance"
)

// What logo_image_url and flag_image_url name is a picture, relative to the API's address and without a
// token.
func TestThePicturesAreServedToAnybody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	send := func(method, path string, options ...option) answer {
		t.Helper()
		a, err := s.send(t.Context(), method, path, append(options, as(""))...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var named []string
	for _, kind := range finance.DepositAccountTypes {
		path := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.DepositAccountTypeID = &kind })
		named = append(named, s.call(t, "GET", path).at(t, "deposit_account.logo_image_url"))
	}
	for _, flag := range finance.CardNetworks {
		path := s.made(t, "/entities/1/credit_cards",
			fmt.Sprintf(`{"credit_card":{"name":"a","flag":%q,"closing_day":5,"expiration_day":15}}`, flag))
		named = append(named, s.call(t, "GET", path).at(t, "credit_card.flag_image_url"))
	}
	for _, name := range named {
		a := send("GET", "/"+name).want(t, 200)
		equal(t, a.header.Get("Content-Type"), "image/png")
		equal(t, a.header.Get("Cache-Control"), "public, max-age=86400")
		if _, err := png.Decode(strings.NewReader(a.body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		send("GET", "/"+name, with("If-None-Match", a.header.Get("ETag"))).wantBody(t, 304, "")
		send("HEAD", "/"+name).wantBody(t, 200, "")
	}
	for _, path := range []string{"/logos/visa.png", "/flags/logo-bank-account.png", "/logos/", "/logos",
		"/logos/../flags/visa.png/x", "/flags/desconhecida.png"} {
		send("GET", path).want(t, 404)
	}
	send("POST", "/"+named[0]).want(t, 405)
}
