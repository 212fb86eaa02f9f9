package clients

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
