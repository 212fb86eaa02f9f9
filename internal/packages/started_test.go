package packages_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpctl/mcpctl/internal/packages"
)

func TestLaunched(t *testing.T) {
	for line, want := range map[string]packages.Launch{
		"npx -y @acme/tickets@1.4.0 --all":                                    {Ref: packages.Ref{Registry: "npm", Name: "@acme/tickets", Version: "1.4.0"}, Args: []string{"--all"}},
		"/usr/bin/npx tickets":                                                {Ref: packages.Ref{Registry: "npm", Name: "tickets"}},
		"npx --yes --package=a@1 tickets-mcp -- x":                            {Ref: packages.Ref{Registry: "npm", Name: "a", Version: "1", Program: "tickets-mcp"}, Args: []string{"--", "x"}},
		"npx -p a tickets":                                                    {Ref: packages.Ref{Registry: "npm", Name: "a", Program: "tickets"}},
		`cmd /c npx -y tickets`:                                               {Ref: packages.Ref{Registry: "npm", Name: "tickets"}},
		`C:\node\npx.cmd tickets`:                                             {Ref: packages.Ref{Registry: "npm", Name: "tickets"}},
		"uvx tickets":                                                         {Ref: packages.Ref{Registry: "pypi", Name: "tickets"}},
		"uvx --python 3.12 Acme_Tickets@1.4.0 --all":                          {Ref: packages.Ref{Registry: "pypi", Name: "acme-tickets", Version: "1.4.0"}, Args: []string{"--all"}},
		"uv tool run --from acme==1.4 tickets":                                {Ref: packages.Ref{Registry: "pypi", Name: "acme", Version: "1.4", Program: "tickets"}},
		"pipx run --spec acme==1.4 tickets":                                   {Ref: packages.Ref{Registry: "pypi", Name: "acme", Version: "1.4", Program: "tickets"}},
		"docker run -i --rm -e TOKEN ghcr.io/acme/tickets:v1.2.0 --all":       {Ref: packages.Ref{Registry: "oci", Name: "ghcr.io/acme/tickets", Version: "v1.2.0", Program: "docker"}, Args: []string{"--all"}},
		"podman run -it --env=A=b --network none -v/a:/b --init acme/tickets": {Ref: packages.Ref{Registry: "oci", Name: "acme/tickets", Program: "podman"}},
		"docker container run -ie TOKEN --name x acme/tickets@sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a": {Ref: packages.Ref{Registry: "oci", Name: "acme/tickets", Version: "sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a", Program: "docker"}},
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
	for _, line := range []string{"npx", "npx -y", "npx -p a -p b run", "npx ./local", "npx -y github:acme/tickets", "uvx --from acme[cli] x", "uvx --from git+https://x x", "uv run x", "npm run start", "node server.js", "docker run -i", "docker run -e A", "docker ps x", "docker run -i sha256:0a", "docker compose run x", "sh -c npx",
		"npx --registry=https://npm.example @acme/tickets", "uvx --index-url https://pypi.example tickets", "uvx --default-index=https://pypi.example tickets", "uvx --isolated tickets", "pipx run --pip-args x tickets"} {
		if got, ok := packages.Launched(strings.Fields(line)); ok {
			t.Errorf("%s is taken for %+v", line, got)
		}
	}
}

// installed is a folder as npm leaves it: a server, what it uses, and what only others use.
func installed(t *testing.T) string {
	folder := t.TempDir()
	for path, text := range map[string]string{
		"node_modules/@acme/tickets/package.json": `{"name": "@acme/tickets", "version": "1.0.0"}`,
		"node_modules/@acme/tickets/dist/run.js":  "",
		"node_modules/@acme/tickets/server.json": `{"packages": [{"identifier": "other", "environmentVariables": [{"name": "OTHER", "isRequired": true}]},
			{"identifier": "@acme/tickets", "environmentVariables": [{"name": "ACME_TOKEN", "isRequired": true, "isSecret": true},
				{"name": "ACME_URL", "isRequired": true, "default": "https://acme.example"}, {"name": "ACME_DEBUG"}]}]}`,
		"node_modules/zod/package.json": `{"name": "zod", "version": "4.1.5"}`,
		"node_modules/.package-lock.json": `{"packages": {
			"node_modules/@acme/tickets": {"version": "1.0.0", "integrity": "sha512-t", "dependencies": {"sdk": "1", "gone": "1"}},
			"node_modules/@acme/tickets/node_modules/zod": {"version": "3.25.76"},
			"node_modules/sdk": {"version": "1.2.3", "integrity": "sha512-s", "peerDependencies": {"zod": "*"}},
			"node_modules/zod": {"version": "4.1.5", "optionalDependencies": {"sdk": "1"}},
			"node_modules/eslint": {"version": "9.0.0"}}}`,
	} {
		file := filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestStarted finds the package by what a command line leads to, with all that it uses and nothing else.
func TestStarted(t *testing.T) {
	folder := installed(t)
	want := &packages.Package{Ref: packages.Ref{Registry: "npm", Name: "@acme/tickets", Version: "1.0.0"}, Integrity: "sha512-t", Needs: []string{"ACME_TOKEN"}, Dependencies: []packages.Dependency{
		{Path: "node_modules/sdk", Version: "1.2.3", Integrity: "sha512-s"}, {Path: "node_modules/zod", Version: "4.1.5"},
	}}
	script := filepath.Join(folder, "node_modules", "@acme", "tickets", "dist", "run.js")
	for _, argv := range [][]string{
		{"node", script}, {"node", "--no-warnings", script, "x"}, {script}, {"npx", "-y", "@acme/tickets@^1"},
		{"node", filepath.Join("node_modules", "@acme", "tickets", "dist", "run.js")},
	} {
		got := packages.Started(argv, folder, nil)
		if got != nil {
			got.Folder = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", argv, diff)
		}
	}
	if got := packages.Started([]string{"docker", "run", "-i", "acme/x"}, folder, nil); got == nil || got.String() != "oci:acme/x:latest" {
		t.Errorf("docker run starts %v", got)
	}
	for _, argv := range [][]string{{"node", "missing.js"}, {"node"}, {"sh"}, {"no-such-program"}, {"npx", "other"}, {folder}} {
		if got := packages.Started(argv, folder, []string{"HOME=" + folder, "PATH=" + os.Getenv("PATH")}); got != nil {
			t.Errorf("%v is taken for %v", argv, got.Ref)
		}
	}
}

func TestSince(t *testing.T) {
	of := func(version, integrity string, below ...packages.Dependency) packages.Package {
		return packages.Package{Ref: packages.Ref{Registry: "npm", Name: "a", Version: version}, Integrity: integrity, Dependencies: below}
	}
	dep := func(name, version string) packages.Dependency {
		return packages.Dependency{Path: "node_modules/b/node_modules/" + name, Version: version}
	}
	for want, two := range map[string][2]packages.Package{
		"":                {of("1.0.0", "x", dep("zod", "3.0.0")), of("1.0.0", "x", dep("zod", "3.0.0"))},
		"a 1.0.0 → 2.0.0": {of("1.0.0", "x", dep("zod", "3.0.0")), of("2.0.0", "y")},
		"another archive is published as npm:a@1.0.0 now: x → y":                                     {of("1.0.0", "x"), of("1.0.0", "y")},
		"the server is the same, zod 3.25.76 → 4.1.5 below it":                                       {of("1.0.0", "x", dep("zod", "3.25.76")), of("1.0.0", "", dep("zod", "4.1.5"))},
		"the server is the same, c 1.0.0 → 2.0.0, @x/b 1.0.0 is new, a 1.0.0 is gone below it":       {of("1.0.0", "x", dep("a", "1.0.0"), dep("c", "1.0.0")), of("1.0.0", "x", dep("@x/b", "1.0.0"), dep("c", "2.0.0"))},
		"the server is the same, a 1.0.0 is new, b 1.0.0 is new, c 1.0.0 is new and 2 more below it": {of("1.0.0", "x"), of("1.0.0", "x", dep("a", "1.0.0"), dep("b", "1.0.0"), dep("c", "1.0.0"), dep("d", "1.0.0"), dep("e", "1.0.0"))},
	} {
		if got := two[1].Since(two[0]); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestLock writes what it reads, and refuses what it does not understand.
func TestLock(t *testing.T) {
	p := packages.Started([]string{"npx", "@acme/tickets"}, installed(t), nil)
	p.Tools = map[string]string{"create": "sha256:0a"}
	data, err := packages.Lock{"tickets": *p}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := packages.ParseLock("lock", data)
	if err != nil || read["tickets"].Since(*p) != "" || read["tickets"].Tools["create"] != "sha256:0a" {
		t.Errorf("%v, %v", read, err)
	}
	again, err := read.Encode()
	if diff := cmp.Diff(string(data), string(again)); diff != "" || err != nil {
		t.Errorf("%v (-first +second):\n%s", err, diff)
	}
	for _, text := range []string{"", "{}", `{"mcpctl": 2}`, `{"mcpctl": 1, "servers": {"a": {"package": "npm:../x"}}}`, `{"mcpctl": 1, "servers": {"a": {"package": "gem:x"}}}`} {
		if got, err := packages.ParseLock("lock", []byte(text)); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
}

// TestProgramsOfAPackage starts nothing but what npm has put into its folder of programs, whatever a package calls it.
func TestProgramsOfAPackage(t *testing.T) {
	folder := installed(t)
	manifest := filepath.Join(folder, "node_modules", "@acme", "tickets", "package.json")
	for bin, want := range map[string]string{
		`"dist/run.js"`:                             "tickets",
		`{"@acme/run": "dist/run.js"}`:              "run",
		`{"../../../../usr/bin/id": "dist/run.js"}`: "id",
		`{"C:\\id": "dist/run.js"}`:                 "id",
		`{"..": "x"}`:                               "",
		`{"a/..": "x", ".": "x"}`:                   "",
		`[1]`:                                       "",
	} {
		if err := os.WriteFile(manifest, []byte(`{"name": "@acme/tickets", "version": "1.0.0", "bin": `+bin+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		launch, _ := packages.Launched([]string{"npx", "@acme/tickets"})
		if want != "" {
			want = filepath.Join(folder, "node_modules", ".bin", want)
		}
		if got := launch.Installed(folder, nil); got.Command != want {
			t.Errorf("%s: %q, want %q", bin, got.Command, want)
		}
	}
}
