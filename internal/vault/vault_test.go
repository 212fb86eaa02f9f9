package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"
)

// TestMain never touches a real keyring.
func TestMain(m *testing.M) {
	keyring.MockInit()
	os.Exit(m.Run())
}

// some is a login with everything.
func some(place Store) Grant {
	return Grant{
		Server: "https://mcp.example/mcp", Resource: "https://mcp.example/mcp", Issuer: "https://auth.example", Scopes: []string{"read"},
		Expires: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Renews: true, Since: time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC),
		Client: Registration{ID: "client-1", Redirect: "http://127.0.0.1:1/callback", Registered: true},
		Token:  "https://auth.example/token", Place: place,
		Secrets: Secrets{Access: "access-secret", Refresh: "refresh-secret", ClientSecret: "client-secret"},
	}
}

// TestKeep keeps a login in both places, whole and private, and forgets it.
func TestKeep(t *testing.T) {
	for _, place := range []Store{File, Keyring} {
		t.Run(string(place), func(t *testing.T) {
			v := Vault{Folder: filepath.Join(t.TempDir(), "state", "logins")}
			want := some(place)
			if err := v.Save(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			public, err := v.Of(want.Server)
			if err != nil || public == nil || public.Secrets != (Secrets{}) {
				t.Fatalf("%+v, %v", public, err)
			}
			got, err := v.Unlock(t.Context(), *public)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Errorf("-kept +found:\n%s", diff)
			}
			text, err := os.ReadFile(filepath.Join(v.Folder, want.key()+".json"))
			if err != nil || strings.Contains(string(text), "-secret") != (place == File) {
				t.Errorf("the file: %s, %v", text, err)
			}
			checkModes(t, v.Folder)
			if err := v.Remove(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			if again, err := v.Unlock(t.Context(), want); again != nil || err != nil {
				t.Errorf("still there: %v, %v", again, err)
			}
			if _, err := keyring.Get(service, want.secretKey()); !errors.Is(err, keyring.ErrNotFound) {
				t.Errorf("still in the keyring: %v", err)
			}
			if err := v.Remove(t.Context(), want); err != nil {
				t.Errorf("forgetting it twice: %v", err)
			}
		})
	}
}

func checkModes(t *testing.T, folder string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Log("SKIPPED: files of a profile on Windows are private by inheritance")
		return
	}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPrivate does not use what others can read or could have put there.
func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: files of a profile on Windows are private by inheritance")
	}
	v := Vault{Folder: filepath.Join(t.TempDir(), "logins")}
	l := some(File)
	if err := v.Save(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(v.Folder, l.key()+".json")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Unlock(t.Context(), l); err == nil || !strings.Contains(err.Error(), "chmod go=") {
		t.Errorf("a file that others can read: %v", err)
	}
	elsewhere := filepath.Join(t.TempDir(), "x")
	if err := os.Rename(file, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(elsewhere, 0o600), os.Symlink(elsewhere, file)); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Unlock(t.Context(), l); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link: %v", err)
	}
	if err := os.Chmod(v.Folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := v.Save(t.Context(), l); err == nil || !strings.Contains(err.Error(), "can be read by others") {
		t.Errorf("an open folder: %v", err)
	}
}

// TestBroken reports a file that is not a login, and goes on with the others.
func TestBroken(t *testing.T) {
	v := Vault{Folder: filepath.Join(t.TempDir(), "logins")}
	if all, err := v.All(); all != nil || err != nil {
		t.Errorf("no folder: %v, %v", all, err)
	}
	if err := v.Save(t.Context(), some(File)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.json": "{", "b.json": `{"mcpctlLogin": 9}`,
		"c.json": `{"mcpctlLogin": 1, "server": "https://evil.example"}`, "d.lock": ""} {
		if err := os.WriteFile(filepath.Join(v.Folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := v.All()
	if len(all) != 1 || err == nil || strings.Count(err.Error(), "not a login of this version of mcpctl") != 3 {
		t.Errorf("%v, %v", all, err)
	}
	if (Vault{Folder: "relative"}).Save(t.Context(), some(File)) == nil {
		t.Error("kept in a relative folder")
	}
}

// TestOneLogin keeps the last login to a server, and none of its secrets for another issuer.
func TestOneLogin(t *testing.T) {
	v := Vault{Folder: filepath.Join(t.TempDir(), "logins")}
	first, second := some(Keyring), some(Keyring)
	second.Issuer, second.Secrets.Refresh = "https://other.example", "other-secret"
	for _, l := range []Grant{first, second} {
		if err := v.Save(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := v.Of(first.Server); err != nil || l.Issuer != second.Issuer {
		t.Errorf("%+v, %v", l, err)
	}
	if text, err := keyring.Get(service, first.secretKey()); err != nil || strings.Contains(text, "other-secret") {
		t.Errorf("the secrets of the first issuer are %s, %v", text, err)
	}
	// a run that began before the second login was saved
	if l, err := v.Unlock(t.Context(), first); err != nil || l.Issuer != second.Issuer || l.Secrets != second.Secrets {
		t.Errorf("the login of the first issuer is unlocked as %+v with %q, %v", l, l.Secrets.Refresh, err)
	}
	if l, err := v.Of("https://mcp.example/other"); l != nil || err != nil {
		t.Errorf("a login to another server: %+v, %v", l, err)
	}
}

// TestHold lets one in at a time, and ends the wait with the context.
func TestHold(t *testing.T) {
	v, l := Vault{Folder: filepath.Join(t.TempDir(), "logins")}, some(File)
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			release, err := v.Lock(t.Context(), l)
			if err != nil {
				t.Error(err)
				return
			}
			if inside.Add(1) != 1 {
				t.Error("two at once")
			}
			inside.Add(-1)
			release()
		})
	}
	all.Wait()
	release, err := v.Lock(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
	defer cancel()
	if _, err := v.Lock(ctx, l); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestKeyring says what is wrong with a keyring, and waits for none for ever.
func TestKeyring(t *testing.T) {
	if err := (Vault{NoKeyring: "there is no bus"}).CheckKeyring(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "cannot be used: there is no bus") {
		t.Errorf("got %v", err)
	}
	if err := (Vault{}).CheckKeyring(t.Context()); err != nil {
		t.Errorf("an empty keyring: %v", err)
	}
	v := Vault{Folder: filepath.Join(t.TempDir(), "logins"), NoKeyring: "there is no bus"}
	if err := v.Save(t.Context(), some(Keyring)); err == nil {
		t.Error("kept without a keyring")
	}
	if all, err := v.All(); len(all) != 0 || err != nil {
		t.Errorf("half a login is left: %v, %v", all, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	stuck := make(chan struct{})
	defer close(stuck)
	if _, err := (Vault{}).keyring(ctx, func() (string, error) { <-stuck; return "", nil }); err == nil ||
		!strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
}

// TestSecretsAreHidden prints no secret with any verb.
func TestSecretsAreHidden(t *testing.T) {
	l := some(File)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, l); strings.Contains(text, "-secret") {
			t.Errorf("%s shows %s", verb, text)
		}
	}
}
