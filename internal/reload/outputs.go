package reload

import "time"

// How many rounds in a row a file may change in: up to tolerated it is a reason for the next round at once, up to doubted
// after a pause, of 1, 3 and 9 seconds, and then it is taken for an output. Who saves a file again and again does so in one
// of these pauses, in which nothing is built; a build does not.
const (
	tolerated = 2
	doubted   = 5
)

// Outputs tells the files that a build writes from those that people write, so that a build does not set itself off for
// ever. A file is an output when it changes in every round – a build and what follows from it – and never in the pauses
// between them, which grow. The zero value knows none.
type Outputs struct {
	rounds  map[string]int  // how many rounds in a row a file changed in
	touched map[string]bool // changed in this round
}

// Decision is what changed files are a reason for.
type Decision struct {
	Now     []string      // a round at once
	Later   []string      // a round after a pause, unless something else is changed before
	Pause   time.Duration // how long, once this round is over
	Outputs []string      // nothing, from now on
}

// Begin begins a round. Files that did not change in the one before are outputs no more.
func (o *Outputs) Begin() {
	for file := range o.rounds {
		if !o.touched[file] {
			delete(o.rounds, file)
		}
	}
	o.touched = map[string]bool{}
}

// Decide sorts changed files. What changes between two rounds was changed by people.
func (o *Outputs) Decide(files []string, duringRound bool) (d Decision) {
	for _, file := range files {
		if !duringRound {
			delete(o.rounds, file)
			d.Now = append(d.Now, file)
			continue
		}
		n, first := o.count(file)
		switch {
		case n <= tolerated:
			d.Now = append(d.Now, file)
		case n <= doubted:
			d.Later = append(d.Later, file)
			d.Pause = max(d.Pause, [...]time.Duration{1, 3, 9}[n-tolerated-1]*time.Second)
		case n == doubted+1 && first:
			d.Outputs = append(d.Outputs, file)
		}
	}
	return d
}

// count is in how many rounds in a row a file changed, and whether it is the first time in this one.
func (o *Outputs) count(file string) (n int, first bool) {
	if o.rounds == nil {
		o.rounds, o.touched = map[string]int{}, map[string]bool{}
	}
	if first = !o.touched[file]; first {
		o.touched[file] = true
		o.rounds[file]++
	}
	return o.rounds[file], first
}
