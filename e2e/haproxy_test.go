package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bordero/deploy/private"
	"bordero/internal/tier"
)

// HAProxy takes the configuration of the guide to high availability without a warning.
func TestHAProxyTakesItsConfiguration(t *testing.T) {
	tier.NeedsLong(t, "installs HAProxy; deploy/manifests reads the settings")
	t.Parallel()
	if err := private.Install(t.Context(), func(s string) { t.Log(s) }, "haproxy"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, pair := filepath.Join(dir, "haproxy.cfg"), filepath.Join(dir, "bordero.pem")
	certificate, key := newCertificate(t)
	if err := os.WriteFile(pair, slices.Concat(certificate, key), 0o600); err != nil {
		t.Fatal(err)
	}
	config := strings.NewReplacer("/etc/haproxy/bordero.pem", pair, "app1.example", "127.0.0.1", "app2.example",
		"127.0.0.2").Replace(string(contentOf(t, "../deploy/ha/haproxy.cfg")))
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "haproxy", "-c", "-dW", "-f", file)
}
