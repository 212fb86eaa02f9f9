package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
)

// document is a file of an application, read once for all that is looked up in it.
type document struct {
	root  value
	state LookedState
	wrong *Problem // of a broken one
}

// open reads a file, whatever somebody put there: pipes, devices, endless files and links in a circle are problems.
func (d *discovery) open(path string) document {
	if doc, ok := d.seen[path]; ok {
		return doc
	}
	doc := d.parsed(path)
	d.seen[path] = doc
	return doc
}

func (d *discovery) parsed(path string) document {
	if _, err := os.Lstat(path); err != nil {
		return document{state: Absent}
	}
	shown := d.in.present(path)
	data, err := readRegular(path)
	if d.bytes += len(data); err == nil && d.bytes > maxDiscoveredBytes {
		err = fmt.Errorf("more than %d MiB with those before", maxDiscoveredBytes>>20)
	}
	if err != nil {
		return document{state: Broken, wrong: &Problem{File: shown, Message: "reading the file: " + err.Error(), Hint: "the other files were read"}}
	}
	if strings.TrimSpace(string(data)) == "" { // some applications leave such
		return document{state: Read, root: value{kind: object, line: 1}}
	}
	root, wrong := syntaxOf(path)(data)
	if wrong == nil && root.kind != object {
		wrong = &syntaxError{root.line, "the file must be an object, but is " + root.kind.String(), "the application expects one, too"}
	}
	if wrong != nil {
		return document{state: Broken, wrong: &Problem{File: shown, Line: wrong.line, Message: wrong.message, Hint: wrong.hint}}
	}
	return document{state: Read, root: root}
}

// rowServers are the servers that a row of the table finds in its file. None is no problem: it is a file of settings.
func (s scope) rowServers(file clients.File, root value, projects []string) ([]Entry, []Problem) {
	s.asked = inputList(root)
	s.inputs = inputs(s.asked)
	r := &reader{file: s.file}
	var entries []Entry
	if project, ok := projectOf(root, projects); ok && file.Row.Dialect == clients.Projects { // each project may have one of that name
		s.folder, s.owner = project.key, " in "+project.key
	}
	for _, servers := range s.sections(file.Row, root, projects) {
		if file.Row.Dialect == clients.Continue {
			servers = named(servers)
		}
		if servers.value.kind == null || !r.want(servers, object) {
			continue
		}
		more := s.servers(servers.value)
		for i, f := range servers.value.fields {
			more[i].switches = file.App.Deep && isSwitch(f.value)
		}
		entries = append(entries, more...)
	}
	if file.Row.Dialect == clients.Registry && isRegistry(root) {
		entries = s.registry(root)
	}
	return entries, r.problems
}

// sections are the members of a file that hold servers.
func (s scope) sections(row clients.Row, root value, projects []string) []field {
	path := strings.Split(row.Key, ".")
	found := at(root, path)
	switch {
	case row.Dialect == clients.Projects:
		project, _ := projectOf(root, projects)
		return at(project.value, []string{"mcpServers"})
	case row.Dialect == clients.OpenCode:
		if deeper := at(root, []string{"mcp", "servers"}); len(deeper) > 0 && isOpenCode(deeper[0].value) {
			return deeper
		}
	case len(found) == 0 && isFlat(root):
		return []field{{"", root.line, root}}
	}
	return found
}

// isSwitch is whether a server says nothing but whether one of its name is on.
func isSwitch(server value) bool {
	for _, f := range server.fields {
		if f.key != "enabled" && f.key != "disabled" {
			return false
		}
	}
	return len(server.fields) > 0
}
