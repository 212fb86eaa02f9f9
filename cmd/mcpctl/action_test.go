package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"
)

// actionFile is action.yml as far as the tests look at it.
type actionFile struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, Uses, Run, Shell string
	Env                  map[string]string
}

func readText(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readYAML(t *testing.T, file string, into any) string {
	t.Helper()
	text := readText(t, file)
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return text
}

var inputUse = regexp.MustCompile(`inputs\.([a-z-]+)`)

// TestActionIsWhole checks that every input of action.yml is used and every use is one, and that no text of an input
// becomes part of a script.
func TestActionIsWhole(t *testing.T) {
	var action actionFile
	text := readYAML(t, "../../action.yml", &action)
	used := map[string]bool{}
	for _, m := range inputUse.FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %s", m[1])
		}
	}
	for name, input := range action.Inputs {
		if !used[name] || input.Description == "" {
			t.Errorf("the input %s is not used, or not described", name)
		}
	}
	if action.Runs.Using != "composite" || len(action.Runs.Steps) == 0 {
		t.Fatalf("runs: %+v", action.Runs)
	}
	for _, step := range action.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an expression inside of a script: %s", step.Run)
		}
		if step.Run != "" && step.Shell != "bash" {
			t.Errorf("%s: which shell?", step.Run)
		}
	}
	runs := action.Runs.Steps[slices.IndexFunc(action.Runs.Steps, func(step actionStep) bool { return step.ID == "run" })].Env
	if runs["MCPCTL_JOB_INDEX"] != "${{ strategy.job-index }}" || runs["MCPCTL_JOB_TOTAL"] != "${{ strategy.job-total }}" {
		t.Errorf("--shard auto does not learn of the matrix: %v", runs)
	}
}

// TestHooksRun holds the hooks of pre-commit against the commands and flags that exist.
func TestHooksRun(t *testing.T) {
	var hooks []struct{ ID, Entry, Language string }
	readYAML(t, "../../.pre-commit-hooks.yaml", &hooks)
	if len(hooks) == 0 {
		t.Fatal("no hooks")
	}
	app := newApp(program{})
	for _, hook := range hooks {
		words := strings.Fields(hook.Entry)
		command := app.Command(words[1])
		if words[0] != "mcpctl" || command == nil || hook.Language != "golang" {
			t.Errorf("%s: %s does not run", hook.ID, hook.Entry)
			continue
		}
		for _, word := range words[2:] {
			name, isFlag := strings.CutPrefix(word, "--")
			known := slices.ContainsFunc(command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
			if isFlag && !known {
				t.Errorf("%s: there is no flag %s", hook.ID, word)
			}
		}
	}
}

// TestAction runs the scripts of the action as a runner of GitHub does.
func TestAction(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts("testdata/action"))
}

var yamlFence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestDocsUseTheAction holds the examples of docs/ci.md against the inputs of the action and the ids of the hooks.
func TestDocsUseTheAction(t *testing.T) {
	var action actionFile
	readYAML(t, "../../action.yml", &action)
	hooks := readYAML(t, "../../.pre-commit-hooks.yaml", new(any))
	uses := 0
	for _, fence := range yamlFence.FindAllSubmatch([]byte(readText(t, "../../docs/ci.md")), -1) {
		var example any
		if err := yaml.Unmarshal(fence[1], &example); err != nil {
			t.Errorf("%v in\n%s", err, fence[1])
		}
		each(example, func(step map[string]any) {
			if name, _ := step["uses"].(string); strings.HasPrefix(name, "mcpctl/mcpctl@") {
				uses++
				inputs, _ := step["with"].(map[string]any)
				for input := range inputs {
					if _, ok := action.Inputs[input]; !ok {
						t.Errorf("the action has no input %s", input)
					}
				}
			}
			if id, _ := step["id"].(string); step["uses"] == nil && id != "" && !strings.Contains(hooks, "- id: "+id+"\n") {
				t.Errorf("there is no hook %s", id)
			}
		})
	}
	if uses < 2 {
		t.Errorf("only %d uses of the action were found", uses)
	}
}

// pinnedUse is this action, or one of others at a commit, with its version for people.
var pinnedUse = regexp.MustCompile(`^\s*(?:- )?(?:\{)?uses: (\./|mcpctl/mcpctl@[0-9a-f]{40}.*|\S+@[0-9a-f]{40}(?: # v\d+\.\d+\.\d+)?)$`)

// TestActionsArePinned checks every action in a workflow, in action.yml, in an example and in what mcpctl init writes.
func TestActionsArePinned(t *testing.T) {
	flow := workflow("github", build{actions: []string{"uses: " + setupNode, "uses: " + setupGo, "uses: " + setupPython}},
		buildOrigin{release: "v1.2.0", commit: strings.Repeat("a", 40)})
	installed := workflow("github", build{}, buildOrigin{module: "v1.2.0"})
	uses := map[string]string{"mcpctl init": flow.text, "mcpctl init of an installed version": installed.text}
	for _, pattern := range []string{"docs/*.md", "README.md", "action.yml", ".github/workflows/*.yml"} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			uses[file] = readText(t, file)
		}
	}
	found := 0
	for page, text := range uses {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if !strings.HasPrefix(strings.TrimLeft(line, " -"), "uses: ") {
				continue
			}
			if found++; !pinnedUse.MatchString(line) {
				t.Errorf("%s: %s", page, line)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d uses were found", found)
	}
}

// each visits all objects of a value.
func each(value any, visit func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(v)
		for _, member := range v {
			each(member, visit)
		}
	case []any:
		for _, element := range v {
			each(element, visit)
		}
	}
}
