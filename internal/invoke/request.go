package invoke

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

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

// on connects to a server for as long as do takes.
func on(ctx context.Context, p host.Process, o Options, from []source.Source, do func(*Client) error) error {
	c, err := connect(ctx, p, o, from)
	if err != nil {
		return err
	}
	defer c.close()
	return do(c)
}

// call calls a tool once it is agreed to, with arguments that are put into a whole object.
func (c *Client) call(ctx context.Context, tool string, given []call.Argument, whole json.RawMessage) error {
	item, err := c.find(ctx, snapshot.Tools, tool)
	if err != nil {
		return err
	}
	if needsTask(item) {
		return exit.Usagef("%s: %s can only be called as a task (execution.taskSupport), which mcpctl does "+
			"not do; nothing was called", c.name(), report.Visible(item.Key))
	}
	schema := item.Field("inputSchema")
	args, problems := call.Build(schema, whole, given)
	if whole != nil && len(given) == 0 && len(problems) == 0 { // written as JSON: sent as it is
		for _, p := range c.validate(schema, args, nil) {
			c.note("arguments: %s", lineOf(p))
		}
	} else if err := c.options.problems(c.name(), tool, c.validate(schema, args, problems)); err != nil {
		return err
	}
	if !c.options.DryRun {
		if err := c.confirm(ctx, item, args); err != nil {
			return err
		}
	}
	r := toolRequest(item, args)
	r.inspect = func(r call.Result) { c.comparePromise(r, item.Field("outputSchema")) }
	if c.options.Record != nil {
		r.record = func(result json.RawMessage) error {
			return c.options.Record(c.recordedName(), tool, c.mask(args), c.mask(result))
		}
	}
	return c.do(ctx, tool, r)
}

// recordedName returns the name under which calls are recorded: the configured one, else that in serverInfo,
// which stays from version to version.
func (c *Client) recordedName() string {
	if c.configured {
		return c.target.Name()
	}
	return cmp.Or(snapshot.Item{Raw: c.session.Hello().Server}.Text("name"), c.target.Name())
}

// mask returns JSON with the secrets of the server masked, and the mark that differs from run to run.
func (c *Client) mask(raw json.RawMessage) json.RawMessage {
	return mark().ReplaceAll(c.session.Mask(raw), []byte("$1***"))
}

// mark matches the value of RunVariable, with the name before it as its group.
var mark = kit.Pattern("(" + process.RunVariable + `\W{1,8})[A-Z2-7]{26}`)

// Prompt fills in a prompt with words such as key=value.
func Prompt(ctx context.Context, p host.Process, o Options, from []source.Source, name string,
	words []string) error {
	values, err := texts(p, words)
	if err != nil {
		return err
	}
	return on(ctx, p, o, from, func(c *Client) error {
		prompt, err := c.find(ctx, snapshot.Prompts, name)
		if err == nil {
			err = o.problems(c.name(), name, call.CheckPrompt(prompt, values))
		}
		if err != nil {
			return err
		}
		return c.do(ctx, name, request{stage: probe.Prompting, message: call.Prompt(name, call.Texts(values)),
			read: call.PromptResult})
	})
}

// Read reads a resource; a URI template (RFC 6570) is expanded with words such as key=value.
func Read(ctx context.Context, p host.Process, o Options, from []source.Source, template string,
	words []string) error {
	values, err := texts(p, words)
	if err != nil {
		return err
	}
	uri, problems := call.Expand(template, values)
	if err := o.problems("", template, problems); err != nil {
		return err
	}
	return on(ctx, p, o, from, func(c *Client) error {
		return c.do(ctx, uri, request{
			stage: probe.Reading, message: call.Read(uri),
			read: func(raw json.RawMessage) (call.Result, error) {
				r, err := call.ReadResult(raw)
				return r, cmp.Or(err, c.verify(ctx, uri, r))
			},
		})
	})
}

// Complete asks what an argument of a prompt or a template may be, given the beginning of it and words such
// as key=value for the arguments that are known already. reference is prompt/NAME or template/URI-TEMPLATE.
func Complete(ctx context.Context, p host.Process, o Options, from []source.Source, reference, argument,
	prefix string, words []string) error {
	to, err := referenceOf(reference)
	if err != nil {
		return err
	}
	values, err := texts(p, words)
	if err != nil {
		return err
	}
	return on(ctx, p, o, from, func(c *Client) error {
		return c.do(ctx, argument, request{
			stage: probe.Completing, message: call.Complete(to, argument, prefix, values),
			read: call.CompleteResult,
			inspect: func(r call.Result) {
				if r.More != "" { // the server knows more values than it gave
					c.note("%s", report.Visible(r.More))
				}
			},
		})
	})
}

// referenceOf reads prompt/NAME, template/URI-TEMPLATE, and resource/URI-TEMPLATE, which the protocol calls
// it.
func referenceOf(text string) (call.Reference, error) {
	kind, key, found := strings.Cut(text, "/")
	kinds := map[string]snapshot.Kind{"prompt": snapshot.Prompts, "template": snapshot.Templates,
		"resource": snapshot.Templates}
	if !found || key == "" || kinds[kind] == "" {
		return call.Reference{}, exit.Usagef("%q is neither prompt/NAME nor template/URI-TEMPLATE: write "+
			"prompt/%s, or template/%s", text, text, text)
	}
	return call.Reference{Kind: kinds[kind], Key: key}, nil
}

// arguments reads words such as key=value, and the object that a flag gives.
func arguments(p host.Process, words []string, flag, base string) ([]call.Argument, json.RawMessage, error) {
	var given []call.Argument
	for _, text := range words {
		a, err := call.ParseArgument(text)
		if err != nil {
			return nil, nil, exit.Misuse(err)
		}
		if name, ok := a.File(); ok {
			content, err := content(p, name)
			if err != nil {
				return nil, nil, exit.Usagef("reading %s: %w", a.Key, err)
			}
			a = a.Of(content)
		}
		given = append(given, a)
	}
	if base == "" {
		return given, nil, nil
	}
	whole := []byte(base)
	if name, ok := strings.CutPrefix(base, "@"); ok || base == "-" {
		var err error
		if whole, err = content(p, name); err != nil {
			return nil, nil, exit.Usagef("reading %s: %w", flag, err)
		}
	}
	if !json.Valid(whole) {
		return nil, nil, exit.Usagef("%s is not JSON: write an object such as '{\"limit\": 5}', @FILE, or - "+
			"for standard input", flag)
	}
	return given, whole, nil
}

// texts reads words such as key=value, by key. A value written as JSON is an error: prompts and templates
// take texts only.
func texts(p host.Process, words []string) (map[string]string, error) {
	given, _, err := arguments(p, words, "", "")
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, a := range given {
		if slices.Contains([]call.Form{call.Literal, call.FromJSON}, a.Form) {
			return nil, exit.Usagef("%s is a text here: write %s=VALUE", a.Key, a.Key)
		}
		if _, twice := values[a.Key]; twice {
			return nil, exit.Usagef("%s is given twice", a.Key)
		}
		values[a.Key] = a.Text
	}
	return values, nil
}

// maxArgument bounds a file that becomes an argument.
const maxArgument = 16 << 20

// content returns the contents of a file, or of standard input for "-".
func content(p host.Process, name string) ([]byte, error) {
	if name == "-" {
		return files.ReadLimited(p.In, maxArgument)
	}
	return files.Read(name, maxArgument)
}

// needsTask reports whether a tool can only be called as a task (specification 2025-11-25,
// tasks).
func needsTask(tool snapshot.Item) bool {
	return snapshot.Item{Raw: tool.Field("execution")}.Text("taskSupport") == "required"
}

// find returns the item of a kind with this name.
func (c *Client) find(ctx context.Context, kind snapshot.Kind, name string) (snapshot.Item, error) {
	asked, err := c.session.List(ctx, kind)
	list := asked[0]
	item, answer := list.Find(name)
	switch {
	case answer == snapshot.Present:
		return item, nil
	case answer == snapshot.Unknown:
		return snapshot.Item{}, explain(err)
	}
	names := kit.Map(list.Items(), func(item snapshot.Item) string { return item.Key })
	near := kit.DidYouMean(name, names)
	err = exit.Usagef("%s offers no %s %q%s: see mcpctl list", c.name(), kind.Word(), name,
		report.Visible(near))
	if near == "" && c.options.Contact.Capabilities == "" { // list declares all of them
		return snapshot.Item{}, exit.Misuse(exit.Advise("if mcpctl list shows it, add --client-capabilities "+
			strings.Join(probe.ClientCapabilities(), ","), "%w", err))
	}
	return snapshot.Item{}, err
}

// validate returns the problems of the arguments as written, and those found by the schema.
func (c *Client) validate(schema, args json.RawMessage, problems []call.Problem) []call.Problem {
	if schema == nil {
		return problems
	}
	more, sure := call.Check(schema, args)
	for _, p := range more {
		if !slices.ContainsFunc(problems, func(known call.Problem) bool { return known.Path == p.Path }) {
			problems = append(problems, p)
		}
	}
	if !sure {
		c.note("the arguments could not be checked: the tool's inputSchema cannot be read, or rests on a " +
			"pattern that cannot")
	}
	return problems
}

// problems returns the usage error for invalid arguments; nil without one.
func (o Options) problems(server, name string, problems []call.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	if server != "" {
		server += ": "
	}
	text := fmt.Sprintf("%s%s: invalid arguments, nothing was called", server, report.Visible(name))
	for _, p := range problems {
		text += "\n  " + lineOf(p)
	}
	return exit.Usagef("%s", text)
}

// lineOf returns a problem of the arguments as one line, with the nearest valid word if there is one.
func lineOf(p call.Problem) string {
	near := ""
	if p.Word != "" {
		near = kit.DidYouMean(p.Word, p.Words)
	}
	return report.Visible(strings.TrimSpace(p.Path+" "+p.Message) + near)
}

// comparePromise notes where structured content does not match the outputSchema of the tool.
func (c *Client) comparePromise(r call.Result, schema json.RawMessage) {
	problems, sure := r.Promised(schema)
	for _, p := range problems {
		c.note("the tool breaks its outputSchema: structuredContent%s", report.Visible(after(" ", lineOf(p))))
	}
	if !sure {
		c.note("structuredContent could not be checked against the outputSchema of the tool")
	}
}

// request is what is sent, and how its result is read.
type request struct {
	stage   probe.Stage
	message call.Message
	schema  json.RawMessage // of the arguments of a tool
	read    func(json.RawMessage) (call.Result, error)
	inspect func(call.Result)           // looks at the result before it is delivered; may be nil
	record  func(json.RawMessage) error // keeps the result; may be nil
}

func (r request) as(m call.Message) probe.Request {
	return probe.Request{Stage: r.stage, Method: m.Method, Params: m.Params, Schema: r.schema}
}

// do sends a request, reads its result and delivers it under a name. With DryRun it shows the request
// instead.
func (c *Client) do(ctx context.Context, name string, r request) error {
	if c.options.DryRun {
		return c.preview(ctx, r)
	}
	raw, err := c.send(ctx, r)
	if err != nil {
		return explain(err)
	}
	result, err := r.read(raw)
	if err != nil {
		return c.failed(r.stage, "%w", err)
	}
	if r.inspect != nil {
		r.inspect(result)
	}
	if r.record != nil {
		if err := r.record(raw); err != nil {
			return err
		}
	}
	if err := deliver(ctx, c.process, c.options, name, result); err != nil {
		return err
	}
	if result.Failed {
		c.process.Reason("%s: %s reports an error", c.name(), report.Visible(name))
		return exit.Code(exit.Findings)
	}
	return nil
}

// maxRounds bounds how often a server may ask for input before it answers.
const maxRounds = 10

// send sends a request and gives back its result, answering what the server asks on the way.
func (c *Client) send(ctx context.Context, r request) (json.RawMessage, error) {
	m := r.message
	for round := 1; ; round++ {
		raw, err := c.session.Request(ctx, r.as(m))
		if err != nil {
			return nil, err
		}
		need, asked, err := call.InputRequested(raw)
		switch {
		case err != nil:
			return nil, c.failed(r.stage, "%w", err)
		case !asked:
			return raw, nil
		case round == maxRounds:
			return nil, c.failed(r.stage, "the server has asked for input %d times and still does not answer",
				maxRounds)
		}
		if m, err = c.answerRequests(ctx, r.stage, m, need); err != nil {
			return nil, err
		}
	}
}

// preview shows the request that would be sent, secrets masked.
func (c *Client) preview(ctx context.Context, r request) error {
	text, err := c.session.Preview(r.as(r.message))
	if err != nil {
		return explain(err)
	}
	c.process.Note("this would be sent to %s over %s; nothing was", c.name(), c.session.Transport())
	if c.options.format(c.process) != "json" {
		text = []byte(cmp.Or(printable.Indented(text), string(text)))
	}
	return c.options.Output.Bytes(ctx, c.process, append(text, '\n'))
}
