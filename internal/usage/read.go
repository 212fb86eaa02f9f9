package usage

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// importers read a line each: the calls that are complete with it, and whether it is theirs. A line that is theirs and cannot be
// read gives none and is counted as damaged.
var importers = []func(*reader, []byte) ([]Call, bool){codex, claude, otlp, plain}

// Count is what came of reading records.
type Count struct {
	Files      int // that had something new
	Unchanged  int // files that were read before
	Compressed int // files that are not read, since they are compressed
	Calls      int // new ones
	Again      int // calls that were counted before, such as those of a session that was copied
	Damaged    int // lines that were skipped
}

// Import reads records and hands on each call that is new.
type Import struct {
	Progress *Progress
	Each     func(Call)
	Count    Count
}

// longestLine bounds a line that is read. Longer ones are counted as damaged.
const longestLine = 16 << 20

// reader reads one stream of lines.
type reader struct {
	*Import
	waiting map[string]Call // by their ids
	order   []string        // of the ids
}

// Path reads a file, or the files of a folder and those below it, as far as they are new.
func (i *Import) Path(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return i.file(ctx, path)
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(name, ".jsonl.zst"), strings.HasSuffix(name, ".jsonl.gz"):
			i.Count.Compressed++
		case d.Type().IsRegular() && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json")):
			return i.file(ctx, path)
		}
		return ctx.Err()
	})
}

// file reads what is new in a file.
func (i *Import) file(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	from, err := i.Progress.resume(path, f)
	if err != nil {
		return err
	}
	read, err := i.stream(ctx, f, from > 0)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if read == 0 && from > 0 {
		i.Count.Unchanged++
		return nil
	}
	i.Count.Files++
	return i.Progress.reached(path, f, from+read)
}

// Stream reads calls to the end of a stream.
func (i *Import) Stream(ctx context.Context, in io.Reader) error {
	i.Count.Files++
	_, err := i.stream(ctx, in, false)
	return err
}

// stream reads lines, and gives the number of bytes up to the end of the last one that is whole.
func (i *Import) stream(ctx context.Context, in io.Reader, resumed bool) (int64, error) {
	r := &reader{Import: i, waiting: map[string]Call{}}
	lines := bufio.NewReaderSize(in, 1<<20)
	whole := int64(0)
	for ctx.Err() == nil {
		line, size, err := nextLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return whole, err
		}
		if err == nil || json.Valid(line) && len(line) > 0 { // a last line that is torn is read when there is more of it
			r.line(line, size)
			whole += int64(size)
		} else if size > 0 && !resumed {
			i.Count.Damaged++
		}
		if err != nil {
			break
		}
	}
	for _, c := range r.unanswered() {
		r.take(c)
	}
	return whole, ctx.Err()
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

// line reads one line.
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
	if c.ID != "" && !r.Progress.fresh(c) {
		r.Count.Again++
		return
	}
	r.Count.Calls++
	r.Each(c)
}

// Progress is how far files were read, and which calls were counted.
type Progress struct {
	Files map[string]position `json:"files"` // by a hash of the path
	Seen  map[string][]byte   `json:"seen"`  // hashes of the ids of calls, 8 bytes each, by day

	known map[[idBytes]byte]bool
}

// position is the end of the last line that was read, and a hash of how the file begins.
type position struct {
	Offset int64  `json:"offset"`
	Head   string `json:"head"`
}

const (
	idBytes  = 8
	headSize = 512
)

// made is the progress with everything that it needs.
func (p *Progress) made() *Progress {
	if p.Files == nil {
		p.Files = map[string]position{}
	}
	if p.Seen == nil {
		p.Seen = map[string][]byte{}
	}
	p.known = map[[idBytes]byte]bool{}
	for _, ids := range p.Seen {
		for id := range slices.Chunk(ids, idBytes) {
			if len(id) == idBytes {
				p.known[[idBytes]byte(id)] = true
			}
		}
	}
	return p
}

// NewProgress is that of a first import.
func NewProgress() *Progress { return (&Progress{}).made() }

// fresh tells whether a call was not counted, and remembers it.
func (p *Progress) fresh(c Call) bool {
	h := fnv.New64a()
	h.Write([]byte(c.ID))
	id := [idBytes]byte(h.Sum(nil))
	if p.known[id] {
		return false
	}
	p.known[id] = true
	day := dayOf(c.Time)
	p.Seen[day] = append(p.Seen[day], id[:]...)
	return true
}

// resume goes to where the last import ended, if it is still the same file.
func (p *Progress) resume(path string, f *os.File) (int64, error) {
	at := p.Files[hashOf([]byte(path))]
	info, err := f.Stat()
	if err != nil || at.Offset == 0 || info.Size() < at.Offset {
		return 0, err
	}
	head, err := headOf(f, at.Offset)
	if err != nil || head != at.Head {
		return 0, err
	}
	return f.Seek(at.Offset, io.SeekStart)
}

// reached remembers how far a file was read.
func (p *Progress) reached(path string, f *os.File, offset int64) error {
	head, err := headOf(f, offset)
	p.Files[hashOf([]byte(path))] = position{offset, head}
	return err
}

// headOf is a hash of how a file begins, which more at its end does not change.
func headOf(f *os.File, offset int64) (string, error) {
	head := make([]byte, min(headSize, offset))
	_, err := f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return hashOf(head), err
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// forgetBefore lets go of the ids of calls before a day.
func (p *Progress) forgetBefore(day string) {
	for d := range p.Seen {
		if d < day && d != dayOf(Call{}.Time) {
			delete(p.Seen, d)
		}
	}
}
