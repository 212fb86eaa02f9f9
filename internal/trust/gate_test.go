package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/report"
)

// user is somebody with a home folder and a project in it, where the test is.
type user struct {
	Gate
	t    *testing.T
	home string
}

func newUser(t *testing.T) user {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u := user{t: t, home: home}
	u.writes("project/.git/HEAD", "")
	t.Chdir(u.path("project"))
	u.Process = host.Process{Dir: u.path("project"), Home: u.home, Environ: []string{"XDG_STATE_HOME=" + u.path("state"), "CI=true"}, Now: noon}
	return u
}

// path is one below the home folder.
func (u user) path(name string) string { return filepath.Join(u.home, filepath.FromSlash(name)) }

func (u user) writes(name, text string) {
	u.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(u.path(name)), 0o700), os.WriteFile(u.path(name), []byte(text), 0o600)); err != nil {
		u.t.Fatal(err)
	}
}

// finds is the configuration of the project, with a server s as it is written here in a file that nobody named.
func (u user) finds(server string) (*config.Config, config.Entry) {
	u.t.Helper()
	cfg := u.reads(`{"servers": {"s": {`+server+`}}, "inputs": [{"id": "q"}]}`, false)
	if len(cfg.Entries) != 1 {
		u.t.Fatalf("%s: %d servers", server, len(cfg.Entries))
	}
	return cfg, cfg.Entries[0]
}

// reads is the configuration with the text of a .mcp.json, and with what applications have in the home folder, if that is wanted.
func (u user) reads(text string, discover bool) *config.Config {
	u.t.Helper()
	u.writes("project/.mcp.json", text)
	cfg, err := config.Load(config.Input{Dir: u.path("project"), Home: u.home, Root: u.home, OS: "linux", Discover: discover, Lookup: u.Process.Lookup})
	if err != nil {
		u.t.Fatal(err)
	}
	return cfg
}

func (u user) agrees(entries ...config.Entry) {
	u.t.Helper()
	if err := u.Agree(entries, false); err != nil {
		u.t.Fatal(err)
	}
}

// kept are the servers that the user agreed to, sorted.
func (u user) kept() (servers []string) {
	u.t.Helper()
	store, err := u.Store()
	if err != nil {
		u.t.Fatal(err)
	}
	all, err := store.List()
	if err != nil {
		u.t.Fatal(err)
	}
	for _, a := range all {
		servers = append(servers, a.Server)
	}
	slices.Sort(servers)
	return servers
}

const nobodyNamed = "not trusted: nobody named this file, and it would "

// TestDeny: what was found is neither started nor contacted, the refusal says what it would do and how to agree, and tells no secret.
func TestDeny(t *testing.T) {
	for server, want := range map[string]string{
		`"command": "npx", "args": ["-y", "pkg", "--token", "s3cret-value"]`:                    nobodyNamed + `start "npx -y pkg --token '***'"`,
		`"command": "npx", "args": ["${input:q}"]`:                                              nobodyNamed + `start "npx ${input:q}"`,
		`"url": "https://me:s3cret-value@h.example/mcp"`:                                        nobodyNamed + "contact https://***@h.example/mcp",
		`"url": "https://h.example/mcp", "headersHelper": "get --password=s3cret-value"`:        nobodyNamed + `run "get --password=***" and contact https://h.example/mcp`,
		`"command": "npx", "disabled": true`:                                                    "", // nor would it start
		`"command": "npx", "args": ["${NOT_SET}"]`:                                              "", // of which it tells anyway
		`"type": "http", "url": "http://127.0.0.1/", "headers": {"Authorization": "s3cret-va"}`: nobodyNamed + "contact http://127.0.0.1/",
	} {
		u := newUser(t)
		cfg, found := u.finds(server)
		denied := u.Deny(cfg, found)
		if got := messageOf(denied); got != want {
			t.Errorf("%s:\n got %q\nwant %q", server, got, want)
		}
		if hint := "look at it and agree with mcpctl trust, or run it once with --yes, or name the file: --config .mcp.json"; denied != nil && denied.Hint != hint {
			t.Errorf("%s: hint %q, want %q", server, denied.Hint, hint)
		}
		if denied != nil && (denied.File != found.File || denied.Line != found.Line || denied.Server != "s") {
			t.Errorf("%s: denied in %s:%d, of %s", server, denied.File, denied.Line, denied.Server)
		}
		guarded := u.Guard(cfg, []config.Entry{found})[0]
		if !guarded.Disabled && (guarded.Err() == nil || len(guarded.Asks()) > 0) {
			t.Errorf("%s: the gate is open: %v, and asks for %v", server, guarded.Err(), guarded.Asks())
		}
		if len(found.Problems) == len(guarded.Problems) && want != "" {
			t.Errorf("%s: the entry itself was changed", server)
		}
		u.Yes = true
		named := found
		named.Found = config.Named
		if yes, ours := u.Deny(cfg, found), (Gate{Process: u.Process}).Deny(cfg, named); yes != nil || ours != nil {
			t.Errorf("%s: with --yes %v, in a named file %v", server, yes, ours)
		}
		if kept := u.kept(); kept != nil {
			t.Errorf("%s: remembered though nobody agreed: %q", server, kept)
		}
	}
}

func messageOf(p *config.Problem) string {
	if p == nil {
		return ""
	}
	return p.Message
}

// TestHowToAgree: what is offered is what works for how an entry was found.
func TestHowToAgree(t *testing.T) {
	u := newUser(t)
	u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx"}}}`)
	discovered := u.reads(`{"mcpServers": {}}`, true)
	for _, c := range []struct {
		entry         config.Entry
		message, hint string
	}{
		{discovered.Entries[0], nobodyNamed + `start "uvx"`, "look at it and agree with mcpctl trust --discover, or run it once with --yes, or name the file: --config " + discovered.Entries[0].File},
	} {
		if p := u.Deny(discovered, c.entry); messageOf(p) != c.message || p.Hint != c.hint {
			t.Errorf("%+v, want %q, %q", p, c.message, c.hint)
		}
	}
}

// TestNamingAllThatWasFound: where a project file was found too, naming the servers' file alone would lose what it says.
func TestNamingAllThatWasFound(t *testing.T) {
	u := newUser(t)
	u.writes("project/mcpctl.yaml", "fail-on: never\n")
	cfg, found := u.finds(`"command": "npx"`)
	if p := u.Deny(cfg, found); p == nil || !strings.HasSuffix(p.Hint, ": --config mcpctl.yaml --config .mcp.json") {
		t.Errorf("%+v", p)
	}
}

// TestDescribe says of a server whether it can run, and whether it may.
func TestDescribe(t *testing.T) {
	for server, want := range map[string]struct {
		state report.State
		trust report.Trust
	}{
		`"command": "npx"`:                         {report.OK, report.Untrusted},
		`"command": "npx", "disabled": true`:       {report.Disabled, ""},
		`"command": "npx", "args": ["${NOT_SET}"]`: {report.Failed, report.Untrusted},
	} {
		u := newUser(t)
		_, found := u.finds(server)
		s := u.Describe(found)
		if s.State != want.state || s.Trust != want.trust || (s.Error != nil) != (want.state == report.Failed) || s.Manifest == nil {
			t.Errorf("%s: %s, %q, error %v", server, s.State, s.Trust, s.Error)
		}
		if p := u.proposed(found); p.State != report.OK || p.Error != nil {
			t.Errorf("%s: proposed as %s with %v", server, p.State, p.Error)
		}
	}
}

// TestAnyChangeAsksAgain: whatever a server can do that it could not when it was agreed to, it is held back, and what is new is named.
// The old one still holds.
func TestAnyChangeAsksAgain(t *testing.T) {
	const agreed = `"command": "node", "args": ["server.js"], "env": {"TOKEN": "s3cret-value"}, "envFile": ".env"`
	u := newUser(t)
	u.writes("project/server.js", "1")
	u.writes("project/.env", "LEVEL=1")
	cfg, first := u.finds(agreed)
	u.agrees(first)
	if p := u.Deny(cfg, first); p != nil {
		t.Fatalf("agreed to, and yet %v", p)
	}
	const changed = `changed since it was trusted: it would now start "node server.js"`
	for server, want := range map[string]string{
		agreed + `, "timeout": 5`: "",
		strings.Replace(agreed, `"server.js"`, `"server.js", "--more"`, 1):          `changed since it was trusted: it would now start "node server.js --more"; new: starts node server.js --more`,
		strings.Replace(agreed, `{"TOKEN"`, `{"NODE_OPTIONS": "-r x", "TOKEN"`, 1):  changed + "; new: sets NODE_OPTIONS=-r x",
		strings.Replace(agreed, `{"TOKEN"`, `{"OTHER": "${AWS_KEY:-}", "TOKEN"`, 1): changed + "; new: sets OTHER=${AWS_KEY:-}; gives env AWS_KEY → env OTHER",
		strings.Replace(agreed, `s3cret-value`, `other-s3cret`, 1):                  changed, // a secret alone, which is not told
		strings.Replace(agreed, `, "envFile": ".env"`, ``, 1):                       changed, // it can do less
		agreed + `, "cwd": "` + filepath.ToSlash(u.home) + `"`:                      changed + "; new: in " + filepath.ToSlash(u.home),
	} {
		cfg, now := u.finds(server)
		if got := messageOf(u.Deny(cfg, now)); got != want {
			t.Errorf("%s:\n got %q\nwant %q", server, got, want)
		}
		wanted := report.Trusted
		if want != "" {
			wanted = report.Changed
		}
		if s := u.Describe(now); s.Trust != wanted || (len(s.Added) > 0) != strings.Contains(want, "new:") {
			t.Errorf("%s: described as %q with %q", server, s.Trust, s.Added)
		}
		now.Found = config.Named // and needs no trust
		if s := u.Describe(now); s.Trust != "" || s.Added != nil || s.Gone != nil {
			t.Errorf("%s: in a named file described as %q with %q and without %q", server, s.Trust, s.Added, s.Gone)
		}
	}
	for name, text := range map[string]string{"project/server.js": "2", "project/.env": "LEVEL=1\nLD_PRELOAD=x.so"} {
		before, _ := os.ReadFile(u.path(name))
		u.writes(name, text)
		if cfg, now := u.finds(agreed); !strings.Contains(messageOf(u.Deny(cfg, now)), changed+"; new: s") {
			t.Errorf("another %s: %v", name, u.Deny(cfg, now))
		}
		u.writes(name, string(before))
	}
	if cfg, again := u.finds(agreed); u.Deny(cfg, again) != nil {
		t.Errorf("as it was, and yet %v", u.Deny(cfg, again))
	}
}

// TestNoProofIsNoAgreement: where the store cannot be had or proves nothing, an entry that was agreed to is held back, and the refusal
// says why. A yes to what cannot be remembered is an error that says what to do.
func TestNoProofIsNoAgreement(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has no permission bits")
	}
	for name, c := range map[string]struct {
		spoil         func(u *user, file string) error
		denied, agree string
	}{
		"the group may write the file":   {func(_ *user, file string) error { return os.Chmod(file, 0o620) }, "can be written by others", ""},
		"everybody may write the folder": {func(_ *user, file string) error { return os.Chmod(filepath.Dir(file), 0o702) }, "can be written by others", "can be written by others"},
		"a link": {func(_ *user, file string) error {
			return errors.Join(os.Rename(file, file+".moved"), os.Symlink(file+".moved", file))
		}, "is a link", "it is no regular file"},
		"another user's file":   {func(_ *user, file string) error { return giveAway(file) }, "belongs to another user", ""},
		"another user's folder": {func(_ *user, file string) error { return giveAway(filepath.Dir(file)) }, "belongs to another user", "belongs to another user"},
		"damaged":               {func(_ *user, file string) error { return os.WriteFile(file, []byte("yes"), 0o600) }, "not an agreement of mcpctl: remove it, and agree again with mcpctl trust", ""},
		"a folder in its place": {func(_ *user, path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}, "not a regular file", "it is no regular file"},
		"no home folder": {func(u *user, _ string) error {
			u.Process.Environ, u.Process.Home = []string{"CI=true"}, ""
			return nil
		}, "there is no home folder: set HOME", "there is no home folder: set HOME"},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			cfg, found := u.finds(`"command": "npx"`)
			u.agrees(found)
			about := subjectOf(found)
			if err := c.spoil(&u, u.path("state/mcpctl/trust/"+fileName(about.File, about.Server))); errors.Is(err, errors.ErrUnsupported) {
				t.Skipf("SKIPPED: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			if got := messageOf(u.Deny(cfg, found)); !strings.HasPrefix(got, "not trusted: ") || !strings.Contains(got, c.denied) {
				t.Errorf("%q, want %q", got, c.denied)
			}
			if s := u.Describe(found); s.Trust != report.Untrusted {
				t.Errorf("described as %q", s.Trust)
			}
			other := u.reads(`{"servers": {"other": {"command": "npx"}}}`, false).Entries[0] // which may well be kept
			err := u.Agree([]config.Entry{found, other}, false)
			if c.agree == "" {
				if err != nil || u.Deny(cfg, found) != nil {
					t.Errorf("agreed to anew: %v, %v", err, u.Deny(cfg, found))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.agree) || !strings.HasSuffix(err.Error(), ": mend that, or run once with --yes") {
				t.Errorf("agreeing: %v, want %q", err, c.agree)
			}
			if _, err := u.Propose([]config.Entry{found}, true, false); err == nil {
				t.Error("mcpctl trust says that it is trusted")
			}
		})
	}
}

// giveAway makes a file somebody else's, which root alone can.
func giveAway(path string) error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("only root can give files away: %w", errors.ErrUnsupported)
	}
	return os.Chown(path, 4711, 4711)
}

// TestPropose agrees to what needs it, and with a dry run to nothing; one agreement is for all of the user's own applications, if they
// were all meant.
func TestPropose(t *testing.T) {
	u := newUser(t)
	u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx"}, "also": {"command": "uvx", "args": ["2"]}}}`)
	cfg := u.reads(`{"mcpServers": {"found": {"command": "npx"}, "off": {"command": "npx", "disabled": true}}}`, true)
	if r, err := u.Propose(cfg.Entries, true, true); err != nil || len(r.Servers) != 3 || u.kept() != nil || r.Servers[0].Trust != report.Untrusted {
		t.Errorf("a dry run: %v, %d servers, kept %q", err, len(r.Servers), u.kept())
	}
	for own, want := range map[bool][]string{true: {"*", "found"}, false: {"also", "found", "mine"}} {
		r, err := u.Propose(cfg.Entries, own, false)
		if diff := cmp.Diff(want, u.kept()); err != nil || diff != "" {
			t.Errorf("own %v: %v (-want +got):\n%s", own, err, diff)
		}
		for _, s := range r.Servers {
			if s.Trust != report.Trusted || s.State != report.OK || s.Manifest == nil {
				t.Errorf("own %v: %+v", own, s)
			}
		}
		if err := os.RemoveAll(u.path("state")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOwnApplications: one yes is for all of them, and for what comes to their files later; of a file that others may write, it is for
// nothing.
func TestOwnApplications(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has no permission bits")
	}
	u := newUser(t)
	u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx"}}}`)
	cfg := u.reads(`{"mcpServers": {"found": {"command": "npx"}}}`, true)
	if err := u.Agree(cfg.Entries[1:], true); err != nil {
		t.Fatal(err)
	}
	u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx", "args": ["more"]}, "later": {"url": "https://h.example/"}}}`)
	held := func() (names []string) {
		cfg := u.reads(`{"mcpServers": {"found": {"command": "npx"}}}`, true)
		for _, e := range u.Guard(cfg, cfg.Entries) {
			if e.Err() != nil {
				names = append(names, e.Server.Name)
			}
		}
		return names
	}
	if diff := cmp.Diff([]string{"found"}, held()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.Chmod(u.path(".cursor/mcp.json"), 0o660); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"found", "mine", "later"}, held()); diff != "" {
		t.Errorf("others may write the file (-want +got):\n%s", diff)
	}
	if err := os.Chmod(u.path(".cursor/mcp.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	u.writes("state/mcpctl/trust/"+fileName(Own().File, Own().Server), "yes")
	cfg = u.reads(`{"mcpServers": {}}`, true)
	if p := u.Deny(cfg, cfg.Entries[0]); p == nil || !strings.Contains(p.Message, "not an agreement of mcpctl") {
		t.Errorf("the agreement is damaged: %+v", p)
	}
}

// TestRevokeFound forgets what is about the files here, or the servers with names, and nothing else; a name that nothing here has is an
// error with the nearest one.
func TestRevokeFound(t *testing.T) {
	const project = `{"mcpServers": {"one": {"command": "npx"}, "two": {"command": "npx", "args": ["2"]}}}`
	for name, c := range map[string]struct {
		now  string // the .mcp.json when it is revoked
		name []string
		told []string
		left []string
	}{
		"all":                          {project, nil, []string{"one", "two", "mine"}, []string{"elsewhere"}},
		"by name":                      {project, []string{"two"}, []string{"two"}, []string{"*", "elsewhere", "one"}},
		"of the user's own":            {project, []string{"mine"}, []string{"mine"}, []string{"elsewhere", "one", "two"}},
		"one that is no more":          {`{"mcpServers": {"two": {"command": "npx"}}}`, []string{"one"}, []string{"one"}, []string{"*", "elsewhere", "two"}},
		"changed since":                {strings.ReplaceAll(project, "npx", "other"), []string{"one"}, []string{"one"}, []string{"*", "elsewhere", "two"}},
		"a name that is nowhere":       {project, []string{"one", "twoo"}, nil, []string{"*", "elsewhere", "one", "two"}},
		"a name of another file alone": {project, []string{"elsewhere"}, nil, []string{"*", "elsewhere", "one", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx"}}}`)
			if err := u.Agree(u.reads(project, true).Entries, true); err != nil {
				t.Fatal(err)
			}
			store, _ := u.Store()
			agree(t, store, Subject{File: u.path(".elsewhere"), Server: "elsewhere"})
			cfg := u.reads(c.now, true)
			r, err := store.RevokeFound(cfg, c.name)
			if (err == nil) != (c.told != nil) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.left, u.kept()); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			if err != nil {
				return
			}
			var told []string
			for _, s := range r.Servers {
				if told = append(told, s.Name); s.Trust != report.Untrusted || s.State != report.OK || s.Source == "" {
					t.Errorf("%s is told as %q, %s, of %q", s.Name, s.Trust, s.State, s.Source)
				}
			}
			if diff := cmp.Diff(c.told, told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
	u := newUser(t)
	store, _ := u.Store()
	if _, err := store.RevokeFound(u.reads(project, true), []string{"twoo"}); err == nil || !strings.Contains(err.Error(), `"two"?`) || !strings.Contains(err.Error(), "mcpctl trust --list") {
		t.Errorf("%v, want the nearest name", err)
	}
	u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx"}}}`)
	cfg := u.reads(project, true)
	mine := cfg.Entries[2:]
	for _, want := range []int{0, 1} { // what nobody agreed to, and what somebody agreed to twice
		if r, err := store.RevokeFound(cfg, nil); err != nil || len(r.Servers) != want {
			t.Errorf("%v, told %d times, want %d", err, len(r.Servers), want)
		}
		if err := errors.Join(u.Agree(mine, true), u.Agree(mine, false)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRevokeByAnyName: revoking takes the name of a server, the one that an application has for it, and that of a server
// which its application no longer has.
func TestRevokeByAnyName(t *testing.T) {
	const yaml = "servers: {api: {command: npx}, y: {command: npx, args: ['2']}}\n"
	for name, c := range map[string]struct{ told, left []string }{
		"api":         {[]string{"api"}, []string{"gone", "same", "same", "y"}},
		"same.cursor": {[]string{"same"}, []string{"api", "gone", "same", "y"}},
		"gone":        {[]string{"gone"}, []string{"api", "same", "same", "y"}},
	} {
		u := newUser(t)
		u.writes("project/mcpctl.yaml", yaml)
		u.writes(".cursor/mcp.json", `{"mcpServers": {"gone": {"command": "uvx"}, "same": {"command": "uvx", "args": ["1"]}}}`)
		u.writes(".gemini/settings.json", `{"mcpServers": {"same": {"command": "uvx", "args": ["2"]}}}`)
		cfg := u.reads(`{}`, true)
		u.agrees(cfg.Entries...)
		u.writes(".cursor/mcp.json", `{"mcpServers": {"same": {"command": "uvx", "args": ["1"]}}}`)
		store, _ := u.Store()
		r, err := store.RevokeFound(u.reads(`{}`, true), []string{name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		told := lists.Map(r.Servers, func(s report.Server) string { return s.Name })
		if diff := cmp.Diff([][]string{c.told, c.left}, [][]string{told, u.kept()}); diff != "" {
			t.Errorf("%s: told and left (-want +got):\n%s", name, diff)
		}
	}
}

// TestReport lists agreements, all or those with names, and says what it could not read.
func TestReport(t *testing.T) {
	s := store(t)
	agree(t, s, some)
	agree(t, s, Subject{File: some.File, Server: "other"})
	for want, names := range map[string][]string{"files other": nil, "other": {"other"}, "": {"nobody"}} {
		r := s.Report(names)
		var got []string
		for _, server := range r.Servers {
			if got = append(got, server.Name); server.Source != some.File || server.Since != "2026-07-01" || server.Trust != report.Trusted || server.State != report.OK {
				t.Errorf("%+v", server)
			}
		}
		if strings.Join(got, " ") != want || r.Problems != nil || r.Status != 0 {
			t.Errorf("%q: %q, %q, status %v", names, got, r.Problems, r.Status)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Folder, fileName(some.File, "other")), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.Report(nil); len(r.Servers) != 1 || len(r.Problems) != 1 || r.Status != exit.Incomplete {
		t.Errorf("%d servers, %q, status %v", len(r.Servers), r.Problems, r.Status)
	}
	if _, err := os.Stat(s.Folder); s.Clear() != nil || err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("everything was to be forgotten: %v", err)
	}
}
