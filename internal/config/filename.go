package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

const snapshotExtension = ".json"

// reserved are device names of Windows, which hold with every extension.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(\.|$)`)

// FileName is the name of the file in the snapshots folder for a server: safe on every system, without separators,
// and different for different names. ASCII letters, digits, "-", "_" and "." stay; other bytes become %XX.
func FileName(server string) string {
	var b strings.Builder
	escapeFirst := server == "" || server[0] == '.' || reserved.MatchString(server)
	for i := range len(server) {
		if c := server[i]; i == 0 && escapeFirst || !plainByte(c) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + snapshotExtension
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
}

// ServerName is the server whose FileName is the last element of file; ok is false when there is none.
func ServerName(file string) (server string, ok bool) {
	base := filepath.Base(file)
	name, ok := strings.CutSuffix(base, snapshotExtension)
	if !ok {
		return "", false
	}
	server, err := url.PathUnescape(name)
	if err != nil || server == "" || FileName(server) != base {
		return "", false
	}
	return server, true
}
