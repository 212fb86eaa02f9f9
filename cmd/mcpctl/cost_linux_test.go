package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
)

var costSize = flag.Int("cost", 0, "measure what hostile lists of so many bytes cost")

// recipe is how a list of tools is made that costs much: members of a text, as many as fill a size, once for the old side
// and once for the new one. In a member %d is its number and NEST{open|inner|close} nests 300 times; LONG is a name that takes
// a third of the size.
type recipe struct {
	Tools   string `json:"tools"` // what stands around MEMBERS
	Old     string `json:"old"`
	New     string `json:"new"`
	Between string `json:"between"`
}

func (r recipe) write(t *testing.T, dir string, size int) (old, new string) {
	t.Helper()
	old, new = filepath.Join(dir, "old.json"), filepath.Join(dir, "new.json")
	for path, member := range map[string]string{old: r.Old, new: r.New} {
		writeText(t, path, r.list(member, size))
	}
	return old, new
}

func (r recipe) list(member string, size int) string {
	if start, rest, nested := strings.Cut(member, "NEST{"); nested {
		parts := strings.SplitN(strings.TrimSuffix(rest, "}"), "|", 3)
		member = start + strings.Repeat(parts[0], 300) + parts[1] + strings.Repeat(parts[2], 300)
	}
	around := r.Tools
	if strings.Contains(around, "LONG") {
		around, size = strings.ReplaceAll(around, "LONG", strings.Repeat("k", size/3)), size-size/3
	}
	var members strings.Builder
	for i := 0; members.Len() < size; i++ {
		if i > 0 {
			members.WriteString(r.Between)
		}
		members.WriteString(strings.ReplaceAll(member, "%d", strconv.Itoa(i)))
	}
	return `{"tools":[` + strings.ReplaceAll(around, "MEMBERS", members.String()) + `]}`
}

// TestCheckRefusesWhatItCannotHold: what would take more memory than anybody has is refused, with what to do.
func TestCheckRefusesWhatItCannotHold(t *testing.T) {
	dir := t.TempDir()
	_, path := recipes(t)["unknown-members"].write(t, dir, 5<<20)
	cmd := exec.Command("mcpctl", "check", path)
	cmd.Env = append(os.Environ(), "MCPCTL_CONFIG=", "HOME="+dir)
	out, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 3 || !strings.Contains(string(out), "it offers 5.0 MiB; the limit is 4 MiB") ||
		!strings.Contains(string(out), "offer less") {
		t.Errorf("status %d: %s", status, out)
	}
	if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > 200<<10 {
		t.Errorf("%d MiB at its peak", peak>>10)
	}
}

// TestSignalEndsAnAnalysis interrupts a run at work on schemas that keep it busy for long, once it has used some processor time, and
// wants it to use little more. Processor time does not depend on what else the machine does.
func TestSignalEndsAnAnalysis(t *testing.T) {
	t.Parallel()
	const size, tools = 300_000, 12 // together below what check takes of a server
	for _, name := range []string{"conditions", "pattern-properties"} {
		all, dir := recipes(t)[name], t.TempDir()
		one := all.Tools
		all.Tools = strings.Replace(one, `"name":"t"`, `"name":"t0"`, 1)
		for i := 1; i < tools; i++ {
			all.Tools += "," + strings.Replace(one, `"name":"t"`, fmt.Sprintf(`"name":"t%d"`, i), 1)
		}
		old, new := all.write(t, dir, size)
		for _, args := range [][]string{{"diff", old, new}, {"check", new}} {
			t.Run(name+" "+args[0], func(t *testing.T) { interrupted(t, dir, args) })
		}
	}
}

// TestSignalEndsReadingAConfiguration that was found, whose servers have the deepest working folders that are taken.
func TestSignalEndsReadingAConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := strings.Repeat("d/", 63) + "d"
	if err := os.MkdirAll(filepath.Join(dir, deep), 0o700); err != nil {
		t.Fatal(err)
	}
	var servers []string
	for i := range 10_000 {
		servers = append(servers, fmt.Sprintf(`"s%d": {"command": "npx", "cwd": %q}`, i, deep))
	}
	text := `{"mcpServers": {` + strings.Join(servers, ",") + `}}`
	writeText(t, filepath.Join(dir, ".mcp.json"), text)
	for _, command := range []string{"list", "config", "trust"} {
		t.Run(command, func(t *testing.T) { interrupted(t, dir, []string{command}) })
	}
}

func interrupted(t *testing.T, dir string, args []string) {
	t.Parallel()
	cmd := exec.Command("mcpctl", append(args, "--format", "json", "--output", filepath.Join(t.TempDir(), "report.json"))...)
	cmd.Env = append(os.Environ(), "MCPCTL_CONFIG=", "HOME="+dir)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	spent := time.Duration(0)
	for ; spent < 200*time.Millisecond; spent = processorTime(t, cmd.Process.Pid) {
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	more := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - spent
	if status := cmd.ProcessState.ExitCode(); status != 130 || more > 2*time.Second {
		t.Errorf("status %d, %v of processor time after the signal", status, more)
	}
	t.Logf("%v of processor time after the signal", more)
}

// processorTime is what a process has used so far.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if fields[0] == "Z" {
		t.Fatal("it ended before the signal")
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const ticks = 100 // in a second, to every process of Linux
	return time.Duration(user+system) * time.Second / ticks
}

// recipes are those of testdata/cost, by name.
func recipes(t *testing.T) map[string]recipe {
	t.Helper()
	found, _ := filepath.Glob("testdata/cost/*.json")
	if len(found) < 10 {
		t.Fatalf("only %d recipes", len(found))
	}
	all := map[string]recipe{}
	for _, file := range found {
		text, err := os.ReadFile(file)
		var r recipe
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = r
	}
	return all
}

// TestCost measures what lists cost that were made to cost much: no more than three seconds of processor time on a machine
// that is idle.
func TestCost(t *testing.T) {
	if *costSize == 0 {
		t.Skip("measures for a minute: make cost runs it")
	}
	for name, r := range recipes(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			old, new := r.write(t, dir, *costSize)
			for _, args := range [][]string{{"diff", old, new, "--format", "table"}, {"diff", old, new, "--format", "json"},
				{"check", new, "--format", "json"}} {
				cmd := exec.Command("mcpctl", append(args, "--timeout", "0", "--output", filepath.Join(dir, "report"))...)
				cmd.Env = append(os.Environ(), "MCPCTL_CONFIG=", "HOME="+dir)
				out, _ := cmd.CombinedOutput()
				state := cmd.ProcessState
				spent := state.UserTime() + state.SystemTime()
				t.Logf("%s as %s: %v, %d MiB", args[0], args[len(args)-1], spent, state.SysUsage().(*syscall.Rusage).Maxrss>>10)
				if status := state.ExitCode(); spent > 3*time.Second || status != 0 && status != 1 {
					t.Errorf("%s as %s: status %d after %v: %s", args[0], args[len(args)-1], status, spent, out)
				}
			}
		})
	}
}

// TestCostGrowsWithTheBytes guards all of these lists by allocations and reports, which are the same on every machine: four times the
// bytes cost no more than some six times as much, and findings end at those that are reported one by one. What is counted is of a whole
// process, so it has one of its own, and the other tests need not wait for it.
func TestCostGrowsWithTheBytes(t *testing.T) {
	if *costSize == 0 {
		t.Skip("takes half a minute of processor time: make cost runs it")
	}
	const size = 5_000
	for name, r := range recipes(t) {
		if strings.Contains(r.Old, "NEST{") {
			continue // a member takes half of that
		}
		for _, format := range []string{"table", "html"} {
			few, many := allocated(t, r, size, format), allocated(t, r, 4*size, format)
			if few.count*7 < many.count || few.bytes*8 < many.bytes || many.report > 800*size {
				t.Errorf("%s as %s: %+v, and four times the bytes %+v", name, format, few, many)
			}
		}
	}
}

// TestReportsFitTheLists: what is reported of lists that make many findings is at most 256 KiB and ten times as long as they are, in
// every format. make cost looks at all lists and formats, others at those that were the longest.
func TestReportsFitTheLists(t *testing.T) {
	t.Parallel()
	const size = 20_000
	names, formats := []string{"arguments-of-prompts", "long-examples"}, []string{"json", "sarif"}
	if *costSize > 0 {
		names = slices.Collect(maps.Keys(recipes(t)))
		formats = append(formats, "table", "yaml", "markdown", "junit", "gitlab", "github")
	}
	for _, name := range names {
		dir := t.TempDir()
		old, new := recipes(t)[name].write(t, dir, size)
		for _, args := range [][]string{{"diff", old, new}, {"check", new}} {
			given := int64(0)
			for _, file := range args[1:] {
				info, err := os.Stat(file)
				if err != nil {
					t.Fatal(err)
				}
				given += info.Size()
			}
			for _, format := range formats {
				report := filepath.Join(dir, "report")
				cmd := exec.Command("mcpctl", append(args, "--fail-on", "never", "--format", format, "--output", report)...)
				cmd.Env = append(os.Environ(), "MCPCTL_CONFIG=", "HOME="+dir)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", name, err, out)
				}
				if info, err := os.Stat(report); err != nil || info.Size() > 256<<10+10*given {
					t.Errorf("%s, %s as %s: %d bytes about %d, %v", name, args[0], format, info.Size(), given, err)
				}
			}
		}
	}
}

// effort is what a diff, a check and looking at a list took: allocations, their bytes, and the bytes of what they report.
type effort struct{ count, bytes, report uint64 }

func allocated(t *testing.T, r recipe, size int, format string) effort {
	t.Helper()
	dir := t.TempDir()
	old, new := r.write(t, dir, size)
	p := host.Process{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Dir: dir, Home: dir, GOOS: runtime.GOOS, Now: time.Now()}
	report := filepath.Join(dir, "report")
	var before, after runtime.MemStats
	var told uint64
	runtime.ReadMemStats(&before)
	for _, args := range [][]string{{"diff", old, new}, {"check", new}, {"list", new}, {"show", new}} {
		if status := run(t.Context(), append(args, "--format", format, "--output", report), p); status != 0 && status != 1 {
			t.Fatalf("%q: status %d", args, status)
		}
		info, err := os.Stat(report)
		if err != nil {
			t.Fatal(err)
		}
		told += uint64(info.Size())
	}
	runtime.ReadMemStats(&after)
	return effort{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc, told}
}
