// Package trust decides which configured servers may be started or contacted. A server that was only found,
// and not named by the user, needs a decision of the user about its entry as declared: any other digest asks
// again. What was shown, digested and trusted is one value, an Approved, and that value starts.
package trust

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// Gate stands before every configured server.
type Gate struct {
	Process host.Process
	Once    bool // --trust: what was only found starts in this run; nothing is stored
}

// Approved is an entry that may be started or contacted, as it was read and trusted. Only Gate.Admit makes
// one.
type Approved struct {
	Index int // among the entries that were admitted
	entry config.Entry
}

// Entry returns the entry that was approved.
func (a Approved) Entry() config.Entry { return a.entry }

// Denied is an entry that must not be started or contacted. Problems is empty for one that is disabled.
type Denied struct {
	Index    int // among the entries that were admitted
	Entry    config.Entry
	Problems []config.Problem
}

// Store returns the user's store of decisions.
func (g Gate) Store() (Store, error) {
	state, err := g.Process.StateDir()
	if err != nil {
		return Store{}, fmt.Errorf("finding the directory of the trust store: %w", err)
	}
	return OpenStore(state), nil
}

// Admit divides entries into those that may be started or contacted and those that must not: not trusted, not
// valid, or disabled.
func (g Gate) Admit(cfg *config.Config, entries []config.Entry) (approved []Approved, refused []Denied) {
	d := g.decisions()
	approved = make([]Approved, 0, len(entries))
	for i, e := range entries {
		var problems []config.Problem
		switch {
		case e.Disabled:
		case g.state(d, e) == config.Trusted && e.NeedsTrust() && e.Login.Sends != "" && !g.hasTerminal():
			problems = append([]config.Problem{unattended(e)}, e.Problems...)
		case g.state(d, e) == config.Trusted: // and only then what it names is looked at
			e = e.Opened()
			problems = e.Problems
		default:
			problems = append([]config.Problem{d.problem(cfg, e)}, e.Problems...)
		}
		if e.Disabled || len(problems) > 0 {
			refused = append(refused, Denied{i, e, problems})
			continue
		}
		approved = append(approved, Approved{i, e})
	}
	return approved, refused
}

// Trusted returns the entries that need no question, and those that do.
func (g Gate) Trusted(entries []config.Entry) (trusted, untrusted []config.Entry) {
	d := g.decisions()
	for _, e := range entries {
		if g.state(d, e) == config.Trusted {
			trusted = append(trusted, e)
		} else {
			untrusted = append(untrusted, e)
		}
	}
	return trusted, untrusted
}

// decisions reads the store.
func (g Gate) decisions() (d decisions) {
	store, err := g.Store()
	if err == nil {
		store.folder.Discard(storeFile, lockFile)
		d, err = store.read()
	}
	d.err = err
	return d
}

// state reports whether an entry may start: by a decision, for this run, or because it needs none.
func (g Gate) state(d decisions, e config.Entry) config.Standing {
	if g.Once || !e.NeedsTrust() {
		return config.Trusted
	}
	return d.state(e)
}

// problem returns why an entry that is not trusted does not start.
func (d decisions) problem(cfg *config.Config, e config.Entry) config.Problem {
	p := config.Problem{File: e.File, Line: e.Line, Server: e.Server.Name, Hint: trustHint(cfg, e)}
	switch {
	case d.err != nil:
		p.Message = fmt.Sprintf("not trusted: %v", d.err)
		_, p.Hint, _ = strings.Cut(p.Hint, "; or ") // the store takes no decision either
	case d.state(e) == config.Changed:
		p.Message = "changed since it was trusted, in " + changeable(e) + ": it would now " + summary(e)
	default:
		p.Message = "not trusted yet: it would " + summary(e)
	}
	return p
}

// unattended returns why an entry does not start that has tokens sent where the entry decides: without a
// terminal a repository could have the tokens of a job.
func unattended(e config.Entry) config.Problem {
	return config.Problem{File: e.File, Line: e.Line, Server: e.Server.Name,
		Message: "it sends " + e.Login.Sends + ", which a found file does only in a terminal",
		Hint:    "name the file: --config " + e.File}
}

func (g Gate) hasTerminal() bool {
	t, err := host.OpenTerminal(g.Process)
	if err != nil {
		return false
	}
	t.Close()
	return true
}

func trustHint(cfg *config.Config, e config.Entry) string {
	name, steps := "--config "+e.File, "review it with mcpctl config, then run mcpctl trust"
	if e.Found == config.Searched && len(cfg.Searched) > 0 {
		name = "--config " + strings.Join(cfg.Searched, " --config ")
	}
	if e.Found == config.Discovered {
		steps = "review it with mcpctl config --discover, then run mcpctl trust --discover"
	}
	return fmt.Sprintf("%s; or use --trust for this run, or name the file: %s", steps, name)
}

// summary returns what an entry would do, in a few words.
func summary(e config.Entry) string {
	x := e.Shown()
	switch {
	case len(x.Starts) > 0:
		return "start " + quoted(x.Line())
	case len(x.Runs) > 0:
		return "run " + quoted(x.Runs[0]) + " and contact " + x.Contacts
	}
	return "contact " + x.Contacts
}

// changeable names what may have changed of an entry. Only its digest is stored, which does not say it.
func changeable(e config.Entry) string {
	if e.Server.HTTP != nil {
		return "its URL, headers, login or another key"
	}
	return "its command, arguments, env or another key"
}

// longest is how many characters of a command line a message has.
const longest = 400

// quoted returns a command line in quotes. The end of a longer one is counted: the hint says where it stands.
func quoted(line string) string {
	characters := []rune(line)
	if len(characters) <= longest {
		return strconv.Quote(line)
	}
	return fmt.Sprintf("%q and %d characters more", string(characters[:longest]), len(characters)-longest)
}

// Describe returns configured servers for a report, with what each would do. Only for a trusted one it is
// looked at whether the files that it names exist.
func (g Gate) Describe(entries []config.Entry) (servers []Server) {
	known := g.decisions()
	for _, e := range entries {
		standing := config.Standing("") // it needs no decision
		if e.NeedsTrust() {
			standing = known.state(e)
		}
		if standing == config.Trusted {
			e = e.Opened()
		}
		x := e.Shown()
		s := describe(e, standing)
		s.Effects = &x
		switch {
		case e.Disabled:
			s.State = seen.Disabled
		case e.Err() != nil:
			addProblems(&s.Server, e.Problems)
		}
		servers = append(servers, s)
	}
	return servers
}

// describe returns the row of an entry in a report.
func describe(e config.Entry, standing config.Standing) Server {
	s := Server{Server: seen.Server{Name: e.Server.Name, State: seen.OK, Source: e.Server.Source,
		Places: e.Places}}
	s.Transport, s.Description = e.Describe()
	s.ProtocolVersion, s.Trust = e.Server.Protocol, standing
	return s
}

// Seen returns the report of a server that must not be contacted.
func (d Denied) Seen() seen.Server {
	s := seen.Server{Name: d.Entry.Server.Name, State: seen.Disabled, Source: d.Entry.Server.Source}
	if !d.Entry.Disabled {
		addProblems(&s, d.Problems)
	}
	return s
}

func addProblems(s *seen.Server, problems []config.Problem) {
	s.State = seen.Failed
	for _, p := range problems {
		p.Server = "" // which the report names
		s.Fail(seen.Failure{Stage: seen.Configuration, Message: p.Error(), Hint: p.Hint})
	}
}
