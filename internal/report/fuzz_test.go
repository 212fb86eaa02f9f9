package report

import (
	"encoding/json"
	"testing"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// FuzzWrite puts any text in every place and any JSON in every raw value, and checks that no format lets it out.
func FuzzWrite(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x1b[2J\x1b]0;x\x07", "\u202egpj.exe", "\U000e0041", "\u2028", "\xff\xfe", "a\nb\n\n\n\nc ", " \t ", "日本語 ✅ 😀",
		"z\u0301\u0302\u0303\u0304\u0305", "::error::x", "- a: b # c", "\u200b", "⚠\ufe0f",
	} {
		f.Add(s, `{"name":"a","description":"b\u001b","inputSchema":{"properties":{"x":{"enum":["\u202e",1e400]}},"required":["x"]}}`,
			uint8(80))
		f.Add(s, `[1,"\u0000",{"":null}]`, uint8(40))
		f.Add(s, `not json`, uint8(0))
	}
	f.Fuzz(func(t *testing.T, s, raw string, columns uint8) {
		value := json.RawMessage(raw)
		if !json.Valid(value) {
			value, _ = json.Marshal(s)
		}
		limit := 0
		if columns > 0 {
			limit = 40 + int(columns)
		}
		for _, command := range []string{"list", "show", "snapshot", "diff", "config"} {
			r := filled(command, s, value)
			for i, o := range []Options{{Width: limit, Color: true}, {Width: limit}} {
				if b, is := r.Body.(*Listing); is {
					b.Items = i == 1
				}
				checkPage(t, written(t, "table", r, o), limit)
			}
			checkYAML(t, command, r)
			if out := written(t, "json", r, Options{}); !json.Valid([]byte(out)) {
				t.Errorf("no JSON: %s", out)
			}
		}
	})
}

// FuzzFileFormats puts any text in every place, and checks each format of a file as its readers do.
func FuzzFileFormats(f *testing.F) {
	for _, s := range part(hostileTexts()) {
		f.Add(s, `{"a":[1,"</pre><script>","]]>","[x](http://x) {0}","##[x]"]}`, uint16(0))
		f.Add(s, `"\n\n\n"`, uint16(900))
	}
	schema, grammar := publishedSchema(f), junitGrammar(f)
	f.Fuzz(func(t *testing.T, s, raw string, limit uint16) {
		value := json.RawMessage(raw)
		if !json.Valid(value) {
			value, _ = json.Marshal(s)
		}
		for _, command := range []string{"list", "snapshot", "config", s} {
			r := filled(command, "x"+s, value)
			checkHTML(t, written(t, "html", r, Options{Waived: true}))
			checkMarkdown(t, written(t, "markdown", r, Options{Waived: true, Limit: int(limit)}), false)
		}
		for _, command := range []string{"diff", "check", "show"} {
			r := filled(command, "x"+s, value)
			checkMarkdown(t, written(t, "markdown", r, Options{Waived: true, Limit: int(limit)}), command != "show")
		}
		r := filled("diff", "x"+s, value)
		b := r.Body.(*Diff)
		for i := range b.Findings { // findings of one run differ in what the fingerprint is made of
			b.Findings[i].Rule += string(rune('a' + i))
		}
		if got := len(checkGitLab(t, written(t, "gitlab", r, Options{}))); got != 2+1+len(b.Findings) {
			t.Fatalf("%d issues", got)
		}
		b.Servers[1].Unsaved = true
		b.Findings[0].Location = &finding.Location{File: s + ".json", Line: 7}
		b.Findings[1].Waiver = &finding.Waiver{Reason: s}
		checkGitHub(t, written(t, "github", r, Options{Waived: true}), 2+1+len(r.Problems)+len(b.Findings))
		root := checkJUnit(t, grammar, written(t, "junit", r, Options{}))
		if got := len(root.Children); got != len(b.Servers)+1 {
			t.Fatalf("%d suites", got)
		}
		for i, want := range []int{2 + 3, 1, 1 + 1} {
			if got := len(root.Children[i].Children); got != want {
				t.Fatalf("suite %d has %d tests, want %d", i, got, want)
			}
		}
		out := written(t, "sarif", r, Options{})
		checkSARIF(t, schema, out)
		for _, text := range messages(t, out) {
			if checkVisible(t, text); liveText.MatchString(text) {
				t.Fatalf("a link or a placeholder: %q", text)
			}
		}
	})
}

// filled is a report with s as every text and value as every raw value.
func filled(command, s string, value json.RawMessage) *Report {
	items := seen.Items{value, json.RawMessage(`{}`)}
	failure := seen.Failure{Stage: s, Message: s, Hint: s, Stderr: s}
	server := seen.Server{Name: s, State: seen.Partial, Source: s, Error: &failure, MoreErrors: []seen.Failure{failure},
		Answer: seen.Answer{Connection: seen.Connection{Transport: s, ProtocolVersion: s}, ElapsedMs: 1,
			Counts: seen.Counts{snapshot.Tools: 1}, Noise: new(1), NoiseText: []string{s},
			Notices: []seen.Oddity{{Stage: s, Code: s, Message: s}}},
		Offer: seen.Offer{ServerInfo: value, Capabilities: value, Instructions: s,
			Tools: items, Prompts: items, Resources: items, ResourceTemplates: items},
	}
	text, _ := json.Marshal(s)
	changed, _ := json.Marshal("x " + s + " y")
	found := seen.Findings{
		{Rule: s, Level: finding.Breaking, Verdict: finding.Proved, Server: s, Item: s, Path: "/" + s, Message: s, Hint: s, Old: value,
			New: text, Witness: value},
		{Rule: s, Level: finding.Warning, Server: s, Item: "tool/" + s, Path: "/" + s, Message: s, Old: text, New: changed},
		{Rule: s, Level: finding.Info, Server: s, Item: "tool/" + s, Message: s, New: value},
		{Rule: s, Level: finding.Info, Server: "elsewhere", Path: "/a", Message: s, Old: value},
	}
	r := &Report{Command: command, Status: 1, Problems: []string{s}, Body: bodyNamed(command)}
	other := seen.Server{Name: s + "!", State: seen.OK}
	switch b := r.Body.(type) {
	case *Listing:
		b.Servers = []Server{{server}, {other}}
	case *Show:
		b.Servers = []Server{{server}, {other}}
	case *Save:
		b.Servers = []SaveServer{{server, &seen.Saved{Action: seen.Skipped, File: s, Reason: s}}, {Server: other}}
	case *Configuration:
		b.Servers = []ConfigServer{{server, config.Definition{Description: config.Description{Command: []string{s, s}}}},
			{other, config.Definition{Description: config.Description{URL: s}}}}
		b.Files = []config.File{{Application: s, Path: s, State: s, Problem: s}}
	case *Ping:
		b.Servers = []PingServer{{server, 1}, {Server: other}}
	case *Trust:
		effects := config.Definition{Effects: &config.Effects{Starts: []string{s}}}
		b.Servers, b.Nothing = []TrustServer{{server, effects, s}, {Server: other}}, s
	case *Logins:
		b.Servers = []LoginServer{{Server: server, URL: s}, {other, s, &seen.LoginStatus{State: seen.LoginState(s), Issuer: s,
			Scopes: []string{s}, Wanted: []string{s}, Store: s}}}
	case *Rules:
		b.Rules = []finding.Rule{{ID: s, Title: s, Doc: s, Example: s, Instead: s}}
	case *Diff:
		b.Findings = found
		b.Servers = []DiffServer{{Server: server, Comparison: seen.Comparison{Base: s}}, {Server: other}}
	case *Check:
		b.Findings, b.Servers = found, []CheckServer{{Server: server}, {Server: other}}
	default: // a command of any name
		r.Body = &Accept{Findings: found, Servers: []AcceptServer{{Server: server, Comparison: seen.Comparison{Base: s}},
			{Server: other, Comparison: seen.Comparison{Unsaved: true}}}}
	}
	return r
}
