package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestTheCompletionsNameEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, options(t.Context())...)
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, stderr, status := run(t, nil, "completion", shell)
		if status != 0 || stderr != "" {
			t.Fatalf("%s: exit status %d, %q", shell, status, stderr)
		}
		for _, p := range places(parser.Model.Node, "") {
			if p.At != "" && !strings.Contains(script, "'"+p.At+"'") {
				t.Errorf("%s: no command %q", shell, p.At)
			}
		}
		for _, word := range []string{"token", "revoke", "completion", "statements", "fish", "deposit-account",
			"data"} {
			if !strings.Contains(script, word) {
				t.Errorf("%s: no %q", shell, word)
			}
		}
		if strings.Contains(script, "tenant") {
			t.Errorf("%s: names a hidden flag", shell)
		}
	}
}

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script, _, _ := run(t, nil, "completion", "bash")
	for line, want := range map[string]string{
		"to":                      "token",
		"token ":                  "create list revoke",
		"token cr":                "create",
		"token create --read":     "--read-only",
		"token list --account 1 ": "",
		"token create --m":        "",
		"import --data x --dep":   "--deposit-account",
		"work s":                  "statements sales signing",
		"completion ":             "bash zsh fish",
		"import ":                 "", // left to the shell, which completes files
		"help tok":                "token",
		"--v":                     "--version",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			words := strings.Split(line, " ")
			quoted := make([]string, len(words))
			for i, w := range words {
				quoted[i] = quote(w)
			}
			ask := "COMP_WORDS=(bordero " + strings.Join(quoted, " ") +
				"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _bordero; echo \"${COMPREPLY[*]}\"; complete -p bordero"
			out, err := exec.CommandContext(t.Context(), bash, "--norc", "-uc", script+ask).CombinedOutput()
			if got, registered, _ := strings.Cut(string(out), "\n"); err != nil || got != want ||
				!strings.Contains(registered, "_bordero") {
				t.Errorf("%v: %q, want %q", err, out, want)
			}
		})
	}
}
