package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// TestGoldensOfProblems causes each refusal that all routes share. Its goldens have the names of
// the document's shared responses, and are their examples.
func TestGoldensOfProblems(t *testing.T) {
	t.Parallel()
	for format, name := range map[string]string{
		"json": `{"entity":{"name":%q}}`,
		"xml":  `<entity><name>%s</name></entity>`,
		// Problem details, and a document in JSON.
		"problem+json": `{"entity":{"name":%q}}`,
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			golden := func(name, method, path string, status int, options ...option) {
				t.Helper()
				options = append([]option{with("Accept", "application/"+format), with("X-Request-Id", "7f3a9c")},
					options...)
				compare(t, name+"."+format, s.call(t, method, path, options...).want(t, status).body)
			}
			entity := func(called string) option {
				return document(strings.Replace(fmt.Sprintf(name, called), `""`, "null", 1))
			}

			golden("Malformed", "POST", "/entities", 400, document(name[:8]))
			golden("Unauthorized", "GET", "/entities", 401, as("nobody"))
			golden("Forbidden", "POST", "/entities", 403, entity("Filial"),
				as(s.member(t, finance.Access{AllEntities: true})))
			golden("Forbidden_cross_site", "POST", "/entities", 403, entity("Filial"),
				with("Sec-Fetch-Site", "cross-site"))
			golden("NotFound", "GET", "/entities/9", 404)
			golden("MethodNotAllowed", "PATCH", "/entities", 405)
			golden("TooLarge", "POST", "/entities", 413, entity(strings.Repeat("a", 1<<20)))
			golden("UnsupportedType", "POST", "/entities", 415, body("text/plain", "Filial"))

			golden("Invalid_attributes", "POST", "/entities", 422, entity(""))
			golden("Invalid_root", "POST", "/entities", 422,
				document(strings.ReplaceAll(fmt.Sprintf(name, "Filial"), "entity", "entidade")))
			golden("Invalid_account", "GET", "/entities", 422, with("ACCOUNT_ID", "9"))
			golden("Invalid_base", "PUT", s.newDepositAccount(t, register)+"/close", 422)

			golden("Precondition", "PUT", "/entities/1", 412, entity("Filial"), with("If-Match", `"old"`))
			key := with("Idempotency-Key", "7f3a9c")
			s.call(t, "POST", "/entities", entity("Filial"), key).want(t, 201)
			golden("Conflict", "POST", "/entities", 409, entity("Loja"), key)

			s.exec(t, `INSERT INTO change_heads (account_id, sequence, hash, dropped) VALUES ($1, 3, '', 2)`,
				s.AccountID)
			golden("Expired", "GET", "/changes?after=1", 410)
			s.exec(t, `ALTER TABLE entities RENAME TO nothing`)
			golden("Failed", "GET", "/entities", 500)

			s = limited(t)
			golden("TooMany", "GET", "/entities", 429)
			s = serve(t, storagetest.Open(t, "postgres://bordero@127.0.0.1:1/bordero?sslmode=disable",
				storage.Options{}))
			s.Token = "a"
			golden("Unavailable", "GET", "/entities", 503)
		})
	}
}

// limited returns a service whose tenant has used up the rate limit of the minute.
func limited(t *testing.T) *service {
	t.Helper()
	store := storagetest.New(t)
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 48, 0, time.UTC) }
	s := serve(t, store, func(c *api.Config) { c.Limiter = limiter(t, now) })
	s.Tenant = storagetest.NewTenant(t, store)
	s.quota(t, finance.RequestsPerMinute, 1)
	s.call(t, "GET", "/entities").want(t, 200)
	return s
}
