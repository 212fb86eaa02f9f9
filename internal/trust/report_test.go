package trust

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// three has a server that is fine, one that lacks a variable, and one that is disabled.
const three = `{"mcpServers": {
	"fine": {"url": "https://h.example/mcp", "headers": {"X-Team": "a"}},
	"lacks": {"command": "npx", "env": {"K": "${MISSING}"}},
	"off": {"command": "npx", "disabled": true}}}`

// row returns what a user reads of a server in a report about trust.
func row(s Server) string {
	return fmt.Sprint(s.Name, " ", s.State, " ", s.Trust, " ", s.Source)
}

// TestEachEntryIsJudgedByItself: a refused or disabled entry does not decide about those after it.
func TestEachEntryIsJudgedByItself(t *testing.T) {
	u := newUser(t)
	cfg := u.reads(three)
	slices.Reverse(cfg.Entries) // off, lacks, fine
	u.trust(&config.Config{Entries: cfg.Entries[2:]})
	approved, refused := u.Admit(cfg, cfg.Entries)
	if len(approved) != 1 || approved[0].Index != 2 || approved[0].Entry().Server.Name != "fine" {
		t.Errorf("approved %+v", approved)
	}
	if len(refused) != 2 || len(refused[0].Problems) != 0 || len(refused[1].Problems) != 2 {
		t.Errorf("refused %+v; want off without a problem, lacks with two (trust, the variable)", refused)
	}
	if trusted, untrusted := u.Trusted(cfg.Entries); len(trusted) != 2 || len(untrusted) != 1 {
		t.Errorf("%d need no question, %d do", len(trusted), len(untrusted))
	}
}

// TestTrustHint names the command that asks, and the files that the user can name in its place.
func TestTrustHint(t *testing.T) {
	searched := &config.Config{Searched: []string{"a.json", "b.json"}}
	for want, c := range map[string]struct {
		cfg   *config.Config
		found config.Entry
	}{
		"run mcpctl trust; or use --trust for this run, or name the file: --config a.json --config b.json": {
			searched, config.Entry{File: "c.json", Found: config.Searched}},
		"run mcpctl trust; or use --trust for this run, or name the file: --config c.json": {
			&config.Config{}, config.Entry{File: "c.json", Found: config.Searched}},
		"run mcpctl trust --discover; or use --trust for this run, or name the file: --config c.json": {
			searched, config.Entry{File: "c.json", Found: config.Discovered}},
	} {
		if got := trustHint(c.cfg, c.found); !strings.HasSuffix(got, want) {
			t.Errorf("got %q\nwant %q", got, want)
		}
	}
}

// TestTrustList lists the decisions by file and name, and says when the store cannot be read.
func TestTrustList(t *testing.T) {
	u := newUser(t)
	cfg := u.reads(three)
	slices.Reverse(cfg.Entries)
	u.trust(cfg)
	store, err := u.Store()
	if err != nil {
		t.Fatal(err)
	}
	file := " ok trusted " + u.path("project/.mcp.json")
	for names, want := range map[string][]string{
		"":    {"fine" + file, "lacks" + file, "off" + file},
		"off": {"off" + file},
	} {
		r := store.Report(strings.Fields(names))
		if got := kit.Map(r.Servers, row); !slices.Equal(got, want) || r.Status != 0 || r.Problems != nil {
			t.Errorf("%q: got %q, want %q", names, got, want)
		}
		if since := r.Servers[0].Since; since != "2026-07-01" {
			t.Errorf("%q: since %q", names, since)
		}
	}
	if got := (Grant{File: "f"}).describe(config.Trusted).Name; got != "*" {
		t.Errorf("a whole file is listed as %q", got)
	}
	u.writes("state/mcpctl/trust.json", "{")
	if r := store.Report(nil); r.Status != exit.Incomplete || len(r.Problems) != 1 {
		t.Errorf("unreadable: %+v", r)
	}
}

// TestFoundIn names at most three files, and the project when the files were searched for in it.
func TestFoundIn(t *testing.T) {
	for files, want := range map[string]string{
		"a":         "a",
		"a b a":     "a, b",
		"a b c":     "a, b, c",
		"a b c d e": "a, b, c and 2 more files",
	} {
		for found, want := range map[config.Found]string{
			config.Discovered: want, config.Searched: "this project (" + want + ")"} {
			entries := kit.Map(strings.Fields(files),
				func(f string) config.Entry { return config.Entry{File: f, Found: found} })
			if got := foundIn(entries); got != want {
				t.Errorf("%q: %q, want %q", files, got, want)
			}
		}
	}
}

// TestScreens asks together what fits one screen, alone what is marked, and not about what does not fit.
func TestScreens(t *testing.T) {
	line := decision{name: "s", lines: []string{"x"}}
	marked := decision{name: "m", lines: []string{"x"}, marked: true}
	listed := decision{name: "l", lines: []string{"x"}, listed: true}
	long := decision{name: "long", lines: slices.Repeat([]string{"x"}, 13), command: "mcpctl trust long"}
	for _, c := range []struct {
		width, height int
		all           []decision
		want          string // the subjects of each part, in capitals those that are not asked about
	}{
		{80, 24, slices.Repeat([]decision{line}, 17), "sssssssssssssssss"},
		{80, 24, slices.Repeat([]decision{line}, 18), "sssssssssssssssss s"},
		{80, 7, slices.Repeat([]decision{line}, 6), "ss ssss"},
		{80, 24, []decision{line, marked, marked}, "s m m"},
		{80, 24, []decision{marked, line, long}, "sL m"},
		{80, 24, []decision{long}, "L"},
		{40, 12, []decision{long, marked}, "L m"},
		{80, 24, []decision{listed, line}, "sL"},
	} {
		s := newScreen(c.width, c.height)
		s.heading = "Found"
		parts := s.parts(c.all)
		got := kit.Map(parts, func(p section) string {
			return strings.Join(kit.Map(p.subjects, func(one decision) string {
				if one.listed {
					return strings.ToUpper(one.name[:1])
				}
				return one.name[:1]
			}), "")
		})
		if strings.Join(got, " ") != c.want {
			t.Errorf("%dx%d: %q, want %q", c.width, c.height, got, c.want)
		}
		for _, p := range parts {
			if rows := len(p.rows) + strings.Count(p.question, "\n") + 1; rows >= c.height && p.question != "" {
				t.Errorf("%dx%d: %d rows:\n%s", c.width, c.height, rows, strings.Join(p.rows, "\n"))
			}
		}
	}
	file := decision{name: "file", lines: slices.Repeat([]string{"x"}, 13), file: true}
	for whole, want := range map[longer]int{notAsked: 0, filesWhole: 1, namedWhole: 1} {
		s := newScreen(80, 12)
		s.whole = whole
		if p := s.parts([]decision{file}); len(p[0].asked()) != want {
			t.Errorf("a file that is longer than the screen, %d: %+v", whole, p)
		}
	}
	if p := newScreen(80, 24).parts([]decision{file, line}); len(p) != 1 || len(p[0].asked()) != 2 {
		t.Errorf("a file of 13 rows is not asked about: %+v", p)
	}
	low := newScreen(20, 12)
	low.heading, low.short = "Found in this project (mcpctl.yaml), not trusted yet:", "Not trusted yet:"
	if rows := low.parts([]decision{line})[0].rows; rows[0] != "Not trusted yet:" {
		t.Errorf("a heading without its beginning: %q", rows)
	}
	s := newScreen(80, 24)
	s.whole = namedWhole
	if p := s.parts([]decision{long}); len(p) != 1 || len(p[0].asked()) != 1 || len(p[0].rows) < 13 {
		t.Errorf("named, a long one is not asked about: %+v", p)
	}
}

// TestSubjects asks once for an application's file, and names the risk of what is asked alone.
func TestSubjects(t *testing.T) {
	u := newUser(t)
	u.writes(".claude.json", `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "sh"}}}`)
	u.reads(`{"mcpServers": {
		"sends": {"command": "x", "env": {"K": "${K}", "BASE": "https://evil.example/x"}},
		"shell": {"command": "sh"},
		"plain": {"command": "x"}}}`)
	var got []string
	for _, s := range subjectsOf(u.load(true).Entries, config.Entry.OwnFile) {
		got = append(got, fmt.Sprintf("%s %v%s %d %s",
			s.name, s.marked, s.risk, len(s.entries), s.lines[len(s.lines)-1]))
	}
	for _, want := range []string{u.path(".claude.json") + " false 2 b: It runs a shell !", "shell true It runs a shell 1 ",
		"sends true It may send K to evil.example 1 ", "plain false 1 "} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// TestRisk names what a server could do that is asked about alone: where it may send what, and its code.
func TestRisk(t *testing.T) {
	for want, x := range map[string]config.Effects{
		"": {},
		" It may send K to h.example": {Receives: []string{"A", "K"}, Secrets: []string{"K"},
			Addresses: []string{"h.example"}},
		" It may send K, L and M to 192.0.2.1:80 and h.example, and runs a shell line": {
			Secrets: []string{"K", "L", "M"}, Addresses: []string{"192.0.2.1:80", "h.example"}, Code: "a shell line"},
		" It may send K, L, M and 1 more to h.example": {
			Secrets: []string{"K", "L", "M", "N"}, Addresses: []string{"h.example"}},
		" It may send K to g<U+0456>thub.com": {Secrets: []string{"K"}, Addresses: []string{"gіthub.com"}},
		" It sends a token of <U+0430>.example for https://b.example/ to b.example": {
			Tokens: "a token of а.example for https://b.example/ to b.example"},
		" It runs inline code": {Receives: []string{"K"}, Code: "inline code"},
	} {
		if got := riskOf(x); got != want {
			t.Errorf("%+v: got %q, want %q", x, got, want)
		}
	}
}

// TestBlock has a name on the line of what the server does, unless it is longer than the column of names, and
// no row wider than the screen.
func TestBlock(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       string
	}{
		{"123456789", "x", "  123456789 x"},
		{"\u00e4\u00f6\u00fc456789", "x", "  \u00e4\u00f6\u00fc456789 x"},
		{"1234567890", "x", "  1234567890\n            x"},
		{"a", strings.Repeat("y", 40), "  a         " + strings.Repeat("y", 28) + "\n            " + strings.Repeat("y", 12)},
		{"a", strings.Repeat("\u6f22", 20), "  a         " + strings.Repeat("\u6f22", 14) + "\n            " + strings.Repeat("\u6f22", 6)},
	} {
		got := strings.Join(newScreen(40, 24).block(decision{name: c.name, lines: []string{c.line}}, nameWidth), "\n")
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestDenied reports each problem of a server as a failure of its configuration.
func TestDenied(t *testing.T) {
	s := Denied{Entry: config.Declare(probe.Server{Name: "s", Source: "f:1"}, config.Allow{}), Problems: []config.Problem{
		{Server: "s", Message: "no command", Hint: "add one"}, {Server: "s", Message: "no such folder"}}}.Seen()
	if got := row(Server{Server: s}); got != "s failed  f:1" {
		t.Errorf("got %q", got)
	}
	if e := s.Error; e == nil || e.Message != "no command" || e.Hint != "add one" || len(s.MoreErrors) != 1 {
		t.Errorf("errors %+v, %+v", e, s.MoreErrors)
	}
}
