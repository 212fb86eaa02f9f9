package fleet

import (
	"fmt"
	"strings"
	"testing"
)

// TestShardsMoveLittle divides 10,000 servers: each is in one part, the parts are about equal, and a part
// more moves one server of as many as there are parts, all of them into the new one.
func TestShardsMoveLittle(t *testing.T) {
	const servers, parts = 10_000, 8
	sizes, moved := map[int]int{}, 0
	for i := range servers {
		name := fmt.Sprint("server-", i)
		before, after := partsOf(name, parts), partsOf(name, parts+1)
		if len(before) != 1 || len(after) != 1 {
			t.Fatalf("%s is in the parts %v of %d, and %v of %d", name, before, parts, after, parts+1)
		}
		sizes[before[0]]++
		if before[0] != after[0] {
			if moved++; after[0] != parts+1 {
				t.Errorf("%s moved from part %d to part %d, which was there before", name, before[0], after[0])
			}
		}
	}
	for part, n := range sizes {
		if n < servers/parts*9/10 || n > servers/parts*11/10 {
			t.Errorf("part %d has %d servers of %d", part, n, servers)
		}
	}
	if moved < servers/(parts+1)*9/10 || moved > servers/(parts+1)*11/10 {
		t.Errorf("%d servers moved, want about %d", moved, servers/(parts+1))
	}
}

// partsOf are the parts that have a server, one as a rule.
func partsOf(server string, count int) (has []int) {
	for i := 1; i <= count; i++ {
		if (Shard{Index: i, Count: count}).Has(server) {
			has = append(has, i)
		}
	}
	return has
}

func TestParseShard(t *testing.T) {
	for _, c := range []struct{ text, environment, want string }{
		{"1/4", "", "1/4"},
		{"4/4", "CI_NODE_INDEX=1 CI_NODE_TOTAL=2", "4/4"},
		{"5/4", "", `"5/4" is neither a shard such as 1/4 nor auto`},
		{"0/4", "", `"0/4" is neither a shard`},
		{"1/4x", "", `"1/4x" is neither a shard`},
		{"+1/4", "", `"+1/4" is neither a shard`},
		{"1", "", `"1" is neither a shard`},
		{"auto", "", "no job runner says in the environment which shard this is"},
		{"auto", "JOB_COMPLETION_INDEX=0", "JOB_COMPLETION_INDEX is 0, and the number of shards is unknown: specify auto/N"},
		{"auto/3", "JOB_COMPLETION_INDEX=0", "1/3"},
		{"auto/3", "JOB_COMPLETION_INDEX=3", "the environment has JOB_COMPLETION_INDEX=3, which is not a shard of 3"},
		{"auto", "CI_NODE_INDEX=2 CI_NODE_TOTAL=5", "2/5"},
		{"auto", "SLURM_ARRAY_TASK_ID=12 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_COUNT=4", "3/4"},
		{"auto", "SLURM_ARRAY_TASK_ID=16 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4", "4/4"},
		{"auto", "MCPCTL_JOB_INDEX=3 MCPCTL_JOB_TOTAL=4", "4/4"},
		{"auto", "MCPCTL_JOB_INDEX= MCPCTL_JOB_TOTAL=", "no job runner says"},
		{"auto", "CI_NODE_INDEX=x CI_NODE_TOTAL=5", "the environment has CI_NODE_INDEX=x, which is not a shard of 5"},
	} {
		lookup := func(name string) (string, bool) {
			for _, variable := range strings.Fields(c.environment) {
				if key, value, _ := strings.Cut(variable, "="); key == name {
					return value, true
				}
			}
			return "", false
		}
		got, err := ParseShard(c.text, lookup)
		says := fmt.Sprintf("%d/%d", got.Index, got.Count)
		if err != nil {
			says = err.Error()
		}
		if !strings.HasPrefix(says, c.want) {
			t.Errorf("%s with %q: %s, want %s", c.text, c.environment, says, c.want)
		}
	}
}
