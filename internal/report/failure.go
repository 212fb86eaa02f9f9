package report

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// stderrHead and stderrTail are how many lines of a server's stderr a table shows: some runtimes and compilers name the
// cause at the beginning, others at the end.
const stderrHead, stderrTail = 8, 12

// failures writes a block for each server that could not be asked in full.
func (p *page) failures(servers []Server) {
	for _, s := range servers {
		for _, f := range s.failures() {
			p.gap()
			p.failure(s, f)
		}
	}
}

func (p *page) failure(s Server, f Failure) {
	head := []span{{visible(s.Name), bold}, {"  ", noInk}, {visible(string(s.State)), stateInk(s.State)}}
	if f.Stage != "" {
		head = append(head, span{"  " + visible(f.Stage), dim})
	}
	p.text(0, 2, head...)
	p.paragraph(2, f.Message, noInk)
	p.hint(2, f.Hint)
	p.tolerated(s.Tolerated)
	p.stderr(f.Stderr)
}

// tolerated tells why a failure does not count.
func (p *page) tolerated(t *finding.Tolerance) {
	if t != nil {
		p.text(2, 2, span{"tolerated" + until(t.Expires) + ": " + firstLine(t.Reason), yellow})
	}
}

// until is the last day on which something holds, in words; nothing when it holds for ever.
func until(day finding.Day) safe {
	if day == "" {
		return ""
	}
	return " until " + visible(string(day))
}

// hint writes what can be done next.
func (p *page) hint(indent int, text string) {
	for i, l := range lines(text) {
		if i == 0 {
			p.text(indent, 2, span{"→ " + l, cyan})
			continue
		}
		p.text(indent+2, 0, span{l, cyan})
	}
}

func (p *page) stderr(text string) {
	all := lines(text)
	if len(all) == 0 {
		return
	}
	p.line(2, span{"stderr:", dim})
	if more := len(all) - stderrHead - stderrTail; more > 0 {
		between := "… " + quantity(more, "line") + " more …"
		all = slices.Concat(all[:stderrHead], []safe{between}, all[len(all)-stderrTail:])
	}
	for _, l := range all {
		p.text(4, 0, span{l, dim})
	}
}

// problems writes what is wrong and belongs to no server.
func (p *page) problems(all []string) {
	for i, text := range all {
		if i == 0 {
			p.gap()
		}
		p.text(0, 2, span{visible(text), red})
	}
}

// quantity is "1 line" or "2 lines".
func quantity(n int, word safe) safe {
	if n == 1 {
		return "1 " + word
	}
	return itoa(n) + " " + word + "s"
}

func itoa(n int) safe { return safe(strconv.Itoa(n)) }
