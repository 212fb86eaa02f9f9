//go:build conformance

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// outcomes is what TestConformance compares, and renews with -update; docs/check.md summarizes it.
const outcomes = "testdata/conformance.md"

// revisions are those whose required scenarios are run, over the wire that each of them speaks.
var revisions = []string{"2025-11-25", "2026-07-28"}

// reasons are why mcpctl does not pass a scenario. One that fails without a reason fails the test.
var reasons = map[string]string{
	"auth/dpop":       dpop,
	"auth/dpop-nonce": dpop,

	"auth/enterprise-managed-authorization": company,
	"auth/cross-app-access-complete-flow":   company,
	"auth/2025-03-26-oauth-metadata-backcompat": "before 0.2.0 the scenario's metadata at the root of a host names the issuer of a path, " +
		"which RFC 8414 (3.3) forbids to take",
}

const (
	dpop    = "mcpctl asks for bearer tokens alone"
	company = "mcpctl exchanges no tokens of a company's identity provider (ID-JAG); a command can give a token (bearerToken)"
)

// onlyListed are scenarios in which a user looks at the lists and at nothing else.
var onlyListed = []string{"json-schema-ref-no-deref", "sep-2640-client-no-prefetch"}

// given has the answers to what servers ask during a scenario.
var given = map[string][]string{
	"elicitation-sep1034-client-defaults": {"--answer", "name=Ada"},
	"sep-2322-client-request-state":       {"--answer", "confirmed=yes"},
}

// TestConformance runs the official suites that scripts/conformance.sh installed (MCPCTL_CONFORMANCE: NAME=PROGRAM, one a
// line) against mcpctl, scenario by scenario, and compares the outcome with that of before. One scenario runs
// at a time, since one of them measures how long mcpctl waits.
func TestConformance(t *testing.T) {
	var table strings.Builder
	for suite := range strings.Lines(os.Getenv("MCPCTL_CONFORMANCE")) {
		name, program, _ := strings.Cut(strings.TrimSpace(suite), "=")
		table.WriteString(suiteTable(t, name, program))
	}
	if table.Len() == 0 {
		t.Fatal("no suite: run make conformance")
	}
	if *update {
		writeText(t, outcomes, table.String())
	}
	if diff := gocmp.Diff(readText(t, outcomes), table.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", outcomes, diff)
	}
}

// scenario is one that a suite lists, with the revisions that it belongs to: "extension" or "draft" are of none.
type scenario struct {
	name      string
	revisions []string
}

// suiteTable is the outcome of a suite as a table. What a revision requires is bold.
func suiteTable(t *testing.T, name, program string) string {
	required := map[string][]scenario{}
	for _, revision := range revisions {
		required[revision] = listed(t, program, "--requirements", revision)
	}
	text := fmt.Sprintf("\n## %s\n\n| scenario | %s |\n|---|%s\n", name, strings.Join(revisions, " | "),
		strings.Repeat("---|", len(revisions)))
	for _, s := range listed(t, program) {
		text += "| " + s.name
		for _, revision := range revisions {
			verdict := s.run(t, program, revision, len(required[revision]) > 0)
			if slices.ContainsFunc(required[revision], func(r scenario) bool { return r.name == s.name }) {
				if verdict != passed {
					t.Errorf("%s is required of %s: %s", s.name, revision, verdict)
				}
				verdict = "**" + verdict + "**"
			}
			text += " | " + verdict
		}
		text += " |\n"
	}
	return text
}

// listed are the client scenarios that a suite names; of a set of requirements, those that it scores. Suites before 0.2.0 know
// no sets.
func listed(t *testing.T, program string, args ...string) (all []scenario) {
	out, err := exec.Command(program, append([]string{"list", "--client"}, args...)...).Output()
	if err != nil && len(args) > 0 {
		return nil
	}
	_, scored, _ := strings.Cut(string(out), "Client scenarios")
	scored, _, _ = strings.Cut(scored, "\n\n")
	for line := range strings.Lines(scored) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			name, of, _ := strings.Cut(text, " ")
			all = append(all, scenario{name, strings.Split(strings.Trim(of, "[]"), ",")})
		}
	}
	if err != nil || len(all) == 0 {
		t.Fatalf("no client scenarios in what %s lists: %v %s", program, err, out)
	}
	return all
}

// arguments are those that make a suite run the scenario over the wire of a revision; nil = it has no place there. One that is of
// neither revision runs once, and one of an extension over each wire that the suite knows.
func (s scenario) arguments(revision string, sets bool) []string {
	of := slices.ContainsFunc(revisions, func(r string) bool { return slices.Contains(s.revisions, r) })
	switch {
	case slices.Contains(s.revisions, revision):
		return []string{"--spec-version", revision}
	case sets && s.revisions[0] == "extension":
		return []string{"--spec-version", revision, "--force"}
	case !of && revision == revisions[0]:
		return []string{"--verbose"}
	}
	return nil
}

// run runs the scenario and says how it went.
func (s scenario) run(t *testing.T, program, revision string, sets bool) string {
	args := s.arguments(revision, sets)
	if args == nil {
		return "–"
	}
	dir := t.TempDir()
	cmd := exec.Command(program, append([]string{"client", "--command", "conformer", "--scenario", s.name, "--timeout", "120000",
		"--output-dir", dir}, args...)...)
	cmd.Env = append(os.Environ(), "CI=true", "MCPCTL_TOKEN_STORE=file", "BROWSER=follow", "HOME="+dir, "XDG_STATE_HOME=",
		"XDG_CONFIG_HOME=", "MCPCTL_FORMAT=")
	out, err := cmd.CombinedOutput()
	verdict := verdictOf(t, dir, err == nil)
	if verdict == passed {
		return verdict
	}
	t.Logf("%s at %s: %s\n%s", s.name, revision, verdict, out)
	if reasons[s.name] == "" {
		t.Errorf("%s at %s: %s, and no reason is given", s.name, revision, verdict)
	}
	verdict, _, _ = strings.Cut(verdict, ":")
	return verdict + ": " + reasons[s.name]
}

const passed = "pass"

// suiteCheck is one line of what a scenario found.
type suiteCheck struct{ ID, Status, ErrorMessage string }

// verdictOf is pass, or which checks did not pass, by what a run left in a folder. A suite counts a warning as a failure, and so
// does this; a scenario that made no check has shown nothing.
func verdictOf(t *testing.T, dir string, good bool) string {
	var checks []suiteCheck
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		data, err := os.ReadFile(path)
		return cmp.Or(err, json.Unmarshal(data, &checks))
	})
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string]bool{}
	successes := 0
	for _, c := range checks {
		switch c.Status {
		case "FAILURE", "WARNING":
			bad[strings.ToLower(c.Status)+" of "+c.ID] = true
		case "SUCCESS":
			successes++
		}
	}
	switch {
	case len(bad) > 0:
		return "fail: " + strings.Join(slices.Sorted(maps.Keys(bad)), ", ")
	case successes == 0:
		return "not applicable: no check was made"
	case !good:
		return "fail: mcpctl ended with an error"
	}
	return passed
}

func init() { programs["conformer"] = func() { os.Exit(conform(os.Args[len(os.Args)-1])) } }

// conformer plays the user of mcpctl in a scenario, which hands it more than the URL of its server.
type conformer struct {
	scenario, dir string

	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	PrivateKey   string `json:"private_key_pem"`
	Workload     string `json:"valid_jwt"`
	Calls        []struct {
		Name      string
		Arguments json.RawMessage
	} `json:"toolCalls"`
}

// mostLogins is how often a user logs in because mcpctl says so.
const mostLogins = 3

// conform uses all that a server offers; whenever mcpctl says so, it logs in and starts again.
func conform(url string) (status int) {
	dir, err := os.MkdirTemp("", "conformer")
	must(err)
	defer os.RemoveAll(dir)
	c := conformer{scenario: os.Getenv("MCP_CONFORMANCE_SCENARIO"), dir: dir}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		must(json.Unmarshal([]byte(text), &c))
	}
	c.configure(url)
	for logins := 0; ; logins++ {
		said, status := c.use()
		if status == 0 || logins == mostLogins || !strings.Contains(said, "mcpctl login --config mcp.json it") {
			return status
		}
		if _, status = c.run("login", "it"); status != 0 {
			return status
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// configure writes what a user would write of the server.
func (c conformer) configure(url string) {
	oauth := map[string]string{}
	for key, value := range map[string]string{"clientId": c.ClientID, "clientSecret": c.ClientSecret, "privateKey": c.PrivateKey,
		"identityToken": c.Workload} {
		if value != "" {
			oauth[key] = value
		}
	}
	switch {
	case strings.HasPrefix(c.scenario, "auth/client-credentials"):
		oauth["grantType"] = "client_credentials"
	case c.scenario == "auth/basic-cimd":
		oauth["clientMetadataUrl"] = "https://conformance-test.local/client-metadata.json"
	}
	server := map[string]any{"url": url}
	if len(oauth) > 0 {
		server["oauth"] = oauth
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"it": server}})
	must(err)
	must(os.WriteFile(filepath.Join(c.dir, "mcp.json"), text, 0o600))
}

// use lists what there is, calls each tool, fills in each prompt and reads each resource, until something fails.
func (c conformer) use() (said string, status int) {
	said, status = c.run("list", "it", "--json")
	if status != 0 {
		return said, status
	}
	var report struct {
		Servers []struct{ Tools, Prompts, Resources, Skills []rawjson.Object }
	}
	must(json.Unmarshal([]byte(said), &report))
	s := report.Servers[0]
	var requests [][]string
	for _, call := range c.Calls { // with values that the schema refuses
		requests = append(requests, []string{"call", "it", call.Name, "--yes", "--args", string(call.Arguments)})
	}
	for _, tool := range s.Tools {
		if len(c.Calls) == 0 {
			call := []string{"call", "it", tool.Text("name"), "--yes", "--args", arguments(tool, s.Tools[0])}
			requests = append(requests, append(call, given[c.scenario]...))
		}
	}
	for _, prompt := range s.Prompts {
		requests = append(requests, []string{"prompt", "it", prompt.Text("name")})
	}
	for _, resource := range s.Resources {
		requests = append(requests, []string{"read", "it", resource.Text("uri")})
	}
	for _, skill := range s.Skills { // whose first file is SKILL.md
		files, _ := rawjson.Elements(skill["resources"])
		for _, file := range files {
			requests = append(requests, []string{"read", "it", rawjson.ObjectOf(file).Text("uri")})
		}
	}
	if slices.Contains(onlyListed, c.scenario) {
		requests = nil
	}
	for _, request := range requests {
		words, result := c.run(request...)
		said, status = said+words, cmp.Or(status, result)
		if status != 0 && len(s.Skills) > 0 {
			break // what a skill says is not followed when it is not what was listed
		}
	}
	return said, status
}

// arguments returns some that a tool takes. A schema that it wants is that of the server's first tool.
func arguments(tool, first rawjson.Object) string {
	schema := rawjson.ObjectOf(tool["inputSchema"])
	args := map[string]any{}
	if tool.Text("name") == "json_schema_2020_12_tool" {
		args["contactMethod"], args["phone"] = "phone", "1" // as its conditions want
	}
	for _, name := range rawjson.Texts(schema["required"]) {
		switch rawjson.ObjectOf(rawjson.ObjectOf(schema["properties"])[name]).Text("type") {
		case "number", "integer":
			args[name] = 5
		case "object":
			args[name] = first["inputSchema"]
		default:
			args[name] = "x"
		}
	}
	text, err := json.Marshal(args)
	must(err)
	return string(text)
}

// run runs mcpctl, shows what it said and gives it back.
func (c conformer) run(args ...string) (said string, status int) {
	cmd := exec.Command("mcpctl", append(args, "--config", "mcp.json")...)
	cmd.Dir = c.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the status reports
	status = cmd.ProcessState.ExitCode()
	fmt.Fprintf(os.Stderr, "$ mcpctl %s\n%s%s-> %d\n", strings.Join(args, " "), &stdout, &stderr, status)
	return cmp.Or(stdout.String(), stderr.String()), status
}
