package packages

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// npm fetches from npm's registry.
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
	if _, err := m.run(ctx, ref, "install", "--prefix", folder, "--no-audit", "--no-fund", "--save-exact", ref.spec()); err != nil {
		return err
	}
	installed, err := m.read(ctx, ref, folder)
	if err == nil && installed.Integrity != published[0] {
		err = fmt.Errorf("%s: what was installed is not what the registry says: %s instead of %s", ref, installed.Integrity, published[0])
	}
	return err
}

// run runs npm without any script of a package.
func (m npm) run(ctx context.Context, ref Ref, args ...string) ([]byte, error) {
	program, err := process.LookPath("npm", "", m.Env)
	if err != nil {
		return nil, fmt.Errorf("%s: npm is needed to fetch it, and is not installed here: it comes with Node.js (https://nodejs.org)", ref)
	}
	args = append(args, "--ignore-scripts", "--prefer-online", "--cache", filepath.Join(m.Folder, "npm-cache"), "--loglevel=error", "--no-update-notifier")
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
	p := Package{Ref: ref, Folder: folder, Integrity: installed[own].Integrity, Dependencies: installed.below(own)}
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
	name, err := choose(ref, programNames(slices.Sorted(maps.Keys(several))))
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, modules, ".bin", name), nil
}
