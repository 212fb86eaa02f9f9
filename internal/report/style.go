package report

// ink is how a piece of text looks: the parameter of an SGR sequence. Empty = as the terminal writes.
type ink string

const (
	noInk  ink = ""
	bold   ink = "1"
	dim    ink = "2"
	red    ink = "31"
	green  ink = "32"
	yellow ink = "33"
	cyan   ink = "36"
)

// span is a piece of a line with one look.
type span struct {
	text safe
	ink  ink
}

func (s span) render(color bool) string {
	if !color || s.ink == noInk || s.text == "" {
		return string(s.text)
	}
	return "\x1b[" + string(s.ink) + "m" + string(s.text) + "\x1b[0m"
}

// stateInk is the colour of a server's state.
func stateInk(s State) ink {
	switch s {
	case OK:
		return green
	case Partial:
		return yellow
	case Failed:
		return red
	}
	return dim
}
