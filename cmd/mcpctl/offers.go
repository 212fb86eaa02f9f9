package main

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/signature"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// What follows offers words from files alone: the configuration, saved snapshots, saved reports.

func (l *line) servers() []candidate {
	cfg, _ := fleet.Read(context.Background(), l.Process, l.Select)
	if cfg == nil {
		return nil
	}
	var offers []candidate
	for _, e := range cfg.Entries {
		d := e.Describe()
		about := strings.TrimSpace(d.URL + " " + strings.Join(d.Command, " "))
		for _, name := range e.Names() {
			if o := (candidate{name, about}); !slices.ContainsFunc(offers, func(known candidate) bool { return known.value == name }) {
				offers = append(offers, o)
			}
		}
	}
	return offers
}

// The bounds of looking for reports in the current folder.
const (
	mostReports = 20
	maxReport   = 8 << 20 // bytes
)

// fingerprints are those of the findings in the reports of the current folder that were saved as JSON.
func (l *line) fingerprints() []candidate {
	entries, _ := os.ReadDir(l.Dir)
	var offers []candidate
	looked := 0
	for _, entry := range entries {
		if looked >= mostReports || filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		looked++
		data, err := files.ReadRegular(filepath.Join(l.Dir, entry.Name()), maxReport)
		if err != nil || !bytes.Contains(data, []byte(`"fingerprint"`)) {
			continue
		}
		r, err := report.Parse(data)
		if err != nil {
			continue
		}
		for _, f := range r.Findings {
			offers = append(offers, candidate{f.Fingerprint(), f.Server + " " + f.Item + ": " + f.Message})
		}
	}
	return offers
}

// saved is the snapshot of the server that a SOURCE names, as it was saved; nil when there is none.
func (l *line) saved(word string) *snapshot.Snapshot {
	from, name := source.Parse(word), word
	switch from.Kind {
	case source.Path:
		one, err := source.ReadFile(context.Background(), l.Process, word)
		if err != nil {
			return nil
		}
		return one.Snapshot
	case source.URL:
		server, _ := config.FromURL(word)
		name = server.Name
	case source.Package:
		ref, _, _ := packages.Parse(word)
		name = ref.Name
	case source.Configured:
	default:
		return nil
	}
	cfg, _ := fleet.Read(context.Background(), l.Process, l.Select)
	if cfg == nil || name == "" {
		return nil
	}
	one, err := source.ReadFile(context.Background(), l.Process, compare.SavedFile(cfg.Project.Snapshots, name))
	if err != nil {
		return nil
	}
	return one.Snapshot
}

// kindsOf are the kinds of item that a command about items takes.
func kindsOf(command string) []snapshot.Kind {
	switch command {
	case "call":
		return []snapshot.Kind{snapshot.Tools}
	case "prompt":
		return []snapshot.Kind{snapshot.Prompts}
	case "read":
		return []snapshot.Kind{snapshot.Resources, snapshot.Templates}
	case "complete":
		return []snapshot.Kind{snapshot.Prompts, snapshot.Templates}
	}
	return snapshot.Kinds()
}

func (l *line) itemOffers(kinds []snapshot.Kind, current string) []candidate {
	s := l.saved(l.words[0])
	if s == nil {
		return nil
	}
	name := l.command.Name
	if len(l.words) > 1 && name != "show" {
		return l.argumentOffers(s, kinds, current)
	}
	var offers []candidate
	for _, kind := range kinds {
		for _, item := range s.List(kind).Items() {
			o := candidate{item.Key, cmp.Or(item.Description(), item.Title())}
			switch {
			case name == "complete":
				o.value = kind.ID(item.Key)
			case name == "show":
				o.about = strings.TrimSuffix(kind.Word()+": "+o.about, ": ")
			}
			offers = append(offers, o)
		}
	}
	return offers
}

// argument is one of an item's arguments, with the values that it can have if they are few.
type argument struct {
	candidate
	values []string
}

// argumentOffers are the arguments that an item still takes, or the values of the one that was begun.
func (l *line) argumentOffers(s *snapshot.Snapshot, kinds []snapshot.Kind, current string) []candidate {
	var all []argument
	for _, kind := range kinds {
		key := l.words[1]
		if l.command.Name == "complete" {
			key = strings.TrimPrefix(key, kind.Word()+"/")
		}
		if item, answer := s.List(kind).Find(key); answer == snapshot.Present {
			all = append(all, argumentsOf(kind, item)...)
		}
	}
	var offers []candidate
	for _, a := range all {
		switch {
		case l.command.Name == "complete" && len(l.words) == 2:
			offers = append(offers, a.candidate)
		case slices.ContainsFunc(l.words[2:], func(w string) bool { return strings.HasPrefix(w, a.value+"=") || strings.HasPrefix(w, a.value+":=") }):
		case strings.HasPrefix(current, a.value+"="):
			offers = append(offers, prefixed(a.value+"=", words(a.values...))...)
		case l.command.Name != "complete" || len(l.words) > 3:
			offers = append(offers, candidate{a.value + "=", a.about})
		}
	}
	return offers
}

func argumentsOf(kind snapshot.Kind, item snapshot.Item) (all []argument) {
	for _, p := range signature.Arguments(kind, item.Raw) {
		o := rawjson.ObjectOf(p.Schema)
		one := argument{candidate: candidate{p.Name, cmp.Or(o.Text("description"), o.Text("title"), o.Text("type"))}}
		if kind == snapshot.Tools {
			one.values = call.Values(item.InputSchema(), p.Name)
		}
		all = append(all, one)
	}
	if kind == snapshot.Templates {
		for _, name := range signature.Variables(item.Key) {
			all = append(all, argument{candidate: candidate{name, item.Key}})
		}
	}
	return all
}
