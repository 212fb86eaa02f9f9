//go:build store

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// azuriteKey is the key of the account that every Azurite has.
const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

// TestStoreGoogle keeps snapshots and reports at Google's interface. The server that stands for it takes minutes to build.
func TestStoreGoogle(t *testing.T) {
	program, err := exec.LookPath("fake-gcs-server")
	if err != nil {
		t.Skip("NOT TESTED: gs:// needs fake-gcs-server in PATH: go install github.com/fsouza/fake-gcs-server@v1.56.1")
	}
	c := newCloud(t, func(_ *cloud, address string) *exec.Cmd {
		host, port, _ := net.SplitHostPort(address)
		return exec.Command(program, "-scheme", "http", "-host", host, "-port", port,
			"-public-host", address, // it reads objects for requests to this host alone
			"-backend", "memory", "-log-level", "error")
	}, func(proxy string) []string { return []string{"STORAGE_EMULATOR_HOST=" + proxy} })
	r, _ := http.NewRequest(http.MethodPost, "/storage/v1/b?project=p", strings.NewReader(`{"name": "fleet"}`))
	c.makeBucket(t, "STORAGE_EMULATOR_HOST=", r)
	c.keep(t, "gs://fleet/", http.MethodPost)
}

// TestStoreAzure keeps them in Azurite, Microsoft's own emulator.
func TestStoreAzure(t *testing.T) {
	program, err := exec.LookPath("azurite-blob")
	if err != nil {
		t.Skip("NOT TESTED: azblob:// needs azurite from npm in PATH")
	}
	c := newCloud(t, func(c *cloud, address string) *exec.Cmd {
		host, port, _ := net.SplitHostPort(address)
		return exec.Command(program, "--blobHost", host, "--blobPort", port, "--location", c.dir, "--silent", "--skipApiVersionCheck", "--disableTelemetry")
	}, func(proxy string) []string {
		return []string{"AZURE_STORAGE_DOMAIN=" + proxy, "AZURE_STORAGE_ACCOUNT=devstoreaccount1", "AZURE_STORAGE_KEY=" + azuriteKey,
			"AZURE_STORAGE_PROTOCOL=http", "AZURE_STORAGE_IS_LOCAL_EMULATOR=true"}
	})
	r, _ := http.NewRequest(http.MethodPut, "/devstoreaccount1/fleet?restype=container", nil)
	now := time.Now().UTC().Format(http.TimeFormat)
	key, _ := base64.StdEncoding.DecodeString(azuriteKey)
	sum := hmac.New(sha256.New, key)
	_, _ = sum.Write([]byte("PUT" + strings.Repeat("\n", 12) + "x-ms-date:" + now + "\nx-ms-version:2021-08-06\n/devstoreaccount1/devstoreaccount1/fleet\nrestype:container"))
	r.Header.Set("x-ms-date", now)
	r.Header.Set("x-ms-version", "2021-08-06")
	r.Header.Set("Authorization", "SharedKey devstoreaccount1:"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	c.makeBucket(t, "AZURE_STORAGE_DOMAIN=", r)
	c.keep(t, "azblob://fleet/", http.MethodPut)
}

// makeBucket asks the server that a variable names for a bucket.
func (c *cloud) makeBucket(t *testing.T, variable string, r *http.Request) {
	for _, v := range c.environ {
		if host, is := strings.CutPrefix(v, variable); is {
			r.URL.Scheme, r.URL.Host = "http", host
		}
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	if reply.StatusCode >= 300 {
		t.Fatal(reply.Status)
	}
}

// keep does with a store what it is for. Objects are written by one kind of requests.
func (c *cloud) keep(t *testing.T, bucket, writes string) {
	prod := bucket + "prod"
	c.run(t, 4, "no saved snapshot", "diff", "--snapshots", prod)
	c.run(t, 0, "created", "snapshot", "--snapshots", prod)
	c.run(t, 0, "unchanged", "snapshot", "--snapshots", prod)
	c.run(t, 0, prod+"/27/tickets.json", "diff", "--snapshots", prod)
	c.run(t, 0, "create_ticket", "list", prod)
	c.offer(t, 2)
	c.run(t, 1, "close_ticket", "diff", "--snapshots", prod)
	c.run(t, 3, "make the bucket", "diff", "--snapshots", strings.Replace(prod, "fleet", "elsewhere", 1))
	c.write(t, "another.json", `{"mcpctl": 1, "server": {"name": "tickets"}, "tools": [{"name": "of_another"}]}`)
	c.hinder(writes, 1, func(http.ResponseWriter, *http.Request) bool {
		c.run(t, 0, "", "snapshot", "another.json", "--output", prod+"/27/tickets.json")
		return false
	})
	c.run(t, 3, "somebody else has written it meanwhile", "snapshot", "--snapshots", prod)
	c.run(t, 0, "of_another", "list", prod)
	c.run(t, 0, "", "check", "--shard", "1/2", "--report", "json="+bucket+"run/1.json", "--output", "/dev/null")
	c.run(t, 3, "2 of 2 missing", "merge", bucket+"run")
	c.run(t, 0, "", "check", "--shard", "2/2", "--report", "json="+bucket+"run/2.json", "--output", "/dev/null")
	c.run(t, 0, "", "merge", bucket+"run", "--report", "markdown="+bucket+"whole.md")
}
