package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"bordero/e2e/e2etest"
)

// The network of the tests is private: webhooks reach it only where the operator permits it.
func TestAPrivateAddressIsSubscribedWhereTheOperatorLetsIt(t *testing.T) {
	t.Parallel()
	tests := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		tests <- r.Header.Get("User-Agent")
	}))
	t.Cleanup(receiver.Close)
	subscribe := func(s *e2etest.Site) error {
		return s.Post("/integrations/webhooks", map[string]any{"webhook": map[string]any{
			"entity_id": s.Entity, "url": receiver.URL, "format": "json",
		}}, &struct{}{})
	}
	closed := e2etest.New(t)
	closed.Serve()
	var refused e2etest.Refused
	if err := subscribe(closed); !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity ||
		len(tests) > 0 {
		t.Fatalf("%v, %d tests", err, len(tests))
	}
	open := e2etest.New(t, e2etest.Set("BORDERO_WEBHOOK_ALLOW_CIDRS=10.0.0.0/8,127.0.0.0/8"))
	open.Serve()
	if err := subscribe(open); err != nil {
		t.Fatal(err)
	}
	if agent := <-tests; agent != "bordero-webhooks/1" {
		t.Errorf("the test says that it is %s", agent)
	}
	var kept []struct {
		Webhook struct {
			URL    string
			Status string
		}
	}
	open.Get(t, "/integrations/webhooks", &kept)
	if got := fmt.Sprint(kept); got != fmt.Sprintf("[{{%s Ativo}}]", receiver.URL) {
		t.Error(got)
	}
}
