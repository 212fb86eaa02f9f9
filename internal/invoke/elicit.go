package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// confirm asks the user before a tool is called, unless the tool is declared read-only or --yes is given.
func (c *Client) confirm(ctx context.Context, tool snapshot.Item, args json.RawMessage) error {
	if c.options.Select.Yes || ReadOnly(tool) {
		return nil
	}
	return host.Confirm(ctx, c.process, fmt.Sprintf("call a tool\n  server     %s (%s, from %s)\n  "+
		"tool       %s  %s\n  arguments  %s\n  the server claims: %s\n",
		c.name(), c.session.Transport(), report.Visible(c.target.Source()), report.Visible(tool.Key),
		report.Visible(firstLineOf(tool)), report.OneLine(args), report.Visible(report.ToolHints(tool.Raw))),
		"Call it?",
		exit.Usagef("%s: %s may change things: its server does not say that it only reads (readOnlyHint); "+
			"nothing was called: look at the request with --dry-run, and call it with --yes",
			c.name(), report.Visible(tool.Key)),
		exit.Usagef("%s: %s was not called", c.name(), report.Visible(tool.Key)))
}

func firstLineOf(tool snapshot.Item) string {
	line, _, _ := strings.Cut(strings.TrimSpace(tool.Description()), "\n")
	return line
}

// retryPause is the wait before a request is repeated for a server that asks for that without a question.
const retryPause = time.Second

// answerRequests returns the message with answers to the server's requests.
func (c *Client) answerRequests(ctx context.Context, stage probe.Stage, m call.Message,
	need call.InputRequest) (call.Message, error) {
	var answers []json.RawMessage
	for _, q := range need.Requests {
		answer, err := c.answer(ctx, q)
		if err != nil {
			return m, c.failed(stage, "%w", err)
		}
		answers = append(answers, answer)
	}
	if len(need.Requests) == 0 {
		select {
		case <-ctx.Done():
			return m, context.Cause(ctx)
		case <-time.After(retryPause):
		}
	}
	return m.Again(call.Responses(need.Requests, answers), need.State), nil
}

var (
	errNoTerminal = errors.New("no terminal to answer on: run mcpctl in one, answer a form with " +
		"--answer KEY=VALUE, or give the tool all it needs as arguments")
	errSampling = errors.New("the server wants a model to answer (sampling); mcpctl has none")
)

// answer returns the answer to one request that a server made in a result (specification 2026-07-28,
// input_required). There are no roots, and a request for a model is an error.
func (c *Client) answer(ctx context.Context, q call.Question) (json.RawMessage, error) {
	switch q.Method {
	case "roots/list":
		return json.RawMessage(`{"roots":[]}`), nil
	case "sampling/createMessage":
		return nil, errSampling
	case "elicitation/create":
		return c.elicit(ctx, q.Params)
	}
	return nil, errors.New("the server asks for " + shortened(q.Method) + ", which mcpctl does not know")
}

// elicit asks the user what a server wants to know. Anything that is not an answer declines or cancels.
func (c *Client) elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	if c.declines {
		return call.Declined, nil
	}
	c.floor.Lock()
	defer c.floor.Unlock()
	e := call.Elicited(params)
	if given, err := c.answered(e); given != nil || err != nil {
		return given, err
	}
	t, err := host.OpenTerminal(c.process)
	if err != nil {
		return nil, errors.Join(errors.New("the server asks: "+question(e)), errNoTerminal)
	}
	defer t.Close()
	t.Printf("mcpctl: the server %s asks:\n", c.name())
	for line := range strings.Lines(e.Message) {
		t.Printf("  %s\n", report.Visible(strings.TrimRight(line, "\r\n")))
	}
	answer := askForm
	if e.URL != "" {
		answer = askURL
	}
	result, err := answer(ctx, t, e)
	if errors.Is(err, host.ErrNoAnswer) {
		t.Printf("\n")
		return call.Cancelled, nil
	}
	return result, err
}

// question returns what a server asks, as one line, with the names of the fields of its form.
func question(e call.Elicitation) string {
	names := kit.Map(e.Fields, func(f call.Field) string { return f.Name })
	return shortened(e.Message + after(" – ", strings.Join(names, ", ")))
}

// answersOf reads the values of --answer. Each member of an object in an @FILE is an answer of its own.
func answersOf(p host.Process, flags []string) (all []call.Argument, err error) {
	for _, flag := range flags {
		words, file := []string{flag}, ""
		if strings.HasPrefix(flag, "@") {
			words, file = nil, flag
		}
		given, whole, err := arguments(p, words, "--answer", file)
		if err != nil {
			return nil, err
		}
		all = append(all, given...)
		members, err := rawjson.Members(whole)
		if file != "" && err != nil {
			return nil, exit.Usagef("--answer %s holds %s; a JSON object is wanted, with the answer to "+
				"each field", flag, rawjson.TypeName(whole))
		}
		for _, m := range members {
			all = append(all, call.Argument{Key: m.Key, Form: call.Literal, Text: string(m.Value)})
		}
	}
	return all, nil
}

// answered returns the form filled in from the answers given beforehand; nil when they name none of its
// fields.
func (c *Client) answered(e call.Elicitation) (json.RawMessage, error) {
	for _, f := range e.Fields {
		c.asked = append(c.asked, f.Name)
	}
	result, problems := e.Answer(c.answers)
	if len(problems) == 0 {
		return result, nil
	}
	text := "the server asks: " + question(e) + "; what --answer says is not what it takes"
	for _, p := range problems {
		text += "\n  " + lineOf(p)
	}
	return nil, errors.New(text)
}

// askURL shows where a person shall go. It opens nothing. An address that a browser would not take for a web
// page is declined.
func askURL(ctx context.Context, t *host.Terminal, e call.Elicitation) (json.RawMessage, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		t.Printf("  It wants you to open an address that is not a web page, which mcpctl declined:\n  %s\n",
			report.Visible(e.URL))
		return call.Declined, nil
	}
	t.Printf("  It wants you to visit %s:\n  %s\n", report.Visible(e.Host), report.Visible(e.URL))
	if strings.ContainsFunc(e.Host, func(r rune) bool { return r > unicode.MaxASCII }) {
		t.Printf("  ! The host has letters that can look like others: %+q\n", e.Host)
	}
	t.Printf("  Open it yourself if you trust that host; mcpctl does not.\n")
	answer, err := t.Choose(ctx, "Did you? [y]es, [N]o, [c]ancel: ", "yes", "no", "cancel")
	switch answer {
	case "yes":
		return call.Consented, nil
	case "no":
		return call.Declined, nil
	}
	return call.Cancelled, err
}

// askForm asks for the fields of a form and lets the person look at the answers before they are sent.
func askForm(ctx context.Context, t *host.Terminal, e call.Elicitation) (json.RawMessage, error) {
	t.Printf("  The server gets what you type: no passwords here. Ctrl-D cancels.\n")
	for range host.MaxAttempts {
		values := make([]json.RawMessage, len(e.Fields))
		for i, f := range e.Fields {
			var err error
			if values[i], err = askField(ctx, t, f); err != nil {
				return nil, err
			}
		}
		accepted := call.Accepted(e.Fields, values)
		t.Printf("  %s\n", report.OneLine(accepted))
		answer, err := t.Choose(ctx, "Send it? [y]es, [e]dit, [N]o, [c]ancel: ", "yes", "edit", "no",
			"cancel")
		switch answer {
		case "yes":
			return accepted, nil
		case "no":
			return call.Declined, nil
		case "edit":
			continue
		}
		return call.Cancelled, err
	}
	return call.Cancelled, nil
}

// askField asks for one field until the answer is one that the schema takes. Nil = left out.
func askField(ctx context.Context, t *host.Terminal, f call.Field) (json.RawMessage, error) {
	t.Printf("  %s%s%s\n", report.Visible(f.Name), after(" – ", report.Visible(f.Title)),
		after(": ", report.Visible(f.About)))
	for _, c := range f.Choices {
		t.Printf("    %s%s\n", report.Visible(c.Value), after("  ", report.Visible(c.Title)))
	}
	prompt := "  answer: "
	switch {
	case f.Default != nil:
		prompt = "  answer [" + report.OneLine(f.Default) + "]: "
	case f.YesNo && f.Required:
		prompt = "  [y]es or [n]o: "
	case f.YesNo:
		prompt = "  [y]es, [n]o, or nothing: "
	case !f.Required:
		prompt = "  answer (or nothing): "
	}
	for range host.MaxAttempts {
		text, err := t.Ask(ctx, prompt, false)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" && (f.Default != nil || !f.Required) {
			return f.Default, nil
		}
		value, problems := f.Value(text)
		if len(problems) == 0 {
			return value, nil
		}
		for _, p := range problems {
			t.Printf("  %s\n", lineOf(p))
		}
	}
	return nil, host.ErrNoAnswer
}
