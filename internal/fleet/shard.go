package fleet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// Shard is part Index of Count, from 1; the zero value is everything.
type Shard struct {
	Index, Count int

	set *statefulSet // that says how many parts there are, which may be others later; nil = they stay
}

// Has tells whether a server belongs to the part.
func (s Shard) Has(server string) bool { return s.Count == 0 || PartOf(server, s.Count) == s.Index }

// PartOf is the part of so many that a server belongs to. Each goes where its name weighs most (rendezvous hashing: Thaler and
// Ravishankar, 1998): a server more moves no other one, and a part more moves one server of as many as there are parts.
func PartOf(server string, parts int) int {
	best, most := 0, uint64(0)
	for part := 1; part <= parts; part++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(part) + "/" + server))
		if weight := binary.BigEndian.Uint64(sum[:]); weight > most || best == 0 {
			best, most = part, weight
		}
	}
	return best
}

type runner struct {
	index, count string // variables
	first        string // the lowest index, or the variable that has it
	step         string // the variable that has the distance of two; empty = 1
}

// runners divide jobs: Kubernetes' Indexed Jobs (without a total), GitLab, Slurm's arrays, Buildkite, CircleCI, Azure, and the matrices of
// GitHub, of which our action tells.
var runners = []runner{
	{"JOB_COMPLETION_INDEX", "", "0", ""},                                                              // kubernetes.io/docs/tasks/job/indexed-parallel-processing-static
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", "1", ""},                                                        // docs.gitlab.com/ci/variables/predefined_variables
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"}, // slurm.schedmd.com/job_array.html
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", "0", ""},                                // buildkite.com/docs/pipelines/configure/environment-variables
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", "0", ""},                                                // circleci.com/docs/variables
	{"SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", "1", ""},                                  // learn.microsoft.com/azure/devops/pipelines/build/variables
	{"MCPCTL_JOB_INDEX", "MCPCTL_JOB_TOTAL", "0", ""},                                                  // docs.github.com/actions/reference/workflows-and-actions/contexts#strategy-context
}

// ParseShard reads "2/5", or "auto" and "auto/5": the part as the job runner tells it in the environment.
func ParseShard(text string, lookup func(string) (string, bool)) (Shard, error) {
	index, count, divided := strings.Cut(text, "/")
	if index == "auto" {
		return shardOfRunner(count, lookup)
	}
	s := Shard{}
	var err, wrong error
	s.Index, err = strconv.Atoi(index)
	s.Count, wrong = strconv.Atoi(count)
	if err != nil || wrong != nil || !divided || s.Index < 1 || s.Index > s.Count || fmt.Sprintf("%d/%d", s.Index, s.Count) != text {
		return Shard{}, fmt.Errorf("%q is not a part such as 1/4, nor auto", text)
	}
	return s, nil
}

func shardOfRunner(count string, lookup func(string) (string, bool)) (Shard, error) {
	for _, r := range runners {
		index, _ := lookup(r.index)
		if index == "" {
			continue
		}
		if total, ok := lookup(r.count); ok && count == "" {
			count = total
		}
		if count == "" {
			return Shard{}, fmt.Errorf("%s is %s, and nothing says of how many parts: write auto/N", r.index, index)
		}
		number := func(variable, usual string) int {
			text, ok := lookup(variable)
			if !ok {
				text = usual
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				return math.MinInt32 // which is no part
			}
			return n
		}
		part := 1 + (number(r.index, "")-number(r.first, r.first))/max(number(r.step, "1"), 1)
		s, err := ParseShard(fmt.Sprintf("%d/%s", part, count), lookup)
		if err != nil {
			return s, fmt.Errorf("the environment has %s=%s, which is no part of %s", r.index, index, count)
		}
		return s, nil
	}
	if set := statefulSetOf(lookup); set != nil {
		return set.shard(count)
	}
	return Shard{}, fmt.Errorf("no job runner tells in the environment which part this is: write a part such as 1/4")
}

// Part is what a report says of a run with some flags over a part of the configured servers; nil when the run is not divided.
func (f *Fleet) Part(with ...string) *report.Part {
	if f.selected.Shard.Count == 0 {
		return nil
	}
	return &report.Part{Index: f.selected.Shard.Index, Count: f.selected.Shard.Count, Only: f.selected.Only, With: with, Fleet: Digest(f.Config), Began: f.process.Now.UTC().Truncate(time.Second)}
}

// WholeOf is how many servers the whole of a run has: all that are configured and take part, or the n that SOURCEs name.
func WholeOf(f *Fleet, from []source.Source, n int) int {
	if len(from) > 0 {
		return n
	}
	chosen, _ := Choose(f.Config, f.selected, nil) // which has been asked before
	return len(chosen)
}

// Digest names what all parts of a run must agree on: the configured servers, and what mcpctl.yaml decides.
func Digest(cfg *config.Config) string {
	names := lists.Map(cfg.Entries, func(e config.Entry) string { return e.Server.Name })
	decided, _ := os.ReadFile(cfg.Project.File) // what cannot be read any more is another configuration
	text, _ := json.Marshal([]any{names, decided})
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
