package call

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ToolMethod is the method of the request that calls a tool.
const ToolMethod = "tools/call"

// toolRequest returns the request that calls a tool (specification, tools, calling).
func toolRequest(tool snapshot.Item, arguments json.RawMessage) probe.Request {
	return probe.Request{Stage: probe.Calling, Method: ToolMethod, Schema: tool.Field("inputSchema"),
		Params: map[string]json.RawMessage{"name": rawjson.Quote(tool.Key), "arguments": arguments}}
}

// Call calls one tool, once. words are arguments such as key=value, base is the object for them: JSON, @FILE,
// -, or nothing.
func Call(ctx context.Context, p host.Process, o Options, from []source.Source, tool string, words []string,
	base string) error {
	given, whole, err := arguments(p, words, "--args", base)
	if err != nil {
		return err
	}
	return on(ctx, p, o, from, func(c *Client) error { return c.call(ctx, tool, given, whole) })
}

// call calls a tool once it is agreed to, with arguments that are put into a whole object.
func (c *Client) call(ctx context.Context, name string, given []argument, whole json.RawMessage) error {
	tool, err := c.find(ctx, snapshot.Tools, name)
	if err != nil {
		return err
	}
	// specification 2025-11-25, tasks
	if (snapshot.Item{Raw: tool.Field("execution")}).Text("taskSupport") == "required" {
		return errTaskOnly(c.name(), tool.Key)
	}
	schema := tool.Field("inputSchema")
	args, problems := build(schema, whole, given)
	asJSON := whole != nil && len(given) == 0 && len(problems) == 0 // sent as it is
	problems = c.validate(schema, args, problems)
	if !asJSON && len(problems) > 0 {
		return invalid(c.name()+": "+printable.Message(name), problems)
	}
	for _, p := range problems {
		c.note("arguments: %s", p.typed())
	}
	if !c.options.DryRun {
		if err := c.confirm(ctx, tool, args); err != nil {
			return err
		}
	}
	return c.do(ctx, name, toolRequest(tool, args), toolResult, func(r Result) error {
		c.checkPromise(r, tool.Field("outputSchema"))
		if c.options.Record == nil {
			return nil
		}
		server := c.target.Name()
		if !c.configured {
			server = cmp.Or(c.OwnName(), server)
		}
		return c.options.Record(server, name, c.mask(args), c.mask(r.Raw))
	})
}

// validate returns the problems of the arguments as written, and those found by the schema.
func (c *Client) validate(schema, args json.RawMessage, problems []Mismatch) []Mismatch {
	if schema == nil {
		return problems
	}
	more, sure := Check(schema, args)
	for _, p := range more {
		if !slices.ContainsFunc(problems, func(known Mismatch) bool { return known.Path == p.Path }) {
			problems = append(problems, p)
		}
	}
	if !sure {
		c.note("the arguments could not be checked: the tool's inputSchema cannot be read, or rests on a " +
			"pattern that cannot")
	}
	return problems
}

// checkPromise notes where structured content does not match the outputSchema of the tool (specification,
// tools, output schema).
func (c *Client) checkPromise(r Result, schema json.RawMessage) {
	switch {
	case schema == nil || r.Failed:
		return
	case r.Structured == nil:
		c.note("the tool breaks its outputSchema: structuredContent is missing, though the tool declares " +
			"an outputSchema")
		return
	}
	problems, sure := Check(schema, r.Structured)
	for _, p := range problems {
		c.note("the tool breaks its outputSchema: structuredContent %s", p)
	}
	if !sure {
		c.note("structuredContent could not be checked against the outputSchema of the tool")
	}
}

// mask returns JSON with the secrets of the server masked, and the mark that differs from run to run.
func (c *Client) mask(raw json.RawMessage) json.RawMessage {
	return mark().ReplaceAll(c.session.Mask(raw), []byte("$1***"))
}

// mark matches the value of RunVariable, with the name before it as its group.
var mark = kit.Pattern("(" + process.RunVariable + `\W{1,8})[A-Z2-7]{26}`)

// Prompt fills in a prompt with words such as key=value (specification, prompts, getting).
func Prompt(ctx context.Context, p host.Process, o Options, from []source.Source, name string,
	words []string) error {
	values, err := texts(p, words)
	if err != nil {
		return err
	}
	return on(ctx, p, o, from, func(c *Client) error {
		prompt, err := c.find(ctx, snapshot.Prompts, name)
		if err == nil {
			err = invalid(c.name()+": "+printable.Message(name), checkPrompt(prompt, values))
		}
		if err != nil {
			return err
		}
		return c.do(ctx, name, probe.Request{Stage: probe.Prompting, Method: "prompts/get",
			Params: map[string]json.RawMessage{"name": rawjson.Quote(name), "arguments": objectOf(values)},
		}, promptResult, nil)
	})
}

// Read reads a resource (specification, resources, reading); a URI template is expanded with words such as
// key=value.
func Read(ctx context.Context, p host.Process, o Options, from []source.Source, template string,
	words []string) error {
	values, err := texts(p, words)
	if err != nil {
		return err
	}
	uri, problems := expand(template, values)
	if err := invalid(printable.Message(template), problems); err != nil {
		return err
	}
	return on(ctx, p, o, from, func(c *Client) error {
		return c.do(ctx, uri, probe.Request{Stage: probe.Reading, Method: "resources/read",
			Params: map[string]json.RawMessage{"uri": rawjson.Quote(uri)},
		}, readResult, func(r Result) error { return c.verify(ctx, uri, r) })
	})
}

// verify compares what was read with its digest in the list of skills, if it has one there, and the
// frontmatter of a skill with the listed one (SEP-2640, verification on read).
func (c *Client) verify(ctx context.Context, uri string, read Result) error {
	finish := c.waiting("")
	lists, err := c.session.List(ctx, snapshot.Skills)
	if finish(); err != nil {
		return explain(err)
	}
	for _, skill := range lists[0].Items() {
		files, _ := rawjson.Elements(skill.Field("resources"))
		for _, file := range files {
			entry := rawjson.ObjectOf(file)
			listed, digest := entry.Text("digest"), read.digest()
			if entry.Text("uri") != uri || listed == "" {
				continue
			}
			if listed != digest {
				return c.failed(probe.Reading, fmt.Errorf("%s is not what the server's list of skills says: "+
					"its digest is %s, and %s is listed; nothing of it is shown",
					printable.Message(uri), digest, printable.Message(listed)))
			}
			if uri == skill.Key && !rawjson.Equal(read.frontmatter(), skill.Field("frontmatter")) {
				return c.failed(probe.Reading, fmt.Errorf("%s is not what the server's list of skills says: "+
					"its frontmatter is another one; nothing of it is shown", printable.Message(uri)))
			}
		}
	}
	return nil
}

// Complete asks what an argument of a prompt or a template may be (specification, completion), given the
// beginning of it and words such as key=value for the arguments that are known already. reference is
// prompt/NAME or template/URI-TEMPLATE.
func Complete(ctx context.Context, p host.Process, o Options, from []source.Source, reference, argument,
	prefix string, words []string) error {
	kind, key, _ := strings.Cut(reference, "/")
	ref := map[string]string{"type": "ref/prompt", "name": key}
	switch {
	case key == "", kind != "prompt" && kind != "template" && kind != "resource": // as the protocol has it
		return errReference(reference)
	case kind != "prompt":
		ref = map[string]string{"type": "ref/resource", "uri": key}
	}
	values, err := texts(p, words)
	if err != nil {
		return err
	}
	params := map[string]json.RawMessage{"ref": objectOf(ref),
		"argument": objectOf(map[string]string{"name": argument, "value": prefix})}
	if len(values) > 0 {
		params["context"] = rawjson.Build(rawjson.Member{Key: "arguments", Value: objectOf(values)})
	}
	return on(ctx, p, o, from, func(c *Client) error {
		return c.do(ctx, argument, probe.Request{Stage: probe.Completing, Method: "completion/complete",
			Params: params}, completeResult, func(r Result) error {
			if r.More != "" { // the server knows more values than it gave
				c.note("%s", printable.Message(r.More))
			}
			return nil
		})
	})
}

// objectOf returns an object of strings, sorted by name.
func objectOf(values map[string]string) json.RawMessage {
	return rawjson.Build(kit.Map(kit.SortedKeys(values), func(name string) rawjson.Member {
		return rawjson.Member{Key: name, Value: rawjson.Quote(values[name])}
	})...)
}

// find returns the item of a kind with this name.
func (c *Client) find(ctx context.Context, kind snapshot.Kind, name string) (snapshot.Item, error) {
	finish := c.waiting("")
	lists, err := c.session.List(ctx, kind)
	finish()
	item, answer := lists[0].Find(name)
	switch answer {
	case snapshot.Present:
		return item, nil
	case snapshot.Unknown:
		return item, explain(err)
	}
	names := kit.Map(lists[0].Items(), func(item snapshot.Item) string { return item.Key })
	return item, errNotOffered(c.name(), kind.Word(), name, names, c.options.Contact.Capabilities)
}

// do sends a request, reads its result and delivers it under a name. inspect looks at the result before; nil
// = nothing does. With DryRun it shows the request instead.
func (c *Client) do(ctx context.Context, name string, r probe.Request,
	read func(json.RawMessage) (Result, error), inspect func(Result) error) error {
	if c.options.DryRun {
		return c.preview(ctx, r)
	}
	finish := c.waiting(name)
	raw, err := c.send(ctx, r)
	if finish(); err != nil {
		return explain(err)
	}
	result, err := read(raw)
	if err != nil {
		return c.failed(r.Stage, err)
	}
	if inspect != nil {
		if err := inspect(result); err != nil {
			return err
		}
	}
	if err := c.options.Deliver(ctx, result); err != nil {
		return err
	}
	if result.Failed {
		c.process.Reason("%s: %s reports an error", c.name(), printable.Message(name))
		return exit.Code(exit.Findings)
	}
	return nil
}

// preview shows the request that would be sent, secrets masked.
func (c *Client) preview(ctx context.Context, r probe.Request) error {
	text, err := c.session.Preview(r)
	if err != nil {
		return explain(err)
	}
	c.process.Note("this would be sent to %s over %s; nothing was", c.name(), c.session.Transport())
	return c.options.Preview(ctx, text)
}

const (
	maxRounds  = 10          // requests for input that a server may make before it answers
	retryPause = time.Second // before a request is repeated without an answer, as a server may want
)

// send sends a request and returns its result. What the server asks for is answered, and the request sent
// again with the answers and the server's state (specification 2026-07-28, multi round-trip requests).
func (c *Client) send(ctx context.Context, r probe.Request) (json.RawMessage, error) {
	original := r.Params
	for range maxRounds {
		raw, err := c.session.Request(ctx, r)
		if err != nil {
			return nil, err
		}
		result := rawjson.ObjectOf(raw)
		if result.Text("resultType") != "input_required" {
			return raw, nil
		}
		questions, _ := rawjson.Members(result["inputRequests"])
		state := result["requestState"]
		r.Params = maps.Clone(original)
		switch {
		case len(questions) > 0:
			for i, q := range questions {
				if questions[i].Value, err = c.answer(ctx, rawjson.ObjectOf(q.Value)); err != nil {
					return nil, c.failed(r.Stage, err)
				}
			}
			r.Params["inputResponses"] = rawjson.Build(questions...)
		case state == nil:
			return nil, c.failed(r.Stage, errors.New("the server asks for input and does not say for what"))
		default:
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(retryPause):
			}
		}
		if state != nil {
			r.Params["requestState"] = state
		}
	}
	return nil, c.failed(r.Stage, fmt.Errorf("the server has asked for input %d times and still does not "+
		"answer", maxRounds))
}
