package cli

import "testing"

// The monitor's users must not see the keys that some addresses of webhooks contain.
func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://erp.example:8443/hooks/in?key=1#x":                     "https://erp.example:8443/hooks/in",
		"https://ana:hunter2@erp.example/":                              "https://erp.example/",
		"https://h/services/T000/0123456789abcdef01234567/notification": "https://h/services/T000/0123…/notification",
		"https://h/a%2Fb": "https://h/a%2Fb",
	} {
		if got := address(url); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}
