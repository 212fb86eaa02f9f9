package usage

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// read is what an import finds in lines.
func read(t *testing.T, lines ...string) ([]Call, Count) {
	t.Helper()
	var calls []Call
	in := Import{Progress: (&Progress{}).made(), Now: now, Each: func(c Call) { calls = append(calls, c) }}
	if err := in.Stream(context.Background(), strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	return calls, in.Count
}

var day = time.Date(2026, 11, 2, 9, 14, 3, 0, time.UTC)

// recorded are lines of each source, and the calls in them. The forms are those that docs/usage-records.md names the origin of.
func recorded() map[string]recordedCalls {
	all := map[string]recordedCalls{
		"claude": {[]string{
			`{"type":"assistant","timestamp":"2026-11-02T09:14:03Z","cwd":"/home/jane/shop","message":{"id":"msg_01","content":[{"type":"text","text":"…"},{"type":"tool_use","id":"a","name":"mcp__orders__list__all","input":{"n":1}},{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"b","content":"…"},{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"\"tool_use_id\":\"x\""}]}]}}`,
		}, []Call{{"a", "orders", "list__all", "claude-code", "shop", day, json.RawMessage(`{"n":1}`), true, json.RawMessage(`[{"type":"text","text":"\"tool_use_id\":\"x\""}]`)}}},
		"claude, with what is structured": {[]string{
			`{"type":"assistant","timestamp":"2026-11-02T09:14:03Z","message":{"content":[{"type":"tool_use","id":"a","name":"mcp__o__x","input":{}}]}}`,
			`{"type":"user","mcpMeta":{"structuredContent":{"id":1}},"message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"one order"}]}}`,
		}, []Call{{"a", "o", "x", "claude-code", "", day, json.RawMessage(`{}`), false, json.RawMessage(`{"id":1}`)}}},
		"claude without an answer": {[]string{
			`{"type":"assistant","timestamp":"2026-11-02T09:14:03Z","message":{"content":[{"type":"tool_use","id":"a","name":"mcp__o__x","input":{}}]}}`,
		}, []Call{{"a", "o", "x", "claude-code", "", day, json.RawMessage(`{}`), false, nil}}},
		"codex": {[]string{
			`{"timestamp":"2026-11-02T09:14:00Z","type":"session_meta","payload":{"id":"s","cwd":"C:\\Users\\jane\\web\\","cli_version":"0.169.0"}}`,
			`{"timestamp":"2026-11-02T09:14:03Z","type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"my orders","tool":"list.all","arguments":{"n":1}},"duration":{"secs":0},"result":{"Err":"no"}}}`,
		}, []Call{{"c", "my orders", "list.all", "codex", "web", day, json.RawMessage(`{"n":1}`), true, nil}}},
		"codex, the model's side alone": {[]string{
			`{"timestamp":"2026-11-02T09:14:03Z","type":"response_item","payload":{"type":"function_call","name":"mcp__orders__list","arguments":"{\"n\":1}","call_id":"d"}}`,
			`{"timestamp":"2026-11-02T09:14:03Z","type":"response_item","payload":{"type":"function_call","name":"list","namespace":"mcp__orders","arguments":"{}","call_id":"e"}}`,
			`{"timestamp":"2026-11-02T09:14:03Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":\"mcp__x__y\"}","call_id":"f"}}`,
			`{"timestamp":"2026-11-02T09:14:04Z","type":"response_item","payload":{"type":"function_call_output","call_id":"e","output":{"content":"no","success":false}}}`,
			`{"timestamp":"2026-11-02T09:14:04Z","type":"response_item","payload":{"type":"function_call_output","call_id":"d","output":"[]"}}`,
		}, []Call{{"e", "orders", "list", "codex", "", day, json.RawMessage(`{}`), true, json.RawMessage(`"no"`)}, {"d", "orders", "list", "codex", "", day, json.RawMessage(`{"n":1}`), false, json.RawMessage(`"[]"`)}}},
		"codex, both sides": {[]string{
			`{"timestamp":"2026-11-02T09:14:03Z","type":"response_item","payload":{"type":"function_call","name":"mcp__my_orders__list","arguments":"{}","call_id":"c"}}`,
			`{"timestamp":"2026-11-02T09:14:03Z","type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"my orders","tool":"list","arguments":null},"result":{"Ok":{"content":[]}}}}`,
			`{"timestamp":"2026-11-02T09:14:04Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"[]"}}`,
		}, []Call{{"c", "my orders", "list", "codex", "", day, json.RawMessage(`{}`), false, json.RawMessage(`{"content":[]}`)}}},
		"written for people": {[]string{
			`{"server":"s","tool":"a"}`, "{", `  "server": "s",`, `  "tool": "b"`, "}", "{", "\t\"server\": \"s\",", "\t\"tool\": \"c\"", "}",
		}, []Call{{Server: "s", Tool: "a"}, {Server: "s", Tool: "b"}, {Server: "s", Tool: "c"}}},
		"otlp, told by the client and by the server": {[]string{
			`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"orders"}}]},"scopeSpans":[{"spans":[
			{"traceId":"t","spanId":"2","parentSpanId":"1","kind":2,"startTimeUnixNano":"1793610843000000000","attributes":[{"key":"mcp.method.name","value":{"stringValue":"tools/call"}},{"key":"gen_ai.tool.name","value":{"stringValue":"list"}}]},
			{"traceId":"t","spanId":"1","kind":3,"startTimeUnixNano":"1793610843000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"list"}},{"key":"mcp.server.name","value":{"stringValue":"orders"}},{"key":"mcp.client.name","value":{"stringValue":"agent"}},{"key":"error.type","value":{"stringValue":"tool_error"}},{"key":"gen_ai.tool.call.result","value":{"stringValue":"{}"}},
			{"key":"gen_ai.tool.call.arguments","value":{"kvlistValue":{"values":[{"key":"n","value":{"intValue":"1"}},{"key":"l","value":{"arrayValue":{"values":[{"boolValue":true},{"doubleValue":0.5},{}]}}}]}}}]}]}]}]}`,
		}, []Call{{"t1", "orders", "list", "agent", "", time.Date(2026, 11, 2, 9, 14, 3, 0, time.UTC), json.RawMessage(`{"n":1,"l":[true,0.5,null]}`), true, json.RawMessage(`"{}"`)}}},
		"lines": {[]string{
			`{"id":"a","server":"s","tool":"t","arguments":"{\"n\":1}","consumer":"me","result":{"a":1},"time":1793610843}`,
			`{"server":"s","tool":"t","time":"2026-11-02 09:14:03","isError":true,"project":"shop"}`,
		}, []Call{{"s\x00me\x00a", "s", "t", "me", "", day, json.RawMessage(`{"n":1}`), false, json.RawMessage(`{"a":1}`)}, {"", "s", "t", "", "shop", day, nil, true, nil}}},
	}
	for _, c := range all {
		for i := range c.lines {
			c.lines[i] = strings.ReplaceAll(c.lines[i], "\n", "")
		}
	}
	return all
}

type recordedCalls struct {
	lines []string
	want  []Call
}

// TestImporters reads a line of each source.
func TestImporters(t *testing.T) {
	for name, c := range recorded() {
		got, count := read(t, c.lines...)
		for i := range got {
			got[i].Time = got[i].Time.UTC()
		}
		if diff := cmp.Diff(c.want, got); diff != "" || count.Damaged > 0 {
			t.Errorf("%s: %+v (-want +got)\n%s", name, count, diff)
		}
	}
}

// TestImportersOnDamage: whatever is cut off at the end, or put between, all other calls are read, and none is read that was not there.
func TestImportersOnDamage(t *testing.T) {
	key := func(c Call) string {
		return fmt.Sprintf("%s %s %s %s", c.Agent, flat(c.Server), c.Tool, c.Arguments)
	}
	for name, c := range recorded() {
		known := map[string]bool{}
		for _, call := range c.want {
			known[key(call)] = true
		}
		whole := strings.Join(c.lines, "\n")
		for at := 0; at < len(whole); at += 7 {
			calls, _ := read(t, whole[:at])
			for _, call := range calls {
				if !known[key(call)] {
					t.Fatalf("%s: %s is found in %s", name, key(call), whole[:at])
				}
			}
		}
	}
	for name, c := range recorded() {
		mixed := hostile()
		for _, line := range c.lines {
			mixed = append(append(mixed, line), hostile()...)
		}
		if name == "written for people" { // what stands between is torn
			mixed = append(hostile(), c.lines...)
		}
		calls, count := read(t, mixed...)
		rs, found := NewRecords(), 0
		for _, call := range calls {
			if rs.Add(call, Keep{All: true}, now); call.Tool != "odd" {
				found++
			}
		}
		if found != len(c.want) || count.Damaged == 0 {
			t.Errorf("%s: %d calls are found between what is damaged, want %d; %+v", name, found, len(c.want), count)
		}
		if again, err := ReadRecords(rs.JSON()); err != nil || string(again.JSON()) != string(rs.JSON()) || strings.ContainsAny(string(rs.JSON()), "\x00\x1b\n") {
			t.Errorf("%s: they are kept as %s, %v", name, rs.JSON(), err)
		}
	}
}

// hostile are lines that nobody writes who means well; the calls in them are of the tool odd.
func hostile() []string {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	return []string{
		`{"server":"s\u001b[2J\u0000","tool":"odd","arguments":{"\u001b]0;x\u0007":"\u202e","n":1e999999999,"a":-0.0}}`,
		`{"server":"s","tool":"odd","arguments":{"a":1,"a":"twice"},"server":"s"}`,
		`{"server":"s","tool":"odd","consumer":"` + strings.Repeat("x", 100000) + `","arguments":"{\"a\":\"{}\"}","project":"../../etc/passwd"}`,
		`{"server":"s","tool":"odd","arguments":{"deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `},"result":{"deep":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}}`,
		`{"server":"s","tool":"odd2","arguments":` + deep + `}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"\u0000","is_error":"perhaps"}]}}`,
		`{"type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":7,"invocation":[],"result":0}}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[null,{"attributes":[null,{"key":"mcp.tool.name","value":{"kvlistValue":7}}]}]}]}]}`,
		"{\"server\":\"\xff\xfe\",\"tool\":", "\x1b[2J", `{"server":{},"tool":[]}`, `{"tool":"t","server":""}`, `{}`, `[]`, `{"message":null,"tool_use":"mcp__"}`,
	}
}

// TestTimes: a time is read as it is usually written; one that is none, or lies ahead, is that of the import.
func TestTimes(t *testing.T) {
	for written, want := range map[string]string{
		`"2026-11-02T09:14:03+02:00"`: "2026-11-02 07:14", `"2026-11-02 09:14:03"`: "2026-11-02 09:14", `"2026-11-02"`: "2026-11-02 00:00",
		`1793610843`: "2026-11-02 09:14", `1793610843.5`: "2026-11-02 09:14", `1793610843000`: "2026-11-02 09:14", `1793610843000000`: "2026-11-02 09:14", `1793610843000000000`: "2026-11-02 09:14",
		`"2036-01-01"`: "2026-11-22 12:00", `"9999-12-31T23:59:59Z"`: "2026-11-22 12:00", `99999999999`: "2026-11-22 12:00",
		`1e300`: "", `-5`: "", `0`: "", `"soon"`: "", `null`: "", `{}`: "", `"NaN"`: "",
	} {
		calls, _ := read(t, `{"server":"s","tool":"t","time":`+written+`}`)
		got := ""
		if !calls[0].Time.IsZero() {
			got = calls[0].Time.UTC().Format("2006-01-02 15:04")
		}
		if got != want {
			t.Errorf("%s is %q, want %q", written, got, want)
		}
	}
}

// TestTooOld: what would not be kept is told apart from what is new.
func TestTooOld(t *testing.T) {
	var tools []string
	in := Import{Progress: (&Progress{}).made(), Now: now, From: "2026-11-01", Each: func(c Call) { tools = append(tools, c.Tool) }}
	lines := `{"server":"s","tool":"old","time":"2026-10-31"}` + "\n" + `{"server":"s","tool":"first","time":"2026-11-01"}` + "\n" + `{"server":"s","tool":"undated"}`
	if err := in.Stream(t.Context(), strings.NewReader(lines)); err != nil || strings.Join(tools, " ") != "first undated" || in.Count.Old != 1 || in.Count.Calls != 2 {
		t.Errorf("%v, %+v, %v", tools, in.Count, err)
	}
}

// TestEndless: no line without an end, and nothing that is no file, keeps an import from ending.
func TestEndless(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := Import{Progress: (&Progress{}).made(), Now: now, Each: func(Call) {}}
	read := 0
	err := in.Stream(ctx, readFunc(func(p []byte) (int, error) {
		if read += len(p); read > 3*longestLine {
			cancel()
		}
		return len(p), nil
	}))
	if !errors.Is(err, context.Canceled) || read > 4*longestLine {
		t.Errorf("after %d bytes: %v", read, err)
	}
	if err := in.Path(t.Context(), os.DevNull); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("%s: %v", os.DevNull, err)
	}
}

// readFunc is a stream that a function gives.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestRename gives servers another name, with all that is known of them, and joins what is one then.
func TestRename(t *testing.T) {
	rs := NewRecords()
	for _, server := range []string{"a", "b", "b", "c"} {
		rs.Add(Call{Server: server, Tool: "t", Time: now, Result: json.RawMessage(`{"x":1}`)}, Keep{}, now)
	}
	if n := rs.Rename(map[string]string{"b": "a", "c": "c", "z": "a"}); n != 2 || !slices.Equal(rs.Servers(), []string{"a", "c"}) {
		t.Errorf("%d calls are renamed, of %v", n, rs.Servers())
	}
	if u := rs.Of([]string{"a"}, WindowOf(Retention, now)).Held("t", "/x"); u.Calls != 3 || u.Held != 3 || len(rs.byKey) != 4 {
		t.Errorf("%+v, %d records", u, len(rs.byKey))
	}
}

// TestDamage skips what is torn, too long or no call, and reads what is between.
func TestDamage(t *testing.T) {
	long := `{"server":"s","tool":"t","arguments":{"a":"` + strings.Repeat("x", longestLine) + `"}}`
	calls, count := read(t, `{"server":"s","tool":"t1"}`, "", long, `{"server":"s","tool":"t","arguments":{`, "\x00\xff", `[1]`, `{"server":1,"tool":"t"}`, `{"resourceSpans":"}`, `{"server":"s","tool":"t2"}`, `{"server":"s","tool":"t`)
	if len(calls) != 2 || calls[1].Tool != "t2" || count.Damaged != 6 {
		t.Errorf("%d calls, %+v", len(calls), count)
	}
}

// TestTornObjects skips what was written for people and does not end, and reads what follows.
func TestTornObjects(t *testing.T) {
	calls, count := read(t, "{", `  "server": "s",`, `{"server":"s","tool":"t1"}`, "{", strings.Repeat(" "+strings.Repeat("x", 1<<20)+"\n", 17)+"}", `{"server":"s","tool":"t2"}`, "{", `  "server": "s"`)
	if len(calls) != 2 || calls[1].Tool != "t2" || count.Damaged != 3 {
		t.Errorf("%d calls, %+v", len(calls), count)
	}
}

// TestAnswersInLaterImports: a call of today that has no answer yet is counted when there is one, or when nobody expects one any more,
// and what is read again for its sake is told once.
func TestAnswersInLaterImports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	asked := func(id, when string) string {
		return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"tool_use","id":%q,"name":"mcp__s__%s","input":{}}]}}`, when, id, id) + "\n"
	}
	answered := func(id string) string {
		return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":true}]}}`, id) + "\n"
	}
	first := asked("old", "2026-11-20T09:00:00Z") + asked("a", "2026-11-22T09:00:00Z") + "damaged\n" + asked("b", "2026-11-22T09:00:01Z") + answered("b") + asked("c", "2026-11-22T09:00:02Z")
	progress := (&Progress{}).made()
	for i, step := range []struct {
		content, want string
		now           time.Time
		count         Count
	}{
		{first, "b true, old false", now, Count{Files: 1, Calls: 2, Waiting: 2, Damaged: 1}},
		{first, "", now, Count{Unchanged: 1, Waiting: 2}},
		{first + answered("a"), "a true", now, Count{Files: 1, Calls: 1, Waiting: 1}},
		{first + answered("a"), "c false", now.Add(longestWait), Count{Unchanged: 1, Calls: 1}},
		{first + answered("a") + answered("c"), "", now.Add(longestWait), Count{Files: 1}},
	} {
		if err := os.WriteFile(path, []byte(step.content), 0o600); err != nil {
			t.Fatal(err)
		}
		var calls []string
		in := Import{Progress: progress, Now: step.now, Each: func(c Call) { calls = append(calls, fmt.Sprint(c.Tool, " ", c.Failed)) }}
		if err := in.Path(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(calls, ", "); got != step.want || in.Count != step.count {
			t.Errorf("%d: %q, %+v; want %q, %+v", i, got, in.Count, step.want, step.count)
		}
	}
}

// TestCompressed reads what gzip or zstd compressed, once, and what is whole of it if it is damaged.
func TestCompressed(t *testing.T) {
	for ending, writer := range map[string]func(io.Writer) (flushing, error){
		".gz":  func(to io.Writer) (flushing, error) { return gzip.NewWriter(to), nil },
		".zst": func(to io.Writer) (flushing, error) { return zstd.NewWriter(to) },
	} {
		dir := t.TempDir()
		var zipped bytes.Buffer
		w, err := writer(&zipped)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(w, `{"server":"s","tool":"a","id":"1"}`)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		cut := zipped.Len()
		fmt.Fprintln(w, `{"server":"s","tool":"b","id":"2"}`)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"calls.jsonl": zipped.Bytes(), "cut.json": zipped.Bytes()[:cut], "none.jsonl": []byte("{}"), "empty.jsonl": nil, "text": zipped.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, name+ending), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		progress := (&Progress{}).made()
		for _, want := range []Count{{Files: 4, Calls: 2, Again: 1, Damaged: 2}, {Unchanged: 4}} {
			in := Import{Progress: progress, Now: now, Each: func(Call) {}}
			if err := in.Path(t.Context(), dir); err != nil || in.Count != want {
				t.Errorf("%s: %+v, %v, want %+v", ending, in.Count, err, want)
			}
		}
	}
}

// flushing is a writer that compresses.
type flushing interface {
	io.WriteCloser
	Flush() error
}

// TestIncremental reads of a file that grows what is new, of one that was replaced everything, and a torn end when it is whole.
func TestIncremental(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	progress := (&Progress{}).made()
	line := func(tool string) string { return fmt.Sprintf(`{"server":"s","tool":%q}`, tool) }
	for _, step := range []struct {
		content, want string
		unchanged     int
	}{
		{line("a") + "\n" + line("b") + "\n" + line("c")[:10], "a b", 0},
		{line("a") + "\n" + line("b") + "\n" + line("c")[:10], "", 1},
		{line("a") + "\n" + line("b") + "\n" + line("c"), "c", 0},
		{line("a") + "\n" + line("b") + "\n" + line("c") + "\n" + line("d") + "\n", "d", 0},
		{line("z") + "\n", "z", 0},
	} {
		if err := os.WriteFile(path, []byte(step.content), 0o600); err != nil {
			t.Fatal(err)
		}
		var tools []string
		in := Import{Progress: progress, Now: now, Each: func(c Call) { tools = append(tools, c.Tool) }}
		if err := in.Path(context.Background(), path); err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(progress)
		progress = &Progress{}
		if err := json.Unmarshal(data, progress); err != nil {
			t.Fatal(err)
		}
		progress.made()
		if got := strings.Join(tools, " "); got != step.want || in.Count.Unchanged != step.unchanged {
			t.Errorf("read %q, want %q; %+v", got, step.want, in.Count)
		}
	}
}

// TestShapes: what is kept of a value, and what of a text that may be a choice.
func TestShapes(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                       `{"type":"object","members":{}}`,
		`null`:                     `{"type":"object"}`,
		`{"a":null}`:               `{"type":"object","members":{"a":{"type":"null"}}}`,
		`{"a":true}`:               `{"type":"object","members":{"a":{"type":"boolean","value":true}}}`,
		`{"a":500}`:                `{"type":"object","members":{"a":{"type":"integer","value":500}}}`,
		`{"a":-1234}`:              `{"type":"object","members":{"a":{"type":"integer","from":-1299,"to":-1200}}}`,
		`{"a":60000}`:              `{"type":"object","members":{"a":{"type":"integer","value":60000}}}`,
		`{"a":1.0}`:                `{"type":"object","members":{"a":{"type":"integer","value":1.0}}}`,
		`{"a":0.75}`:               `{"type":"object","members":{"a":{"type":"fraction","value":0.75}}}`,
		`{"a":48.8566}`:            `{"type":"object","members":{"a":{"type":"fraction","from":48,"to":49}}}`,
		`{"a":-0.001234}`:          `{"type":"object","members":{"a":{"type":"fraction","from":-1,"to":0}}}`,
		`{"a":1e400}`:              `{"type":"object","members":{"a":{"type":"number"}}}`,
		`{"a":"two words"}`:        `{"type":"object","members":{"a":{"type":"string","from":9,"to":9}}}`,
		`{"a":"a@example.com"}`:    `{"type":"object","members":{"a":{"type":"string","from":13,"to":13,"format":"email"}}}`,
		`{"a":"word"}`:             `{"type":"object","members":{"a":{"type":"string","value":"word"}}}`,
		`{"password":"word"}`:      `{"type":"object","members":{"password":{"type":"string","from":4,"to":4}}}`,
		`{"a":[1,["b c"]]}`:        `{"type":"object","members":{"a":{"type":"array","items":[{"type":"integer","value":1},{"type":"array","items":[{"type":"string","from":3,"to":3}]}]}}}`,
		`{"a":{"Jane Doe":1}}`:     `{"type":"object","members":{"a":{"type":"object"}}}`,
		`{"a":{"9f8e7d6c5b4a":1}}`: `{"type":"object","members":{"a":{"type":"object"}}}`,
		`{"a":[` + strings.Repeat("1,", mostItems) + `1]}`:                            `{"type":"object","members":{"a":{"type":"array"}}}`,
		strings.Repeat(`{"a":`, mostDepth+2) + `1` + strings.Repeat(`}`, mostDepth+2): strings.Repeat(`{"type":"object","members":{"a":`, mostDepth) + `{"type":"object"}` + strings.Repeat(`}}`, mostDepth),
	} {
		got, err := json.Marshal(Keep{}.shapeOf(json.RawMessage(in)))
		if string(got) != want || err != nil {
			t.Errorf("%s is kept as\n%s, want\n%s %v", in, got, want, err)
		}
	}
}

// TestLengths: each length lies in its range, and no range crosses an edge.
func TestLengths(t *testing.T) {
	for n := range 3000 {
		low, high := lengthRange(n)
		from, _ := low.Int64()
		to, _ := high.Int64()
		if int64(n) < from || int64(n) > to {
			t.Errorf("%d is not in %s–%s", n, low, high)
		}
		for _, edge := range edges {
			if from <= int64(edge) && int64(edge) < to {
				t.Errorf("%s–%s crosses %d", low, high, edge)
			}
		}
	}
}

// TestChoices: a text is kept that a schema lists, or that was repeated where little else was sent.
func TestChoices(t *testing.T) {
	rs := NewRecords()
	add := func(arguments string, times int) {
		for range times {
			rs.Add(Call{Server: "s", Tool: "t", Arguments: json.RawMessage(arguments)}, Keep{}, now)
		}
	}
	add(`{"sort":"newest","who":"alice"}`, 3)
	add(`{"sort":"oldest","who":"bob"}`, 1)
	add(`{"who":"listed"}`, 1)
	for i := range 10 {
		add(fmt.Sprintf(`{"who":"name%c"}`, 'a'+i), 1)
	}
	listed := Choices(json.RawMessage(`{"properties":{"who":{"anyOf":[{"enum":["listed",1]},{"const":"other"}]}}}`))
	for _, tool := range []string{"t1", "t2", "t3"} {
		rs.Add(Call{Server: "other", Tool: tool, Arguments: json.RawMessage(`{"mode":"spread","at":{"tool":"only` + tool + `"}}`)}, Keep{}, now)
	}
	rs.Settle(func(string, string) map[string]bool { return listed })
	text := string(rs.JSON())
	for _, kept := range []string{"newest", "listed", "spread"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s is not kept", kept)
		}
	}
	for _, dropped := range []string{"oldest", "alice", "bob", "namea", "onlyt"} {
		if strings.Contains(text, dropped) {
			t.Errorf("%s is kept", dropped)
		}
	}
	if n := sum(rs.byKey[rs.All()[0].key()].Calls); len(rs.byKey) > 11 || n == 0 {
		t.Errorf("%d records: equal shapes must be one", len(rs.byKey))
	}
	again, err := ReadRecords(rs.JSON())
	if err != nil || string(again.JSON()) != text {
		t.Errorf("read back as %s, %v", again.JSON(), err)
	}
}

// TestRecordSchema holds what is written against the schema that the project ships.
func TestRecordSchema(t *testing.T) {
	described, err := jsonschema.NewCompiler().Compile("../../docs/usage-records.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	rs := NewRecords()
	rs.Add(Call{Server: "s", Tool: "t", Failed: true, Arguments: json.RawMessage(`{"a":[1,12345,0.5,1e9,null,true,"word","two words",{"no name":1}],"b":"a@example.com","c":{}}`)}, Keep{}, now)
	rs.Add(Call{Server: "s", Tool: "t", Result: json.RawMessage(`{"a":[{"b":1}],"c":{"no name":1}}`)}, Keep{}, now)
	rs.Add(Call{Server: "s", Tool: "t", Result: json.RawMessage(`{}`)}, Keep{}, now)
	data, err := rs.Indented()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		string(data): true, `{"mcpctl":1,"records":[]}`: true,
		strings.Replace(string(data), `"s"`, `""`, 1): false, strings.Replace(string(data), `"string"`, `"text"`, 1): false,
		strings.Replace(string(data), `"answer"`, `"arguments": {"type": "null"}, "answer"`, 1): false, strings.Replace(string(data), `"/a"`, `"a"`, 1): false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := described.Validate(value); (err == nil) != want {
			t.Errorf("%v, want valid %t:\n%s", err, want, text)
		}
	}
}

// TestManyShapes bounds what is kept of one tool.
func TestManyShapes(t *testing.T) {
	rs := NewRecords()
	for i := range mostShapes + 500 {
		rs.Add(Call{Server: "s", Tool: "t", Arguments: json.RawMessage(fmt.Sprintf(`{"a":%d,"b":%d}`, i%100, i/100))}, Keep{}, now)
	}
	last := rs.All()[len(rs.All())-1]
	if len(rs.byKey) != mostShapes+1 || last.Arguments.Members != nil || sum(last.Calls) != 500 {
		t.Errorf("%d records; the last one is of %d calls", len(rs.byKey), sum(last.Calls))
	}
}

// TestRetention forgets days, and records of which no day is left.
func TestRetention(t *testing.T) {
	rs, p := NewRecords(), (&Progress{}).made()
	for _, age := range []int{0, 89, 91, 200} {
		c := Call{ID: fmt.Sprint(age), Server: "s", Tool: "t", Time: now.AddDate(0, 0, -age), Arguments: json.RawMessage(fmt.Sprintf(`{"a":%t}`, age > 100))}
		p.fresh(c)
		rs.Add(c, Keep{}, now)
	}
	Expire(rs, p, WindowOf(Retention, now).From)
	if len(rs.byKey) != 1 || sum(rs.All()[0].Calls) != 2 || len(p.Seen) != 2 {
		t.Errorf("%s, %v", rs.JSON(), p.Seen)
	}
}

// TestReplayTellsWhatIsNeverUsed: an argument that nobody gave, a choice that nobody made, the argument that is wrong most often, and
// nothing where the records do not tell.
func TestReplayTellsWhatIsNeverUsed(t *testing.T) {
	input := json.RawMessage(`{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"page":{"type":"integer"},
		"sort":{"anyOf":[{"enum":["new","old","top"]},{"type":"null"}]},"tags":{"type":"array","items":{"enum":["a",1,true]}}}}`)
	for name, c := range map[string]struct {
		calls []string
		want  finding.Called
	}{
		"no calls": {nil, finding.Called{}},
		"known": {[]string{`{"id":1,"sort":"new","tags":["a"]}`, `{"id":1,"tags":[true]}`, `{"sort":"ten","id":"x"}`, `{"sort":"ten","id":"y"}`}, finding.Called{
			Calls: 4, Refused: 2, Fault: "id is a string, where integer is wanted", Wrong: "id", WrongCalls: 2, WrongFault: "id is a string, where integer is wanted",
			NeverGiven: []string{"page"}, NeverSent: map[string][]string{"tags": {"1"}}}},
		"missing": {[]string{`{}`}, finding.Called{Calls: 1, Refused: 1, Fault: "id is missing", Wrong: "id", WrongCalls: 1, WrongFault: "id is missing", NeverGiven: []string{"id", "page", "sort", "tags"}}},
		"not in detail": {[]string{`{"id":1,"tags":[[1,2,3]],"sort":{"Jane Doe":1},"page":2}`}, finding.Called{Calls: 1, Undecided: 0, Refused: 1, Fault: "sort is none of the values that are allowed there",
			Wrong: "sort", WrongCalls: 1, WrongFault: "sort is none of the values that are allowed there", NeverSent: map[string][]string{"tags": {`"a"`, "true"}}}},
		"without argument": {[]string{`null`}, finding.Called{Calls: 1, Undecided: 1}},
	} {
		rs := NewRecords()
		for _, call := range c.calls {
			rs.Add(Call{Server: "s", Tool: "t", Agent: "a", Arguments: json.RawMessage(call)}, Keep{}, now)
		}
		rs.Settle(func(string, string) map[string]bool { return Choices(input) })
		got, err := rs.Of([]string{"s"}, WindowOf(Retention, now)).Replay("t", input)
		c.want.Tool, c.want.Days, c.want.Trend, c.want.Agents, c.want.Last = "t", got.Days, got.Trend, got.Agents, got.Last
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(finding.Called{}, "Unused")); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
		if got, err := rs.Of([]string{"s"}, WindowOf(Retention, now)).Replay("t", json.RawMessage(`[]`)); err == nil || got.Calls != len(c.calls) {
			t.Errorf("%s: by a schema that is none %d calls, %v", name, got.Calls, err)
		}
	}
}

// TestProjects: a project is the last name of a folder of any system, and nothing that looks like data.
func TestProjects(t *testing.T) {
	for folder, want := range map[string]string{
		"/home/jane/shop": "shop", `C:\Users\jane\my-shop\`: "my-shop", "shop_2024": "shop_2024", "": "", "/": "", "/srv/9f8e7d6c5b4a": "", "/tmp/;AccessKey=1L0CP3fFTguZ=": "", "/home/Jane Doe": "",
	} {
		if got := projectOf(folder); got != want {
			t.Errorf("%s is the project %q, want %q", folder, got, want)
		}
	}
}

// TestOneRunAtATime: imports of one file at once count it once, forgetting waits for them, and what a run did not finish was not done.
func TestOneRunAtATime(t *testing.T) {
	path, store := filepath.Join(t.TempDir(), "calls.jsonl"), Store{filepath.Join(t.TempDir(), "usage")}
	if err := os.WriteFile(path, []byte(`{"server":"s","tool":"t"}`+"\n"+`{"server":"s","tool":"t","id":"1"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bring := func(then error) error {
		return store.Update(t.Context(), func(rs *Records, p *Progress) error {
			in := Import{Progress: p, Now: now, Each: func(c Call) { rs.Add(c, Keep{}, now) }}
			return errors.Join(in.Path(t.Context(), path), then)
		})
	}
	if err := bring(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted run: %v", err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := bring(nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	calls := func() int {
		rs, err := store.Load()
		if err != nil {
			t.Fatal(err)
		}
		return rs.Of([]string{"s"}, WindowOf(Retention, now)).Calls()
	}
	if n := calls(); n != 2 {
		t.Errorf("%d calls are kept, want 2", n)
	}
	err := store.Update(t.Context(), func(*Records, *Progress) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := store.Clear(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("forgetting during an import: %v", err)
		}
		return nil
	})
	if err := errors.Join(err, store.Clear(t.Context()), store.Clear(t.Context())); err != nil || calls() != 0 {
		t.Errorf("%d calls after everything was forgotten, %v", calls(), err)
	}
	if err := bring(nil); err != nil || calls() != 2 {
		t.Errorf("%d calls are read again, %v", calls(), err)
	}
}
