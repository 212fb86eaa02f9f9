package report

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const schemaFile = "../../docs/report.schema.json"

// TestSchema checks every case against the schema that the project ships.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range cases(t) {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(written(t, "json", &one.Report, Options{})))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefuses checks that the schema refuses wrong values, and members of other commands.
func TestSchemaRefuses(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	good := written(t, "json", listOf(Server{Server: seen.Server{Name: "a", State: seen.OK}}), Options{})
	for _, change := range [][2]string{
		{`"mcpctl": 1`, `"mcpctl": 2`},
		{`"state": "ok"`, `"state": "fine"`},
		{`"state": "ok"`, `"state": "ok", "extra": 1`},
		{`"state": "ok"`, `"state": "ok", "url": "http://localhost"`},
		{`"status": 0`, `"status": 7`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatalf("%v: %v", change, err)
		}
		if schema.Validate(value) == nil {
			t.Errorf("the schema accepts %s", change[1])
		}
	}
}

// schemaObject is the part of a JSON schema that names members.
type schemaObject struct {
	Ref        string                  `json:"$ref"`
	AllOf      []schemaObject          `json:"allOf"`
	Properties map[string]schemaObject `json:"properties"`
	Items      *schemaObject           `json:"items"`
	Defs       map[string]schemaObject `json:"$defs"`
	If, Then   *schemaObject
	Const      any
}

// members returns the names of the members that a schema declares, sorted.
func (root schemaObject) members(s schemaObject) []string {
	if s.Ref != "" {
		s = root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	names := kit.SortedKeys(s.Properties)
	for _, part := range s.AllOf {
		names = append(names, root.members(part)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestSchemaTypes compares the members of the Go types with those of the schema: of the report, of the server
// of each command, and of what is in them.
func TestSchemaTypes(t *testing.T) {
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root schemaObject
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	agree := func(name string, value any, s schemaObject) {
		t.Helper()
		if diff := cmp.Diff(root.members(s), jsonMembers(reflect.TypeOf(value))); diff != "" {
			t.Errorf("%s: -schema +type:\n%s", name, diff)
		}
	}
	for _, part := range root.AllOf {
		command := part.If.Properties["command"].Const.(string)
		servers, err := filledBody(command).encoded()
		names := kit.SortedKeys(rawjson.ObjectOf(servers[0]))
		if diff := cmp.Diff(root.members(*part.Then.Properties["servers"].Items), names); diff != "" || err != nil {
			t.Errorf("servers[] of %s: -schema +type:\n%s%v", command, diff, err)
		}
	}
	report := root
	report.AllOf = nil
	if diff := cmp.Diff(root.members(report), slices.Sorted(slices.Values(memberOrder))); diff != "" {
		t.Errorf("report: -schema +order of members:\n%s", diff)
	}
	agree("shard", seen.Shard{}, root.Properties["shard"])
	agree("member", check.Member{}, *root.Properties["shard"].Properties["members"].Items)
	agree("file", config.File{}, *root.Properties["files"].Items)
	agree("rule", finding.Rule{}, *root.Properties["rules"].Items)
	answer, definition := root.Defs["answer"], root.Defs["definition"]
	kinds := kit.Map(snapshot.Kinds(), func(k snapshot.Kind) string { return string(k) })
	slices.Sort(kinds)
	if diff := cmp.Diff(kinds, root.members(answer.Properties["counts"])); diff != "" {
		t.Errorf("counts: -kinds +schema:\n%s", diff)
	}
	agree("incomplete", seen.PartialList{}, *answer.Properties["incomplete"].Items)
	agree("effects", config.Effects{}, definition.Properties["effects"])
	agree("place", clients.Place{}, *root.Defs["serverHead"].Properties["places"].Items)
	agree("login", seen.LoginStatus{}, root.Defs["loginServer"].Properties["login"])
	tools := root.Defs["clientTools"]
	filter := *tools.Properties["filters"].Items
	agree("clientTools", check.ClientTools{}, tools)
	agree("filter", check.ClientFilter{}, filter)
	agree("off", check.ClientOff{}, *filter.Properties["off"].Items)
	agree("unknown", check.ClientEntry{}, *filter.Properties["unknown"].Items)
	agree("off of a finding", finding.OffIn{}, *root.Defs["finding"].Properties["off"].Items)
	agree("calls", finding.Calls{}, root.Defs["finding"].Properties["calls"])
	for name, value := range map[string]any{"failure": seen.Failure{}, "notice": seen.Oddity{}, "saved": seen.Saved{},
		"finding": seen.Judged{}, "summary": seen.Summary{}} {
		agree(name, value, root.Defs[name])
	}
}

// filledBody returns the body of a command with a server none of whose fields is empty.
func filledBody(command string) Body {
	body := bodyNamed(command)
	list := reflect.ValueOf(body).Elem().FieldByName("Servers")
	list.Set(reflect.MakeSlice(list.Type(), 1, 1))
	s := list.Index(0)
	for _, f := range reflect.VisibleFields(s.Type()) {
		field := s.FieldByIndex(f.Index)
		switch f.Type.Kind() {
		case reflect.Struct:
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Pointer:
			field.Set(reflect.New(f.Type.Elem()))
		case reflect.Slice:
			field.Set(reflect.MakeSlice(f.Type, 1, 1))
		case reflect.Map:
			field.Set(reflect.MakeMap(f.Type))
		default:
			field.Set(reflect.ValueOf(1).Convert(f.Type))
		}
	}
	for _, name := range []string{"ServerInfo", "Capabilities"} {
		s.FieldByName(name).Set(reflect.ValueOf(json.RawMessage("{}")))
	}
	return body
}

// jsonMembers returns the names that a type has as JSON, sorted.
func jsonMembers(of reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
