//go:build real

package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// gosdkServer is the example server of the official go-sdk, an implementation that shares no code with us.
const gosdkServer = "github.com/modelcontextprotocol/go-sdk/examples/server/everything"

// TestRealGoSDK runs the scripts of testdata/gosdk against that server. It is skipped only when its modules cannot be had.
func TestRealGoSDK(t *testing.T) {
	t.Parallel()
	if found, _ := filepath.Glob("testdata/gosdk/*.txtar"); len(found) == 0 {
		t.Fatal("no scripts")
	}
	bin := buildGoSDK(t)
	params := scripts("testdata/gosdk")
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
		return setup(env)
	}
	testscript.Run(t, params)
}

func buildGoSDK(t *testing.T) (bin string) {
	t.Helper()
	module := filepath.Join("..", "..", "testdata", "gosdk-everything")
	if out, err := exec.Command("go", "-C", module, "mod", "download").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: the go-sdk cannot be downloaded: %v\n%s", err, out)
	}
	bin = t.TempDir()
	if out, err := exec.Command("go", "-C", module, "build", "-o", bin+string(filepath.Separator), gosdkServer, "./changing",
		"./apps").CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", gosdkServer, err, out)
	}
	return bin
}
