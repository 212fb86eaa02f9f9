// Package calls reads and writes files of recorded tool calls, and counts the calls that a change of a
// server breaks (Counter). Nothing is stored.
//
// A file has one JSON object a line, as docs/calls.schema.json describes it, or traces in OTLP JSON that
// follow OpenTelemetry's semantic conventions for MCP.
package calls

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// Call is one recorded call of a tool.
type Call struct {
	Server    string          // name of the server; empty = not recorded
	Tool      string          // name of the tool
	Arguments json.RawMessage // an object; nil = not recorded
	Result    json.RawMessage // the result of tools/call; nil = not recorded
	Time      time.Time       // when it was made; zero = not recorded
	Client    string          // who made it; empty = not recorded
	Line      int             // of the file, from 1
}

const (
	maxLine  = 32 << 20 // bytes of one line
	maxNames = 100_000  // distinct tools in one file
	maxShown = 8 << 10  // bytes of a value that is shown
)

// ReadFile calls do with each call in a file that the user named. Its errors are mistakes of the user.
func ReadFile(ctx context.Context, p host.Process, name string, do func(Call) error) error {
	file, err := os.Open(files.From(p.Dir, name))
	if err != nil {
		return exit.UsageHint("record one: mcpctl call --record "+name+" SOURCE TOOL",
			"cannot read recorded calls: %w", err)
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() { // it is read more than once
		return exit.Usagef("cannot read recorded calls: %s is not a regular file", name)
	}
	return exit.Misuse(eachCall(ctx, file, name, do))
}

// eachCall calls do with each call in a file of this name, in order, until one returns an error. The raw
// values of a call are valid until do returns. Errors name the file and the line.
func eachCall(ctx context.Context, r io.Reader, name string, do func(Call) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 256<<10), maxLine)
	var reader rawjson.MemberReader
	for number := 1; ctx.Err() == nil; number++ {
		more, err := lines.Scan(), lines.Err()
		line := bytes.TrimSpace(lines.Bytes())
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			err = fmt.Errorf("line longer than %d MiB", maxLine>>20)
		case err == nil && !more:
			return nil
		case err == nil && len(line) > 0:
			err = decode(&reader, line, number, do)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return context.Cause(ctx)
}

// members are those of a call that are read, with the types that they have.
var members = map[string]string{
	"server": "string", "tool": "string", "arguments": "object", "result": "object", "time": "string",
	"client": "string", "resourceSpans": "array",
}

// decode calls do with the call, or the calls, of one line.
func decode(reader *rawjson.MemberReader, line []byte, number int, do func(Call) error) error {
	c := Call{Line: number}
	var wrong error
	traces := false
	err := reader.Read(line, func(key, value []byte) {
		name := key[1 : len(key)-1] // without the quotes
		want, known := members[string(name)]
		_, got, _ := strings.Cut(rawjson.TypeName(value), " ") // without the article
		switch {
		case !known || string(value) == "null":
			return
		case got != want:
			wrong = fmt.Errorf("%q: expected %s, got %s", name, want, rawjson.TypeName(value))
			return
		}
		switch string(name) {
		case "server":
			c.Server = rawjson.Unquote(value)
		case "tool":
			c.Tool = rawjson.Unquote(value)
		case "arguments":
			c.Arguments = value
		case "result":
			c.Result = value
		case "time":
			var err error
			if c.Time, err = time.Parse(time.RFC3339, rawjson.Unquote(value)); err != nil {
				wrong = fmt.Errorf(`"time": expected RFC 3339 such as 2026-11-20T09:30:00Z, got %.40s`, value)
			}
		case "client":
			c.Client = rawjson.Unquote(value)
		case "resourceSpans":
			traces = true
		}
	})
	switch {
	case err != nil:
		return fmt.Errorf("invalid JSON: %w", err)
	case wrong != nil:
		return wrong
	case traces:
		return eachSpan(line, number, do)
	case c.Tool == "":
		return errors.New(`missing "tool"`)
	case c.Arguments == nil:
		return errors.New(`missing "arguments"`)
	}
	return do(c)
}

// Append adds a call, made now by mcpctl, to a file that only the user can read when it is new.
func Append(p host.Process, name, server, tool string, arguments, result json.RawMessage) error {
	line, err := rawjson.Encode(rawjson.Build( // on one line
		rawjson.Member{Key: "server", Value: rawjson.Quote(server)},
		rawjson.Member{Key: "tool", Value: rawjson.Quote(tool)},
		rawjson.Member{Key: "arguments", Value: arguments},
		rawjson.Member{Key: "result", Value: result},
		rawjson.Member{Key: "time", Value: rawjson.Quote(p.Now.UTC().Format(time.RFC3339))},
		rawjson.Member{Key: "client", Value: rawjson.Quote("mcpctl")}))
	if err != nil {
		return err
	}
	if len(line) > maxLine {
		return fmt.Errorf("recording the call: the result is larger than %d MiB", maxLine>>20)
	}
	file, err := os.OpenFile(files.From(p.Dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return exit.Usagef("recording the call: %w", err)
	}
	_, err = file.Write(append(line, '\n')) // in one piece, so that several runs can share a file
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("recording the call: %w", err)
	}
	return nil
}

// Counts are the recorded calls of each tool, by server.
type Counts map[string]map[string]int

// Count counts the calls in a file. Calls without a server are those of "".
func Count(ctx context.Context, p host.Process, name string) (Counts, error) {
	counts, names := Counts{}, 0
	return counts, ReadFile(ctx, p, name, func(c Call) error {
		if counts[c.Server] == nil {
			counts[c.Server] = map[string]int{}
		}
		if counts[c.Server][c.Tool]++; counts[c.Server][c.Tool] == 1 {
			names++
		}
		if names > maxNames {
			return fmt.Errorf("more than %d different tools", maxNames)
		}
		return nil
	})
}

// Of returns the calls of a server that is recorded under any of some names, and how many there are. Calls
// without a server count where it offers their tool.
func (c Counts) Of(names, offered []string) (tools map[string]int, total int) {
	tools = map[string]int{}
	for _, name := range kit.Distinct(names) {
		for tool, n := range c[name] {
			if name != "" {
				tools[tool] += n
				total += n
			}
		}
	}
	for _, tool := range offered {
		tools[tool] += c[""][tool]
		total += c[""][tool]
	}
	return tools, total
}

// NoCalls returns the problem of a file without a call of any compared server.
func (c Counts) NoCalls(name string) error {
	if len(c) == 0 {
		return fmt.Errorf("%s has no recorded calls", name)
	}
	return fmt.Errorf("%s has no call of a compared server, only of %s", name, kit.Some(kit.SortedKeys(c)))
}

// ShownJSON returns a value as JSON with what looks secret masked; nil where it is too large to be shown.
func ShownJSON(value any) json.RawMessage {
	raw, _ := rawjson.Encode(value) // made of JSON
	if len(raw) > maxShown {
		return nil
	}
	return redact.JSON(raw)
}
