package manifests

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// patroni has the parts of deploy/ha/patroni.yml that tests compare.
type patroni struct {
	RestAPI struct {
		Authentication struct{ Username, Password string }
	}
	Bootstrap struct {
		DCS struct {
			PostgreSQL struct {
				Parameters struct {
					MaxConnections int `json:"max_connections"`
				}
			}
		}
	}
}

func readPatroni(t *testing.T) (p patroni) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, "../ha/patroni.yml")), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Without a password, whoever reaches Patroni's REST API can run commands as postgres.
func TestPatroniAsksForAPassword(t *testing.T) {
	if a := readPatroni(t).RestAPI.Authentication; a.Username == "" || a.Password != "PASSWORD-OF-PATRONI" {
		t.Errorf("the REST API asks for %+v", a)
	}
}

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
		"defaults": {"timeout check 3s", "timeout http-request 10s", "timeout http-keep-alive 60s"},
		"backend":  {"option httpchk GET /readyz"},
	} {
		for _, setting := range want {
			if !slices.Contains(lines[section], setting) {
				t.Errorf("%s has no %s: %q", section, setting, lines[section])
			}
		}
	}
}
