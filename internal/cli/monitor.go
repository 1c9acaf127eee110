package cli

import (
	"context"
	"errors"

	"bordero/api"
	"bordero/docs/operations"
	"bordero/internal/outgoing"
	"bordero/internal/serve"
	"bordero/jobs/broker"
	"bordero/monitor"
)

// monitorCommand runs the overview and the Asynq dashboard, behind a login.
type monitorCommand struct{}

func (monitorCommand) Run(ctx context.Context) error {
	p, err := openServers(ctx, "monitor", forRequests, "BORDERO_MONITOR_USER", "BORDERO_MONITOR_PASSWORD_HASH")
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.client.Ready(ctx); errors.Is(err, broker.ErrRefused) {
		return err
	}
	users := []monitor.User{{Name: p.MonitorUser, Hash: p.MonitorPasswordHash}}
	switch name, hash := p.MonitorReadOnlyUser, p.MonitorReadOnlyPasswordHash; {
	case name != "" && hash != "":
		users = append(users, monitor.User{Name: name, Hash: hash, ReadOnly: true})
	case name != "":
		return errors.New("bad configuration: BORDERO_MONITOR_READONLY_PASSWORD_HASH must be set")
	case hash != "":
		return errors.New("bad configuration: BORDERO_MONITOR_READONLY_USER must be set")
	}
	calls := outgoing.New(outgoing.Options{Allow: p.WebhookAllowCIDRs})
	m, err := monitor.New(monitor.Config{
		Store: p.store, Client: p.client, RedisURL: p.RedisURL, Users: users,
		JobQueues: jobQueues, WorkerQueues: workerQueues,
		Runbook: operations.Runbook, Zone: p.Timezone, Trusted: p.TrustedProxies, Log: p.log,
		Verify: func(ctx context.Context, account, webhook int64) (int, error) {
			return api.VerifyWebhook(ctx, p.store, calls, account, webhook)
		},
	})
	if err != nil {
		return err
	}
	defer m.Close()
	health := p.health(true, workerQueues...)
	s := serve.Process{
		Log: p.log, Health: health, Limits: p.limits(),
		Listeners: []serve.Listener{{Name: "monitor", Addr: p.MonitorAddr, Handler: m}, p.ops(health)},
		Work:      m.Run,
	}
	return s.Run(ctx)
}
