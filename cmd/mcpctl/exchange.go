package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// perform sends a request, reads its result and delivers it under a name. With --dry-run it shows the request instead.
func (a *act) perform(ctx context.Context, name string, r request) error {
	if a.dryRun {
		return a.preview(r)
	}
	raw, err := a.result(ctx, r)
	if err != nil {
		return err
	}
	result, err := r.read(raw)
	if err != nil {
		return a.failed(r.stage, "%w", err)
	}
	if r.heed != nil {
		r.heed(result)
	}
	return a.deliver(name, result)
}

// request is what an act sends, and how its result is read.
type request struct {
	stage   probe.Stage
	message call.Message
	schema  json.RawMessage // of the arguments of a tool
	read    func(json.RawMessage) (call.Result, error)
	heed    func(call.Result) // looks at the result before it is delivered; may be nil
}

func (r request) probed(m call.Message) probe.Request {
	return probe.Request{Stage: r.stage, Method: m.Method, Params: m.Params, Schema: r.schema}
}

// result sends a request and gives back its result, answering what the server asks on the way.
func (a *act) result(ctx context.Context, r request) (json.RawMessage, error) {
	m := r.message
	for round := 1; ; round++ {
		raw, err := a.session.Request(ctx, r.probed(m))
		if err != nil {
			return nil, a.failure(err)
		}
		if len(raw) > int(a.maxBytes) {
			return nil, a.failed(r.stage, "the result has %s, which is more than --max-bytes %s allows; the server has done what it was asked", report.Size(len(raw)), &a.maxBytes)
		}
		need, asked, err := call.Needs(raw)
		switch {
		case err != nil:
			return nil, a.failed(r.stage, "%w", err)
		case !asked:
			return raw, nil
		case round == maxRounds:
			return nil, a.failed(r.stage, "the server has asked for input %d times and still does not answer", maxRounds)
		}
		if m, err = a.supply(ctx, r.stage, m, need); err != nil {
			return nil, err
		}
	}
}

// maxRounds bounds how often a server may ask for input before it answers.
const maxRounds = 10

// failed is an error of this run's request.
func (a *act) failed(stage probe.Stage, format string, values ...any) error {
	return fmt.Errorf("%s: %s: %w", report.Visible(a.server.Name), stage, fmt.Errorf(format, values...))
}

// preview shows the request that would be sent, secrets masked.
func (a *act) preview(r request) error {
	text, err := a.session.Preview(r.probed(r.message))
	if err != nil {
		return a.failure(err)
	}
	a.Note("this would be sent to %s over %s; nothing was", report.Visible(a.server.Name), a.session.Transport())
	if a.actFormat() == "json" {
		return a.write(append(text, '\n'))
	}
	return a.write([]byte(cmp.Or(report.Indented(text), string(text)) + "\n"))
}
