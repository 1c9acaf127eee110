package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
)

// fence is a block of commands. The word after sh on its first line names the processes that it
// needs.
var fence = regexp.MustCompile("(?ms)^```sh *([a-z]*)\n(.*?)^```")

// TestReadme follows the README's tour exactly, twice, in bash and in zsh, except for the data directory, the
// receiver's port, and the binary instead of go run. What the tour made is gone at its end.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, ok := strings.Cut(string(readme), "\n## Ten minutes\n")
	if !ok {
		t.Fatal("the README has no tour")
	}
	tour, _, _ = strings.Cut(tour, "\n## ")
	u := e2etest.StartUp(t, e2etest.DataDir(t), "--local-webhooks").Ready()
	if err := private.Install(t.Context(), func(s string) { t.Log(s) }, "curl", "jq", "openssl"); err != nil {
		t.Fatal(err)
	}
	_, python := exec.LookPath("python3")
	wanted := []string{`"imported_items_count": 81`, `"6592.75"`, `>6529.19<`, `"score":`,
		`"status_name": "reconciled"`, `"event": "reconciles.created"`,
		"(other_account): if it belongs to this deposit account", "refused\n", "the end"}
	if python == nil {
		wanted = append(wanted, "event people.created")
	}
	script, own := "set -eu -o pipefail\n", t.TempDir()
	blocks := fence.FindAllStringSubmatch(tour, -1)
	if len(blocks) < 5 {
		t.Fatalf("the tour has %d blocks", len(blocks))
	}
	for _, block := range blocks {
		if block[1] == "webhook" && python != nil {
			continue
		}
		script += block[2]
	}
	_, port, _ := strings.Cut(e2etest.Loopback(), ":")
	script = strings.NewReplacer(".data", u.Data, "go run .", e2etest.Binary(t), "127.0.0.1:9999", "127.0.0.1:"+port,
		"PORT=9999", "PORT="+port,
		"/tmp/receive", filepath.Join(own, "receive")).Replace(script)
	for _, shell := range shells(t) {
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
		pasted := exec.CommandContext(ctx, shell, "-c", script+"echo the end\n")
		pasted.Dir = ".."
		pasted.WaitDelay = time.Second
		out, err := pasted.CombinedOutput()
		cancel()
		for _, want := range wanted {
			if err != nil || !strings.Contains(string(out), want) {
				t.Fatalf("%s: %v: no %s in\n%s", shell, err, want, out)
			}
		}
		entity := fmt.Sprint("/entities/", u.Demo.EntityID)
		for _, list := range []string{entity + "/deposit_accounts", entity + "/receivable_accounts",
			entity + "/reconciles", "/people", "/integrations/webhooks"} {
			var left []any
			if u.Get(t, list, &left); len(left) > 0 {
				t.Errorf("%s: %s has %v", shell, list, left)
			}
		}
	}
}

// A shell that is used by a person reads a comment in a pasted block as a command, if it is zsh.
func TestBlocksOfCommandsHaveNoComments(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("../api/docs/guides/*.md")
	if err != nil || len(guides) < 10 {
		t.Fatal(guides, err)
	}
	for _, path := range append(guides, "../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[2]) {
				if strings.HasPrefix(line, "#") || strings.Contains(line, " # ") {
					t.Errorf("%s: %s", path, line)
				}
			}
		}
	}
}

// Every file that the documents link to exists.
func TestLinksOfTheDocuments(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#: ]+)(#[^)]*)?\)`)
	var documents []string
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/*/*.md"} {
		found, _ := filepath.Glob(pattern)
		documents = append(documents, found...)
	}
	links := 0
	for _, document := range documents {
		content, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(content), -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), found[1])); err != nil {
				t.Errorf("%s points to %s: %v", document, found[1], err)
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links in %q", links, documents)
	}
}
