package finding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// fingerprintBytes is how much of the hash a fingerprint shows: 48 bits, 12 digits.
const fingerprintBytes = 6

// Fingerprint names a change for good: 12 hexadecimal digits of the SHA-256 of rule, server, item, pointer, and the old and
// new value. Neither the wording of the message nor the level is part of it, so that a waiver outlives both. White space
// and key order in the values make no difference.
func (f Finding) Fingerprint() string {
	parts, _ := json.Marshal([]string{f.Rule, f.Server, f.Item, f.Pointer(), canonical(f.Old), canonical(f.New)}) // strings always encode
	hash := sha256.Sum256(parts)
	return hex.EncodeToString(hash[:fingerprintBytes])
}

// canonical is a value with sorted keys and no white space, numbers as written. What is no JSON is taken as it is.
func canonical(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}
