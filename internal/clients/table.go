// Package clients knows where applications keep their MCP servers: a table of files by application, scope and operating
// system, every row with the source that it was taken from.
//
// It reads nothing but the names of files. The operating system, the home folder, the environment and the project's folders
// are handed in, so that every system can be asked about on any other.
package clients

// App is one application and its files. Of two servers of one name the one in the earlier row holds.
type App struct {
	ID   string // in names and reports: "claude-code"
	Name string // as people call it: "Claude Code"
	Rows []Row
	Each bool // a row's servers stand beside those of the other rows, also where names are the same
	Deep bool // a row may say of a server of a later row no more than whether it is on

	Settings []Paths // files that say which servers are on, the strongest first
}

// Row is one place where an application keeps servers.
type Row struct {
	Scope   Scope
	Paths   Paths
	Key     string // where in the file, as a path of keys; what stands for any key is written *
	Dialect Dialect
	Source  string // where this row was taken from
	Above   bool   // every folder of the project that has the file counts, the nearest first; otherwise the nearest alone
	Sole    bool   // when the file exists, the application reads none of the rows below
	Beside  bool   // as App.Each, for this row alone
}

// Scope is who a row holds for.
type Scope string

// The scopes, from the strongest word to the weakest.
const (
	Managed   Scope = "managed"   // set by whoever administers the machine
	Local     Scope = "local"     // one user in one project
	Project   Scope = "project"   // everyone in a project
	Container Scope = "container" // everyone in a project's development container
	Custom    Scope = "custom"    // a file that an environment variable names
	User      Scope = "user"      // one user everywhere
	Plugin    Scope = "plugin"    // brought along by something that was installed
	System    Scope = "system"    // everyone on the machine, unless they say otherwise
)

// Paths are the templates of a row's path. "~" is the home folder, "{project}" one of the project's folders,
// "${NAME:-default}" an environment variable; "*" matches inside one element. Slashes stand on every system.
type Paths struct {
	All                 string // on every system that has no own one
	Linux, Mac, Windows string
}

// On is the template for an operating system as runtime.GOOS names it; "" = the application keeps nothing there.
func (p Paths) On(os string) string {
	own := map[string]string{"darwin": p.Mac, "windows": p.Windows}
	path, known := own[os]
	if !known {
		path = p.Linux
	}
	if path == "" {
		return p.All
	}
	return path
}

// Table is all applications, in the order in which reports show them.
func Table() []App {
	return []App{
		claudeCode(), claudeDesktop(), cursor(), vscode("vscode", "VS Code", "Code"), vscode("vscode-insiders", "VS Code Insiders", "Code - Insiders"),
		windsurf(), zed(), gemini(), codex(), opencode(), continueDev(), cline(), roo(), junie(), kiro(), amazonQ(), goose(), lmStudio(), warp(),
		registry(),
	}
}

// Folders of users' settings that several applications share.
const (
	xdgConfig  = "${XDG_CONFIG_HOME:-~/.config}"
	appData    = "${APPDATA:-~/AppData/Roaming}"
	macSupport = "~/Library/Application Support"
	programs   = "${ProgramData:-C:/ProgramData}"
)

// inConfig is a path in the folder where desktop applications keep settings.
func inConfig(rest string) Paths {
	return Paths{Linux: xdgConfig + "/" + rest, Mac: macSupport + "/" + rest, Windows: appData + "/" + rest}
}

// everywhere is the same path on every system.
func everywhere(path string) Paths { return Paths{All: path} }

// inProject is a path in the project.
func inProject(rest string) Paths { return everywhere("{project}/" + rest) }

func claudeDesktop() App {
	return App{ID: "claude-desktop", Name: "Claude Desktop", Rows: []Row{{
		Scope: User, Paths: inConfig("Claude/claude_desktop_config.json"), Key: "mcpServers",
		Source: "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/mcp/common/discovery/nativeMcpDiscoveryAdapters.ts",
	}}}
}

func claudeCode() App {
	const source = "https://code.claude.com/docs/en/mcp"
	state := everywhere("${CLAUDE_CONFIG_DIR:-~}/.claude.json")
	settings := []Paths{
		inProject(".claude/settings.local.json"), inProject(".claude/settings.json"), everywhere("${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json"),
	}
	return App{ID: "claude-code", Name: "Claude Code", Settings: settings, Rows: []Row{
		{Scope: Managed, Sole: true, Key: "mcpServers", Source: source, Paths: Paths{
			Linux: "/etc/claude-code/managed-mcp.json", Mac: "/Library/Application Support/ClaudeCode/managed-mcp.json",
			Windows: "${ProgramFiles:-C:/Program Files}/ClaudeCode/managed-mcp.json",
		}},
		{Scope: Local, Paths: state, Key: "projects.*.mcpServers", Dialect: Projects, Source: source},
		{Scope: Project, Paths: inProject(".mcp.json"), Key: "mcpServers", Source: source},
		{Scope: User, Paths: state, Key: "mcpServers", Source: source},
		{
			Scope: Plugin, Paths: everywhere("${CLAUDE_CONFIG_DIR:-~/.claude}/plugins/installed_plugins.json"), Key: "plugins.*.installPath",
			Dialect: Plugins, Beside: true, Source: "https://github.com/anthropics/claude-code/issues/29671",
		},
	}}
}

func cursor() App {
	const source = "https://cursor.com/docs/context/mcp"
	return App{ID: "cursor", Name: "Cursor", Rows: []Row{
		{Scope: Project, Paths: inProject(".cursor/mcp.json"), Key: "mcpServers", Source: source},
		{Scope: User, Paths: everywhere("~/.cursor/mcp.json"), Key: "mcpServers", Source: source},
	}}
}

// vscode is VS Code or its Insiders; what stands in a project belongs to the first.
func vscode(id, name, folder string) App {
	const source = "https://code.visualstudio.com/docs/copilot/customization/mcp-servers"
	const legacy = "https://github.com/redis/mcp-redis/pull/57"
	const profiles = "https://code.visualstudio.com/docs/getstarted/settings#_profile-settings"
	const folders = "https://code.visualstudio.com/docs/getstarted/settings#_settings-file-locations"
	app := App{ID: id, Name: name, Each: true, Rows: []Row{
		{Scope: User, Paths: inConfig(folder + "/User/mcp.json"), Key: "servers", Dialect: VSCode, Source: folders},
		{Scope: User, Paths: inConfig(folder + "/User/profiles/*/mcp.json"), Key: "servers", Dialect: VSCode, Source: profiles},
		{Scope: User, Paths: inConfig(folder + "/User/settings.json"), Key: "mcp.servers", Dialect: VSCode, Source: legacy},
	}}
	if id == "vscode" {
		app.Rows = append([]Row{
			{Scope: Project, Paths: inProject(".vscode/mcp.json"), Key: "servers", Dialect: VSCode, Source: source},
			{Scope: Project, Paths: inProject(".vscode/settings.json"), Key: "mcp.servers", Dialect: VSCode, Source: legacy},
			{Scope: Container, Paths: inProject(".devcontainer/devcontainer.json"), Key: "customizations.vscode.mcp.servers", Dialect: VSCode, Source: source},
			{Scope: Container, Paths: inProject(".devcontainer.json"), Key: "customizations.vscode.mcp.servers", Dialect: VSCode, Source: source},
		}, app.Rows...)
	}
	return app
}

func windsurf() App {
	return App{ID: "windsurf", Name: "Windsurf", Rows: []Row{{
		Scope: User, Paths: everywhere("~/.codeium/windsurf/mcp_config.json"), Key: "mcpServers",
		Source: "https://docs.windsurf.com/windsurf/cascade/mcp",
	}}}
}

func zed() App {
	const source = "https://github.com/zed-industries/zed/blob/main/crates/paths/src/paths.rs"
	return App{ID: "zed", Name: "Zed", Rows: []Row{
		{Scope: Project, Paths: inProject(".zed/settings.json"), Key: "context_servers", Dialect: Zed, Source: source},
		{Scope: User, Key: "context_servers", Dialect: Zed, Source: source, Paths: Paths{
			Linux: "${FLATPAK_XDG_CONFIG_HOME:-" + xdgConfig + "}/zed/settings.json", Mac: "~/.config/zed/settings.json",
			Windows: appData + "/Zed/settings.json",
		}},
	}}
}

func gemini() App {
	const source = "https://github.com/google-gemini/gemini-cli/blob/main/packages/cli/src/config/settings.ts"
	return App{ID: "gemini", Name: "Gemini CLI", Rows: []Row{
		{Scope: Managed, Key: "mcpServers", Dialect: Gemini, Source: source, Paths: geminiSystem("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "settings.json")},
		{Scope: Project, Paths: inProject(".gemini/settings.json"), Key: "mcpServers", Dialect: Gemini, Source: source},
		{Scope: User, Paths: everywhere("~/.gemini/settings.json"), Key: "mcpServers", Dialect: Gemini, Source: source},
		{Scope: System, Key: "mcpServers", Dialect: Gemini, Source: source, Paths: geminiSystem("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "system-defaults.json")},
		{
			Scope: Plugin, Paths: everywhere("~/.gemini/extensions/*/gemini-extension.json"), Key: "mcpServers", Dialect: Gemini,
			Source: "https://geminicli.com/docs/extensions/reference.md",
		},
	}}
}

func geminiSystem(variable, file string) Paths {
	or := "${" + variable + ":-"
	return Paths{
		Linux: or + "/etc/gemini-cli/" + file + "}", Mac: or + "/Library/Application Support/GeminiCli/" + file + "}",
		Windows: or + "C:/ProgramData/gemini-cli/" + file + "}",
	}
}

func codex() App {
	const source = "https://developers.openai.com/codex/mcp"
	return App{ID: "codex", Name: "Codex CLI", Deep: true, Rows: []Row{
		{Scope: Project, Above: true, Paths: inProject(".codex/config.toml"), Key: "mcp_servers", Dialect: Codex, Source: source},
		{Scope: User, Paths: everywhere("${CODEX_HOME:-~/.codex}/config.toml"), Key: "mcp_servers", Dialect: Codex, Source: source},
		{Scope: System, Key: "mcp_servers", Dialect: Codex, Source: "https://github.com/openai/codex/blob/main/codex-rs/config/src/loader/mod.rs", Paths: Paths{
			Linux: "/etc/codex/config.toml", Mac: "/etc/codex/config.toml", Windows: programs + "/OpenAI/Codex/config.toml",
		}},
	}}
}

func opencode() App {
	const source = "https://opencode.ai/docs/config/"
	app := App{ID: "opencode", Name: "OpenCode", Deep: true}
	add := func(scope Scope, paths func(file string) Paths) {
		for _, file := range []string{"opencode.jsonc", "opencode.json"} {
			app.Rows = append(app.Rows, Row{Scope: scope, Above: scope == Project, Paths: paths(file), Key: "mcp", Dialect: OpenCode, Source: source})
		}
	}
	add(Managed, func(file string) Paths {
		return Paths{Linux: "/etc/opencode/" + file, Mac: "/Library/Application Support/opencode/" + file, Windows: programs + "/opencode/" + file}
	})
	add(Project, func(file string) Paths { return inProject(".opencode/" + file) })
	add(Project, inProject)
	app.Rows = append(app.Rows, Row{Scope: Custom, Paths: everywhere("${OPENCODE_CONFIG}"), Key: "mcp", Dialect: OpenCode, Source: source})
	add(User, func(file string) Paths { return everywhere(xdgConfig + "/opencode/" + file) })
	return app
}

func continueDev() App {
	const source = "https://docs.continue.dev/customize/deep-dives/mcp"
	return App{ID: "continue", Name: "Continue", Each: true, Rows: []Row{
		{Scope: Project, Paths: inProject(".continue/mcpServers/*.yaml"), Key: "mcpServers", Dialect: Continue, Source: source},
		{Scope: Project, Paths: inProject(".continue/mcpServers/*.yml"), Key: "mcpServers", Dialect: Continue, Source: source},
		{Scope: Project, Paths: inProject(".continue/mcpServers/*.json"), Key: "mcpServers", Source: source},
		{Scope: User, Paths: everywhere("${CONTINUE_GLOBAL_DIR:-~/.continue}/config.yaml"), Key: "mcpServers", Dialect: Continue, Source: source},
	}}
}

// inVSCode is a path in the folder of an extension of VS Code, for each of its two editions.
func inVSCode(rest string, row Row) []Row {
	stable, insiders := row, row
	stable.Paths = inConfig("Code/User/globalStorage/" + rest)
	insiders.Paths = inConfig("Code - Insiders/User/globalStorage/" + rest)
	return []Row{stable, insiders}
}

func cline() App {
	const source = "https://docs.cline.bot/getting-started/config"
	row := Row{Scope: User, Key: "mcpServers", Dialect: Seconds, Source: "https://docs.ionos.com/cloud/ai/mcp-server/connect-to-an-ai-client/cline"}
	return App{ID: "cline", Name: "Cline", Rows: append(
		[]Row{{Scope: User, Paths: everywhere("${CLINE_DIR:-~/.cline}/data/settings/cline_mcp_settings.json"), Key: "mcpServers", Dialect: Seconds, Source: source}},
		inVSCode("saoudrizwan.claude-dev/settings/cline_mcp_settings.json", row)...,
	)}
}

func roo() App {
	const source = "https://docs.roocode.com/features/mcp/using-mcp-in-roo"
	row := Row{Scope: User, Key: "mcpServers", Dialect: Seconds, Source: "https://gist.github.com/danielrosehill/ec279319741ed74143052ddce9132b1e"}
	return App{ID: "roo", Name: "Roo Code", Rows: append(
		[]Row{{Scope: Project, Paths: inProject(".roo/mcp.json"), Key: "mcpServers", Dialect: Seconds, Source: source}},
		inVSCode("rooveterinaryinc.roo-cline/settings/mcp_settings.json", row)...,
	)}
}

func junie() App {
	const source = "https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html"
	return App{ID: "junie", Name: "Junie", Rows: []Row{
		{Scope: Project, Paths: inProject(".junie/mcp/mcp.json"), Key: "mcpServers", Source: source},
		{Scope: User, Paths: everywhere("~/.junie/mcp/mcp.json"), Key: "mcpServers", Source: source},
	}}
}

func kiro() App {
	const source = "https://kiro.dev/docs/mcp/configuration"
	return App{ID: "kiro", Name: "Kiro", Rows: []Row{
		{Scope: Project, Paths: inProject(".kiro/settings/mcp.json"), Key: "mcpServers", Source: source},
		{Scope: User, Paths: everywhere("~/.kiro/settings/mcp.json"), Key: "mcpServers", Source: source},
	}}
}

func amazonQ() App {
	const ide = "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/mcp-ide.html"
	const cli = "https://github.com/aws/amazon-q-developer-cli/blob/main/docs/agent-file-locations.md"
	row := func(scope Scope, path, source string) Row {
		return Row{Scope: scope, Paths: everywhere(path), Key: "mcpServers", Source: source}
	}
	return App{ID: "amazon-q", Name: "Amazon Q Developer", Rows: []Row{
		row(Project, "{project}/.amazonq/default.json", ide),
		row(Project, "{project}/.amazonq/mcp.json", ide),
		row(Project, "{project}/.amazonq/cli-agents/*.json", cli),
		row(User, "~/.aws/amazonq/default.json", ide),
		row(User, "~/.aws/amazonq/agents/default.json", "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/qdev-mcp.html"),
		row(User, "~/.aws/amazonq/mcp.json", ide),
		row(User, "~/.aws/amazonq/cli-agents/*.json", cli),
	}}
}

func goose() App {
	return App{ID: "goose", Name: "goose", Rows: []Row{{
		Scope: User, Key: "extensions", Dialect: Goose, Source: "https://block.github.io/goose/docs/guides/config-files",
		Paths: Paths{Linux: xdgConfig + "/goose/config.yaml", Mac: xdgConfig + "/goose/config.yaml", Windows: appData + "/Block/goose/config/config.yaml"},
	}}}
}

func lmStudio() App {
	return App{ID: "lm-studio", Name: "LM Studio", Rows: []Row{{
		Scope: User, Paths: everywhere("~/.lmstudio/mcp.json"), Key: "mcpServers", Source: "https://lmstudio.ai/docs/app/mcp",
	}}}
}

func warp() App {
	const source = "https://github.com/warpdotdev/docs/blob/main/src/content/docs/agent-platform/capabilities/mcp.mdx"
	app := App{ID: "warp", Name: "Warp", Each: true}
	for _, folder := range []string{".warp", ".agents"} {
		app.Rows = append(app.Rows,
			Row{Scope: Project, Paths: inProject(folder + "/.mcp.json"), Key: "mcpServers", Dialect: Warp, Source: source},
			Row{Scope: User, Paths: everywhere("~/" + folder + "/.mcp.json"), Key: "mcpServers", Dialect: Warp, Source: source})
	}
	return app
}

func registry() App {
	return App{ID: "registry", Name: "MCP registry", Rows: []Row{{
		Scope: Project, Paths: inProject("server.json"), Key: "packages, remotes", Dialect: Registry,
		Source: "https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md",
	}}}
}
