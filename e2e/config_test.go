package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
)

func TestConfigShowsWhatIsInForceAndNoSecret(t *testing.T) {
	t.Parallel()
	env := []string{"DATABASE_URL=postgres://ana:hunter2@h/d", "REDIS_URL=redis://:hunter2@h:1", "BORDERO_LEASE=20s"}
	said, _, err := e2etest.Command(t, env, "config")
	if err != nil || strings.Contains(said, "hunter2") ||
		!strings.Contains(said, "DATABASE_URL\tpostgres://ana:********@h/d\tenvironment\n") ||
		!strings.Contains(said, "BORDERO_LEASE\t20s\tenvironment\n") ||
		!strings.Contains(said, "BORDERO_CONCURRENCY\t8\tdefault\n") {
		t.Errorf("%v: %s", err, said)
	}
	said, _, err = e2etest.Command(t, env, "config", "--json")
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for line := range strings.Lines(said) {
		var s struct{ Name, Value string }
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		settings[s.Name] = s.Value
	}
	if settings["REDIS_URL"] != "redis://:********@h:1" || settings["BORDERO_LEASE"] != "20s" {
		t.Errorf("%v", settings)
	}
	_, stderr, err := e2etest.Command(t, []string{"BORDERO_LEASE=soon", "DATABASE_URL=hunter2"}, "config")
	if err == nil || !strings.Contains(stderr, "BORDERO_LEASE must be") ||
		!strings.Contains(stderr, "DATABASE_URL must be") || strings.Contains(stderr, "hunter2") {
		t.Errorf("%v: %s", err, stderr)
	}
}

// Jobs that hold all connections would leave none to renew their leases.
func TestAProcessRefusesAPoolThatIsTooSmall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, set, want string }{
		{"work statements", "BORDERO_CONCURRENCY=20", "BORDERO_DATABASE_CONNECTIONS must be at least 21, not 20: " +
			"each of BORDERO_CONCURRENCY jobs"},
		{"scheduler", "BORDERO_DATABASE_CONNECTIONS=3", "BORDERO_DATABASE_CONNECTIONS must be at least 4, not 3: the " +
			"leader"},
	} {
		env := []string{"DATABASE_URL=postgres://127.0.0.1:1/d", "REDIS_URL=redis://127.0.0.1:1",
			"BORDERO_FILES_URL=file://" + t.TempDir(), c.set}
		if _, stderr, err := e2etest.Command(t, env, strings.Fields(c.command)...); err == nil ||
			!strings.Contains(stderr, c.want) {
			t.Errorf("%s with %s: %v, %s", c.command, c.set, err, stderr)
		}
	}
}

// The variables of the shell that asks have no effect.
func TestConfigShowsWhatARunningUpHas(t *testing.T) {
	t.Parallel()
	data, addr := e2etest.DataDir(t), e2etest.Loopback()
	config := []string{"config", "--data", data}
	_, stderr, err := e2etest.Command(t, nil, config...)
	if err == nil || !strings.Contains(stderr, "no `bordero up` runs on "+data) {
		t.Errorf("before the start: %v, %q", err, stderr)
	}
	u := e2etest.StartUp(t, data, "BORDERO_ADDR="+addr, "BORDERO_CONCURRENCY=3",
		"BORDERO_SMTP_URL=smtp://ana:hunter2@mail.example").Ready()
	if u.URL != "http://"+addr {
		t.Errorf("the API is at %s, not %s", u.URL, addr)
	}
	said, stderr, err := e2etest.Command(t, []string{"BORDERO_CONCURRENCY=5", "BORDERO_LEASE=20s", "BORDERO_ADDR=:1"},
		config...)
	if err != nil {
		t.Fatal(err, stderr)
	}
	for _, want := range []string{
		"\nBORDERO_ADDR\t" + addr + "\t", "\nBORDERO_CONCURRENCY\t3\tenvironment\n", "\nBORDERO_LEASE\t15s\tdefault\n",
		"\nBORDERO_PUBLIC_URL\thttp://" + addr + "\t", "\nBORDERO_MONITOR_USER\tadmin\t",
		"\nBORDERO_SMTP_URL\tsmtp://ana:********@mail.example\t",
		"api=" + strings.TrimPrefix(u.Demo.Ops["api"], "http://"),
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	recorded, err := os.ReadFile(filepath.Join(data, "run", "settings.json"))
	if err != nil || strings.Contains(string(recorded)+said, "hunter2") || strings.Contains(string(recorded), "$2a$") {
		t.Errorf("%v: %s", err, recorded)
	}
}

func TestUnknownVariablesAreWarnedAbout(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Set("BORDERO_CONCURENCY=hunter2"))
	api := s.Start("api").Ready()
	if said := api.Out.String(); !strings.Contains(said, "BORDERO_CONCURENCY is not a variable of this release; "+
		"bordero config prints all names") || strings.Contains(said, "hunter2") {
		t.Error(said)
	}
}

// The bill of materials names every linked module, in a format that scanners read, and its release. That of a file is
// the same.
func TestTheBillOfMaterials(t *testing.T) {
	t.Parallel()
	said, _, err := e2etest.Command(t, nil, "version", "--sbom")
	if err != nil {
		t.Fatal(err)
	}
	if of, _, err := e2etest.Command(t, nil, "version", "--sbom", e2etest.Binary(t)); err != nil || of != said {
		t.Errorf("of the file: %v, %s", err, of)
	}
	var bill struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Component struct{ Type, Name, Version string }
		}
		Components []struct{ Type, Name, Version, PURL string }
	}
	if err := json.Unmarshal([]byte(said), &bill); err != nil {
		t.Fatal(err)
	}
	linked := map[string]string{}
	for _, c := range bill.Components {
		if c.Type != "library" || c.Version == "" || c.PURL != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("%+v", c)
		}
		linked[c.Name] = c.Version
	}
	if subject := bill.Metadata.Component; bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" ||
		subject.Name != "bordero" || !strings.HasPrefix(subject.Version, "v") {
		t.Errorf("%+v", bill.Metadata)
	}
	for _, name := range []string{"stdlib", "github.com/hibiken/asynq", "github.com/gin-gonic/gin",
		"github.com/lib/pq"} {
		if linked[name] == "" {
			t.Errorf("%s is not in the bill", name)
		}
	}
	said, _, err = e2etest.Command(t, nil, "version")
	if err != nil || !strings.HasPrefix(said, "bordero ") || !strings.Contains(said, "go1.") {
		t.Errorf("%v %q", err, said)
	}
}
