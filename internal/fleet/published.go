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

// packageTarget returns the server in a package that the command line names.
func packageTarget(f *Fleet, s source.Source) (Target, error) {
	ref, _, err := packages.Parse(s.Word)
	if err != nil {
		return Target{}, exit.Misuse(err)
	}
	e := config.Declare(probe.Server{Name: ref.Name, Source: ref.String(), Timeout: packages.StartLimit},
		f.Config.Project.Allow)
	if e.Refused() {
		return declared(&e), nil
	}
	launcher, err := f.Packages()
	if err != nil {
		return Target{}, err
	}
	start, err := launcher.Command(ref, s.Args)
	if err != nil {
		return declared(&e).failed(&seen.Failure{Stage: string(probe.Starting), Message: err.Error()}), nil
	}
	e.Server.Stdio = &probe.Stdio{Command: start.Path, Args: start.Args, Dir: start.Dir,
		Env: config.Plain(start.Env)}
	e.Server.Secrets = config.SecretsIn(e.Server)
	return declared(&e), nil
}

// given returns the names of the variables that a server over stdio is started with; nil when it gets all of
// mcpctl's own.
func given(s probe.Server, o probe.Options) []string {
	if s.Stdio == nil || o.InheritEnv {
		return nil
	}
	return slices.AppendSeq([]string{}, maps.Keys(s.Stdio.Env))
}

// AtVersion returns targets whose launchers start these versions, by the names of the servers, without
// install scripts.
func AtVersion(f *Fleet, targets []Target, versions map[string]string) ([]Target, error) {
	launcher, err := f.Packages()
	if err != nil {
		return nil, err
	}
	return f.Restarted(targets, func(t Target, server *probe.Server) {
		version := versions[t.Name()]
		if t.launch == nil || version == "" {
			return
		}
		words := t.launch.With(version)
		server.Stdio.Command, server.Stdio.Args = words[0], words[1:]
		env := config.Merged(config.Plain(launcher.Env(t.launch.Ref.Registry)), server.Stdio.Env)
		server.Stdio.Env = config.Merged(env, config.Plain(launcher.Pinned()))
		server.Timeout = max(server.Timeout, packages.StartLimit)
	})
}
