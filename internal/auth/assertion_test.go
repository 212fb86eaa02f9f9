package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

func ellipticKey(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return pemOf(t, key)
}

func pemOf(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// TestAssertion makes assertions that the public key confirms, for one endpoint and a short time.
func TestAssertion(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]interface{ Public() crypto.PublicKey }{"RS256": rsaKey, "EdDSA": edKey, "ES384": ecKey} {
		p := oauthClient{Client: vault.Client{ID: "ci", Method: methodKey}, key: probe.Secret(pemOf(t, key)), keyID: "k1", audience: "https://auth.example/token"}
		signed, err := p.assertion(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var claims jwt.RegisteredClaims
		read, err := jwt.ParseWithClaims(signed, &claims, func(*jwt.Token) (any, error) { return key.Public(), nil },
			jwt.WithValidMethods([]string{name}), jwt.WithAudience("https://auth.example/token"), jwt.WithIssuer("ci"), jwt.WithSubject("ci"), jwt.WithExpirationRequired())
		if err != nil || read.Header["kid"] != "k1" || claims.ID == "" || time.Until(claims.ExpiresAt.Time) > assertionLife {
			t.Errorf("%s: %v, %+v", name, err, claims)
		}
	}
	for _, bad := range []string{"hunter2-hunter2", "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n"} {
		_, err := oauthClient{key: probe.Secret(bad)}.assertion(time.Now())
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "aHVud") {
			t.Errorf("got %v", err)
		}
	}
}
