package config

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Description is what `mcpctl config` says about a server; nothing in it is secret.
type Description struct {
	Name      string    `json:"name"`
	File      string    `json:"file"`
	Line      int       `json:"line,omitempty"`
	Transport string    `json:"transport,omitempty"` // "stdio", "http" (streamable, falling back to SSE), "streamable-http", "sse"
	Command   []string  `json:"command,omitempty"`   // with variables as written and secret-looking arguments masked
	Dir       string    `json:"cwd,omitempty"`
	Env       []string  `json:"env,omitempty"` // names only, sorted
	URL       string    `json:"url,omitempty"` // with user info, query values and token-like segments masked
	Headers   []string  `json:"headers,omitempty"`
	Helper    string    `json:"headersHelper,omitempty"` // the command line of the shell that gives further headers, masked like Command
	Protocol  string    `json:"protocol,omitempty"`      // the version that is pinned for this server
	Timeout   string    `json:"timeout,omitempty"`
	State     string    `json:"state"`              // "enabled", "disabled", "refused" (not in allow) or "invalid"
	Problems  []Problem `json:"problems,omitempty"` // none of a disabled server
	Warnings  []Problem `json:"warnings,omitempty"` // of a server that can run all the same
}

// Describe tells what would be run or contacted for the entry.
func (e Entry) Describe() Description {
	d := Description{Name: e.Server.Name, File: e.File, Line: e.Line, Protocol: e.Server.Protocol, State: e.state()}
	if !e.Disabled {
		d.Problems, d.Warnings = e.Problems, e.Warnings
	}
	if t := e.Server.Timeout; t > 0 {
		d.Timeout = t.String()
	}
	if s := e.Server.Stdio; s != nil {
		d.Transport, d.Dir, d.Env = "stdio", cmp.Or(e.dir, s.Dir), names(s.Env)
		d.Command = redact.MaskArgs(e.words())
	}
	if h := e.Server.HTTP; h != nil {
		d.Transport, d.Headers = string(h.Kind), names(h.Headers)
		if h.Kind == probe.AutoHTTP {
			d.Transport = "http"
		}
		if h.Helper != nil {
			d.Helper = redact.MaskLine(h.Helper.Command)
		}
		d.URL = redact.MaskURL(e.address())
	}
	return d.discreet()
}

// discreet is d without tokens in places where none belongs.
func (d Description) discreet() Description {
	d.Dir, d.URL, d.Helper = redact.MaskTokens(d.Dir), redact.MaskTokens(d.URL), redact.MaskTokens(d.Helper)
	d.Command = slices.Clone(d.Command)
	for i, word := range d.Command {
		d.Command[i] = redact.MaskTokens(word)
	}
	return d
}

func names(of map[string]probe.Secret) []string { return slices.Sorted(maps.Keys(of)) }

func (e Entry) state() string {
	switch {
	case e.Disabled:
		return "disabled"
	case e.refused:
		return "refused"
	case len(e.Problems) > 0:
		return "invalid"
	}
	return "enabled"
}

// trustSubject is whom an agreement is about.
type trustSubject struct {
	path string // absolute, of the file
	name string // which of its servers
	base string // of a variant: the file of the server
}

// NeedsTrust tells whether the entry must not be started or contacted before a person agreed to it, since nobody named it. A
// bare address is no exception: what answers there may be meant for this machine alone.
func (e Entry) NeedsTrust() bool { return e.Found != Named && !e.Disabled }

// Subject is the absolute path of the entry's file, which of its servers it is, whatever it is called beside those of other
// files, and all that it can do. Values of the user's own environment are not part of it. The parts may hold secrets, so they
// are for digests alone.
func (e Entry) Subject() (file, server string, parts []string) {
	return e.subject.path, e.subject.name, append([]string{e.subject.base}, e.Manifest().Parts()...)
}

// discreet are problems without such tokens.
func discreet(problems []Problem) []Problem {
	for i, p := range problems {
		problems[i].Message, problems[i].Hint = redact.MaskTokens(p.Message), redact.MaskTokens(p.Hint)
	}
	return problems
}
