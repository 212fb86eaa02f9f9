// Package calls reads and writes files of recorded tool calls, counts the calls that a change of a server
// breaks (Judge), and sends calls again to compare their results (Replay). Nothing is stored.
//
// A file has one JSON object a line, as docs/calls.schema.json describes it, or traces in OTLP JSON that
// follow OpenTelemetry's semantic conventions for MCP.
package calls

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
)

// Open opens a file of calls that the user named; - is standard input.
func Open(p host.Process, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(p.In), nil
	}
	file, err := os.Open(files.From(p.Dir, name))
	if err != nil {
		return nil, exit.Misuse(exit.Advise("record one: mcpctl call --record "+name+" SOURCE TOOL",
			"cannot read recorded calls: %w", err))
	}
	if info, err := file.Stat(); err != nil || info.IsDir() {
		_ = file.Close()
		return nil, exit.Usagef("cannot read recorded calls: %s is a directory", name)
	}
	return file, nil
}

// Each calls do with each call in a file of this name, in order, until one returns an error. The raw values
// of a call are valid until do returns. Errors name the file and the line.
func Each(ctx context.Context, r io.Reader, name string, do func(Call) error) error {
	in, line := bufio.NewReaderSize(r, 1<<18), []byte(nil)
	for number := 1; ; number++ {
		text, err := readLine(in, &line)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil && len(text) > 0 {
			err = decode(text, number, do)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
}

// readLine returns the next line without its end and without white space around it. buffer is for lines that
// the reader cannot hold.
func readLine(in *bufio.Reader, buffer *[]byte) ([]byte, error) {
	*buffer = (*buffer)[:0]
	for {
		part, err := in.ReadSlice('\n')
		whole := err == nil || errors.Is(err, io.EOF)
		if whole && len(*buffer) == 0 {
			if len(part) == 0 {
				return nil, err
			}
			return trim(part), nil
		}
		if len(*buffer)+len(part) > maxLine {
			return nil, fmt.Errorf("line longer than %d MiB", maxLine>>20)
		}
		*buffer = append(*buffer, part...)
		switch {
		case whole:
			return trim(*buffer), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func trim(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] <= ' ' {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && line[0] <= ' ' {
		line = line[1:]
	}
	return line
}

// decode calls do with the call, or the calls, of one line.
func decode(line []byte, number int, do func(Call) error) error {
	members, err := rawjson.Members(line)
	if err != nil {
		return fmt.Errorf("invalid JSON: %w", err)
	}
	if rawjson.Last(members, "resourceSpans") != nil {
		return eachSpan(line, number, do)
	}
	c := Call{Line: number, Arguments: rawjson.Last(members, "arguments"),
		Result: present(rawjson.Last(members, "result"))}
	var when string
	for key, to := range map[string]*string{"server": &c.Server, "tool": &c.Tool, "time": &when,
		"client": &c.Client} {
		value := present(rawjson.Last(members, key))
		text, ok := rawjson.Text(value)
		if value != nil && !ok {
			return fmt.Errorf("%q: expected string, got %s", key, rawjson.TypeName(value))
		}
		*to = text
	}
	switch {
	case c.Tool == "":
		return errors.New(`missing "tool"`)
	case c.Arguments == nil:
		return errors.New(`missing "arguments"`)
	case c.Arguments[0] != '{':
		return fmt.Errorf(`"arguments": expected object, got %s`, rawjson.TypeName(c.Arguments))
	case c.Result != nil && c.Result[0] != '{':
		return fmt.Errorf(`"result": expected object, got %s`, rawjson.TypeName(c.Result))
	}
	if when != "" {
		if c.Time, err = time.Parse(time.RFC3339, when); err != nil {
			return fmt.Errorf(`"time": expected RFC 3339 such as 2026-11-20T09:30:00Z, got %.40q`, when)
		}
	}
	return do(c)
}

// present returns a value, or nil for null.
func present(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Recorder returns a function that appends calls to a file.
func Recorder(
	p host.Process, name string,
) func(server, tool string, arguments, result json.RawMessage) error {
	return func(server, tool string, arguments, result json.RawMessage) error {
		return Append(p, name, Call{Server: server, Tool: tool, Arguments: arguments, Result: result,
			Time: p.Now, Client: "mcpctl"})
	}
}

// Append adds a call to a file, which only the user can read when it is new.
func Append(p host.Process, name string, c Call) error {
	members := []rawjson.Member{{Key: "server", Value: rawjson.Quote(c.Server)},
		{Key: "tool", Value: rawjson.Quote(c.Tool)}, {Key: "arguments", Value: c.Arguments}}
	if c.Result != nil {
		members = append(members, rawjson.Member{Key: "result", Value: c.Result})
	}
	when := c.Time.UTC().Format(time.RFC3339)
	members = append(members, rawjson.Member{Key: "time", Value: rawjson.Quote(when)},
		rawjson.Member{Key: "client", Value: rawjson.Quote(c.Client)})
	line, err := rawjson.Encode(rawjson.Build(members...))
	if err == nil && len(line) > maxLine {
		err = fmt.Errorf("the result is larger than %d MiB", maxLine>>20)
	}
	if err != nil {
		return fmt.Errorf("recording the call: %w", err)
	}
	path := files.From(p.Dir, name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return exit.Usagef("recording the call: %s is not a regular file", name)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return exit.Usagef("recording the call: %w", err)
	}
	if err != nil {
		return fmt.Errorf("recording the call: %w", err)
	}
	_, err = file.Write(append(line, '\n')) // in one piece, so that several runs can share a file
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// Counts are the recorded calls of each tool, by server.
type Counts map[string]map[string]int

// Count counts the calls in a file. Calls without a server are those of "".
func Count(ctx context.Context, p host.Process, name string) (Counts, error) {
	r, err := Open(p, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	counts, names := Counts{}, 0
	return counts, exit.Misuse(Each(ctx, r, name, func(c Call) error {
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
	}))
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

// masked returns JSON in which values that look secret are replaced, by their names or their looks.
func masked(raw json.RawMessage) json.RawMessage {
	value, err := rawjson.Decode(raw)
	if err != nil {
		return nil
	}
	clean, err := rawjson.Encode(maskValue("", value))
	if err != nil {
		return nil
	}
	return clean
}

func maskValue(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = maskValue(key, v[key])
		}
	case []any:
		for i := range v {
			v[i] = maskValue(name, v[i])
		}
	case string, json.Number:
		if name != "" && redact.SecretName(name) {
			return redact.Mask
		}
		if text, ok := v.(string); ok {
			return redact.Literal(text)
		}
	}
	return value
}
