package report

import (
	"fmt"
	"slices"
)

// pings writes a row per server: whether it answered, and how fast.
func (p *page) pings(r *Report) error {
	g := grid{columns: []column{{title: "NAME", name: true, least: 10}, {title: "STATUS", least: 8}, {title: "TRANSPORT", drop: 3},
		{title: "PROTOCOL", least: 10, drop: 2}, {title: "PINGS", right: true, drop: 4}, {title: "FASTEST", right: true, drop: 5},
		{title: "MEDIAN", right: true, least: 8}, {title: "SLOWEST", right: true, drop: 6}, {title: "PROBLEM", least: 16, drop: 7}}}
	for _, s := range r.Servers {
		g.rows = append(g.rows, s.pingRow())
	}
	if err := p.grid(0, g); err != nil {
		return err
	}
	p.failures(r.Servers)
	return nil
}

func (s Server) pingRow() []span {
	row := []span{{visible(s.Name), bold}, {visible(string(s.State)), stateInk(s.State)}, {transport(s), noInk}, {visible(s.ProtocolVersion), noInk}}
	sorted := slices.Sorted(slices.Values(s.PingMs))
	n := len(sorted)
	if n == 0 {
		return append(row, span{}, span{}, span{}, span{}, span{problem(s), stateInk(s.State)})
	}
	return append(row, span{itoa(n), noInk}, span{millis(sorted[0]), noInk}, span{millis(sorted[n/2]), bold}, span{millis(sorted[n-1]), noInk},
		span{problem(s), stateInk(s.State)})
}

func millis(ms float64) safe { return safe(fmt.Sprintf("%.1f ms", ms)) }
