package transport

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBearerParameter reads parameters of Bearer challenges alone, wherever they are and however others are written.
func TestBearerParameter(t *testing.T) {
	for _, c := range []struct{ header, name, want string }{
		{`Bearer scope="read"`, "scope", "read"},
		{`bearer SCOPE=read`, "scope", "read"},
		{`Bearer`, "scope", ""},
		{``, "scope", ""},
		{`Bearer error_description="say scope=all, or resource_metadata=https://evil/x", scope="read"`, "scope", "read"},
		{`Bearer error_description="say scope=all, or resource_metadata=https://evil/x"`, "resource_metadata", ""},
		{`Bearer error_description="a \"quoted, scope=all\" text", scope=read`, "scope", "read"},
		{`Bearer error_description="ends in a backslash \\", scope="read"`, "scope", "read"},
		{`Basic realm="api", scope="all", Bearer scope="read"`, "scope", "read"},
		{`DPoP algs="ES256", resource_metadata="https://dpop/x", Bearer resource_metadata="https://bearer/x"`, "resource_metadata",
			"https://bearer/x"},
		{`DPoP scope="all"`, "scope", ""},
		{`Negotiate YIIJvwYGKwYBBQUCoIIJszCCCa+gDTALBgkqhkiG9w/==, Bearer scope="read"`, "scope", "read"},
		{`Negotiate, Bearer scope="read"`, "scope", "read"},
		{`Negotiate scope==, Bearer realm="x"`, "scope", ""},
		{`Bearer realm="one", error="x", Bearer realm="two", scope="read"`, "scope", "read"},
		{`Bearer scope="first", Bearer scope="second"`, "scope", "first"},
		{`Bearer scope=first, scope=second`, "scope", "first"},
		{`Bearer resource_metadata=https://h/x?a=b,error=invalid_token`, "resource_metadata", "https://h/x?a=b"},
		{`Bearer resource_metadata=https://h/x?a=b,error=invalid_token`, "error", "invalid_token"},
		{`Bearer realm = "x" , scope	=	"read"`, "scope", "read"},
		{`Bearer ,, scope="read",`, "scope", "read"},
		{`Bearer realm="x" scope="read"`, "scope", "read"}, // commas are missing
		{`scope="read"`, "scope", "read"},                  // so is the scheme
		{`Bearer realm="x", scope="read`, "scope", ""},     // so is a quote
		{`Bearer realm=""`, "realm", ""},                   // nothing
		{`Bearer xscope="all", error="a", scope="read"`, "scope", "read"},
	} {
		if got := BearerParameter(c.header, c.name); got != c.want {
			t.Errorf("%s of %s is %q, want %q", c.name, c.header, got, c.want)
		}
	}
}

// FuzzChallenges writes two challenges by the grammar, the first of a scheme with a token68, and reads them back; a text that is
// no header is read without trouble.
func FuzzChallenges(f *testing.F) {
	f.Add("realm", `a "b\c", Bearer scope=all`, "scope", "read write", "QUJD/+==")
	f.Add("x", "", "x", ",", "=")
	f.Fuzz(func(t *testing.T, name, value, other, second, token string) {
		Challenges(value + token)
		names, word := "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz", "-._~+/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		if strings.Trim(name, names)+strings.Trim(other, names)+strings.Trim(strings.TrimRight(token, "="), word) != "" ||
			name == "" || other == "" || name == other || strings.Trim(token, "=") == "" {
			return
		}
		params := map[string]string{name: value, other: second}
		var written []string
		for _, name := range slices.Sorted(maps.Keys(params)) {
			written = append(written, fmt.Sprintf(`%s="%s"`, name, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(params[name])))
		}
		want := []Challenge{{"negotiate", map[string]string{}}, {"bearer", params}, {"other", map[string]string{}}}
		got := Challenges("Negotiate " + token + ", Bearer " + strings.Join(written, ", ") + ", Other")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", written, diff)
		}
	})
}
