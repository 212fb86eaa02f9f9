package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asking is a server that asks a question before it answers.
const asking = `log: %s
tools: [{name: greet, inputSchema: {type: object}}]
on: {tools/call: [{ask: '{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}'}, {result: {content: [{type: text, text: welcome}]}}]}
`

// TestSlowPerson answers a server's question after longer than --timeout allows the server, which counts no second of it.
func TestSlowPerson(t *testing.T) {
	p, dir := newPseudo(t), t.TempDir()
	log := filepath.Join(dir, "log.jsonl")
	if err := os.WriteFile(filepath.Join(dir, "server.yaml"), fmt.Appendf(nil, asking, log), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := exec.LookPath("fixture") // which TestMain makes of this binary
	if err != nil {
		t.Fatal(err)
	}
	cmd, out := p.onTerminal(t, dir, "call", "--timeout", "2s", "--format", "text", "greet", "--", server, "stdio", "server.yaml")
	p.await(t, "Call it?")
	typed(t, p, "y\n")
	p.await(t, "answer (or nothing): ")
	time.Sleep(2500 * time.Millisecond) // that is what is tested
	typed(t, p, "Ada\n")
	p.await(t, "Send it?")
	typed(t, p, "y\n")
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "welcome") {
		t.Errorf("ended with %v: %s", err, out)
	}
	if sent, _ := os.ReadFile(log); !strings.Contains(string(sent), `"content":{"name":"Ada"}`) {
		t.Errorf("the server got %s", sent)
	}
}

func typed(t *testing.T, p *pseudo, text string) {
	t.Helper()
	if _, err := p.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
