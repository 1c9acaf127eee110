package api_test

import "testing"

// TestGoldensOfMembers is TestGoldens for members and tokens.
func TestGoldensOfMembers(t *testing.T) {
	t.Parallel()
	for format, requests := range map[string]struct{ member, badMember, rights, token, badToken, name string }{
		"json": {
			`{"member":{"email":"bia@example.com","permissions":["receivable_accounts","cash_flows"],"entities":[1],` +
				`"read_only":true}}`,
			`{"member":{"email":"bia","permissions":["sales"],"administrator":true}}`,
			`{"member":{"permissions":["cash_flows"],"read_only":false}}`,
			`{"token":{"name":"ERP","email":"bia@example.com","permissions":["cash_flows"],` +
				`"expires_at":"2099-12-31T00:00:00Z"}}`,
			`{"token":{"email":"caio@example.com","entities":[9],"expires_at":"2020-01-01"}}`,
			`{"token":{"name":"ERP da loja"}}`,
		},
		"xml": {
			`<member><email>bia@example.com</email><permissions type="array"><permission>receivable_accounts` +
				`</permission><permission>cash_flows</permission></permissions><entities type="array">` +
				`<entity type="integer">1</entity></entities><read-only type="boolean">true</read-only></member>`,
			`<member><email>bia</email><permissions type="array"><permission>sales</permission></permissions>` +
				`<administrator>true</administrator></member>`,
			`<member><permissions type="array"><permission>cash_flows</permission></permissions><read-only>false` +
				`</read-only></member>`,
			`<token><name>ERP</name><email>bia@example.com</email><permissions type="array"><permission>cash_flows` +
				`</permission></permissions><expires-at type="datetime">2099-12-31T00:00:00Z</expires-at></token>`,
			`<token><email>caio@example.com</email><entities type="array"><entity>9</entity></entities><expires-at>` +
				`2020-01-01</expires-at></token>`,
			`<token><name>ERP da loja</name></token>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.exec(t, `UPDATE users SET email = 'ana@example.com'`)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			golden("POST", "/members", 201, document(requests.member))
			golden("POST", "/members", 422, document(requests.badMember))
			golden("GET", "/members", 200)
			golden("GET", "/members/2", 200)
			golden("PUT", "/members/2", 200, document(requests.rights))
			golden("POST", "/tokens", 201, document(requests.token))
			golden("POST", "/tokens", 422, document(requests.badToken))
			s.exec(t, `UPDATE tokens SET prefix = '0a1b2c'`)
			golden("PUT", "/tokens/2", 200, document(requests.name))
			golden("GET", "/tokens", 200)
			golden("GET", "/tokens/2", 200)
			golden("DELETE", "/tokens/2", 200)
			golden("GET", "/tokens/2", 404)
			golden("DELETE", "/members/2", 200)
			golden("GET", "/members/2", 404)
			golden("PUT", "/members/1", 422, document(map[string]string{
				"json": `{"member":{"administrator":false}}`,
				"xml":  `<member><administrator>false</administrator></member>`,
			}[format]))
		})
	}
}
