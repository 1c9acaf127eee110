package manifests

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// compose loads deploy/compose.yml as Docker Compose does, with secrets that `bordero secrets`
// created.
func compose(t *testing.T) *types.Project {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"compose.yml", "compose.backup.yml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(read(t, "../"+name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "bordero")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	secrets := exec.CommandContext(t.Context(), binary, "secrets", filepath.Join(dir, "secrets"))
	if out, err := secrets.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return load(t, dir, "compose.yml")
}

func load(t *testing.T, dir string, names ...string) *types.Project {
	t.Helper()
	var files []string
	for _, name := range names {
		files = append(files, filepath.Join(dir, name))
	}
	options, err := cli.NewProjectOptions(files, cli.WithResolvedPaths(true), cli.WithProfiles([]string{"mail"}),
		cli.WithEnv([]string{"BORDERO_BACKUPS=/srv/bordero"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if project, err = project.WithServicesEnvironmentResolved(true); err != nil {
		t.Fatal(err)
	}
	return project
}

var byDigest = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)

func TestTheImageIsBuiltByDigest(t *testing.T) {
	for line := range strings.Lines(read(t, "../Dockerfile")) {
		if image, is := strings.CutPrefix(line, "ARG GO_IMAGE="); is && byDigest.MatchString(strings.TrimSpace(image)) {
			return
		}
	}
	t.Error("the image that builds is named by its tag alone")
}

func TestCompose(t *testing.T) {
	project := compose(t)
	complete(t, "compose.yml", project.Services)
	servers := []string{"postgres", "redis", "mailpit"}
	for name, s := range project.Services {
		if s.MemLimit <= 0 || s.PidsLimit <= 0 {
			t.Errorf("%s may take %d bytes and %d processes: it has no bound", name, s.MemLimit, s.PidsLimit)
		}
		if s.Logging == nil || s.Logging.Options["max-size"] == "" || s.Logging.Options["max-file"] == "" {
			t.Errorf("the log of %s grows for ever: %+v", name, s.Logging)
		}
		if s.Build == nil && !byDigest.MatchString(s.Image) {
			t.Errorf("%s is %s: a tag moves", name, s.Image)
		}
		if (len(s.Profiles) > 0) != (name == "mailpit") {
			t.Errorf("%s starts by the profiles %v", name, s.Profiles)
		}
		if s.ContainerName != "" {
			t.Errorf("%s cannot be scaled: it has the name %s", name, s.ContainerName)
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s is open to the world at %v", name, p)
			}
			if !slices.Contains([]string{"api", "monitor", "mailpit"}, name) {
				t.Errorf("%s cannot be scaled: it has the port %v", name, p)
			}
		}
		if slices.Contains(servers, name) {
			continue
		}
		memoryIsCollected(t, name, s)
		if name != "migrate" && int64(s.MemLimit) != systemdMemory(t, name) {
			t.Errorf("%s has %d bytes, and under systemd %d", name, s.MemLimit, systemdMemory(t, name))
		}
		runs(t, "compose.yml", name, s.Command, slices.Collect(maps.Keys(s.Environment)))
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.SecurityOpt) != 1 || s.Privileged ||
			s.User != "" {
			t.Errorf("%s is not confined", name)
		}
		_, outside := s.Networks["outside"]
		if _, inside := s.Networks["servers"]; !inside ||
			outside != slices.Contains([]string{"api", "webhooks", "monitor"}, name) {
			t.Errorf("%s is in the networks %v", name, s.Networks)
		}
		if _, waits := s.DependsOn["migrate"]; waits == (name == "migrate") {
			t.Errorf("%s waits for %v", name, s.DependsOn)
		}
	}
	if !project.Networks["servers"].Internal {
		t.Error("the network of the servers is open")
	}
	reachUnchanged(t, project)
	trustsItsGateway(t, project)
	archives(t, project)

	// The secrets of an earlier release have one role for all.
	if err := os.Remove(filepath.Join(project.WorkingDir, "secrets", "migrate.env")); err != nil {
		t.Fatal(err)
	}
	env := load(t, project.WorkingDir, "compose.yml").Services["migrate"].Environment
	if _, has := env["BORDERO_OWNER_DATABASE_URL"]; has || env["DATABASE_URL"] == nil {
		t.Errorf("without migrate.env migrations have %v", env)
	}
}

// memoryIsCollected checks that the garbage collector's limit is below the container's.
func memoryIsCollected(t *testing.T, name string, s types.ServiceConfig) {
	t.Helper()
	mebibytes, err := strconv.ParseInt(strings.TrimSuffix(*s.Environment["GOMEMLIMIT"], "MiB"), 10, 64)
	if limit := int64(s.MemLimit) >> 20; err != nil || mebibytes >= limit || mebibytes < limit*3/4 {
		t.Errorf("%s collects at %d MiB of %d: %v", name, mebibytes, limit, err)
	}
}

// trustsItsGateway checks the trusted proxies. A proxy on the machine comes from the gateway of
// the network that publishes the ports, whose address must not change at the next start.
// Containers are not trusted.
func trustsItsGateway(t *testing.T, project *types.Project) {
	t.Helper()
	if ipam := project.Networks["outside"].Ipam.Config; len(ipam) != 1 || ipam[0].Subnet != "10.231.77.0/24" ||
		ipam[0].Gateway != "10.231.77.1" {
		t.Errorf("the network outside is %+v", ipam)
	}
	for name, s := range project.Services {
		trusted, is := s.Environment["BORDERO_TRUSTED_PROXIES"]
		if is != slices.Contains([]string{"api", "monitor"}, name) || is && *trusted != "10.231.77.1" {
			t.Errorf("%s trusts others than the gateway", name)
		}
	}
}

// archives checks that compose.backup.yml, whose command replaces that of compose.yml, only adds the archive.
func archives(t *testing.T, project *types.Project) {
	t.Helper()
	before := project.Services["postgres"]
	after := load(t, project.WorkingDir, "compose.yml", "compose.backup.yml").Services["postgres"]
	command, has := strings.CutPrefix(strings.Join(after.Command, " "), strings.Join(before.Command, " "))
	if !has || !strings.HasPrefix(command, " -c archive_mode=on -c archive_timeout=60 -c archive_command=if ") {
		t.Errorf("with backups PostgreSQL starts as %q", after.Command)
	}
	var mounts []string
	for _, v := range after.Volumes {
		mounts = append(mounts, v.Source+":"+v.Target)
	}
	if want := []string{"postgres:/var/lib/postgresql/data", "/srv/bordero:/backup"}; !slices.Equal(mounts, want) {
		t.Errorf("with backups PostgreSQL mounts %q, not %q", mounts, want)
	}
}

// reachUnchanged checks that the processes receive what `bordero secrets` writes.
func reachUnchanged(t *testing.T, project *types.Project) {
	t.Helper()
	value := func(service, variable string) string {
		v := project.Services[service].Environment[variable]
		if v == nil {
			t.Fatalf("%s has no %s", service, variable)
		}
		return *v
	}
	if hash := value("monitor", "BORDERO_MONITOR_PASSWORD_HASH"); !strings.HasPrefix(hash, "$2a$") || len(hash) != 60 {
		t.Errorf("the hash is %q", hash)
	}
	owners := value("postgres", "POSTGRES_PASSWORD")
	if !strings.HasPrefix(value("migrate", "BORDERO_OWNER_DATABASE_URL"), "postgres://bordero:"+owners+
		"@postgres:5432/") {
		t.Error("BORDERO_OWNER_DATABASE_URL is not that of the server")
	}
	if url := value("sales", "DATABASE_URL"); !strings.HasPrefix(url, "postgres://bordero_worker:") ||
		strings.Contains(url, owners) {
		t.Error("DATABASE_URL is the owner's")
	}
	conf, err := os.ReadFile(project.Secrets["redis.conf"].File)
	if err != nil {
		t.Fatal(err)
	}
	password := strings.Fields(string(conf))[1]
	if url := value("api", "REDIS_URL"); url != "redis://default:"+password+"@redis:6379/0" ||
		!strings.Contains(string(conf), "\nmaxmemory-policy noeviction\n") {
		t.Error("REDIS_URL is not that of the server, or it evicts")
	}
	for name, s := range project.Services {
		for _, secret := range s.Secrets {
			if secret.Source == "signing.pem" && name != "signing" {
				t.Errorf("%s gets the key that signs", name)
			}
		}
	}
}
