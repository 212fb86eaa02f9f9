package config

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestVariantNeedsTrust: a variant is to be trusted for what the server and the variant say, and for who named them.
func TestVariantNeedsTrust(t *testing.T) {
	load := func(variant string) Entry {
		dir := t.TempDir()
		place(t, filepath.Join(dir, projectFile), []byte("variants: {"+"h: {v: "+variant+"}}"))
		config, err := Load(Input{Dir: dir, Lookup: func(name string) (string, bool) {
			value, ok := map[string]string{"MCP_SERVER_URL": "http://h/", "TOKEN": "secret"}[name]
			return value, ok
		}})
		if err != nil || len(config.Entries) != 1 {
			t.Fatalf("%s: %v, %d entries", variant, err, len(config.Entries))
		}
		return config.Entries[0]
	}
	sends := load("{headers: {X: '${TOKEN}'}}")
	if !sends.NeedsTrust() {
		t.Error("a variant of a found file needs no trust")
	}
	_, _, one := sends.Subject()
	_, _, other := load("{headers: {X: 'a${TOKEN}'}}").Subject()
	if slices.Equal(one, other) {
		t.Error("two different variants are trusted as one")
	}
}
