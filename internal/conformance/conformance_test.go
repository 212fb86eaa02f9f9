package conformance

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestQuestionsAreWhole holds the table to what its readers rely on: ids that are there once, messages that can be sent, and no
// request that calls a tool.
func TestQuestionsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, q := range questions {
		texts := []string{q.ID, q.Section, q.What, q.Wanted}
		for _, text := range texts {
			if text == "" {
				t.Errorf("%s: one of %q is empty", q.ID, texts)
			}
		}
		if seen[q.ID] || q.kept == nil || !regexp.MustCompile(`^[a-z-]+$`).MatchString(q.ID) || !strings.HasPrefix(q.Rule, "conformance-") {
			t.Errorf("%s is there twice, has no judge, or is misnamed", q.ID)
		}
		seen[q.ID] = true
		if q.Ask.Params != "" && !json.Valid([]byte(q.Ask.Params)) || q.Ask.ID != "" && !json.Valid([]byte(q.Ask.ID)) {
			t.Errorf("%s cannot be sent", q.ID)
		}
		if strings.HasPrefix(q.Ask.Method, "tools/c") {
			t.Errorf("%s calls a tool", q.ID)
		}
		for name, value := range q.Ask.Meta {
			if value != "" && !json.Valid([]byte(value)) {
				t.Errorf("%s: %s in _meta is no JSON", q.ID, name)
			}
		}
	}
}

// TestNobodyIsJudgedByAGateway: what a gateway or a lack of rights refused says nothing of the server.
func TestNobodyIsJudgedByAGateway(t *testing.T) {
	for _, status := range []int{401, 403, 429, 502, 503, 504} {
		for _, q := range questions {
			if f, found := Judge(Exchange{Question: q.ID, Protocol: Modern, HTTP: true, Status: status, Type: "text/html"}); found {
				t.Errorf("HTTP %d: %s", status, f.Text)
			}
		}
	}
}

func TestEveryServerIsAskedWhatConcernsIt(t *testing.T) {
	asked := func(about Facts) map[string]bool {
		all := map[string]bool{}
		for _, q := range Questions(about) {
			all[q.ID] = true
		}
		return all
	}
	stdio := asked(Facts{Protocol: "2024-11-05", Capabilities: json.RawMessage(`{"tools":{}}`)})
	web := asked(Facts{Protocol: Modern, HTTP: true, Local: true, Capabilities: json.RawMessage(`{"tools":{"listChanged":true},"prompts":false}`)})
	for id, want := range map[string][2]bool{ // over stdio in the era of the handshake, and over HTTP since 2026-07-28
		"ping": {true, false}, "discover": {false, true}, "unknown-method": {true, true}, "origin": {false, true}, "listen": {false, true},
		"unknown-cursor": {true, true}, "undeclared-tools": {false, false}, "undeclared-prompts": {true, true}, "unknown-prompt": {false, false}, "delete": {false, false},
	} {
		if got := [2]bool{stdio[id], web[id]}; got != want {
			t.Errorf("%s is asked %v, want %v", id, got, want)
		}
	}
}
