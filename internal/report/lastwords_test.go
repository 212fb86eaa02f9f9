package report

import "testing"

// TestLastWords: Node and Python show the source that threw an error before they name it.
func TestLastWords(t *testing.T) {
	for stderr, want := range map[string]string{
		"/srv/x.js:1\nasync function main(){ throw new Error('API_KEY is required'); }\n      ^\n\nError: API_KEY is required\n    at main (/srv/x.js:1:30)": "Error: API_KEY is required",
		"Traceback (most recent call last):\n  File \"x.py\", line 3, in main\n    raise ValueError(\"KEY must be set\")\nValueError: KEY must be set":       "ValueError: KEY must be set",
		"TypeError [ERR_INVALID_ARG]: no":                              "TypeError [ERR_INVALID_ARG]: no",
		"starting\nthe variable KEY is not set\ngood bye":              "the variable KEY is not set",
		"usage: server FOLDER":                                         "usage: server FOLDER",
		"goroutine 1\npanic: open x: no such file\n\nerror required 2": "panic: open x: no such file",
		"": "",
	} {
		if got := lastWords(stderr); got != want {
			t.Errorf("%q is told by %q, want %q", stderr, got, want)
		}
	}
}

// TestFramesOfNodeAreLeftOut, since they say nothing of the server; --verbose has them.
func TestFramesOfNodeAreLeftOut(t *testing.T) {
	const stderr = "Error: no\n    at main (/srv/x.js:1:30)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n    at node:internal/main/run_main_module:28:49\nNode.js v20"
	for verbose, want := range map[bool]string{false: "  stderr:\n    Error: no\n        at main (/srv/x.js:1:30)\n    Node.js v20\n", true: ""} {
		p := &page{Options: Options{Verbose: verbose}}
		writeStderr(p, stderr)
		if got := p.String(); want != "" && got != want || verbose && len(got) < len(stderr) {
			t.Errorf("with verbose %v it is\n%s", verbose, got)
		}
	}
}
