package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"bordero/internal/serve"
	"bordero/jobs"
	"bordero/workers"
)

// workCommand runs the worker of one queue. Any number may run.
type workCommand struct {
	Queue string `arg:"" help:"The queue: statements, sales or deletions."`
}

// served are the queues that this release has a worker for.
var served = []string{jobs.ImportStatementKind.Queue, jobs.PriceSalesKind.Queue, jobs.DeleteBankStatementKind.Queue}

func (w workCommand) Run(ctx context.Context) error {
	if !slices.Contains(served, w.Queue) {
		return fmt.Errorf("no queue %q: this release has %v", w.Queue, served)
	}
	p, err := openProcess(ctx, "work "+w.Queue, forJobs)
	if err != nil {
		return err
	}
	defer p.close()
	health := p.health(true)
	s := serve.Process{
		Log: p.log, Health: health,
		Listeners: []serve.Listener{{Name: "ops", Addr: p.OpsAddr, Handler: health.Handler()}},
		Work: func(ctx context.Context) error {
			return workers.Run(ctx, workers.Config{
				Store: p.store, Client: p.client, Logger: p.log, Queue: w.Queue,
				Table:       workers.Kinds(workers.Deps{Store: p.store, Files: p.files, Zone: p.Timezone, Now: time.Now}),
				Concurrency: p.Concurrency, TaskCheckInterval: p.TaskCheckInterval,
				DelayedTaskCheckInterval: p.DelayedTaskCheckInterval, Lease: p.Lease,
			})
		},
	}
	return s.Run(ctx)
}
