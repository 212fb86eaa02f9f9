package sandbox

import (
	"cmp"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// launched returns a server that npx or uvx would ask the network for, started from where it was installed
// earlier.
func (b Box) launched(s probe.Stdio, dir string) (probe.Stdio, error) {
	launch, known := packages.Launched(append([]string{s.Command}, s.Args...))
	launcher := filepath.Base(s.Command)
	switch {
	case launcher == "docker" || launcher == "podman":
		return s, errEngine(launcher)
	case !known && launcher != "npx" && launcher != "uvx", launch.Ref.Registry == "oci":
		return s, nil
	case !known:
		return s, errNetwork(launcher, s.Args)
	}
	file := b.fromUV(launch)
	if launch.Ref.Registry == "npm" {
		file = b.fromNPM(launch, dir)
	}
	if executable(file) {
		s.Command, s.Args = file, launch.Args
		return s, nil
	}
	_, spec, _ := strings.Cut(launch.Ref.String(), ":")
	// in a project, or with git dependencies, both could run code that comes from elsewhere
	first := "cd / && npx --yes --ignore-scripts --git=/bin/false -p " + spec + " true"
	if launch.Ref.Registry == "pypi" {
		first = "uv tool install --no-config --no-build " + spec
	}
	return s, errFetch(launcher, launch.Ref.String(), first)
}

// manifestLimit bounds the package.json of a package, in bytes.
const manifestLimit = 1 << 20

// fromNPM returns the program that npx would start as it is installed: in the project, or where npx keeps
// what it fetched.
func (b Box) fromNPM(launch packages.Launch, dir string) string {
	ref := launch.Ref
	_, spec, _ := strings.Cut(ref.String(), ":")
	sum := sha512.Sum512([]byte(spec))
	own := filepath.Join(b.Home, ".npm", "_npx", hex.EncodeToString(sum[:])[:16])
	for _, folder := range append(files.ProjectFolders(dir), own) {
		modules := filepath.Join(folder, "node_modules")
		if linked := filepath.Join(modules, ".bin", ref.Name); launch.Program == "" && ref.Version == "" &&
			executable(linked) {
			return linked // npx takes a program of that name before a package
		}
		var manifest struct {
			Name, Version string
			Bin           json.RawMessage
		}
		data, err := files.ReadRegular(filepath.Join(modules, filepath.FromSlash(ref.Name), "package.json"),
			manifestLimit)
		if err != nil || json.Unmarshal(data, &manifest) != nil || manifest.Name != ref.Name {
			continue
		}
		if folder == own || !ref.Exact() || manifest.Version == ref.Version {
			return filepath.Join(modules, ".bin", programIn(manifest.Bin, launch))
		}
	}
	return ""
}

// programIn returns the program of a package that npx would choose: the one that is wanted, its only one, or
// the one with its name. It is a name in the directory of programs, wherever a package says that it is.
func programIn(bin json.RawMessage, launch packages.Launch) string {
	short := path.Base(launch.Ref.Name)
	var several map[string]string
	_ = json.Unmarshal(bin, &several) // one program is a string, and has the name of the package
	names := kit.SortedKeys(several)
	if len(names) == 1 && launch.Program == "" {
		short = names[0]
	}
	name := path.Base(strings.NewReplacer(`\`, "/", ":", "/").Replace(cmp.Or(launch.Program, short)))
	if !filepath.IsLocal(name) {
		return ""
	}
	return name
}

// fromUV returns the program that uvx would start as `uv tool install` has installed it.
func (b Box) fromUV(launch packages.Launch) string {
	folder := filepath.Join(b.Home, ".local", "share", "uv", "tools", launch.Ref.Name)
	versions, _ := filepath.Glob(filepath.Join(folder, "lib", "python*", "site-packages", "*.dist-info"))
	wanted := strings.ReplaceAll(launch.Ref.Name, "-", "_") + "-" + launch.Ref.Version + ".dist-info"
	if launch.Ref.Exact() && !slices.ContainsFunc(versions,
		func(at string) bool { return strings.EqualFold(filepath.Base(at), wanted) }) {
		return ""
	}
	return filepath.Join(folder, "bin", cmp.Or(launch.Program, launch.Ref.Name))
}
