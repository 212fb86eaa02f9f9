package seen

import (
	"slices"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// The types below are what commands find out about a server besides what it offers.

// Comparison is what a server was compared with.
type Comparison struct {
	Base       string            `json:"base,omitempty"`       // the old side, such as a snapshot file
	Unsaved    bool              `json:"unsaved,omitempty"`    // nothing was saved to compare with
	Movable    bool              `json:"movable,omitempty"`    // accept moves Base
	BaseTokens *int              `json:"baseTokens,omitempty"` // Answer.Tokens of the old side
	Changed    []SignatureChange `json:"changed,omitempty"`    // items with other signatures than before
	// what changed in the package that the server is in, such as "zod 3.25.76 → 4.1.5"
	Cause string `json:"cause,omitempty"`
}

// ToolCost is about what a tool costs in a prompt.
type ToolCost struct {
	Tool   string `json:"tool"`
	Tokens int    `json:"tokens"`
}

// Saved is what became of one server's snapshot file.
type Saved struct {
	Action  Action `json:"action"`
	File    string `json:"file,omitempty"`    // path as shown to people
	Added   int    `json:"added,omitempty"`   // items that were not in the file before
	Removed int    `json:"removed,omitempty"` // items that were removed from it
	Changed int    `json:"changed,omitempty"` // items that differ
	Reason  string `json:"reason,omitempty"`  // why the file was not touched, or what else changed
}

// Changes returns how many items were added, removed and changed, such as "+1 −1 ~2"; "" for none.
func (s Saved) Changes() string {
	signed := func(sign string, n int) string {
		if n == 0 {
			return ""
		}
		return sign + strconv.Itoa(n)
	}
	return kit.Join(" ", signed("+", s.Added), signed("−", s.Removed), signed("~", s.Changed))
}

// Action is what was done to a snapshot file.
type Action string

// The actions on a snapshot file.
const (
	Created     Action = "created"
	Updated     Action = "updated"
	WouldUpdate Action = "would update" // accept --dry-run
	Unchanged   Action = "unchanged"
	Skipped     Action = "skipped" // left as it was, since the server did not answer in full
)

// MostExpensive is how many tools check names by their cost.
const MostExpensive = 10

// ExpensiveTools returns the tools of a snapshot that cost most, the first first.
func ExpensiveTools(s *snapshot.Snapshot) []ToolCost {
	all := kit.Map(s.Tools.Items(),
		func(t snapshot.Item) ToolCost { return ToolCost{t.Key, check.ToolTokens(t)} })
	slices.SortStableFunc(all, func(a, b ToolCost) int { return b.Tokens - a.Tokens })
	return slices.Clip(all[:min(len(all), MostExpensive)])
}

// LoginStatus is what is known of the login to a server. Nothing in it is secret.
type LoginStatus struct {
	State   LoginState `json:"state"`
	Issuer  string     `json:"issuer,omitempty"` // the authorization server
	Scopes  []string   `json:"scopes,omitempty"` // granted
	Wanted  []string   `json:"wanted,omitempty"` // scopes that the server asked for since
	Since   time.Time  `json:"since,omitzero"`   // when the user logged in
	Expires time.Time  `json:"expires,omitzero"` // of the access token; zero = unknown
	Renews  bool       `json:"renews,omitempty"` // runs renew the access token themselves
	Store   string     `json:"store,omitempty"`  // where the tokens are: "keyring" or "file"
}

// LoginState is whether a login can be used.
type LoginState string

// The states of a login.
const (
	LoggedIn  LoginState = "logged-in"  // there are tokens
	LoggedOut LoginState = "logged-out" // there are none
	Expired   LoginState = "expired"    // the token ended, and cannot be renewed
	Revoked   LoginState = "revoked"    // the authorization server no longer knows the login
	Itself    LoginState = "by-itself"  // runs get tokens without a person, as configured
)

// Replayed are the calls of one tool that were sent again, or the call of one expectation.
type Replayed struct {
	Tool string `json:"tool"`
	// the line of the expectation; nil = recorded calls
	Expectation *finding.Location `json:"expectation,omitempty"`
	Calls       int               `json:"calls"`                // calls that were answered
	Same        int               `json:"same"`                 // results that are as recorded or expected
	Unrecorded  int               `json:"unrecorded,omitempty"` // calls without a recorded result
	NotSent     int               `json:"notSent,omitempty"`    // calls that could not or must not be sent
}

// Different returns how many results are not as recorded or expected.
func (r Replayed) Different() int { return r.Calls - r.Same - r.Unrecorded }
