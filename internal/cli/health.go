package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"bordero/internal/config"
)

// healthCommand asks another process of the same container or machine for its health. A container that
// contains only the binary has no other client.
type healthCommand struct {
	Live bool `help:"Check only that the process is alive, not that it is ready."`
}

// Run fails unless the response is 200. BORDERO_OPS_ADDR names the listener to ask.
func (h healthCommand) Run(ctx context.Context) error {
	c, err := config.Load(os.Environ(), "BORDERO_OPS_ADDR")
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.OpsAddr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "" // all addresses of this machine
	}
	path := "/readyz"
	if h.Live {
		path = "/healthz"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	process := "http://" + net.JoinHostPort(cmp.Or(host, "localhost"), port)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, process+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return unanswered("bordero process", process, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New(strings.TrimSpace(string(body)))
	}
	fmt.Print(string(body))
	return nil
}
