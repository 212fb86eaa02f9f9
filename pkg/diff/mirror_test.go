package diff_test

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// excuses are the rules without a mirror, and why.
func excuses() map[string]string {
	return map[string]string{
		"input-property-became-required-with-default": "a result has no defaults to fill in",
		"input-required-property-added-with-default":  "a result has no defaults to fill in",
		"input-root-combinator-added":                 "model interfaces look at the root of input schemas only, and one that is gone is no harm",
		"server-version-decreased":                    "an increase is reported by server-version-changed",
		"server-version-not-bumped":                   "a version that was bumped needs no remark",
		"tool-renamed":                                "renaming back is renaming",
		"prompt-renamed":                              "renaming back is renaming",
		"prompt-argument-renamed":                     "renaming back is renaming",
		"template-variable-renamed":                   "renaming back is renaming",
		"tool-ui-resource-changed":                    "it speaks in both directions",
		"tool-duplicate-name":                         "a name that is unique again is reported by item-changed",
		"tool-hidden-from-http-clients":               "a header that is right again is reported by tool-header-mapping-changed",
		"text-hidden-characters-added":                "characters that are gone are reported by the rule of the text",
		"text-url-added":                              "an address that is gone is reported by the rule of the text",
		"text-tool-reference-added":                   "a name that is gone is reported by the rule of the text",
		"text-instruction-cue-added":                  "a phrase that is gone is reported by the rule of the text",
		"input-fractions-rejected":                    "the way back is input-type-widened",
		"input-lower-bound-added":                     "the way back is input-range-widened",
		"text-size-grew":                              "an item that shrinks costs nothing",
		"list-unavailable":                            "a list that can be read again is compared",
		"list-incomplete":                             "a list that is whole is compared",
		"comparison-scope-differs":                    "it speaks in both directions",
	}
}

// TestEveryRuleHasAMirror checks that whatever can be reported in one direction can be reported in the other, or that
// there is a reason why not.
func TestEveryRuleHasAMirror(t *testing.T) {
	rules := map[string]finding.Rule{}
	for _, rule := range diff.Rules() {
		rules[rule.ID] = rule
	}
	for id := range rules {
		mirror, excused := mirrored(rules, id), excuses()[id] != ""
		if mirror == "" && !excused {
			t.Errorf("%s has neither a mirror nor an excuse", id)
		}
		if mirror != "" && excused {
			t.Errorf("%s has the mirror %s and an excuse too", id, mirror)
		}
	}
	for id := range excuses() {
		if _, known := rules[id]; !known {
			t.Errorf("there is an excuse for %s, which is not a rule", id)
		}
	}
}

// mirrored is the rule that speaks when old and new are swapped; empty when there is none.
func mirrored(rules map[string]finding.Rule, id string) string {
	opposites := []string{
		"-added", "-removed", "-narrowed", "-widened", "-closed", "-opened", "-revoked", "-claimed", "-raised", "-lowered",
		"became-required", "became-optional", "-downgraded", "-upgraded", "-pinned", "-unpinned", "-deprecated", "-undeprecated",
		"-required-property-added", "-property-removed", "-optional-property-added", "-property-removed",
		"-required-argument-added", "-argument-removed", "-optional-argument-added", "-argument-removed",
		"task-support-required", "task-support-added", "task-support-added", "task-support-withdrawn",
	}
	for i := 0; i < len(opposites); i += 2 {
		for _, swap := range [][2]string{{opposites[i], opposites[i+1]}, {opposites[i+1], opposites[i]}} {
			prefix, found := strings.CutSuffix(id, swap[0])
			if _, known := rules[prefix+swap[1]]; found && known {
				return prefix + swap[1]
			}
		}
	}
	for _, symmetric := range []string{"-changed", "-rewritten", "-incomparable", "-unproven", "-invalid", "-unresolved", "-property-renamed"} {
		if strings.HasSuffix(id, symmetric) && !strings.HasSuffix(id, "-ui-resource-changed") {
			return id
		}
	}
	return ""
}

// TestInputAndOutputMirror checks that a change which breaks callers is safe for readers, and the other way
// round.
func TestInputAndOutputMirror(t *testing.T) {
	levels := map[string]finding.Level{}
	for _, rule := range diff.Rules() {
		levels[rule.ID] = rule.Level
	}
	checked := 0
	for id, input := range levels {
		base, found := strings.CutPrefix(id, "input-")
		mirror := mirrored(rulesByID(), "output-"+base)
		if !found || !strings.HasSuffix(base, "-narrowed") && !strings.HasSuffix(base, "-widened") {
			continue
		}
		checked++
		if output := levels[mirror]; output != input {
			t.Errorf("%s is %s and %s is %s", id, input, mirror, output)
		}
	}
	if checked < 14 {
		t.Errorf("only %d pairs were looked at", checked)
	}
}

func rulesByID() map[string]finding.Rule {
	rules := map[string]finding.Rule{}
	for _, rule := range diff.Rules() {
		rules[rule.ID] = rule
	}
	return rules
}

func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range diff.Rules() {
		if rule.Title == "" || rule.Doc == "" || rule.Example == "" || rule.Instead == "" {
			t.Errorf("%s lacks a text: %+v", rule.ID, rule)
		}
		if seen[rule.ID] || strings.ToLower(rule.ID) != rule.ID || strings.ContainsAny(rule.ID, " _") {
			t.Errorf("%s is no unique kebab-case id", rule.ID)
		}
		seen[rule.ID] = true
	}
}
