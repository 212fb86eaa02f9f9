package report

import (
	"testing"

	"github.com/mcpctl/mcpctl/internal/seen"
)

// TestErrorLine reads what Node and Python write: the source that threw an error before they name it.
func TestErrorLine(t *testing.T) {
	for stderr, want := range map[string]string{
		"/srv/x.js:1\nasync function main(){ throw new Error('API_KEY is required'); }\n      ^\n\nError: API_KEY is required\n    at " +
			"main (/srv/x.js:1:30)": "Error: API_KEY is required",
		"Traceback (most recent call last):\n  File \"x.py\", line 3, in main\n    raise ValueError(\"KEY must be set\")\nValueError: " +
			"KEY must be set": "ValueError: KEY must be set",
		"TypeError [ERR_INVALID_ARG]: no":                              "TypeError [ERR_INVALID_ARG]: no",
		"starting\nthe variable KEY is not set\n":                      "starting … the variable KEY is not set",
		"usage: server FOLDER":                                         "usage: server FOLDER",
		"goroutine 1\npanic: open x: no such file\n\nerror required 2": "panic: open x: no such file",
		"npm error code E404\nnpm error 404 Not Found - GET https://registry.example/x\nnpm error A complete log of this run can be " +
			"found in: x": "npm error 404 Not Found - GET https://registry.example/x",
		"npm error code ETARGET\nnpm error notarget No matching version found for x@9.\nnpm error A complete log of this run can be " +
			"found in: x": "npm error notarget No matching version found for x@9.",
		// a program that was called wrongly: the cause, then its usage
		"flag provided but not defined: -json\nUsage of tickets:\n  -surface string\n    \twhich surface to offer: 1 or 2": "flag " +
			"provided but not defined: -json … Usage of tickets:",
		"docker: failed to connect to the docker API at unix:///run/docker.sock\n\nRun 'docker run --help' for more information": "" +
			"docker: failed to connect to the docker API at unix:///run/docker.sock … Run 'docker run --help' for more information",
		// the first line is not whole
		"…f a log\nthe port is taken": "the port is taken",
		"  × No solution found when resolving tool dependencies:\n  ╰─▶ Because x was not found": "× No solution found when resolving " +
			"tool dependencies: … ╰─▶ Because x was not found",
		// npm
		"npm warn deprecated a@1\nnpm error could not determine executable to run\nnpm error A complete log of this run can be found " +
			"in: /x/_logs/y.log": "npm error could not determine executable to run",
		"npm ERR! code ECONNREFUSED\nnpm ERR! syscall connect\nnpm ERR! errno ECONNREFUSED\nnpm ERR! FetchError: request to http://a/x " +
			"failed, reason: connect ECONNREFUSED 127.0.0.1:9\nnpm ERR!     at ClientRequest.<anonymous> (/x:1:2)": "npm " +
			"ERR! FetchError: request to http://a/x failed, reason: connect ECONNREFUSED 127.0.0.1:9",
		"npm error code ERR_SSL_WRONG_VERSION_NUMBER\nnpm error errno ERR_SSL_WRONG_VERSION_NUMBER\nnpm error request to https://a/x " +
			"failed, reason: wrong version number\nnpm error\nnpm error A complete log of this run can be found in: x": "npm error " +
			"request to https://a/x failed, reason: wrong version number",
		"Error: no key\nnpm error Lifecycle script `start` failed with error:\nnpm error code 1": "Error: no key",
		"": "",
	} {
		if got := seen.ErrorLine(stderr); got != want {
			t.Errorf("%q gives %q, want %q", stderr, got, want)
		}
	}
}

// TestFramesOfNodeAreLeftOut, since they say nothing of the server; --verbose has them.
func TestFramesOfNodeAreLeftOut(t *testing.T) {
	const stderr = "Error: no\n    at main (/srv/x.js:1:30)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n    at " +
		"node:internal/main/run_main_module:28:49\nNode.js v20"
	for verbose, want := range map[bool]string{false: "    Error: no\n        at main (/srv/x.js:1:30)\n    Node.js v20\n", true: ""} {
		p := &page{Options: Options{Verbose: verbose}}
		writeStderr(p, 4, stderr, "")
		if got := p.String(); want != "" && got != want || verbose && len(got) < len(stderr) {
			t.Errorf("with verbose %v it is\n%s", verbose, got)
		}
	}
}

// TestFailureShown checks the line and the cell of failures.
func TestFailureShown(t *testing.T) {
	const dead = "cannot connect to http://[::1]:9/mcp: connection refused"
	tests := []struct {
		failure    seen.Failure
		line, cell string
	}{
		{seen.Failure{Stage: "connecting", Message: dead}, dead, "connection refused"},
		{seen.Failure{Stage: "listing tools", Message: dead}, "listing tools: " + dead, "connection refused"},
		{seen.Failure{Stage: "starting", Message: "server exited with status 1", Stderr: "a\nError: no key\n"},
			"server exited with status 1: no key", "no key"},
		{seen.Failure{Stage: "starting", Message: "server exited: signal: killed"}, "server exited: signal: killed",
			"server exited: signal: killed"},
		{seen.Failure{Stage: "calling a tool", Message: "server exited with status 1", Stderr: "TypeError: x"},
			"calling a tool: server exited with status 1: TypeError: x", "TypeError: x"},
		{seen.Failure{Stage: "connecting", Message: "HTTP 401 Unauthorized", Stderr: "Error: no"},
			"connecting: HTTP 401 Unauthorized", "HTTP 401 Unauthorized"},
	}
	for _, test := range tests {
		if got := seen.Says(test.failure); got != test.line {
			t.Errorf("line of %+v is %q, want %q", test.failure, got, test.line)
		}
		if got := problem(server{Server: seen.Server{Name: "s", State: seen.Failed, Error: &test.failure}}); got != test.cell {
			t.Errorf("cell of %+v is %q, want %q", test.failure, got, test.cell)
		}
	}
}
