package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// TestGuides follows each guide of /docs as a reader does: it runs the commands (```sh) in order, in
// one shell, and compares the answers that the guide shows (```json) with what the commands before
// them print. Then it does so again, in the other of bash and zsh, since a guide leaves nothing that changes its
// answers; on each push it does so for some guides. Each guide has an account of its own, in which nothing that madeBy
// counts remains of the guide.
func TestGuides(t *testing.T) {
	t.Parallel()
	err := private.Install(t.Context(), func(s string) { fmt.Fprintln(os.Stderr, s) }, "curl", "jq", "openssl")
	if err != nil {
		t.Fatal(err)
	}
	s := e2etest.New(t, e2etest.Set("BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8"))
	workers := []*e2etest.Process{s.Start("work", "statements"), s.Start("work", "sales"),
		s.Start("work", "reconciliation"), s.Start("work", "deletions"), s.Start("work", "webhooks"),
		s.Start("work", "signing")}
	s.Serve()
	for _, w := range workers {
		w.Ready()
	}
	guides, err := filepath.Glob("../api/docs/guides/*.md")
	if err != nil || len(guides) < 10 {
		t.Fatalf("guides %q: %v", guides, err)
	}
	var group []func(*testing.T)
	for _, guide := range guides {
		name := strings.TrimSuffix(filepath.Base(guide), ".md")
		group = append(group, func(t *testing.T) {
			t.Run(name, func(t *testing.T) { t.Parallel(); follow(t, s, name) })
		})
	}
	t.Run("guide", func(t *testing.T) { // returns when all have ended, before the processes do
		for _, run := range group {
			run(t)
		}
	})
}

// block is a fenced block of a guide. The word after the language names what it needs.
var block = regexp.MustCompile("(?ms)^```(sh|json) *([a-z]*)\n(.*?)^```")

// follow runs a guide as the server sends it.
func follow(t *testing.T, s *e2etest.Site, name string) {
	var reader e2etest.Client
	create := []string{"account", "create", "--name", "Padaria", "--email", name + "@example.com", "--json"}
	if name == "sandbox" {
		create = append(create, "--sandbox")
	}
	if err := json.Unmarshal([]byte(s.Run(create...)), &reader); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(e2etest.Loopback(), ":")
	text := string(e2etest.Fetch(t, s.URL+"/docs/"+name+".md").Body)
	text = strings.NewReplacer("SEU_TOKEN", reader.Token, "127.0.0.1:9999", "127.0.0.1:"+port, "PORT=9999",
		"PORT="+port).Replace(text)
	without := unavailable()
	script, commands, shown := "set -eu -o pipefail\n", 0, map[int]string{}
	for _, b := range block.FindAllStringSubmatch(text, -1) {
		switch language, needs, content := b[1], b[2], b[3]; {
		case needs == "example" || needs != "" && without[needs]:
		case language == "sh":
			commands++
			script += fmt.Sprintf("exec > %d.out\n%s\n", commands, content)
		default:
			shown[commands] = content
		}
	}
	dir, before := t.TempDir(), madeBy(t, s, reader.ID)
	for _, shell := range drawn(shells(t)) {
		paste(t, dir, shell, script, shown)
		if left := madeBy(t, s, reader.ID); left != before {
			t.Errorf("%s: the account has %s after the guide, and %s before", shell, left, before)
		}
	}
}

// madeBy counts the records of an account that no guide may leave, without deleted ones.
func madeBy(t *testing.T, s *e2etest.Site, account int64) string {
	t.Helper()
	const listed = "deleted_at IS NULL"
	var counts []string
	for _, of := range []struct{ table, alive string }{
		{"entities", listed}, {"people", listed}, {"categories", listed}, {"custom_classifiers", listed},
		{"webhooks", listed + " AND entity_id IN (SELECT id FROM entities WHERE " + listed + ")"},
		{"memberships", "true"}, {"tokens", "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"},
	} {
		counts = append(counts, fmt.Sprint(e2etest.Value[int](t, s.DB, fmt.Sprintf(
			`SELECT count(*) FROM %s WHERE account_id = %d AND %s`, of.table, account, of.alive)), " ", of.table))
	}
	return strings.Join(counts, ", ")
}

// shells returns the shells into which a reader pastes commands, one after the other.
func shells(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("zsh"); err != nil {
		t.Logf("not tried in zsh, but in bash twice: %v", err)
		return []string{"bash", "bash"}
	}
	return []string{"bash", "zsh"}
}

// drawn returns the shells in any order and, of two guides in three on each push, one of them.
func drawn(all []string) []string {
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if !tier.Long() && rand.IntN(3) > 0 {
		return all[:1]
	}
	return all
}

// paste runs the commands of a guide in a shell, and compares what they print with what the guide shows.
func paste(t *testing.T, dir, shell, script string, shown map[int]string) {
	t.Helper()
	outputs, _ := filepath.Glob(filepath.Join(dir, "*.out"))
	for _, output := range outputs {
		_ = os.Remove(output)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	pasted := exec.CommandContext(ctx, shell, "-c", script)
	pasted.Dir, pasted.WaitDelay = dir, time.Second
	pasted.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-pasted.Process.Pid, syscall.SIGKILL) }
	pasted.Cancel = end
	out, err := pasted.CombinedOutput()
	_ = end() // the receiver
	if err != nil {
		outputs, _ := filepath.Glob(filepath.Join(dir, "*.out"))
		last, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.out", len(outputs))))
		t.Fatalf("%s: block %d of the commands: %v\n%s\n%s", shell, len(outputs), err, out, last)
	}
	for n, want := range shown {
		printed, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.out", n)))
		if err != nil {
			t.Fatal(err)
		}
		for _, difference := range compare("", lastDocument(t, want), lastDocument(t, string(printed))) {
			t.Errorf("%s: block %d of the commands: %s\nin %s", shell, n, difference, printed)
		}
	}
}

// unavailable returns what the blocks of guides may need and this machine lacks.
func unavailable() map[string]bool {
	_, err := exec.LookPath("python3")
	return map[string]bool{"receiver": err != nil}
}

// documentStart matches the first line of a JSON document.
var documentStart = regexp.MustCompile(`(?m)^[{\[]`)

// lastDocument returns the last JSON document of a text.
func lastDocument(t *testing.T, text string) (v any) {
	t.Helper()
	begin := 0
	if starts := documentStart.FindAllStringIndex(text, -1); len(starts) > 0 {
		begin = starts[len(starts)-1][0]
	}
	if err := json.Unmarshal([]byte(text[begin:]), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// moving matches texts that differ from run to run: moments and addresses.
var moving = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:|https?://)`)

// compare returns where an answer differs from what a guide shows of it. Members that the guide
// leaves out, and the values of ids, moments and addresses, do not count.
func compare(path string, want, got any) (differences []string) {
	switch want := want.(type) {
	case map[string]any:
		members, _ := got.(map[string]any)
		for name, value := range want {
			if inner, ok := members[name]; ok {
				differences = append(differences, compare(path+"/"+name, value, inner)...)
			} else {
				differences = append(differences, path+"/"+name+" is missing")
			}
		}
		return differences
	case []any:
		items, _ := got.([]any)
		if len(items) != len(want) {
			return []string{fmt.Sprintf("%s has %d items, not %d", path, len(items), len(want))}
		}
		for i := range want {
			differences = append(differences, compare(fmt.Sprintf("%s/%d", path, i), want[i], items[i])...)
		}
		return differences
	case float64:
		if _, number := got.(float64); number && anID.MatchString(path) {
			return nil
		}
	case string:
		if text, _ := got.(string); moving.MatchString(want) && moving.MatchString(text) {
			return nil
		}
	}
	if want != got {
		return []string{fmt.Sprintf("%s is %v, not %v", path, got, want)}
	}
	return nil
}

// anID is the end of the path of an id, alone or in a list.
var anID = regexp.MustCompile(`[/_](id|ids/[0-9]+|id_list/[0-9]+)$`)
