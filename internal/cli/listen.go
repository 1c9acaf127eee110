package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"os"

	"bordero/finance"
	"bordero/internal/outgoing"
	"bordero/internal/random"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/operators"
	"bordero/workers"
)

// listenCommand shows new changes of an account and posts them to a receiver under development, without
// a webhook. Each notification is sent once, in the order of the changes.
type listenCommand struct {
	Events  []string `placeholder:"EVENT,…" help:"Only these, such as sales.* or people.created."`
	Forward string   `placeholder:"URL" help:"Post the notifications here, signed as those of a webhook. A local address is allowed."`
	Format  string   `default:"json" enum:"json,xml" help:"Of the notifications: json or xml."`
	Secret  string   `placeholder:"HEX" help:"What signs them; made and printed if not given."`
	accountFlag
}

// nearby are the networks that --forward reaches although they are not public.
var nearby = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
}

func (l listenCommand) Run(ctx context.Context) error {
	if l.Forward == "" && (l.Secret != "" || l.Format != "json") {
		return wrongUsage("--format and --secret are those of --forward")
	}
	c, err := l.config("DATABASE_URL")
	if err != nil {
		return err
	}
	s, err := l.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	_, end, err := operators.ChangeEnds(ctx, s.Queries, l.Account)
	if err != nil {
		return explainAccount(err, l.Account)
	}
	send := func(*storage.Change) error { return nil }
	if l.Forward != "" {
		if send, err = l.forward(ctx, c.PublicURL); err != nil {
			return err
		}
	}
	print := changeTable()
	fmt.Fprintf(os.Stderr, "listening to account %d after change %d\n", l.Account, end.Sequence)
	return follow(ctx, s, l.Account, end.Sequence, l.Events, false, func(c *storage.Change) error {
		if err := print(c); err != nil {
			return err
		}
		return send(c)
	})
}

// forward returns the function that posts the notifications of a change.
func (l listenCommand) forward(ctx context.Context, publicURL string) (func(*storage.Change) error, error) {
	if err := outgoing.CheckURL(l.Forward); err != nil {
		return nil, wrongUsage("--forward wants the http:// or https:// URL of a receiver, on port 80, 443 or one " +
			"from 1024 on")
	}
	if l.Secret == "" {
		l.Secret = random.Hex(12)
		fmt.Fprintln(os.Stderr, "secret:", l.Secret)
	}
	webhook := &finance.Webhook{URL: l.Forward, Format: l.Format, Secret: l.Secret}
	client := outgoing.New(outgoing.Options{Allow: nearby})
	return func(c *storage.Change) error {
		if !c.Family.Notifies() {
			return nil
		}
		for i, d := range notifications(c) {
			status, problem := workers.Forward(ctx, client, publicURL, webhook, d)
			interrupted := ctx.Err()
			if interrupted != nil {
				problem = "interrupted"
			}
			if status != http.StatusOK {
				fmt.Fprintf(os.Stderr, "change %d, record %d: %s\n", c.Sequence, c.RecordIDs[i],
					answered(status, problem))
			}
			if interrupted != nil {
				return interrupted
			}
		}
		return nil
	}, nil
}

// notifications returns a delivery for each record of a change. Each delivery has its own id, which is
// the same if the change is sent again.
func notifications(c *storage.Change) []deliveries.Delivery {
	all := make([]deliveries.Delivery, len(c.RecordIDs))
	for i, id := range c.RecordIDs {
		d := deliveries.Delivery{
			ID: c.ID*1000 + int64(i), ChangeID: c.ID, AccountID: c.AccountID, Family: c.Family, Action: c.Action,
			RecordID: id, CreatedAt: c.OccurredAt,
		}
		if c.EntityID != nil {
			d.EntityID = *c.EntityID
		}
		if c.ParentID != nil {
			d.ParentID = *c.ParentID
		}
		all[i] = d
	}
	return all
}

// answered describes the answer of a receiver.
func answered(status int, problem string) string {
	if status == 0 {
		return "not delivered: " + problem
	}
	return fmt.Sprintf("answered with %d %s", status, problem)
}
