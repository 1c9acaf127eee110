package e2e

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
)

// The Debian package installs the binary, the licences of all that it contains, the units, the user and the files of
// variables, and the API runs from it. Two packages of the same files have the same bytes, whatever the umask of the
// checkout.
func TestTheDebianPackageRuns(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("only Debian makes its packages")
	}
	t.Parallel()
	dir := t.TempDir()
	notices := filepath.Join(dir, "notices")
	mustRun(t, "sh", "-c", `../tools/notices > "$0"`, notices)
	pack := func(checkout, name string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		mustRun(t, "env", "SOURCE_DATE_EPOCH=1", "bash", filepath.Join(checkout, "tools/deb"), e2etest.Binary(t),
			runtime.GOARCH, "1.2.3", notices, file)
		return file
	}
	private := filepath.Join(dir, "private")
	mustRun(t, "sh", "-c", `umask 077 && mkdir "$0" && cd .. &&
		cp -r --parents --no-preserve=mode tools/deb deploy/systemd LICENSE CHANGELOG.md "$0"`, private)
	file, again := pack("..", "bordero.deb"), pack(private, "again.deb")
	if !bytes.Equal(contentOf(t, file), contentOf(t, again)) {
		t.Error("two packages of the same files differ")
	}

	root := filepath.Join(dir, "root")
	for _, name := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "etc"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "dpkg", "--root="+root, "--force-script-chrootless", "--force-not-root", "--install", file)

	units, err := filepath.Glob(filepath.Join(root, "usr/lib/systemd/system/*.service"))
	if err != nil || len(units) < 5 {
		t.Fatalf("%d units: %v", len(units), err)
	}
	for _, unit := range units {
		_, line, _ := strings.Cut(string(contentOf(t, unit)), "\nExecStart=")
		program, _, _ := strings.Cut(line, " ")
		if _, err := os.Stat(filepath.Join(root, program)); err != nil {
			t.Errorf("%s starts %s: %v", filepath.Base(unit), program, err)
		}
	}
	linked, err := buildinfo.ReadFile(e2etest.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	licences := string(contentOf(t, filepath.Join(root, "usr/share/doc/bordero/copyright")))
	for _, m := range linked.Deps {
		if !strings.Contains(licences, "\n==== "+m.Path+"@"+m.Version+": ") {
			t.Errorf("the package lacks the licence of %s", m.Path)
		}
	}
	variables, err := os.Stat(filepath.Join(root, "etc/bordero/common.env"))
	if err != nil || variables.Mode().Perm() != 0o600 {
		t.Errorf("the file with passwords: %v, %v", variables, err)
	}
	if _, err := exec.LookPath("systemd-sysusers"); err != nil {
		t.Log("no systemd, whose program makes the user")
	} else if users := "\n" + string(contentOf(t, filepath.Join(root, "etc/passwd"))); !strings.Contains(users,
		"\nbordero:") {
		t.Errorf("the user is missing:\n%s", users)
	}

	s := e2etest.New(t)
	s.Binary = filepath.Join(root, "usr/bin/bordero")
	s.Start("api").Ready()
}

// mustRun runs a program, which must succeed.
func mustRun(t *testing.T, program string, words ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, words...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

func contentOf(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
