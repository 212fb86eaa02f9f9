package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// planted is a secret of the corpus. Nothing of it may be found in what mcpctl writes.
type planted struct {
	kind  string
	value string // as it is configured
	core  string // the part of it that is secret; the rest may be reported
}

// noiseOf is text of an alphabet that looks random and is the same in every run. No real key can come out of it, and none
// stands in this file as a whole, so that nothing that searches repositories for keys is alarmed.
func noiseOf(seed, alphabet string, n int) string {
	var out strings.Builder
	for block := sha256.Sum256([]byte(seed)); out.Len() < n; block = sha256.Sum256(block[:]) {
		for _, b := range block {
			out.WriteByte(alphabet[int(b)%len(alphabet)])
		}
	}
	return out.String()[:n]
}

const (
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	capitals     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	hexDigits    = "0123456789abcdef"
)

// corpus are secrets that look like those that people have.
func corpus() []planted {
	random := func(seed string, n int) string { return noiseOf(seed, alphanumeric, n) }
	all := map[string]string{
		"github token":       "gh" + "p_" + random("github", 36),
		"github fine token":  "github" + "_pat_" + random("pat1", 22) + "_" + random("pat2", 59),
		"gitlab token":       "gl" + "pat-" + random("gitlab", 20),
		"aws key id":         "AK" + "IA" + noiseOf("aws id", capitals, 16),
		"aws secret":         random("aws", 18) + "/" + random("aws2", 12) + "+" + random("aws3", 8),
		"slack token":        "xo" + "xb-" + noiseOf("slack", "0123456789", 12) + "-" + random("slack", 24),
		"google key":         "AI" + "za" + random("google", 35),
		"openai key":         "sk" + "-proj-" + random("openai", 48),
		"anthropic key":      "sk" + "-ant-api03-" + random("anthropic", 60) + "AA",
		"npm token":          "npm" + "_" + random("npm", 36),
		"json web token":     webToken(),
		"uuid":               uuidOf("uuid"),
		"hex digits":         noiseOf("hex", hexDigits, 40),
		"base64":             base64.StdEncoding.EncodeToString([]byte(noiseOf("base64", alphanumeric+"\x00\xff\x80", 33))),
		"passphrase":         "correct horse battery " + random("phrase", 8),
		"short":              random("short", 6),
		"regular expression": "a.*(" + random("regexp", 9) + ")[b]{2}|^c$?",
		"quotes":             `q"u'o\te<s>&` + random("quotes", 9) + `/$!`,
		"url characters":     "p%40s?s#w&o=r+d/" + random("url", 9) + " ;:@",
		"letters beyond":     "pässwörd-" + random("umlaut", 9) + "-💡",
		"private key":        privateKey(),
		"several lines":      random("line1", 24) + "\n" + random("line2", 24) + "\n",
	}
	var planted []planted
	for _, kind := range kit.SortedKeys(all) {
		planted = append(planted, plantedAs(kind, all[kind]))
	}
	password := random("database", 16)
	return append(planted, plantedPart("connection string", "postgres://svc:"+password+"@db.example.com:5432/app?sslmode=require",
		password),
		plantedPart("key in a connection string", "Endpoint=sb://x.example.com/;SharedAccessKey="+password[:12]+"=", password[:12]))
}

func webToken() string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return "ey" + part(`{"alg":"HS256","typ":"JWT"}`)[2:] + "." + part(`{"sub":"`+noiseOf("subject", hexDigits, 12)+`"}`) + "." +
		noiseOf("signature", alphanumeric, 43)
}

func uuidOf(seed string) string {
	d := noiseOf(seed, hexDigits, 32)
	return strings.Join([]string{d[:8], d[8:12], d[12:16], d[16:20], d[20:]}, "-")
}

func privateKey() string {
	lines := []string{"-----BEGIN " + "PRIVATE KEY-----"}
	for _, seed := range []string{"pem1", "pem2", "pem3", "pem4"} {
		lines = append(lines, noiseOf(seed, alphanumeric+"+/", 64))
	}
	return strings.Join(append(lines, "-----END "+"PRIVATE KEY-----", ""), "\n")
}

func plantedAs(kind, value string) planted { return planted{kind, value, value} }

func plantedPart(kind, value, core string) planted { return planted{kind, value, core} }

// window is how many characters of a secret in a row are a leak.
const window = 8

// traces are the texts that betray the secret: pieces of it as it is, and the whole of it in other spellings.
func (p planted) traces() []string {
	var all []string
	for line := range strings.Lines(p.core) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "-----") {
			continue
		}
		if len(line) <= window {
			all = append(all, line)
			continue
		}
		for i := 0; i+window <= len(line); i++ {
			all = append(all, line[i:i+window])
		}
	}
	encoded, _ := json.Marshal(p.core)
	all = append(all, strings.Trim(string(encoded), `"`), url.QueryEscape(p.core), url.PathEscape(p.core), html.EscapeString(p.core),
		hex.EncodeToString([]byte(p.core)))
	if whole := base64.StdEncoding.EncodeToString([]byte(p.core)); len(whole) > 12 {
		all = append(all, whole[:12], whole[len(whole)-16:len(whole)-4])
	}
	return all
}

// inHeader reports whether the value can be sent in a header.
func (p planted) inHeader() bool {
	return !strings.ContainsAny(p.value, "\n\r") && strings.TrimSpace(p.value) == p.value
}

// oneWord reports whether the value can be a bearer token.
func (p planted) oneWord() bool { return p.inHeader() && !strings.ContainsAny(p.value, " \t") }

// credible reports whether the value is masked in a surface as well: it is not an ordinary word.
func (p planted) credible() bool { return len(p.value) >= 8 }
