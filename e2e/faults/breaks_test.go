package faults

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// lasts is how long a fault lasts: longer than ttl, so that the cluster must go on without the machine.
const lasts = ttl + 10*time.Second

// breaks is a fault of a machine. does returns when it was repaired, which for a machine is its return.
type breaks struct {
	name          string
	does          func() time.Time
	untilRepaired bool // writes may wait for the repair
}

// breaks returns the faults of the drill.
func (c *cluster) breaks() []breaks {
	return []breaks{
		{"kill -9 of the primary", c.killPrimary, false},
	}
}

// killPrimary is the loss of the primary's machine, which starts again later.
func (c *cluster) killPrimary() time.Time {
	i := c.primary()
	c.signal(i, syscall.SIGKILL)
	<-time.After(lasts)
	c.start("patroni", i)
	return time.Now()
}

// redisInfo returns what the Redis of machine i reports of its replication.
func (c *cluster) redisInfo(i int) string {
	client := redis.NewClient(&redis.Options{Addr: net.JoinHostPort(fmt.Sprintf(own, i), redisPort),
		Password: c.password, DialTimeout: time.Second, ReadTimeout: time.Second})
	defer client.Close()
	info, _ := client.Info(context.Background(), "replication").Result()
	return info
}
