package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/host"
)

var (
	// quotedText finds a text in double quotes that names a command, as in prose and as a string of JSON or YAML.
	quotedText = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*\bmcpctl (?:[^"\\\n]|\\.)*"`)
	// markedCommand finds a command in backticks or <code>, which is whole.
	markedCommand = regexp.MustCompile("(?:`|<code>)(mcpctl (?:[a-z]|--)[^`<\n]+)(?:`|</code>)")
	// clause finds a command in prose, with the rest of its clause.
	clause = regexp.MustCompile(`(?m)(?:^|[\s(>→])(mcpctl (?:[a-z]|--[a-z])(?:'[^'\n]*'|.)*?)(?:; |, |\. |: | \(| – |  |</|$)`)
	// heading finds the titles of reports, which name the command that wrote them.
	heading = regexp.MustCompile(`(?m)^(?:#+ |<h\d|<title>|<testsuites |mcpctl [a-z]+(?::| -) ).*$`)
	// optional finds what a usage may have.
	optional = regexp.MustCompile(` \[[^\]]*\]| \| .*`)
	// inProse are words that follow the name of the program where it is no command.
	inProse = strings.Fields(`adds and as asks can declined did does from has in is knows or ran reads sends speaks starts then there
		uses waits writes`)
	// shownCommand finds a command in a block of code of a document, up to its comment, pipe or redirection.
	shownCommand = regexp.MustCompile(`(?m)^(?:\$ )?(mcpctl [a-z].*?)(?:\s+# .*| 2?>.*| \| .*|$)`)
	// other is a word of another tool, which a document says is answered with a hint.
	other = regexp.MustCompile(`^mcpctl (?:tools|describe)$`)
)

// advisedIn returns the commands of mcpctl that an output names, be it text, Markdown, HTML, JSON, SARIF or annotations.
func advisedIn(output string) (commands []string) {
	output = heading.ReplaceAllString(output, "")
	texts := []string{quotedText.ReplaceAllString(output, " ")}
	for _, quoted := range quotedText.FindAllString(output, -1) {
		var text string
		if json.Unmarshal([]byte(quoted), &text) != nil {
			text = quoted[1 : len(quoted)-1]
		}
		if quotedText.MatchString(text) { // prose that quotes a command
			commands = append(commands, advisedIn(text)...)
			continue
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		text = html.UnescapeString(strings.NewReplacer("%0A", "\n", "%3A", ":", "%25", "%", "an mcpctl ", "a ").Replace(text))
		for _, found := range markedCommand.FindAllStringSubmatch(text, -1) {
			commands = append(commands, found[1])
		}
		for _, found := range clause.FindAllStringSubmatch(markedCommand.ReplaceAllString(text, ""), -1) {
			words := strings.Fields(found[1])
			if slices.Contains(inProse, strings.TrimRight(words[1], ".,:")) || len(words) > 2 && slices.Contains(inProse, words[2]) {
				continue
			}
			commands = append(commands, strings.TrimRight(optional.ReplaceAllString(found[1], ""), "; ,.():"))
		}
	}
	return commands
}

// accepts returns why mcpctl would not take a command line: with its real flags, and as many arguments as the usage of the
// command has. Nothing is contacted. Scripts advise the same few commands hundreds of times.
func accepts(line string) error {
	if err, known := accepted.Load(line); known {
		err, _ := err.(error)
		return err
	}
	err := tryLine(line)
	accepted.Store(line, err)
	return err
}

var accepted sync.Map // the error of each line

func tryLine(line string) error {
	words, err := shellWords(line)
	if err != nil {
		return err
	}
	own, behind := splitCommand(words[1:])
	app := newApp(newProgram(host.Process{}, own, behind))
	if len(own) == 0 || strings.HasPrefix(own[0], "--") || own[0] == "COMMAND" {
		return nil
	}
	command := app.Command(own[0])
	if command == nil {
		return fmt.Errorf("there is no command %q", own[0])
	}
	var arguments []string
	flags := 0
	command.Before = nil
	command.Action = func(c *cli.Context) error {
		arguments, flags = c.Args().Slice(), c.NumFlags()
		return nil
	}
	if err := app.RunContext(context.Background(), append([]string{app.Name}, arranged(app, own)...)); err != nil {
		return err
	}
	usage, _, takesCommand := strings.Cut(command.ArgsUsage, "[-- ")
	usage, _, _ = strings.Cut(usage, " | ")
	needed := slices.DeleteFunc(strings.Fields(usage), func(word string) bool {
		return strings.HasPrefix(word, "[") || word == "SOURCE" && behind != nil ||
			(strings.HasPrefix(word, "FINGERPRINT") || command.Name == "login") && flags > 0
	})
	switch {
	case slices.Contains(own, "--help"):
	case behind != nil && !takesCommand:
		return errors.New("it takes no command behind --")
	case len(arguments) < len(needed):
		return fmt.Errorf("it takes %s", command.ArgsUsage)
	case len(arguments) > len(strings.Fields(usage)) && !strings.Contains(usage, "…"):
		return fmt.Errorf("%d arguments are more than %s", len(arguments), command.ArgsUsage)
	}
	return nil
}

// TestAdvisedCommandsAreAccepted parses every command that reports advise; exits does so with every output of a script.
func TestAdvisedCommandsAreAccepted(t *testing.T) {
	advisedInFiles(t, 2, "../../internal/report/testdata/*.golden", advisedIn, nil)
	advisedInFiles(t, 50, "../../internal/report/testdata/formats/*/*.golden", advisedIn, nil)
	// a narrow terminal wraps commands
	advisedInFiles(t, 20, "../../internal/report/testdata/cases/*.golden", advisedIn, regexp.MustCompile("^it takes |quote is open"))
}

// TestDocumentedCommandsAreAccepted parses the commands of documents and rules; those in prose may leave out arguments.
func TestDocumentedCommandsAreAccepted(t *testing.T) {
	documented := func(page string) (commands []string) {
		all := markedCommand.FindAllStringSubmatch(page, -1)
		for _, block := range regexp.MustCompile("(?s)```.*?```").FindAllString(page, -1) {
			all = append(all, shownCommand.FindAllStringSubmatch(block, -1)...)
		}
		for _, found := range all {
			if !strings.Contains(found[0], "# exit status 2") && !other.MatchString(found[1]) {
				commands = append(commands, optional.ReplaceAllString(strings.ReplaceAll(found[1], `\|`, "|"), ""))
			}
		}
		return commands
	}
	short := regexp.MustCompile("^it takes |flag needs an argument")
	advisedInFiles(t, 150, "../../docs/*.md", documented, short)
	advisedInFiles(t, 12, "../../*.md", documented, short)
	advisedInFiles(t, 1, "../../pkg/*/rules.json", advisedIn, regexp.MustCompile("arguments are more"))
}

// advisedInFiles parses the commands of files, of which there are so many at least; excused are errors that do not count.
func advisedInFiles(t *testing.T, least int, pattern string, advised func(string) []string, excused *regexp.Regexp) {
	t.Helper()
	files, _ := filepath.Glob(pattern)
	found := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range advised(string(data)) {
			if strings.Contains(file, "hostile") {
				continue
			}
			found++
			if err := accepts(line); err != nil && (excused == nil || !excused.MatchString(err.Error())) {
				t.Errorf("%s: %s: %v", file, line, err)
			}
		}
	}
	if found < least {
		t.Errorf("%d advised commands in %s, want %d", found, pattern, least)
	}
}

// TestAdviceInTheSourceIsAccepted parses the commands in the string literals of the program, which scripts may not print. What
// is put into a literal, or behind it, is not known: arguments may be missing.
func TestAdviceInTheSourceIsAccepted(t *testing.T) {
	found, unfinished := 0, regexp.MustCompile("^it takes |quote is open|flag needs an argument")
	for _, root := range []string{".", "../../internal", "../../pkg"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				literal, ok := node.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, _ := strconv.Unquote(literal.Value)
				for _, line := range advisedIn(regexp.MustCompile(`%[sqvdw]`).ReplaceAllString(text, "x")) {
					found++
					if err := accepts(line); err != nil && !unfinished.MatchString(err.Error()) && strings.Fields(line)[1] != "x" {
						t.Errorf("%s: %s: %v", path, line, err)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 60 {
		t.Errorf("%d advised commands, want more", found)
	}
}

// TestRepeatedFlagsAreAccepted wants each flag that an advised command repeats to be one of its own.
func TestRepeatedFlagsAreAccepted(t *testing.T) {
	values := map[string]string{"protocol": "2025-11-25", "semantics": "strict", "client-capabilities": "roots"}
	for from, advised := range map[string][]string{
		"diff": {"snapshot", "accept", "diff --upgrade"}, "accept": {"snapshot"}, "list": {"show"},
	} {
		command, repeats := newApp(newProgram(host.Process{}, nil, nil)).Command(from), 0
		for name, valued := range takesValue(command) {
			typed := []string{from, strings.Repeat("-", 1+min(len(name)-1, 1)) + name}
			if valued {
				typed = append(typed, cmp.Or(values[name], "x=1"))
			}
			run := newProgram(host.Process{}, typed, nil).repeat(command, []string{"server"})
			repeats += min(len(run.Flags+run.Compare), 1)
			for _, to := range advised {
				if to == "snapshot" || to == "show" {
					run.Compare = ""
				}
				if err := accepts(run.With(to, "word")); err != nil {
					t.Errorf("%s advises %s: %v", typed, run.With(to, "word"), err)
				}
			}
		}
		if repeats < 10 {
			t.Errorf("%s: %d flags are repeated", from, repeats)
		}
	}
}

// TestCompletedValuesAreAccepted gives each flag every value that shells complete.
func TestCompletedValuesAreAccepted(t *testing.T) {
	app, values := newApp(newProgram(host.Process{}, nil, nil)), 0
	for _, command := range app.Commands {
		for name := range takesValue(command) {
			offered, _ := flagValues(app, []string{command.Name, "--" + name})
			for _, value := range offered {
				if strings.HasSuffix(value, "=") {
					value += "file"
				}
				values++
				err := accepts("mcpctl " + command.Name + " --" + name + " " + value)
				if err != nil && strings.Contains(err.Error(), "flag") {
					t.Errorf("%s --%s %s: %v", command.Name, name, value, err)
				}
			}
		}
	}
	if values < 100 {
		t.Errorf("%d values", values)
	}
}

// TestWordsOfOtherTools: each has one meaning, is no command itself, and its command is accepted, its flags by some command.
func TestWordsOfOtherTools(t *testing.T) {
	app, seen := newApp(program{}), map[string]bool{}
	for meaning, words := range meanings() {
		commands := advisedIn("hint: " + meaning)
		if strings.HasPrefix(meaning, "-") {
			commands = []string{"mcpctl call s t " + meaning}
			if strings.HasPrefix(meaning, "--format ") || strings.HasPrefix(meaning, "--parallel ") {
				commands = []string{"mcpctl diff " + strings.Replace(meaning, " N", " 2", 1)}
			}
		}
		for _, command := range commands {
			if err := accepts(command); err != nil {
				t.Errorf("%s: %s: %v", meaning, command, err)
			}
		}
		for _, word := range strings.Fields(words) {
			if seen[word] || app.Command(word) != nil {
				t.Errorf("%s: %q is there twice, or a command", meaning, word)
			}
			seen[word] = true
			for _, c := range app.Commands {
				if known := takesFlag(c, strings.TrimLeft(word, "-"), ""); known && strings.HasPrefix(word, "-") && len(word) > 2 {
					t.Errorf("%s: %q is a flag of %s", meaning, word, c.Name)
				}
			}
		}
	}
	if len(seen) < 200 {
		t.Errorf("%d words", len(seen))
	}
}

// meanings returns the rows of words.txt: the meaning, and the words that have it.
func meanings() iter.Seq2[string, string] {
	return func(yield func(meaning, words string) bool) {
		for line := range strings.Lines(otherTools) {
			at := strings.LastIndex(line, ": ")
			if !strings.HasPrefix(line, "#") && !yield(line[:at], strings.TrimSpace(line[at+1:])) {
				return
			}
		}
	}
}

// TestAdviceIsFound: a wrong command is noticed wherever an output has it.
func TestAdviceIsFound(t *testing.T) {
	for name, output := range map[string]string{
		"hint":           "error: x\nhint: save one: mcpctl snapshto 'a, b', or use --snapshots\n",
		"prose":          "4 breaking changes found\naccept some of them with: mcpctl accept --al\n",
		"quotes":         `hint: use "mcpctl snapshto a" first`,
		"backticks":      "Accept it by `mcpctl accept --finger 48a93d16`.\n",
		"code of HTML":   "<p>Details: <code>mcpctl show --filtr &#39;a&#39;</code></p>",
		"text of HTML":   "<pre>hint: mcpctl snapshto &#34;a&#34;</pre>",
		"JSON":           `{"error": {"hint": "review it with mcpctl confg, then run mcpctl trust"}}`,
		"quotes in JSON": `{"hint": "use \"mcpctl snapshto a\", or write ${A:-default}"}`,
		"SARIF":          `{"message": {"text": "removed\nhint: accept it: mcpctl accpet 48a93d16"}}`,
		"YAML":           `hint: "run: mcpctl lst -- node \"a b\""`,
		"JUnit":          "<error message=\"gone\">gone\nhint: mcpctl lst &#39;a b&#39;</error>",
		"annotation":     "::error title=a%3A starting::gone%0Ahint: mcpctl lst a",
		"too few":        "hint: mcpctl accept\n",
		"too many":       "hint: mcpctl version of a\n",
	} {
		refused := 0
		for _, line := range advisedIn(output) {
			if accepts(line) != nil {
				refused++
			}
		}
		if refused != 1 {
			t.Errorf("%s: %d commands are refused, want 1, of %q", name, refused, advisedIn(output))
		}
	}
}

// TestWordsAreDocumented wants the table of docs/coming-from.md to have the rows of words.txt.
func TestWordsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	for meaning, words := range meanings() {
		if strings.HasPrefix(advised(meaning), "use ") {
			meaning = "`" + meaning + "`"
		}
		row := "| " + strings.ReplaceAll(words, " ", ", ") + " | " + meaning + " |\n"
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/coming-from.md lacks %s", row)
		}
	}
}

// TestAcceptsNotices: a check that accepts everything would find nothing.
func TestAcceptsNotices(t *testing.T) {
	for line, want := range map[string]bool{
		"mcpctl list": true, "mcpctl list --config x.json a -- node s.js": true, "mcpctl accept --all": true,
		"mcpctl accept": false, "mcpctl show": false, "mcpctl call t": false, "mcpctl call t -- node s.js": true,
		"mcpctl lst": false, "mcpctl list --snapshots": false, "mcpctl version now": false, "mcpctl config -- x": false,
		"mcpctl diff --upgarde": false, "mcpctl --help": true, "mcpctl list 'a": false,
	} {
		if err := accepts(line); (err == nil) != want {
			t.Errorf("%s: %v, want accepted %v", line, err, want)
		}
	}
}

// shellWords splits a line as a shell does, where words are quoted by ' or ".
func shellWords(line string) (words []string, err error) {
	var word strings.Builder
	open, begun := rune(0), false
	for _, r := range line {
		switch {
		case open != 0 && r == open:
			open = 0
		case open != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			open, begun = r, true
		case r == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if open != 0 {
		return nil, errors.New("a quote is open")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
