package call

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Form is how an argument is written.
type Form int

// The forms of an argument.
const (
	Converted Form = iota // key=value: the value becomes what the schema wants
	Literal               // key:=JSON
	FromText              // key@=FILE: the text of a file, converted
	FromJSON              // key:=@FILE: the JSON in a file
)

// Argument is one argument as a person writes it.
type Argument struct {
	Key  string // a property; a.b is b inside a, and a[] a further element of a
	Form Form
	Text string // the value, or the name of the file
}

// ParseArgument reads key=value, key:=JSON, key@=FILE or key:=@FILE.
func ParseArgument(text string) (Argument, error) {
	key, value, found := strings.Cut(text, "=")
	switch {
	case !found || key == "":
		return Argument{}, fmt.Errorf("%q is no argument: write key=value, key:=JSON, key@=FILE or key:=@FILE", text)
	case !utf8.ValidString(text):
		return Argument{}, fmt.Errorf("the argument %q is not UTF-8", text)
	}
	a := Argument{Key: key, Text: value}
	if name, ok := strings.CutSuffix(key, ":"); ok {
		a.Key, a.Form = name, Literal
		if file, ok := strings.CutPrefix(value, "@"); ok {
			a.Text, a.Form = file, FromJSON
		}
	} else if name, ok := strings.CutSuffix(key, "@"); ok {
		a.Key, a.Form = name, FromText
	}
	if a.Key == "" {
		return Argument{}, fmt.Errorf("%q has no key before %q", text, key)
	}
	return a, nil
}

// File is the file that the argument names, if it names one.
func (a Argument) File() (name string, ok bool) {
	return a.Text, a.Form == FromText || a.Form == FromJSON
}

// Of is the argument with what is in its file.
func (a Argument) Of(content []byte) Argument {
	a.Text = string(content)
	switch a.Form {
	case FromText:
		a.Form = Converted
	case FromJSON:
		a.Form = Literal
	}
	return a
}

// value is what the argument says at a place of the schema.
func (a Argument) value(at shape) (json.RawMessage, error) {
	switch {
	case !utf8.ValidString(a.Text):
		return nil, fmt.Errorf("%s is not UTF-8", a.Key)
	case a.Form == Converted:
		return at.convert(a.Text), nil
	case !json.Valid([]byte(a.Text)):
		return nil, fmt.Errorf("%s is no JSON; for a text write %s=", brief(a.Text), a.Key)
	}
	return json.RawMessage(strings.TrimSpace(a.Text)), nil
}
