package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/packages/registrytest"
)

// npmRegistry serves every folder below DIR that has a package.json as a published package, until the end of the test, and is
// the registry that npm asks in this script: npmregistry DIR.
func npmRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: npmregistry DIR")
	}
	published := map[string]map[string]registrytest.Release{}
	manifests := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "package.json" {
			return err
		}
		one := registrytest.Release{Files: map[string]string{}}
		manifests++
		if err := json.Unmarshal([]byte(ts.ReadFile(path)), &one.Manifest); err != nil {
			return err
		}
		beside, err := os.ReadDir(filepath.Dir(path))
		for _, file := range beside {
			if !file.IsDir() && file.Name() != "package.json" {
				one.Files[file.Name()] = ts.ReadFile(filepath.Join(filepath.Dir(path), file.Name()))
			}
		}
		name, _ := one.Manifest["name"].(string)
		version, _ := one.Manifest["version"].(string)
		if published[name] == nil {
			published[name] = map[string]registrytest.Release{}
		}
		published[name][version] = one
		return err
	}))
	if manifests == 0 {
		ts.Fatalf("%s holds no package", args[0])
	}
	registry := registrytest.New(published)
	ts.Defer(registry.Close)
	ts.Setenv("npm_config_registry", registry.URL)
	ts.Setenv("npm_config_fetch_retries", "0")
}
