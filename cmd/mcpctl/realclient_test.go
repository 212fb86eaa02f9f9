//go:build real && linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRealClient compares what mcpctl lists of server-everything, over each transport, with what the official
// TypeScript client lists when it declares the same capabilities.
func TestRealClient(t *testing.T) {
	bin := everything(t)
	client := filepath.Join(filepath.Dir(filepath.Dir(bin)), "..", "client.mjs") // where Node finds the SDK
	text, err := os.ReadFile("../../testdata/real/client.mjs")
	if err == nil {
		err = os.WriteFile(client, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	servers := realServers(t)
	s := servers[slices.IndexFunc(servers, func(s realServer) bool { return s.Name == "everything" })]
	declared := map[string]string{
		"roots,sampling,elicitation": `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`,
		"roots":                      `{"roots":{}}`,
		"none":                       `{}`,
	}
	for names, capabilities := range declared {
		for kind := range s.Transports {
			t.Run(kind+"/"+names, func(t *testing.T) {
				source := s.source(t, kind, bin)
				target := source
				if kind == "stdio" {
					target = source[slices.Index(source, "--")+1:]
				}
				node := exec.Command("node", append([]string{client, capabilities, kind}, target...)...)
				node.Stderr = os.Stderr
				out, err := node.Output()
				if err != nil {
					t.Fatal(err)
				}
				var want map[string][]string
				if err := json.Unmarshal(out, &want); err != nil {
					t.Fatal(err)
				}
				got := listedNames(t, mcpctl(t, 0, source, "list", "--client-capabilities", names))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-official +mcpctl\n%s", diff)
				}
				all := strings.Contains(names, "sampling")
				if n := len(got["tools"]); n < 13 || all && n < 16 {
					t.Errorf("%d tools", n)
				}
				t.Logf("%d tools, %d prompts, %d resources, %d templates", len(got["tools"]), len(got["prompts"]),
					len(got["resources"]), len(got["resourceTemplates"]))
			})
		}
	}
}

// listedNames returns the names and URIs in a report, by the kind of item.
func listedNames(t *testing.T, report []byte) map[string][]string {
	var listed struct {
		Servers []struct {
			Tools, Prompts, Resources, ResourceTemplates []struct{ Name, URI, URITemplate string }
		}
	}
	if err := json.Unmarshal(report, &listed); err != nil || len(listed.Servers) != 1 {
		t.Fatalf("%v: %s", err, report)
	}
	names, s := map[string][]string{}, listed.Servers[0]
	for _, i := range s.Tools {
		names["tools"] = append(names["tools"], i.Name)
	}
	for _, i := range s.Prompts {
		names["prompts"] = append(names["prompts"], i.Name)
	}
	for _, i := range s.Resources {
		names["resources"] = append(names["resources"], i.URI)
	}
	for _, i := range s.ResourceTemplates {
		names["resourceTemplates"] = append(names["resourceTemplates"], i.URITemplate)
	}
	return names
}
