package packages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// ociName and ociVersion: https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests.
var (
	ociName    = match.Pattern(`^([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)
	ociVersion = match.Pattern(`^([A-Za-z0-9_][A-Za-z0-9._-]{0,127}|sha256:[0-9a-f]{64})$`)
)

// image fetches container images with docker or podman, whose store they stay in: the folder only says that one was fetched.
type image struct{ *Store }

// versions are the tag, or all tags that are versions, as the registry lists them: no engine can be asked for those.
func (m image) versions(ctx context.Context, ref Ref, all bool) ([]string, error) {
	if !all {
		return []string{cmp.Or(ref.Version, "latest")}, nil
	}
	tags, err := listTags(ctx, ref.Name, m.Env)
	if err != nil {
		return nil, explained(ref, imageFaults, err.Error(), fmt.Errorf("listing its tags: %w", err))
	}
	tags = slices.DeleteFunc(tags, func(tag string) bool { return !released(tag) })
	slices.SortStableFunc(tags, compareVersions)
	return tags, nil
}

// released tells a tag that is a version from one that can be moved to the next, such as "latest" or "1.2".
func released(tag string) bool {
	_, is := finding.ParseVersion(tag)
	return is
}

// upgrade goes by versions where the tag is one, else by what the tag stood for and stands for now.
func (m image) upgrade(ctx context.Context, ref Ref, locked Package) (now, newest Ref, err error) {
	if released(ref.Version) {
		tags, err := m.versions(ctx, ref, true)
		newest = ref
		if len(tags) > 0 {
			newest.Version = highest(tags)
		}
		return ref, newest, err
	}
	if ref.Version = cmp.Or(ref.Version, "latest"); ref.Exact() {
		return ref, ref, nil
	}
	if now = m.pinned(ctx, ref); locked.Ref.String() == ref.String() && locked.Integrity != "" {
		now.Version = locked.Integrity
	}
	if err := m.pull(ctx, ref); err != nil {
		return ref, ref, err
	}
	if newest = m.pinned(ctx, ref); !now.Exact() {
		now = newest // it is not here yet, so a start would fetch it
	}
	return now, newest, nil
}

// pinned is the reference by the digest of the image that is here; as it is when there is none that a registry knows.
func (m image) pinned(ctx context.Context, ref Ref) Ref {
	if found, err := m.inspect(ctx, ref); err == nil {
		ref.Version = cmp.Or(found.digest(ref.Name), ref.Version)
	}
	return ref
}

// install fetches an image. One that was built here needs no registry.
func (m image) install(ctx context.Context, ref Ref, _ string) error { return m.pull(ctx, ref) }

func (m image) pull(ctx context.Context, ref Ref) error {
	_, err := m.run(ctx, ref, "pull", "--quiet", ref.spec())
	if err != nil {
		if _, known := m.inspect(ctx, ref); known == nil {
			return nil
		}
	}
	return err
}

func (m image) run(ctx context.Context, ref Ref, args ...string) ([]byte, error) {
	engine, err := m.engine(ctx, ref)
	if err != nil {
		return nil, err
	}
	return m.Store.run(ctx, ref, imageFaults, engine, args...)
}

// engine is the program that runs containers: the one that a command line names, else docker, or podman where that is not
// installed or has no engine that runs, which is found out once.
func (m image) engine(ctx context.Context, ref Ref) (string, error) {
	if ref.Program != "" {
		return process.LookPath(ref.Program, "", m.Env)
	}
	if m.running != "" {
		return m.running, nil
	}
	engine, err := m.find(ctx, ref)
	m.running = engine
	return engine, err
}

func (m image) find(ctx context.Context, ref Ref) (string, error) {
	docker, missing := process.Tool("docker", m.Env)
	podman, err := process.Tool("podman", m.Env)
	switch {
	case missing == nil && err == nil:
		if _, err := m.Store.run(ctx, ref, nil, docker, "version"); err == nil {
			return docker, nil
		}
		return podman, nil
	case missing == nil:
		return docker, nil
	case err == nil:
		return podman, nil
	}
	if errors.Is(missing, exec.ErrDot) {
		err = missing
	}
	return "", process.Missing(err, "%s: docker or podman is needed to fetch it, and neither is installed here (https://docs.docker.com/get-docker, https://podman.io)", ref)
}

// imageFaults are sentences of docker and podman.
var imageFaults = []fault{
	{"Cannot connect to the Docker daemon", "docker is installed, and its engine does not run: start it"},
	{"failed to connect to the docker API", "docker is installed, and its engine does not run: start it"},
	{"manifest unknown", "the registry has no such tag"},
	{"repository does not exist", "the registry has no such image, or does not show it to you (docker login)"},
	{"did not resolve to an alias", "podman wants the registry before the name of an image, such as oci:docker.io/IMAGE"},
	{"NAME_UNKNOWN", "the registry has no such image"},
	{"401 Unauthorized", "the registry wants to know who you are: docker login"},
	{"unauthorized", "the registry wants to know who you are: docker login"},
	{"connection refused", "the registry cannot be reached: nobody listens there"},
	{"no such host", "the registry cannot be reached: its name is not found"},
}

type inspected struct {
	ID          string `json:"Id"` // podman leaves "sha256:" out
	RepoDigests []string
}

// digest is the image's own in a repository; empty when it came from none.
func (i inspected) digest(repository string) string {
	for _, digest := range i.RepoDigests {
		if name, sum, ok := strings.Cut(digest, "@"); ok && strings.HasSuffix("/"+name, "/"+repository) { // podman puts the registry first
			return sum
		}
	}
	return ""
}

func (m image) inspect(ctx context.Context, ref Ref) (inspected, error) {
	out, err := m.run(ctx, ref, "image", "inspect", ref.spec())
	if err != nil {
		return inspected{}, err
	}
	var all []inspected
	if err := json.Unmarshal(out, &all); err != nil || len(all) != 1 || all[0].ID == "" {
		return inspected{}, fmt.Errorf("%s: what the engine says of it is no description of an image", ref)
	}
	all[0].ID = "sha256:" + strings.TrimPrefix(all[0].ID, "sha256:")
	return all[0], nil
}

// read gives the image by its own digest, so that what was agreed to is what runs, whatever becomes of the tag.
func (m image) read(ctx context.Context, ref Ref, folder string) (Package, error) {
	found, err := m.inspect(ctx, ref)
	if err != nil && m.pull(ctx, ref) == nil { // it was removed from the engine's store since
		found, err = m.inspect(ctx, ref)
	}
	if err != nil {
		return Package{}, err
	}
	engine, err := m.engine(ctx, ref)
	p := Package{Ref: ref, Folder: folder, Integrity: cmp.Or(found.digest(ref.Name), found.ID), Command: engine, Args: []string{"run", "-i", "--rm", "--pull=never", found.ID}}
	for _, pair := range m.Env {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "DOCKER_") || strings.HasPrefix(name, "CONTAINERS_") || name == "XDG_RUNTIME_DIR" {
			p.Env = append(p.Env, pair) // says where the engine is, and its images
		}
	}
	if err == nil {
		err = p.remember()
	}
	return p, err
}

// imageFile is the file of a folder that says which image its server runs in, as a lock has it.
const imageFile = "image.json"

func (p Package) remember() error {
	data, err := Lock{p.Name: p}.Encode()
	if err != nil {
		return err
	}
	return files.ReplacePrivate(filepath.Join(p.Folder, imageFile), data)
}

// imageOf is the image whose server runs in a working folder of the store; nil when it is none.
func imageOf(dir string) *Package {
	lock, err := ReadLock(context.Background(), host.Process{}, filepath.Join(filepath.Dir(dir), imageFile))
	if err != nil || len(lock) != 1 {
		return nil
	}
	for _, p := range lock {
		if p.Registry == "oci" {
			return &p
		}
	}
	return nil
}

// HandOn is the arguments of a server's engine that hands these variables of its own environment on to the container.
func HandOn(args []string, names []string) []string {
	handed := slices.Clone(args[:1])
	for _, name := range names {
		handed = append(handed, "--env", name)
	}
	return append(handed, args[1:]...)
}
