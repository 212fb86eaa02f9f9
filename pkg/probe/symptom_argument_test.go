package probe

import (
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// TestUnknownArgument has what real programs print. What looks like it and is something else must not be taken for it:
// a missing variant is no failure.
func TestUnknownArgument(t *testing.T) {
	args := []string{"stdio", "--read-only", "--port=80", "-x", "-readonly", "some value", "-avz", "s3cr3t-Value"}
	for stderr, want := range map[string]string{
		"flag provided but not defined: -readonly\nUsage of server:\n":            "-readonly",   // Go: flag
		"Error: unknown flag: --read-only\nUsage:\n":                              "--read-only", // Go: pflag, Cobra
		"Error: unknown shorthand flag: 'x' in -x":                                "-x",          // Go: pflag
		`Error: unknown command "stdio" for "server"`:                             "stdio",       // Cobra
		"usage: s [-h]\ns: error: unrecognized arguments: --read-only":            "--read-only", // Python: argparse
		"Error: No such option: --port Did you mean --sort?":                      "--port",      // Python: click
		"Error: No such option '--read-only'.":                                    "--read-only",
		"error: unexpected argument '--read-only' found":                          "--read-only", // Rust: clap
		"error: unknown option '--read-only'":                                     "--read-only", // Node: commander
		"Unknown arguments: read-only, readOnly":                                  "--read-only", // Node: yargs
		"Unknown argument: readOnly":                                              "--read-only",
		"TypeError [ERR_PARSE_ARGS_UNKNOWN_OPTION]: Unknown option '--read-only'": "--read-only", // Node: util.parseArgs
		"ArgError: unknown or unexpected option: --read-only":                     "--read-only", // Node: arg
		"Unknown option: '--read-only'":                                           "--read-only", // Java: picocli
		"Unrecognized command or argument '--read-only'.":                         "--read-only", // .NET
		"server: unrecognized option '--read-only'":                               "--read-only", // getopt_long
		"server: invalid option -- 'v'":                                           "-avz",
		"server: illegal option -- x":                                             "-x", // BSD
		"bad option: --read-only":                                                 "--read-only",

		"": "", "panic: runtime error": "", "unknown flag: --other": "", "unknown option": "",
		`invalid argument "x" for "--port" flag: strconv.ParseInt`: "",
		"error: option '--read-only' is deprecated":                "",
		"unknown host: stdio":                                      "",
		"Unknown argument: some value":                             "",
		"Unknown argument: s3cr3t-Value":                           "",
		"unexpected argument type of --read-only":                  "",
	} {
		f := failure{server: Server{Stdio: &Stdio{Command: "s", Args: args}}, err: &transport.LostError{Exited: true, Exit: "exit status 2"}, stderr: stderr}
		if got := unknownArgument(f); got != want {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
		f.heard = true
		if got := unknownArgument(f); got != "" {
			t.Errorf("%q after it spoke: %q", stderr, got)
		}
		f.heard = false
		for _, err := range []error{&transport.LostError{Exited: true, Exit: "signal: killed"}, &transport.LostError{Exited: true, Exit: "signal: segmentation fault (core dumped)"}, errors.New("x")} {
			if f.err = err; unknownArgument(f) != "" {
				t.Errorf("%q after %v: %q", stderr, err, unknownArgument(f))
			}
		}
	}
}
