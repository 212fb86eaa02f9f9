package packages_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpctl/mcpctl/internal/packages"
)

func TestLaunched(t *testing.T) {
	for line, want := range map[string]packages.Launch{
		"npx -y @acme/tickets@1.4.0 --all": {Ref: packages.Ref{Registry: "npm", Name: "@acme/tickets",
			Version: "1.4.0"}, Args: []string{"--all"}},
		"/usr/bin/npx tickets": {Ref: packages.Ref{Registry: "npm", Name: "tickets"}},
		"npx --yes --package=a@1 tickets-mcp -- x": {Ref: packages.Ref{Registry: "npm", Name: "a", Version: "1"},
			Program: "tickets-mcp", Args: []string{"--", "x"}},
		"npx -p a tickets": {Ref: packages.Ref{Registry: "npm", Name: "a"},
			Program: "tickets"},
		`cmd /c npx -y tickets`:   {Ref: packages.Ref{Registry: "npm", Name: "tickets"}},
		`C:\node\npx.cmd tickets`: {Ref: packages.Ref{Registry: "npm", Name: "tickets"}},
		"uvx tickets":             {Ref: packages.Ref{Registry: "pypi", Name: "tickets"}},
		"uvx --python 3.12 Acme_Tickets@1.4.0 --all": {Ref: packages.Ref{Registry: "pypi", Name: "acme-tickets",
			Version: "1.4.0"}, Args: []string{"--all"}},
		"uv tool run --from acme==1.4 tickets": {Ref: packages.Ref{Registry: "pypi", Name: "acme",
			Version: "1.4"}, Program: "tickets"},
		"pipx run --spec acme==1.4 tickets": {
			Ref: packages.Ref{Registry: "pypi", Name: "acme", Version: "1.4"}, Program: "tickets"},
		"docker run -i --rm -e TOKEN ghcr.io/acme/tickets:v1.2.0 --all": {
			Ref: packages.Ref{Registry: "oci", Name: "ghcr.io/acme/tickets", Version: "v1.2.0"}, Args: []string{"--all"}},
		"podman run -it --env=A=b --network none -v/a:/b --init acme/tickets": {
			Ref: packages.Ref{Registry: "oci", Name: "acme/tickets", Version: "latest"}},
		"docker container run -ie TOKEN --name x acme/tickets@sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a": {
			Ref: packages.Ref{Registry: "oci", Name: "acme/tickets",
				Version: "sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"}},
		"npm exec -- tickets@2 x": {Ref: packages.Ref{Registry: "npm", Name: "tickets", Version: "2"}, Args: []string{"x"}},
	} {
		got, ok := packages.Launched(strings.Fields(line))
		got.Args = slices.Clip(got.Args)
		if len(got.Args) == 0 {
			got.Args = nil
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(packages.Launch{})); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", line, ok, diff)
		}
	}
	for _, line := range []string{"npx", "npx -y", "npx -p a -p b run", "npx ./local", "npx -y github:acme/tickets",
		"uvx --from acme[cli] x", "uvx --from git+https://x x", "uv run x", "npm run start", "node server.js", "docker run -i",
		"docker run -e A", "docker ps x", "docker run -i sha256:0a", "docker compose run x", "sh -c npx",
		"npx --registry=https://npm.example @acme/tickets", "uvx --index-url https://pypi.example tickets",
		"uvx --default-index=https://pypi.example tickets", "uvx --isolated tickets", "pipx run --pip-args x tickets"} {
		if got, ok := packages.Launched(strings.Fields(line)); ok {
			t.Errorf("%s is taken for %+v", line, got)
		}
	}
}

// TestWith changes the version and nothing else of a command line.
func TestWith(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y @acme/tickets@1.4.0 --all":                                  "npx -y @acme/tickets@2.0.0 --all",
		"npx --yes --package=a tickets-mcp x":                               "npx --yes --package=a@2.0.0 tickets-mcp x",
		"cmd /c npx -y -p a@1 tickets":                                      "cmd /c npx -y -p a@2.0.0 tickets",
		"uvx tickets":                                                       "uvx tickets@2.0.0",
		"uv tool run --from acme==1.4 tickets":                              "uv tool run --from acme==2.0.0 tickets",
		"uvx --from=acme tickets":                                           "uvx --from=acme==2.0.0 tickets",
		"pipx run acme":                                                     "pipx run acme==2.0.0",
		"docker run -i --rm -e A acme/x:1.0 --all":                          "docker run -i --rm -e A acme/x:2.0.0 --all",
		"podman run -i localhost:5000/x@sha256:" + strings.Repeat("0a", 32): "podman run -i localhost:5000/x:2.0.0",
	} {
		launch, ok := packages.Launched(strings.Fields(line))
		if got := strings.Join(launch.With("2.0.0"), " "); got != want || !ok {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	launch, _ := packages.Launched(strings.Fields("docker run -i acme/x"))
	digest := "sha256:" + strings.Repeat("0b", 32)
	if got := launch.With(digest); got[3] != "acme/x@"+digest {
		t.Errorf("got %q", got)
	}
}
