package config

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/configuration.md")

// The documented table is generated from the one that processes read.
func TestTheTableIsTheDocument(t *testing.T) {
	t.Parallel()
	const path = "../../docs/configuration.md"
	table := "| variable | default | must be | what it is for |\n|---|---|---|---|\n"
	for _, v := range Variables() {
		value := ""
		if v.Default != "" {
			value = "`" + v.Default + "`"
		}
		help := v.Help
		if v.Secret {
			help += " (secret)"
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s |\n", v.Name, value, v.Want, help)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- variables -->\n", "<!-- /variables -->"
	before, rest, ok := strings.Cut(string(content), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/configuration.md has lost its marks")
	}
	want := before + begin + table + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, string(content)); d != "" {
		t.Errorf("go test ./internal/config -update; -code +document:\n%s", d)
	}
}

func TestSettingsShowNoSecret(t *testing.T) {
	t.Parallel()
	all, err := Settings([]string{
		"DATABASE_URL=postgres://ana:hunter2@db.example:5432/b?sslmode=require&sslpassword=hunter2",
		"REDIS_URL=rediss://:hunter2@h:1/2",
		"BORDERO_MONITOR_PASSWORD_HASH=$2a$10$abcdefghijklmnopqrstuu5LoxkwEcKJqS5g4fJ9TzYbUn6SDhBaK",
		"BORDERO_ADDR=:9000",
		"BORDERO_FILES_URL=file:///var/lib/bordero", "BORDERO_CONCURRENCY=3",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Setting{}
	for _, s := range all {
		got[s.Name] = s
		if strings.Contains(s.Value, "hunter2") || strings.Contains(s.Value, "$2a$") {
			t.Errorf("%+v", s)
		}
	}
	if len(all) != len(Variables()) {
		t.Errorf("%d of %d", len(all), len(Variables()))
	}
	for _, want := range []Setting{
		{"DATABASE_URL", "postgres://ana:********@db.example:5432/b?sslmode=require&sslpassword=********", true},
		{"REDIS_URL", "rediss://:********@h:1/2", true},
		{"BORDERO_MONITOR_PASSWORD_HASH", "********", true},
		{"BORDERO_FILES_URL", "file:///var/lib/bordero", true},
		{"BORDERO_PUBLIC_URL", "http://:9000", false},
		{"BORDERO_CONCURRENCY", "3", true},
		{"BORDERO_LEASE", "15s", false},
		{"BORDERO_MONITOR_READONLY_USER", "", false},
	} {
		if got[want.Name] != want {
			t.Errorf("%+v, want %+v", got[want.Name], want)
		}
	}
	if got := mask("unix://u:hunter2@/run/redis"); got != "unix://u:********@/run/redis" {
		t.Error(got)
	}
	if _, err := Settings([]string{"BORDERO_LEASE=soon"}); err == nil {
		t.Error("a bad value is no error")
	}
}

func TestUnknownVariablesAreNamed(t *testing.T) {
	t.Parallel()
	got := Unknown([]string{
		"BORDERO_CONCURENCY=hunter2", "BORDERO_ANYTHING_ELSE=hunter2", "BORDERO_LEASE=1s", "BORDERO_TOKEN=x",
		"PATH=/bin", "BORDERO_CPUPROFILE=x",
	})
	if want := []string{"BORDERO_ANYTHING_ELSE", "BORDERO_CONCURENCY"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestTheUsersOfTheMonitorAreTwo(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{"BORDERO_MONITOR_USER=ana", "BORDERO_MONITOR_READONLY_USER=ana"})
	if err == nil || !strings.Contains(err.Error(), "BORDERO_MONITOR_READONLY_USER must be a name, another one") {
		t.Error(err)
	}
}

func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{"BORDERO_TRUSTED_PROXIES=10.1.2.3,192.168.7.9/16,fd00::/8"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.TrustedProxies); got != "[10.1.2.3/32 192.168.0.0/16 fd00::/8]" {
		t.Error(got)
	}
	if c, err := Load(nil); err != nil || len(c.TrustedProxies) != 0 {
		t.Error(c.TrustedProxies, err)
	}
	for _, bad := range []string{"*", "10.0.0.0/33", "proxy.example", "10.0.0.1 10.0.0.2"} {
		if _, err := Load([]string{"BORDERO_TRUSTED_PROXIES=" + bad}); err == nil ||
			!strings.Contains(err.Error(), "BORDERO_TRUSTED_PROXIES must be") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
