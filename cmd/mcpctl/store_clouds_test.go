//go:build store

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
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
		t.Skip("NOT TESTED: gs:// needs fake-gcs-server in PATH: make emulators")
	}
	c := newCloud(t, func(_ *cloud, address string) *exec.Cmd {
		host, port, _ := net.SplitHostPort(address)
		return exec.Command(program, "-scheme", "http", "-host", host, "-port", port,
			"-public-host", address, // it reads objects for requests to this host alone
			"-backend", "memory", "-log-level", "error")
	}, func(proxy string) []string { return []string{"STORAGE_EMULATOR_HOST=" + proxy} })
	r, _ := http.NewRequest(http.MethodPost, "/storage/v1/b?project=p", strings.NewReader(`{"name": "fleet"}`))
	c.makeBucket(t, "STORAGE_EMULATOR_HOST=", r)
	c.keep(t, "gs://fleet/", http.MethodPost, "storage: bucket doesn't exist")
}

// TestStoreAzure keeps them in Azurite, Microsoft's own emulator.
func TestStoreAzure(t *testing.T) {
	program, err := exec.LookPath("azurite-blob")
	if err != nil {
		t.Skip("NOT TESTED: azblob:// needs azurite in PATH: make emulators")
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
	c.keep(t, "azblob://fleet/", http.MethodPut, "ContainerNotFound")
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

// keep does with a store what it is for, with what goes wrong between here and there. Objects are written by one kind of requests, and
// missing is what the store says of a bucket that is not there.
func (c *cloud) keep(t *testing.T, bucket, writes, missing string) {
	prod := bucket + "prod"
	c.run(t, 4, "no saved snapshot", "diff", "--snapshots", prod)
	c.run(t, 0, "created", "snapshot", "--snapshots", prod)
	c.run(t, 0, "unchanged", "snapshot", "--snapshots", prod)
	c.run(t, 0, prod+"/27/tickets.json", "diff", "--snapshots", prod)
	c.run(t, 0, "create_ticket", "list", prod)
	c.offer(t, 2)
	c.run(t, 1, "close_ticket", "diff", "--snapshots", prod)
	elsewhere := strings.Replace(prod, "fleet", "elsewhere", 1)
	for _, args := range [][]string{{"diff", "--snapshots", elsewhere}, {"list", elsewhere}, {"snapshot", "--snapshots", elsewhere}} {
		c.run(t, 3, missing, args...)
		c.run(t, 3, "make the bucket", args...)
	}
	t.Run("an answer is cut", func(t *testing.T) {
		c.hinder(http.MethodGet, 1, cut)
		c.run(t, 1, "close_ticket", "diff", "--snapshots", prod)
	})
	t.Run("busy for a moment", func(t *testing.T) {
		c.hinder(http.MethodGet, 2, busy)
		c.run(t, 1, "close_ticket", "diff", "--snapshots", prod)
	})
	t.Run("busy for long", func(t *testing.T) {
		c.hinder(http.MethodGet, 1000, busy)
		c.run(t, 3, "run it again once the store answers", "diff", "--snapshots", prod)
		c.hinder(writes, 1000, busy)
		c.run(t, 3, "run it again once the store answers", "snapshot", "--snapshots", prod)
		c.hinder("", 0, nil)
		c.run(t, 1, "close_ticket", "diff", "--snapshots", prod) // nothing became of it
	})
	t.Run("slow", func(t *testing.T) {
		c.hinder(writes, 1, func(http.ResponseWriter, *http.Request) bool { time.Sleep(time.Second); return false })
		c.run(t, 0, "created", "snapshot", "--snapshots", bucket+"slow")
	})
	t.Run("the answer to a write is lost", func(t *testing.T) {
		c.hinder(writes, 1, func(w http.ResponseWriter, r *http.Request) bool {
			c.forward.ServeHTTP(httptest.NewRecorder(), r)
			return cut(w, r)
		})
		c.run(t, 0, "created", "snapshot", "--snapshots", bucket+"lost")
		c.run(t, 0, "unchanged", "snapshot", "--snapshots", bucket+"lost")
	})
	t.Run("two writers", func(t *testing.T) {
		for _, command := range []string{"snapshot", "accept --all"} {
			c.write(t, "another.json", fmt.Sprintf(`{"mcpctl": 1, "server": {"name": "tickets"}, "tools": [{"name": "of another while we %s"}]}`, command))
			c.hinder(writes, 1, func(http.ResponseWriter, *http.Request) bool {
				c.run(t, 0, "", "snapshot", "another.json", "--output", prod+"/27/tickets.json")
				return false
			})
			c.run(t, 3, "somebody else has written it meanwhile", append(strings.Fields(command), "--snapshots", prod)...)
			c.run(t, 0, "of another while we "+command, "list", prod)
		}
	})
	t.Run("parts of a run", func(t *testing.T) {
		c.run(t, 0, "", "check", "--shard", "1/2", "--report", "json="+bucket+"run/1.json", "--output", "/dev/null")
		c.run(t, 3, "2 of 2 missing", "merge", bucket+"run")
		c.hinder(writes, 1, cut)
		c.run(t, 0, "", "check", "--shard", "2/2", "--report", "json="+bucket+"run/2.json", "--output", bucket+"2.txt")
		c.run(t, 0, "", "merge", bucket+"run", "--report", "markdown="+bucket+"whole.md")
	})
}
