package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/terminal"
)

// groups are the commands by what somebody wants to do. What is named nowhere belongs to the last one.
var groups = []struct{ title, commands string }{
	{"Look", "list show grep config ping report rules"},
	{"Guard", "init snapshot diff accept check merge merge-driver"},
	{"Watch", "watch"},
	{"Act", "call prompt read complete"},
	{"Set up", "login logout auth trust cache completion man version"},
}

// rare are the flags that only --help-all shows.
const rare = " allow-scripts ca-cert inherit-env protocol headers-helper bearer shard exit-zero retries fail-fast parallel color semantics assert-formats max-bytes no-validate log-level debounce max-failures listen-token show-waived "

// examples are command lines, each with what it does behind "  # ".
//
//go:embed examples.txt
var examples string

// helpText is what there is to say of the program or of a command, for a terminal and for a manual.
type helpText struct {
	name, about, usage, text string
	sections                 []helpSection
	end                      string
}

// helpSection is a list of words with what each means; a stacked one has the meaning on a line of its own.
type helpSection struct {
	title   string
	stacked bool
	rows    [][2]string
}

// asksForHelp tells whether help is wanted, by "help", --help, -h or --help-all anywhere before "--", and of which command; the
// value of a flag is no such word.
func asksForHelp(own []string, takesValue map[string]bool) (asked, all bool, command string) {
	words := own
	if len(own) > 0 && own[0] == "help" {
		asked, words = true, own[1:]
	}
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case slices.Contains([]string{"--help", "-h", "-help", "-?"}, word):
			asked = true
		case word == "--help-all", word == "-help-all":
			asked, all = true, true
		case strings.HasPrefix(word, "-") && takesValue[strings.TrimLeft(word, "-")]:
			i++
		case !strings.HasPrefix(word, "-") && command == "":
			command = word
		}
	}
	return asked, all, command
}

// flagsFor are the names of the flags that args may have, and whether each takes a value: those of all commands where the first word
// is none.
func flagsFor(app *cli.App, args []string) map[string]bool {
	if len(args) > 0 && app.Command(args[0]) != nil {
		return flagsOf(app.Command(args[0]))
	}
	takes := map[string]bool{}
	for _, command := range app.Commands {
		for name, value := range flagsOf(command) {
			takes[name] = takes[name] || value
		}
	}
	return takes
}

// help writes what is to be known of a command, or of the program when none is named.
func (p program) help(app *cli.App, command string, all bool) error {
	text := appHelp(app)
	if command != "" {
		c := app.Command(command)
		if c == nil {
			return unknownCommand(p.Process, app, []string{command})
		}
		text = commandHelp(c, all)
	}
	var page strings.Builder
	text.write(&page, terminal.Width(p.Out))
	_, err := io.WriteString(p.Out, page.String())
	return err
}

func appHelp(app *cli.App) helpText {
	h := helpText{
		name: "mcpctl", about: app.Usage, usage: "mcpctl COMMAND [SOURCE…] [FLAG…] [-- CMD ARG…]", text: appDescription,
		end: "mcpctl COMMAND --help tells more of a command, mcpctl man everything.",
	}
	var listed []string
	for i, group := range groups {
		section := helpSection{title: group.title}
		names := strings.Fields(group.commands)
		if i == len(groups)-1 {
			for _, c := range app.Commands {
				if !c.Hidden && !slices.Contains(listed, c.Name) && !slices.Contains(names, c.Name) {
					names = append(names, c.Name)
				}
			}
		}
		for _, name := range names {
			if c := app.Command(name); c != nil {
				listed = append(listed, name)
				section.rows = append(section.rows, [2]string{name, c.Usage})
			}
		}
		h.sections = append(h.sections, section)
	}
	show := helpSection{title: "Examples", stacked: true}
	for _, name := range []string{"diff", "list", "snapshot"} {
		show.rows = append(show.rows, examplesOf(name)[:1]...)
	}
	h.sections = append(h.sections, show, helpSection{title: "Flags", rows: flagRows(app.Flags)})
	return h
}

func commandHelp(c *cli.Command, all bool) helpText {
	h := helpText{name: "mcpctl " + c.Name, about: c.Usage, usage: strings.TrimSpace("mcpctl " + c.Name + " " + c.ArgsUsage), text: c.Description}
	h.sections = append(h.sections, helpSection{title: "Examples", stacked: true, rows: examplesOf(c.Name)})
	shown := slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool { return !all && strings.Contains(rare, " "+f.Names()[0]+" ") })
	h.sections = append(h.sections, helpSection{title: "Flags", rows: flagRows(shown)})
	if len(shown) < len(c.Flags) {
		h.end = "mcpctl " + c.Name + " --help-all shows all flags."
	}
	return h
}

func examplesOf(command string) [][2]string {
	var rows [][2]string
	for example := range strings.Lines(examples) {
		line, about, _ := strings.Cut(strings.TrimSpace(example), "  # ")
		if _, words, ok := strings.Cut(line, "mcpctl "); ok && strings.Fields(words)[0] == strings.TrimSuffix(command, ")") {
			rows = append(rows, [2]string{line, about})
		}
	}
	return rows
}

// flagRows are flags' names with values in capitals, and what each does, with its default unless empty or told already.
func flagRows(flags []cli.Flag) [][2]string {
	var rows [][2]string
	for _, f := range flags {
		flag, ok := f.(cli.DocGenerationFlag)
		if !ok || flag.GetUsage() == "" { // a flag that is taken, and does nothing
			continue
		}
		all := f.Names()
		names := "    --" + all[0]
		if len(all) > 1 {
			names = fmt.Sprintf("-%s, --%s", all[1], all[0])
		}
		usage := flag.GetUsage()
		if flag.TakesValue() {
			value := strings.ToUpper(all[0])
			if parts := strings.Split(usage, "`"); len(parts) == 3 {
				value, usage = parts[1], strings.Join(parts, "")
			}
			names += " " + value
			if text := strings.Trim(flag.GetDefaultText(), `"`); text != "" && text != "0" && !strings.Contains(usage, "default") {
				usage += " (default: " + text + ")"
			}
		}
		rows = append(rows, [2]string{names, usage})
	}
	return rows
}

// write writes the text in so many columns; 0 = without a limit.
func (h helpText) write(w io.Writer, width int) {
	fmt.Fprintf(w, "%s\n\n%s\n", wrapped(h.name+" – "+h.about, 0, width), wrapped("Usage: "+h.usage, 7, width))
	if h.text != "" {
		fmt.Fprintln(w)
	}
	for _, paragraph := range paragraphs(h.text) {
		fmt.Fprintln(w, wrapped(paragraph, 0, width))
	}
	for _, s := range h.sections {
		if len(s.rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", s.title)
		left := 0
		for _, row := range s.rows {
			left = max(left, min(utf8.RuneCountInString(row[0]), 28))
		}
		for _, row := range s.rows {
			indent := left + 5
			if s.stacked {
				fmt.Fprintf(w, "   %s\n%s\n", row[0], wrapped(strings.Repeat(" ", 7)+row[1], 7, width))
				continue
			}
			fmt.Fprintln(w, wrapped(fmt.Sprintf("   %-*s  %s", left, row[0], row[1]), indent, width))
		}
	}
	if h.end != "" {
		fmt.Fprintf(w, "\n%s\n", wrapped(h.end, 0, width))
	}
}

// paragraphs are the lines of a text that belong together, as one; indented lines stand for themselves.
func paragraphs(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		if n := len(all); n > 0 && !strings.HasPrefix(line, " ") && !strings.HasPrefix(all[n-1], " ") {
			all[n-1] += " " + line
		} else if line != "" {
			all = append(all, line)
		}
	}
	return all
}

// wrapped is a text in lines of at most width columns, broken at spaces, the lines after the first indented.
func wrapped(text string, indent, width int) string {
	if width <= indent+10 {
		return text
	}
	var lines []string
	for utf8.RuneCountInString(text) > width {
		cut := strings.LastIndexByte(string([]rune(text)[:width+1]), ' ')
		if len(strings.TrimSpace(text[:max(cut, 0)])) == 0 {
			break
		}
		lines, text = append(lines, strings.TrimRight(text[:cut], " ")), strings.Repeat(" ", indent)+strings.TrimLeft(text[cut:], " ")
	}
	return strings.Join(append(lines, text), "\n")
}

// manual writes everything as a page of the manual, in the language of man(7).
func manual(w io.Writer, app *cli.App) {
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "–", `\(en`, "…", "...")
	line := func(text string) string {
		text = escape.Replace(text)
		if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
			return `\&` + text
		}
		return text
	}
	about := appHelp(app)
	fmt.Fprintf(w, ".TH MCPCTL 1 \"\" \"mcpctl\" \"User Commands\"\n.SH NAME\nmcpctl \\- %s\n.SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s\n", line(about.about), line(about.usage), line(about.text))
	for _, group := range about.sections {
		fmt.Fprintf(w, ".SH %s\n", strings.ToUpper(group.title))
		for _, row := range group.rows {
			c := app.Command(row[0])
			if c == nil {
				fmt.Fprintf(w, ".TP\n.B %s\n%s\n", line(row[0]), line(row[1]))
				continue
			}
			h := commandHelp(c, true)
			fmt.Fprintf(w, ".SS \"%s\"\n%s.\n.PP\n.B %s\n.PP\n%s\n", line(h.name), line(h.about), line(h.usage), line(h.text))
			for _, section := range h.sections {
				for _, row := range section.rows {
					fmt.Fprintf(w, ".TP\n.B %s\n%s\n", line(strings.TrimSpace(row[0])), line(row[1]))
				}
			}
		}
	}
}

func manCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:  "man",
		Usage: "write the manual page, mcpctl(1)",
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("man takes no argument: mcpctl man | man -l -")
			}
			var page strings.Builder
			manual(&page, newApp(p))
			return p.Output.Bytes(c.Context, p.Process, []byte(page.String()))
		},
	}, []cli.Flag{&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output", Destination: &p.Output.File, TakesFile: true}})
}
