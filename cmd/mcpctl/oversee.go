package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// oversee does what people ask for while servers are watched, until ctx ends, as q and Enter end it: r and Enter or a signal ask
// all servers at once, another signal or an edit of a configuration file reads the configuration again.
func (v *vigil) oversee(ctx context.Context, targets []target) {
	asked, reload := make(chan os.Signal, 1), make(chan os.Signal, 1)
	notify(asked, refreshSignals())
	notify(reload, reloadSignals())
	defer signal.Stop(asked)
	defer signal.Stop(reload)
	ignoreBackgroundReads()
	go v.hearInput()
	attended := v.attended()
	look := time.NewTicker(editsEvery)
	defer look.Stop()
	saved := stamps(v.savedFiles())
	for seen := stamps(v.sources(v.cfg)); ; {
		select {
		case <-ctx.Done():
			return
		case <-asked:
			v.ask()
		case <-reload:
			if attended && !v.attended() { // the terminal was closed
				v.end(errHungUp)
				return
			}
			seen = v.reload(ctx, targets)
		case <-look.C:
			if !maps.Equal(seen, stamps(v.sources(v.cfg))) {
				seen = v.reload(ctx, targets)
			}
			saved = v.remeasure(saved)
		}
	}
}

// savedFiles are the snapshots that distances are measured from.
func (v *vigil) savedFiles() []string {
	if v.how.against != "saved" {
		return nil
	}
	var files []string
	for _, w := range v.servers {
		files = append(files, v.savedFile(w))
	}
	return files
}

// remeasure asks the servers whose snapshot is another one than before, as after mcpctl accept.
func (v *vigil) remeasure(before map[string]string) (now map[string]string) {
	now = stamps(v.savedFiles())
	for _, w := range v.servers {
		if file := v.savedFile(w); before[file] != now[file] {
			w.ask()
		}
	}
	return now
}

// attended tells whether there is a terminal at which somebody may sit.
func (v *vigil) attended() bool { return terminal.IsTerminal(v.In) || terminal.IsTerminal(v.Out) }

// editsEvery is how often configuration files are looked at for edits. Looking at a handful by name finds them also where
// announcements of a folder do not tell: behind links, as those who keep their configurations elsewhere have them, on
// network file systems, and before the file is there.
const editsEvery = 500 * time.Millisecond

// notify asks for signals. None is none, where signal.Notify would take it for all.
func notify(c chan<- os.Signal, wanted []os.Signal) {
	if len(wanted) > 0 {
		signal.Notify(c, wanted...)
	}
}

// sources are the files that decide which servers are watched: those of the configuration,
// those of applications if they were looked at, and the folder of agreements.
func (v *vigil) sources(cfg *config.Config) []string {
	files := slices.Clone(cfg.Files)
	for _, looked := range cfg.Looked {
		files = append(files, looked.Path)
	}
	if store, err := v.agreements(); err == nil {
		files = append(files, store.Folder)
	}
	return files
}

// stamps tell one state of files from another, without reading them.
func stamps(files []string) map[string]string {
	stamps := map[string]string{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			stamps[file] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	return stamps
}

// hearInput reads the standard input to its end. Nobody waits for it: a terminal has no end.
func (v *vigil) hearInput() {
	lines := bufio.NewScanner(v.In)
	for lines.Scan() {
		switch strings.TrimSpace(lines.Text()) {
		case "r":
			v.ask()
		case "q":
			v.end(errQuit)
		}
	}
}

// reload makes the servers of the run those of the configuration as it is now. Those that are the same are not disturbed.
// What cannot be read changes nothing. The stamps are those of the files before they were read: an edit that comes while
// they are being read is one more edit.
func (v *vigil) reload(ctx context.Context, targets []target) (seen map[string]string) {
	old := v.cfg
	seen = stamps(v.sources(old))
	cfg, err := v.read(targets)
	if err == nil {
		v.cfg = cfg
		var servers []*watched
		if servers, err = v.enlist(targets); err == nil {
			v.replace(ctx, servers)
			return within(stamps(v.sources(cfg)), seen)
		}
	}
	v.cfg = old
	v.Note("the configuration was not read again, and the servers stay: %v", err)
	return seen
}

// within are the stamps of now, those that are known from before as they were then.
func within(now, before map[string]string) map[string]string {
	for file := range now {
		if stamp, known := before[file]; known {
			now[file] = stamp
		}
	}
	return now
}

// replace stops what is not among servers, and starts what was not watched before.
func (v *vigil) replace(ctx context.Context, servers []*watched) {
	before := v.servers
	for i, w := range servers {
		if at := slices.IndexFunc(before, w.same); at >= 0 {
			servers[i] = before[at]
		}
	}
	for _, w := range before {
		if !slices.Contains(servers, w) {
			w.end()
		}
	}
	v.mu.Lock()
	v.servers = servers
	if v.how.against == "saved" { // the distance of a server that went is none any more
		v.recount()
	}
	v.mu.Unlock()
	v.monitor.Watch(monitored(servers))
	for _, w := range servers {
		if !slices.Contains(before, w) {
			v.begin(ctx, w)
		}
	}
}

// same tells whether a server is configured as another one. In which line does not matter, and functions have no equal.
func (w *watched) same(other *watched) bool {
	if w.server == nil || other.server == nil {
		return w.server == other.server && w.Name == other.Name && w.State == other.State && reflect.DeepEqual(w.Error, other.Error)
	}
	a, b := *w.server, *other.server
	a.Source, b.Source = "", ""
	a.HTTP, b.HTTP = plainHTTP(a.HTTP), plainHTTP(b.HTTP)
	return reflect.DeepEqual(a, b) && reflect.DeepEqual(w.login, other.login)
}

func plainHTTP(h *probe.HTTP) *probe.HTTP {
	if h == nil {
		return nil
	}
	plain := *h
	plain.Authorize = nil
	return &plain
}
