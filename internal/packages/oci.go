package packages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/mcpctl/mcpctl/internal/process"
)

// image asks docker which image a reference stands for on this machine. One that was built here has no
// digest.
func (l Launcher) image(ctx context.Context, ref Ref) (Package, error) {
	engine, err := l.engine()
	if err != nil {
		return Package{}, err
	}
	out, err := l.run(ctx, "oci", engine, "image", "inspect", ref.spec())
	if err != nil {
		return Package{}, err
	}
	var found []struct{ RepoDigests []string }
	if err := json.Unmarshal(out, &found); err != nil || len(found) != 1 {
		return Package{}, fmt.Errorf("%s image inspect does not describe one image",
			process.ProgramName(engine))
	}
	ref.Version = cmp.Or(ref.Version, "latest")
	for _, digest := range found[0].RepoDigests {
		image, sum, _ := strings.Cut(digest, "@")
		if strings.HasSuffix("/"+image, "/"+ref.Name) { // podman puts the registry first
			return Package{Ref: ref, Integrity: sum}, nil
		}
	}
	return Package{Ref: ref}, nil
}

// newestImage returns the highest version where the tag is one, else the digest that the tag stands for in
// its registry.
func newestImage(ctx context.Context, ref Ref) (Ref, error) {
	if ref.Exact() {
		return ref, nil
	}
	if !isRelease(ref.Registry, ref.Version) {
		tag, err := name.NewTag(ref.spec())
		if err != nil {
			return ref, err
		}
		found, err := remote.Head(tag, asUser(ctx)...)
		if err == nil {
			ref.Version = found.Digest.String()
		}
		return ref, imageError(err)
	}
	all, err := tags(ctx, ref.Name)
	if all = releases(ref.Registry, all); len(all) > 0 {
		ref.Version = all[len(all)-1]
	}
	return ref, err
}

// tags lists the tags of an image in its registry.
func tags(ctx context.Context, image string) ([]string, error) {
	repository, err := name.NewRepository(image)
	if err != nil {
		return nil, err
	}
	all, err := remote.List(repository, asUser(ctx)...)
	return all, imageError(err)
}

// imageError returns an error of a registry as the one for what it does not have.
func imageError(err error) error {
	if answer, ok := errors.AsType[*transport.Error](err); ok && answer.StatusCode == http.StatusNotFound {
		return errNotPublished
	}
	return err
}

// asUser uses the logins that docker keeps.
func asUser(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
}
