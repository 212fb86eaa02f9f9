package config

import (
	"path/filepath"
	"strings"
)

// syntaxOf is how a file is written: TOML and YAML by their extensions, JSON otherwise.
func syntaxOf(path string) func([]byte) (value, *syntaxError) {
	switch {
	case isYAML(path):
		return parseYAML
	case strings.EqualFold(filepath.Ext(path), ".toml"):
		return parseTOML
	}
	return parseJSON
}

func isYAML(path string) bool {
	extension := strings.ToLower(filepath.Ext(path))
	return extension == ".yaml" || extension == ".yml"
}

// foreignKeys are where applications keep servers in YAML; mcpctl.yaml knows none of them.
var foreignKeys = []string{"mcpServers", "extensions"}

// isProjectFile is whether a file is read as mcpctl.yaml is: YAML that is not an application's.
func isProjectFile(file origin) bool {
	if !isYAML(file.path) || filepath.Base(file.path) == projectFile {
		return isYAML(file.path)
	}
	data, err := readRegular(file.path) // what is wrong with the file is told when it is read in earnest
	if err != nil {
		return true
	}
	root, wrong := parseYAML(data)
	if wrong != nil {
		return true
	}
	for _, key := range foreignKeys {
		if _, ok := root.get(key); ok {
			return false
		}
	}
	return true
}
