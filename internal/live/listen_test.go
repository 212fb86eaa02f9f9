package live

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
)

// writePair writes a certificate for 127.0.0.1 with a serial number, and its key, and gives the certificate.
func writePair(t *testing.T, o ListenOptions, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]pem.Block{o.Cert: {Type: "CERTIFICATE", Bytes: raw}, o.Key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Unix(serial, 0) // another time than the one before
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// TestTLS serves the certificate that is in its files now, and nobody who does not ask for TLS.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	o := ListenOptions{Address: "127.0.0.1:0", Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}
	var said bytes.Buffer
	p := host.Process{Err: &said}
	if _, err := listen(p, o, journal.New()); err == nil {
		t.Error("it listens without a certificate")
	}
	if _, err := listen(p, ListenOptions{Address: o.Address, Cert: o.Cert}, journal.New()); err == nil || !strings.Contains(err.Error(), "together") {
		t.Errorf("without a key: %v", err)
	}
	first := writePair(t, o, 1)
	m, err := listen(p, o, journal.New())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, url, _ := strings.Cut(strings.TrimSpace(said.String()), "listening on ")
	get := func(cert *x509.Certificate) (serial int64, err error) {
		pool := x509.NewCertPool()
		pool.AddCert(cert)
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
		response, err := client.Get(url + "/healthz")
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		return response.TLS.PeerCertificates[0].SerialNumber.Int64(), nil
	}
	if n, err := get(first); n != 1 {
		t.Errorf("certificate %d, %v", n, err)
	}
	if err := os.WriteFile(o.Cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := get(first); n != 1 {
		t.Errorf("while it is renewed: certificate %d, %v", n, err)
	}
	if n, err := get(writePair(t, o, 2)); n != 2 {
		t.Errorf("renewed: certificate %d, %v", n, err)
	}
	plain, err := http.Get("http" + strings.TrimPrefix(url, "https") + "/v1/servers")
	if err == nil && plain.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: %s", plain.Status)
	}
	if err == nil {
		_ = plain.Body.Close()
	}
}

// TestBrokenRenewalIsTold once, and not before whoever renews the files has had time to finish.
func TestBrokenRenewalIsTold(t *testing.T) {
	dir := t.TempDir()
	o := ListenOptions{Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}
	writePair(t, o, 1)
	var said remarks
	c := &certificate{files: []string{o.Cert, o.Key}, note: said.note}
	first, err := c.current(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.Cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, written := range []time.Time{time.Now(), time.Now().Add(-time.Hour)} {
		for _, file := range c.files {
			if err := os.Chtimes(file, written, written); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if now, err := c.current(nil); now != first || err != nil {
				t.Errorf("%v, %v: the last pair does not hold", now, err)
			}
		}
		if old := time.Since(written) > time.Minute; len(said.all) > 0 != old || len(said.all) > 1 {
			t.Errorf("old %v: noted %q", old, said.all)
		}
	}
}

// TestUnixSocket is for its owner alone, replaces one that nobody listens on, and no file of another kind.
func TestUnixSocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: modes of files")
	}
	dir, err := os.MkdirTemp("", "s") // a path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	_ = left.Close()
	o, p := ListenOptions{Address: "unix:" + path}, host.Process{Quiet: true}
	m, err := listen(p, o, journal.New())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := listen(p, o, journal.New()); err == nil || !strings.Contains(err.Error(), "is listened on") {
		t.Errorf("a second one: %v", err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial}}
	for host, want := range map[string]int{"localhost": 200, "evil.example": 421} {
		response, err := client.Get("http://" + host + "/v1/servers")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s gets %d", host, response.StatusCode)
		}
	}
	m.Close()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is left behind")
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := listen(p, o, journal.New()); err == nil {
		t.Error("a file was replaced")
	}
}

// TestDescriptorsAreShared: what is kept for others is never given to a server, and comes back once.
func TestDescriptorsAreShared(t *testing.T) {
	d := shareDescriptors(host.Process{Quiet: true}, 256, nil, 4, true)
	var backs []func()
	for {
		back, err := d.take(ofProgram)
		if err != nil {
			if !strings.Contains(err.Error(), "256 files") {
				t.Errorf("%v", err)
			}
			break
		}
		backs = append(backs, back)
	}
	if most := (256 - ofOurs - connections(256)) / ofProgram; len(backs) == 0 || len(backs) > most {
		t.Errorf("%d servers, want 1 to %d", len(backs), most)
	}
	backs[0]()
	backs[0]()
	if _, err := d.take(ofProgram); err != nil {
		t.Errorf("what was given back: %v", err)
	}
	if _, err := d.take(1); err == nil && d.left < 0 {
		t.Error("it came back twice")
	}
	if back, err := (*descriptors)(nil).take(1); err != nil {
		t.Error(err)
	} else {
		back()
	}
}
