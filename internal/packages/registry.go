package packages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// Bounds of what a registry is asked.
const (
	askLimit    = time.Minute
	maxAnswer   = 32 << 20 // bytes
	maxReported = 4 << 10  // bytes of what a failing program wrote
)

// ask asks a registry within askLimit; the error says what for.
func ask[T any](ctx context.Context, doing string, ref Ref, question func(context.Context) (T, error)) (T,
	error) {
	slow := fmt.Errorf("the registry did not answer within %s", askLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, askLimit, slow)
	defer cancel()
	answer, err := question(ctx)
	if _, ok := errors.AsType[*url.Error](err); ok && ctx.Err() == nil {
		err = exit.Advise(hintUnreached, "%w", err)
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", doing, ref, cmp.Or(context.Cause(ctx), err))
	}
	return answer, err
}

// hintUnreached is what to do about a registry that was not reached.
const hintUnreached = "check the registry's address in the settings of npm, uv or docker, the network, and " +
	"HTTPS_PROXY"

// errNotPublished is the error for a package or version that a registry does not have, or does not show:
// npm hides private packages so from those who are not logged in.
var errNotPublished = exit.Advise(
	"check the package's name and version: the registry does not have it, or shows it only after a login",
	"not found in the registry")

// Describe returns the release that a reference stands for now. Of an image that is the one on this machine.
func (l Launcher) Describe(ctx context.Context, ref Ref) (Package, error) {
	return ask(ctx, "looking up", ref, func(ctx context.Context) (Package, error) {
		switch ref.Registry {
		case "npm":
			return l.npmRelease(ctx, ref)
		case "pypi":
			return l.pypiRelease(ctx, ref)
		}
		return l.image(ctx, ref)
	})
}

// Newest returns the newest release of a package; of an image whose tag can move, the one that its registry
// has for the tag.
func (l Launcher) Newest(ctx context.Context, ref Ref) (Package, error) {
	if ref.Registry != "oci" {
		return l.Describe(ctx, Ref{Registry: ref.Registry, Name: ref.Name})
	}
	return ask(ctx, "looking up", ref, func(ctx context.Context) (Package, error) {
		newest, err := newestImage(ctx, ref)
		return Package{Ref: newest}, err
	})
}

// Versions returns the last n releases of a package, lowest first, without pre-releases: those of a range,
// else those up to the version of the reference.
func (l Launcher) Versions(ctx context.Context, ref Ref, n int) ([]Ref, error) {
	last := ref.Version
	all, err := ask(ctx, "listing the versions of", ref, func(ctx context.Context) (all []string, err error) {
		switch ref.Registry {
		case "npm":
			all, last, err = l.npmVersions(ctx, ref)
		case "pypi":
			var project pypiProject
			project, err = l.pypi(ctx, ref.Name+"/json")
			all = kit.SortedKeys(project.Releases)
		default:
			all, err = tags(ctx, ref.Name)
		}
		return all, err
	})
	if err != nil {
		return nil, err
	}
	published := all
	all = releases(ref.Registry, published)
	if at := slices.Index(all, last); at >= 0 {
		all = all[:at+1]
	}
	switch {
	case len(published) == 0:
		return nil, fmt.Errorf("listing the versions of %s: %w", ref, errNotPublished)
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no release such as 1.2.3, only %s", ref, kit.Some(published))
	}
	return kit.Map(all[max(0, len(all)-n):], func(version string) Ref {
		return Ref{Registry: ref.Registry, Name: ref.Name, Version: version}
	}), nil
}

// isRelease reports whether a version has numbers alone. Shorter ones of npm and images are ranges and tags
// that move.
func isRelease(registry, version string) bool {
	v := semverOf(version)
	return semver.IsValid(v) && semver.Prerelease(v)+semver.Build(v) == "" &&
		(registry == "pypi" || semver.Canonical(v) == v)
}

// semverOf returns a version as package semver has it.
func semverOf(version string) string { return "v" + strings.TrimPrefix(version, "v") }

// releases returns the releases among versions, lowest first.
func releases(registry string, versions []string) []string {
	found := kit.Filter(versions, func(v string) bool { return isRelease(registry, v) })
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Or(semver.Compare(semverOf(a), semverOf(b)), cmp.Compare(a, b))
	})
	return found
}

// npmRelease returns a release; of a range, the highest one.
func (l Launcher) npmRelease(ctx context.Context, ref Ref) (Package, error) {
	type release struct {
		Version      string
		Integrity    string `json:"dist.integrity"`
		Dependencies map[string]string
	}
	found, err := npmView[release](ctx, l, ref.spec(), "version", "dist.integrity", "dependencies")
	switch {
	case err != nil:
		return Package{}, err
	case len(found) == 0 || found[len(found)-1].Version == "":
		return Package{}, errNotPublished
	}
	last := found[len(found)-1]
	ref.Version = last.Version
	return Package{ref, last.Integrity, last.Dependencies}, nil
}

// npmVersions returns the versions of a range, or all of a package and the one that a reference stands for.
func (l Launcher) npmVersions(ctx context.Context, ref Ref) (all []string, last string, err error) {
	all, err = npmView[string](ctx, l, ref.spec(), "version")
	if err != nil || len(all) != 1 {
		return all, "", err
	}
	last = all[0]
	all, err = npmView[string](ctx, l, ref.Name, "versions")
	return all, last, err
}

// npmView asks npm, with the user's settings for registries and logins, for an array, or the one value that
// it writes instead of an array of one.
func npmView[T any](ctx context.Context, l Launcher, words ...string) (found []T, err error) {
	npm, err := l.tool("it comes with Node.js, https://nodejs.org", "npm")
	if err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"view"}, words,
		[]string{"--json", "--prefer-online", "--loglevel=error", "--no-update-notifier"})
	out, err := l.run(ctx, "npm", npm, args...)
	switch {
	case err != nil:
		return nil, npmError(out, err)
	case len(bytes.TrimSpace(out)) == 0: // a version that does not exist, for npm before 9
		return nil, nil
	}
	var one T
	if json.Unmarshal(out, &one) == nil {
		return []T{one}, nil
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, fmt.Errorf("reading the output of npm view: %w", err)
	}
	return found, nil
}

// npmError returns in one line why npm failed, which it writes as JSON beside pages of text.
func npmError(out []byte, err error) error {
	var says struct {
		Error struct{ Code, Summary string }
	}
	_ = json.Unmarshal(out, &says)
	summary, _, _ := strings.Cut(strings.TrimSpace(says.Error.Summary), "\n")
	switch says.Error.Code {
	case "":
		return err
	case "E404", "ETARGET":
		return errNotPublished
	}
	if _, request, unreached := strings.Cut(summary, "request to "); unreached {
		return exit.Advise(hintUnreached, "npm failed: request to %s", redact.MaskText(request))
	}
	return fmt.Errorf("npm failed: %s", strings.TrimSpace(says.Error.Code+" "+summary))
}

// run runs a program that knows a registry in a private directory, in which no server runs. What it wrote is
// returned with the error, too.
func (l Launcher) run(ctx context.Context, registry, program string, args ...string) ([]byte, error) {
	dir, err := l.private("registries")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	out, stderr := &process.CappedBuffer{Limit: maxAnswer}, &process.Tail{Limit: maxReported}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, process.MinimalEnv(l.Environ), out, stderr
	for name, value := range l.Env(registry) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, process.RetryPauses(program, cmd.Env)...)
	err = process.Run(cmd)
	if err != nil {
		return out.Text, fmt.Errorf("%s failed: %w%s", process.ProgramName(program), err,
			process.Quoted(stderr.String()))
	}
	return out.Text, nil
}
