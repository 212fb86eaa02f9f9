package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/manifest"
)

// Limits on what is read of the project to know what a command starts.
const (
	maxScripts  = 50
	maxFolders  = 10
	maxPieces   = 2000           // of command lines, that may be paths
	maxScript   = 64 << 20       // bytes of each
	maxPackage  = 4 << 20        // bytes of a package.json that is understood
	maxLooked   = 100_000        // folders on all paths that are looked for
	maxAll      = 20 * maxLooked // the same for all servers of a run; each has leastLooked, whatever others take
	leastLooked = 1000
)

// projectFiles are files that a program reads from its folder, or one above it, to know what to run or where to fetch it.
var projectFiles = map[string][]string{
	"npx": {".npmrc"}, "pnpx": {".npmrc"}, "bunx": bunFiles,
	"npm": {".npmrc", "package.json"}, "pnpm": {".npmrc", "package.json", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"}, "yarn": {".npmrc", ".yarnrc", ".yarnrc.yml", "package.json"},
	"bun": bunFiles, "deno": {".npmrc", "deno.json", "deno.jsonc", "package.json"}, "tsx": {"tsconfig.json"}, "ts-node": {"tsconfig.json"}, "nodemon": {"nodemon.json", "package.json"},
	"make": {"GNUmakefile", "makefile", "Makefile"}, "just": {"justfile", "Justfile", "JUSTFILE", ".justfile", ".env"}, "task": taskFiles, "rake": {"Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"},
	"uv": {"pyproject.toml", "uv.toml", ".python-version"}, "uvx": {"pyproject.toml", "uv.toml"}, "poetry": {"pyproject.toml", "poetry.toml"}, "pdm": {"pyproject.toml", "pdm.toml", ".pdm-python"},
	"hatch": {"pyproject.toml", "hatch.toml"}, "pipenv": {"Pipfile", ".env"}, "pixi": {"pixi.toml", "pyproject.toml"}, "fastmcp": {"fastmcp.json"}, "rscript": {".Rprofile", ".Renviron"}, "r": {".Rprofile", ".Renviron"},
	"bundle": {"Gemfile", "gems.rb", ".bundle/config"}, "mvn": mavenFiles, "mvnw": mavenFiles, "gradle": gradleFiles, "gradlew": gradleFiles, "jbang": {"jbang-catalog.json", ".jbang/jbang-catalog.json"},
	"dotnet": dotnetFiles, "dnx": dotnetFiles, "cargo": {"Cargo.toml", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"}, "go": {"go.mod", "go.work"},
	"clojure": {"deps.edn"}, "clj": {"deps.edn"}, "bb": {"bb.edn"}, "mise": {"mise.toml", ".mise.toml", "mise.local.toml", ".tool-versions"}, "direnv": {".envrc"},
	"nix": {"flake.nix", "flake.lock"}, "nix-shell": {"shell.nix", "default.nix"}, "compose": composeFiles, "docker-compose": composeFiles, "podman-compose": composeFiles,
}

var (
	bunFiles     = []string{".npmrc", "bunfig.toml", "package.json", ".env", ".env.local"}
	taskFiles    = []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.dist.yaml"}
	mavenFiles   = []string{"pom.xml", ".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml", ".mvn/wrapper/maven-wrapper.properties", ".mvn/wrapper/maven-wrapper.jar"}
	gradleFiles  = []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties", "gradle/wrapper/gradle-wrapper.properties", "gradle/wrapper/gradle-wrapper.jar"}
	dotnetFiles  = []string{"nuget.config", "NuGet.config", "NuGet.Config", "global.json", "Directory.Build.props", "Directory.Build.targets", "Properties/launchSettings.json", ".config/dotnet-tools.json"}
	composeFiles = []string{"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml", "compose.override.yaml", "compose.override.yml", "docker-compose.override.yaml", "docker-compose.override.yml", "Dockerfile", ".env"}
)

// scripts are the files of the project that the commands name, or that their programs obey, with their content.
func (e Entry) scripts(read contents) (found []manifest.File) {
	dir, commands := e.commandWords()
	words := pieces(commands)
	few := words[:min(len(words), maxPieces)]
	left := max(min(maxLooked, *read.left), leastLooked)
	*read.left -= left
	defer func() { *read.left += max(left, 0) }()
	folders := e.folders(dir, few, &left)
	whole := len(few) == len(words) && len(folders) < maxFolders
	for path := range e.looked(read, few, folders) {
		if left -= steps(path); left < 0 || len(found) == maxScripts {
			whole = false
			break
		}
		if f, ok := e.script(read, path); ok && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	if !whole {
		found = append(found, manifest.File{Path: manifest.Plain("…"), Unusual: "more files than are looked at"})
	}
	return found
}

// steps is how many names a path is looked up by.
func steps(path string) int { return 1 + strings.Count(path, string(filepath.Separator)) }

// looked are the paths that words may stand for, seen from some folders.
func (e Entry) looked(read contents, words, folders []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, word := range words {
			for _, dir := range folders {
				from := func(path string) bool { return yield(files.From(dir, path)) }
				if !each(slices.Concat(read.startFiles(dir, word), e.inPath(word)), from) || !read.obeyed(dir, word, words[i+1:], from) {
					return
				}
			}
		}
	}
}

// each hands paths on until yield has enough; false = it has.
func each(paths []string, yield func(string) bool) bool {
	return !slices.ContainsFunc(paths, func(path string) bool { return !yield(path) })
}

// pieces are words and what may stand in them as a path of its own: of code, lists, NAME=VALUE, MODULE:NAME, @FILE and -fFILE; each once.
func pieces(words []string) []string {
	var all []string
	known := map[string]bool{}
	for _, word := range words {
		parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()[]'\"`=,:@", r) })
		for _, piece := range slices.Concat(parts, []string{word}, attached(word)) {
			if !known[piece] {
				known[piece] = true
				all = append(all, piece)
			}
		}
	}
	return all
}

// attached are what may be the value of the last of some short options that stand in one word.
func attached(word string) (values []string) {
	const most = 5
	if strings.HasPrefix(word, "--") || !strings.HasPrefix(word, "-") {
		return nil
	}
	for at := 2; at <= most && at < len(word); at++ {
		values = append(values, word[at:])
	}
	return values
}

// folders are dir and those of the project that words name, seen from any before them: programs go there, or search there. They
// are looked for as long as left lasts.
func (e Entry) folders(dir string, words []string, left *int) []string {
	all := []string{dir}
	for _, word := range words {
		for _, from := range all {
			folder := files.From(from, word)
			if *left -= steps(folder); *left < 0 {
				return all
			}
			if len(all) < maxFolders && !slices.Contains(all, folder) && files.IsDir(folder) && e.scope.holds(folder) {
				all = append(all, folder)
			}
		}
	}
	return all
}

// commandWords are the words of all command lines of the entry, variables that say what runs among them, and their folder.
func (e Entry) commandWords() (dir string, words []string) {
	dir = e.scope.folder
	if s := e.Server.Stdio; s != nil {
		dir, words = s.Dir, slices.Concat([]string{s.Command}, s.Args)
		for _, name := range names(s.Env) {
			if manifest.Steers(name) {
				words = append(words, s.Env[name].Reveal())
			}
		}
	}
	if h := e.Server.HTTP; h != nil && h.Helper != nil {
		words = append(words, h.Helper.Command)
	}
	return dir, words
}

// inPath are the files that a program's name may stand for by a PATH that the entry sets.
func (e Entry) inPath(name string) (paths []string) {
	if e.Server.Stdio == nil || strings.Contains(name, "/") {
		return nil
	}
	for _, folder := range filepath.SplitList(e.Server.Stdio.Env["PATH"].Reveal()) {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// contents are what was read of the project, so that each file is read once, however often and by whichever spelling servers name it.
type contents struct {
	digests  map[string]manifest.File // by real path
	packages map[string]packageFile
	above    map[string][]string // the folders of the project above one
	left     *int                // of maxAll
}

func newContents() contents {
	left := maxAll
	return contents{map[string]manifest.File{}, map[string]packageFile{}, map[string][]string{}, &left}
}

// packageFile is what a package.json says of what it starts.
type packageFile struct {
	Main string
	Bin  any
}

// about is a package.json; what cannot be read names nothing that npm or Node would find.
func (c contents) about(file string) (about packageFile) {
	if _, err := os.Lstat(file); err != nil {
		return about
	}
	file = files.RealPath(file)
	if about, ok := c.packages[file]; ok {
		return about
	}
	if text, err := files.ReadRegular(file, maxPackage); err == nil {
		_ = json.Unmarshal(text, &about)
	}
	c.packages[file] = about
	return about
}

// endings are what interpreters add to a name when there is no file of that name.
var endings = []string{".js", ".json", ".node", ".ts", ".mjs", ".tsx", ".rb", ".lua", ".so", "/index.js", "/index.ts", "/package.json", "/__main__.py"}

// startFiles are what may run when a program is told to run or load a name: that file, or what interpreters take for it.
func (c contents) startFiles(dir, name string) []string {
	paths := []string{name, strings.ReplaceAll(name, "::", "/") + ".pm"}
	for _, ending := range endings {
		paths = append(paths, name+ending)
	}
	paths = append(paths, moduleFiles(name)...)
	if main := c.about(files.From(dir, name+"/package.json")).Main; main != "" {
		main = name + "/" + main
		paths = append(paths, main, main+".js", main+"/index.js")
	}
	return paths
}

// moduleFiles are what Python runs for a module: its file, and what stands first in the packages that it is in.
func moduleFiles(name string) []string {
	module := strings.ReplaceAll(name, ".", "/")
	paths := []string{module + ".py", module + ".pyc", module + "/__main__.py"}
	for i, c := range module + "/" {
		if c == '/' && i > 0 {
			paths = append(paths, module[:i]+"/__init__.py")
		}
	}
	return paths
}

// obeyed hands on the files that a program reads in a folder and those above it before it does what the words behind it say, until
// yield has enough; false = it has.
func (c contents) obeyed(dir, program string, words []string, yield func(string) bool) bool {
	known := projectFiles[strings.ToLower(base(program))]
	if known == nil {
		return true
	}
	for _, folder := range c.upwards(dir) {
		for _, name := range known {
			if !yield(filepath.Join(folder, name)) {
				return false
			}
		}
		if slices.Contains(known, ".npmrc") && !c.preferred(folder, words, yield) {
			return false
		}
		for _, word := range words {
			if slices.Contains(known, "pyproject.toml") && !yield(filepath.Join(folder, ".venv", "bin", word)) {
				return false
			}
		}
	}
	return true
}

func (c contents) upwards(dir string) []string {
	if c.above[dir] == nil {
		c.above[dir] = files.ProjectFolders(dir)
	}
	return c.above[dir]
}

// preferred hands on the files of a folder that npx and its like run instead of the package that a word names.
func (c contents) preferred(folder string, words []string, yield func(string) bool) bool {
	if !each(c.ownPrograms(filepath.Join(folder, "package.json")), yield) {
		return false
	}
	for _, word := range words {
		name := word
		if at := strings.LastIndexByte(word, '@'); at > 0 {
			name = word[:at]
		}
		if strings.HasPrefix(word, "-") {
			continue
		}
		modules := filepath.Join(folder, "node_modules")
		paths := []string{filepath.Join(modules, ".bin", word), filepath.Join(modules, ".bin", name)}
		if !each(append(paths, c.ownPrograms(filepath.Join(modules, name, "package.json"))...), yield) {
			return false
		}
	}
	return true
}

// ownPrograms are a package.json that names programs, and those; nil when it names none.
func (c contents) ownPrograms(file string) []string {
	var named []string
	switch bin := c.about(file).Bin.(type) {
	case string:
		named = []string{bin}
	case map[string]any:
		for _, path := range bin {
			named = append(named, fmt.Sprint(path))
		}
	case nil:
		return nil
	}
	slices.Sort(named)
	paths := []string{file}
	for _, path := range named {
		paths = append(paths, filepath.Join(filepath.Dir(file), path))
	}
	return paths
}

// script is a file of the project by what may be its path. Of a link that leads out the place is known, not the content.
func (e Entry) script(read contents, path string) (manifest.File, bool) {
	if e.scope.root == "" || strings.Contains(path, "\x00") {
		return manifest.File{}, false
	}
	if _, err := os.Lstat(path); err != nil {
		return manifest.File{}, false
	}
	root := files.RealPath(e.scope.root)
	real := files.RealPath(path)
	if !files.Below(real, root) {
		named, err := filepath.Rel(e.scope.root, path)
		f := manifest.File{Path: discreetly(filepath.ToSlash(named) + " → " + real), As: "a link out of the project"}
		return f, err == nil && filepath.IsLocal(named)
	}
	if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
		return manifest.File{}, false
	}
	f, known := read.digests[real]
	if !known {
		f = digested(real)
		read.digests[real] = f
	}
	shown, _ := filepath.Rel(root, real)
	f.Path = discreetly(filepath.ToSlash(shown))
	return f, true
}

func digested(path string) (f manifest.File) {
	content, err := files.ReadRegular(path, maxScript)
	if err != nil {
		f.Unusual = "its content is not known: " + plainCause(err).Error()
		return f
	}
	sum := sha256.Sum256(content)
	f.Digest = hex.EncodeToString(sum[:])
	return f
}
