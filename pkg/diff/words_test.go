package diff_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// TestWhatFindingsSay is what a reader is reported: the sentence, what to do instead, and what it has in common
// with others.
func TestWhatFindingsSay(t *testing.T) {
	tool := func(name, members string) string { return `{"name":"` + name + `"` + members + `}` }
	input := func(properties string) string {
		return `{"tools":[` + tool("t", `,"inputSchema":{"type":"object","properties":{`+properties+`}}`) + `]}`
	}
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"a tool by another name": {`{"tools":[` + tool("alpha", `,"description":"Finds."`) + `]}`,
			`{"tools":[` + tool("zulu", `,"description":"Finds."`) + `]}`, []string{
				"breaking tool/alpha: `alpha` was renamed to `zulu`. → call `zulu` instead",
			}},
		"by its arguments": {`{"tools":[` + tool("alpha", `,"inputSchema":{"properties":{"q":{}}}`) + `]}`,
			`{"tools":[` + tool("zulu", `,"inputSchema":{"properties":{"q":{}}}`) + `]}`, []string{
				"breaking tool/alpha: `alpha` was renamed to `zulu`. → call `zulu` instead",
			}},
		"another tool that says nothing": {`{"tools":[` + tool("alpha", ``) + `]}`, `{"tools":[` + tool("zulu", ``) + `]}`, []string{
			"breaking tool/alpha: `alpha` was removed. (Removed tools)",
			"info tool/zulu: `zulu` is new. (New tools)",
		}},
		"another spelling": {`{"tools":[` + tool("get_user", ``) + `]}`, `{"tools":[` + tool("getUser", ``) + `]}`, []string{
			"breaking tool/get_user: `get_user` was renamed to `getUser`. → call `getUser` instead",
		}},
		"the closest is hinted at": {`{"tools":[` + tool("list_users", `,"description":"A."`) + `]}`,
			`{"tools":[` + tool("list_user_names", `,"description":"B."`) + `,` + tool("list_all_users", `,"description":"C."`) + `]}`,
			[]string{
				"info tool/list_all_users: `list_all_users` is new. (New tools)",
				"info tool/list_user_names: `list_user_names` is new. (New tools)",
				"breaking tool/list_users: `list_users` was removed. → `list_users` possibly renamed to `list_all_users` (Removed tools)",
			}},
		"removed as it said": {`{"tools":[` + tool("a", `,"description":"DEPRECATED: use find_all instead"`) + `]}`, `{"tools":[]}`,
			[]string{
				"breaking tool/a: `a` was removed; it was deprecated without a date. → use `find_all` instead, as announced (Removed " +
					"tools)",
			}},
		"deprecated": {`{"tools":[` + tool("a", `,"description":"Finds."`) + `]}`,
			`{"tools":[` + tool("a", `,"description":"DEPRECATED: use find_all instead. Finds."`) + `]}`, []string{
				"info tool/a/description: `a` is now deprecated. → use `find_all` instead (Deprecated items)",
				"warning tool/a/description: The description changed. (Descriptions changed)",
			}},
		"a capability with what it had": {`{"mcpctl":1,"capabilities":{"tools":{}},"tools":[` + tool("a", ``) + `,` + tool("b", ``) + `]}`,
			`{"mcpctl":1,"capabilities":{}}`, []string{
				"breaking /capabilities/tools: The capability `tools` was removed, and with it 2 tools.",
			}},
		"a capability without": {`{"mcpctl":1,"capabilities":{"logging":{}}}`, `{"mcpctl":1,"capabilities":{}}`, []string{
			"breaking /capabilities/logging: The capability `logging` was removed.",
		}},
		"a capability that comes": {`{"mcpctl":1,"capabilities":{}}`, `{"mcpctl":1,"capabilities":{"logging":{}}}`, []string{
			"info /capabilities/logging: The capability `logging` is new.",
		}},
		"other values of one": {input(`"a":{"const":1,"title":"A"}`), input(`"a":{"const":2,"title":"A"}`), []string{
			"breaking tool/t/inputSchema/properties/a: The accepted values of `a` changed from 1 to 2.",
		}},
		"an app that moves": {`{"tools":[` + tool("a", `,"_meta":{"ui":{"resourceUri":"ui://1"}}`) + `]}`,
			`{"tools":[` + tool("a", `,"_meta":{"ui":{"resourceUri":"ui://2"}}`) + `]}`, []string{
				`warning tool/a/_meta/ui/resourceUri: The app that the tool shows to the user changed from "ui://1" to "ui://2".`,
			}},
		"and what stands beside it": {`{"tools":[` + tool("a", `,"_meta":{"ui":{"resourceUri":"ui://1","x":1}}`) + `]}`,
			`{"tools":[` + tool("a", `,"_meta":{"ui":{"resourceUri":"ui://2","x":2}}`) + `]}`, []string{
				"info tool/a/_meta: `_meta` changed at /ui/x.",
				`warning tool/a/_meta/ui/resourceUri: The app that the tool shows to the user changed from "ui://1" to "ui://2".`,
			}},
		"an app that comes": {`{"tools":[` + tool("a", `,"_meta":{"y":1}`) + `]}`,
			`{"tools":[` + tool("a", `,"_meta":{"y":1,"ui":{"resourceUri":"ui://2"}}`) + `]}`, []string{
				"warning tool/a/_meta/ui/resourceUri: The app that the tool shows to the user changed.",
			}},
		"a name that people see": {`{"tools":[` + tool("a", `,"title":"A"`) + `]}`, `{"tools":[` + tool("a", ``) + `]}`, []string{
			`info tool/a/title: The title changed from "A" to "a". (The title changed)`,
		}},
		"members of a member, three": {`{"tools":[` + tool("a", `,"_meta":{"x":1,"y":1,"z":1}`) + `]}`,
			`{"tools":[` + tool("a", `,"_meta":{"x":2,"y":2,"z":2}`) + `]}`, []string{
				"info tool/a/_meta: `_meta` changed at /x, /y, /z.",
			}},
		"members of a member, five": {`{"tools":[` + tool("a", `,"_meta":{"x":1,"y":1,"z":1,"l":[1]}`) + `]}`,
			`{"tools":[` + tool("a", `,"_meta":{"x":2,"y":2,"z":2,"l":[2,3]}`) + `]}`, []string{
				"info tool/a/_meta: `_meta` changed at /l/0, /l/1, /x, 2 more.",
			}},
		"a member as a whole": {`{"tools":[` + tool("a", `,"_meta":{"x":1}`) + `]}`, `{"tools":[` + tool("a", `,"_meta":"x"`) + `]}`,
			[]string{
				"info tool/a/_meta: `_meta` changed as a whole.",
			}},
		"a schema without a meaning": {input(`"a":{"type":"string"}`), input(`"a":{"type":"text"}`), []string{
			"warning tool/t/inputSchema/properties/a: The change of `a` could not be decided: names a type that does not exist (type) at " +
				"/properties/a/type.",
			"breaking tool/t/inputSchema/properties/a/type: At /properties/a/type: names a type that does not exist.",
		}},
		"texts that name nothing": {input(`"a":{"type":"string","description":"One."}`),
			input(`"a":{"type":"string","description":"Two."}`), []string{
				"warning tool/t/inputSchema/properties/a: The description of `a` changed. (Descriptions changed)",
			}},
		"a rename that breaks because of another change": {input(`"a":{"type":"string"}`),
			`{"tools":[` + tool("t", `,"inputSchema":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}`) +
				`]}`, []string{
				"warning tool/t/inputSchema: The input no longer accepts undeclared members.",
				"breaking tool/t/inputSchema/properties/a: `a` was renamed to `b`, and unknown arguments are now rejected. → send `b` " +
					"instead",
			}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range compared(t, parse(t, c.old), parse(t, c.new), diff.Options{}) {
				line := f.Level.String() + " " + f.Item + f.Path + ": " + f.Message
				if f.Hint != "" {
					line += " → " + f.Hint
				}
				if f.Cause != "" {
					line += " (" + f.Cause + ")"
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnnouncedEnds: a removal that was announced for a day is a warning from that day on, and a break before it or without a day.
func TestAnnouncedEnds(t *testing.T) {
	now := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	for sunset, want := range map[string]string{
		`,"sunset":"2026-06-29"`: "warning: `a` was removed, as announced for 2026-06-29.",
		`,"sunset":"2026-12-31"`: "breaking: `a` was removed, before the announced date 2026-12-31.",
		``:                       "breaking: `a` was removed; it was deprecated without a date.",
	} {
		old := parse(t, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"_meta":{"deprecated":true`+sunset+`}}]}`)
		var got []string
		for _, f := range compared(t, old, parse(t, `{"tools":[]}`), diff.Options{Now: now}) {
			got = append(got, f.Level.String()+": "+f.Message)
		}
		if d := cmp.Diff([]string{want}, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", sunset, d)
		}
	}
}
