package diff

import (
	"encoding/json"
	"strconv"
	"strings"
)

// at is the value at a JSON pointer; nil when there is none.
func at(raw json.RawMessage, pointer string) json.RawMessage {
	tree, ok := descend(treeOf(raw), pointer)
	if !ok {
		return nil
	}
	return encode(nil, tree)
}

func descend(tree any, pointer string) (any, bool) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		var ok bool
		switch t := tree.(type) {
		case object:
			tree, ok = t[token]
		case array:
			i, err := strconv.Atoi(token)
			if err == nil {
				tree, ok = t[i]
			}
		}
		if !ok {
			return nil, false
		}
	}
	return tree, true
}
