package packages

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/process"
)

// pip fetches by pip from the Python Package Index, or whichever index the user's settings name, into a virtual environment. Only wheels
// are installed: anything else would have to be built, which runs code.
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

// tool is the program that makes a virtual environment and runs pip, with the words for both: uv where it is there, which brings
// Python and pip with it, else Python. uv's own installer is not asked, since it does not say which archive it installed
// (https://github.com/astral-sh/uv/issues/1442).
func (m pip) tool(ref Ref) (program string, venv, pip []string, err error) {
	if uv, err := process.LookPath("uv", "", m.Env); err == nil {
		cache := []string{"--cache-dir", filepath.Join(m.Folder, "uv-cache")}
		return uv, append([]string{"venv"}, cache...), append(append([]string{"tool", "run"}, cache...), "pip"), nil
	}
	for _, name := range []string{"python3", "python"} {
		if python, err := process.LookPath(name, "", m.Env); err == nil {
			return python, []string{"-m", "venv", "--without-pip"}, []string{"-m", "pip"}, nil
		}
	}
	return "", nil, nil, fmt.Errorf("%s: uv, or Python with pip, is needed to fetch it, and neither is installed here (https://docs.astral.sh/uv, https://www.python.org)", ref)
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

// pipReport is the file in an environment in which pip says what it has installed
// (https://pip.pypa.io/en/stable/reference/installation-report/).
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

// venvProgram is a program of an environment.
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
			all = append(all, distribution{normalized(name), version, consoleScripts(filepath.Join(folder, filepath.FromSlash(info), "entry_points.txt"))})
		}
	}
	return all
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
