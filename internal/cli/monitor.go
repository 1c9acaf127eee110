package cli

import (
	"context"
	"os"
	"slices"
	"strings"

	"bordero/api"
	"bordero/docs/operations"
	"bordero/internal/config"
	"bordero/internal/outgoing"
	"bordero/internal/serve"
	"bordero/monitor"
)

// monitorCommand runs the overview and the Asynq dashboard, behind a login.
type monitorCommand struct{}

func (monitorCommand) Run(ctx context.Context) error {
	environ, err := config.WithFiles(os.Environ())
	if err != nil {
		return err
	}
	required := []string{"BORDERO_MONITOR_USER", "BORDERO_MONITOR_PASSWORD_HASH"}
	readOnly := []string{"BORDERO_MONITOR_READONLY_USER", "BORDERO_MONITOR_READONLY_PASSWORD_HASH"}
	if slices.ContainsFunc(environ, func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return value != "" && slices.Contains(readOnly, name)
	}) {
		required = append(required, readOnly...) // a login needs both
	}
	p, err := openServers(ctx, "monitor", forRequests, required...)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.client.Refused(ctx); err != nil {
		return err
	}
	users := []monitor.User{{Name: p.MonitorUser, Hash: p.MonitorPasswordHash}}
	if p.MonitorReadOnlyUser != "" {
		users = append(users, monitor.User{Name: p.MonitorReadOnlyUser, Hash: p.MonitorReadOnlyPasswordHash,
			ReadOnly: true})
	}
	calls := outgoing.New(outgoing.Options{Allow: p.WebhookAllowCIDRs})
	m, err := monitor.New(monitor.Config{
		Store: p.store, Client: p.client, RedisURL: p.RedisURL, Users: users,
		JobQueues: jobQueues, WorkerQueues: workerQueues, JobKinds: jobKinds(),
		Runbook: operations.Runbook, Zone: p.Timezone, Trusted: p.TrustedProxies, Log: p.log,
		Verify: func(ctx context.Context, account, webhook int64) (int, error) {
			return api.VerifyWebhook(ctx, p.store, calls, account, webhook)
		},
	})
	if err != nil {
		return err
	}
	defer m.Close()
	return p.server(p.health(true, workerQueues...), m.Run,
		serve.Listener{Name: "monitor", Addr: p.MonitorAddr, Handler: m}).Run(ctx)
}
