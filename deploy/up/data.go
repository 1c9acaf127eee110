package up

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bordero/internal/config"
	"bordero/internal/download"
)

// demoFile is DIR/demo.json.
type demoFile struct {
	URL string `json:"url"`
	Demo
	MonitorURL      string            `json:"monitor_url"`
	MonitorUser     string            `json:"monitor_user"`
	MonitorPassword string            `json:"monitor_password"`
	Ops             map[string]string `json:"ops"`      // by process, the URL below which /healthz and /readyz are
	Database        string            `json:"database"` // identifies the database of the account
}

func demoPath(data string) string { return filepath.Join(data, "demo.json") }

// readDemo reads the file of an earlier run. A file that is missing or not JSON counts as empty.
func readDemo(data string) (d demoFile) {
	if content, err := os.ReadFile(demoPath(data)); err == nil {
		_ = json.Unmarshal(content, &d)
	}
	return d
}

func (d demoFile) write(data string) error {
	content, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return writeSecret(demoPath(data), append(content, '\n'))
}

// writeSecret replaces a file atomically: a reader sees the old content or the new.
func writeSecret(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func newPassword() string { return rand.Text() }

// fingerprint identifies a database; one behind a socket by its login, because the socket's
// directory may move.
func fingerprint(databaseURL string) string {
	if u, err := url.Parse(databaseURL); err == nil && u.Host == "" {
		u.RawQuery = ""
		databaseURL = u.String()
	}
	sum := sha256.Sum256([]byte(databaseURL))
	return hex.EncodeToString(sum[:8])
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// environment holds variables by name.
type environment map[string]string

func newEnvironment(environ []string) environment {
	e := environment{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		e[name] = value
	}
	return e
}

// lack sets a variable that is unset or empty.
func (e environment) lack(name, value string) {
	if e[name] == "" {
		e[name] = value
	}
}

// list returns the variables for exec.Cmd; with overrides some of them.
func (e environment) list(with ...string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(e)) {
		list = append(list, name+"="+e[name])
	}
	return append(list, with...)
}

// shared are the variables that other commands need to work on the data of a running `up`.
var shared = []string{"DATABASE_URL", "REDIS_URL", "BORDERO_FILES_URL", "BORDERO_PUBLIC_URL", "BORDERO_TIMEZONE"}

// ownerVariable is for the migration alone.
const ownerVariable = "BORDERO_OWNER_DATABASE_URL"

// owners names, for some variables, the one process that receives it.
var owners = map[string]string{
	"BORDERO_MONITOR_PASSWORD_HASH":          "monitor",
	"BORDERO_MONITOR_READONLY_PASSWORD_HASH": "monitor",
	"BORDERO_SIGNING_KEY_FILE":               "workers",
	"BORDERO_SIGNING_PUBLIC_KEYS":            "api",
	"BORDERO_SMTP_URL":                       "workers",
}

// signingKey creates, at the first start, the key that signs the URLs of files, unless the
// environment names one.
func (u *up) signingKey() error {
	if u.env["BORDERO_SIGNING_KEY_FILE"] == "" {
		file := filepath.Join(u.Data, "signing.pem")
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			content, err := download.NewKey()
			if err != nil {
				return err
			}
			if err := writeSecret(file, content); err != nil {
				return err
			}
		}
		u.env["BORDERO_SIGNING_KEY_FILE"] = file
	}
	if u.env["BORDERO_SIGNING_PUBLIC_KEYS"] != "" {
		return nil
	}
	key, err := download.ReadKey(u.env["BORDERO_SIGNING_KEY_FILE"])
	if err != nil {
		return fmt.Errorf("BORDERO_SIGNING_KEY_FILE: %w", err)
	}
	u.env["BORDERO_SIGNING_PUBLIC_KEYS"] = download.PublicText(key)
	return nil
}

func runPath(data, name string) string { return filepath.Join(data, "run", name) }

// writeSettings records the settings of the processes, without secrets.
func (u *up) writeSettings() error {
	settings, err := config.Settings(u.env.list())
	if err != nil {
		return err
	}
	for i, s := range settings {
		if s.Name == "BORDERO_OPS_ADDR" {
			settings[i].Set, settings[i].Value = true, u.opsAddrs()
		}
	}
	content, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return writeSecret(runPath(u.Data, "settings.json"), content)
}

// opsAddrs lists the ops listener of each process.
func (u *up) opsAddrs() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(u.demo.Ops)) {
		all = append(all, name+"="+strings.TrimPrefix(u.demo.Ops[name], "http://"))
	}
	return strings.Join(all, ",")
}

func (u *up) writeEnv() error {
	var content strings.Builder
	for _, name := range shared {
		if value := u.env[name]; value != "" {
			fmt.Fprintf(&content, "%s=%s\n", name, value)
		}
	}
	return writeSecret(runPath(u.Data, "env"), []byte(content.String()))
}

// Credentials returns the URL and the token of the demo account of the `bordero up` that runs on
// the data directory. It is an error if no `up` runs there.
func Credentials(data string) (url, token string, err error) {
	if _, err := Environ(data); err != nil {
		return "", "", err
	}
	d := readDemo(data)
	return d.URL, d.Token, nil
}

// Environ returns the variables, as NAME=value, by which a command reaches the database, Redis and
// files of the `bordero up` that runs on the data directory. Variables that `up` does not set, and
// the owner of the schema, are empty: they override the caller's, which name other servers. It is
// an error if no `up` runs there.
func Environ(data string) ([]string, error) {
	if !locked(data) {
		return nil, fmt.Errorf("no `bordero up` runs on %s", data)
	}
	content, err := os.ReadFile(runPath(data, "env"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the `bordero up` on %s is still starting", data)
	}
	if err != nil {
		return nil, err
	}
	all := environment{ownerVariable: ""}
	for _, name := range shared {
		all[name] = ""
	}
	maps.Copy(all, newEnvironment(strings.Split(strings.TrimSpace(string(content)), "\n")))
	return all.list(), nil
}

// Settings returns the settings of the processes of the `bordero up` that runs on the data
// directory, without secrets. It is an error if no `up` runs there.
func Settings(data string) (all []config.Setting, err error) {
	if _, err := Environ(data); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(runPath(data, "settings.json"))
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(content, &all)
}

// locked reports whether an `up` runs on the data directory, or a process of one that was killed.
func locked(data string) bool {
	f, err := os.Open(runPath(data, "up.lock"))
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// lockData locks the data directory until the file is closed, by this process and by every
// process that inherited it. After a kill -9, a new `up` thus waits for the last process of the
// old one.
func lockData(ctx context.Context, data string, say func(string)) (*os.File, error) {
	if err := os.MkdirAll(filepath.Join(data, "run"), 0o755); err != nil {
		return nil, err
	}
	path := runPath(data, "up.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, endIn+10*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	told := false
	for tries := 0; syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; tries++ {
		pid := readPID(path)
		if alive(pid) && tries > 10 { // a process killed just now takes a moment to end
			f.Close()
			return nil, fmt.Errorf("another `bordero up` (pid %d) runs on %s: stop it, or choose another --data", pid,
				data)
		}
		if !alive(pid) && !told {
			told = true
			say("waiting for the processes of an earlier `bordero up` that was killed")
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("processes of an earlier `bordero up` on %s do not end: see %s", data,
				runPath(data, "*.pid"))
		case <-tick.C:
		}
	}
	if err := clearRun(data); err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return f, err
}

// clearRun removes the files of a killed `up` from DIR/run.
func clearRun(data string) error {
	stale, err := filepath.Glob(runPath(data, "*.pid"))
	if err != nil {
		return err
	}
	for _, file := range append(stale, runPath(data, "env"), runPath(data, "settings.json")) {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

func readPID(path string) int {
	content, _ := os.ReadFile(path)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(content)))
	return pid
}

// alive reports whether the process runs. A zombie does not: it has no command line.
func alive(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(line) > 0
}
