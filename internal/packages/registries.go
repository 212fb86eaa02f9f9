package packages

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

type npm struct{ *Store }

func (m npm) versions(ctx context.Context, ref Ref, all bool) ([]string, error) {
	spec, field := ref.spec(), "version"
	if all {
		spec, field = ref.Name, "versions"
	}
	out, err := m.run(ctx, ref, "view", spec, field, "--json")
	if err != nil {
		return nil, err
	}
	versions, err := texts(out)
	if err != nil || len(versions) == 0 {
		return nil, unknownVersion(ref)
	}
	slices.SortStableFunc(versions, compareVersions)
	return versions, nil
}

// compareVersions orders versions by their numbers; pre-releases of the same numbers come first, in the order that npm has them.
func compareVersions(a, b string) int {
	x, _ := finding.ParseVersion(a)
	y, _ := finding.ParseVersion(b)
	switch {
	case x.Less(y):
		return -1
	case y.Less(x):
		return 1
	case stable(a) == stable(b):
		return 0
	case stable(b):
		return -1
	}
	return 1
}

// texts reads a string, or an array of strings, as npm writes one value and several.
func texts(out []byte) ([]string, error) {
	var one string
	if json.Unmarshal(out, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	err := json.Unmarshal(out, &many)
	return many, err
}

func (m npm) install(ctx context.Context, ref Ref, folder string) error {
	out, err := m.run(ctx, ref, "view", ref.spec(), "dist.integrity", "--json")
	if err != nil {
		return err
	}
	published, err := texts(out)
	if err != nil || len(published) != 1 || published[0] == "" {
		return fmt.Errorf("%s: the registry gives no digest of it to hold it against", ref)
	}
	if _, err := m.run(ctx, ref, "install", "--ignore-scripts", "--prefix", folder, "--no-audit", "--no-fund", "--save-exact", ref.spec()); err != nil {
		return err
	}
	installed, err := m.read(ctx, ref, folder)
	if err == nil && installed.Integrity != published[0] {
		err = fmt.Errorf("%s: what was installed is not what the registry says: %s instead of %s", ref, installed.Integrity, published[0])
	}
	return err
}

// runScripts installs what was fetched into a folder once more, into another one, and runs every script of it.
func (m npm) runScripts(ctx context.Context, ref Ref, fetched, folder string) error {
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := files.ReadRegular(filepath.Join(fetched, name), manifestLimit)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	m.Env = append(m.Env, "npm_config_dangerously_allow_all_scripts=true") // from npm 12 on
	_, err := m.run(ctx, ref, "ci", "--ignore-scripts=false", "--prefix", folder, "--no-audit", "--no-fund")
	return err
}

// installScripts are those that npm runs for a folder, by path (https://docs.npmjs.com/cli/using-npm/scripts#npm-ci).
func installScripts(folder string, installed tree) (all []string) {
	for _, path := range lists.SortedKeys(installed) {
		var manifest struct {
			Scripts map[string]string
			Gypfile *bool
		}
		at := filepath.Join(folder, filepath.FromSlash(path))
		_ = readJSON(filepath.Join(at, "package.json"), &manifest) // one for another system is not there
		scripts := manifest.Scripts
		if _, err := os.Stat(filepath.Join(at, "binding.gyp")); err == nil && scripts["preinstall"]+scripts["install"] == "" && (manifest.Gypfile == nil || *manifest.Gypfile) {
			all = append(all, path+": node-gyp rebuild")
		}
		for _, name := range []string{"preinstall", "install", "postinstall"} {
			if scripts[name] != "" {
				all = append(all, path+": "+scripts[name])
			}
		}
	}
	return all
}

func (m npm) run(ctx context.Context, ref Ref, args ...string) ([]byte, error) {
	program, err := process.Tool("npm", m.Env)
	if err != nil {
		return nil, process.Missing(err, "%s: npm is needed to fetch it, and is not installed here: it comes with Node.js (https://nodejs.org)", ref)
	}
	args = append(args, "--prefer-online", "--cache", filepath.Join(m.Folder, "npm-cache"), "--loglevel=error", "--no-update-notifier")
	return m.Store.run(ctx, ref, npmFaults, program, args...)
}

// npmFaults are codes of npm.
var npmFaults = []fault{
	{"No match found for version", "the registry has no such version: npm view NAME versions lists them"},
	{"E404", "the registry has no such package, or does not show it to you (npm login)"},
	{"ETARGET", "the registry has no such version: npm view NAME versions lists them"},
	{"E401", "the registry wants to know who you are: npm login"},
	{"ENOTFOUND", "the registry cannot be reached: its name is not found"},
	{"ECONNREFUSED", "the registry cannot be reached: nobody listens there"},
	{"EAI_AGAIN", "the registry cannot be reached: its name is not found"},
	{"EINTEGRITY", "what arrived is not what the registry says it is"},
}

func (npm) read(_ context.Context, ref Ref, folder string) (Package, error) {
	installed, err := readTree(folder)
	if err != nil {
		return Package{}, err
	}
	own := modules + "/" + ref.Name
	p := Package{Ref: ref, Folder: folder, Integrity: installed[own].Integrity, Dependencies: installed.below(own), Scripts: installScripts(folder, installed)}
	if got := installed[own].Version; got != ref.Version {
		return p, fmt.Errorf("%s: version %q is installed instead: empty the folder %s", ref, got, folder)
	}
	p.Command, err = entry(ref, folder)
	return p, err
}

// entry is the program that npm would run for the package.
func entry(ref Ref, folder string) (string, error) {
	var manifest struct{ Bin json.RawMessage }
	if err := readJSON(filepath.Join(folder, "node_modules", filepath.FromSlash(ref.Name), "package.json"), &manifest); err != nil {
		return "", err
	}
	short := ref.Name[strings.LastIndex(ref.Name, "/")+1:]
	var several map[string]string
	if json.Unmarshal(manifest.Bin, new(string)) == nil {
		several = map[string]string{short: ""}
	} else {
		_ = json.Unmarshal(manifest.Bin, &several) // anything else names no program
	}
	name, err := choose(ref, programNames(lists.SortedKeys(several)))
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, modules, ".bin", name), nil
}

// pip fetches wheels, which run no code, from the index of the user's settings into a virtual environment.
type pip struct{ *Store }

// pipVersions is the line in which pip lists the releases of a package.
var pipVersions = match.Pattern(`(?m)^Available versions: (.+)$`)

func (m pip) versions(ctx context.Context, ref Ref, all bool) ([]string, error) {
	if ref.Exact() && !all {
		return []string{ref.Version}, nil
	}
	out, err := m.run(ctx, ref, "index", "versions", ref.Name)
	if err != nil {
		return nil, err
	}
	listed := pipVersions().FindSubmatch(out)
	if listed == nil {
		return nil, unknownVersion(ref)
	}
	versions := strings.Split(strings.TrimSpace(string(listed[1])), ", ")
	slices.Reverse(versions) // pip has the newest first
	return versions, nil
}

func (m pip) install(ctx context.Context, ref Ref, folder string) error {
	program, words, _, err := m.tool(ref)
	if err != nil {
		return err
	}
	if _, err := m.Store.run(ctx, ref, pipFaults, program, append(words, folder)...); err != nil {
		return err
	}
	_, err = m.run(ctx, ref, "--python", venvProgram(folder, "python"), "install", "--only-binary", ":all:", "--report", filepath.Join(folder, pipReport), ref.spec())
	if err != nil {
		return err
	}
	_, err = m.read(ctx, ref, folder)
	return err
}

// tool is the program that makes a virtual environment and runs pip: uv where it is there, else Python. uv's own installer
// does not say which archive it installed (https://github.com/astral-sh/uv/issues/1442).
func (m pip) tool(ref Ref) (program string, venv, pip []string, err error) {
	uv, err := process.Tool("uv", m.Env)
	if err == nil {
		cache := []string{"--cache-dir", filepath.Join(m.Folder, "uv-cache")}
		return uv, append([]string{"venv"}, cache...), append(append([]string{"tool", "run"}, cache...), "pip"), nil
	}
	for _, name := range []string{"python3", "python"} {
		python, missing := process.Tool(name, m.Env)
		if missing == nil {
			return python, []string{"-m", "venv", "--without-pip"}, []string{"-m", "pip"}, nil
		}
		if errors.Is(missing, exec.ErrDot) {
			err = missing
		}
	}
	return "", nil, nil, process.Missing(err, "%s: uv, or Python with pip, is needed to fetch it, and neither is installed here (https://docs.astral.sh/uv, https://www.python.org)", ref)
}

// pipFaults are what pip says.
var pipFaults = []fault{
	{"No module named pip", "pip is needed to fetch it, and this Python has none: python3 -m ensurepip, or the package python3-pip"},
	{"no such option: --python", "pip is too old to fetch it apart from your own packages: python3 -m pip install --upgrade pip"},
	{"ConnectionError", "the package index cannot be reached"},
	{"error sending request", "the package index cannot be reached"},
	{"THESE PACKAGES DO NOT MATCH THE HASHES", "what arrived is not what the index says it is"},
	{"No matching distribution found", "the index has no such package or version, or none of it that runs on this machine without being built"},
}

func (m pip) run(ctx context.Context, ref Ref, args ...string) ([]byte, error) {
	program, _, words, err := m.tool(ref)
	if err != nil {
		return nil, err
	}
	words = append(words, "--disable-pip-version-check", "--no-input", "--no-color", "--cache-dir", filepath.Join(m.Folder, "pip-cache"))
	return m.Store.run(ctx, ref, pipFaults, program, append(words, args...)...)
}

// pipReport is what pip has installed (https://pip.pypa.io/en/stable/reference/installation-report/).
const pipReport = "mcpctl-pip.json"

func (pip) read(_ context.Context, ref Ref, folder string) (Package, error) {
	p := inEnvironment(folder, func(d distribution) bool { return d.name == ref.Name })
	if p == nil {
		return Package{}, fmt.Errorf("%s: it is not in what was installed: empty the folder %s", ref, folder)
	}
	p.Ref = ref
	name, err := choose(ref, programsIn(folder, ref.Name))
	// The folder has been renamed since, which the first line of the script does not know.
	p.Command, p.Args = venvProgram(folder, "python"), []string{venvProgram(folder, name)}
	return *p, err
}

func venvProgram(folder, name string) string {
	if windows := filepath.Join(folder, "Scripts"); files.IsDir(windows) {
		return filepath.Join(windows, name+".exe")
	}
	return filepath.Join(folder, "bin", name)
}

// distribution is one package that is installed in an environment.
type distribution struct {
	name, version string
	programs      []string
	about         []string // each server.json that came with it
}

// programsIn are the programs of a package in an environment.
func programsIn(folder, name string) []string {
	for _, d := range distributions(folder) {
		if d.name == name {
			return d.programs
		}
	}
	return nil
}

// normalized is a name as it is compared (https://packaging.python.org/en/latest/specifications/name-normalization).
func normalized(name string) string {
	return strings.ToLower(separators().ReplaceAllString(name, "-"))
}

var separators = match.Pattern(`[-_.]+`)

// distributions are all packages that are installed in an environment
// (https://packaging.python.org/en/latest/specifications/recording-installed-packages).
func distributions(folder string) []distribution {
	var all []distribution
	for _, pattern := range []string{"lib/python*/site-packages/*.dist-info", "Lib/site-packages/*.dist-info"} {
		found, _ := fs.Glob(os.DirFS(folder), pattern) // the pattern is a good one
		for _, info := range found {
			name, version, _ := strings.Cut(strings.TrimSuffix(path.Base(info), ".dist-info"), "-")
			at := filepath.Join(folder, filepath.FromSlash(info))
			all = append(all, distribution{normalized(name), version, consoleScripts(filepath.Join(at, "entry_points.txt")), serverFiles(at)})
		}
	}
	return all
}

// serverFiles are those that a distribution installed, as its record has it
// (https://packaging.python.org/en/latest/specifications/recording-installed-packages/#the-record-file).
func serverFiles(info string) (found []string) {
	record, _ := files.ReadRegular(filepath.Join(info, "RECORD"), manifestLimit)
	for line := range strings.Lines(string(record)) {
		if name, _, _ := strings.Cut(line, ","); path.Base(name) == serverFile && filepath.IsLocal(name) {
			found = append(found, filepath.Join(filepath.Dir(info), filepath.FromSlash(name)))
		}
	}
	return found
}

// consoleScripts are the programs that a package has, by the file that says so.
func consoleScripts(file string) []string {
	data, err := files.ReadRegular(file, manifestLimit)
	if err != nil {
		return nil
	}
	var names []string
	inside := false
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		text := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(text, "[") {
			inside = text == "[console_scripts]"
		} else if name, _, ok := strings.Cut(text, "="); ok && inside {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return programNames(names)
}

// inEnvironment is the package of an environment that is looked for, with all others below it; nil when it is not there.
func inEnvironment(folder string, wanted func(distribution) bool) *Package {
	digests := fetchedDigests(folder)
	var own *Package
	var others []Dependency
	for _, d := range distributions(folder) {
		if own == nil && wanted(d) {
			own = &Package{Ref: Ref{Registry: "pypi", Name: d.name, Version: d.version}, Integrity: digests[d.name], Folder: folder}
			for _, file := range d.about {
				own.Needs = append(own.Needs, own.NeedsBy(file)...)
			}
		} else {
			others = append(others, Dependency{Path: d.name, Version: d.version, Integrity: digests[d.name]})
		}
	}
	if own != nil {
		sortByPath(others)
		own.Dependencies = others
	}
	return own
}

// fetchedDigests are the digests of the archives that were fetched into an environment of the store, by package.
func fetchedDigests(folder string) map[string]string {
	var report struct {
		Install []struct {
			Metadata     struct{ Name string }
			DownloadInfo struct {
				ArchiveInfo struct {
					Hashes map[string]string
				} `json:"archive_info"`
			} `json:"download_info"`
		}
	}
	digests := map[string]string{}
	_ = readJSON(filepath.Join(folder, pipReport), &report) // of an environment of the user's there is none
	for _, one := range report.Install {
		if sum := one.DownloadInfo.ArchiveInfo.Hashes["sha256"]; sum != "" {
			digests[normalized(one.Metadata.Name)] = "sha256:" + sum
		}
	}
	return digests
}

// startedIn is the package that a program of an environment belongs to; nil when the program lies in none.
func startedIn(program string) *Package {
	folder := filepath.Dir(filepath.Dir(program))
	if _, err := files.ReadRegular(filepath.Join(folder, "pyvenv.cfg"), manifestLimit); err != nil {
		return nil
	}
	return inEnvironment(folder, func(d distribution) bool { return slices.Contains(d.programs, programOf(program)) })
}
