package main

import (
	"context"
	"errors"
	"os"

	"bordero/internal/config"
	"bordero/internal/monitor"
	"bordero/internal/serve"
	"bordero/jobs"
)

// monitorCommand runs the dashboard of the queues, behind a login.
type monitorCommand struct{}

func (monitorCommand) Run(ctx context.Context) error {
	c, err := config.Load(os.Environ(), "REDIS_URL", "BORDERO_MONITOR_USER", "BORDERO_MONITOR_PASSWORD_HASH")
	if err != nil {
		return err
	}
	log := logger(c)
	client, err := jobs.Open(c.RedisURL, log)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Ready(ctx); errors.Is(err, jobs.ErrEvicts) {
		return err
	}
	m, err := monitor.New(jobs.OpenRedis, c.RedisURL, c.MonitorUser, c.MonitorPasswordHash)
	if err != nil {
		return err
	}
	defer m.Close()
	health := serve.NewHealth(redisCheck(client, true))
	p := serve.Process{
		Log: log, Health: health,
		Listeners: []serve.Listener{
			{Name: "monitor", Addr: c.MonitorAddr, Handler: m},
			{Name: "ops", Addr: c.OpsAddr, Handler: health.Handler()},
		},
	}
	return p.Run(ctx)
}
