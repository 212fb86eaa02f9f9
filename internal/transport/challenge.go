package transport

import "strings"

// Challenge is one challenge of WWW-Authenticate headers (RFC 9110, 11.6.1).
type Challenge struct {
	Scheme string            // such as "bearer", in lower case; empty if the header begins with parameters
	Params map[string]string // by their names in lower case; of several with one name the first
}

// Challenges reads WWW-Authenticate headers that are joined with commas. What is not in the grammar is passed
// over: parameters without commas between them, and values without quotes that need them, are read.
func Challenges(header string) []Challenge {
	r := challengeReader{rest: header}
	var all []Challenge
	for r.skip(", \t"); r.rest != ""; r.skip(", \t") {
		name := strings.ToLower(r.token())
		value, isParam := "", false
		if name != "" {
			value, isParam = r.value()
		}
		switch {
		case name == "":
			r.rest = r.rest[1:]
		case !isParam:
			all = append(all, Challenge{Scheme: name, Params: map[string]string{}})
			r.token68()
		default:
			if all == nil {
				all = append(all, Challenge{Params: map[string]string{}})
			}
			params := all[len(all)-1].Params
			if _, twice := params[name]; !twice {
				params[name] = value
			}
		}
	}
	return all
}

// schemes returns the schemes of the challenges of a header. Header values of our own begin with such a name,
// so known ones are taken as they came, and written as their standards write them; others are those of the
// masked header.
func schemes(header, masked string) (all []string) {
	shown := Challenges(masked)
	for i, c := range Challenges(header) {
		if name, known := schemeName(c.Scheme); known {
			all = append(all, name)
		} else if i < len(shown) {
			all = append(all, shown[i].Scheme)
		}
	}
	return all
}

// schemeName returns the name of a scheme as its standard writes it, and whether it is known.
func schemeName(scheme string) (name string, known bool) {
	for _, name := range []string{"Basic", "Bearer", "Digest", "DPoP", "Negotiate", "NTLM"} {
		if strings.EqualFold(name, scheme) {
			return name, true
		}
	}
	return scheme, false
}

// BearerParameter returns the value of a parameter of the first Bearer challenge that has it, or nothing.
func BearerParameter(header, name string) string {
	for _, c := range Challenges(header) {
		if value := c.Params[name]; value != "" && (c.Scheme == "bearer" || c.Scheme == "") {
			return value
		}
	}
	return ""
}

// challengeReader reads a header from its start.
type challengeReader struct{ rest string }

func (r *challengeReader) skip(cutset string) { r.rest = strings.TrimLeft(r.rest, cutset) }

// token returns the token at the start (RFC 9110, 5.6.2), if any.
func (r *challengeReader) token() string {
	end := len(r.rest) - len(strings.TrimLeft(r.rest, "!#$%&'*+-.^_`|~0123456789"+
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	token := r.rest[:end]
	r.rest = r.rest[end:]
	return token
}

// value returns the value behind a name; ok is false if the name is not that of a parameter.
func (r *challengeReader) value() (value string, ok bool) {
	after, ok := strings.CutPrefix(strings.TrimLeft(r.rest, " \t"), "=")
	if !ok {
		return "", false
	}
	r.rest = strings.TrimLeft(after, " \t")
	if quoted, ok := strings.CutPrefix(r.rest, `"`); ok {
		return r.quotedString(quoted), true
	}
	end := strings.IndexAny(r.rest+",", ", \t")
	value, r.rest = r.rest[:end], r.rest[end:]
	return value, true
}

// quotedString returns the text up to the quote that ends it. One that does not end is not a value.
func (r *challengeReader) quotedString(text string) string {
	var value strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			r.rest = text[i+1:]
			return value.String()
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		value.WriteByte(text[i])
	}
	r.rest = ""
	return ""
}

// token68 skips the credentials of a scheme that has them in place of parameters, such as Negotiate: a word
// that ends with the challenge, apart from any number of "=".
func (r *challengeReader) token68() {
	after, ok := strings.CutPrefix(r.rest, " ")
	if !ok {
		return
	}
	word := challengeReader{rest: strings.TrimLeft(after, " ")}
	for word.token() != "" || strings.HasPrefix(word.rest, "/") {
		word.rest = strings.TrimPrefix(word.rest, "/")
	}
	word.skip("=")
	if end := strings.TrimLeft(word.rest, " \t"); end == "" || end[0] == ',' {
		r.rest = end
	}
}
