package main

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"bordero/api"
	"bordero/internal/config"
	"bordero/internal/serve"
	"bordero/storage"
)

// apiCommand runs the API. It starts without any Redis.
type apiCommand struct{}

// statementTimeout ends a statement of the API that runs longer.
const statementTimeout = 10 * time.Second

func (apiCommand) Run(ctx context.Context) error {
	// So little of the heap lives that by default every third long list would have
	// it collected; this costs some ten megabytes.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	p, err := openProcess(ctx, "api", func(config.Config) storage.Options {
		return storage.Options{StatementTimeout: statementTimeout}
	})
	if err != nil {
		return err
	}
	defer p.close()
	health := p.health(false)
	s := serve.Process{
		Log: p.log, Health: health,
		Listeners: []serve.Listener{
			{Name: "api", Addr: p.Addr, Handler: api.New(api.Config{
				Store: p.store, Files: p.files, PublicURL: p.PublicURL, Zone: p.Timezone, Log: p.log,
				MaxDocument: p.MaxDocumentBytes, MaxStatement: p.MaxStatementBytes,
				Healthz: health.Live(), Readyz: health.Ready(),
			})},
			{Name: "ops", Addr: p.OpsAddr, Handler: health.Handler()},
		},
	}
	return s.Run(ctx)
}
