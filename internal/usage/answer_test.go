package usage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// TestHeldIn: of a result it is kept where it held something, and nothing of what that was.
func TestHeldIn(t *testing.T) {
	many := func(n int, form string) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprintf(form, i))
		}
		return strings.Join(items, ",")
	}
	for in, want := range map[string]string{
		`{"id":1,"tags":["a"],"of":{"name":"Jane"}}`:        "/id /of /of/name /tags /tags/*",
		`{"content":[],"structuredContent":{"id":1}}`:       "/id",
		`{"content":[{"type":"text","text":"{\"id\":1}"}]}`: "/id",
		`[{"type":"text","text":"{\"id\":1}"}]`:             "/id",
		`"{\"items\":[{\"a\":1},{\"b\":null}]}"`:            "/items /items/* /items/*/a /items/*/b",
		`{"content":[{"no":"block"}]}`:                      "/content /content/* /content/*/no",
		`{"a~/b":{"x":1}}`:                                  "/…",
		`{"users":{"jane@example.com":{"age":1}}}`:          "/users /users/…",
		`{"a":{` + many(mostMembers+1, `"m%d":1`) + `}}`:    "/a /a/…",
		`{}`:                       "",
		`{"structuredContent":{}}`: "",
		strings.Repeat(`{"a":`, mostDepth+2) + "1" + strings.Repeat("}", mostDepth+2): strings.Repeat("x", 0) + deep(mostDepth),
	} {
		got := heldIn(json.RawMessage(in))
		if got == nil || strings.Join(got, " ") != want {
			t.Errorf("of %.80s is kept %q, want %q", in, strings.Join(got, " "), want)
		}
	}
	for _, in := range []string{``, `null`, `1`, `"prose"`, `"\"\\\"{}\\\"\""`, `[{"type":"text","text":"{}"},{"type":"text","text":"{}"}]`, `[{"type":"image","data":"x"}]`, `{`, `"` + strings.Repeat("x", longestAnswer) + `"`} {
		if got := heldIn(json.RawMessage(in)); got != nil {
			t.Errorf("of %.80s is kept %q", in, got)
		}
	}
	if got := heldIn(json.RawMessage(`{"l":[` + many(mostPlaces, `{"m`+"%[1]d"+`":{"n%[1]d":1}}`) + `]}`)); len(got) > mostPlaces+2 || got[len(got)-1] != "/…" {
		t.Errorf("%d places are kept, the last one %q", len(got), got[len(got)-1])
	}
}

// deep are the places of an object in objects that are all called a.
func deep(n int) string {
	var all []string
	for i := range n {
		all = append(all, strings.Repeat("/a", i+1))
	}
	return strings.Join(append(all, strings.Repeat("/a", n)+"/…"), " ")
}

// TestHeld: an answer held a place, did not, or is not known to.
func TestHeld(t *testing.T) {
	for result, of := range map[string]map[string]string{
		`{"id":1,"rows":[{"a":1},{"b":2}],"by":{"Jane Doe":{"x":1}},"none":[]}`: {
			"/id": "true", "/i": "false", "/id/deeper": "false", "/rows/*/b": "true", "/rows/0": "true", "/rows/*/c": "false", "/none": "true", "/none/*": "false", "/*": "true", "/*/*/a": "true",
			"/by": "true", "/by/*": "unknown", "/by/*/x": "unknown", "/by/x/y": "unknown", "/byx": "false"},
		`{"Jane Doe":1}`: {"/id": "unknown", "/id/x": "unknown"},
	} {
		r := Record{Answer: heldIn(json.RawMessage(result))}
		got := map[string]string{}
		for place := range of {
			held, known := r.held(rawjson.Split(place))
			got[place] = fmt.Sprint(held)
			if !known {
				got[place] = "unknown"
			}
		}
		if diff := cmp.Diff(of, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", result, diff)
		}
	}
}

// TestAnswersAreEvidence counts the answers that held a member, by whom they were received, and leaves open what is not recorded.
func TestAnswersAreEvidence(t *testing.T) {
	rs := NewRecords()
	add := func(n int, c Call) {
		for range n {
			c.Server, c.Tool, c.Time = "s", "t", now
			rs.Add(c, Keep{}, now)
		}
	}
	add(3, Call{Agent: "a", Project: "shop", Result: json.RawMessage(`{"id":1,"note":"x"}`)})
	add(2, Call{Agent: "b", Result: json.RawMessage(`{"id":1}`)})
	add(1, Call{Agent: "c", Result: json.RawMessage(`{"note":"the error"}`), Failed: true})
	of := func(pointer string) string {
		u := rs.Of([]string{"s"}, WindowOf(Retention, now)).Held("t", pointer)
		return fmt.Sprint(u, "; undecided ", u.Undecided)
	}
	for pointer, want := range map[string]string{
		"/note": "3 of 5 recorded answers, received by 1 agent (a) in 1 project (shop) in 90 days, held `note`; whether they used it no record says; undecided 3",
		"/id":   "5 of 5 recorded answers, received by 2 agents (a, b) in 1 project (shop) in 90 days, held `id`; whether they used it no record says; undecided 5",
		"/gone": "no recorded answer held `gone`, of 5 in 90 days; undecided 0",
	} {
		if got := of(pointer); got != want {
			t.Errorf("%s: %s\nwant %s", pointer, got, want)
		}
	}
	add(2, Call{Agent: "b"})
	add(1, Call{Agent: "b", Result: json.RawMessage(`{"Jane Doe":1}`)})
	if got, want := of("/gone"), "no recorded answer held `gone`, of 5 in 90 days; what 3 further calls got is not recorded; undecided 3"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	again, err := ReadRecords(rs.JSON())
	if err != nil || string(again.JSON()) != string(rs.JSON()) {
		t.Errorf("read back as %s, %v", again.JSON(), err)
	}
	if calls := rs.Called(WindowOf(Retention, now)); len(calls) != 1 || calls[0].Calls != 9 {
		t.Errorf("answers count as calls: %+v", calls)
	}
	if dropped := rs.Forget(func(*Record) bool { return true }); dropped != 9 || len(rs.byKey) != 0 {
		t.Errorf("%d calls are forgotten", dropped)
	}
}

// TestManyAnswers bounds what is kept of the answers of one tool, and lets the others be unknown.
func TestManyAnswers(t *testing.T) {
	rs := NewRecords()
	for i := range mostAnswers + 50 {
		rs.Add(Call{Server: "s", Tool: "t", Result: json.RawMessage(fmt.Sprintf(`{"a%d":{"b%d":1}}`, i%100, i))}, Keep{}, now)
	}
	u := rs.Of([]string{"s"}, WindowOf(Retention, now)).Held("t", "/c")
	if u.Answers != mostAnswers || u.Undecided != 50 {
		t.Errorf("%+v", u)
	}
}

// TestAnswersNeverContradict: for random results and places, what is said of what is kept is so of the result, or nothing is said.
func TestAnswersNeverContradict(t *testing.T) {
	said, all := 0, 0
	for seed := range uint64(300) {
		g := generator{rand.New(rand.NewPCG(seed, 17))}
		result := g.object(4)
		value, err := rawjson.Decode([]byte(result))
		if err != nil {
			t.Fatal(err)
		}
		r := Record{Answer: heldIn(json.RawMessage(result))}
		for range 20 {
			var steps []string
			for range 1 + g.IntN(3) {
				steps = append(steps, g.of("a", "b", "c", "*", "Some Name"))
			}
			all++
			held, known := r.held(steps)
			if !known {
				continue
			}
			said++
			if holds := lookUp(value, steps); holds != held {
				t.Fatalf("%s holds /%s: %t, but of %q it is said %t", result, strings.Join(steps, "/"), holds, r.Answer, held)
			}
		}
	}
	t.Logf("%d of %d decided", said, all)
	if 10*said < 8*all {
		t.Errorf("only %d of %d are decided", said, all)
	}
}

// lookUp tells whether a value holds something at a place.
func lookUp(value any, steps []string) bool {
	if len(steps) == 0 {
		return true
	}
	items, _ := value.([]any)
	for _, item := range items { // a name leads into items, too: what it was the name of is not kept of an array
		if lookUp(item, steps[1:]) {
			return true
		}
	}
	members, _ := value.(map[string]any)
	for name, member := range members {
		if (steps[0] == "*" || steps[0] == name) && lookUp(member, steps[1:]) {
			return true
		}
	}
	return false
}
