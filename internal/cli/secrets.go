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
	for i, file := range files {
		if err := file.create(s.Dir); err != nil {
			for _, made := range files[:i] { // some of them would be of no use, and would be in the way of the next run
				_ = os.Remove(filepath.Join(s.Dir, made.name))
			}
			return err
		}
	}
	t := newTable("FILE", "CONTENT")
	for _, file := range files {
		t.row(filepath.Join(s.Dir, file.name), file.what)
	}
	return t.end()
}

type secretFile struct{ name, what, content string }

// create writes the file as a whole or not at all. A present one stays, also one of another run at the same time.
func (f secretFile) create(dir string) error {
	path := filepath.Join(dir, f.name)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: secrets are generated only once; choose another directory for new ones", path)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(f.content)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

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
