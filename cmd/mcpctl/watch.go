package main

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
)

// watching are the flags of watch alone.
type watching struct {
	comparison
	interval, debounce, length setDuration
	maxFailures                int
	against, format            string
	exec, webhook              string
	listening                  listening
	untilChange                bool
	reload                     cli.StringSlice
	build                      string
}

func watchCommand(inv *invocation) *cli.Command {
	var how watching
	return &cli.Command{
		Name:      "watch",
		Usage:     "keep watching servers, and tell every change once",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Listens to what servers announce and polls beside that, until a signal or --for ends it.
r and Enter, or SIGUSR1, asks all servers at once. Saved snapshots are never written.`,
		Flags: inv.watchFlags(
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "table (lines for people, the default) or ndjson (one event a line)", Destination: &how.format},
			&cli.GenericFlag{Name: "interval", Usage: "between polls of a server that does not announce changes", Value: &how.interval, DefaultText: "30s"},
			&cli.GenericFlag{Name: "debounce", Usage: "how long announcements must pause until they are heeded, at most ten times as long", Value: &how.debounce, DefaultText: "100ms"},
			&cli.IntFlag{Name: "max-failures", Usage: "failures in a row until a server is asked once a minute only", Value: 5, Destination: &how.maxFailures},
			&cli.StringFlag{Name: "against", Usage: "tell changes since the previous surface, or the distance from the saved one: previous or saved", Value: "previous", Destination: &how.against},
			&cli.GenericFlag{Name: "for", Usage: "end after this time, such as 10m", Value: &how.length},
			&cli.BoolFlag{Name: "until-change", Usage: "end after the first change", Destination: &how.untilChange},
			&cli.StringSliceFlag{Name: "reload", Usage: "start the stdio server anew when files change that `GLOB` names, such as 'src/**/*.ts' (repeatable)", Destination: &how.reload},
			&cli.StringFlag{Name: "build", Usage: "with --reload: run `CMD` with the shell first", Destination: &how.build},
			&cli.StringFlag{Name: "exec", Usage: "run `CMD` with the shell for every change, the event on its standard input", Destination: &how.exec},
			&cli.StringFlag{Name: "webhook", Usage: "post every change to `URL`, signed if MCPCTL_WEBHOOK_SECRET is set", Destination: &how.webhook},
			&cli.StringFlag{Name: "listen", Usage: "serve metrics, health, surfaces and events over HTTP on `ADDRESS`, such as 127.0.0.1:9464", Destination: &how.listening.address},
			&cli.StringFlag{Name: "listen-token", Usage: "what HTTP clients must show: @FILE, env:NAME or a `TOKEN` (default: MCPCTL_LISTEN_TOKEN, else none)", Destination: &how.listening.token},
			&cli.StringFlag{Name: "fail-on", Usage: "end with status 1 at the first change of this level or above: breaking, warning, info, any or never", Destination: &how.failOn},
			&cli.StringFlag{Name: "semantics", Usage: "what callers send: declared properties only, or strict = anything the schema allows", Value: "declared", Destination: &how.semantics},
			&cli.BoolFlag{Name: "assert-formats", Usage: "take format in schemas for a constraint", Destination: &how.AssertFormats},
		),
		Before: func(c *cli.Context) error { return inv.settleWatch(c, &how) },
		Action: func(c *cli.Context) error { return inv.watch(c.Context, c.Args().Slice(), how) },
	}
}

// watchFlags are the flags of watch: those of a command that contacts servers, without the ones that make no sense for a
// run that does not end by itself.
func (inv *invocation) watchFlags(own ...cli.Flag) []cli.Flag {
	without := []string{"output", "retries", "fail-fast", "format", "report"}
	shared := slices.DeleteFunc(inv.reachFlags(), func(f cli.Flag) bool { return slices.Contains(without, f.Names()[0]) })
	return slices.Concat(own, shared, inv.savedFlags())
}

// settleWatch is settle for a command with formats of its own. MCPCTL_FORMAT says no more than whether programs read.
func (inv *invocation) settleWatch(c *cli.Context, how *watching) error {
	if err := inv.settle(c); err != nil {
		return err
	}
	if how.format == "" {
		how.format = "table"
		if _, told := inv.Lookup("MCPCTL_FORMAT"); told && inv.format != "table" {
			how.format = "ndjson"
		}
	}
	if !slices.Contains(report.EventFormats(), how.format) {
		return exit.Usagef("watch has the formats table and ndjson, not %q", how.format)
	}
	return nil
}

func (inv *invocation) watch(ctx context.Context, words []string, how watching) error {
	if err := how.check(); err != nil {
		return err
	}
	if err := how.quoted(words, inv.command != nil); err != nil {
		return err
	}
	targets, err := inv.targets(words)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(targets, func(t target) bool { return !t.live() }); i >= 0 {
		return exit.Usagef("%q is saved and cannot change by itself: name a server to watch, or compare once with mcpctl diff", words[i])
	}
	cfg, err := inv.load(ctx, targets)
	if err != nil {
		return err
	}
	v, err := inv.vigil(cfg, how)
	if err != nil {
		return err
	}
	if v.monitor, err = inv.listen(how.listening); err != nil {
		return err
	}
	defer v.monitor.Close()
	debug.SetGCPercent(leanGC)
	return v.keep(ctx, targets)
}

// leanGC makes the collector run more often than usual: a watcher of many servers has little to do and all day for it.
const leanGC = 25

// check finds mistakes in the flags before anything is contacted.
func (how *watching) check() error {
	switch {
	case how.against != "previous" && how.against != "saved":
		return exit.Usagef("--against is previous or saved, not %q", how.against)
	case how.maxFailures < 1:
		return exit.Usagef("--max-failures is at least 1")
	case how.interval.set && how.interval.Duration < time.Second:
		return exit.Usagef("--interval is at least 1s")
	case how.debounce.set && how.debounce.Duration < time.Millisecond:
		return exit.Usagef("--debounce is at least 1ms")
	case how.build != "" && len(how.reload.Value()) == 0:
		return exit.Usagef("--build runs when files change: name them with --reload")
	case how.webhook != "" && !strings.HasPrefix(how.webhook, "http://") && !strings.HasPrefix(how.webhook, "https://"):
		return exit.Usagef("--webhook is a URL that begins with http:// or https://")
	}
	return how.settle()
}

// vigil is one run of watch before it begins.
func (inv *invocation) vigil(cfg *config.Config, how watching) (*vigil, error) {
	policy, err := policyOf(cfg.Project.Policy, how.failOn)
	if err != nil {
		return nil, err
	}
	options, err := inv.probeOptions()
	if err != nil {
		return nil, err
	}
	color, err := inv.colored()
	if err != nil {
		return nil, err
	}
	how.ItemBudget = cfg.Project.Budgets.ItemBytes
	v := &vigil{invocation: inv, how: how, cfg: cfg, policy: policy, options: options}
	v.places = make(chan struct{}, cmp.Or(inv.parallel, 1))
	v.screen = screen{out: inv.Out, format: how.format, color: color, live: how.format == "table" && terminal.IsTerminal(inv.Out)}
	v.hooks = hooks{fail: inv.Note}
	if how.exec != "" {
		v.hooks.each = append(v.hooks.each, runCommand(how.exec, inv.Environ))
	}
	if how.webhook != "" {
		secret, _ := inv.Lookup("MCPCTL_WEBHOOK_SECRET")
		v.hooks.each = append(v.hooks.each, post(how.webhook, secret))
	}
	return v, nil
}

// errLongEnough ends a run after --for.
var errLongEnough = errors.New("watched for as long as asked")

// errHungUp ends a run whose terminal was closed.
var errHungUp = errors.New("the terminal was closed")

// errQuit ends a run whose user has typed q.
var errQuit = errors.New("ended by q + Enter")

// errSeen ends a run after the change that --until-change or --fail-on waits for.
var errSeen = errors.New("a change was seen")
