package clients

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
