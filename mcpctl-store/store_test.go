package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
)

// azuriteKey is the key of the account that every Azurite has.
const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

// TestAzure keeps to the conditions of writes in Azurite, Microsoft's own emulator (npm install -g azurite).
func TestAzure(t *testing.T) {
	program, err := exec.LookPath("azurite-blob")
	if err != nil {
		t.Skip("NOT TESTED: azblob:// needs azurite in PATH: make emulators")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	_ = listener.Close()
	server := exec.Command(program, "--blobHost", "127.0.0.1", "--blobPort", fmt.Sprint(address.Port), "--location", t.TempDir(), "--silent", "--skipApiVersionCheck", "--disableTelemetry")
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = server.Process.Kill(), server.Wait() })
	for name, value := range map[string]string{"ACCOUNT": "devstoreaccount1", "KEY": azuriteKey, "DOMAIN": address.String(), "PROTOCOL": "http", "IS_LOCAL_EMULATOR": "true"} {
		t.Setenv("AZURE_STORAGE_"+name, value)
	}
	credential, err := azblob.NewSharedKeyCredential("devstoreaccount1", azuriteKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azblob.NewClientWithSharedKeyCredential("http://"+address.String()+"/devstoreaccount1", credential, nil)
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err = client.CreateContainer(t.Context(), "fleet", nil); err == nil {
			break
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
	conditions(t, "azblob://")
}

// conditions holds a store to what mcpctl relies on.
func conditions(t *testing.T, scheme string) {
	all := &buckets{open: map[string]*bucket{}}
	at := scheme + "fleet/prod/" + filepath.Base(t.Name()) + "/%2Ea.json"
	do := func(kind string, r request) answer {
		t.Helper()
		a := all.answer(context.Background(), r)
		if a.Kind != kind {
			t.Errorf("%s %s: %q %s, want %q", r.Op, r.At, a.Kind, a.Error, kind)
		}
		return a
	}
	none, wrong := "", "\"0x8DE2A0000000000\""
	do("absent", request{Op: "get", At: at})
	do("nobucket", request{Op: "get", At: scheme + "elsewhere/a.json"})
	do("nobucket", request{Op: "list", At: scheme + "elsewhere/"})
	do("nobucket", request{Op: "put", At: scheme + "elsewhere/a.json", body: []byte("x")})
	do("changed", request{Op: "put", At: at, If: &wrong, body: []byte("x")})
	do("", request{Op: "put", At: at, If: &none, body: []byte("one")})
	do("changed", request{Op: "put", At: at, If: &none, body: []byte("two")})
	first := do("", request{Op: "get", At: at})
	if string(first.body) != "one" || first.Version == "" {
		t.Errorf("%q, version %q", first.body, first.Version)
	}
	do("", request{Op: "put", At: at, If: &first.Version, body: []byte("two")})
	do("changed", request{Op: "put", At: at, If: &first.Version, body: []byte("three")})
	second := do("", request{Op: "get", At: at})
	if string(second.body) != "two" {
		t.Errorf("%q", second.body)
	}
	if names := do("", request{Op: "list", At: scheme + "fleet/prod/"}).Names; len(names) != 1 || scheme+"fleet/"+names[0] != at {
		t.Errorf("%q", names)
	}
	do("", request{Op: "remove", At: at})
	do("absent", request{Op: "remove", At: at})
	do("changed", request{Op: "put", At: at, If: &second.Version, body: []byte("three")})
	do("", request{Op: "put", At: at, body: nil})
	do("", request{Op: "get", At: at})
}
