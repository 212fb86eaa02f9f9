package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// commentLimit is how many characters GitHub takes in a comment. Bytes are counted, of which there are never fewer.
const commentLimit = 65_536

// marker lets a script find the comment of an earlier run.
const marker = "<!-- mcpctl -->\n"

// writeMarkdown writes a comment for a pull request: a line that says it all, and the rest in parts to unfold.
func writeMarkdown(w io.Writer, r *Report, o Options) error {
	c := comment{limit: cmp.Or(o.Limit, commentLimit), head: marker + markdownHead(r)}
	c.failures(r.Servers)
	if r.Findings == nil {
		c.overview(r)
	}
	for _, s := range r.Servers {
		c.server(r, s, o)
	}
	c.strays(r, o)
	_, err := io.WriteString(w, c.write())
	return err
}

func markdownHead(r *Report) string {
	icons := map[Verdict]string{Pass: "✅", Fail: "❌", Incomplete: "⚠️", Unsaved: "⚠️", Interrupted: "⚠️"}
	head := fmt.Sprintf("<h3>%s %s</h3>\n", cmp.Or(icons[r.Verdict], "❌"), prose(safe(headline(r))))
	if says := meaning(r, r.Summary); says != "" {
		head += fmt.Sprintf("<p>Exit status %d: %s.</p>\n", r.Status, prose(says))
	}
	for _, problem := range r.Problems {
		head += fmt.Sprintf("<p>%s</p>\n", prose(clip(visible(problem), 1000)))
	}
	return head
}

// server adds what there is to say about one server; nothing when nothing was found.
func (c *comment) server(r *Report, s Server, o Options) {
	found := (&page{Options: o}).wanted(of(s.Name, r.Findings))
	if len(found) == 0 {
		if s.Unsaved {
			c.add(chapter{}, block{rank: -1, full: fmt.Sprintf("<p>%s has no saved snapshot; save one by %s.</p>\n",
				code(visible(s.Name)), code(visible("mcpctl snapshot "+quoted(s.Name))))})
		}
		return
	}
	compared, command := "", r.Command
	if strings.HasPrefix(s.Base, "git:") {
		command = "" // a commit stays as it is: nothing can be accepted
	}
	if s.Base != "" {
		compared = fmt.Sprintf(" – %s → %s", code(clip(visible(s.Base), 200)), code(clip(visible(now(s)), 200)))
	}
	c.findings(fmt.Sprintf("<b>%s</b>: %s%s", code(clip(visible(s.Name), 200)), Summarize(found, nil).words(), compared), found, command)
}

// strays adds the findings that belong to no server of the report.
func (c *comment) strays(r *Report, o Options) {
	found := (&page{Options: o}).wanted(strays(r))
	if len(found) > 0 {
		c.findings("<b>everything else</b>: "+Summarize(found, nil).words(), found, r.Command)
	}
}

func (c *comment) findings(title string, found []finding.Finding, command string) {
	open := "<details>"
	for _, f := range found {
		if rank(f) == 0 {
			open = "<details open>"
		}
	}
	ch := chapter{open: open + "\n<summary>" + title + "</summary>\n", end: "</details>\n"}
	for _, f := range found {
		says := findingHead(f, command)
		c.add(ch, block{rank: rank(f), what: levelWord(f), brief: says, full: says + string(preformatted(evidence(f)))})
	}
}

// findingHead is a finding without what it rests on.
func findingHead(f finding.Finding, command string) string {
	icon := []string{"🔴", "🟡", "🔵", "⚪"}[rank(f)]
	says := fmt.Sprintf("<p>%s <b>%s</b> %s – %s", icon, levelWord(f), code(clip(itemTitle(f.Item), 300)), prose(oneLine(f.Message)))
	if f.Hint != "" {
		says += "<br>\n→ " + string(prose(oneLine(f.Hint)))
	}
	if w := f.Waiver; w != nil {
		says += "<br>\nwaived" + string(prose(until(w.Expires))) + ": " + string(prose(firstLine(w.Reason)))
	}
	says += "<br>\n<sub>" + string(code(visible(f.Rule)))
	if f.Verdict == finding.Proved || f.Verdict == finding.Unproven {
		says += ", " + string(f.Verdict)
	}
	if command == "diff" && f.Waiver == nil {
		return says + ", accept by " + string(code(safe("mcpctl accept "+f.Fingerprint()))) + "</sub></p>\n"
	}
	return says + ", " + string(code(safe(f.Fingerprint()))) + "</sub></p>\n"
}

// levelWord is how much a finding matters, in a word.
func levelWord(f finding.Finding) string {
	if f.Waiver != nil {
		return "waived"
	}
	return f.Level.String()
}

func (c *comment) failures(servers []Server) {
	for _, s := range servers {
		for _, f := range s.failures() {
			head := fmt.Sprintf("<p>🔴 <b>%s</b> %s – %s: %s</p>\n", visible(string(s.State)), code(clip(visible(s.Name), 200)),
				prose(visible(f.Stage)), prose(clip(oneLine(f.Message), 1000)))
			p := &page{bare: true}
			p.hint(0, f.Hint)
			p.tolerated(s.Tolerated)
			p.stderr(f.Stderr)
			c.add(chapter{}, block{rank: -1, what: "failed", brief: head, full: head + string(preformatted(p.rows))})
		}
	}
}

func (c *comment) overview(r *Report) {
	header, rows := overview(r)
	ch := chapter{open: "<table>\n<tr>", end: "</table>\n"}
	for _, title := range header {
		ch.open += "<th>" + string(title) + "</th>"
	}
	ch.open += "</tr>\n"
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, "<td>"+string(prose(cell))+"</td>")
		}
		c.add(ch, block{rank: 1, what: "rows", full: "<tr>" + strings.Join(cells, "") + "</tr>\n"})
	}
}
