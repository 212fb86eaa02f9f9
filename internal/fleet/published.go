package fleet

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Packages starts packages, and asks registries about them.
func (f *Fleet) Packages() (packages.Launcher, error) {
	dir, err := f.process.CacheDir()
	return packages.Launcher{
		Dir: filepath.Join(dir, "packages"), Environ: f.process.Environ, Scripts: f.contact.AllowScripts,
	}, exit.Misuse(err)
}

// packageTarget returns the server in a package that the command line names, which needs no further consent.
func packageTarget(f *Fleet, s source.Source) (Target, error) {
	ref, _, err := packages.Parse(s.Word)
	if err != nil {
		return Target{}, exit.Misuse(err)
	}
	if refusal := f.Config.Project.Allow.Refusal(ref.Name); refusal != nil {
		return misconfigured(ref.Name, ref.String(), []config.Problem{*refusal}), nil
	}
	launcher, err := f.Packages()
	if err != nil {
		return Target{}, err
	}
	command, err := launcher.Command(ref, s.Args)
	if err != nil {
		failed := seen.Server{Name: ref.Name, State: seen.Failed, Source: ref.String(),
			Error: &seen.Failure{Stage: string(probe.Starting), Message: err.Error()}}
		return Target{known: &Surface{Server: failed}}, nil
	}
	t := contact(packageServer(ref, command), config.Login{})
	t.typed, t.projects = true, []string{command.Dir}
	return t, nil
}

// given returns the names of the variables that a server over stdio is started with; nil when it gets all of
// mcpctl's own.
func given(s probe.Server, o probe.Options) []string {
	if s.Stdio == nil || o.InheritEnv {
		return nil
	}
	return slices.AppendSeq([]string{}, maps.Keys(s.Stdio.Env))
}

// Launch returns what launcher a server is started by, and with which package; false for other servers.
func (t Target) Launch() (packages.Launch, bool) {
	if t.plain == nil || t.plain.Stdio == nil {
		return packages.Launch{}, false
	}
	return packages.Launched(append([]string{t.plain.Stdio.Command}, t.plain.Stdio.Args...))
}

// packageServer returns the server in a published package, started by a launcher.
func packageServer(ref packages.Ref, launch packages.Command) probe.Server {
	server := probe.Server{
		Name: ref.Name, Source: ref.String(), Timeout: packages.StartLimit,
		Stdio: &probe.Stdio{Command: launch.Path, Args: launch.Args, Dir: launch.Dir,
			Env: config.Plain(launch.Env)},
	}
	server.Secrets = config.SecretsIn(server)
	return server
}

// AtVersion returns targets whose launchers start these versions, by the names of the servers, without
// install scripts.
func AtVersion(f *Fleet, targets []Target, versions map[string]string) ([]Target, error) {
	launcher, err := f.Packages()
	if err != nil {
		return nil, err
	}
	moved := slices.Clone(targets)
	for i, t := range moved {
		launch, ok := t.Launch()
		version := versions[t.Name()]
		if !ok || version == "" {
			continue
		}
		server, stdio := *t.plain, *t.plain.Stdio
		words := launch.With(version)
		stdio.Command, stdio.Args = words[0], words[1:]
		env := config.Merged(config.Plain(launcher.Env(launch.Ref.Registry)), stdio.Env)
		stdio.Env = config.Merged(env, config.Plain(launcher.Pinned()))
		server.Stdio, server.Timeout = &stdio, max(server.Timeout, packages.StartLimit)
		moved[i].plain = &server
	}
	return moved, f.contact.prepare(f.process, moved)
}
