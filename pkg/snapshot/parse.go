package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ErrNewer is wrapped by Parse's error when the file has a newer format than this version reads.
var ErrNewer = errors.New("the snapshot has a newer format")

// Parse reads a snapshot file. It also reads what servers answer: the result of initialize, server/discover, tools/list,
// prompts/list, resources/list or resources/templates/list, the JSON-RPC response around one, an object that joins
// several of these, and an object with the result of initialize under "initialize" and the item arrays beside it.
//
// Items that are odd are kept. Fields that change from one answer to the next (ttlMs, cacheScope, resultType, _meta of a
// result) are left out. Raw values share data's memory. Errors name the place by JSON pointer; a newer format wraps
// ErrNewer.
func Parse(data []byte) (*Snapshot, error) {
	s, err := parse(data, true)
	if err != nil {
		return nil, fmt.Errorf("reading a snapshot: %w", err)
	}
	return s, nil
}

func parse(data []byte, outermost bool) (*Snapshot, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the file is empty")
	}
	members, err := Members(data)
	if errors.Is(err, errNotObject) {
		return nil, errors.New("the file holds no object: a snapshot file or the result of tools/list is wanted")
	}
	if err != nil {
		return nil, err
	}
	if err := unique(members); err != nil {
		return nil, err
	}
	if format := lookUp(members, "mcpctl"); format != nil {
		return parseFile(members, format)
	}
	if outermost && (has(members, "jsonrpc") || has(members, "result")) {
		return parseResponse(members)
	}
	return parseResult(members)
}

// parseFile reads our own format.
func parseFile(members []Member, format json.RawMessage) (*Snapshot, error) {
	version, err := strconv.Atoi(string(format))
	if err != nil || version < 1 {
		return nil, fmt.Errorf("at /mcpctl: %.40q is no version of the snapshot format", format)
	}
	if version > Format {
		return nil, fmt.Errorf("at /mcpctl: %w: it has %d and this mcpctl reads up to %d; a newer mcpctl reads it", ErrNewer, version, Format)
	}
	s := &Snapshot{}
	for _, m := range members {
		known, err := s.set(m)
		if err != nil {
			return nil, err
		}
		if !known && m.Key != "mcpctl" && !slices.Contains(volatile(), m.Key) {
			s.Extra = append(s.Extra, m)
		}
	}
	return s, nil
}

// volatile are the members of a result that say nothing about the surface.
func volatile() []string {
	return []string{"ttlMs", "cacheScope", "resultType", "nextCursor", "_meta"}
}

// parseResponse reads a JSON-RPC response.
func parseResponse(members []Member) (*Snapshot, error) {
	if failure := lookUp(members, "error"); failure != nil {
		detail, _ := Members(failure)
		message, _ := text(lookUp(detail, "message"))
		return nil, fmt.Errorf("at /error: the server answered with an error instead of a result: %.200q", message)
	}
	result := lookUp(members, "result")
	if result == nil {
		return nil, errors.New("the JSON-RPC message has no result: a response to tools/list is wanted")
	}
	s, err := parse(result, false)
	return s, within(err, []byte("result"))
}

// parseResult reads what a server answered, or several such answers in one object.
func parseResult(members []Member) (*Snapshot, error) {
	if initialize := lookUp(members, "initialize"); initialize != nil {
		inner, err := Members(initialize)
		if err != nil {
			return nil, within(err, []byte("initialize"))
		}
		members = append(slices.Clone(inner), members...)
	}
	if cursor := lookUp(members, "nextCursor"); cursor != nil && string(cursor) != "null" {
		return nil, errors.New("at /nextCursor: the list goes on, this is only a page of it: join all pages into one list")
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
	if !found {
		return nil, errors.New(`the object has none of "mcpctl", "tools", "prompts", "resources" and "resourceTemplates"`)
	}
	return s, nil
}
