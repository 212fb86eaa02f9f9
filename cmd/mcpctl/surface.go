package main

import (
	"cmp"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// surface is what one server offers, live or saved, with what a report says about it; or why it is not known.
type surface struct {
	report.Server
	snapshot *snapshot.Snapshot // nil when nothing arrived
	again    []snapshot.List    // the lists once more, when they were asked for twice
	unknown  string             // an argument that it ended over, since it does not know it
	config   bool               // it failed because of the configuration: nothing was contacted
}

// whole tells whether everything the server offers arrived.
func (s surface) whole() bool {
	return s.State == report.OK && s.snapshot != nil && s.snapshot.Complete()
}

// known tells whether there is something to compare: what arrived, or that there is no such server.
func (s surface) known() bool { return s.snapshot != nil || s.State == report.Absent }

// probed is the surface that a probe gave.
func probed(r probe.Result) surface {
	s := surface{snapshot: r.Snapshot, again: r.SecondRead, Server: report.Server{
		Name: r.Server.Name, State: report.OK, Source: r.Server.Source, Transport: r.Transport,
		ElapsedMs: report.Elapsed(r.Elapsed), Attempts: r.Attempts,
	}}
	s.describe()
	s.hear(r)
	if len(s.PartialLists) > 0 {
		s.State = report.Partial
	}
	if r.Err != nil {
		s.fail(r.Err)
	}
	return s
}

// describe fills in what follows from the snapshot alone.
func (s *surface) describe() {
	if s.snapshot == nil {
		return
	}
	s.ProtocolVersion = s.snapshot.Protocol
	s.Counts = report.CountsOf(s.snapshot)
	for _, list := range s.snapshot.Incomplete() {
		s.PartialLists = append(s.PartialLists, report.PartialList{Kind: list.Kind, State: list.State.String(), Problem: list.Problem})
	}
}

// priced tells whether it is known what the server costs in a prompt.
func (s surface) priced() bool {
	return s.snapshot != nil && s.snapshot.Tools.Whole()
}

// tokens is what the server costs in a prompt; nil when its tools are not known.
func (s surface) tokens() *int {
	if !s.priced() {
		return nil
	}
	n := check.Tokens(s.snapshot)
	return &n
}

// hear takes over the noise and the notices of a probe.
func (s *surface) hear(r probe.Result) {
	if r.Transport == "stdio" {
		n := len(r.Noise)
		s.Noise = &n
	}
	for _, n := range r.Noise {
		s.NoiseText = append(s.NoiseText, n.Text)
	}
	for _, n := range r.Notices {
		s.Notices = append(s.Notices, report.Notice{Stage: string(n.Stage), Code: n.Code, Message: n.Message})
	}
}

// fail records what went wrong: all of it, or a part when some of the surface arrived.
func (s *surface) fail(err error) {
	s.State = report.Failed
	if s.snapshot != nil {
		s.State = report.Partial
	}
	for _, cause := range probe.Failures(err) {
		s.unknown = cmp.Or(s.unknown, cause.Unknown)
		failure := report.Failure{Stage: string(cause.Stage), Message: cause.Err.Error(), Hint: cause.Hint, Stderr: cause.Stderr}
		if s.Error == nil {
			s.Error = &failure
		} else {
			s.MoreErrors = append(s.MoreErrors, failure)
		}
	}
}

// misconfigured is the surface of a server that could not be tried because of the configuration.
func misconfigured(name, source string, problems []config.Problem) surface {
	s := surface{config: true, Server: report.Server{Name: name, State: report.Failed, Source: source}}
	for _, p := range problems {
		failure := report.Failure{Stage: "configuration", Message: p.Error(), Hint: p.Hint}
		if s.Error == nil {
			s.Error = &failure
		} else {
			s.MoreErrors = append(s.MoreErrors, failure)
		}
	}
	return s
}

// items are the raw items of one list as far as they arrived, in the order of the snapshot.
func items(list snapshot.List) report.Items {
	raw := make(report.Items, 0, len(list.Items()))
	for _, item := range list.Items() {
		raw = append(raw, item.Raw)
	}
	return raw
}
