package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// runner is a place where a script of the action runs, as a runner of GitHub Actions sets it up.
type runner struct {
	dir string
	env []string
}

func newRunner(t *testing.T, env ...string) runner {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: no bash")
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return runner{dir, append([]string{
		"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "RUNNER_TEMP=" + dir, "GITHUB_ACTION_PATH=" + root,
		"GITHUB_PATH=" + dir + "/path", "GITHUB_OUTPUT=" + dir + "/output", "GITHUB_STEP_SUMMARY=" + dir + "/summary",
	}, env...)}
}

// run runs a script, and is its exit status and all that it printed.
func (r runner) run(t *testing.T, script string) (int, string) {
	t.Helper()
	cmd := exec.Command("bash", "../../scripts/action/"+script)
	cmd.Env = r.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (r runner) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (r runner) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), r.dir, "$DIR")
}

// fakeMcpctl writes its arguments, a line each.
const fakeMcpctl = `#!/bin/sh
for word; do echo "$word" >> "$RUNNER_TEMP/words"; done
echo report > "$RUNNER_TEMP/mcpctl-summary.md"
exit 1
`

func TestActionRuns(t *testing.T) {
	r := newRunner(t, "COMMAND=diff", "CONFIG=a b.json", "BASE=git:merge-base", "FAIL_ON=warning", "SUMMARY=true",
		"REPORT=sarif=out.sarif\njunit=out.xml\n", "ARGS=--timeout\n10s\n--\n./server\n$(touch hacked); `touch hacked`\n")
	r.write(t, "mcpctl", fakeMcpctl)
	if status, out := r.run(t, "run.sh"); status != 1 {
		t.Errorf("exit status %d, want that of mcpctl: %s", status, out)
	}
	want := "diff\n--format\ngithub\n--config\na b.json\n--base\ngit:merge-base\n--fail-on\nwarning\n--report\nsarif=out.sarif\n--report\njunit=out.xml\n" +
		"--report\nmarkdown=$DIR/mcpctl-summary.md\n--timeout\n10s\n--\n./server\n$(touch hacked); `touch hacked`\n"
	if diff := cmp.Diff(want, r.read(t, "words")); diff != "" {
		t.Errorf("the words that mcpctl got (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("status=1\nsummary=$DIR/mcpctl-summary.md\n", r.read(t, "output")); diff != "" {
		t.Errorf("the outputs (-want +got):\n%s", diff)
	}
}

// fakeGH answers with the ids in the file comments, fails if the file forbidden exists, and writes its requests to requests.
const fakeGH = `#!/bin/sh
echo "$@" >> "$RUNNER_TEMP/requests"
case "$*" in
*--paginate*) cat "$RUNNER_TEMP/comments" ;;
*) test ! -e "$RUNNER_TEMP/forbidden" ;;
esac
`

// TestActionComments creates one comment, updates it, creates none without findings, and passes where the token cannot write.
func TestActionComments(t *testing.T) {
	for name, test := range map[string]struct {
		status, comments string
		forbidden        bool
		request, printed string
	}{
		"first findings":       {status: "1", request: "--method POST repos/o/r/issues/7/comments"},
		"findings again":       {status: "1", comments: "41\n42\n", request: "--method PATCH repos/o/r/issues/comments/41"},
		"no findings any more": {status: "0", comments: "41\n", request: "--method PATCH repos/o/r/issues/comments/41"},
		"no findings":          {status: "0"},
		"the token only reads": {status: "1", forbidden: true, request: "--method POST", printed: "::notice::the token cannot write"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, "COMMAND=diff", "STATUS="+test.status, "GITHUB_REPOSITORY=o/r", "GITHUB_WORKFLOW=mcpctl", "GITHUB_JOB=mcpctl")
			if _, err := exec.LookPath("jq"); err != nil {
				t.Skip("NOT TESTED: jq is not installed")
			}
			r.env = append(r.env, "SUMMARY="+r.dir+"/summary.md", "GITHUB_EVENT_PATH="+r.dir+"/event.json")
			r.write(t, "gh", fakeGH)
			r.write(t, "summary.md", "1 breaking\n")
			r.write(t, "event.json", `{"pull_request": {"number": 7}}`)
			r.write(t, "comments", test.comments)
			if test.forbidden {
				r.write(t, "forbidden", "")
			}
			status, out := r.run(t, "comment.sh")
			if status != 0 || !strings.Contains(out, test.printed) {
				t.Errorf("exit status %d: %s", status, out)
			}
			requests := r.read(t, "requests")
			if wrote := strings.Contains(requests, "--method"); wrote != (test.request != "") || !strings.Contains(requests, test.request) {
				t.Errorf("requests, want %q:\n%s", test.request, requests)
			}
		})
	}
}

// release is a folder with a release of mcpctl 1.2.0 for Linux, and its checksums with some of their text replaced.
func release(t *testing.T, old, new string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "v1.2.0")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var packed strings.Builder
	zipped := gzip.NewWriter(&packed)
	files := tar.NewWriter(zipped)
	body := "#!/bin/sh\necho released\n"
	if err := files.WriteHeader(&tar.Header{Name: "mcpctl", Mode: 0o755, Size: int64(len(body))}); err != nil {
		t.Fatal(err)
	}
	_, errWrite := files.Write([]byte(body))
	if err := errors.Join(errWrite, files.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	const name = "mcpctl_1.2.0_linux_amd64.tar.gz"
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(packed.String())), name)
	for file, text := range map[string]string{name: packed.String(), "checksums.txt": strings.ReplaceAll(sums, old, new)} {
		writeText(t, filepath.Join(dir, file), text)
	}
	return "MCPCTL_RELEASES=file://" + filepath.Dir(dir)
}

// TestActionTakesItsOwnRelease downloads the release that the action is used by.
func TestActionTakesItsOwnRelease(t *testing.T) {
	for ref, newest := range map[string]string{"v1.2.0": "/nowhere", "v1": "/releases/tag/v1.2.0"} {
		latest := httptest.NewServer(http.RedirectHandler(newest, http.StatusFound))
		t.Cleanup(latest.Close)
		r := newRunner(t, "VERSION=", "ACTION_REF="+ref, "MCPCTL_LATEST="+latest.URL, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", release(t, "", ""))
		if status, out := r.run(t, "install.sh"); status != 0 || !strings.Contains(out, "mcpctl v1.2.0: checksum verified") {
			t.Errorf("%s: exit status %d: %s", ref, status, out)
		}
	}
	none := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(none.Close)
	r := newRunner(t, "VERSION=", "ACTION_REF=v2", "MCPCTL_LATEST="+none.URL)
	r.write(t, "go", "#!/bin/sh\necho building\n")
	if status, out := r.run(t, "install.sh"); status != 0 || !strings.Contains(out, "::notice::the newest release of mcpctl is none of v2") || !strings.Contains(out, "building") {
		t.Errorf("exit status %d: %s", status, out)
	}
}

// TestActionVerifiesTheAttestation lets a stand-in for gh answer: what it does not vouch for is not installed, and what no one
// could be asked about is said. It is asked for the tag, too: an older release under the name of a newer one is not it.
func TestActionVerifiesTheAttestation(t *testing.T) {
	for name, test := range map[string]struct {
		token, answer string
		status        int
		want          string
	}{
		"vouched for":     {"GH_TOKEN=t", "exit 0", 0, "checksum and build attestation verified"},
		"not vouched for": {"GH_TOKEN=t", "exit 1", 2, "its attestation does not verify"},
		"nobody to ask":   {"GH_TOKEN=", "exit 1", 0, "its build attestation was not"},
	} {
		t.Run(name, func(t *testing.T) {
			gh := t.TempDir()
			script := "#!/bin/sh\ncase \"$*\" in \"attestation verify mcpctl_1.2.0_linux_amd64.tar.gz --repo mcpctl/mcpctl --cert-identity https://github.com/mcpctl/mcpctl/.github/workflows/release.yml@refs/tags/v1.2.0\") " + test.answer + ";; esac\nexit 9\n"
			if err := os.WriteFile(filepath.Join(gh, "gh"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			r := newRunner(t, "VERSION=1.2.0", "RUNNER_OS=Linux", "RUNNER_ARCH=X64", release(t, "", ""), test.token, "PATH="+gh+string(os.PathListSeparator)+os.Getenv("PATH"))
			status, out := r.run(t, "install.sh")
			if status != test.status || !strings.Contains(out, test.want) {
				t.Errorf("exit status %d, want %d and %q: %s", status, test.status, test.want, out)
			}
			released, err := exec.Command(filepath.Join(r.dir, "mcpctl-bin", "mcpctl")).Output()
			if installed := err == nil && string(released) == "released\n"; installed != (test.status == 0) {
				t.Errorf("installed: %v", installed)
			}
			if path := r.read(t, "path"); test.status == 0 && path != "$DIR/mcpctl-bin\n" {
				t.Errorf("PATH gets %q", path)
			}
		})
	}
}

// TestActionRefuses installs nothing that is not the release.
func TestActionRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		env  []string
		want string
	}{
		"another checksum":   {[]string{"VERSION=1.2.0", "RUNNER_OS=Linux", "RUNNER_ARCH=X64", release(t, "  mcpctl", "0  mcpctl")}, "its checksum differs"},
		"no checksum":        {[]string{"VERSION=1.2.0", "RUNNER_OS=Linux", "RUNNER_ARCH=X64", release(t, "linux", "plan9")}, "does not name mcpctl_1.2.0_linux_amd64.tar.gz once"},
		"no such version":    {[]string{"VERSION=1.3.0", "RUNNER_OS=Linux", "RUNNER_ARCH=X64", release(t, "", "")}, "no release 1.3.0"},
		"no such system":     {[]string{"VERSION=1.2.0", "RUNNER_OS=Plan9", "RUNNER_ARCH=X64", release(t, "", "")}, "not released for Plan9"},
		"no such processor":  {[]string{"VERSION=1.2.0", "RUNNER_OS=Linux", "RUNNER_ARCH=ARM", release(t, "", "")}, "not released for ARM"},
		"not there for this": {[]string{"VERSION=1.2.0", "RUNNER_OS=Linux", "RUNNER_ARCH=ARM64", release(t, "", "")}, "no release 1.2.0 of mcpctl for linux/arm64"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, test.env...)
			status, out := r.run(t, "install.sh")
			if status != 2 || !strings.Contains(out, test.want) {
				t.Errorf("exit status %d, want 2 and %q: %s", status, test.want, out)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "mcpctl-bin", "mcpctl")); err == nil {
				t.Error("it was installed all the same")
			}
		})
	}
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
	_, text, _ := workflow("github", build{actions: []string{"uses: " + setupNode, "uses: " + setupGo, "uses: " + setupPython}},
		strings.Repeat("a", 40), "1.2.0")
	uses := map[string]string{"mcpctl init": text}
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
