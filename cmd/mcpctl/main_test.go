package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/fixture"
	small "github.com/mcpctl/mcpctl/internal/fixture/programs"
)

var update = flag.Bool("update", false, "rewrite the expectations of scripts")

// programs are what the test binary is when it is started under their names.
var programs = map[string]func(){
	"mcpctl": main,
	"fixture": func() {
		quit(fixture.Main(os.Args[1:], fixture.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	},
	"escape": func() { os.Exit(escape(os.Args[1:])) },
	"mcpgo":  func() { quit(mcpgoStdio()) },
	"follow": func() { os.Exit(follow()) },
}

// TestMain makes the test binary be mcpctl, and the servers that scripts talk to.
func TestMain(m *testing.M) {
	for _, name := range small.Names {
		programs[name] = func() {
			status, _ := small.Main(name)
			os.Exit(status)
		}
	}
	testscript.Main(slim{m}, programs)
}

// slim runs the tests with an mcpctl and servers that start in half the time of the test binary, which links much more;
// scripts start them thousands of times. With the race detector, with coverage and without Go, the test binary stands
// in for them.
type slim struct{ *testing.M }

// Run builds the programs, with the flags of the test binary so that Go compiles packages once, and runs the tests.
func (s slim) Run() int {
	const built = "MCPCTL_BUILT" // for tests that start the test binary again
	if os.Getenv(built) != "" {
		return s.M.Run()
	}
	sources := []string{"../../examples/tickets"}
	info, _ := debug.ReadBuildInfo()
	race := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if testing.CoverMode() == "" && !race {
		sources = append(sources, ".", "./testdata/fixture")
	}
	// Under nohup a hangup is ignored, and by all that is started: a program starts with what its parent catches set to default.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	bin, err := os.MkdirTemp("", "mcpctl")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	// Watching waits a tenth of the time that it waits otherwise.
	const ldflags = "-s -w -X github.com/mcpctl/mcpctl/internal/watchrun.tempo=10"
	build := exec.Command("go", append([]string{"build", "-buildvcs=false", "-ldflags", ldflags, "-o", bin}, sources...)...)
	build.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	out, err := build.CombinedOutput()
	for _, name := range small.Names {
		if err == nil && len(sources) > 1 {
			err = os.Link(filepath.Join(bin, "fixture"), filepath.Join(bin, name))
		}
	}
	if err == nil {
		os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		os.Setenv(built, bin)
	} else {
		fmt.Fprintf(os.Stderr, "the test binary is mcpctl, since that was not built: %v: %s\n", err, out)
	}
	return s.M.Run()
}

// quit ends a server at once. os.Exit would write coverage, when that is measured, into a folder that servers are not reported of:
// mcpctl hands them a minimal environment.
func quit(status int) { syscall.Exit(status) }

// TestScripts runs every script of testdata/script: the real program against real servers, one behaviour a file.
func TestScripts(t *testing.T) {
	t.Parallel()
	if found, _ := filepath.Glob("testdata/script/*.txtar"); len(found) == 0 {
		t.Fatal("no scripts")
	}
	testscript.Run(t, scripts("testdata/script"))
}

// scripts are the scripts of a folder, with the commands that they share.
func scripts(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"authserver":  takes("authserver NAME FILE|QUIRK [QUIRK…]", authServer),
			"eachformat":  takes("eachformat STATUS COMMAND [ARG…]", eachFormat),
			"exits":       takes("exits STATUS PROGRAM [ARG…]", exits),
			"httpfixture": takes("httpfixture NAME FILE [tls]", httpFixture),
			"interrupt":   takes("interrupt INT|TERM|TWICE FILE STATUS PROGRAM [ARG…]", interrupt),
			"intime":      takes("intime STATUS REGEXP PROGRAM [ARG…]", inTime),
			"json":        jsonValue,
			"mcpgohttp":   takes("mcpgohttp NAME both|legacy|sse", mcpgoHTTP),
			"nochild":     takes("nochild", noChild),
			"npmregistry": takes("npmregistry DIR", npmRegistry),
			"ociregistry": takes("ociregistry NAME IMAGE:TAG…", ociRegistry),
			"port":        takes("port NAME", port),
			"pypi":        takes("pypi DIR NAME", pypiIndex),
			"until":       takes("until STATUS COUNT REGEXP PROGRAM [ARG…]", until),
			"write":       takes("write FILE LINE…", write),
		},
	}
}

// takes returns a command of scripts with the arguments that its usage shows: in brackets those that may be left out.
func takes(usage string, run func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	words, least := strings.Fields(usage)[1:], 0
	for _, word := range words {
		if !strings.HasPrefix(word, "[") {
			least++
		}
	}
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least || len(args) > len(words) && !strings.Contains(usage, "…") {
			ts.Fatalf("usage: %s", usage)
		}
		run(ts, args)
	}
}

// setup gives each script a home of its own, far from the user's configuration, the root of the project, and git a name.
// At its end no process of the script may be left.
// No one is asked on the terminal of who runs the tests: scripts that type on one of their own clear CI.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	env.Vars = append(env.Vars, "HOME="+home, "WORK="+env.WorkDir, "ROOT="+root, "NO_COLOR=1", "CI=true",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GOGC=400", // a program starts with 5 MB: to collect them takes a sixth of its time
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(env.WorkDir))
	env.Values[adviceKey{}] = &adviceOf{t: env.T(), seen: map[string]bool{}}
	env.Values[authServers{}] = map[string]*authtest.Server{}
	env.Defer(func() {
		if left := leftIn(env.WorkDir); len(left) > 0 {
			env.T().Fatal("left behind at the end of the script: " + strings.Join(left, "; "))
		}
	})
	return os.MkdirAll(home, 0o700)
}

// condition is whether bubblewrap works here, for [bwrap] in scripts.
func condition(name string) (bool, error) {
	if name != "bwrap" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return exec.Command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true").Run() == nil, nil
}
