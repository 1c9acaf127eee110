package cli

import (
	"cmp"
	"context"
	"os"

	"bordero/deploy/up"
	"bordero/internal/config"
	"bordero/migrations"
	"bordero/storage"
)

// upCommand starts all servers and processes on one machine.
type upCommand struct {
	Data string `default:".data" placeholder:"DIR" help:"Directory of all data (default .data)."`
	Addr string `placeholder:"HOST:PORT" help:"Address of the API (default BORDERO_ADDR, or 127.0.0.1:8080)."`

	LocalWebhooks bool `help:"Let webhooks reach this machine; all listeners must be on loopback addresses."`
}

func (u upCommand) Run(ctx context.Context) error {
	environ, err := config.WithFiles(os.Environ())
	if err != nil {
		return err
	}
	c, err := config.Load(environ)
	if err != nil {
		return err // every process would report it again and again
	}
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	return up.Run(ctx, up.Config{
		LocalWebhooks: u.LocalWebhooks,
		Data:          u.Data, Addr: cmp.Or(u.Addr, c.Addr), Binary: binary, Procfile: up.Procfile, Environ: environ,
		Out: os.Stdout,
		Migrate: func(ctx context.Context, url, ownerURL string) error {
			_, err := migrations.UpFor(ctx, url, ownerURL)
			return err
		},
		Demo: func(ctx context.Context, environ []string) (up.Demo, error) {
			c, err := config.Load(environ, "DATABASE_URL")
			if err != nil {
				return up.Demo{}, err
			}
			s, err := storage.Open(c.DatabaseURL, storage.Options{Application: "bordero up", Connections: 1,
				Timezone: c.Timezone.String()})
			if err != nil {
				return up.Demo{}, err
			}
			defer s.Close()
			made, err := createAccount(ctx, s, "Demonstração", "demo@example.com", true)
			return up.Demo{Token: made.Token, AccountID: made.AccountID, EntityID: made.EntityID}, err
		},
	})
}
