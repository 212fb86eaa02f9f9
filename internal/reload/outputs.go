package reload

// tolerated is how many rounds in a row a file may change in before it is taken for an output.
const tolerated = 3

// stubborn is the same for a file that has changed between rounds too: people write it.
const stubborn = 10

// Outputs tells the files that a build writes from those that people write, so that a build does not set itself off for
// ever. A file is an output when it changes in every round – a build and what follows from it – and never between two. The
// zero value knows none.
type Outputs struct {
	people  map[string]bool // changed between rounds
	rounds  map[string]int  // how many rounds in a row a file changed in
	touched map[string]bool // changed in this round
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

// Heed gives those of the changed files which are to be heeded, and those which are taken for outputs from now on.
func (o *Outputs) Heed(files []string, duringRound bool) (heeded, fresh []string) {
	if o.people == nil {
		o.people, o.rounds, o.touched = map[string]bool{}, map[string]int{}, map[string]bool{}
	}
	if !duringRound {
		for _, file := range files {
			o.people[file] = true
		}
		return files, nil
	}
	for _, file := range files {
		first := !o.touched[file]
		o.touched[file] = true
		limit := tolerated
		if o.people[file] {
			limit = stubborn
		}
		if first {
			o.rounds[file]++
		}
		switch n := o.rounds[file]; {
		case n < limit:
			heeded = append(heeded, file)
		case n == limit && first:
			fresh = append(fresh, file)
		}
	}
	return heeded, fresh
}
