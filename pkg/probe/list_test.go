package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// scripted answers each request with the next of its results, the last one for ever.
type scripted struct {
	sender
	results []string
	params  []string // of the requests that came
}

func (s *scripted) SendRequest(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	params, err := json.Marshal(r.Params)
	if err != nil {
		return nil, err
	}
	s.params = append(s.params, string(params))
	result := s.results[min(len(s.params), len(s.results))-1]
	result = strings.ReplaceAll(result, "N", fmt.Sprint(len(s.params)))
	return &transport.JSONRPCResponse{Result: json.RawMessage(result)}, nil
}

// listTools lists the tools of a server that answers with the results.
func listTools(t *testing.T, results ...string) (snapshot.List, []Notice, []string, error) {
	t.Helper()
	server := &scripted{results: results}
	c := caller{conn: server, seen: &observations{}}
	s := listMethods[0] // tools
	list, notices, err := c.list(t.Context(), s, declared)
	return list, notices, server.params, err
}

// TestListLimits expects an error, and a list that is not whole, over each limit.
func TestListLimits(t *testing.T) {
	endless := `{"tools":[{"name":"tN"}],"nextCursor":"cN"}`
	many := `{"tools":[` + strings.Repeat("{},", snapshot.MostItems) + `{}]}`
	allowed := append(slices.Repeat([]string{endless}, maxPages-1), `{"tools":[]}`)
	tests := map[string]struct {
		results []string
		want    string
	}{
		"pages":            {[]string{endless}, "tools/list goes on after 1000 pages"},
		"items":            {[]string{many}, "tools/list has more than 100000 items"},
		"the last allowed": {allowed, "<nil>"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			list, _, _, err := listTools(t, test.results...)
			if got := fmt.Sprint(err); got != test.want {
				t.Errorf("error %q, want %q", got, test.want)
			}
			if list.Whole() != (err == nil) {
				t.Errorf("list %v with error %v", list, err)
			}
		})
	}
}

// TestListEchoesCursors expects each cursor to be sent back as the value that came.
func TestListEchoesCursors(t *testing.T) {
	list, notices, params, err := listTools(t,
		`{"tools":[],"nextCursor":""}`, `{"tools":[],"nextCursor":12345678901234567890}`, `{"tools":[],"nextCursor":"\ud800"}`,
		`{"tools":[]}`)
	if err != nil || len(list.Items()) != 0 {
		t.Fatalf("list %v, error %v", list, err)
	}
	want := []string{`{}`, `{"cursor":""}`, `{"cursor":12345678901234567890}`, `{"cursor":"\ud800"}`}
	if diff := cmp.Diff(want, params); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(notices) != 1 || notices[0].Code != NoticeCursorOdd {
		t.Errorf("notices %v", notices)
	}
}

// hostile are results of tools/list with what comes of them: an error, or how many items and which notices.
var hostile = map[string]struct {
	result string
	want   string
}{
	"empty list":        {`{"tools":[]}`, "0 items []"},
	"white space":       {" {\n\"tools\" : [ 1 , 2 ]\t} ", "2 items [item-without-key]"},
	"null":              {`null`, "the result of tools/list is null, not an object"},
	"array":             {`[]`, "the result of tools/list is an array, not an object"},
	"number":            {`-1`, "the result of tools/list is a number, not an object"},
	"boolean":           {`false`, "the result of tools/list is a boolean, not an object"},
	"tools missing":     {`{"prompts":[]}`, `the result of tools/list has no list: "tools" is missing`},
	"tools null":        {`{"tools":null}`, `the result of tools/list has no list: "tools" is null`},
	"tools object":      {`{"tools":{"a":{}}}`, `the result of tools/list has no list: "tools" is an object`},
	"tools in capitals": {`{"Tools":[]}`, `the result of tools/list has no list: "tools" is missing`},
	"invalid UTF-8":     {"{\"tools\":[{\"name\":\"\xff\"}]}", "1 items [invalid-utf8]"},
	"cursor null":       {`{"tools":[],"nextCursor":null}`, "0 items []"},
	"cursor true": {`{"tools":[],"nextCursor":true}`,
		"the result of tools/list cannot be followed: nextCursor is a boolean, not a string"},
	"cursor array": {`{"tools":[],"nextCursor":[]}`,
		"the result of tools/list cannot be followed: nextCursor is an array, not a string"},
	"resultType null":     {`{"tools":[],"resultType":null}`, "0 items []"},
	"resultType object":   {`{"tools":[],"resultType":{}}`, "the result of tools/list has a resultType that is an object"},
	"escaped member name": {`{"\u0074ools":[]}`, "0 items []"},
	"deep item":           {`{"tools":[{"name":"a","x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}]}`, "1 items []"},
	"too deep item": {`{"tools":[{"name":"a","x":` + strings.Repeat("[", 11000) + strings.Repeat("]", 11000) + `}]}`,
		"the result of tools/list cannot be read: "},
	"same name, many times": {`{"tools":[` + strings.Repeat(`{"name":"a"},`, 20) + `{"name":"a"}]}`, "21 items [duplicate-name]"},
}

func TestHostileResults(t *testing.T) {
	for name, test := range hostile {
		t.Run(name, func(t *testing.T) {
			list, notices, _, err := listTools(t, test.result)
			got := fmt.Sprint(err)
			if err == nil {
				codes := []string{}
				for _, notice := range notices {
					codes = append(codes, notice.Code)
				}
				got = fmt.Sprintf("%d items %v", len(list.Items()), codes)
			}
			if !strings.HasPrefix(got, test.want) || err == nil && got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzPage: a page is an error, or its items stand in the result as they are, in order.
func FuzzPage(f *testing.F) {
	for _, test := range hostile {
		if len(test.result) < 1000 {
			f.Add([]byte(test.result))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		items, _, err := (&pager{method: listMethods[0]}).readPage(raw)
		if err != nil {
			return
		}
		rest := raw
		for _, item := range items {
			_, after, found := bytes.Cut(rest, item)
			if !found || !json.Valid(item) {
				t.Fatalf("item %q is not in what is left of the result, %q", item, rest)
			}
			rest = after
		}
	})
}
