package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// ErrNewer is wrapped by Parse's error when the file has a newer format than this version reads.
var ErrNewer = errors.New("the snapshot has a newer format")

// ErrConflict is wrapped by Parse's error when the file holds the markers of a merge that git could not
// finish.
var ErrConflict = errors.New("two versions of it were merged and could not be made one")

// Parse reads a snapshot file, or what servers answer: the result of initialize, server/discover or any list,
// the JSON-RPC response around one, one object that joins several, or items beside an "initialize".
//
// Odd items are kept. What changes from one answer to the next (ttlMs, cacheScope, resultType, _meta of a
// result) and a byte order mark are left out. Raw values share data's memory. Errors name the place by JSON
// pointer; see ErrNewer and ErrConflict.
func Parse(data []byte) (*Snapshot, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	s, err := parse(data, true)
	if line := conflictLine(data); line > 0 { // JSON has none
		err = fmt.Errorf("%w: a conflict is marked on line %d", ErrConflict, line)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a snapshot: %w", err)
	}
	return s, nil
}

var byteOrderMark = []byte("\ufeff")

// conflictLine returns the line, from 1, of the first marker of a conflict as git writes it; 0 when there is
// none.
func conflictLine(data []byte) int {
	if !bytes.Contains(data, []byte("\n>>>>>>> ")) {
		return 0
	}
	line := 0
	for text := range bytes.Lines(data) {
		if line++; bytes.HasPrefix(text, []byte("<<<<<<< ")) {
			return line
		}
	}
	return 0
}

// parse reads a snapshot file or an answer of a server. If outermost is false, data is the result of a
// JSON-RPC response, which holds no further response.
func parse(data []byte, outermost bool) (*Snapshot, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the file is empty")
	}
	members, err := rawjson.Members(data)
	if errors.Is(err, rawjson.ErrNotObject) {
		return nil, errors.New("expected a snapshot or a tools/list result")
	}
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range members { // no reader could know which one holds
		if seen[m.Key] {
			return nil, rawjson.Within(errors.New("duplicate key"), m.Key)
		}
		seen[m.Key] = true
	}
	if format := rawjson.Last(members, "mcpctl"); format != nil {
		return parseFile(members, format)
	}
	if outermost && (seen["jsonrpc"] || seen["result"]) {
		return parseResponse(members)
	}
	return parseResult(members)
}

// parseFile reads a snapshot file whose member "mcpctl" is format. Members that it does not know are kept.
func parseFile(members []rawjson.Member, format json.RawMessage) (*Snapshot, error) {
	version, _ := strconv.Atoi(string(format)) // 0 for other text, the largest for what is too large
	if version < 1 {
		return nil, fmt.Errorf("at /mcpctl: %.40q is not a version of the snapshot format", format)
	}
	if version > Format {
		return nil, fmt.Errorf("at /mcpctl: %w: it has %.40s, and up to %d is read", ErrNewer, format, Format)
	}
	s := &Snapshot{}
	for _, m := range members {
		known, err := s.set(m)
		if err != nil {
			return nil, err
		}
		if !known && m.Key != "mcpctl" && m.Key != incomplete && !slices.Contains(volatile, m.Key) {
			if s.Extra == nil {
				s.Extra = map[string]json.RawMessage{}
			}
			s.Extra[m.Key] = m.Value
		}
	}
	for kind, problem := range rawjson.ObjectOf(rawjson.Last(members, incomplete)) {
		text, _ := rawjson.Text(problem)
		s.SetList(s.List(Kind(kind)).incomplete(text))
	}
	return s, nil
}

// volatile are the members of a result that say nothing about the surface.
var volatile = []string{"ttlMs", "cacheScope", "resultType", "nextCursor", "_meta"}

// parseResponse reads the result in a JSON-RPC response. A response with an error is an error.
func parseResponse(members []rawjson.Member) (*Snapshot, error) {
	if failure := rawjson.Last(members, "error"); failure != nil {
		detail, _ := rawjson.Members(failure)
		message, _ := rawjson.Text(rawjson.Last(detail, "message"))
		return nil, fmt.Errorf("at /error: the server answered with an error instead of a result: %.200q",
			message)
	}
	result := rawjson.Last(members, "result")
	if result == nil {
		return nil, errors.New("the JSON-RPC message has no result: a response to tools/list is wanted")
	}
	s, err := parse(result, false)
	return s, rawjson.Within(err, "result")
}

// parseResult reads what a server answered, or several such answers in one object.
func parseResult(members []rawjson.Member) (*Snapshot, error) {
	if initialize := rawjson.Last(members, "initialize"); initialize != nil {
		inner, err := rawjson.Members(initialize)
		if err != nil {
			return nil, rawjson.Within(err, "initialize")
		}
		members = append(slices.Clone(inner), members...)
	}
	if cursor := rawjson.Last(members, "nextCursor"); cursor != nil && string(cursor) != "null" {
		return nil, errors.New("at /nextCursor: the list goes on, this is only a page of it: join all " +
			"pages into one list")
	}
	s := &Snapshot{}
	found := false
	for _, m := range members {
		known, err := s.set(m)
		if err != nil {
			return nil, err
		}
		found = found || known
	}
	for _, kind := range Kinds() { // resources do not declare templates
		if kind != Templates && kind.DeclaredIn(s.Capabilities) != nil && s.List(kind).State == NotOffered {
			s.SetList(s.List(kind).incomplete("the server declares it, and no answer holds it"))
		}
	}
	if !found {
		return nil,
			errors.New(
				`expected a snapshot or a tools/list result: there are no tools, prompts or resources`)
	}
	return s, nil
}

// set takes a member into the snapshot, and reports whether a snapshot knows it. A null is an absent member.
func (s *Snapshot) set(m rawjson.Member) (known bool, err error) {
	fields := []string{"protocolVersion", "instructions", "serverInfo", "capabilities", "supportedVersions"}
	kind := Kind(m.Key)
	switch {
	case !slices.Contains(fields, m.Key) && !slices.Contains(Kinds(), kind):
		return false, nil
	case string(m.Value) == "null":
		return true, nil
	}
	switch m.Key {
	case "protocolVersion":
		s.Protocol, err = textOf(m.Value)
	case "instructions":
		s.Instructions, err = textOf(m.Value)
	case "serverInfo":
		s.Server = m.Value
	case "capabilities":
		s.Capabilities = m.Value
	case "supportedVersions":
		s.Supported, err = textsOf(m.Value)
	default:
		err = s.setItems(kind, m.Value)
	}
	return true, rawjson.Within(err, m.Key)
}

// MostItems is how many items of one kind are read of a server, and of a file: what is made of each takes
// some 500 bytes.
const MostItems = 100_000

// setItems replaces the list of a kind with the elements of an array.
func (s *Snapshot) setItems(kind Kind, raw json.RawMessage) error {
	items, err := rawjson.Elements(raw)
	if err == nil && len(items) > MostItems {
		err = fmt.Errorf("the list has more than %d items", MostItems)
	}
	if err != nil {
		return err
	}
	s.SetList(NewList(kind, items))
	return nil
}

func textOf(raw json.RawMessage) (string, error) {
	text, ok := rawjson.Text(raw)
	if !ok {
		return "", errors.New("expected string")
	}
	return text, nil
}

// textsOf returns an array of strings. An error names the index of the element that is not one.
func textsOf(raw json.RawMessage) ([]string, error) {
	elements, err := rawjson.Elements(raw)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		if texts[i], err = textOf(element); err != nil {
			return nil, rawjson.Within(err, strconv.Itoa(i))
		}
	}
	return texts, nil
}
