package cli

import (
	"context"
	"errors"
	"os"

	"bordero/deploy/up"
	"bordero/internal/config"
	"bordero/storage"

	"github.com/caarlos0/env/v11"
)

// dataFlag points a command at the servers and files of a running `bordero up`.
type dataFlag struct {
	Data string `placeholder:"DIR" help:"Use the servers of the bordero up with this --data instead of those in the environment."`
}

// config reads the configuration of a command that needs the database.
func (d dataFlag) config(required ...string) (config.Config, error) {
	environ, err := d.environ()
	if err != nil {
		return config.Config{}, err
	}
	if env.ToMap(environ)["DATABASE_URL"] == "" {
		return config.Config{},
			errors.New("no database: set DATABASE_URL, or name the directory of a running bordero up: --data .data")
	}
	return config.Load(environ, required...)
}

// environ returns the environment, overridden by the variables of the running `bordero up`. An
// empty variable counts as unset.
func (d dataFlag) environ() ([]string, error) {
	environ, err := config.WithFiles(os.Environ())
	if err != nil || d.Data == "" {
		return environ, err
	}
	of, err := up.Environ(d.Data)
	return append(environ, of...), err
}

// store opens the database for a command.
func (d dataFlag) store(ctx context.Context) (*storage.Store, error) {
	c, err := d.config("DATABASE_URL")
	if err != nil {
		return nil, err
	}
	if _, err := refusePooler(ctx, "DATABASE_URL", c.DatabaseURL); err != nil {
		return nil, err
	}
	return storage.Open(c.DatabaseURL, storage.Options{Application: "bordero command", Connections: 2,
		Timezone: c.Timezone.String()})
}
