package main

import (
	"context"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

func pingCommand(inv *invocation) *cli.Command {
	pings := pinging{count: 1, interval: duration{Duration: time.Second, set: true}}
	return &cli.Command{
		Name:      "ping",
		Usage:     "ask servers whether they answer, and how fast",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Connects, and sends ping; since protocol version 2026-07-28, which has no ping, server/discover. Without a SOURCE every
configured server is asked. The exit status is 3 when one of them does not answer.`,
		Flags: without(inv.reachFlags(
			&cli.IntFlag{Name: "count", Aliases: []string{"n"}, Usage: "ping `N` times over the same connection", Value: 1, Destination: &pings.count},
			&cli.GenericFlag{Name: "interval", Usage: "wait a `DURATION` between two pings", Value: &pings.interval},
		), "retries", "fail-fast"),
		Action: func(c *cli.Context) error { return inv.ping(c.Context, c.Args().Slice(), pings) },
	}
}

// pinging is how often and how fast to ping.
type pinging struct {
	count    int
	interval duration
}

func (inv *invocation) ping(ctx context.Context, words []string, pings pinging) error {
	if pings.count < 1 {
		return exit.Usagef("--count is at least 1")
	}
	targets, err := inv.targets(words)
	if err != nil {
		return err
	}
	cfg, err := inv.load(ctx, targets)
	if err != nil {
		return err
	}
	steps, err := inv.plan(cfg, targets)
	if err != nil {
		return err
	}
	surfaces, err := inv.pingAll(ctx, steps, pings)
	if err != nil {
		return err
	}
	inv.tolerate(surfaces, cfg.Project)
	r := newReport("ping", surfaces)
	r.Status = status(surfaces)
	return inv.emit(ctx, r, report.Options{})
}

// pingAll pings the servers of all steps at once, as many as the flags allow.
func (inv *invocation) pingAll(ctx context.Context, steps []step, pings pinging) ([]surface, error) {
	options, err := inv.probeOptions()
	if err != nil {
		return nil, err
	}
	var servers []probe.Server
	var slots []int
	surfaces := make([]surface, len(steps))
	for i, s := range steps {
		if surfaces[i] = s.known; s.contact != nil {
			servers, slots = append(servers, *s.contact), append(slots, i)
		}
	}
	if servers, err = inv.flagged(servers); err != nil {
		return nil, err
	}
	places := make(chan struct{}, inv.parallel)
	var all sync.WaitGroup
	for i, server := range servers {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			surfaces[slots[i]] = pings.one(ctx, server, options)
		})
	}
	all.Wait()
	return surfaces, nil
}

// one pings one server over one connection.
func (p pinging) one(ctx context.Context, server probe.Server, options probe.Options) surface {
	began := time.Now()
	result := probe.Result{Server: server, Attempts: 1}
	var times []float64
	session, err := probe.Open(ctx, server, options)
	if err == nil {
		defer session.Close()
		result.Transport, result.Snapshot = session.Transport(), session.Hello()
		times, err = p.repeat(ctx, session)
		result.Notices = session.Notices()
	}
	result.Err, result.Elapsed = err, time.Since(began)
	s := probed(result)
	s.Counts, s.PingMs = nil, times
	if err != nil {
		s.State = report.Failed // whatever it said of itself before
	}
	return s
}

// repeat gives the milliseconds that each ping took.
func (p pinging) repeat(ctx context.Context, session *probe.Session) ([]float64, error) {
	var times []float64
	for i := range p.count {
		if i > 0 {
			select {
			case <-ctx.Done():
				return times, nil // which emit tells
			case <-time.After(p.interval.Duration):
			}
		}
		took, err := session.Ping(ctx)
		if err != nil {
			return times, err
		}
		times = append(times, float64(took.Microseconds())/1000)
	}
	return times, nil
}
