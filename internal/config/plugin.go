package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
)

// maxPlugins bounds how many installations of plugins are looked at.
const maxPlugins = 200

// plugins are the servers that Claude Code's plugins bring along, as its list of installed plugins says. One that no
// settings switch on is off.
func (d *discovery) plugins(file clients.File, root value) []Entry {
	list, _ := root.get("plugins")
	var entries []Entry
	looked := 0
	for _, plugin := range list.value.fields {
		on := d.pluginOn(file.App, plugin.key)
		for _, installed := range installations(plugin.value) {
			folder := member(installed, "installPath")
			if looked++; looked > maxPlugins || !filepath.IsAbs(folder) || !d.concerns(installed) {
				continue
			}
			more := d.plugin(file, filepath.Clean(folder))
			for i := range more {
				more[i].Disabled = more[i].Disabled || !on
			}
			entries = append(entries, more...)
		}
	}
	return placed(file, entries)
}

// installations are the places of a plugin; the list had one only at first.
func installations(plugin value) []value {
	if plugin.kind == list {
		return plugin.items
	}
	return []value{plugin}
}

// concerns is whether an installation is for every project or for this one.
func (d *discovery) concerns(installed value) bool {
	project := member(installed, "projectPath")
	return project == "" || slices.Contains(d.host.Projects, filepath.Clean(project))
}

// pluginOn is what the strongest of the settings says that knows the plugin.
func (d *discovery) pluginOn(app clients.App, id string) bool {
	for _, path := range d.host.Settings(app) {
		for _, switches := range at(d.open(path).root, []string{"enabledPlugins"}) {
			if f, ok := switches.value.get(id); ok {
				return f.value.text == "true"
			}
		}
	}
	return false
}

// plugin is the servers of one plugin's folder: of its .mcp.json, and of its manifest or the files that that names.
func (d *discovery) plugin(file clients.File, folder string) []Entry {
	entries := d.pluginFile(file, folder, ".mcp.json")
	manifest := filepath.Join(folder, ".claude-plugin", "plugin.json")
	doc := d.open(manifest)
	servers, ok := doc.root.get("mcpServers")
	switch {
	case doc.state == Broken:
		d.look(Looked{App: file.App.Name, Scope: string(file.Row.Scope), Path: d.in.present(manifest), State: Broken, Problem: doc.wrong})
	case !ok:
	case servers.value.kind == object:
		entries = append(entries, d.pluginFile(file, folder, filepath.Join(".claude-plugin", "plugin.json"))...)
	default:
		for _, item := range append(slices.Clone(servers.value.items), servers.value) {
			if item.kind == text && filepath.Clean(item.text) != ".mcp.json" {
				entries = append(entries, d.pluginFile(file, folder, item.text)...)
			}
		}
	}
	return entries
}

// pluginFile is the servers of one file of a plugin, which must be inside of it.
func (d *discovery) pluginFile(file clients.File, folder, name string) []Entry {
	name = filepath.FromSlash(strings.TrimPrefix(name, "${CLAUDE_PLUGIN_ROOT}/"))
	if !filepath.IsLocal(name) {
		return nil
	}
	file.Path = filepath.Join(folder, name)
	looked := Looked{App: file.App.Name, Scope: string(file.Row.Scope), Path: d.in.present(file.Path)}
	doc := d.open(file.Path)
	if looked.State, looked.Problem = doc.state, doc.wrong; doc.state == Absent {
		return nil
	}
	s := d.scopeOf(file)
	s.folder, s.known["CLAUDE_PLUGIN_ROOT"] = folder, folder
	file.Row.Key, file.Row.Dialect = "mcpServers", clients.Shared
	var entries []Entry
	if doc.state == Read {
		var wrong []Problem
		if entries, wrong = s.rowServers(file, doc.root, nil); len(wrong) > 0 {
			looked.State, looked.Problem = Broken, &wrong[0]
		}
	}
	looked.Servers = len(entries)
	d.look(looked)
	return entries
}
