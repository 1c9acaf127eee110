package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The Debian packages that Install supports.
const (
	PostgresPackage = "postgresql"
	RedisPackage    = "redis-server"
)

// Install ensures that the programs of the packages exist; without names, of both packages. As root
// it reports to say and installs missing ones with apt-get. Otherwise the error states the packages
// to install. Several processes may call it at once. It neither creates nor starts the cluster and
// the services that Debian would set up.
func Install(ctx context.Context, say func(string), packages ...string) error {
	if len(packages) == 0 {
		packages = []string{PostgresPackage, RedisPackage}
	}
	missing := absent(ctx, packages)
	if len(missing) == 0 {
		return nil
	}
	names := strings.Join(missing, " and ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("%s must be installed first: as root, run `apt-get install %s`", names,
			strings.Join(missing, " "))
	}
	unlock, err := lock(ctx, filepath.Join(os.TempDir(), "bordero-install.lock"))
	if err != nil {
		return fmt.Errorf("wait for another installation: %w", err)
	}
	defer unlock()
	if missing = absent(ctx, packages); len(missing) == 0 {
		return nil
	}
	say("installing " + names + " with apt-get")
	if err := install(ctx, missing); err != nil {
		return fmt.Errorf("install %s: %w", names, err)
	}
	if missing = absent(ctx, packages); len(missing) > 0 {
		return fmt.Errorf("apt-get installed %s, but its programs are not found", strings.Join(missing, " and "))
	}
	return nil
}

func absent(ctx context.Context, packages []string) []string {
	return slices.DeleteFunc(slices.Clone(packages), func(name string) bool {
		if name == PostgresPackage {
			found, err := installed(ctx)
			return err == nil && len(found) > 0
		}
		_, err := exec.LookPath(name)
		return err == nil
	})
}

func install(ctx context.Context, packages []string) error {
	if slices.Contains(packages, PostgresPackage) {
		if err := declineMainCluster(); err != nil {
			return err
		}
	}
	allow, err := maskServices()
	if err != nil {
		return err
	}
	defer allow()
	// If the new lists are not available, the old ones may do; if not, both errors are returned.
	updated := aptGet(ctx, "update")
	if err := ctx.Err(); err != nil {
		return err
	}
	// Interrupting the package manager could leave a machine that needs repair, so from here ctx
	// does not.
	err = aptGet(context.WithoutCancel(ctx), append([]string{"install", "-y", "--no-install-recommends"},
		packages...)...)
	if err != nil {
		return errors.Join(updated, err)
	}
	return nil
}

func aptGet(ctx context.Context, args ...string) error {
	cmd := exec.Command("apt-get", append([]string{"-o", "DPkg::Lock::Timeout=120"}, args...)...)
	// UCF_FORCE_CONFFOLD accepts declineMainCluster's file without a question.
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "UCF_FORCE_CONFFOLD=1", "LC_ALL=C")
	return finish(ctx, cmd, 0)
}

// declineMainCluster configures Debian's postgresql to create no cluster when it is installed.
// The last setting in the file wins.
func declineMainCluster() error {
	const dir = "/etc/postgresql-common"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "createcluster.conf"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("create_main_cluster = false\n")
	return err
}

// maskServices prevents Debian from starting services on installation until allow is called. An
// existing policy stays. If we are killed, ours loses its effect.
func maskServices() (allow func(), err error) {
	const file = "/usr/sbin/policy-rc.d"
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if errors.Is(err, os.ErrExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "#!/bin/sh\n# of bordero, for the time of an installation\nkill -0 %d 2>/dev/null && "+
		"exit 101\nexit 0\n", os.Getpid())
	return func() { os.Remove(file) }, err
}

// lock locks the file; it waits for another process's lock until ctx ends.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
	return func() { f.Close() }, nil
}
