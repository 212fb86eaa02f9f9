//go:build real && linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRealClient compares what mcpctl lists of server-everything, over each transport, with what the official
// TypeScript client lists when it declares the same capabilities.
func TestRealClient(t *testing.T) {
	s := realServers(t)[0]
	bin := everything(t)
	client := filepath.Join(filepath.Dir(filepath.Dir(bin)), "..", "client.mjs") // where Node finds the SDK
	writeText(t, client, readText(t, "../../testdata/real/client.mjs"))
	declared := map[string]string{
		"roots,sampling,elicitation": `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`,
		"roots":                      `{"roots":{}}`,
		"none":                       `{}`,
	}
	for names, capabilities := range declared {
		for kind := range s.Transports {
			t.Run(kind+"/"+names, func(t *testing.T) {
				way := s.start(t, kind)
				target := []string{way.URL}
				source := target
				if kind == "stdio" {
					target = append([]string{bin}, way.Args...)
					source = append([]string{"--"}, target...)
				}
				want, got := map[string][]string{}, map[string][]string{}
				printed(t, &want, "node", append([]string{client, capabilities, kind}, target...)...)
				var listed struct {
					Servers []struct {
						Tools, Prompts, Resources, ResourceTemplates []struct{ Name, URI, URITemplate string }
					}
				}
				printed(t, &listed, os.Getenv("MCPCTL_REAL_BIN"), append([]string{"list", "--json", "--client-capabilities", names}, source...)...)
				for _, i := range listed.Servers[0].Tools {
					got["tools"] = append(got["tools"], i.Name)
				}
				for _, i := range listed.Servers[0].Prompts {
					got["prompts"] = append(got["prompts"], i.Name)
				}
				for _, i := range listed.Servers[0].Resources {
					got["resources"] = append(got["resources"], i.URI)
				}
				for _, i := range listed.Servers[0].ResourceTemplates {
					got["resourceTemplates"] = append(got["resourceTemplates"], i.URITemplate)
				}
				if diff := cmp.Diff(want, got); diff != "" || len(got["tools"]) < 13 {
					t.Errorf("%d tools; -official +mcpctl\n%s", len(got["tools"]), diff)
				}
			})
		}
	}
}

// printed reads the JSON that a command prints.
func printed(t *testing.T, into any, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
}
