package syntax

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Change puts Value at a pointer (RFC 6901), or removes what is there. "/-" adds an object of Value's members to a list.
type Change struct {
	Pointer string
	Value   any // a string, a list of strings, or for an addition []Member
}

// Member is one member of an object that is added.
type Member struct {
	Key   string
	Value any
}

// Edit makes changes and leaves every other byte as it is. What is added to a list is laid out like the element before.
func Edit(data []byte, changes []Change) ([]byte, error) {
	tree, err := hujson.Parse(data)
	if err != nil {
		return nil, errors.New(jsonError(err).Message)
	}
	for _, c := range changes {
		if err := edit(&tree, c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Pointer, err)
		}
	}
	return tree.Pack(), nil
}

func edit(tree *hujson.Value, c Change) error {
	if c.Value == nil {
		return tree.Patch([]byte(`[{"op": "remove", "path": ` + string(hujson.String(c.Pointer)) + `}]`))
	}
	list, adds := strings.CutSuffix(c.Pointer, "/-")
	at := tree.Find(list)
	if at == nil {
		return errors.New("it is not there")
	}
	if adds {
		array, ok := at.Value.(*hujson.Array)
		if !ok {
			return errors.New("it is no list")
		}
		return add(array, c.Value.([]Member))
	}
	return set(at, c.Value)
}

func set(at *hujson.Value, value any) error {
	text, err := rawjson.Encode(value)
	if err != nil {
		return err
	}
	written, err := hujson.Parse(text)
	at.Value = written.Value
	return err
}

// add puts an object behind the others of a list.
func add(list *hujson.Array, members []Member) error {
	object, element := &hujson.Object{}, hujson.Value{}
	var like []hujson.ObjectMember
	if n := len(list.Elements); n > 0 {
		last := &list.Elements[n-1]
		element.BeforeExtra = blank(last.BeforeExtra)
		element.AfterExtra, last.AfterExtra = last.AfterExtra, nil // a comma behind the last one
		if before, ok := last.Value.(*hujson.Object); ok {
			like, object.AfterExtra = before.Members, blank(before.AfterExtra)
		}
	}
	for i, m := range members {
		one := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(m.Key)}, Value: hujson.Value{BeforeExtra: hujson.Extra(" ")}}
		switch {
		case len(like) > 0:
			one.Name.BeforeExtra, one.Value.BeforeExtra = blank(like[min(i, len(like)-1)].Name.BeforeExtra), blank(like[0].Value.BeforeExtra)
		case i > 0:
			one.Name.BeforeExtra = hujson.Extra(" ")
		}
		if err := set(&one.Value, m.Value); err != nil {
			return err
		}
		object.Members = append(object.Members, one)
	}
	element.Value = object
	list.Elements = append(list.Elements, element)
	return nil
}

// blank is the white space before something, without comments and empty lines.
func blank(before hujson.Extra) hujson.Extra {
	text := string(before)
	if at := strings.LastIndexByte(text, '\n'); at >= 0 {
		text = text[at:]
	}
	if strings.TrimSpace(text) != "" {
		text = " "
	}
	return hujson.Extra(text)
}
