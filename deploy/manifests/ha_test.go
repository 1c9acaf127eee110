package manifests

import (
	"slices"
	"strings"
	"testing"
)

// The file replaces Debian's, whose settings it needs too. The long tier lets HAProxy check it.
func TestHAProxy(t *testing.T) {
	section, lines := "", map[string][]string{}
	for line := range strings.Lines(read(t, "../ha/haproxy.cfg")) {
		setting, _, _ := strings.Cut(line, "#")
		switch words := strings.Fields(setting); {
		case len(words) == 0:
		case line[0] != ' ':
			section = words[0]
		default:
			lines[section] = append(lines[section], strings.Join(words, " "))
		}
	}
	for section, want := range map[string][]string{
		"global": {"user haproxy", "group haproxy", "chroot /var/lib/haproxy"},
		// A probe of /readyz takes up to 2 s (serve.Check).
		"defaults": {"timeout check 3s", "timeout http-request 10s"},
		"backend":  {"option httpchk GET /readyz"},
	} {
		for _, setting := range want {
			if !slices.Contains(lines[section], setting) {
				t.Errorf("%s has no %s: %q", section, setting, lines[section])
			}
		}
	}
}
