package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// load reads what there is, with the file before it.
func (j *Journal) load(d *disk) (surfaces map[string][]byte, err error) {
	_ = os.Remove(d.path + ".new") // of a run that was killed
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
		_ = os.Rename(d.path+".1", d.path) // it was killed between two renames
	}
	surfaces = map[string][]byte{}
	for _, path := range []string{d.path + ".1", d.path} {
		d.size = 0
		clear(d.servers) // places in the file before are of no use: this one has all of them
		if err := j.loadFile(path, d, surfaces); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	switch {
	case len(j.kept) > 0:
		j.last = j.kept[len(j.kept)-1].ID
	case j.number > 0:
		j.last = j.run + "-" + strconv.Itoa(j.number)
	}
	return surfaces, nil
}

var errNoJournal = errors.New("it is no journal of mcpctl: name a file that is not there yet")

// loadFile reads the lines of a file to the last whole one.
func (j *Journal) loadFile(path string, d *disk, surfaces map[string][]byte) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	broken, held := 0, placed{} // a surface whose event has not come yet: whoever was killed between them told nobody
	for lines := bufio.NewReader(file); ; {
		raw, err := lines.ReadBytes('\n')
		if err == io.EOF {
			if len(raw) > 0 && d.size == 0 && !bytes.HasPrefix(raw, []byte(`{"mcpctl"`)) {
				return errNoJournal
			}
			break
		} else if err != nil {
			return err
		}
		var l line
		switch err := json.Unmarshal(raw, &l); {
		case d.size == 0 && (err != nil || l.Mcpctl == 0 || l.Event == ""):
			return errNoJournal
		case l.Mcpctl > version:
			return fmt.Errorf("it has version %d, and this mcpctl knows %d: install a newer one", l.Mcpctl, version)
		case err != nil:
			broken++
		case l.Event == "surface" && l.ID != "":
			held = placed{l, d.size, int64(len(raw))}
		default:
			if held.ID == l.ID && held.length > 0 {
				j.restore(held.line, nil, surfaces)
				d.remember(held)
			}
			held = placed{}
			j.restore(l, bytes.TrimSuffix(raw, []byte("\n")), surfaces)
			d.remember(placed{l, d.size, int64(len(raw))})
		}
		d.size += int64(len(raw))
	}
	if held.length > 0 {
		d.size = held.from
	}
	if broken > 0 {
		d.note("--journal %s: %d broken lines were left out", path, broken)
	}
	return nil
}

// placed is a line, and where in the file it is.
type placed struct {
	line
	from, length int64
}

// restore takes one line of a run before this one.
func (j *Journal) restore(l line, raw []byte, surfaces map[string][]byte) {
	switch l.Event {
	case "passed":
		j.passed[l.Output] = l.Number
		if l.Number > j.number { // of an event that is not here
			j.kept, j.size, j.number = nil, 0, l.Number
		}
	case "surface":
		if l.Surface != nil {
			surfaces[l.Server] = l.Surface
		}
	default:
		n := l.number()
		if n <= j.number { // told already by the file before
			return
		}
		if n > j.number+1 { // what is between is lost: numbers have no holes
			j.kept, j.size = nil, 0
		}
		j.keep(Entry{Place{n, l.ID, l.Sequence, l.Change}, l.Server, l.Event, raw})
	}
	if l.Server != "" {
		counts := j.of(l.Server)
		counts.Sequence, counts.Change = max(counts.Sequence, l.Sequence), max(counts.Change, l.Change)
	}
}
