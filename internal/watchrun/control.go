package watchrun

import (
	"bufio"
	"context"
	"io"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// supervise handles requests until ctx ends: r and Enter or a signal reads all servers at once, q and Enter
// quits, an edited configuration file is read again.
func (r *watchRun) supervise(ctx context.Context) {
	refresh := make(chan os.Signal, 1)
	handleSignals(refresh)
	defer signal.Stop(refresh)
	typed := readCommands(ctx, r.process.In)
	look := time.NewTicker(editsEvery)
	defer look.Stop()
	for seen := r.fleet.FileStates(); ; {
		select {
		case <-ctx.Done():
			return
		case <-refresh:
			r.ask()
		case word := <-typed:
			switch word {
			case "r":
				r.ask()
			case "q":
				r.end(errQuit)
			}
		case <-look.C:
			if !maps.Equal(seen, r.fleet.FileStates()) {
				seen = r.reload(ctx)
			}
		}
	}
}

// readCommands reads lines of standard input. It is not waited for at the end: a terminal has no end.
func readCommands(ctx context.Context, in io.Reader) <-chan string {
	words := make(chan string)
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			select {
			case words <- strings.TrimSpace(lines.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return words
}

// editsEvery is how often configuration files are checked. That also finds edits without a file system event:
// behind links, on network file systems, of new files.
const editsEvery = 500 * time.Millisecond

// reload makes the servers those of the current configuration and leaves unchanged ones alone. A
// configuration that cannot be read changes nothing. The states of its files are from before reading: a later
// edit, or a further file, is one more reason to read it.
func (r *watchRun) reload(ctx context.Context) (seen map[string]string) {
	seen = r.fleet.FileStates()
	f, err := r.fleet.Reload(ctx, r.from)
	if err == nil {
		var servers []*watchedServer
		if servers, err = r.resolve(ctx, f); err == nil {
			r.fleet = f
			r.applyPolicy(f)
			r.replace(ctx, servers)
			return seen
		}
	}
	r.process.Note("the configuration cannot be read, and the servers stay: %v", err)
	return seen
}

// applyPolicy judges by the policy of a configuration from now on, including differences that were reported
// before.
func (r *watchRun) applyPolicy(f *fleet.Fleet) {
	policy, err := fleet.Policy(f.Config.Project.Policy, r.options.FailOn)
	if err != nil || reflect.DeepEqual(policy, r.totals.policy) {
		return // the level of --fail-on is what may be wrong, and it was checked
	}
	r.mu.Lock()
	r.totals.policy = policy
	r.mu.Unlock()
	if r.options.Saved {
		r.ask()
	}
}

// replace stops what is not among servers and starts what was not watched before.
func (r *watchRun) replace(ctx context.Context, servers []*watchedServer) {
	before := r.servers
	for i, w := range servers {
		if at := slices.IndexFunc(before, func(old *watchedServer) bool {
			return old.target.Same(w.target) && slices.Equal(old.enabled, w.enabled)
		}); at >= 0 {
			r.mu.Lock()
			before[at].newest = w.newest
			r.mu.Unlock()
			servers[i] = before[at]
		}
	}
	gone := kit.Filter(before, func(w *watchedServer) bool { return !slices.Contains(servers, w) })
	for _, w := range gone {
		w.stop() // all of them at once
	}
	for _, w := range gone {
		w.end()
		if surface := w.view.Status().Surface; surface != nil && surface.Complete() {
			r.left[w.name()] = surface
		}
	}
	r.mu.Lock()
	r.servers = servers
	if r.options.Saved { // without those that went
		r.totals.recount(servers)
	}
	r.mu.Unlock()
	r.monitor.watch(monitored(servers))
	for _, w := range servers {
		if !slices.Contains(before, w) {
			r.begin(ctx, w)
		}
	}
}

// ask reads every server at once. One that is being developed is built and restarted.
func (r *watchRun) ask() {
	if r.rebuild != nil {
		signalOnce(r.rebuild.asked)
		return
	}
	for _, w := range r.servers {
		signalOnce(w.refresh)
	}
}
