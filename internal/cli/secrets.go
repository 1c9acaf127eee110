package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"bordero/internal/download"

	"golang.org/x/crypto/bcrypt"
)

// secretsCommand creates the secrets of a new installation: a file for each process or server, so that
// no process reads the secrets of another.
type secretsCommand struct {
	Dir string `arg:"" help:"The directory to write them to; existing files are never replaced."`
}

// Run writes the files. Only the owner may enter the directory. Its files are readable to every user,
// because a container reads them as a user of its own.
func (s secretsCommand) Run() error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	if info, err := os.Stat(s.Dir); err != nil {
		return err
	} else if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is open to other users of this machine: chmod 700 %[1]s, or choose another directory",
			s.Dir)
	}
	files, err := newSecrets()
	if err != nil {
		return err
	}
	for _, file := range files {
		path := filepath.Join(s.Dir, file.name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists: secrets are generated only once; choose another directory for new ones", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	t := newTable("FILE", "CONTENT")
	for _, file := range files {
		path := filepath.Join(s.Dir, file.name)
		if err := os.WriteFile(path, []byte(file.content), 0o644); err != nil {
			return err
		}
		t.row(path, file.what)
	}
	return t.end()
}

type secretFile struct{ name, what, content string }

// newSecrets creates the files of all processes and servers. The hosts of the servers are their names
// in deploy/compose.yml.
func newSecrets() ([]secretFile, error) {
	pem, err := download.NewKey()
	if err != nil {
		return nil, err
	}
	key, err := download.ParseKey(pem)
	if err != nil {
		return nil, err
	}
	owner, worker, redis, monitor := rand.Text(), rand.Text(), rand.Text(), rand.Text()
	database := func(role, password string) string {
		return "postgres://" + role + ":" + password + "@postgres:5432/bordero?sslmode=disable\n"
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(monitor), bcrypt.DefaultCost)
	if err != nil {
		return nil, err
	}
	return []secretFile{
		{"signing.pem", "the key that signs URLs of files, only for work signing", string(pem)},
		{"api.env", "its public half, for api", "BORDERO_SIGNING_PUBLIC_KEYS=" + download.PublicText(key) + "\n"},
		{"database.env", "DATABASE_URL", "DATABASE_URL=" + database("bordero_worker", worker)},
		{"migrate.env", "the owner of the schema, only for migrate", "BORDERO_OWNER_DATABASE_URL=" + database("bordero",
			owner)},
		{"postgres.env", "for the server", "POSTGRES_PASSWORD=" + owner + "\n"},
		{"redis.env", "REDIS_URL", "REDIS_URL=redis://default:" + redis + "@redis:6379/0\n"},
		{"redis.conf", "for the server", "requirepass " + redis + "\nmaxmemory-policy noeviction\nappendonly yes\n"},
		// In single quotes: a bcrypt hash is full of dollars.
		{"monitor.env", "the login of the monitor; its first line has the password", "# password: " + monitor + "\n" +
			"BORDERO_MONITOR_USER=admin\nBORDERO_MONITOR_PASSWORD_HASH='" + string(hash) + "'\n"},
	}, nil
}
