package fleet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// Shard is a subset of the configured servers: Index of Count, from 1. The zero value has all of them.
type Shard struct {
	Index, Count int
}

// Has reports whether a server belongs to the shard.
func (s Shard) Has(server string) bool { return s.Count == 0 || ShardOf(server, s.Count) == s.Index }

// ShardOf returns the shard, from 1 to total, that a server belongs to: the one in which its name weighs most
// (rendezvous hashing: Thaler and Ravishankar, 1998). A further server moves no other, and a further shard
// moves one server in total.
func ShardOf(server string, total int) int {
	best, most := 0, uint64(0)
	for shard := 1; shard <= total; shard++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(shard) + "/" + server))
		if weight := binary.BigEndian.Uint64(sum[:]); weight > most || best == 0 {
			best, most = shard, weight
		}
	}
	return best
}

// runner names the variables in which a job runner numbers its jobs.
type runner struct {
	index, count string
	first        string // the lowest index, or the variable that holds it
	step         string // the variable with the difference of two indexes; empty = 1
}

// runners are those whose jobs --shard auto divides. Our GitHub action sets the variables of its matrix.
var runners = []runner{
	// kubernetes.io/docs/tasks/job/indexed-parallel-processing-static, which has no count
	{"JOB_COMPLETION_INDEX", "", "0", ""},
	// docs.gitlab.com/ci/variables/predefined_variables
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", "1", ""},
	// slurm.schedmd.com/job_array.html
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"},
	// docs.github.com/actions/reference/workflows-and-actions/contexts#strategy-context
	{"MCPCTL_JOB_INDEX", "MCPCTL_JOB_TOTAL", "0", ""},
}

// ParseShard parses "2/5", or "auto" and "auto/5", which take the shard from the environment of a job runner.
func ParseShard(text string, lookup func(string) (string, bool)) (Shard, error) {
	index, count, divided := strings.Cut(text, "/")
	if index == "auto" {
		return shardOfRunner(count, lookup)
	}
	s := Shard{}
	var err, wrong error
	s.Index, err = strconv.Atoi(index)
	s.Count, wrong = strconv.Atoi(count)
	canonical := fmt.Sprintf("%d/%d", s.Index, s.Count) == text
	if err != nil || wrong != nil || !divided || s.Index < 1 || s.Index > s.Count || !canonical {
		return Shard{}, fmt.Errorf("%q is neither a shard such as 1/4 nor auto", text)
	}
	return s, nil
}

// shardOfRunner returns the shard for the first runner whose index is in the environment. count is the number
// of shards; empty = that of the runner.
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
			return Shard{}, fmt.Errorf("%s is %s, and the number of shards is unknown: specify auto/N",
				r.index, index)
		}
		number := func(variable, usual string) int {
			text, ok := lookup(variable)
			if !ok {
				text = usual
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				return math.MinInt32 // not a shard
			}
			return n
		}
		shard := 1 + (number(r.index, "")-number(r.first, r.first))/max(number(r.step, "1"), 1)
		s, err := ParseShard(fmt.Sprintf("%d/%s", shard, count), lookup)
		if err != nil {
			return s, fmt.Errorf("the environment has %s=%s, which is not a shard of %s",
				r.index, index, count)
		}
		return s, nil
	}
	return Shard{}, errors.New("no job runner says in the environment which shard this is: specify I/N")
}

// Selected returns which servers take part in the run.
func (f *Fleet) Selected() Selection { return f.selected }

// Digest returns the SHA-256 of what the shards of a run share: the names of the configured servers and the
// content of mcpctl.yaml.
func Digest(cfg *config.Config) string {
	names := kit.Map(cfg.Entries, func(e config.Entry) string { return e.Server.Name })
	decided, _ := os.ReadFile(cfg.Project.File) // one that is gone has another digest
	text, _ := json.Marshal([]any{names, decided})
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
