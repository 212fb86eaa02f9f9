package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// scope is what the servers of one file share.
type scope struct {
	file   string // as shown in problems
	found  Found  // how it came to be read
	abs    string // absolute, of the file
	folder string // that relative paths refer to, absolute
	owner  string // follows the names of servers in what is agreed to, where a file has several of one name
	asked  value  // what the file says of inputs
	dialect
	expander
}

// draft is one server while it is read.
type draft struct {
	reader
	scope
	fields  value
	prompts []Prompt       // without an answer, each once
	envText string         // content of envFile
	secrets []probe.Secret // what was put in that must not be shown
}

// Keys of a server that mcpctl reads. Other clients' keys are passed over, except in mcpctl.yaml.
var serverKeys = []string{
	"command", "args", "env", "cwd", "envFile", "url", "serverUrl", "httpUrl", "type", "transport",
	"headers", "http_headers", "env_http_headers", "bearer_token_env_var", "bearerToken", "headersHelper",
	"oauth", "auth", "disabled", "enabled", "timeout",
}

var (
	urlKeys   = []string{"url", "serverUrl", "httpUrl"}
	stdioKeys = []string{"args", "env", "cwd", "envFile"}
)

// servers reads the members of a map of servers.
func (s scope) servers(of value) []Entry {
	entries := make([]Entry, len(of.fields))
	for i, f := range of.fields {
		translated, reason := s.translate(f.value)
		entries[i] = s.server(field{f.key, f.line, translated})
		if entries[i].unusable = reason != ""; entries[i].unusable {
			entries[i].Problems = []Problem{{File: s.file, Line: f.line, Server: f.key, Message: reason}}
		}
	}
	return entries
}

// server reads one server; everything that is wrong with it is in the entry.
func (s scope) server(f field) Entry {
	d := &draft{reader: reader{file: s.file, server: f.key}, scope: s, fields: f.value}
	e := Entry{
		Server: probe.Server{Name: f.key, Source: fmt.Sprintf("%s:%d", s.file, f.line)},
		File:   s.file, Line: f.line, Found: s.found,
	}
	d.name(f)
	if d.is(f.value, object, "a server") {
		d.check()
		e.Disabled = d.disabled()
		_, e.chosenDir = d.fields.get("cwd")
		d.fill(&e)
		e.Server.Secrets = append(d.secrets, misplaced(e.Server)...)
	}
	e.Problems, e.Warnings, e.Prompts, e.essence = d.problems, d.warnings, d.prompts, d.essence(e)
	return e
}

// maxName bounds the length of the file name that a server's snapshot has, in bytes.
const maxName = 200

func (d *draft) name(f field) {
	switch {
	case strings.TrimSpace(f.key) == "":
		d.complain(f.line, "give the server a name", "a server without a name")
	case strings.ContainsFunc(f.key, isControl):
		d.complain(f.line, "use letters, digits, - and _", "the name %q has control characters", f.key)
	case len(FileName(f.key)) > maxName:
		d.complain(f.line, "shorten it", "the name is too long for the name of a file")
	}
}

func isControl(r rune) bool { return r < 0x20 || 0x7f <= r && r < 0xa0 || r == '\ufffd' }

// check keeps what is wrong with the keys themselves.
func (d *draft) check() {
	d.unique(d.fields, "")
	if d.strict {
		d.known(d.fields, "", serverKeys)
	}
}

func (d *draft) disabled() bool {
	off, on := false, true
	if f, ok := d.fields.get("disabled"); ok {
		off = d.flag(f, off)
	}
	if f, ok := d.fields.get("enabled"); ok {
		on = d.flag(f, on)
	}
	return off || !on
}

// fill decides between the two kinds of servers and reads what belongs to the one.
func (d *draft) fill(e *Entry) {
	if f, ok := d.fields.get("timeout"); ok {
		e.Server.Timeout = d.timeout(f, d.dialect)
	}
	command, hasCommand := d.fields.get("command")
	address, hasURL := d.address()
	kind := d.transport()
	switch {
	case hasCommand && hasURL:
		d.complain(address.line, "remove one of them", "both %q and %q", "command", address.key)
	case !hasCommand && !hasURL:
		d.complain(d.fields.line, d.misspelt(), `neither "command" nor "url"`)
	case hasURL && kind == "stdio":
		d.complain(address.line, `remove it, or write "command"`, `%q is stdio, but there is a %q`, d.transportKey(), address.key)
	case hasCommand && kind != "stdio" && kind != "":
		d.complain(command.line, `remove it, or write "url"`, `%q is %s, but there is a "command"`, d.transportKey(), kind)
	case hasCommand:
		e.Server.Stdio, e.shown = d.stdio(command)
	default:
		e.Server.HTTP, e.shown.url = d.http(address, kind)
		e.Login = d.login()
	}
}

// misspelt is the hint for a server that has no command and no url.
func (d *draft) misspelt() string {
	for _, key := range d.fields.keys() {
		for _, right := range match.Nearest(key, []string{"command", "url"}) {
			if !slices.Contains(serverKeys, key) {
				return fmt.Sprintf("did you mean %q where it says %q?", right, key)
			}
		}
	}
	return `write "command" to start a server or "url" to contact one`
}

// expand replaces the variables of f's string and keeps those without a value as problems; ok is false if there are any.
func (d *draft) expand(f field) (out expanded, ok bool) {
	out, missing := d.scope.expand(f.value.text)
	d.secrets = append(d.secrets, d.confidential(f.value.text)...)
	for _, m := range missing {
		d.complain(f.value.line, m.hint, "%s, needed in %q", m.message, f.key)
		d.wish(m.prompt)
	}
	return out, len(missing) == 0
}

// wish remembers what a person could be asked for to mend the last problem.
func (d *draft) wish(p *Prompt) {
	if p == nil {
		return
	}
	d.problems[len(d.problems)-1].asked = true
	if !slices.ContainsFunc(d.prompts, func(known Prompt) bool { return known.Variable == p.Variable }) {
		d.prompts = append(d.prompts, *p)
	}
}
