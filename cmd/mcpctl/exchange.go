package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/call"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/report"
)

// result sends a request and gives back its result, answering what the server asks on the way.
func (a *act) result(ctx context.Context, stage probe.Stage, m call.Message, schema json.RawMessage) (json.RawMessage, error) {
	for round := 1; ; round++ {
		raw, err := a.session.Request(ctx, probe.Request{Stage: stage, Method: m.Method, Params: m.Params, Schema: schema})
		if err != nil {
			return nil, a.failure(err)
		}
		if len(raw) > int(a.maxBytes) {
			return nil, a.failed(stage, "the result has %s, which is more than --max-bytes %s allows; the server has done what it was asked", report.Size(len(raw)), &a.maxBytes)
		}
		need, asked, err := call.Needs(raw)
		switch {
		case err != nil:
			return nil, a.failed(stage, "%w", err)
		case !asked:
			return raw, nil
		case round == maxRounds:
			return nil, a.failed(stage, "the server has asked for input %d times and still does not answer", maxRounds)
		}
		if m, err = a.supply(ctx, stage, m, need); err != nil {
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
func (a *act) preview(stage probe.Stage, m call.Message, schema json.RawMessage) error {
	text, err := a.session.Preview(probe.Request{Stage: stage, Method: m.Method, Params: m.Params, Schema: schema})
	if err != nil {
		return a.failure(err)
	}
	a.remark("this would be sent to %s over %s; nothing was", report.Visible(a.server.Name), a.session.Transport())
	if a.actFormat() == "json" {
		return a.write(append(text, '\n'))
	}
	return a.write([]byte(cmp.Or(report.Indented(text), string(text)) + "\n"))
}
