package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mcpctl/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// TestNothingLeaks plants every secret of the corpus in the places that the files of testdata/leak describe, runs commands,
// and looks for traces in all that they write. A file has:
//
//	mcp.json      the configuration; [[…]] are the functions of leak.funcs
//	server.yaml   the script of the fixture that echoes what it was given; http.yaml serves it over HTTP, port [[port]]
//	other         any other file
//	flags         further flags of every command, one a line
//	environ       further environment, one K=V a line
//	commands      command lines instead of the usual ones
//	shows         regular expressions, one a line, of what the outputs of all commands must show: that the server was
//	              reached and said what it was given
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: commands of the places are those of a Unix shell")
	}
	files, err := filepath.Glob("testdata/leak/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no places: %v", err)
	}
	secrets := corpus()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			newLeak(t, secrets, archive).run()
		})
	}
}

// leak is one place for secrets.
type leak struct {
	*testing.T
	secrets []planted
	files   map[string]string
	dir     string // where commands run
	out     string // where they write
	port    string
}

// usual are the commands that are run in every place. REPORTS is a --report flag for every format.
const usual = `
list --verbose --format json REPORTS
list --verbose --filter * --format table
show s --verbose --raw --format yaml
check --verbose --format json REPORTS
snapshot --verbose --snapshots OUT/saved --format table
diff --verbose --snapshots OUT/saved --format json REPORTS
watch --for 300ms --verbose --snapshots OUT/saved --format ndjson --exec EXEC
config --verbose --format json
config --format table
trust --list --format table
ping s --verbose
call s echo --yes --verbose --format json
`

func newLeak(t *testing.T, secrets []planted, archive *txtar.Archive) *leak {
	dir := t.TempDir()
	l := &leak{T: t, secrets: secrets, files: map[string]string{}, dir: filepath.Join(dir, "work"), out: filepath.Join(dir, "out")}
	for _, folder := range []string{l.dir, l.out, filepath.Join(dir, "home")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.Files {
		l.files[f.Name] = string(f.Data)
	}
	if script, ok := l.files["http.yaml"]; ok {
		l.serve(script)
	}
	for name, text := range l.files {
		writeText(t, filepath.Join(l.dir, name), l.fill(text))
	}
	return l
}

// serve starts the fixture over HTTP.
func (l *leak) serve(script string) {
	path := filepath.Join(l.dir, "http.yaml")
	if err := os.WriteFile(path, []byte(l.fill(script)), 0o600); err != nil {
		l.Fatal(err)
	}
	loaded, err := fixture.Load(path)
	if err != nil {
		l.Fatal(err)
	}
	server := fixture.Listen(loaded)
	l.Cleanup(server.Close)
	l.port = server.Port()
}

func (l *leak) fill(text string) string {
	var out strings.Builder
	filled, err := template.New("").Delims("[[", "]]").Funcs(l.funcs()).Parse(text)
	if err == nil {
		err = filled.Execute(&out, nil)
	}
	if err != nil {
		l.Fatal(err)
	}
	return out.String()
}

// lists are functions of places that write a text for each secret, with its index, value, value as JSON and as part of
// a URL.
var lists = map[string]struct {
	fits func(planted) bool
	text string
}{
	"env":         {all, `"SINDEX": JSON,`},
	"credible":    {planted.credible, `"SINDEX_KEY": JSON, "SINDEX": JSON,`},
	"envfile":     {all, "SINDEX=JSON\n"},
	"headers":     {planted.inHeader, `"X-SINDEX-Key": JSON,`},
	"headerlines": {planted.inHeader, "X-SINDEX-Key: VALUE\n"},
	"args":        {all, `"--token", JSON,`},
	"query":       {all, "sINDEX=ESCAPED&"},
	"echoEnv":     {all, `{{env "SINDEX"}} `},
	"echoHeaders": {planted.inHeader, `{{header "X-SINDEX-Key"}} `},
	"echoQuery":   {all, `{{query "sINDEX"}} `},
	"envs":        {all, `(env "SINDEX") " " `},
	"headerwords": {planted.inHeader, `(header "X-SINDEX-Key") " " `},
}

// funcs are what files of places may use.
func (l *leak) funcs() template.FuncMap {
	funcs := template.FuncMap{
		"dir":          func() string { return l.dir },
		"port":         func() string { return l.port },
		"quoteEnv":     func() string { return "{{quote (print " + l.list("envs") + ")}}" },
		"quoteHeaders": func() string { return "{{quote (print " + l.list("headerwords") + ")}}" },
		"cookie": func() string {
			return quoteJSON(l.each(planted.oneWord, func(i int, p planted) string {
				return fmt.Sprintf("s%d=%s; ", i, strings.ReplaceAll(p.value, ";", ""))
			}))
		},
		"echoArgs": func() string {
			return l.each(all, func(i int, _ planted) string { return fmt.Sprintf("{{arg %d}} ", 2*i+1) })
		},
		"users":   l.users,
		"bearers": l.bearers,
		"value":   func(kind string) string { return l.named(kind).value },
		"json":    quoteJSON,
	}
	for name := range lists {
		funcs[name] = func() string { return l.list(name) }
	}
	return funcs
}

func all(planted) bool { return true }

func (l *leak) list(name string) string {
	return l.each(lists[name].fits, func(i int, p planted) string {
		return strings.NewReplacer("INDEX", fmt.Sprint(i), "VALUE", p.value, "JSON", quoteJSON(p.value),
			"ESCAPED", url.QueryEscape(p.value)).Replace(lists[name].text)
	})
}

// each is the text for every secret that fits.
func (l *leak) each(fits func(planted) bool, text func(i int, p planted) string) string {
	var out strings.Builder
	for i, p := range l.secrets {
		if fits(p) {
			out.WriteString(text(i, p))
		}
	}
	return out.String()
}

func (l *leak) named(kind string) planted {
	i := slices.IndexFunc(l.secrets, func(p planted) bool { return p.kind == kind })
	if i < 0 {
		l.Fatalf("there is no secret called %q", kind)
	}
	return l.secrets[i]
}

// users are servers with each secret as a password in the URL.
func (l *leak) users(path string) string {
	return l.each(all, func(i int, p planted) string {
		address := url.URL{Scheme: "http", Host: "127.0.0.1:" + l.port, Path: path, User: url.UserPassword("user", p.value)}
		return fmt.Sprintf(`"s%d": {"type": "streamable-http", "url": %s},`, i, quoteJSON(address.String()))
	})
}

// bearers are servers with each secret as a bearer token that a file or command gives.
func (l *leak) bearers(kind string) string {
	return l.each(planted.oneWord, func(i int, p planted) string {
		file := fmt.Sprintf("token%d", i)
		if err := os.WriteFile(filepath.Join(l.dir, file), []byte(p.value+"\n"), 0o600); err != nil {
			l.Fatal(err)
		}
		from := map[string]string{"file": file, "command": "cat " + file}[kind]
		return fmt.Sprintf(`"s%d": {"type": "streamable-http", "url": "http://127.0.0.1:%s/mcp", "bearerToken": {%q: %q}},`, i, l.port,
			kind, from)
	})
}

func quoteJSON(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}

// run runs the commands and looks at what they have written. make test leaves out three of four of the usual ones, other ones in
// each place, unless they are needed to show that the server said what it was given.
func (l *leak) run() {
	ctx, cancel := context.WithTimeout(l.Context(), 5*time.Minute) // what never ends fails, late
	defer cancel()
	sum := fnv.New32()
	_, _ = sum.Write([]byte(l.Name()))
	var now, later []string
	for i, line := range strings.Split(strings.TrimSpace(cmp.Or(l.files["commands"], usual)), "\n") {
		if full || l.files["commands"] != "" || i == 0 || (int(sum.Sum32()%4)+i)%4 == 0 {
			now = append(now, line)
		} else {
			later = append(later, line)
		}
	}
	text := l.commands(ctx, now)
	if len(l.lacking(text)) > 0 {
		text += l.commands(ctx, later)
	}
	l.look(text)
	for _, line := range l.lacking(text) {
		l.Errorf("nothing shows %s:\n%.3000s", line, text)
	}
}

// commands runs command lines and returns all that they write.
func (l *leak) commands(ctx context.Context, lines []string) string {
	var told bytes.Buffer
	for _, line := range lines {
		if status := l.command(ctx, line, &told); status > 4 || ctx.Err() != nil {
			l.Errorf("%s: status %d, %v: %s", line, status, ctx.Err(), &told)
		}
	}
	return told.String() + l.written()
}

// lacking returns the expressions that a text does not show, though the place wants it.
func (l *leak) lacking(text string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(l.files["shows"]), "\n"), func(line string) bool {
		return regexp.MustCompile(strings.TrimSpace(line)).MatchString(text)
	})
}

// command runs a command line in this process and keeps what it writes.
func (l *leak) command(ctx context.Context, line string, told *bytes.Buffer) (status int) {
	args, out, stderr := l.words(line), &bytes.Buffer{}, &bytes.Buffer{}
	home := filepath.Join(filepath.Dir(l.dir), "home")
	status = run(ctx, args, host.Process{
		In: strings.NewReader(""), Out: out, Err: stderr, Dir: l.dir, Home: home, GOOS: runtime.GOOS, Version: "devel", Now: time.Now(),
		Environ: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MCP_TIMEOUT=5"}, l.lines("environ")...),
	})
	told.Write(out.Bytes())
	told.Write(stderr.Bytes())
	fmt.Fprintf(told, "\n# %s\n", args[0])
	return status
}

// words are a command line with the flags of the place.
func (l *leak) words(line string) []string {
	var words []string
	for _, word := range strings.Fields(line) {
		switch word {
		case "REPORTS":
			for _, format := range report.Formats() {
				words = append(words, "--report", fmt.Sprintf("%s=%s/%s.%s", format, l.out, words[0], format))
			}
		case "EXEC":
			words = append(words, "cat >> "+l.out+"/events")
		default:
			words = append(words, strings.ReplaceAll(word, "OUT", l.out))
		}
	}
	if _, ok := l.files["mcp.json"]; ok {
		words = append(words, "--config", "mcp.json")
	}
	if words[0] == "config" || words[0] == "trust" {
		return words
	}
	return append(words, l.lines("flags")...)
}

func (l *leak) lines(name string) []string {
	var lines []string
	for line := range strings.Lines(l.fill(l.files[name])) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// written is everything in the files that the commands wrote, wherever: beside the files of the place nothing is there.
func (l *leak) written() string {
	var text strings.Builder
	err := filepath.WalkDir(filepath.Dir(l.dir), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.Base(path)
		if _, own := l.files[name]; filepath.Dir(path) == l.dir && (own || strings.HasPrefix(name, "token")) {
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&text, "\n# %s\n%s", name, data)
		return err
	})
	if err != nil {
		l.Fatal(err)
	}
	return text.String()
}

// look finds traces of secrets.
func (l *leak) look(text string) {
	for _, p := range l.secrets {
		for _, trace := range p.traces() {
			if before, after, found := strings.Cut(text, trace); found {
				_, command, _ := strings.Cut(after, "\n# ")
				command, _, _ = strings.Cut(command, "\n")
				l.Errorf("%s: %q is in what %q wrote (or in the file above): …%s%[2]s%[5]s…", p.kind, trace, command,
					before[max(0, len(before)-150):], after[:min(len(after), 150)])
				break
			}
		}
	}
}

// TestTracesAreFound proves that the search would find what it looks for.
func TestTracesAreFound(t *testing.T) {
	for _, p := range corpus() {
		for _, text := range []string{"x" + p.value + "y", quoteJSON(p.value), url.QueryEscape(p.value), fmt.Sprintf("%x", p.core)} {
			if !slices.ContainsFunc(p.traces(), func(trace string) bool { return strings.Contains(text, trace) }) {
				t.Errorf("%s: no trace in %s", p.kind, text)
			}
		}
	}
}
