// Package vault stores the logins of a user: their public part in private files, their tokens in the
// operating system's keyring or, if the user chose that, in the same files.
package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
)

// Store is where tokens are stored.
type Store string

// The places.
const (
	Keyring Store = "keyring" // the operating system's
	File    Store = "file"    // a file that only its owner can read
)

// Grant is one login: a server, and the authorization server that let the user in.
type Grant struct {
	Server   string       `json:"server"`            // URL of the MCP server
	Resource string       `json:"resource"`          // what the tokens are for (RFC 8707)
	Issuer   string       `json:"issuer"`            // who issued them
	Scopes   []string     `json:"scopes,omitempty"`  // granted
	Expires  time.Time    `json:"expires,omitzero"`  // of the access token; zero = unknown
	Renews   bool         `json:"renews,omitempty"`  // there is a refresh token
	Since    time.Time    `json:"since"`             // when the user logged in
	Client   Registration `json:"client"`            // who the tokens were issued to
	Token    string       `json:"tokenEndpoint"`     // where they are renewed
	Revoke   string       `json:"revoke,omitempty"`  // where they are revoked (RFC 7009)
	Place    Store        `json:"place"`             // where Secrets are
	Secrets  Secrets      `json:"secrets,omitzero"`  // in the file with File alone
	Wanted   []string     `json:"wanted,omitempty"`  // scopes that the server required since
	Revoked  bool         `json:"revoked,omitempty"` // the authorization server refused to renew it
	// the last login with this client ended without an answer: it may be unknown by now
	Unanswered bool `json:"unanswered,omitempty"`
}

// Registration is a client of an authorization server.
type Registration struct {
	ID string `json:"id"`
	// how it authenticates (token_endpoint_auth_method); empty = not at all
	Method   string `json:"method,omitempty"`
	Redirect string `json:"redirect,omitempty"` // the redirect URI it was registered with
	// by mcpctl (RFC 7591), so that the next login may use it
	Registered bool `json:"registered,omitempty"`
	// when the secret of a registered client ends; zero = never
	SecretExpires time.Time `json:"secretExpires,omitzero"`
}

// Secrets are the secret part of a login.
type Secrets struct {
	Access       string `json:"access"`
	Refresh      string `json:"refresh,omitempty"`
	ClientSecret string `json:"clientSecret,omitempty"` // of a client that mcpctl registered
}

// String hides them.
func (Secrets) String() string { return "***" }

// GoString hides them from %#v.
func (Secrets) GoString() string { return "***" }

// key returns the name of a login's file: there is one login to a server.
func (l Grant) key() string { return digest(l.Server) }

// secretKey returns the key of a login's secrets in the keyring. Those of another issuer are never read with
// this login.
func (l Grant) secretKey() string { return digest(l.Server) + digest(l.Issuer) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Vault is a directory of logins. It is created when it is needed.
type Vault struct {
	Folder    string // absolute
	NoKeyring string // why the system's keyring cannot be used; empty = it can
}

// document is the content of a login's file.
type document struct {
	Format int `json:"mcpctlLogin"`
	Grant
}

const format = 1

// maxSize bounds a login, in bytes.
const maxSize = 1 << 20

func (v Vault) files() files.Folder {
	return files.Folder{Path: v.Folder, Denied: files.NotReadable, Limit: maxSize}
}

// All returns the logins without their secrets, by server. An unreadable file is an error beside the others.
func (v Vault) All() (all []Grant, err error) {
	err = v.files().Each(func(name string) error {
		doc, err := v.read(name)
		if doc.Secrets = (Secrets{}); err == nil {
			all = append(all, doc.Grant)
		}
		return err
	})
	slices.SortFunc(all, func(a, b Grant) int { return strings.Compare(a.Server, b.Server) })
	return all, err
}

// Of returns the login to a server, without its secrets; nil if there is none.
func (v Vault) Of(server string) (*Grant, error) {
	doc, err := v.read(digest(server) + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if doc.Secrets = (Secrets{}); err != nil {
		return nil, err
	}
	return &doc.Grant, nil
}

// Unlock returns the current state of a login, with its secrets; nil if it was removed.
func (v Vault) Unlock(ctx context.Context, l Grant) (*Grant, error) {
	doc, err := v.read(l.key() + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if doc.Place == File {
		return &doc.Grant, nil
	}
	text, err := v.keyring(ctx, func() (string, error) { return keyring.Get(service, doc.secretKey()) })
	if err == nil && json.Unmarshal([]byte(text), &doc.Secrets) != nil {
		err = errors.New("its value is not a login of mcpctl")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the login to %s from the keyring: %w", l.Server, err)
	}
	return &doc.Grant, nil
}

func (v Vault) read(name string) (doc document, err error) {
	err = v.files().Read(name, func(text []byte) error {
		if json.Unmarshal(text, &doc) != nil || doc.Format != format || doc.Server == "" ||
			doc.key()+".json" != name {
			return errors.New("not a login of this version of mcpctl")
		}
		return nil
	})
	return doc, err
}

// Save stores a login in its Place and replaces an earlier one.
func (v Vault) Save(ctx context.Context, l Grant) error {
	if err := v.files().Make(); err != nil { // before anything is in the keyring
		return fmt.Errorf("saving the login: %w", err)
	}
	doc := document{Format: format, Grant: l}
	doc.Renews = l.Secrets.Refresh != ""
	if l.Place != File {
		text, _ := json.Marshal(l.Secrets) // texts can be encoded
		_, err := v.keyring(ctx, func() (string, error) {
			return "", keyring.Set(service, l.secretKey(), string(text))
		})
		if errors.Is(err, keyring.ErrSetDataTooBig) {
			err = errors.New("its tokens are larger than this keyring takes: log in with " +
				"MCPCTL_TOKEN_STORE=file")
		}
		if err != nil {
			return fmt.Errorf("saving the login in the keyring: %w", err)
		}
		doc.Secrets = Secrets{}
	}
	if err := v.files().Write(l.key()+".json", doc); err != nil {
		return fmt.Errorf("saving the login: %w", err)
	}
	return nil
}

// Remove removes a login. It is not an error if there is none.
func (v Vault) Remove(ctx context.Context, l Grant) error {
	var err error
	if l.Place == Keyring {
		_, err = v.keyring(ctx, func() (string, error) { return "", keyring.Delete(service, l.secretKey()) })
	}
	if errors.Is(err, keyring.ErrNotFound) {
		err = nil
	}
	if err = errors.Join(err, v.files().Remove(l.key()+".json")); err != nil {
		return fmt.Errorf("removing the login to %s: %w", l.Server, err)
	}
	return nil
}

// Lock takes the login's file lock, since a refresh token may be valid for one use only. The caller must call
// release.
func (v Vault) Lock(ctx context.Context, l Grant) (release func(), err error) {
	if release, err = v.files().Lock(ctx, l.key()+".lock"); err != nil {
		return nil, fmt.Errorf("renewing the login to %s: %w", l.Server, err)
	}
	return release, nil
}

// Change applies a change to the current state of a login, and saves it. It returns nil if the login is gone.
func (v Vault) Change(ctx context.Context, l Grant, change func(*Grant)) (*Grant, error) {
	release, err := v.Lock(ctx, l)
	if err != nil {
		return nil, err
	}
	defer release()
	now, err := v.Unlock(ctx, l) // another run may have renewed it
	if err != nil || now == nil {
		return nil, err
	}
	change(now)
	return now, v.Save(ctx, *now)
}

// service is the name under which the keyring shows the secrets to the user.
const service = "mcpctl"

// CheckKeyring returns an error if the keyring cannot be used.
func (v Vault) CheckKeyring(ctx context.Context) error {
	_, err := v.keyring(ctx, func() (string, error) { return keyring.Get(service, "check") })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("the keyring of this machine cannot be used: %w", err)
}

// keyring waits for the keyring until ctx ends: it may ask the user to unlock it.
func (v Vault) keyring(ctx context.Context, use func() (string, error)) (string, error) {
	if v.NoKeyring != "" {
		return "", errors.New(v.NoKeyring)
	}
	secret, err := host.AwaitFor(ctx, 0, use)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("waiting for the keyring: %w", err)
	}
	return secret, err
}
