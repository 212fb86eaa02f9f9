package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// trail is the way to a value, written out only when it is told: in what is nested deep, JSON pointers written out take
// more room than the values.
type trail struct {
	up    *trail // nil at the start
	token string // a JSON pointer from up to here, escaped
}

// to is the way on, through the member of an object.
func (t *trail) to(key string) *trail { return &trail{t, rawjson.Join("", key)} }

// element is the way on, through the element of an array.
func (t *trail) element(n int) *trail { return &trail{t, "/" + strconv.Itoa(n)} }

// String is the whole way as a JSON pointer.
func (t *trail) String() string {
	var tokens []string
	for ; t != nil; t = t.up {
		tokens = append(tokens, t.token)
	}
	slices.Reverse(tokens)
	return strings.Join(tokens, "")
}
