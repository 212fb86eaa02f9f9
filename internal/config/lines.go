package config

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
)

// NotableMeans says what an exclamation mark in Lines means.
const NotableMeans = "! follows addresses of this machine and variables that runtimes obey"

// Lines returns effects as lines for people, escaped for a terminal: the command line or URL first.
// Nothing is left out. An exclamation mark follows what runtimes obey and addresses of this machine.
func (x Effects) Lines() []string {
	marked := func(name string) string {
		if slices.Contains(x.Notable, name) {
			return " !"
		}
		return ""
	}
	lines := []string{x.Line() + marked("url")}
	list := func(says string, all []string) {
		if len(all) > 0 {
			lines = append(lines, says+strings.Join(all, ", "))
		}
	}
	each := func(says string, all []string) {
		for _, text := range all {
			lines = append(lines, says+text)
		}
	}
	assigned := func(pair string) string {
		name, value, _ := strings.Cut(pair, "=")
		if pair == name {
			return name
		}
		return printable.ShellWord(name) + "=" + ShellWord(value) + marked(name)
	}
	each("has an address that is not ASCII: ", kit.Filter(kit.Map(x.Addresses, printable.ASCII),
		func(host string) bool { return !slices.Contains(x.Addresses, host) }))
	list("receives ", kit.Filter(x.Receives,
		func(name string) bool { return name != "the variables of "+x.Reads }))
	list("sets ", kit.Map(x.Sets, assigned))
	each("sends ", x.Sends)
	list("logs in with ", kit.Map(x.Login, assigned))
	if x.Reads != "" {
		lines = append(lines,
			"reads "+x.Reads+": whatever it holds when the server starts, also what changes the program")
	}
	list("gets your settings ", x.Passes)
	if x.Dir != "" {
		lines = append(lines, "in "+x.Dir)
	}
	each("for credentials runs ", x.Runs)
	each("asks for ", x.Asks)
	each("in the sandbox: ", x.Sandbox)
	switch names := kit.And(x.Settings, len(x.Settings)); {
	case len(x.Settings) == 1 && !strings.Contains(names, " "):
		lines = append(lines, "this project's "+names+" decides what runs")
	case len(x.Settings) > 1:
		lines = append(lines, "this project's "+names+" decide what runs")
	case names != "":
		lines = append(lines, names+" decide what runs")
	}
	each("needs ", x.Lacks)
	return kit.Map(lines, printable.Message)
}

// Line returns what is started as one would type it, or the URL.
func (x Effects) Line() string {
	if len(x.Starts) > 0 {
		return strings.Join(kit.Map(x.Starts, ShellWord), " ")
	}
	return x.Contacts
}

// masked matches how redact.Declared shows a secret.
var masked = kit.Pattern(`^[*]{3} [(][0-9]+ characters[)]$`)

// ShellWord returns a value as a shell takes it; a masked one as it is.
func ShellWord(value string) string {
	if masked().MatchString(value) {
		return value
	}
	return printable.ShellWord(value)
}
