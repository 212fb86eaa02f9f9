package transport

import "os"

// pipe is one of the three between us and a child.
type pipe struct{ ours, theirs *os.File }

// pipes are stdin, stdout and stderr.
type pipes [3]pipe

func newPipes() (pipes, error) {
	var p pipes
	for i := range p {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeTheirs()
			p.closeOurs()
			return p, err
		}
		p[i] = pipe{ours: r, theirs: w}
		if i == 0 {
			p[i] = pipe{ours: w, theirs: r}
		}
	}
	return p, nil
}

func (p pipes) closeTheirs() {
	for _, one := range p {
		_ = one.theirs.Close() // nil is fine: an error, no panic
	}
}

func (p pipes) closeOurs() {
	for _, one := range p {
		_ = one.ours.Close()
	}
}
