package schema

import "slices"

// put adds demands to the property of a name, which becomes part of the value.
func (o *objectProblem) put(name string, demands []lit) {
	for i := range o.slots {
		if o.slots[i].name == name {
			o.slots[i].lits = slices.Concat(o.slots[i].lits, demands)
			return
		}
	}
	o.slots = append(o.slots, slot{name: name, lits: append(o.ruling(name), demands...)})
}

func (o *objectProblem) has(name string) bool {
	return slices.ContainsFunc(o.slots, func(s slot) bool { return s.name == name })
}

// fill looks for the value of a slot.
func (o *objectProblem) fill(i int) answer {
	o.slots[i].out = o.inside(o.slots[i].lits)
	return o.slots[i].out.answer
}

// place finds a property for each open need, in every way there is until one succeeds.
func (o *objectProblem) place(needs []lit) outcome {
	if o.step() {
		return undecided(outOfSteps)
	}
	if len(needs) == 0 {
		return o.complete()
	}
	if len(o.languages) > maxLanguages {
		return undecided(reason{"many patterns of names", o.languages[0]})
	}
	out := outcome{answer: void}
	o.options(needs[0], func() bool {
		out = better(out, o.place(needs[1:]))
		return out.answer != inhabited
	})
	return out
}

// options calls try for every way to meet a need, until it reports false. The slots are as before afterwards.
func (o *objectProblem) options(need lit, try func() bool) {
	for i := range o.slots {
		if !o.share(i, need, try) {
			return
		}
	}
	if len(o.slots) >= o.most {
		return
	}
	for _, name := range o.names {
		if !o.has(name) && o.covers(need, name) != void && !o.extend(name, demand(need), try) {
			return
		}
	}
	for region := range o.regions() {
		if !region.within(need) {
			continue
		}
		name, answer := o.fresh(region)
		if answer == unsure {
			o.leaveOut(reason{"names that are divided by patterns", need.node})
			name = "x"
		}
		if answer != void && !o.extendRegion(name, region, demand(need), try) {
			return
		}
	}
}

// share meets a need with a property that is there already.
func (o *objectProblem) share(i int, need lit, try func() bool) bool {
	s := o.slots[i]
	switch o.covers(need, s.name) {
	case void:
		return true
	case unsure:
		o.leaveOut(reason{"a pattern that is not understood", need.node})
	}
	o.slots[i].lits = slices.Concat(s.lits, demand(need))
	more := o.fill(i) == void || try()
	o.slots[i] = s
	return more
}

// extend meets a need with a further property.
func (o *objectProblem) extend(name string, demands []lit, try func() bool) bool {
	return o.extendWith(slot{name: name, lits: append(o.ruling(name), demands...)}, try)
}

func (o *objectProblem) extendRegion(name string, r nameRegion, demands []lit, try func() bool) bool {
	lits := slices.Clone(demands)
	for _, rule := range o.rules {
		if r.within(rule) {
			lits = append(lits, consequence(rule))
		}
	}
	return o.extendWith(slot{name: name, lits: lits}, try)
}

func (o *objectProblem) extendWith(s slot, try func() bool) bool {
	n := len(o.slots)
	o.slots = append(o.slots, s)
	more := o.fill(n) == void || try()
	o.slots = o.slots[:n]
	return more
}

// complete adds properties up to the least number and writes the value.
func (o *objectProblem) complete() outcome {
	if missing := o.least - len(o.slots); missing > 0 {
		return o.enlarge(missing)
	}
	value := map[string]any{}
	doubt, doubted := o.doubt, o.doubted
	tried := true
	for _, s := range o.slots {
		if s.out.answer == unsure {
			doubt, doubted, tried = s.out.why, true, tried && s.out.tried
		}
		value[s.name] = s.out.value
	}
	switch {
	case !doubted:
		return found(value)
	case tried:
		return doubtful(value, doubt)
	}
	return undecided(doubt)
}

// maxEnlarge bounds the properties that are made up to reach a least number.
const maxEnlarge = 512

// enlarge adds further properties, whatever their names. Whether there are enough does not depend on those chosen
// before: every name whose rules can be met counts once.
func (o *objectProblem) enlarge(missing int) outcome {
	if missing > maxEnlarge {
		return undecided(reason{what: "very many properties are required"})
	}
	if len(o.languages) > maxLanguages {
		return undecided(reason{"many patterns of names", o.languages[0]})
	}
	out := outcome{answer: void}
	again := func() bool {
		out = o.complete()
		return false
	}
	for _, name := range o.names {
		if !o.has(name) && !o.extend(name, nil, again) {
			return out
		}
	}
	for region := range o.regions() {
		name, answer := o.fresh(region)
		if answer == unsure {
			return undecided(reason{what: "names that are divided by patterns"})
		}
		if answer == inhabited && !o.extendRegion(name, region, nil, again) {
			return out
		}
	}
	return out
}
