package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// assertionLife is how long a client assertion is good for. It is made anew for every request.
const assertionLife = time.Minute

// assertion proves with a private key who the client is (RFC 7523, 2.2; OpenID Connect Core, 9).
func (p party) assertion(audience string, now time.Time) (string, error) {
	key, method, err := signer(p.key.Reveal())
	if err != nil {
		return "", fmt.Errorf("signing in with the private key of the client: %w", err)
	}
	claims := jwt.RegisteredClaims{
		Issuer: p.ID, Subject: p.ID, Audience: jwt.ClaimStrings{audience}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(assertionLife)),
	}
	unsigned := jwt.NewWithClaims(method, claims)
	if p.keyID != "" {
		unsigned.Header["kid"] = p.keyID
	}
	return unsigned.SignedString(key)
}

// signer is the key in a PEM text, and the algorithm that goes with it. The error never quotes the text.
func signer(text string) (crypto.PrivateKey, jwt.SigningMethod, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, nil, errors.New("it is not in PEM form")
	}
	for _, parse := range []func([]byte) (any, error){
		x509.ParsePKCS8PrivateKey,
		func(der []byte) (any, error) { return x509.ParseECPrivateKey(der) },
		func(der []byte) (any, error) { return x509.ParsePKCS1PrivateKey(der) },
	} {
		key, err := parse(block.Bytes)
		if err != nil {
			continue
		}
		if method := algorithm(key); method != nil {
			return key, method, nil
		}
	}
	return nil, nil, errors.New("it is not an RSA, ECDSA (P-256, P-384, P-521) or Ed25519 key without a passphrase")
}

func algorithm(key any) jwt.SigningMethod {
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return jwt.SigningMethodRS256
	case ed25519.PrivateKey:
		return jwt.SigningMethodEdDSA
	case *ecdsa.PrivateKey:
		switch k.Curve.Params().BitSize {
		case 256:
			return jwt.SigningMethodES256
		case 384:
			return jwt.SigningMethodES384
		case 521:
			return jwt.SigningMethodES512
		}
	}
	return nil
}
