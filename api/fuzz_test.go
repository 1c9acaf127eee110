package api_test

import (
	"strings"
	"testing"

	"bordero/api"
)

// FuzzDepositAccount posts arbitrary bodies. Every answer must be documented and below 500.
func FuzzDepositAccount(f *testing.F) {
	s := newService(f)
	route := api.Route{Method: "POST", Path: "/entities/:entity_id/deposit_accounts"}
	for i, mediaType := range formats {
		f.Add(i == 1, requestExample(f, route, mediaType))
	}
	for _, v := range hostileValues {
		f.Add(false, `{"deposit_account":{"name":`+v+`,"deposit_account_type_id":1,"initial_balance":`+v+`}}`)
		f.Add(true, `<deposit-account><name>a</name><initial-balance type="decimal">`+strings.Trim(v, `"`)+
			`</initial-balance></deposit-account>`)
	}
	f.Add(true, `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`)
	f.Add(true, "\uFEFF"+`<?xml version="1.0"?><hash><deposit-account><name nil="true"/></deposit-account></hash>`)
	f.Fuzz(func(t *testing.T, isXML bool, text string) {
		contentType := formats[0]
		if isXML {
			contentType = formats[1]
		}
		if a := s.call(t, "POST", accountsPath, body(contentType, text)); a.status >= 500 {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}
