package auth

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
)

// clientKey is the private key of a client, and what an authorization server must know to verify it.
type clientKey struct {
	pem        string
	id         string   // kid; empty = none
	algorithms []string // that the authorization server takes; nil = unknown
	audience   string   // whom an assertion is for
}

// keyOf returns the configured key, for assertions to an issuer.
func keyOf(c config.Login, i issuer) clientKey {
	return clientKey{c.Key.Reveal(), c.KeyID, i.Algorithms, cmp.Or(i.audience, i.Token)}
}

// assertionLife is how long an assertion is valid. Each request has its own.
const assertionLife = time.Minute

// assertion proves with the key who the client is (RFC 7523, 2.2).
func (me oauthClient) assertion(now time.Time) (string, error) {
	key, err := me.key.signing()
	if err != nil {
		return "", fmt.Errorf("signing with the private key of the client: %w", err)
	}
	options := (&jose.SignerOptions{}).WithType("JWT")
	if me.key.id != "" {
		options.WithHeader("kid", me.key.id)
	}
	signer, err := jose.NewSigner(key, options)
	if err != nil {
		return "", fmt.Errorf("signing with the private key of the client: %w", err)
	}
	return jwt.Signed(signer).Claims(jwt.Claims{Issuer: me.ID, Subject: me.ID, ID: rand.Text(),
		Audience: jwt.Audience{me.key.audience}, IssuedAt: jwt.NewNumericDate(now),
		Expiry: jwt.NewNumericDate(now.Add(assertionLife))}).Serialize()
}

// signing returns the key with its algorithm. The error does not quote the key.
func (k clientKey) signing() (jose.SigningKey, error) {
	block, _ := pem.Decode([]byte(strings.ReplaceAll(k.pem, `\n`, "\n"))) // as in one line of a variable
	if block == nil {
		return jose.SigningKey{}, errors.New("it is not in PEM form")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if err != nil {
		key, err = x509.ParseECPrivateKey(block.Bytes)
	}
	if err != nil {
		key = nil // not a nil pointer of a type
	}
	switch key := key.(type) {
	case *rsa.PrivateKey:
		algorithm := jose.RS256
		if !slices.Contains(k.algorithms, "RS256") && slices.Contains(k.algorithms, "PS256") {
			algorithm = jose.PS256
		}
		return jose.SigningKey{Algorithm: algorithm, Key: key}, nil
	case ed25519.PrivateKey:
		return jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, nil
	case *ecdsa.PrivateKey:
		algorithms := map[int]jose.SignatureAlgorithm{256: jose.ES256, 384: jose.ES384, 521: jose.ES512}
		if algorithm, ok := algorithms[key.Curve.Params().BitSize]; ok {
			return jose.SigningKey{Algorithm: algorithm, Key: key}, nil
		}
	}
	return jose.SigningKey{}, errors.New("it is not an RSA, ECDSA (P-256, P-384, P-521) or Ed25519 key " +
		"without a passphrase")
}

// identity returns the identity token of the job for an authorization server. The runner of GitHub issues one
// for the issuer; one from elsewhere is sent to its audience alone: another server could use it there.
func identity(ctx context.Context, from config.Identity, i issuer, caCert []byte) (string, error) {
	if i.audience == "" {
		return "", exit.Advise(`name the metadata of its issuer, in place of its endpoints: "oauth": `+
			`{"authServerMetadataUrl": "https://ISSUER/.well-known/…"}`,
			"identity tokens are for the issuer of the token endpoint, and no issuer names this one")
	}
	text := from.Text.Reveal()
	var err error
	switch {
	case from.Runner != "":
		text, err = issued(ctx, from, i.audience, caCert)
	case from.File != "":
		var data []byte
		data, err = files.ReadRegular(from.File, maxToken)
		text = string(bytes.TrimSpace(data))
	}
	if err != nil {
		return "", fmt.Errorf("getting the identity token of the job: %w", err)
	}
	token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512,
		jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA})
	var claims jwt.Claims
	if err != nil || token.UnsafeClaimsWithoutVerification(&claims) != nil {
		return "", errors.New("the identity token of the job is not a signed JWT")
	}
	if !slices.ContainsFunc(claims.Audience, func(to string) bool { return sameIssuer(to, i.audience) }) {
		return "", exit.Advise("let the platform issue it for the audience "+quoted(i.audience),
			"the identity token of the job is for %s, not for the authorization server %s, and was not sent",
			quoted(strings.Join(claims.Audience, " ")), quoted(i.audience))
	}
	return text, nil
}

// issued asks the runner of a GitHub job for an identity token.
func issued(ctx context.Context, from config.Identity, audience string, caCert []byte) (string, error) {
	c, err := newClient(Resource{Name: "runner", URL: from.Runner}, caCert)
	if err != nil {
		return "", err
	}
	u := *c.home
	query := u.Query()
	query.Set("audience", audience)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+from.Bearer.Reveal())
	var answer struct {
		Value string `json:"value"`
	}
	return answer.Value, masked(c.object(req, &answer), from.Bearer.Reveal())
}

// proofs returns the parameters that prove with a key who the client is.
func (me oauthClient) proofs() (url.Values, error) {
	if me.Method != methodKey {
		return url.Values{}, nil
	}
	signed, err := me.assertion(time.Now())
	return url.Values{"client_assertion": {signed},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}}, err
}
