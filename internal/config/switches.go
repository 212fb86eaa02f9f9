package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
)

// switchOff disables the servers that the application's own switches disable, wherever those are kept.
func (d *discovery) switchOff(app clients.App, files []clients.File, entries []Entry) {
	off := func(Entry) (off, yields bool) { return false, false }
	switch app.ID {
	case "claude-code":
		off = d.claudeSwitches(app, files)
	case "gemini":
		off = d.geminiSwitches(files)
	case "amazon-q":
		off = d.amazonSwitches(files)
	}
	for i := range entries {
		e := &entries[i]
		isOff, yields := off(*e)
		if e.Disabled, e.yields = e.Disabled || isOff, yields; e.Disabled {
			e.Places[0].State = "disabled"
		}
	}
}

// claudeSwitches are what Claude Code keeps per project, and what settings say of the servers of .mcp.json: those that were
// refused do not stand in the way of the user's own.
func (d *discovery) claudeSwitches(app clients.App, files []clients.File) func(Entry) (off, yields bool) {
	var everywhere, shared []string
	for _, file := range files {
		if file.Row.Dialect == clients.Projects {
			project, _ := projectOf(d.open(file.Path).root, d.host.Projects)
			everywhere, shared = texts(project.value, "disabledMcpServers"), texts(project.value, "disabledMcpjsonServers")
		}
	}
	for _, path := range d.host.Settings(app) {
		shared = append(shared, texts(d.open(path).root, "disabledMcpjsonServers")...)
	}
	return func(e Entry) (off, yields bool) {
		yields = e.Places[0].Scope == string(clients.Project) && slices.Contains(shared, e.Server.Name)
		return yields || slices.Contains(everywhere, e.Server.Name), yields
	}
}

// geminiSwitches are mcp.allowed and mcp.excluded, each of the strongest file that has it.
func (d *discovery) geminiSwitches(files []clients.File) func(Entry) (off, yields bool) {
	var allowed, excluded *field
	for _, file := range files {
		if file.Row.Scope == clients.Plugin {
			continue
		}
		for _, mcp := range at(d.open(file.Path).root, []string{"mcp"}) {
			if f, ok := mcp.value.get("allowed"); ok && allowed == nil && len(f.value.items) > 0 {
				allowed = &f
			}
			if f, ok := mcp.value.get("excluded"); ok && excluded == nil {
				excluded = &f
			}
		}
	}
	has := func(f *field, name string) bool {
		return f != nil && slices.ContainsFunc(f.value.items, func(item value) bool { return item.text == name })
	}
	return func(e Entry) (off, yields bool) {
		return allowed != nil && !has(allowed, e.Server.Name) || has(excluded, e.Server.Name), false
	}
}

// amazonSwitches leave mcp.json files out when the user's default agent does.
func (d *discovery) amazonSwitches(files []clients.File) func(Entry) (off, yields bool) {
	ignored := slices.ContainsFunc(files, func(file clients.File) bool {
		isDefault := file.Row.Scope == clients.User && filepath.Base(file.Path) == "default.json"
		return isDefault && member(d.open(file.Path).root, "useLegacyMcpJson") == "false"
	})
	return func(e Entry) (off, yields bool) {
		legacy := ignored && filepath.Base(e.File) == "mcp.json"
		return legacy, legacy
	}
}

// texts are the texts of a list.
func texts(of value, key string) []string {
	f, _ := of.get(key)
	var out []string
	for _, item := range f.value.items {
		out = append(out, item.text)
	}
	return out
}

// projectOf is what Claude Code keeps of the nearest folder of this project; its key is that folder.
func projectOf(root value, folders []string) (field, bool) {
	projects, _ := root.get("projects")
	for _, folder := range folders {
		real := files.RealPath(folder)
		for _, f := range projects.value.fields {
			path := filepath.Clean(filepath.FromSlash(f.key))
			if path == folder || path == real || filepath.Separator == '\\' && strings.EqualFold(path, folder) {
				return field{folder, f.line, f.value}, true
			}
		}
	}
	return field{}, false
}
