package snapshot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func TestEncode(t *testing.T) {
	s := &snapshot.Snapshot{
		Protocol: "2026-07-28", Supported: []string{"2026-07-28", "2025-11-25"},
		Server: json.RawMessage(`{"version":"1","name":"demo"}`), Capabilities: json.RawMessage(`{"tools":{}}`),
		Instructions: "Say <b>\"hi\"</b>\n",
		Tools: snapshot.NewList(snapshot.Tools, []json.RawMessage{
			json.RawMessage(`{"name":"b","about":1e400}`), json.RawMessage(`{"name":"a"}`), json.RawMessage(`"odd"`),
			json.RawMessage(`{"name":"a","z":2,"y":1}`),
		}),
		Resources: snapshot.NewList(snapshot.Resources, nil),
		Extra:     map[string]json.RawMessage{"later": json.RawMessage(`[]`)},
	}
	got, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "capabilities": {
    "tools": {}
  },
  "instructions": "Say <b>\"hi\"</b>\n",
  "later": [],
  "mcpctl": 1,
  "protocolVersion": "2026-07-28",
  "resources": [],
  "serverInfo": {
    "name": "demo",
    "version": "1"
  },
  "supportedVersions": [
    "2025-11-25",
    "2026-07-28"
  ],
  "tools": [
    "odd",
    {
      "name": "a",
      "y": 1,
      "z": 2
    },
    {
      "name": "a"
    },
    {
      "about": 1e400,
      "name": "b"
    }
  ]
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEncodeErrors(t *testing.T) {
	broken := json.RawMessage(`{"x":`)
	for want, s := range map[string]*snapshot.Snapshot{
		"encoding prompt/: at /x: unexpected end of text": {Prompts: snapshot.NewList(snapshot.Prompts, []json.RawMessage{broken})},
		"encoding serverInfo: at /x":                      {Server: broken},
		"encoding later: at /x":                           {Extra: map[string]json.RawMessage{"later": broken}},
	} {
		_, err := s.Encode()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want it to start with %q", err, want)
		}
		if digest := s.Digest(); digest != "" {
			t.Errorf("a snapshot that cannot be encoded has the digest %s", digest)
		}
	}
}

func TestDigest(t *testing.T) {
	a, b := parsed(t, []byte(`{"tools":[{"name":"a","x":1},{"name":"b"}]}`)),
		parsed(t, []byte(`{"tools":[{"name":"b"},{"x":1,"name":"a"}],"ttlMs":9}`))
	if a.Digest() != b.Digest() {
		t.Error("the same surface has two digests")
	}
	// printf '{\n  "mcpctl": 1\n}\n' | sha256sum
	const empty = "sha256:b8779ddc36e0fbbda8e9fe38be12492e54a20124eb652775b572e8e7b24c2260"
	if got := (&snapshot.Snapshot{}).Digest(); got != empty {
		t.Errorf("the digest of an empty snapshot is %s, want %s", got, empty)
	}
}

func TestRealListingsAreKept(t *testing.T) {
	files, err := filepath.Glob("testdata/listings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := parsed(t, data)
			if s.Protocol == "" || s.Server == nil || s.Tools.State != snapshot.Complete {
				t.Errorf("protocol %q, server %s, tools %v", s.Protocol, s.Server, s.Tools.State)
			}
			file := encoded(t, s)
			validate(t, file)
			again := parsed(t, file)
			for _, kind := range snapshot.Kinds() {
				sameValues(t, s.List(kind), again.List(kind))
			}
		})
	}
}

// sameValues checks by an independent reader that no item lost anything.
func sameValues(t *testing.T, sent, kept snapshot.List) {
	t.Helper()
	if sent.State != kept.State {
		t.Fatalf("sent %v, kept %v", sent, kept)
	}
	index := map[string]string{}
	for _, item := range kept.Items() {
		index[item.Key] = decoded(t, item.Raw)
	}
	if len(index) != len(sent.Items()) {
		t.Errorf("%d items were sent, %d are kept", len(sent.Items()), len(index))
	}
	for _, item := range sent.Items() {
		if diff := cmp.Diff(decoded(t, item.Raw), index[item.Key]); diff != "" {
			t.Errorf("%s (-sent +kept):\n%s", item.Key, diff)
		}
	}
}

// FuzzParse checks that Encode gives what Parse reads as the same, and the same bytes again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"mcpctl":1,"tools":[{"name":"b"},{"name":"a","name":"c"},7],"later":[1e400],"instructions":"\ud800"}`,
		`{"jsonrpc":"2.0","result":{"prompts":[]}}`, `{"initialize":{"capabilities":{}},"resources":[{"uri":"\u0000"}]}`,
		`{"mcpctl":1,"supportedVersions":["b","a"],"serverInfo":null}`, `{"mcpctl":1,"":1,"":2}`,
		`{"mcpctl":1,"incomplete":{"tools":"page 2: no","prompts":7,"x":""},"tools":[{}]}`,
		`{"capabilities":{"tools":{},"prompts":false},"resources":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := snapshot.Parse(data)
		if err != nil {
			return
		}
		file := shown(t, s)
		again := parsed(t, file)
		if second := shown(t, again); !bytes.Equal(second, file) {
			t.Errorf("encoded again:\n%s\nwant\n%s", second, file)
		}
		if s.Digest() != again.Digest() {
			t.Error("the digest moved")
		}
		for _, kind := range snapshot.Kinds() {
			if sent, kept := s.List(kind), again.List(kind); sent.State != kept.State || sent.Problem != kept.Problem ||
				len(sent.Items()) != len(kept.Items()) {
				t.Errorf("%s: %v became %v", kind, keys(sent), keys(kept))
			}
		}
	})
}

func parsed(t testing.TB, data []byte) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func shown(t testing.TB, s *snapshot.Snapshot) []byte {
	t.Helper()
	file, err := s.EncodeKnown()
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := s.Encode(); (err == nil) != s.Complete() || err == nil && !bytes.Equal(whole, file) {
		t.Errorf("complete is %v, and encoding it gives %v", s.Complete(), err)
	}
	return file
}

func encoded(t testing.TB, s *snapshot.Snapshot) []byte {
	t.Helper()
	file, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// decoded is a value as encoding/json reads it, with numbers as they were written.
func decoded(t *testing.T, raw []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(value)
}
