package main

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// The actions of a workflow, each pinned to the commit of a release.
const (
	setupNode   = "actions/setup-node@53b83947a5a98c8d113130e565377fae1a50d02f # v6.3.0"
	setupGo     = "actions/setup-go@4a3601121dd01d1626a1e23e37211e3254c1c06c # v6.4.0"
	setupPython = "actions/setup-python@a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0"
)

// A build is what a clean clone needs before its servers start.
type build struct {
	actions  []string // steps of GitHub Actions that install a language
	packages []string // Debian packages that do the same in the image of Go
	commands []string
	missing  []string // files that servers start, that git ignores, and that no command is known to make
	against  string   // the flag of check for a README with marks; empty = it has none
}

// readme is the file whose marks init looks for.
const readme = "README.md"

// buildOf returns the build of the project in dir, by its package.json, pyproject.toml, go.mod and
// Dockerfile.
func buildOf(ctx context.Context, repo source.Repo, dir string, servers []probe.Server) build {
	var b build
	made := map[string]bool{} // what a command makes, by the first element of its path
	if has(dir, "package.json") {
		b.node(dir)
		made["node_modules"] = true
		if manifestOf(dir).Scripts["build"] != "" {
			for _, output := range []string{"dist", "build", "lib", "out", "bin"} {
				made[output] = true
			}
		}
	}
	if has(dir, "pyproject.toml") {
		b.python(dir)
	}
	if has(dir, "go.mod") {
		b.actions = append(b.actions, "uses: "+setupGo+"\n        with: {go-version-file: go.mod}")
	}
	for _, file := range ignoredPrograms(ctx, repo, dir, servers) {
		switch target := goPackage(dir, file); {
		case made[strings.Split(file, "/")[0]]:
		case target != "":
			b.commands = append(b.commands, "go build -o "+file+" "+target)
		default:
			b.missing = append(b.missing, file)
		}
	}
	for _, image := range localImages(dir, servers) {
		b.commands = append(b.commands, "docker build -t "+image+" .")
	}
	if report.HasDocs(dir, readme) {
		b.against = "--against=" + readme
	}
	return b
}

// node adds the installation of the dependencies of package.json, by the lock file, and its build script.
func (b *build) node(dir string) {
	install, run, cache := "npm install", "npm run build", ""
	switch {
	case has(dir, "package-lock.json"), has(dir, "npm-shrinkwrap.json"):
		install, cache = "npm ci", ", cache: npm"
	case has(dir, "pnpm-lock.yaml"):
		install, run = "corepack enable && pnpm install --frozen-lockfile", "pnpm run build"
	case has(dir, "yarn.lock"):
		install, run = "corepack enable && yarn install --frozen-lockfile", "yarn run build"
	}
	b.actions = append(b.actions, "uses: "+setupNode+"\n        with: {node-version: 22"+cache+"}")
	b.packages = append(b.packages, "nodejs", "npm")
	b.commands = append(b.commands, install)
	if manifestOf(dir).Scripts["build"] != "" {
		b.commands = append(b.commands, run)
	}
}

// python adds the installation of a pyproject.toml.
func (b *build) python(dir string) {
	b.actions = append(b.actions, "uses: "+setupPython+"\n        with: {python-version: \"3.13\"}")
	b.packages = append(b.packages, "python3-pip", "python3-venv")
	if has(dir, "uv.lock") {
		b.commands = append(b.commands, "pip install uv==0.8.0 && uv sync --frozen")
		return
	}
	b.commands = append(b.commands, "pip install .")
}

// ignoredPrograms returns the files in dir that servers start or pass to an interpreter and that git ignores.
func ignoredPrograms(ctx context.Context, repo source.Repo, dir string, servers []probe.Server) []string {
	var files []string
	for _, s := range servers {
		if s.Stdio == nil {
			continue
		}
		for _, arg := range append([]string{s.Stdio.Command}, s.Stdio.Args...) {
			rel := arg
			if filepath.IsAbs(arg) {
				rel, _ = filepath.Rel(dir, arg)
			}
			rel = path.Clean(filepath.ToSlash(rel))
			if !filepath.IsLocal(rel) || slices.Contains(files, rel) {
				continue
			}
			info, err := os.Stat(filepath.Join(dir, rel))
			if err == nil && !info.IsDir() && repo.Ignores(ctx, rel) {
				files = append(files, rel)
			}
		}
	}
	return files
}

// goPackage returns the main package that a program of a Go module is built from, or "".
func goPackage(dir, program string) string {
	name := strings.TrimSuffix(path.Base(program), ".exe")
	switch {
	case !has(dir, "go.mod"):
		return ""
	case has(dir, "cmd/"+name):
		return "./cmd/" + name
	case has(dir, "main.go"):
		return "."
	}
	return ""
}

// localName matches the name of an image without a registry.
var localName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(:[\w.-]+)?$`)

// localImages returns the images that servers run and that the Dockerfile of dir probably builds.
func localImages(dir string, servers []probe.Server) []string {
	var images []string
	for _, s := range servers {
		if s.Stdio == nil || path.Base(s.Stdio.Command) != "docker" || !has(dir, "Dockerfile") {
			continue
		}
		if n := len(s.Stdio.Args); n > 0 && localName.MatchString(s.Stdio.Args[n-1]) {
			images = append(images, s.Stdio.Args[n-1])
		}
	}
	return images
}

func has(dir, file string) bool {
	_, err := os.Stat(filepath.Join(dir, file))
	return err == nil
}

// manifest holds the members of package.json that init uses.
type manifest struct {
	Name    string            `json:"name"`
	Scripts map[string]string `json:"scripts"`
}

func manifestOf(dir string) (m manifest) {
	if text, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil {
		_ = json.Unmarshal(text, &m) // a broken one has no name and no scripts
	}
	return m
}

// linesOf returns a line for each item, between two texts.
func linesOf(items []string, before, after string) string {
	return strings.Join(kit.Map(items, func(item string) string { return before + item + after + "\n" }), "")
}

// githubWorkflow returns a workflow that compares and checks each pull request in the last steps.
func githubWorkflow(b build, comments bool, last string) string {
	comment := ""
	if comments {
		comment = "\n  pull-requests: write # for one comment; a fork gets the job summary only"
	}
	return `# Fails a pull request that breaks callers of the servers in mcpctl.yaml.
name: mcpctl
on: pull_request
permissions:
  contents: read` + comment + `
jobs:
  mcpctl:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with: {persist-credentials: false}
` + linesOf(b.actions, "      - ", "") + linesOf(b.commands, "      - run: ", "") +
		linesOf(b.missing, "      # TODO: build ", ", which git ignores") + last
}

// actionSteps are the last steps of a workflow that uses the action.
func actionSteps(b build, action, with string) string {
	against := ""
	if b.against != "" {
		against = ", args: " + b.against
	}
	return "      - uses: " + action + "\n" +
		"        with: {config: mcpctl.yaml, comment: true" + with + "}\n" +
		"      - if: ${{ !cancelled() }}\n        uses: " + action + "\n" +
		"        with: {command: check, config: mcpctl.yaml" + against + with + "}\n"
}

// installSteps are the last steps of a workflow that installs a version with Go, which compares it with the
// checksum database. Newer versions of setup-go keep Go from fetching the toolchain that mcpctl needs.
func installSteps(b build, version string) string {
	setup := ""
	if !slices.ContainsFunc(b.actions, func(step string) bool { return strings.Contains(step, setupGo) }) {
		setup = "      - uses: " + setupGo + "\n        with: {go-version: stable, cache: false}\n"
	}
	return setup + "      - run: " + goInstall + version + "\n        env: {GOTOOLCHAIN: auto}\n" +
		`      - run: mcpctl diff --config mcpctl.yaml --format github
      - if: ${{ !cancelled() }}
        run: ` + b.check() + ` --format github
`
}

// check returns the command that checks the servers, and the README if it has marks.
func (b build) check() string {
	return strings.TrimSpace("mcpctl check --config mcpctl.yaml " + b.against)
}

// gitlabWorkflow returns a job that compares and checks each merge request. install puts mcpctl into PATH.
func gitlabWorkflow(b build, install string) string {
	languages := ""
	if len(b.packages) > 0 {
		languages = "    - apt-get update && apt-get install -y " + strings.Join(b.packages, " ") + "\n"
	}
	return "# Fails a merge request that breaks callers of the servers in mcpctl.yaml.\n" +
		"mcpctl:\n  image: golang:1.26\n  script:\n" + languages +
		linesOf(b.commands, "    - ", "") + "    - " + install + "\n" +
		linesOf(b.missing, "    # TODO: build ", ", which git ignores") +
		"    - mcpctl diff --config mcpctl.yaml --report junit=mcpctl.xml " +
		"--report gitlab=gl-code-quality-report.json\n    - " + b.check() + `
  artifacts:
    when: always
    reports: {codequality: gl-code-quality-report.json, junit: mcpctl.xml}
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
`
}

// goInstall is the command that installs a version of mcpctl, without the version.
const goInstall = "go install github.com/mcpctl/mcpctl/cmd/mcpctl@"

// The files of workflows.
const (
	githubFile = ".github/workflows/mcpctl.yml"
	gitlabFile = ".gitlab-ci.yml"
)

// workflow returns the file of a CI system. It pins what this program was built from: a release and its
// commit, a commit, or a version of the module. Only a build that knows none of them leaves that to the user.
func workflow(ci string, b build, from buildOrigin) planned {
	steps := strings.Join(append(slices.Clone(b.commands), "diff", "check"), ", ")
	if ci == "gitlab" {
		install := goInstall + "main # pin this"
		if at := cmp.Or(from.release, from.commit, from.module); at != "" {
			install = goInstall + at
		}
		return planned{gitlabFile, gitlabWorkflow(b, install), steps}
	}
	text := ""
	switch {
	case from.commit != "" && from.release != "": // the action downloads it
		text = githubWorkflow(b, true, actionSteps(b, "mcpctl/mcpctl@"+from.commit+" # "+from.release,
			", version: "+strings.TrimPrefix(from.release, "v")))
	case from.commit != "":
		text = githubWorkflow(b, true, actionSteps(b, "mcpctl/mcpctl@"+from.commit, ""))
	case cmp.Or(from.release, from.module) != "":
		text = githubWorkflow(b, false, installSteps(b, cmp.Or(from.release, from.module)))
		return planned{githubFile, text, steps}
	default:
		text = githubWorkflow(b, true, actionSteps(b, "mcpctl/mcpctl@main # pin this", ""))
	}
	return planned{githubFile, text, steps + ", pull-request comment"}
}
