package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var systems = []string{"linux", "darwin", "windows"}

// TestTableIsWhole: every application has an id that is fit for names, and every row says where, on which system, and who
// says so.
func TestTableIsWhole(t *testing.T) {
	ids := map[string]bool{}
	for _, app := range Table() {
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(app.ID) || ids[app.ID] || app.Name == "" ||
			len(app.Rows)+len(app.Dialect) == 0 {
			t.Errorf("%+v: an id twice, or something is missing", app)
		}
		if keys := app.Tools; keys != (ToolKeys{}) && !strings.HasPrefix(keys.Source, "https://") {
			t.Errorf("%s: no source for the keys of tools", app.ID)
		}
		ids[app.ID] = true
		seen := map[string]bool{}
		for i, row := range app.Rows {
			if row.Scope == "" || row.Key == "" || !strings.HasPrefix(row.Source, "https://") {
				t.Errorf("%s row %d has no scope, key or source", app.ID, i)
			}
			for _, system := range systems {
				path := row.Paths.On(system)
				place := system + " " + path + " " + row.Key
				if path == "" || strings.Contains(path, `\`) || seen[place] {
					t.Errorf("%s row %d has the path %q on %s: none, one twice, or one with backslashes", app.ID, i, path, system)
				}
				seen[place] = true
			}
		}
	}
	if len(ids) < 19 {
		t.Errorf("only %d applications", len(ids))
	}
}

// paths are the files of one application on a machine with nothing on its disk, by scope.
func paths(h Host, id string) (found []string) {
	table := Table()
	app := table[slices.IndexFunc(table, func(a App) bool { return a.ID == id })]
	for _, f := range h.Files(app) {
		found = append(found, string(f.Row.Scope)+" "+filepath.ToSlash(f.Path))
	}
	return found
}

// TestPaths: the right folders on each system, with and without the variables that move them.
func TestPaths(t *testing.T) {
	linux := Host{OS: "linux", Home: "/home/me", Projects: []string{"/work/p"}}
	mac := Host{OS: "darwin", Home: "/Users/me", Projects: []string{"/work/p"}}
	windows := Host{OS: "windows", Home: `C:\Users\me`, Projects: []string{"C:/p"}}
	moved := func(h Host, pairs ...string) Host {
		h.Lookup = func(name string) (string, bool) {
			i := slices.Index(pairs, name)
			if i < 0 {
				return "", false
			}
			return pairs[i+1], true
		}
		return h
	}
	for _, test := range []struct {
		name string
		host Host
		id   string
		want []string
	}{
		{"linux", linux, "claude-desktop", []string{"user /home/me/.config/Claude/claude_desktop_config.json"}},
		{"linux xdg", moved(linux, "XDG_CONFIG_HOME", "/xdg/"), "claude-desktop", []string{"user /xdg/Claude/claude_desktop_config.json"}},
		{"mac", mac, "claude-desktop", []string{"user /Users/me/Library/Application Support/Claude/claude_desktop_config.json"}},
		{"mac knows no xdg", moved(mac, "XDG_CONFIG_HOME", "/xdg"), "claude-desktop",
			[]string{"user /Users/me/Library/Application Support/Claude/claude_desktop_config.json"}},
		{"windows", windows, "claude-desktop", []string{"user C:/Users/me/AppData/Roaming/Claude/claude_desktop_config.json"}},
		{"windows appdata", moved(windows, "APPDATA", `D:\Roaming\`), "claude-desktop",
			[]string{"user D:/Roaming/Claude/claude_desktop_config.json"}},
		{"linux", linux, "claude-code", []string{
			"managed /etc/claude-code/managed-mcp.json", "local /home/me/.claude.json", "project /work/p/.mcp.json",
			"user /home/me/.claude.json", "plugin /home/me/.claude/plugins/installed_plugins.json",
		}},
		{"mac moved", moved(mac, "CLAUDE_CONFIG_DIR", "/c"), "claude-code", []string{
			"managed /Library/Application Support/ClaudeCode/managed-mcp.json", "local /c/.claude.json", "project /work/p/.mcp.json",
			"user /c/.claude.json", "plugin /c/plugins/installed_plugins.json",
		}},
		{"windows", moved(windows, "ProgramFiles", `E:\Programs`), "claude-code", []string{
			"managed E:/Programs/ClaudeCode/managed-mcp.json", "local C:/Users/me/.claude.json", "project C:/p/.mcp.json",
			"user C:/Users/me/.claude.json", "plugin C:/Users/me/.claude/plugins/installed_plugins.json",
		}},
		{"linux", linux, "vscode-insiders", []string{
			"user /home/me/.config/Code - Insiders/User/mcp.json", "user /home/me/.config/Code - Insiders/User/settings.json",
		}},
		{"mac", mac, "zed", []string{"project /work/p/.zed/settings.json", "user /Users/me/.config/zed/settings.json"}},
		{"flatpak before xdg", moved(linux, "FLATPAK_XDG_CONFIG_HOME", "/f", "XDG_CONFIG_HOME", "/x"), "zed",
			[]string{"project /work/p/.zed/settings.json", "user /f/zed/settings.json"}},
		{"xdg", moved(linux, "XDG_CONFIG_HOME", "/x"), "zed", []string{"project /work/p/.zed/settings.json", "user /x/zed/settings.json"}},
		{"windows", windows, "zed", []string{"project C:/p/.zed/settings.json", "user C:/Users/me/AppData/Roaming/Zed/settings.json"}},
		{"moved", moved(linux, "CODEX_HOME", "/codex"), "codex",
			[]string{"project /work/p/.codex/config.toml", "user /codex/config.toml", "system /etc/codex/config.toml"}},
		{"windows variables in capitals", moved(windows, "PROGRAMDATA", `D:\Data`), "codex", []string{
			"project C:/p/.codex/config.toml", "user C:/Users/me/.codex/config.toml", "system D:/Data/OpenAI/Codex/config.toml",
		}},
		{"relative", moved(linux, "OPENCODE_CONFIG", "my.json"), "opencode", []string{
			"managed /etc/opencode/opencode.jsonc", "managed /etc/opencode/opencode.json",
			"project /work/p/.opencode/opencode.jsonc", "project /work/p/.opencode/opencode.json",
			"project /work/p/opencode.jsonc", "project /work/p/opencode.json", "custom /work/p/my.json",
			"user /home/me/.config/opencode/opencode.jsonc", "user /home/me/.config/opencode/opencode.json",
		}},
		{"mac", mac, "goose", []string{"user /Users/me/.config/goose/config.yaml"}},
		{"windows", windows, "goose", []string{"user C:/Users/me/AppData/Roaming/Block/goose/config/config.yaml"}},
		{"windows", windows, "gemini", []string{
			"managed C:/ProgramData/gemini-cli/settings.json", "project C:/p/.gemini/settings.json",
			"user C:/Users/me/.gemini/settings.json",
			"system C:/ProgramData/gemini-cli/system-defaults.json",
		}},
		{"no home", Host{OS: "linux", Projects: []string{"/work/p"}}, "cursor", []string{"project /work/p/.cursor/mcp.json"}},
		{"in the home folder", Host{OS: "linux", Home: "/home/me", Projects: []string{"/home/me"}}, "cursor",
			[]string{"user /home/me/.cursor/mcp.json"}},
		{"nowhere", Host{OS: "linux", Home: "/home/me"}, "cursor", []string{"user /home/me/.cursor/mcp.json"}},
	} {
		if diff := cmp.Diff(test.want, paths(test.host, test.id)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.id, test.name, diff)
		}
	}
}

// TestNearestFolder: of the folders of a project the nearest that has the file decides.
func TestNearestFolder(t *testing.T) {
	top := t.TempDir()
	below := filepath.Join(top, "a", "b")
	for _, file := range []string{"a/.cursor/mcp.json", ".cursor/mcp.json", ".kiro/settings/mcp.json"} {
		write(t, filepath.Join(top, file))
	}
	h := Host{OS: "linux", Projects: []string{below, filepath.Dir(below), top}}
	want := []string{"project " + filepath.ToSlash(top) + "/a/.cursor/mcp.json"}
	if diff := cmp.Diff(want, paths(h, "cursor")); diff != "" {
		t.Error(diff)
	}
	want = []string{"project " + filepath.ToSlash(top) + "/.kiro/settings/mcp.json"}
	if diff := cmp.Diff(want, paths(h, "kiro")); diff != "" {
		t.Error(diff)
	}
	write(t, filepath.Join(top, ".codex", "config.toml"))
	write(t, filepath.Join(below, ".codex", "config.toml"))
	want = []string{
		"project " + filepath.ToSlash(below) + "/.codex/config.toml", "project " + filepath.ToSlash(top) + "/.codex/config.toml",
		"system /etc/codex/config.toml",
	}
	if diff := cmp.Diff(want, paths(h, "codex")); diff != "" {
		t.Error(diff)
	}
	want = []string{"project " + filepath.ToSlash(below) + "/.junie/mcp/mcp.json"}
	if diff := cmp.Diff(want, paths(h, "junie")); diff != "" {
		t.Error(diff)
	}
}

// TestPatterns: profiles and folders of files are found by their names, in a home folder whose name looks like a pattern.
func TestPatterns(t *testing.T) {
	home := filepath.Join(t.TempDir(), "me[1]")
	for _, file := range []string{
		".config/Code/User/profiles/b/mcp.json", ".config/Code/User/profiles/a/mcp.json", ".config/Code/User/profiles/empty/other.json",
	} {
		write(t, filepath.Join(home, file))
	}
	h := Host{OS: "linux", Home: home}
	base := filepath.ToSlash(home) + "/.config/Code/User/"
	want := []string{"user " + base + "mcp.json", "user " + base + "profiles/a/mcp.json", "user " + base + "profiles/b/mcp.json",
		"user " + base + "settings.json"}
	if diff := cmp.Diff(want, paths(h, "vscode")); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestProjectFolder: relative paths in every file of a project in the table start in the project.
func TestProjectFolder(t *testing.T) {
	for _, app := range Table() {
		for _, row := range app.Rows {
			for _, system := range systems {
				inside, ok := strings.CutPrefix(row.Paths.On(system), "{project}/")
				path := filepath.Join("/work", filepath.FromSlash(strings.ReplaceAll(inside, "*", "x")))
				if got := filepath.ToSlash(ProjectFolder(path)); ok && got != "/work" {
					t.Errorf("%s starts servers of %s in %s", app.ID, inside, got)
				}
			}
		}
	}
	for path, want := range map[string]string{
		"/work/mcp.json": "/work", "/home/.codeium/windsurf/mcp_config.json": "/home", "/work/settings/mcp.json": "/work/settings",
	} {
		if got := filepath.ToSlash(ProjectFolder(filepath.FromSlash(path))); got != want {
			t.Errorf("ProjectFolder(%s) = %s, want %s", path, got, want)
		}
	}
}
