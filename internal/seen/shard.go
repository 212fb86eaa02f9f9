package seen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Shard names the configured servers that a run was over, and holds what mcpctl merge needs of them.
type Shard struct {
	Index    int       `json:"index"`             // from 1
	Total    int       `json:"total"`             // number of shards
	Of       string    `json:"of"`                // digest of the configuration, which all shards share
	Findings string    `json:"findings"`          // digest of the findings and the states of the servers
	Began    time.Time `json:"began,omitzero"`    // when the run began
	Only     []string  `json:"only,omitempty"`    // the values of --only
	With     []string  `json:"with,omitempty"`    // diff, check: flags that choose what is compared
	Status   int       `json:"status"`            // the exit status without findings
	Partial  []string  `json:"partial,omitempty"` // diff, check: servers that did not answer in full
	// check: the input of rules about all servers
	Members []check.Member `json:"members,omitempty"`
}

// String returns "shard 2 of 8"; empty for nil.
func (s *Shard) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("shard %d of %d", s.Index, s.Total)
}

// FindingsDigest returns the SHA-256 of findings as JSON has them and of the states of servers. A shard
// carries it, so that mcpctl merge notices a report that was edited.
func FindingsDigest(findings []finding.Finding, servers []Server) string {
	h := sha256.New()
	add := func(v any) {
		raw, err := rawjson.Encode(v)
		if err != nil {
			raw = []byte(err.Error()) // which the report fails with, too
		}
		printable.WriteIndented(h, raw, 0)
	}
	for _, f := range findings {
		add(f)
	}
	for _, s := range servers {
		add([]string{s.Name, string(s.State)})
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
