package check

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/tokens"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// SkillText is the SKILL.md of a skill as it was read, and how it differs from what is listed; empty = it does not.
type SkillText struct{ Text, Problem string }

// skillRules are about the entries of skills/list (SEP-2640), and about what was read of them.
var skillRules = map[string]look{
	"skill-invalid": ofSkills(invalidSkill),
	"skill-not-pinned": ofSkills(func(k skill, at spot) {
		if word, _ := rawjson.Text(k.raw); word == "dynamic" {
			at.in("resources").say("", k.raw, "")
		}
	}),
	"skill-widens-rights": ofSkills(widening),
	"skill-too-large":     ofSkills(tooLarge),

	"skill-content-differs": ofTextsOfSkills(func(read SkillText, at spot) {
		if read.Problem != "" {
			at.say("", nil, "SKILL.md is not what is listed: %s.", read.Problem)
		}
	}),
	"skill-text-long": ofTextsOfSkills(func(read SkillText, at spot) {
		if n := tokens.Count(read.Text); n > maxSkillTokens {
			at.say("", nil, "SKILL.md costs %d tokens once it is chosen.", n)
		}
	}),
}

// maxSkillTokens is what those who made the format recommend at most (agentskills.io, specification, progressive disclosure).
const maxSkillTokens = 5000

func ofTextsOfSkills(f func(read SkillText, at spot)) look {
	return func(s *server, report tell) {
		for _, i := range s.of(snapshot.Skills) {
			if read, ok := s.SkillTexts[i.Key]; ok {
				f(read, spot{i.id, nil, report}.in("SKILL.md"))
			}
		}
	}
}

type skill struct {
	uri, dir string // the URI of SKILL.md, and the folder that it is in
	front    rawjson.Object
	raw      json.RawMessage // its resources
	files    []skillFile
	listed   bool // its resources are an array
}

type skillFile struct {
	URI, Digest string
	Size        *float64
}

func ofSkills(f func(k skill, at spot)) look {
	return func(s *server, report tell) {
		for _, i := range s.of(snapshot.Skills) {
			k := skill{uri: i.Key, front: rawjson.ObjectOf(i.Field("frontmatter")), raw: i.Field("resources")}
			k.dir = strings.TrimSuffix(k.uri, "SKILL.md")
			elements, err := rawjson.Elements(k.raw)
			k.listed = err == nil && k.raw != nil
			for _, element := range elements {
				var file skillFile
				_ = json.Unmarshal(element, &file) // what has another type is told as missing
				k.files = append(k.files, file)
			}
			f(k, spot{i.id, nil, report})
		}
	}
}

var (
	skillName   = match.Pattern(`^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$`)
	skillDigest = match.Pattern(`^sha256:[0-9a-f]{64}$`)
)

// invalidSkill tells what the specification forbids in an entry, in the order of its members.
func invalidSkill(k skill, at spot) {
	name := k.front.Text("name")
	folder := k.dir[strings.LastIndex(strings.TrimSuffix(k.dir, "/"), "/")+1:]
	if decoded, err := url.PathUnescape(strings.TrimSuffix(folder, "/")); err == nil {
		folder = decoded
	}
	switch {
	case k.dir == k.uri || !strings.HasSuffix(k.dir, "/"):
		at.in("uri").say("", rawjson.Quote(k.uri), "The URI of a skill must end with /SKILL.md.")
	case !skillName().MatchString(name) || strings.Contains(name, "--"):
		at.in("frontmatter", "name").say("", rawjson.Quote(name), "The name %q is not one of 1 to 64 lower-case letters, digits and single hyphens.", name)
	case folder != name:
		at.in("frontmatter", "name").say("", rawjson.Quote(name), "The name is %q, and the folder of the skill is %q.", name, folder)
	}
	if k.front.Text("description") == "" {
		at.in("frontmatter").say("description", nil, "The frontmatter has no description, by which a model would choose the skill.")
	}
	word, _ := rawjson.Text(k.raw)
	if !k.listed && word != "dynamic" {
		at.say("resources", k.raw, `resources must be the list of all files, or "dynamic".`)
	}
	k.invalidFiles(at)
}

func (k skill) invalidFiles(at spot) {
	seen := map[string]bool{}
	for _, file := range k.files {
		problem := ""
		switch {
		case !strings.HasPrefix(file.URI, k.dir) || strings.Contains(file.URI, "/../"):
			problem = "is not inside the folder of the skill"
		case seen[file.URI]:
			problem = "is listed twice"
		case !skillDigest().MatchString(file.Digest):
			problem = "has no digest of the form sha256:… in lower case"
		case file.Size == nil || *file.Size < 0:
			problem = "has no size"
		}
		if seen[file.URI] = true; problem != "" {
			at.in("resources").say("", rawjson.Quote(file.URI), "The file %q %s.", file.URI, problem)
		}
	}
	if k.listed && !seen[k.uri] {
		at.in("resources").say("", rawjson.Quote(k.uri), "The list of files lacks SKILL.md itself.")
	}
}

func widening(k skill, at spot) {
	for _, key := range []string{"allowed-tools", "hooks"} {
		if value := k.front.Present(key); value != nil {
			at.in("frontmatter", key).say("", value, "The skill asks for %s of its own.", key)
		}
	}
}

// What a skill should not be larger than.
const (
	mostSkillFiles = 512
	mostSkillBytes = 16 << 20
)

func tooLarge(k skill, at spot) {
	total := 0.0
	for _, file := range k.files {
		total += *cmp.Or(file.Size, new(float64))
	}
	if len(k.files) > mostSkillFiles || total > mostSkillBytes {
		at.in("resources").say("", nil, "The skill has %d files with %.0f bytes; clients may refuse more than %d files or %d MiB.", len(k.files), total, mostSkillFiles, mostSkillBytes>>20)
	}
}
