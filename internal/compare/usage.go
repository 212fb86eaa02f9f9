package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/internal/usage"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// UsageOptions say which recorded calls count.
type UsageOptions struct {
	Scope
	Records string        // config.LocalRecords or a file that ExportUsage wrote; empty = config.LocalRecords
	Since   time.Duration // how far back; 0 = as configured, else 30 days
}

// defaultWindow is how far back recorded calls count unless somebody says otherwise.
const defaultWindow = 30 * 24 * time.Hour

func (o UsageOptions) window(p host.Process) usage.Window {
	return usage.WindowOf(cmp.Or(o.Since, defaultWindow), p.Now)
}

// UsageStore is the user's own records.
func UsageStore(p host.Process) (usage.Store, error) {
	folder, err := p.StateDir()
	return usage.Store{Folder: filepath.Join(folder, "usage")}, exit.Misuse(err)
}

func (o UsageOptions) records(ctx context.Context, p host.Process) (*usage.Records, error) {
	if word := cmp.Or(o.Records, config.LocalRecords); word != config.LocalRecords {
		if strings.HasPrefix(word, "-") {
			return nil, exit.Usagef("--usage %s: write which records are meant: --usage local, or a file of mcpctl usage export", word)
		}
		if !store.Is(word) {
			word = files.From(p.Dir, word)
		}
		rs, err := usage.LoadAll(ctx, p, word)
		return rs, exit.Misuse(err)
	}
	own, err := UsageStore(p)
	if err != nil {
		return nil, err
	}
	return own.Load()
}

// recorded gives the calls of a server with all its names, and says so if there are none; nil where nobody asked for them. Several
// may ask at a time.
func (o UsageOptions) recorded(ctx context.Context, p host.Process, cfg *config.Config) (func(server string, names ...string) *usage.Evidence, error) {
	if o.Records == "" {
		return func(string, ...string) *usage.Evidence { return nil }, nil
	}
	o.Since = cmp.Or(o.Since, cfg.Project.Usage.Window)
	rs, err := o.records(ctx, p)
	var asking sync.Mutex
	return func(server string, names ...string) *usage.Evidence {
		asking.Lock()
		defer asking.Unlock()
		calls := rs.Of(append(namesOf(cfg, server), names...), o.window(p))
		if calls.Calls() == 0 {
			p.Note("no call of %s is recorded in %d days; there are calls of %s (mcpctl usage import --map RECORDED=%s FROM says which is meant)",
				report.Visible(server), o.window(p).Days, report.Visible(cmp.Or(strings.Join(rs.Servers(), ", "), "no server")), report.Visible(server))
		}
		return &calls
	}, err
}

// calledOf is what recorded calls say of the tools of a server; nil where nobody asked for them.
func calledOf(s check.Subject, evidence *usage.Evidence) *check.Recorded {
	if evidence == nil || s.Snapshot == nil {
		return nil
	}
	of := &check.Recorded{Days: evidence.Days(), Calls: evidence.Calls(), Tools: map[string]finding.Called{}}
	for _, item := range s.Snapshot.Tools.Items() {
		of.Tools[item.Key], _ = evidence.Replay(item.Key, item.InputSchema()) // of a schema that cannot be read other rules speak
	}
	return of
}

// namesOf are the names that a server has in the configuration, or its own.
func namesOf(cfg *config.Config, server string) []string {
	for _, e := range cfg.Entries {
		if e.Server.Name == server {
			return e.Names()
		}
	}
	return []string{server}
}

// surfaces are those that SOURCEs name; none = the saved snapshots, for which nothing is contacted.
func (o UsageOptions) surfaces(ctx context.Context, p host.Process, from []source.Source) ([]fleet.Surface, error) {
	if len(from) > 0 {
		return fleet.Survey(ctx, p, o.Select, o.Contact, from)
	}
	cfg, err := fleet.Read(ctx, p, o.Select)
	if cfg == nil || cfg.Project.Snapshots == "" || !files.IsDir(cfg.Project.Snapshots) && !store.Is(cfg.Project.Snapshots) {
		return nil, err
	}
	saved, err := source.Source{Kind: source.Path, Word: cfg.Project.Snapshots}.Read(ctx, p, "")
	return lists.Map(saved, fleet.FromSaved), err
}

func (o UsageOptions) read(ctx context.Context, p host.Process, from []source.Source) (*usage.Records, []fleet.Surface, error) {
	rs, err := o.records(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	surfaces, err := o.surfaces(ctx, p, from)
	return rs, surfaces, err
}

// Usage is what is recorded of each tool.
func Usage(ctx context.Context, p host.Process, o UsageOptions, from []source.Source) (*report.Report, error) {
	rs, surfaces, err := o.read(ctx, p, from)
	if err != nil {
		return nil, err
	}
	r := &report.Report{Command: "usage", Usage: []finding.Called{}, Status: fleet.Status(surfaces)}
	for _, c := range rs.Called(o.window(p)) {
		if offered, known := toolOf(surfaces, c.Server, c.Tool); len(from) == 0 || known {
			r.Usage = append(r.Usage, priced(c, offered))
		}
	}
	return r, nil
}

// ReplayUsage judges recorded calls by the tools that SOURCEs offer; none = the saved snapshots. Nothing is called.
func ReplayUsage(ctx context.Context, p host.Process, o UsageOptions, from []source.Source) (*report.Report, error) {
	rs, surfaces, err := o.read(ctx, p, from)
	if err != nil {
		return nil, err
	}
	return host.Await(ctx, func() (*report.Report, error) { return replayed(rs, o.window(p), surfaces), nil })
}

func replayed(rs *usage.Records, window usage.Window, surfaces []fleet.Surface) *report.Report {
	r := &report.Report{Command: "replay", Usage: []finding.Called{}, Status: fleet.Status(surfaces)}
	for _, surface := range surfaces {
		if surface.Snapshot == nil {
			continue
		}
		evidence := rs.Of([]string{surface.Name}, window)
		for _, item := range surface.Snapshot.Tools.Items() {
			found, err := evidence.Replay(item.Key, item.InputSchema())
			if err != nil {
				r.Problems = append(r.Problems, surface.Name+": "+item.Key+": "+err.Error())
				continue
			}
			found.Server = surface.Name
			r.Usage = append(r.Usage, priced(found, item))
		}
	}
	if r.Status == exit.OK && slices.ContainsFunc(r.Usage, func(c finding.Called) bool { return c.Refused > 0 }) {
		r.Status = exit.Findings
	}
	return r
}

// priced is what is known of the calls of a tool with what it costs, if it is at hand.
func priced(c finding.Called, offered snapshot.Item) finding.Called {
	if offered.Raw != nil {
		c.Tokens = new(check.ToolTokens(offered))
	}
	return c
}

// toolOf is a tool by its recorded names, and whether its server is among the surfaces.
func toolOf(surfaces []fleet.Surface, server, tool string) (found snapshot.Item, known bool) {
	for _, surface := range surfaces {
		if surface.Snapshot == nil || !usage.SameName(server, surface.Name) {
			continue
		}
		known = true
		for _, item := range surface.Snapshot.Tools.Items() {
			if usage.SameName(tool, item.Key) {
				return item, true
			}
		}
	}
	return snapshot.Item{}, known
}

// ImportOptions say what is kept of the calls that are read.
type ImportOptions struct {
	UsageOptions
	Map       []string // RECORDED=NAME names of servers
	Keep      bool     // keep short texts, too
	Retention time.Duration
}

// ImportUsage adds the calls of records to the user's own; no path = the transcripts of applications that are found, and - is p.In.
func ImportUsage(ctx context.Context, p host.Process, o ImportOptions, paths []string) (usage.Count, []string, error) {
	renamed, err := pairsOf(o.Map)
	if err != nil {
		return usage.Count{}, nil, err
	}
	if len(paths) == 0 {
		if paths = usage.Transcripts(p.Home, p.Lookup); len(paths) == 0 {
			return usage.Count{}, nil, exit.Usagef("no transcripts of Claude Code or Codex are here: name a file of calls, a folder, or - for standard input")
		}
	}
	surfaces, err := o.surfaces(ctx, p, nil)
	if err != nil {
		return usage.Count{}, nil, err
	}
	known := choicesOf(surfaces)
	names := slices.Collect(maps.Keys(renamed))
	for _, s := range surfaces {
		names = append(names, s.Name)
	}
	store, err := UsageStore(p)
	if err != nil {
		return usage.Count{}, nil, err
	}
	var count usage.Count
	err = store.Update(ctx, func(rs *usage.Records, progress *usage.Progress) error {
		from := usage.WindowOf(cmp.Or(o.Retention, usage.Retention), p.Now).From
		in := usage.Import{Progress: progress, Now: p.Now, From: from, Each: func(c usage.Call) {
			c = c.OfServer(names)
			c.Server = cmp.Or(renamed[c.Server], c.Server)
			rs.Add(c, usage.Keep{Known: known(c.Server, c.Tool), All: o.Keep}, p.Now)
		}}
		for _, path := range paths {
			if err := readCalls(ctx, p, &in, path); err != nil {
				return err
			}
		}
		count = in.Count
		count.Renamed = rs.Rename(renamed)
		if !o.Keep {
			rs.Settle(known)
		}
		usage.Expire(rs, progress, from)
		return nil
	})
	return count, paths, err
}

func readCalls(ctx context.Context, p host.Process, in *usage.Import, path string) error {
	if path == "-" {
		return in.Stream(ctx, p.In)
	}
	err := in.Path(ctx, files.From(p.Dir, path))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return exit.Misuse(err)
	}
	return err
}

// pairsOf are words like RECORDED=NAME.
func pairsOf(words []string) (map[string]string, error) {
	pairs := map[string]string{}
	for _, word := range words {
		from, to, ok := strings.Cut(word, "=")
		if !ok || from == "" || to == "" {
			return nil, exit.Usagef("--map %s: write RECORDED=NAME, the name in the records and the one in the configuration", word)
		}
		pairs[from] = to
	}
	return pairs, nil
}

// choicesOf gives the choices that the schema of a tool lists.
func choicesOf(surfaces []fleet.Surface) func(server, tool string) map[string]bool {
	known := map[[2]string]map[string]bool{}
	return func(server, tool string) map[string]bool {
		key := [2]string{server, tool}
		choices, ok := known[key]
		if !ok {
			item, _ := toolOf(surfaces, server, tool)
			choices = usage.Choices(item.InputSchema())
			known[key] = choices
		}
		return choices
	}
}

// ExportUsage is the records as a file that can be shared: without projects, and without any text but choices. A person looks at what
// it holds before it is written to a file, unless they said yes already.
func ExportUsage(ctx context.Context, p host.Process, o UsageOptions, file string) ([]byte, error) {
	rs, surfaces, err := o.read(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	if o.Since > 0 {
		rs.ForgetBefore(o.window(p).From)
	}
	rs.Share(choicesOf(surfaces))
	if file != "" && !o.Select.Yes {
		verb := "write"
		if _, err := os.Lstat(file); err == nil {
			verb = "write over"
		}
		if err = terminal.Confirm(ctx, p, fmt.Sprintf("%s %s\n%s", verb, report.Visible(file), contentsOf(rs)), "Write it?",
			exit.Usagef("--output %s: nothing was written: look at what it would hold with mcpctl usage export, and write it with --yes", file),
			exit.Usagef("%s was not written, as you said", file)); err != nil {
			return nil, err
		}
	}
	return rs.Indented()
}

// contentsOf says what records hold: who called each tool, and every text that was sent to it and is kept.
func contentsOf(rs *usage.Records) string {
	var all strings.Builder
	for _, c := range rs.Called(usage.Window{}) {
		texts := "no text"
		if kept := rs.Texts(c.Server, c.Tool); len(kept) > 0 {
			texts = "the texts " + match.Quoted(kept, ", ")
		}
		fmt.Fprintf(&all, "  %s\n", report.Visible(fmt.Sprintf("%s  %s  %s by %s, with %s", c.Server, c.Tool, match.Counted(c.Calls, "call"), strings.Join(c.Agents, ", "), texts)))
	}
	return all.String() + "  beside that: names of arguments and of members of results, numbers, lengths and formats of texts, days\n"
}

// ForgetUsage forgets the recorded calls of servers, and how many those were; no name = everything, and how far imports came.
func ForgetUsage(ctx context.Context, p host.Process, servers []string) (int, error) {
	store, err := UsageStore(p)
	if err != nil {
		return 0, err
	}
	if len(servers) == 0 {
		return 0, store.Clear(ctx)
	}
	forgotten := 0
	err = store.Update(ctx, func(rs *usage.Records, _ *usage.Progress) error {
		forgotten = rs.Forget(func(r *usage.Record) bool { return slices.Contains(servers, r.Server) })
		return nil
	})
	return forgotten, err
}
