package manifests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// processes returns the lines of the Procfile: by name, the words after bordero.
func processes(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for line := range strings.Lines(read(t, "../../Procfile")) {
		name, words, ok := strings.Cut(strings.TrimSpace(line), ":")
		if fields := strings.Fields(words); ok && len(fields) > 1 && fields[0] == "bordero" {
			all[name] = fields[1:]
		} else {
			t.Fatalf("the Procfile says %q", line)
		}
	}
	return all
}

// variables returns those that the service reads.
func variables(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../internal/config/config.go", nil,
		parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && f.Tag != nil {
			tag, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				t.Fatal(err)
			}
			if name := reflect.StructTag(tag).Get("env"); name != "" {
				all = append(all, name)
			}
		}
		return true
	})
	if len(all) < 20 {
		t.Fatalf("the configuration has the variables %v only", all)
	}
	return all
}

// owned are the variables that only one process may have.
var owned = map[string]string{
	"BORDERO_SIGNING_KEY_FILE":      "signing",
	"BORDERO_SIGNING_PUBLIC_KEYS":   "api",
	"BORDERO_MONITOR_USER":          "monitor",
	"BORDERO_MONITOR_PASSWORD_HASH": "monitor",
	"BORDERO_SMTP_URL":              "webhooks",
	"BORDERO_OWNER_DATABASE_URL":    "migrate",
}

// runs checks what a manifest configures for a process against the process.
func runs(t *testing.T, where, name string, words, env []string) {
	t.Helper()
	want, known := processes(t)[name]
	if name == "migrate" {
		want, known = []string{"migrate"}, true
	}
	if !known {
		t.Errorf("%s: the Procfile has no %s", where, name)
		return
	}
	if !slices.Equal(words, want) {
		t.Errorf("%s: %s runs %q, not %q", where, name, words, want)
	}
	for _, v := range env {
		if v == "GOMEMLIMIT" || v == "MEMORY_LIMIT_MIB" {
			continue
		}
		if !slices.Contains(variables(t), v) {
			t.Errorf("%s: %s is given %s, which nobody reads", where, name, v)
		}
		if owner := owned[v]; owner != "" && owner != name {
			t.Errorf("%s: %s is given %s, which is for %s alone", where, name, v, owner)
		}
	}
	needed := []string{"DATABASE_URL", "REDIS_URL", "BORDERO_FILES_URL", "BORDERO_PUBLIC_URL", "BORDERO_TIMEZONE"}
	switch name {
	case "migrate":
		needed = needed[:1]
	case "webhooks":
		needed = append(needed, "BORDERO_MAIL_FROM")
	}
	for v, owner := range owned {
		if owner == name {
			needed = append(needed, v)
		}
	}
	for _, v := range needed {
		if !slices.Contains(env, v) {
			t.Errorf("%s: %s is not given %s", where, name, v)
		}
	}
}

// complete fails if there lacks a process of the Procfile.
func complete[T any](t *testing.T, where string, there map[string]T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(processes(t))) {
		if _, ok := there[name]; !ok {
			t.Errorf("%s: %s has no place", where, name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
