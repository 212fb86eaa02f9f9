package usage

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Record is all calls of one tool by one agent in one project that have the same shape, or that were answered with the same members.
type Record struct {
	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Agent     string         `json:"agent"`
	Project   string         `json:"project,omitempty"` // in one's own records; an export leaves it out
	Arguments Shape          `json:"arguments,omitzero"`
	Answer    []string       `json:"answer,omitzero"`  // what results held, as JSON pointers with * for every item; there are no arguments then
	Calls     map[string]int `json:"calls"`            // by day, in UTC
	Failed    map[string]int `json:"failed,omitempty"` // those of them that were answered with an error
}

// Records are what is kept of all calls.
type Records struct {
	read   *Progress // how far imports came; nil in what is shared
	byKey  map[string]*Record
	shapes map[string]int // how many there are of each tool of each server; of answers likewise
}

// format is the number of the form of Records as JSON.
const format = 1

// mostShapes is how many different shapes are kept of one tool, and mostAnswers how many answers. Calls of further ones are counted as
// calls of which nothing is known; further answers are dropped.
const (
	mostShapes  = 2000
	mostAnswers = 200
)

// NewRecords are none.
func NewRecords() *Records {
	return &Records{byKey: map[string]*Record{}, shapes: map[string]int{}}
}

// Add counts a call.
func (rs *Records) Add(c Call, keep Keep, now time.Time) {
	name := func(text string) string { return redact.MaskText(text[:min(len(text), 256)]) }
	one := map[string]int{c.day(now): 1}
	r := Record{Server: name(c.Server), Tool: name(c.Tool), Agent: cmp.Or(name(c.Agent), "unknown"), Project: c.Project, Arguments: keep.shapeOf(c.Arguments), Calls: one}
	if c.Failed {
		r.Failed = one
	}
	rs.add(r)
	if r.Arguments, r.Answer = (Shape{}), heldIn(c.Result); r.Answer != nil && !c.Failed {
		rs.add(r)
	}
}

// add joins a record with the one that has the same shape.
func (rs *Records) add(r Record) {
	group, most := r.group()
	key := r.key()
	if rs.byKey[key] == nil && rs.shapes[group] >= most {
		if r.Answer != nil {
			return
		}
		r.Arguments = Shape{Type: "object"}
		key = r.key()
	}
	known := rs.byKey[key]
	if known == nil {
		rs.shapes[group]++
		known = new(r)
		known.Calls, known.Failed = map[string]int{}, map[string]int{}
		rs.byKey[key] = known
	}
	for day, n := range r.Calls {
		known.Calls[day] += n
	}
	for day, n := range r.Failed {
		known.Failed[day] += n
	}
}

// group is what shapes are counted by, and how many of them are kept.
func (r Record) group() (name string, most int) {
	if name = r.Server + "\x00" + r.Tool; r.Answer != nil {
		return name + "\x00", mostAnswers
	}
	return name, mostShapes
}

func (r Record) key() string {
	var shape []byte
	if shape, _ = json.Marshal(r.Arguments); r.Answer != nil { // which always have a JSON
		shape, _ = json.Marshal(r.Answer)
	}
	return r.Server + "\x00" + r.Tool + "\x00" + r.Agent + "\x00" + r.Project + "\x00" + string(shape)
}

func (rs *Records) clear() []*Record {
	all := rs.All()
	rs.byKey, rs.shapes = map[string]*Record{}, map[string]int{}
	return all
}

// All is every record, in the order of servers, tools, agents, projects and shapes.
func (rs *Records) All() []*Record {
	return lists.Map(lists.SortedKeys(rs.byKey), func(key string) *Record { return rs.byKey[key] })
}

// Servers are the names under which calls are recorded, sorted.
func (rs *Records) Servers() []string {
	names := lists.Map(rs.All(), func(r *Record) string { return r.Server })
	return slices.Compact(names)
}

// Rename gives servers other names, and tells how many calls that was about.
func (rs *Records) Rename(to map[string]string) int {
	renamed, all := 0, rs.clear()
	for _, r := range all {
		if name, ok := to[r.Server]; ok && r.Server != name {
			r.Server = name
			if r.Answer == nil {
				renamed += sum(r.Calls)
			}
		}
		rs.add(*r)
	}
	return renamed
}

// Forget drops the records that are chosen, and gives the number of their calls.
func (rs *Records) Forget(chosen func(*Record) bool) int {
	dropped := 0
	for key, r := range rs.byKey {
		if chosen(r) {
			if r.Answer == nil {
				dropped += sum(r.Calls)
			}
			group, _ := r.group()
			rs.shapes[group]--
			delete(rs.byKey, key)
		}
	}
	return dropped
}

// ForgetBefore drops what is known of the days before one.
func (rs *Records) ForgetBefore(day string) {
	early := func(d string, _ int) bool { return d < day }
	rs.Forget(func(r *Record) bool {
		maps.DeleteFunc(r.Calls, early)
		maps.DeleteFunc(r.Failed, early)
		return len(r.Calls) == 0
	})
}

func sum(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// file is the form of records as JSON; docs/usage-records.schema.json describes it.
type file struct {
	Mcpctl  int       `json:"mcpctl"`
	Records []*Record `json:"records"`
	Read    *Progress `json:"read,omitempty"`
}

// JSON is the records as docs/usage-records.md defines them.
func (rs *Records) JSON() json.RawMessage {
	data, _ := json.Marshal(file{format, append([]*Record{}, rs.All()...), rs.read}) // which always has a JSON
	return data
}

// Indented is JSON in canonical form, for files that people read and commit.
func (rs *Records) Indented() ([]byte, error) {
	data, err := rawjson.AppendIndented(nil, rs.JSON(), 0)
	return append(data, '\n'), err
}

// ReadRecords reads what JSON writes.
func ReadRecords(data []byte) (*Records, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("these are no records of calls: %w", err)
	}
	switch {
	case f.Mcpctl > format:
		return nil, fmt.Errorf("a newer mcpctl wrote these records (form %d): update this one", f.Mcpctl)
	case f.Mcpctl != format || f.Records == nil:
		return nil, fmt.Errorf(`these are no records of calls: mcpctl usage export writes {"mcpctl":%d,"records":[…]}`, format)
	}
	rs := NewRecords()
	rs.read = f.Read
	for i, r := range f.Records {
		if r == nil || r.Server == "" || r.Tool == "" || (r.Arguments.Type == "") == (r.Answer == nil) {
			return nil, fmt.Errorf("record %d has no server, no tool, or not one of arguments and answer", i+1)
		}
		rs.add(*r)
	}
	return rs, nil
}

// Store is the folder of the user's own records. Nobody else may read it.
type Store struct {
	Folder string // absolute; it need not exist
}

// mostBytes bounds a file of records.
const mostBytes = 256 << 20

// Retention is how long calls are kept unless somebody says otherwise.
const Retention = 90 * 24 * time.Hour

// recordsFile is the one file of a store.
const recordsFile = "records.json"

func (s Store) files() files.Folder {
	return files.Folder{Path: s.Folder, Denied: files.NotReadable, Limit: mostBytes}
}

// Load reads the records; there are none before the first import.
func (s Store) Load() (rs *Records, err error) {
	err = s.files().Read(recordsFile, func(data []byte) (err error) {
		rs, err = ReadRecords(data)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return NewRecords(), nil
	}
	return rs, err
}

// LoadAll reads a file of records, or in a store all those below a folder as those of one.
func LoadAll(ctx context.Context, p host.Process, path string) (*Records, error) {
	if !store.Is(path) || strings.HasSuffix(path, ".json") {
		return Load(ctx, p, path)
	}
	paths, err := p.Store.List(ctx, path)
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("there are no records in %s: write some with mcpctl usage export --output %[1]s/NAME.json", path)
	}
	all := NewRecords()
	for _, path := range paths {
		rs, err := Load(ctx, p, path)
		if err != nil {
			return nil, err
		}
		for _, r := range rs.All() {
			all.add(*r)
		}
	}
	return all, err
}

// Load reads a file of records.
func Load(ctx context.Context, p host.Process, path string) (*Records, error) {
	data, err := store.Read(ctx, p, path, mostBytes)
	if _, named := errors.AsType[*fs.PathError](err); named || err != nil && store.Is(path) {
		return nil, err
	}
	var rs *Records
	if err == nil {
		rs, err = ReadRecords(data)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return rs, nil
}

// Update changes what is kept, one run at a time, together with how far imports came: no call is lost or counted twice.
func (s Store) Update(ctx context.Context, change func(*Records, *Progress) error) error {
	release, err := s.files().Lock(ctx, "lock")
	if err != nil {
		return err
	}
	defer release()
	rs, err := s.Load()
	if err != nil {
		return fmt.Errorf("%w (mcpctl usage forget begins anew)", err)
	}
	rs.read = cmp.Or(rs.read, &Progress{}).made()
	if err := change(rs, rs.read); err != nil {
		return err
	}
	return files.ReplacePrivate(filepath.Join(s.Folder, recordsFile), rs.JSON())
}

// Clear forgets everything, also how far imports came.
func (s Store) Clear(ctx context.Context) error {
	release, err := s.files().Lock(ctx, "lock")
	if err != nil {
		return err
	}
	defer release()
	return s.files().Remove(recordsFile)
}

// Expire drops what is older than a day, and how far imports came before it.
func Expire(rs *Records, p *Progress, day string) {
	rs.ForgetBefore(day)
	p.forgetBefore(day)
}

// Progress is how far files were read, and which calls were counted.
type Progress struct {
	Files map[string]position `json:"files"` // by a hash of the path
	Seen  map[string][]byte   `json:"seen"`  // hashes of the ids of calls, 8 bytes each, by day

	known map[[idBytes]byte]bool
}

// position is how far a file was read.
type position struct {
	Offset  int64  `json:"offset"`            // the end of the last line that was read
	Head    string `json:"head"`              // a hash of how the file begins
	Again   int64  `json:"again,omitempty"`   // so many bytes before the end are read again, since a call there waits for its answer
	Project string `json:"project,omitempty"` // of the session
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
func (p *Progress) resume(path string, f *os.File) (position, error) {
	at := p.Files[hashOf([]byte(path))]
	info, err := f.Stat()
	if err != nil || info.Size() < at.Offset {
		return position{}, err
	}
	head, err := headOf(f, at.Offset)
	if err != nil || head != at.Head {
		return position{}, err
	}
	_, err = f.Seek(at.Offset-at.Again, io.SeekStart)
	return at, err
}

// reached remembers how far a file was read.
func (p *Progress) reached(path string, f *os.File, now position) (err error) {
	now.Head, err = headOf(f, now.Offset)
	p.Files[hashOf([]byte(path))] = now
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
