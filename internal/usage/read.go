package usage

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
)

// importers read a line each: the calls that are complete with it, and whether it is theirs. A line that is theirs and cannot be
// read gives none and is counted as damaged.
var importers = []func(*reader, []byte) ([]Call, bool){codex, claude, otlp, plain}

// Count is what came of reading records.
type Count struct {
	Files     int // that had something new
	Unchanged int // files that were read before
	Calls     int // new ones
	Again     int // calls that were counted before, such as those of a session that was copied
	Waiting   int // calls that were not answered yet: a later import counts them
	Damaged   int // lines that were skipped
	Old       int // calls that were made before what is kept begins
	Renamed   int // calls of earlier imports whose server is called otherwise now
}

// Import reads records and hands on each call that is new.
type Import struct {
	Progress *Progress
	Now      time.Time
	From     string // the first day that is kept; empty = all are
	Each     func(Call)
	Count    Count
}

// longestLine bounds a line that is read. Longer ones are counted as damaged.
const longestLine = 16 << 20

type reader struct {
	*Import
	project string                 // of the session, where the records say it once for all calls
	at      int64                  // where the line begins that is read
	waiting map[string]waitingCall // by their ids
}

// Path reads a file, or the files of a folder and those below it, as far as they are new.
func (i *Import) Path(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.Mode().IsRegular() && exported(path):
		return exit.Usagef("%s was written by mcpctl usage export, and is not imported: use it with --usage %s", path, path)
	case info.Mode().IsRegular():
		return i.file(ctx, path)
	case !info.IsDir():
		return fmt.Errorf("%s: %w: it is neither a file nor a folder; mcpctl usage import - reads standard input", path, fs.ErrInvalid)
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if compressed[filepath.Ext(name)] != nil {
			name = strings.TrimSuffix(name, filepath.Ext(name))
		}
		switch kind := filepath.Ext(name); {
		case err != nil:
			return err
		case d.Type().IsRegular() && (kind == ".jsonl" || kind == ".json"):
			return i.file(ctx, path)
		}
		return ctx.Err()
	})
}

var exportBegins = match.Pattern(`^\s*\{\s*"mcpctl":`)

// exported tells a file of records from one of calls, by how it begins.
func exported(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // which reading it tells
	}
	defer f.Close()
	begins, _ := io.ReadAll(io.LimitReader(f, 64))
	return exportBegins().Match(begins)
}

func (i *Import) file(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	was, err := i.Progress.resume(path, f)
	if err != nil {
		return err
	}
	var now position
	if open := compressed[filepath.Ext(path)]; open != nil {
		now, err = i.unzip(ctx, f, was, open)
	} else {
		now, err = i.stream(ctx, f, was, true)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if _, known := i.Progress.Files[hashOf([]byte(path))]; known && now.Offset == was.Offset {
		i.Count.Unchanged++
	} else {
		i.Count.Files++
	}
	return i.Progress.reached(path, f, now)
}

// compressed are the ways in which files are compressed, by name. zstd takes no window of 32 MiB unless asked to.
var compressed = map[string]func(io.Reader) (io.ReadCloser, error){
	".gz": func(in io.Reader) (io.ReadCloser, error) { return gzip.NewReader(in) },
	".zst": func(in io.Reader) (io.ReadCloser, error) {
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(32<<20))
		if err != nil {
			return nil, err
		}
		return r.IOReadCloser(), nil
	},
}

// unzip reads a compressed file from its beginning if it was not read to its end. What is behind damage in it is lost.
func (i *Import) unzip(ctx context.Context, f *os.File, was position, open func(io.Reader) (io.ReadCloser, error)) (position, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == was.Offset {
		return was, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return was, err
	}
	lines, err := open(f)
	if err == nil {
		_, err = i.stream(ctx, lines, position{}, false)
		_ = lines.Close() // which was read as far as it can be
	}
	if err != nil && ctx.Err() == nil {
		i.Count.Damaged++
	}
	return position{Offset: info.Size()}, ctx.Err()
}

// Stream reads calls to the end of a stream.
func (i *Import) Stream(ctx context.Context, in io.Reader) error {
	i.Count.Files++
	_, err := i.stream(ctx, in, position{}, false)
	return err
}

// stream reads lines, and gives the end of the last one that is whole. Calls that are not answered in it are taken, but for those
// that may be answered later in a file that grows.
func (i *Import) stream(ctx context.Context, in io.Reader, was position, grows bool) (position, error) {
	r := &reader{Import: i, project: was.Project, at: was.Offset - was.Again, waiting: map[string]waitingCall{}}
	lines := bufio.NewReaderSize(endable{ctx, in}, 1<<20)
	for ctx.Err() == nil {
		line, size, err := nextRecord(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return was, err
		}
		before := i.Count
		if err == nil || json.Valid(line) && len(line) > 0 { // a last line that is torn is read when there is more of it
			r.line(line, size)
			r.at += int64(size)
		} else if size > 0 && was.Offset == 0 {
			i.Count.Damaged++
		}
		if r.at <= was.Offset { // it was told when it was read first
			i.Count.Again, i.Count.Damaged = before.Again, before.Damaged
		}
		if err != nil {
			break
		}
	}
	calls, first := r.unanswered(grows)
	for _, c := range calls {
		r.take(c)
	}
	return position{Offset: r.at, Again: r.at - first, Project: r.project}, ctx.Err()
}

// endable is a stream whose reading ends with the run, also in the middle of a line.
type endable struct {
	ended context.Context
	in    io.Reader
}

// Read reads as long as the run goes on.
func (e endable) Read(p []byte) (int, error) {
	if err := e.ended.Err(); err != nil {
		return 0, err
	}
	return e.in.Read(p)
}

// nextRecord is the next line, or the lines of an indented object.
func nextRecord(in *bufio.Reader) (record []byte, size int, err error) {
	record, size, err = nextLine(in)
	if string(record) != "{" || err != nil {
		return record, size, err
	}
	record = []byte("{")
	for err == nil {
		next, _ := in.Peek(1)
		if len(next) == 0 || !strings.Contains(" \t}", string(next)) {
			return record, size, err
		}
		last := next[0] == '}'
		line, n, failed := nextLine(in)
		size, err = size+n, failed
		if size <= longestLine {
			record = append(record, line...)
		}
		if last {
			return record, size, err
		}
	}
	return record, size, err
}

// nextLine is the next line without its end, and how many bytes it takes; one that is too long is empty.
func nextLine(in *bufio.Reader) (line []byte, size int, err error) {
	var parts []byte
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		if !errors.Is(err, bufio.ErrBufferFull) && parts == nil {
			return bytes.TrimSpace(part), size, err
		}
		if size <= longestLine {
			parts = append(parts, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if size > longestLine {
				parts = nil
			}
			return bytes.TrimSpace(parts), size, err
		}
	}
}

func (r *reader) line(line []byte, size int) {
	if len(line) == 0 {
		if size > longestLine {
			r.Count.Damaged++
		}
		return
	}
	if line[0] != '{' || line[len(line)-1] != '}' {
		r.Count.Damaged++
		return
	}
	for _, read := range importers {
		calls, matched := read(r, line)
		if !matched {
			continue
		}
		if calls == nil && !json.Valid(line) {
			r.Count.Damaged++
		}
		for _, c := range calls {
			r.take(c)
		}
		return
	}
}

// take hands on a call that was not counted before.
func (r *reader) take(c Call) {
	if c.Time.After(r.Now) { // somebody's clock is ahead
		c.Time = r.Now
	}
	if !c.Time.IsZero() && dayOf(c.Time) < r.From {
		r.Count.Old++
		return
	}
	if c.ID != "" && !r.Progress.fresh(c) {
		r.Count.Again++
		return
	}
	r.Count.Calls++
	r.Each(c)
}

type waitingCall struct {
	Call
	at int64 // where its line begins
}

const (
	mostWaiting = 4096           // calls that may wait for their answers
	longestWait = 24 * time.Hour // after which nobody expects the answer of a call any more
	mostAgain   = 32 << 20       // bytes that are read again for the sake of calls that wait
)

// answers tells, without reading the line, whether it answers a call that waits: key names whose id follows.
func (r *reader) answers(line []byte, key string) bool {
	for len(r.waiting) > 0 {
		_, rest, found := bytes.Cut(line, []byte(key))
		if !found {
			return false
		}
		_, id, _ := bytes.Cut(rest[:min(len(rest), 256)], []byte(`"`))
		id, _, _ = bytes.Cut(id, []byte(`"`))
		if _, ok := r.waiting[string(id)]; ok {
			return true
		}
		line = rest
	}
	return false
}

// wait keeps a call until it is answered. When too many wait, all are taken as they are.
func (r *reader) wait(c Call) (given []Call) {
	if len(r.waiting) == mostWaiting {
		given, _ = r.unanswered(false)
	}
	r.waiting[c.ID] = waitingCall{c, r.at}
	return given
}

// forget lets go of a call that waits, since its record is whole elsewhere.
func (r *reader) forget(id string) { delete(r.waiting, id) }

// answer is the call that was answered, if it waits.
func (r *reader) answer(id string, failed bool, result json.RawMessage) []Call {
	c, ok := r.waiting[id]
	if !ok {
		return nil
	}
	r.forget(id)
	c.Failed, c.Result = failed, result
	return []Call{c.Call}
}

// unanswered are the calls that wait, in their order; of what grows but for those whose answers may stand in what a later import reads:
// first is where the first of these begins, or where the reader is. Nothing waits afterwards.
func (r *reader) unanswered(grows bool) (calls []Call, first int64) {
	first = r.at
	for _, c := range slices.SortedFunc(maps.Values(r.waiting), func(a, b waitingCall) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID)) }) {
		if grows && c.Time.After(r.Now.Add(-longestWait)) && r.at-c.at <= mostAgain {
			first = min(first, c.at)
			r.Count.Waiting++
		} else {
			calls = append(calls, c.Call)
		}
	}
	clear(r.waiting)
	return calls, first
}
