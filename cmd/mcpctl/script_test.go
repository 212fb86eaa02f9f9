package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// exits runs a program and wants exactly this exit status: exits 3 mcpctl list. A status that is not 0 leaves why on standard error.
func exits(ts *testscript.TestScript, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	if got := exitStatus(ts, err); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
	wantAccepted(ts, args[1:], ts.ReadFile("stdout")+"\n"+ts.ReadFile("stderr"))
	if args[1] == "mcpctl" && args[0] != "0" && ts.ReadFile("stderr") == "" {
		ts.Fatalf("exit status %s, and not a word of why on standard error", args[0])
	}
}

// wantAccepted wants that mcpctl takes each command that its output advises, or a terminal that it was run on.
func wantAccepted(ts *testscript.TestScript, command []string, output string) {
	if command[0] == "answers" {
		output += "\n" + ts.ReadFile("screen")
	}
	ran := slices.Contains(command, "mcpctl") && !slices.ContainsFunc(command, func(word string) bool {
		return slices.Contains([]string{"completion", "version", "--version", "onscreen"}, word)
	})
	if !ran || len(output) > 1<<20 || !strings.Contains(output, "mcpctl ") {
		return
	}
	lines := advisedIn(output)
	defer runAdvised(ts, command, lines, output)
	for _, line := range lines {
		if err := accepts(line); err != nil && !strings.ContainsAny(line, "\x1b\\") {
			ts.Fatalf("advises a command that is not accepted: %s: %v", line, err)
		}
	}
}

// eachFormat runs a command of mcpctl once in every format that it offers, and wants the same exit status and some
// report each time: eachformat 3 list no-such-server.
func eachFormat(ts *testscript.TestScript, args []string) {
	offered, _ := flagValues(newApp(newProgram(host.Process{}, nil, nil)), []string{args[1], "--format"})
	if len(offered) < 3 {
		ts.Fatalf("%s offers the formats %v", args[1], offered)
	}
	for _, format := range offered {
		out := ts.MkAbs("out." + format)
		err := ts.Exec("mcpctl", slices.Insert(slices.Clone(args[1:]), 1, "--format", format, "--output", out)...)
		if got := exitStatus(ts, err); got != args[0] {
			ts.Fatalf("%s: exit status %s, want %s", format, got, args[0])
		}
		told, err := os.ReadFile(out)
		if args[0] != "2" && (err != nil || len(told) == 0) {
			ts.Fatalf("%s: nothing was reported: %v", format, err)
		}
		if format == "json" && len(told) > 0 {
			ts.Check(checkReport(told))
		}
		_ = os.Remove(out)
	}
}

func exitStatus(ts *testscript.TestScript, err error) string {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	if exit == nil {
		return "0"
	}
	return strconv.Itoa(exit.ExitCode())
}

// httpFixture serves a fixture script until the end of the test: httpfixture NAME FILE [tls] sets NAME_URL, NAME_PORT,
// and with tls NAME_CA, the file of the certificate that no one trusts.
func httpFixture(ts *testscript.TestScript, args []string) {
	script, err := fixture.Load(ts.MkAbs(args[1]))
	ts.Check(err)
	listen := fixture.Listen
	if len(args) == 3 {
		listen = fixture.ListenTLS
	}
	server := listen(script)
	ts.Defer(server.Close)
	ts.Setenv(args[0]+"_URL", server.Address())
	ts.Setenv(args[0]+"_PORT", server.Port())
	if certificate := server.Certificate(); certificate != nil {
		file := ts.MkAbs(args[0] + ".pem")
		ts.Check(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}), 0o600))
		ts.Setenv(args[0]+"_CA", file)
	}
}

// interrupt runs a program, sends it a signal once FILE exists and wants this exit status: interrupt TERM FILE 143 mcpctl ….
// With TWICE the signal is an impatient user's SIGINT, sent twice.
func interrupt(ts *testscript.TestScript, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP,
		"TWICE": os.Interrupt}
	cmd := command(ts, args[3:])
	cmd.Stdout = ts.Stdout()
	ts.Check(cmd.Start())
	defer time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() }).Stop() // a program that notices no signal fails, late
	await(ts, ts.MkAbs(args[1]))
	ts.Check(cmd.Process.Signal(signals[args[0]]))
	if args[0] == "TWICE" {
		time.Sleep(50 * time.Millisecond) // two signals at once are one
		ts.Check(cmd.Process.Signal(os.Interrupt))
	}
	err := cmd.Wait()
	if got := exitStatus(ts, err); got != args[2] {
		ts.Fatalf("exit status %s, want %s", got, args[2])
	}
}

// await waits until file exists.
func await(ts *testscript.TestScript, file string) {
	for late := time.Now().Add(5 * time.Minute); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
	ts.Fatalf("%s never appeared", file)
}

// jsonValue looks into a JSON file, or stdout: json FILE PATH VALUE wants this value, json FILE PATH any value,
// ! json FILE PATH none, json FILE [PATH] KEY=VALUE… these values at once. A path and a key are keys and indexes with
// dots between them; len at its end is a length. A value is compared as text when it is a string, as JSON otherwise.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg && len(args) != 2 {
		ts.Fatalf("usage: [!] json FILE PATH, json FILE PATH VALUE, json FILE [PATH] KEY=VALUE…")
	}
	data := []byte(ts.ReadFile(args[0]))
	ts.Check(checkReport(data))
	if len(args) > 3 || strings.Contains(args[1], "=") {
		prefix, pairs := "", args[1:]
		if !strings.Contains(args[1], "=") {
			prefix, pairs = args[1]+".", args[2:]
		}
		for _, pair := range pairs {
			key, want, _ := strings.Cut(pair, "=")
			wantValue(ts, data, prefix+key, want)
		}
		return
	}
	if len(args) == 3 {
		wantValue(ts, data, args[1], args[2])
		return
	}
	switch got, err := lookup(data, strings.Split(args[1], ".")); {
	case neg && err == nil:
		ts.Fatalf("%s is there: %s", args[1], got)
	case !neg && err != nil:
		ts.Fatalf("%v", err)
	}
}

func wantValue(ts *testscript.TestScript, data []byte, path, want string) {
	got, err := lookup(data, strings.Split(path, "."))
	ts.Check(err)
	if got != want {
		ts.Fatalf("%s is %s, want %s", path, got, want)
	}
}

// write writes lines to a file: write FILE LINE….
func write(ts *testscript.TestScript, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(args[1:], "\n")+"\n"), 0o600))
}

// reportSchema is the schema of reports that the project ships.
var reportSchema = sync.OnceValue(func() *jsonschema.Schema {
	return jsonschema.NewCompiler().MustCompile("../../docs/report.schema.json")
})

// checkReport checks what a command wrote against the schema of reports; other JSON passes.
func checkReport(data []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if object, ok := value.(map[string]any); err != nil || !ok || object["command"] == nil || object["verdict"] == nil {
		return nil
	}
	return reportSchema().Validate(value)
}

func lookup(data json.RawMessage, path []string) (string, error) {
	if len(path) == 0 {
		var text string
		if json.Unmarshal(data, &text) == nil && data[0] == '"' {
			return text, nil
		}
		var out bytes.Buffer
		err := json.Compact(&out, data)
		return out.String(), err
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) == nil && object[path[0]] != nil {
		return lookup(object[path[0]], path[1:])
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return "", fmt.Errorf("no %s in %.200s", path[0], data)
	}
	if path[0] == "len" {
		return strconv.Itoa(len(list)), nil
	}
	if i, err := strconv.Atoi(path[0]); err == nil && i < len(list) {
		return lookup(list[i], path[1:])
	}
	return "", fmt.Errorf("no %s in %.200s", path[0], data)
}

// until runs a program that goes on until it is told to end: it types q and Enter as soon as as many lines of its standard
// output match, and wants this exit status: until STATUS COUNT REGEXP PROGRAM [ARG…].
func until(ts *testscript.TestScript, args []string) {
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	pattern := regexp.MustCompile(args[2])
	cmd := command(ts, args[3:])
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	typed, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() }).Stop() // what never comes fails, late
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		fmt.Fprintln(ts.Stdout(), lines.Text())
		wantAccepted(ts, args[3:], lines.Text())
		if pattern.Match(lines.Bytes()) {
			if count--; count == 0 {
				_, _ = io.WriteString(typed, "q\n")
			}
		}
	}
	got := exitStatus(ts, cmd.Wait())
	if count > 0 {
		ts.Fatalf("it ended by itself, with status %s, %d lines too early for %q", got, count, args[2])
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// command returns a program in the directory and the environment of the script.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), ts.Stderr()
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "CI", "MCPCTL_CONFIG", "GOCOVERDIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

// inTime runs a program that is to do something until its time is over, with TIME in its words as 500ms, then 2s, 8s and 32s,
// until what it writes matches: how much time that takes depends on the machine. It wants this exit status in the end:
// intime STATUS REGEXP PROGRAM [ARG…].
func inTime(ts *testscript.TestScript, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[1])
	for _, limit := range []string{"500ms", "2s", "8s", "32s"} {
		words := kit.Map(args[3:], func(word string) string { return strings.ReplaceAll(word, "TIME", limit) })
		status := exitStatus(ts, ts.Exec(args[2], words...))
		if !pattern.MatchString(ts.ReadFile("stdout") + ts.ReadFile("stderr")) {
			continue
		}
		if status != args[0] {
			ts.Fatalf("exit status %s, want %s", status, args[0])
		}
		wantAccepted(ts, args[2:], ts.ReadFile("stdout")+"\n"+ts.ReadFile("stderr"))
		return
	}
	ts.Fatalf("%s is nowhere in what it wrote, however long it waited", args[1])
}
