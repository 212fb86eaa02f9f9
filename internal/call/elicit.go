package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ReadOnly reports whether a tool says of itself that it only reads.
func ReadOnly(tool snapshot.Item) bool {
	annotations := snapshot.Item{Raw: tool.Field("annotations")}
	return string(annotations.Field("readOnlyHint")) == "true"
}

// confirm asks the user before a tool is called, unless the tool is declared read-only or --yes is given.
func (c *Client) confirm(ctx context.Context, tool snapshot.Item, args json.RawMessage) error {
	if c.options.Select.Yes || ReadOnly(tool) {
		return nil
	}
	return host.Confirm(ctx, c.process, fmt.Sprintf("%s(%s) on %s (%s)\n%s\n", printable.Message(tool.Key),
		argumentList(args), c.name(), c.session.Transport(), toolClaims(tool.Raw)), "Call it?",
		errUnconfirmed(c.name(), tool.Key), errDeclined(c.name(), tool.Key))
}

// argumentList returns the arguments of a call on one line: "id: 17, note: "a"".
func argumentList(args json.RawMessage) string {
	members, err := rawjson.Members(args)
	if err != nil {
		return printable.OneLine(args)
	}
	return strings.Join(kit.Map(members, func(m rawjson.Member) string {
		return printable.Message(m.Key) + ": " + printable.OneLine(m.Value)
	}), ", ")
}

// answer returns the answer to one request that a server made in a result. No roots are given, and a request
// for a model is an error.
func (c *Client) answer(ctx context.Context, request rawjson.Object) (json.RawMessage, error) {
	switch method := request.Text("method"); method {
	case "roots/list":
		return json.RawMessage(`{"roots":[]}`), nil
	case "sampling/createMessage":
		return nil, errors.New("the server wants a model to answer (sampling); mcpctl has none")
	case "elicitation/create":
		return c.elicit(ctx, request["params"])
	default:
		return nil, errors.New("the server asks for " + Shortened(method) + ", which mcpctl does not know")
	}
}

// The ElicitResults of a person who went to the URL, of one who says no, and of one who does not answer.
var (
	consented = json.RawMessage(`{"action":"accept"}`)
	declined  = json.RawMessage(`{"action":"decline"}`)
	canceled  = json.RawMessage(`{"action":"cancel"}`)
)

// elicit asks the user what a server wants to know (specification, elicitation). Anything that is not an
// answer declines or cancels.
func (c *Client) elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	if c.declines {
		return declined, nil
	}
	c.asking.Lock()
	defer c.asking.Unlock()
	c.clear()
	f := formOf(params)
	if given, err := c.answered(f); given != nil || err != nil {
		return given, err
	}
	t, err := host.OpenTerminal(c.process)
	if err != nil {
		return nil, errUnanswered(f.question())
	}
	defer t.Close()
	t.Printf("mcpctl: the server %s asks:\n", c.name())
	for line := range strings.Lines(f.message) {
		t.Printf("  %s\n", printable.Message(strings.TrimRight(line, "\r\n")))
	}
	ask := f.ask
	if f.url != "" {
		ask = f.visit
	}
	result, err := ask(ctx, t)
	if errors.Is(err, host.ErrNoAnswer) {
		t.Printf("\n")
		return canceled, nil
	}
	return result, err
}

// answersOf reads the values of --answer. Each member of an object in an @FILE is an answer of its own.
func answersOf(p host.Process, flags []string) (all []argument, err error) {
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
			return nil, errAnswers(flag, rawjson.TypeName(whole))
		}
		for _, m := range members {
			all = append(all, argument{m.Key, string(m.Value), true})
		}
	}
	return all, nil
}

// answered returns the form filled in from the answers given beforehand, with its own defaults for what they
// leave out; nil when they name none of its fields.
func (c *Client) answered(f elicitation) (json.RawMessage, error) {
	values := make([]json.RawMessage, len(f.fields))
	var problems []Mismatch
	known := false
	for i, field := range f.fields {
		c.asked = append(c.asked, field.name)
		values[i] = field.preset
		var wrong []Mismatch
		if at := slices.IndexFunc(c.answers, func(a argument) bool { return a.key == field.name }); at >= 0 {
			known = true
			values[i], wrong = field.given(c.answers[at])
		} else if field.required && field.preset == nil {
			wrong = []Mismatch{{Message: lacking}}
		}
		for _, p := range wrong {
			p.Path = rawjson.Join("", field.name) + p.Path
			problems = append(problems, p)
		}
	}
	switch {
	case !known:
		return nil, nil
	case len(problems) == 0:
		return f.accepted(values), nil
	}
	text := "the server asks: " + f.question() + "; what --answer says is not what it takes"
	for _, p := range problems {
		text += "\n  " + p.typed()
	}
	return nil, errors.New(text)
}

// elicitation is what a server asks a person for.
type elicitation struct {
	message string
	url     string // where the person shall go; empty = the fields are asked for
	fields  []field
}

// field is one thing that a person is asked for.
type field struct {
	name, title, about string
	required           bool
	list               bool            // several of the choices may be given
	yesNo              bool            // true or false, and nothing else
	preset             json.RawMessage // nil = none
	choices            []fieldChoice
	place              shape
}

// fieldChoice is one of the values that a field can have.
type fieldChoice struct{ value, title string }

// formOf reads the params of elicitation/create. The fields keep the order of the server.
func formOf(params json.RawMessage) elicitation {
	members := rawjson.ObjectOf(params)
	f := elicitation{message: members.Text("message")}
	if members.Text("mode") == "url" {
		f.url = members.Text("url")
		return f
	}
	root := shapeOf(members["requestedSchema"])
	schema := rawjson.ObjectOf(members["requestedSchema"])
	required := rawjson.Texts(schema["required"])
	properties, _ := rawjson.Members(schema["properties"])
	for _, p := range properties {
		schema := rawjson.ObjectOf(p.Value)
		field := field{name: p.Key, title: schema.Text("title"), about: schema.Text("description"),
			required: slices.Contains(required, p.Key), list: schema.Text("type") == "array",
			yesNo: schema.Text("type") == "boolean", preset: schema["default"], place: root.property(p.Key)}
		if field.list {
			schema = rawjson.ObjectOf(schema["items"])
		}
		field.choices = choicesIn(schema)
		f.fields = append(f.fields, field)
	}
	return f
}

// choicesIn returns the values of enum, with their titles in enumNames, or those of const in oneOf and anyOf.
func choicesIn(schema rawjson.Object) []fieldChoice {
	var all []fieldChoice
	names, _ := rawjson.Elements(schema["enumNames"])
	values, _ := rawjson.Elements(schema["enum"])
	for i, value := range values {
		c := fieldChoice{value: word(value)}
		if i < len(names) {
			c.title = word(names[i])
		}
		all = append(all, c)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		branches, _ := rawjson.Elements(schema[keyword])
		for _, branch := range branches {
			if b := rawjson.ObjectOf(branch); b["const"] != nil {
				value, isText := rawjson.Text(b["const"])
				if !isText {
					value = string(b["const"])
				}
				all = append(all, fieldChoice{value, b.Text("title")})
			}
		}
	}
	return all
}

// question returns what a server asks, as one line, with the names of the fields.
func (f elicitation) question() string {
	names := kit.Map(f.fields, func(f field) string { return f.name })
	return Shortened(f.message + kit.Prefixed(" – ", strings.Join(names, ", ")))
}

// accepted returns the ElicitResult of a person who answers. Nil values are left out.
func (f elicitation) accepted(values []json.RawMessage) json.RawMessage {
	var members []rawjson.Member
	for i, field := range f.fields {
		if values[i] != nil {
			members = append(members, rawjson.Member{Key: field.name, Value: values[i]})
		}
	}
	return rawjson.Build(rawjson.Member{Key: "action", Value: rawjson.Quote("accept")},
		rawjson.Member{Key: "content", Value: rawjson.Build(members...)})
}

// given returns the value of an answer on the command line, with its problems by the schema of the field.
func (f field) given(a argument) (json.RawMessage, []Mismatch) {
	if !a.json {
		return f.value(a.text)
	}
	value, err := a.value(f.place)
	if err != nil {
		return nil, []Mismatch{{Message: err.Error()}}
	}
	return value, f.faults(value)
}

// value returns a person's text as a value of the field: choices with commas, yes or no for booleans. The
// problems are those of the schema.
func (f field) value(text string) (json.RawMessage, []Mismatch) {
	value := f.chosen(text, f.place)
	switch answer := strings.ToLower(strings.TrimSpace(text)); {
	case f.yesNo && (answer == "y" || answer == "yes"):
		value = json.RawMessage("true")
	case f.yesNo && (answer == "n" || answer == "no"):
		value = json.RawMessage("false")
	case f.list && value[0] != '[':
		var all []json.RawMessage
		for part := range strings.SplitSeq(text, ",") {
			all = append(all, f.chosen(strings.TrimSpace(part), f.place.items()))
		}
		value = rawjson.List(all)
	}
	return value, f.faults(value)
}

// chosen returns a text as a value of a place: that of the choice with this title, unless a choice has the
// text as its value.
func (f field) chosen(text string, place shape) json.RawMessage {
	title := strings.TrimSpace(text)
	if !slices.ContainsFunc(f.choices, func(c fieldChoice) bool { return c.value == title }) {
		for _, c := range f.choices {
			if c.title != "" && strings.EqualFold(c.title, title) {
				return place.convert(c.value)
			}
		}
	}
	return place.convert(text)
}

// faults returns the problems of a value by the schema of the field.
func (f field) faults(value json.RawMessage) []Mismatch {
	schema, _ := json.Marshal(f.place.at) // decoded JSON can be encoded
	problems, _ := Check(schema, value)
	return problems
}

// visit shows where a person shall go. It opens nothing. An address that a browser would not take for a web
// page is declined.
func (f elicitation) visit(ctx context.Context, t *host.Terminal) (json.RawMessage, error) {
	u, err := url.Parse(f.url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		t.Printf("  It wants you to open an address that is not a web page, which mcpctl declined:\n  %s\n",
			printable.Message(f.url))
		return declined, nil
	}
	t.Printf("  It wants you to visit %s:\n  %s\n", printable.Message(u.Host), printable.Message(f.url))
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r > unicode.MaxASCII }) {
		t.Printf("  ! The host has letters that can look like others: %+q\n", u.Host)
	}
	t.Printf("  Open it yourself if you trust that host; mcpctl does not.\n")
	answer, err := t.Choose(ctx, "Did you? [y]es, [N]o, [c]ancel: ", "yes", "no", "cancel")
	switch answer {
	case "yes":
		return consented, nil
	case "no":
		return declined, nil
	}
	return canceled, err
}

// ask asks for the fields and lets the person look at the answers before they are sent.
func (f elicitation) ask(ctx context.Context, t *host.Terminal) (json.RawMessage, error) {
	t.Printf("  The server gets what you type: no passwords here. Ctrl-D cancels.\n")
	for range host.MaxAttempts {
		values := make([]json.RawMessage, len(f.fields))
		for i, field := range f.fields {
			var err error
			if values[i], err = field.ask(ctx, t); err != nil {
				return nil, err
			}
		}
		accepted := f.accepted(values)
		t.Printf("  %s\n", printable.OneLine(accepted))
		answer, err := t.Choose(ctx, "Send it? [y]es, [e]dit, [N]o, [c]ancel: ", "yes", "edit", "no",
			"cancel")
		switch answer {
		case "yes":
			return accepted, nil
		case "no":
			return declined, nil
		case "edit":
			continue
		}
		return canceled, err
	}
	return canceled, nil
}

// ask asks for the field until the answer is one that the schema takes. Nil = left out.
func (f field) ask(ctx context.Context, t *host.Terminal) (json.RawMessage, error) {
	t.Printf("  %s%s%s\n", printable.Message(f.name), kit.Prefixed(" – ", printable.Message(f.title)),
		kit.Prefixed(": ", printable.Message(f.about)))
	for _, c := range f.choices {
		t.Printf("    %s%s\n", printable.Message(c.value), kit.Prefixed("  ", printable.Message(c.title)))
	}
	prompt := "  answer: "
	switch {
	case f.preset != nil:
		prompt = "  answer [" + printable.OneLine(f.preset) + "]: "
	case f.yesNo && f.required:
		prompt = "  [y]es or [n]o: "
	case f.yesNo:
		prompt = "  [y]es, [n]o, or nothing: "
	case !f.required:
		prompt = "  answer (or nothing): "
	}
	for range host.MaxAttempts {
		text, err := t.Ask(ctx, prompt, false)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" && (f.preset != nil || !f.required) {
			return f.preset, nil
		}
		value, problems := f.value(text)
		if len(problems) == 0 {
			return value, nil
		}
		for _, p := range problems {
			t.Printf("  %s\n", p.typed())
		}
	}
	return nil, host.ErrNoAnswer
}

// toolClaims returns in one line of 80 columns what the server says of calling a tool that does not only
// read, in fixed words.
func toolClaims(tool json.RawMessage) string {
	annotations := rawjson.ObjectOf(rawjson.ObjectOf(tool)["annotations"])
	var claims []string
	claim := func(hint, yes, no string) (known bool) {
		value, known := annotations.Bool(hint)
		if known {
			claims = append(claims, map[bool]string{true: yes, false: no}[value])
		}
		return known
	}
	known := claim("destructiveHint", "it may destroy something", "it only adds something")
	claim("idempotentHint", "calling it again changes nothing", "calling it again does it again")
	says := "the server says: " + strings.Join(claims, "; ")
	switch {
	case len(claims) == 0:
		return "it may change something; the server does not say what"
	case !known:
		return "it may change something; " + says
	}
	return says
}
