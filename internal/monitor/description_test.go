package monitor

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"mime"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

var update = flag.Bool("update", false, "rewrite what is generated in docs")

// TestDescriptionIsPublished keeps the copy in docs equal to what is served.
func TestDescriptionIsPublished(t *testing.T) {
	const page = "../../docs/openapi.json"
	if *update {
		if err := os.WriteFile(page, description, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(published, description) {
		t.Errorf("docs/openapi.json differs from internal/monitor/openapi.json (%v): run this test with -update", err)
	}
}

// described is the part of the document that the tests read.
type described struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Responses map[string]answer
		Schemas   map[string]struct {
			Enum       []string
			Properties map[string]any
		}
	}
}

type answer struct {
	Ref     string                     `json:"$ref"`
	Content map[string]json.RawMessage // by media type
}

// operations are the responses of each "METHOD path", by status.
func (d described) operations(t *testing.T) map[string]map[string]answer {
	all := map[string]map[string]answer{}
	for path, methods := range d.Paths {
		for method, raw := range methods {
			if method == "parameters" {
				continue
			}
			var operation struct{ Responses map[string]answer }
			if err := json.Unmarshal(raw, &operation); err != nil {
				t.Fatal(err)
			}
			for status, a := range operation.Responses {
				if name, ok := strings.CutPrefix(a.Ref, "#/components/responses/"); ok {
					operation.Responses[status] = d.Components.Responses[name]
				}
			}
			all[strings.ToUpper(method)+" "+path] = operation.Responses
		}
	}
	return all
}

func describedRoutes(t *testing.T) described {
	var d described
	if err := json.Unmarshal(description, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEveryRouteIsDescribed and nothing else is; so are the states and the causes.
func TestEveryRouteIsDescribed(t *testing.T) {
	d := describedRoutes(t)
	var routes []string
	for _, r := range New(Options{}).routes() {
		routes = append(routes, r.method+" "+r.path)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(routes)), slices.Sorted(maps.Keys(d.operations(t)))); diff != "" {
		t.Errorf("routes (-served +described):\n%s", diff)
	}
	var states []string
	for _, s := range watch.States() {
		states = append(states, string(s))
	}
	if diff := cmp.Diff(states, d.Components.Schemas["State"].Enum); diff != "" {
		t.Errorf("states (-known +described):\n%s", diff)
	}
}

// TestEveryFieldIsDescribed holds the keys of what is told against the schemas.
func TestEveryFieldIsDescribed(t *testing.T) {
	d := describedRoutes(t)
	for name, value := range map[string]any{
		"Event": report.Event{}, "Counts": report.Counts{}, "Failure": report.Failure{}, "WatchCounts": watch.Counts{},
		"Server": oneServer{}, "Servers": fleet{}, "Health": healthy{}, "Problem": problem{}, "Refresh": refreshed{}, "Changes": changed{}, "Change": story{}, "Missed": missed{},
	} {
		var keys []string
		for field := range reflect.TypeOf(value).Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if diff := cmp.Diff(keys, slices.Sorted(maps.Keys(d.Components.Schemas[name].Properties))); diff != "" {
			t.Errorf("%s (-written +described):\n%s", name, diff)
		}
	}
}

// TestEveryResponseIsAsDescribed asks for every response that the document knows and holds it against its schema, in which
// no other keys are allowed.
func TestEveryResponseIsAsDescribed(t *testing.T) {
	expected := describedRoutes(t).operations(t)
	schemas := compile(t)
	seen := map[string]bool{}
	for _, c := range requests() {
		t.Run(c.name(), func(t *testing.T) {
			m := monitorOf(Options{Loopback: true, Token: "t0ken"}, five()...)
			if c.before != nil {
				c.before(m)
			}
			if c.ends {
				m.Close()
			}
			response, body := ask(t, m.Handler(), c.method, c.path, c.body, append([]string{"Authorization: Bearer t0ken"}, c.headers...)...)
			if got := fmt.Sprint(response.StatusCode); got != c.status {
				t.Fatalf("status %s, want %s: %s", got, c.status, body)
			}
			seen[c.operation+" "+c.status] = true
			kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
			content := expected[c.operation][c.status].Content
			if _, known := content[kind]; !known && (len(content) > 0 || body != "") {
				t.Fatalf("%q is not described as the content of %s %s, but %v", kind, c.operation, c.status, slices.Collect(maps.Keys(content)))
			}
			for _, document := range documents(kind, body) {
				if err := schemas(c.operation, c.status, kind, document); err != nil {
					t.Errorf("%v\n%s", err, document)
				}
			}
		})
	}
	for operation, statuses := range expected {
		for status := range statuses {
			if !seen[operation+" "+status] {
				t.Errorf("%s %s is described, and no request of this test gets it", operation, status)
			}
		}
	}
}

// documents are the JSON values of a body.
func documents(kind, body string) []string {
	switch kind {
	case "application/json", "application/problem+json":
		return []string{body}
	case "text/event-stream":
		var all []string
		for line := range strings.Lines(body) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				all = append(all, data)
			}
		}
		return all
	}
	return nil
}

// compile gives a judge of bodies by the schema of a response. Objects have no keys but those that are described.
func compile(t *testing.T) func(operation, status, kind, body string) error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(description))
	if err != nil {
		t.Fatal(err)
	}
	closeObjects(document)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	operations := describedRoutes(t)
	for name := range operations.Components.Schemas {
		if _, err := compiler.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s is no schema: %v", name, err)
		}
	}
	return func(operation, status, kind, body string) error {
		method, path, _ := strings.Cut(operation, " ")
		at := []string{"paths", path, strings.ToLower(method), "responses", status}
		var raw struct{ Responses map[string]answer }
		if err := json.Unmarshal(operations.Paths[path][strings.ToLower(method)], &raw); err != nil {
			return err
		}
		if name, ok := strings.CutPrefix(raw.Responses[status].Ref, "#/components/responses/"); ok {
			at = []string{"components", "responses", name}
		}
		pointer := ""
		for _, step := range append(at, "content", kind, "schema") {
			pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(step)
		}
		schema, err := compiler.Compile("openapi.json#" + pointer)
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err != nil {
			return err
		}
		return schema.Validate(value)
	}
}

// closeObjects forbids further keys wherever some are described.
func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeObjects(member)
		}
	case []any:
		for _, element := range v {
			closeObjects(element)
		}
	}
}
