package wording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// The table of orders.txt is a logistic regression on the groups of each sentence, as of naive Bayes (Wang and Manning 2012):
// what sets attacks apart less than others costs more to use. Which sentence of an attack is the order is not known, so it is the
// one that weighs most, and learning is repeated (multiple instances). The same texts give the same table.
const (
	leastTexts = 3   // sentences that have a group; rarer ones are not learned
	rounds     = 3   // of choosing the sentences of attacks
	cycles     = 8   // over all groups in a round
	stiffness  = 5.0 // the price of weights
	rarity     = 4.0 // how much a sentence of an attack counts
	nearness   = 2.0 // and one of a harmless text that may be taken for an attack
	negligible = 0.1 // weights below it are left out
	caution    = 1.0 // how far above even chances an order must be
	folds      = 25  // parts of the texts, each left out once
)

// example is a text to learn from, or to try the table on.
type example struct {
	kind  string
	value string
	prose bool
	fold  int
}

// The kinds of texts that are no attacks.
const (
	published = "published"
	harmless  = "harmless"
)

func (e *example) attack() bool { return e.kind != harmless && e.kind != published }

// otherLanguage matches the kinds of texts that languages.go is about, and that the table must not learn from: few harmless ones
// are in these languages.
var otherLanguage = regexp.MustCompile(`\b(?:translated|zh|hi|es|ar|fr|de|pt|ru|ja)\b`)

// examples returns the texts of testdata, and those of the newest listing of each published server.
func examples(t *testing.T) []*example {
	t.Helper()
	var all []*example
	add := func(kind, value string) {
		n := len(all)
		all = append(all, &example{kind: kind, value: value, prose: true, fold: n % folds})
	}
	for line := range bytes.Lines(readFile(t, "testdata/orders.jsonl")) {
		var row struct{ Kind, Text string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		add(row.Kind, row.Text)
	}
	var rows []struct{ Kind, Text string }
	if err := json.Unmarshal(readFile(t, "../../pkg/check/testdata/poisoned.json"), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		add(row.Kind, row.Text)
	}
	var files []string
	for _, folder := range []string{"listings", "python"} {
		some, err := filepath.Glob(filepath.Join("../../testdata", folder, "*@*.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	server := func(file string) string { name, _, _ := strings.Cut(filepath.Base(file), "@"); return name }
	known := map[string]bool{}
	for i, file := range files {
		if i+1 < len(files) && server(files[i+1]) == server(file) {
			continue // a newer one follows
		}
		parsed, err := snapshot.Parse(readFile(t, file))
		if err != nil {
			t.Fatal(err)
		}
		eachText(parsed, func(value string, prose bool) {
			const shortest = 7
			if len(value) >= shortest && !known[value] {
				known[value] = true
				all = append(all, &example{published, value, prose, i % folds})
			}
		})
	}
	return all
}

// eachText calls a function with each text that check reads of a server.
func eachText(s *snapshot.Snapshot, read func(value string, prose bool)) {
	strings := func(raw json.RawMessage) {
		rawjson.Strings(raw, func(steps []string, value string, isName bool) {
			last := ""
			if len(steps) > 0 {
				last = steps[len(steps)-1]
			}
			read(value, !isName && (last == "description" || last == "title"))
		})
	}
	read(s.Instructions, true)
	strings(s.Server)
	for _, kind := range snapshot.Kinds() {
		for _, item := range s.List(kind).Items() {
			strings(rawjson.Form(item.Raw))
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// learner is the state of a regression.
type learner struct {
	names   []string // of the groups
	columns [][]int  // the sentences that have a group
	owner   []*example
	sign    []float64 // of a sentence: 1 = an order, -1 = none, 0 = left out
	sum     []float64 // of the weights of a sentence
	weights []float64
	price   []float64
}

// learn returns the table of some texts.
func learn(all []*example) map[string]float64 {
	l := newLearner(kit.Filter(all, func(e *example) bool { return !otherLanguage.MatchString(e.kind) }))
	step := make([]float64, len(l.weights))
	for i := range step {
		step[i] = 1
	}
	for round := range rounds {
		if round > 0 {
			l.choose()
		}
		for range cycles {
			for g := range l.weights {
				l.improve(g, step)
			}
		}
	}
	table := map[string]float64{}
	for g, name := range l.names {
		if name == anySentence {
			l.weights[g] -= caution
		}
		if weight := math.Round(l.weights[g]*100) / 100; math.Abs(weight) >= negligible {
			table[name] = weight
		}
	}
	return table
}

func newLearner(all []*example) *learner {
	l := &learner{}
	number := map[string]int{}
	var has []map[string]bool
	in := map[string]int{}
	for _, e := range all {
		sentences := sentencesOf(spaced(e.value, e.prose))
		for i, s := range sentences {
			groups := map[string]bool{}
			s.groups(func(group string) { groups[group] = true })
			for group := range groups {
				in[group]++
			}
			sign := -1.0
			if e.attack() {
				sign = min(1, float64(i+2-min(2, len(sentences)))) // the first sentence only if it is the only one
			}
			has, l.owner, l.sign = append(has, groups), append(l.owner, e), append(l.sign, sign)
		}
	}
	for _, group := range kit.SortedKeys(in) {
		if in[group] >= leastTexts {
			number[group] = len(l.names)
			l.names = append(l.names, group)
		}
	}
	l.columns, l.sum = make([][]int, len(l.names)), make([]float64, len(has))
	l.weights, l.price = make([]float64, len(l.names)), make([]float64, len(l.names))
	orders, others := 0.0, 0.0
	for s, groups := range has {
		for group := range groups {
			if g, known := number[group]; known {
				l.columns[g] = append(l.columns[g], s)
			}
		}
		orders, others = orders+max(0, l.sign[s]), others+max(0, -l.sign[s])
	}
	for g, column := range l.columns {
		attacks, rest := 1.0, 1.0
		for _, s := range column {
			attacks, rest = attacks+max(0, l.sign[s]), rest+max(0, -l.sign[s])
		}
		apart := math.Log(attacks / (orders + 1) / (rest / (others + 1)))
		l.price[g] = stiffness / max(apart*apart, 0.05)
	}
	return l
}

// choose takes as orders those sentences of attacks that weigh most, and all that read like one.
func (l *learner) choose() {
	most := map[*example]int{}
	for s, e := range l.owner {
		if best, known := most[e]; !known || l.sum[s] > l.sum[best] {
			most[e] = s
		}
	}
	for s, e := range l.owner {
		if e.attack() {
			l.sign[s] = 0
			if most[e] == s || l.sum[s] > 0 {
				l.sign[s] = 1
			}
		}
	}
}

// improve moves the weight of one group by a step of Newton's method that is at most as long as step allows
// (Genkin, Lewis and Madigan 2007).
func (l *learner) improve(g int, step []float64) {
	slope, bend := float64(l.price[g]*l.weights[g]), l.price[g]
	for _, s := range l.columns[g] {
		if l.sign[s] == 0 {
			continue
		}
		wrong, counts := 1/(1+math.Exp(l.sign[s]*l.sum[s])), 1.0
		switch {
		case l.owner[s].attack():
			counts = rarity
		case l.owner[s].kind == harmless:
			counts = nearness
		}
		slope -= float64(counts * l.sign[s] * wrong)
		bend += float64(counts * wrong * (1 - wrong))
	}
	move := max(-step[g], min(step[g], -slope/bend))
	step[g] = max(2*math.Abs(move), step[g]/2)
	l.weights[g] += move
	for _, s := range l.columns[g] {
		l.sum[s] += move
	}
}

// tally counts the texts of a kind and those that the rules on orders report.
type tally struct{ texts, seen, breaking int }

// judge applies the rules on orders with a table.
func (t *tally) judge(weights map[string]float64, all []*example) {
	saved := table
	defer func() { table = saved }()
	table = sync.OnceValue(func() orderTable { return newTable(weights) })
	for _, e := range all {
		t.texts++
		found := readOrders(e.value, spaced(e.value, e.prose))
		if len(found) > 0 {
			t.seen++
		}
		if len(found) > 0 && found[0].Strict {
			t.breaking++
		}
	}
}

// groups calls a function with each group of a sentence.
func (s sentence) groups(use func(group string)) {
	use(anySentence)
	for from := range s {
		group := s[from].text
		use(group)
		for _, w := range s[from+1 : min(from+3, len(s))] {
			group += " " + w.text
			use(group)
		}
	}
}

// TestWeigh adds up the weights of the groups of each sentence in another way.
func TestWeigh(t *testing.T) {
	for _, e := range examples(t) {
		for _, s := range sentencesOf(e.value) {
			want, counted := 0.0, map[string]bool{}
			s.groups(func(group string) {
				if !counted[group] {
					want += orderWeights()[group]
				}
				counted[group] = true
			})
			if got, _ := s.weigh(); math.Abs(got-want) > 1e-6 {
				t.Errorf("a sentence of %q weighs %v, want %v", e.value, got, want)
			}
		}
	}
}

var full = os.Getenv("MCPCTL_FULL") != ""

var update = flag.Bool("update", false, "write what was learned to "+orderFile)

const orderFile = "orders.txt"

// TestOrderTable: orders.txt is what its texts teach. Weights may differ by a rounding on another processor.
func TestOrderTable(t *testing.T) {
	table := learn(examples(t))
	if *update {
		names := slices.SortedFunc(maps.Keys(table), func(a, b string) int {
			return cmp.Or(cmp.Compare(table[b], table[a]), cmp.Compare(a, b))
		})
		lines := kit.Map(names, func(name string) string { return fmt.Sprintf("%.2f %s\n", table[name], name) })
		if err := os.WriteFile(orderFile, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	differ := 0
	for _, name := range kit.Distinct(slices.Concat(kit.SortedKeys(table), kit.SortedKeys(orderWeights()))) {
		if math.Abs(table[name]-orderWeights()[name]) > negligible+0.02 {
			t.Logf("%q weighs %.2f, in the file %.2f", name, table[name], orderWeights()[name])
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("%d weights differ: run make orders, and read the difference", differ)
	}
}

// TestUnseenTexts tries the table on texts of authors who knew neither it nor what it was learned from, and from which it is never
// learned. The sample "afterwards" was written when the table had its weights and settings, and docs/check.md has its figures.
func TestUnseenTexts(t *testing.T) {
	samples := map[string]map[string][]*example{"earlier": {}, "afterwards": {}}
	for line := range bytes.Lines(readFile(t, "testdata/unseen.jsonl")) {
		var row struct{ Sample, Kind, Text string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		of := samples[row.Sample]
		of[row.Kind] = append(of[row.Kind], &example{kind: row.Kind, value: row.Text, prose: true})
	}
	page := strings.Join(strings.Fields(string(readFile(t, "../../docs/check.md"))), " ")
	for name, of := range samples {
		attacks, near := &tally{}, &tally{}
		attacks.judge(orderWeights(), of["attack"])
		near.judge(orderWeights(), of[harmless])
		says := fmt.Sprintf("%d of %d attacks and %d of %d harmless texts", attacks.seen, attacks.texts, near.seen, near.texts)
		t.Logf("%s: %s", name, says)
		if attacks.texts < 50 || near.texts < 50 || 10*attacks.seen < 7*attacks.texts || 20*near.seen > near.texts || near.breaking > 0 {
			t.Errorf("%s: %s are reported, %d harmless ones as breaking", name, says, near.breaking)
		}
		if name == "afterwards" && !strings.Contains(page, says) {
			t.Errorf("docs/check.md does not say %q", says)
		}
	}
}

// TestOrdersOfNewTexts leaves out one of 25 parts of the texts at a time, learns a table from the others, and tries it on that part.
// docs/check.md has the shares.
func TestOrdersOfNewTexts(t *testing.T) {
	if !full && !*update {
		t.Skip("make orders and make test-full run it")
	}
	all := examples(t)
	attacks, foreign, near, others := &tally{}, &tally{}, &tally{}, &tally{}
	for fold := range folds {
		table := learn(kit.Filter(all, func(e *example) bool { return e.fold != fold }))
		for about, matches := range map[*tally]func(e *example) bool{
			attacks: func(e *example) bool { return e.attack() && !otherLanguage.MatchString(e.kind) },
			foreign: func(e *example) bool { return e.attack() && otherLanguage.MatchString(e.kind) },
			near:    func(e *example) bool { return e.kind == harmless },
			others:  func(e *example) bool { return e.kind == published },
		} {
			about.judge(table, kit.Filter(all, func(e *example) bool { return e.fold == fold && matches(e) }))
		}
	}
	page := strings.ReplaceAll(string(readFile(t, "../../docs/check.md")), ",", "") // also in numbers
	for _, row := range []struct {
		what        string
		of          *tally
		least, most float64
	}{
		{"attacks", attacks, 0.7, 1}, {"attacks in other languages", foreign, 0.7, 1}, {"harmless texts", near, 0, 0.05},
		{"published texts", others, 0, 0.005},
	} {
		share := float64(row.of.seen) / float64(row.of.texts)
		t.Logf("of %d %s %d are reported (%.1f %%), %d as breaking", row.of.texts, row.what, row.of.seen, 100*share, row.of.breaking)
		if share < row.least || share > row.most || row.of.breaking > 0 && row.least == 0 {
			t.Errorf("%s: want %.1f to %.1f %%", row.what, 100*row.least, 100*row.most)
		}
		if cells := fmt.Sprintf("| %d | %.2g %%", row.of.texts, 100*share); row.of != foreign && !strings.Contains(page, cells) {
			t.Errorf("docs/check.md does not say %q of %s", cells, row.what)
		}
	}
}
