package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
)

// indented is a block of commands within a list.
var indented = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```")

// Each example receiver is subscribed, and receives its first event, by the commands of
// docs/webhooks.md as they are printed, but for the port, the language and the format. A
// language without an interpreter is skipped.
func TestTheGuideOfWebhooks(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, guide, _ := strings.Cut(string(document), "\n## The first event\n")
	guide, _, _ = strings.Cut(guide, "\n## ")
	var script string
	for _, block := range indented.FindAllStringSubmatch(guide, -1) {
		script += block[1]
	}
	const printed = "PORT=9000 python3 docs/receivers/receiver.py &"
	if strings.Count(script, printed) != 1 {
		t.Fatalf("the guide does not start its receiver:\n%s", script)
	}
	s := e2etest.New(t, e2etest.Delivering("1h"))
	s.Serve()
	couriers(s, 1)
	for name, command := range map[string]string{
		"Go": "go run docs/receivers/receiver.go", "Node": "node docs/receivers/receiver.mjs",
		"Python": "python3 docs/receivers/receiver.py", "Ruby": "ruby docs/receivers/receiver.rb",
	} {
		for _, format := range []string{"json", "xml"} {
			t.Run(name+" "+format, func(t *testing.T) {
				t.Parallel()
				interpreter, _, _ := strings.Cut(command, " ")
				if _, err := exec.LookPath(interpreter); err != nil {
					t.Skipf("%s is not installed", interpreter)
				}
				_, port, _ := strings.Cut(e2etest.Loopback(), ":")
				out := filepath.Join(t.TempDir(), "out")
				awaits := func(text string) string {
					return fmt.Sprintf("until grep -q '%s' %s; do sleep 0.1; done\n", text, out)
				}
				shell(t, s, strings.NewReplacer(
					printed, fmt.Sprintf("PORT=%s %s > %s 2>&1 &\n%s", port, command, out,
						awaits("http://127.0.0.1:"+port)),
					"9000", port, `\"json\"`, `\"`+format+`\"`,
				).Replace(script)+awaits("event people.created"))
			})
		}
	}
}

// shell runs the commands of a user of the site in the repository, and ends what they have started.
func shell(t *testing.T, s *e2etest.Site, script string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-c", "set -eu -o pipefail\n"+script)
	bash.Dir = ".."
	bash.Env = append(os.Environ(), "URL="+s.URL, "TOKEN="+s.Token, fmt.Sprintf("ENTITY_ID=%d", s.Entity))
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-bash.Process.Pid, syscall.SIGKILL) }
	bash.Cancel = end
	bash.WaitDelay = time.Second
	said, err := bash.CombinedOutput()
	_ = end() // the receiver
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, script, said)
	}
}
