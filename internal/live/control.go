package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/internal/trust"
)

// supervise does what people ask for while servers are watched, until ctx ends: r and Enter or a signal ask all servers at
// once, q and Enter end watching, another signal or an edit of a configuration file reads the configuration again.
func (r *watchRun) supervise(ctx context.Context) {
	refresh, reload := make(chan os.Signal, 1), make(chan os.Signal, 1)
	notify(refresh, refreshSignals())
	notify(reload, reloadSignals())
	defer signal.Stop(refresh)
	defer signal.Stop(reload)
	ignoreBackgroundReads()
	words := readCommands(ctx, r.process.In)
	manned := attended(r.process)
	look := time.NewTicker(editsEvery)
	defer look.Stop()
	saved, counts := fileStates(r.savedFiles()), r.fleet.Recounts(ctx)
	for seen := fileStates(sources(r.process, r.fleet)); ; {
		select {
		case <-ctx.Done():
			return
		case <-refresh:
			r.ask()
		case word := <-words:
			switch word {
			case "r":
				r.ask()
			case "q":
				r.end(errQuit)
			}
		case <-reload:
			if manned && !attended(r.process) { // the terminal was closed
				r.end(errHungUp)
				return
			}
			seen = r.reload(ctx)
		case count := <-counts:
			r.fleet.Divide(count)
			seen = r.reload(ctx)
		case <-look.C:
			if !maps.Equal(seen, fileStates(sources(r.process, r.fleet))) {
				seen = r.reload(ctx)
			}
			saved = r.remeasure(saved)
		}
	}
}

// attended tells whether there is a terminal at which somebody may sit.
func attended(p host.Process) bool {
	return terminal.IsTerminal(p.In) || terminal.IsTerminal(p.Out)
}

// readCommands reads lines to the end of standard input. Nobody waits for it: a terminal has no end.
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

// editsEvery is how often configuration files are looked at. That finds edits that are not announced, too: behind links, on
// network file systems, of files that are new.
const editsEvery = 500 * time.Millisecond

func notify(c chan<- os.Signal, wanted []os.Signal) {
	if len(wanted) > 0 {
		signal.Notify(c, wanted...)
	}
}

// sources are the files that decide which servers are watched: those of the configuration, those of applications if they
// were looked at, and the folder of agreements.
func sources(p host.Process, f *fleet.Fleet) []string {
	files := slices.Clone(f.Config.Files)
	for _, looked := range f.Config.Looked {
		files = append(files, looked.Path)
	}
	if store, err := (trust.Gate{Process: p}).Store(); err == nil {
		files = append(files, store.Folder)
	}
	return files
}

func (r *watchRun) savedFiles() []string {
	var files []string
	for _, w := range r.servers {
		if r.options.Saved {
			files = append(files, w.savedFile())
		}
	}
	return files
}

// remeasure asks the servers whose snapshot is another one than before, as after mcpctl accept.
func (r *watchRun) remeasure(before map[string]string) (now map[string]string) {
	if now = fileStates(r.savedFiles()); maps.Equal(before, now) {
		return now
	}
	for _, w := range r.servers {
		if file := w.savedFile(); before[file] != now[file] {
			w.ask()
		}
	}
	return now
}

// fileStates tell one state of files from another, without reading them.
func fileStates(files []string) map[string]string {
	states := map[string]string{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			states[file] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	return states
}

// reload makes the servers those of the configuration as it is now, disturbing none that is the same. What cannot be read
// changes nothing. The states are from before reading: a later edit is one more.
func (r *watchRun) reload(ctx context.Context) (seen map[string]string) {
	seen = fileStates(sources(r.process, r.fleet))
	f, err := r.fleet.Reload(ctx, r.from)
	if err == nil {
		var servers []*watchedServer
		if servers, err = r.resolve(ctx, f); err == nil {
			r.fleet = f
			r.heed(f)
			r.replace(ctx, servers)
			return seenBefore(fileStates(sources(r.process, f)), seen)
		}
	}
	r.process.Note("the configuration was not read again, and the servers stay: %v", err)
	return seen
}

// heed judges by the policy of a configuration from now on, also the distances that were told by another.
func (r *watchRun) heed(f *fleet.Fleet) {
	policy, err := compare.Policy(f.Config.Project.Policy, r.options.FailOn)
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

// seenBefore are the states of now, those that are known from before as they were then.
func seenBefore(now, before map[string]string) map[string]string {
	for file := range now {
		if state, known := before[file]; known {
			now[file] = state
		}
	}
	return now
}

// replace stops what is not among servers, and starts what was not watched before.
func (r *watchRun) replace(ctx context.Context, servers []*watchedServer) {
	before := r.servers
	for i, w := range servers {
		if at := slices.IndexFunc(before, func(old *watchedServer) bool {
			return old.target.Same(w.target) && slices.Equal(old.enabled, w.enabled)
		}); at >= 0 {
			before[at].newest = w.newest
			servers[i] = before[at]
		}
	}
	for _, w := range before {
		if !slices.Contains(servers, w) {
			w.end()
			r.surfaces.leave(w)
		}
	}
	r.mu.Lock()
	r.servers = servers
	if r.options.Saved { // the distance of a server that went is none any more
		r.totals.recount(servers)
	}
	r.mu.Unlock()
	r.monitor.Watch(monitored(servers))
	for _, w := range servers {
		if !slices.Contains(before, w) {
			r.begin(ctx, w)
		}
	}
}
