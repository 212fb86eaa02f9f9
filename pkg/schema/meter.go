package schema

import (
	"cmp"
	"context"
)

// A meter counts work down to none, in units that are the same on every machine: some 15 ns and at most as
// many bytes each.
type meter struct {
	ctx    context.Context // nil for work that ends by its units alone
	left   int             // units until the budget is spent; below 0 where it is
	spared int             // units that were left when the context ended
	look   int             // units until it is looked whether it has
}

const (
	unitsPerStep = 64
	unitsPerLook = 4096
)

// soonMeter counts work that ends by its units alone.
func soonMeter(units int) *meter { return &meter{left: units} }

// spend takes units of the budget and reports whether it is spent, or the context has ended.
func (m *meter) spend(units int) bool {
	if m.left < 0 {
		return true
	}
	m.left -= units
	if m.look -= units; m.look < 0 {
		if m.look = unitsPerLook; m.left >= 0 && m.ctx != nil && m.ctx.Err() != nil {
			m.left, m.spared = -1, m.left
		}
	}
	return m.left < 0
}

func (m *meter) step() bool { return m.spend(unitsPerStep) }

// outOfSteps is why a decision ends with its budget.
var outOfSteps = reason{what: "analysis budget exceeded"}

// A Pool is work that several decisions share, one after another.
type Pool struct {
	// Left is the number of steps that are left. Decisions for which none are left are Unknown.
	Left int

	short bool // something was left undecided with work left: it may not take all
}

// Spent reports whether anything may be undecided for lack of work.
func (p *Pool) Spent() bool { return p.Left <= 0 || p.short }

func (p *Pool) lacked(work bool) {
	if p != nil {
		p.short = p.short || work
	}
}

func (p *Pool) take(units int) {
	if p != nil {
		p.Left -= (units + unitsPerStep - 1) / unitsPerStep
	}
}

// meter returns a meter with no more than the pool has. What was spent is taken out of the pool by paid.
func (p *Pool) meter(ctx context.Context, units int) (m *meter, paid func()) {
	if p != nil {
		units = min(units, max(p.Left, 0)*unitsPerStep)
	}
	m = &meter{ctx: ctx, left: units}
	return m, func() { p.take(m.used(units)) }
}

// used returns the units that were spent of those at the start.
func (m *meter) used(units int) int { return units - cmp.Or(m.spared, m.left) }

func (p *Pool) empty() bool { return p != nil && p.Left <= 0 }
