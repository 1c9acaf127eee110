package manifests

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unit is a systemd file: the values of each key of each section.
type unit map[string][]string

func readUnit(t *testing.T, name string) unit {
	t.Helper()
	u, section := unit{}, ""
	for line := range strings.Lines(read(t, filepath.Join("../systemd", name))) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			key, value, ok := strings.Cut(line, "=")
			if !ok || section == "" {
				t.Fatalf("%s: %q", name, line)
			}
			u[section+"."+key] = append(u[section+"."+key], value)
		}
	}
	return u
}

// envFile returns the names of the variables of deploy/systemd/env/NAME.env.
func envFile(t *testing.T, name string) (names []string) {
	t.Helper()
	for line := range strings.Lines(read(t, filepath.Join("../systemd/env", name+".env"))) {
		if name, _, ok := strings.Cut(line, "="); ok && line[0] != '#' {
			names = append(names, name)
		}
	}
	return names
}

func TestSystemd(t *testing.T) {
	started := map[string]bool{}
	addresses := map[string]string{}
	for _, names := range readUnit(t, "bordero.target")["Unit.Wants"] {
		for _, name := range strings.Fields(names) {
			instance, file := "", name
			if strings.HasSuffix(name, ".socket") {
				holdsThePort(t, name)
				continue
			}
			if before, rest, ok := strings.Cut(name, "@"); ok {
				instance, file = strings.TrimSuffix(rest, ".service"), before+"@.service"
			}
			u := readUnit(t, file)
			words := strings.Fields(strings.ReplaceAll(u["Service.ExecStart"][0], "%i", instance))
			process := words[len(words)-1]
			started[process] = true
			var env []string
			for _, path := range u["Service.EnvironmentFile"] {
				path = strings.ReplaceAll(strings.TrimPrefix(path, "-"), "%i", instance)
				env = append(env, envFile(t, strings.TrimSuffix(filepath.Base(path), ".env"))...)
			}
			addDropIns(t, name, u)
			for _, v := range u["Service.Environment"] {
				variable, _, _ := strings.Cut(v, "=")
				env = append(env, variable)
			}
			runs(t, name, process, words[1:], env)
			hardened(t, file, u)
			limited(t, name, u)
			if !slices.Equal(u["Install.WantedBy"], []string{"multi-user.target"}) {
				t.Errorf("%s, enabled alone, is started by %v", name, u["Install.WantedBy"])
			}
			if !slices.Equal(u["Unit.StartLimitIntervalSec"], []string{"0"}) || !slices.Equal(u["Service.Restart"],
				[]string{"always"}) {
				t.Errorf("%s: systemd stops starting it after some attempts", file)
			}
			for line := range strings.Lines(read(t, filepath.Join("../systemd/env", process+".env"))) {
				if strings.HasPrefix(line, "BORDERO_OPS_ADDR=") {
					if other := addresses[line]; other != "" {
						t.Errorf("%s and %s have one ops address", process, other)
					}
					addresses[line] = process
				}
			}
		}
	}
	complete(t, "bordero.target", started)
	if len(addresses) != len(started) {
		t.Errorf("of %d processes %d have an ops address", len(started), len(addresses))
	}
	for process, line := range map[string]string{"api": "\nBORDERO_TRUSTED_PROXIES=127.0.0.1\n",
		"monitor": "\n#BORDERO_TRUSTED_PROXIES=127.0.0.1\n"} {
		if !strings.Contains(read(t, filepath.Join("../systemd/env", process+".env")), line) {
			t.Errorf("%s.env does not show how a proxy is trusted", process)
		}
	}
	migrate := readUnit(t, "bordero-migrate.service")
	if !slices.Equal(migrate["Service.Type"], []string{"oneshot"}) || migrate["Install.WantedBy"] != nil {
		t.Error("migrations run by themselves")
	}
	runs(t, "systemd", "migrate", []string{"migrate"}, append(envFile(t, "common"), envFile(t, "migrate")...))
	hardened(t, "bordero-migrate.service", migrate)
}

// The processes open the files that their variables name, and only root may enter /etc/bordero.
func TestSystemdNamesNoFileThatOnlyRootReads(t *testing.T) {
	files, err := filepath.Glob("../systemd/env/*.env")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		for line := range strings.Lines(read(t, file)) {
			if line[0] != '#' && strings.Contains(line, "/etc/bordero") {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
}

// holdsThePort checks that a socket has the address of its process, under the name of its listener.
func holdsThePort(t *testing.T, name string) {
	t.Helper()
	process := strings.TrimSuffix(strings.TrimPrefix(name, "bordero-"), ".socket")
	socket, service := readUnit(t, name), readUnit(t, "bordero-"+process+".service")
	if line := "\nBORDERO_ADDR=" + socket["Socket.ListenStream"][0] + "\n"; !strings.Contains(read(t,
		filepath.Join("../systemd/env", process+".env")), line) {
		t.Errorf("%s listens elsewhere: %s", name, line)
	}
	if !slices.Equal(socket["Socket.FileDescriptorName"], []string{process}) || !slices.Equal(
		service["Unit.Requires"], []string{name}) || !strings.Contains(service["Unit.After"][0], name) {
		t.Errorf("%s is not the socket of %s", name, process)
	}
	if !slices.Equal(socket["Install.WantedBy"], []string{"sockets.target"}) ||
		!slices.Equal(socket["Socket.FreeBind"], []string{"yes"}) {
		t.Errorf("%s does not listen from the start of the machine: %v", name, socket)
	}
}

// addDropIns adds the values of the files for the unit alone.
func addDropIns(t *testing.T, name string, u unit) {
	t.Helper()
	dropIns, err := filepath.Glob(filepath.Join("../systemd", name+".d", "*.conf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range dropIns {
		for key, values := range readUnit(t, filepath.Join(name+".d", filepath.Base(path))) {
			u[key] = append(u[key], values...)
		}
	}
}

// systemdMemory returns the limit of a process's unit.
func systemdMemory(t *testing.T, process string) int64 {
	t.Helper()
	name := "bordero-" + process + ".service"
	file := name
	if processes(t)[process][0] == "work" {
		name, file = "bordero-work@"+process+".service", "bordero-work@.service"
	}
	u := readUnit(t, file)
	addDropIns(t, name, u)
	return memoryMax(t, u)
}

func memoryMax(t *testing.T, u unit) int64 {
	t.Helper()
	values := u["Service.MemoryMax"] // the last one holds
	mebibytes, err := strconv.ParseInt(strings.TrimSuffix(values[len(values)-1], "M"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mebibytes << 20
}

// limited checks that the memory and the processes of a unit have a limit, and that the garbage collector's is lower.
func limited(t *testing.T, name string, u unit) {
	t.Helper()
	if u["Service.TasksMax"] == nil {
		t.Errorf("%s: %v", name, u)
	}
	var collects, most int64 = 0, memoryMax(t, u) >> 20
	var err error
	for _, v := range u["Service.Environment"] {
		if value, is := strings.CutPrefix(v, "GOMEMLIMIT="); is {
			collects, err = strconv.ParseInt(strings.TrimSuffix(value, "MiB"), 10, 64)
		}
	}
	if err != nil || collects >= most || collects < most*3/4 {
		t.Errorf("%s collects at %d MiB of %d: %v", name, collects, most, err)
	}
}

func hardened(t *testing.T, name string, u unit) {
	t.Helper()
	for key, want := range map[string]string{
		"User": "bordero", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes",
		"PrivateTmp":     "yes",
		"PrivateDevices": "yes", "CapabilityBoundingSet": "", "SystemCallArchitectures": "native", "UMask": "0077",
	} {
		if got := u["Service."+key]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %s is %q", name, key, got)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
