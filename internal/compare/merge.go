package compare

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/git"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Merge makes one snapshot of two that come from a third, as a merge driver of git (gitattributes, "Defining a custom merge
// driver"): it writes to ours. What both sides changed otherwise is left to git's merge of lines, and so are files that are
// no snapshots. What cannot be merged keeps markers, and the error is exit.Code 1; name is the file in what is said.
func Merge(ctx context.Context, p host.Process, base, ours, theirs, name string) error {
	disputed, err := settle(base, ours, theirs)
	var unreadable *source.ParseError
	switch {
	case errors.As(err, &unreadable):
		p.Note("%s: merged as text, since not every side of it is a snapshot: %v", name, unreadable.Err)
	case err != nil || disputed == nil:
		return err
	}
	conflicts, err := git.Here(p).MergeFile(ctx, ours, base, theirs)
	if err != nil || conflicts {
		return conflictError(p, name, disputed, err)
	}
	return nil
}

// conflictError tells a person where both sides changed a file.
func conflictError(p host.Process, name string, disputed []string, err error) error {
	if err != nil {
		return fmt.Errorf("merging %s: %w", name, err)
	}
	if disputed != nil {
		p.Reason("%s: both sides changed %s: edit it, or run mcpctl snapshot", name, report.Visible(strings.Join(disputed, ", ")))
	}
	return exit.Code(1)
}

// settle writes the merge to ours; what is disputed stays in each of the three files, so that they differ in nothing else.
func settle(base, ours, theirs string) (disputed []string, err error) {
	paths := []string{base, ours, theirs}
	sides := make([]parts, len(paths))
	for i, path := range paths {
		if sides[i], err = partsOf(path); err != nil {
			return nil, err
		}
	}
	disputed = resolve(sides[0], sides[1], sides[2])
	for i, path := range paths {
		if i == 1 || disputed != nil {
			if err := sides[i].write(path); err != nil {
				return nil, err
			}
		}
	}
	return disputed, nil
}

// part is a place in a snapshot that is merged as a whole: an item of a list, or a member of an object at the top.
type part struct {
	member string // at the top
	key    string // of the item, or of the member inside
	n      int    // counts those of one key from 1; 0 = what stands at the top, for lists and objects without what is in them
}

// String is the part as findings name it.
func (p part) String() string {
	switch kind := snapshot.Kind(p.member); {
	case p.n == 0:
		return p.member
	case slices.Contains(snapshot.Kinds(), kind):
		return kind.ID(p.key)
	}
	return p.member + "/" + p.key
}

// parts are the values of a snapshot.
type parts map[part]string

// partsOf takes a snapshot file apart. An empty one, which git gives where a file is new on both sides, has no parts.
func partsOf(path string) (parts, error) {
	data, err := files.ReadRegular(path, source.MaxSize)
	if err != nil || len(data) == 0 {
		return parts{}, err
	}
	read, err := snapshot.Parse(data)
	if err != nil {
		return nil, &source.ParseError{Origin: path, Err: err}
	}
	if data, err = read.Encode(); err != nil {
		return nil, &source.ParseError{Origin: path, Err: err}
	}
	members, err := rawjson.Members(data)
	all := parts{}
	for _, m := range members {
		all.add(m)
	}
	return all, err
}

func (all parts) add(m rawjson.Member) {
	switch kind := snapshot.Kind(m.Key); {
	case slices.Contains(snapshot.Kinds(), kind):
		all[part{member: m.Key}] = "[]"
		items, _ := rawjson.Elements(m.Value) // a list of what was encoded
		for _, raw := range items {
			key, _ := snapshot.KeyOf(kind, raw)
			at := part{m.Key, key, 1}
			for all[at] != "" {
				at.n++
			}
			all[at] = string(raw)
		}
	case rawjson.TypeName(m.Value) == "an object":
		all[part{member: m.Key}] = "{}"
		for _, inner := range rawjson.Children(m.Value) {
			all[part{m.Key, inner.Key, 1}] = string(inner.Value)
		}
	default:
		all[part{member: m.Key}] = string(m.Value)
	}
}

func (all parts) write(path string) error {
	var members []rawjson.Member
	inner := map[string][]rawjson.Member{}
	for _, at := range slices.SortedFunc(maps.Keys(all), comparePlaces) {
		if at.n > 0 {
			inner[at.member] = append(inner[at.member], rawjson.Member{Key: at.key, Value: json.RawMessage(all[at])})
		} else if value := all[at]; value != "[]" && value != "{}" {
			members = append(members, rawjson.Member{Key: at.member, Value: json.RawMessage(value)})
		} else {
			inner[at.member] = append([]rawjson.Member{}, inner[at.member]...)
		}
	}
	for name, inside := range inner {
		value := rawjson.Build(inside...)
		if slices.Contains(snapshot.Kinds(), snapshot.Kind(name)) {
			value = listOf(inside)
		}
		members = append(members, rawjson.Member{Key: name, Value: value})
	}
	whole, err := snapshot.Parse(rawjson.Build(members...))
	if err != nil {
		return err
	}
	data, err := whole.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // git made the file, and takes its content alone
}

func listOf(items []rawjson.Member) json.RawMessage {
	raws := lists.Map(items, func(item rawjson.Member) json.RawMessage { return item.Value })
	return rawjson.List(raws)
}

func comparePlaces(a, b part) int {
	return cmp.Or(cmp.Compare(a.member, b.member), cmp.Compare(a.key, b.key), cmp.Compare(a.n, b.n))
}

// resolve gives all three sides what one of them changed, or both alike, and names the rest.
func resolve(base, ours, theirs parts) (disputed []string) {
	places := maps.Clone(base)
	maps.Copy(places, ours)
	maps.Copy(places, theirs)
	for _, at := range slices.SortedFunc(maps.Keys(places), comparePlaces) {
		value := ours[at]
		switch {
		case ours[at] == theirs[at], base[at] == theirs[at]:
		case base[at] == ours[at]:
			value = theirs[at]
		default:
			disputed = append(disputed, at.String())
			continue
		}
		for _, side := range []parts{base, ours, theirs} {
			if side[at] = value; value == "" {
				delete(side, at)
			}
		}
	}
	return disputed
}
