//go:build fleet && linux

package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOnKubernetes runs examples/fleet/kubernetes as it is, but for the image and the volume, on a real cluster of one node that is alone
// in namespaces of its own: 500 servers are checked in the 8 indexes of a Job, of which one is killed and one fails, while the Job that
// merges waits for them.
func TestOnKubernetes(t *testing.T) {
	if programs := os.Getenv("MCPCTL_KUBERNETES_INSIDE"); programs != "" {
		f := newFarmInside(t, programs)
		t.Run("Job", f.testJob)
		return
	}
	mayRunKubernetes(t)
	programs := os.Getenv("MCPCTL_KUBERNETES") // the folder that keeps them
	if programs == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		programs = filepath.Join(cache, "mcpctl", "kubernetes-v1.34.3")
	}
	began := time.Now()
	if out, err := exec.Command("sh", "../../testdata/kubernetes/build.sh", programs).CombinedOutput(); err != nil {
		t.Fatalf("building Kubernetes: %v: %s", err, out)
	}
	t.Logf("Kubernetes is there, after %s", time.Since(began).Round(time.Second))
	t.Cleanup(restoreMachine(t))
	work, err := os.MkdirTemp("/tmp", "kube") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // its mounts are gone with their namespace
		if err := os.RemoveAll(work); err != nil {
			t.Error(err)
		}
	})
	// a shell waits for orphans
	inside := exec.Command("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", `"$@"; exit $?`,
		"sh", os.Args[0], "-test.run=^TestOnKubernetes$", "-test.v", "-test.timeout=15m")
	inside.Env = append(os.Environ(), "MCPCTL_KUBERNETES_INSIDE="+programs, "MCPCTL_KUBERNETES_WORK="+work)
	inside.Stdout, inside.Stderr = os.Stdout, os.Stderr
	if err := inside.Run(); err != nil {
		t.Error(err)
	}
}

// mayRunKubernetes skips where a node cannot run.
func mayRunKubernetes(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: a node of Kubernetes runs as root")
	}
	for _, program := range []string{"containerd", "ctr", "runc", "etcd", "/usr/lib/cni/ptp", "openssl", "curl", "ip", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("NOT TESTED: there is no " + program +
				": install containerd, runc, etcd-server, containernetworking-plugins, openssl, curl, iproute2 and util-linux")
		}
	}
	if known, _ := os.ReadFile("/proc/filesystems"); !bytes.Contains(known, []byte("\toverlay\n")) {
		t.Skip("NOT TESTED: this system has no overlayfs")
	}
	if out, err := exec.Command("unshare", "--net", "ip", "link", "add", "node", "type", "veth", "peer", "name",
		"other").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: no namespace can be had with a network of its own: %v: %s", err, out)
	}
}

// restoreMachine undoes what a kubelet does outside of its namespaces.
func restoreMachine(t *testing.T) func() {
	before := map[string][]byte{}
	for _, name := range []string{"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
		"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes"} {
		before["/proc/sys/"+name], _ = os.ReadFile("/proc/sys/" + name)
	}
	return func() {
		for name, text := range before {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Error(err)
			}
		}
		groups, _ := filepath.Glob("/sys/fs/cgroup/*/kubepods")
		more, _ := filepath.Glob("/sys/fs/cgroup/*/k8s.io")
		for _, group := range append(groups, append(more, "/sys/fs/cgroup/kubepods", "/sys/fs/cgroup/k8s.io")...) {
			_ = exec.Command("find", group, "-depth", "-type", "d", "-exec", "rmdir", "{}", "+").Run() // what is busy or not there stays
		}
	}
}

// cluster is the cluster, and the fleet that it looks at.
type cluster struct {
	*farm
	work, kubectl string
}

func newFarmInside(t *testing.T, programs string) *cluster {
	work := os.Getenv("MCPCTL_KUBERNETES_WORK")
	pause := filepath.Join(work, "pause")
	if out, err := exec.Command("go", "build", "-o", pause, "../../testdata/kubernetes/pause").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	writeImage(t, filepath.Join(work, "pause.tar"), "registry.local/pause:1", pause)
	c := &cluster{work: work, kubectl: filepath.Join(programs, "kubectl")}
	program := buildStatic(t, filepath.Join(work, "mcpctl"))
	writeImage(t, filepath.Join(work, "mcpctl.tar"), "registry.local/mcpctl:1", program)
	began := time.Now()
	start := exec.Command("sh", "../../testdata/kubernetes/start.sh", work, programs)
	start.Stdout, start.Stderr = os.Stdout, os.Stderr
	if err := start.Run(); err != nil {
		t.Fatal(err)
	}
	t.Logf("a cluster of one node is ready after %s: %s", time.Since(began).Round(time.Second), c.run(t, "version"))
	c.farm = newFarm(t, 500, "192.168.77.1")
	c.program = program
	c.apply(t)
	return c
}

// writeImage packs a program as an image, as docker save does.
func writeImage(t *testing.T, file, name, program string) {
	layer := packed(t, map[string]string{"usr/bin/mcpctl": readText(t, program)})
	config := fmt.Sprintf(
		`{"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/usr/bin/mcpctl"], "WorkingDir": "/", "User": "65532:65532"},
		"rootfs": {"type": "layers", "diff_ids": ["sha256:%x"]}}`, sha256.Sum256([]byte(layer)))
	manifest := fmt.Sprintf(`[{"Config": "config.json", "RepoTags": [%q], "Layers": ["layer.tar"]}]`, name)
	writeText(t, file, packed(t, map[string]string{"config.json": config, "layer.tar": layer, "manifest.json": manifest}))
}

func packed(t *testing.T, files map[string]string) string {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for name, text := range files {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		_, _ = archive.Write([]byte(text))
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// apply makes the example, with the configuration of the farm and a folder of this machine as its volume.
func (c *cluster) apply(t *testing.T) {
	for name, file := range map[string]string{"mcp.json": ".mcp.json", "mcpctl.yaml": "mcpctl.yaml"} {
		c.write(t, name, strings.ReplaceAll(readText(t, filepath.Join(c.dir, file)), "[.mcp.json]", "[mcp.json]"))
	}
	if err := os.Remove(filepath.Join(c.dir, ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	volume := filepath.Join(c.work, "volume")
	if err := errors.Join(os.Mkdir(volume, 0o777), os.Chmod(volume, 0o777),
		os.CopyFS(filepath.Join(c.dir, "example"), os.DirFS("../../examples/fleet/kubernetes"))); err != nil {
		t.Fatal(err)
	}
	patch := func(kind, path string) string {
		return fmt.Sprintf(
			"  - {target: {kind: %s}, patch: '[{\"op\": \"replace\", \"path\": \"%s/volumes/1\", \"value\": {\"name\": \"shared\", "+
				"\"hostPath\": {\"path\": \"%s\"}}}]'}\n", kind, path, volume)
	}
	c.write(t, "kustomization.yaml", `namespace: mcpctl
resources: [example]
configMapGenerator: [{name: mcpctl, behavior: replace, files: [mcpctl.yaml, mcp.json]}]
generatorOptions: {disableNameSuffixHash: true}
images: [{name: ghcr.io/mcpctl/mcpctl, newName: registry.local/mcpctl, newTag: "1"}]
patches:
  - {target: {kind: ServiceMonitor}, patch: '{$patch: delete, apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: `+
		`{name: any}}'}
  - {target: {kind: PersistentVolumeClaim}, patch: '{$patch: delete, apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: any}}'}
`+patch("CronJob", "/spec/jobTemplate/spec/template/spec")+patch("StatefulSet", "/spec/template/spec"))
	c.run(t, "create", "namespace", "mcpctl")
	c.run(t, "create", "secret", "generic", "mcpctl-listen", "--from-literal=token=not-a-secret")
	c.run(t, "apply", "--server-side", "--kustomize", c.dir)
	c.run(t, "scale", "statefulset", "mcpctl-watch", "--replicas=2")
	c.until(t, is("2"), "get", "statefulset", "mcpctl-watch", "--output=jsonpath={.status.readyReplicas}")
}

// run is what kubectl writes.
func (c *cluster) run(t *testing.T, words ...string) string {
	out, err := c.command(words...).CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %v: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *cluster) command(words ...string) *exec.Cmd {
	return exec.Command(c.kubectl, append([]string{"--kubeconfig=" + filepath.Join(c.work, "kubeconfig"), "--namespace=mcpctl"},
		words...)...)
}

// until waits for what kubectl says to be as wanted.
func (c *cluster) until(t *testing.T, wanted func(string) bool, words ...string) string {
	var out []byte
	for late := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) { // what never comes fails, late
		if out, _ = c.command(words...).Output(); wanted(string(out)) {
			return string(out)
		}
		if time.Now().After(late) {
			events, _ := c.command("get", "pods,jobs,statefulsets", "--output=wide").CombinedOutput()
			t.Fatalf("kubectl %v: %s\n%s", words, out, events)
		}
	}
}

func is(text string) func(string) bool { return func(got string) bool { return got == text } }

// testJob checks the fleet by the Job, and merges by the other.
func (c *cluster) testJob(t *testing.T) {
	began := time.Now()
	want, status := c.check(t)
	t.Logf("one process over 500 servers: status %d, %d bytes of report, in %s", status, len(want),
		time.Since(began).Round(100*time.Millisecond))
	parts := filepath.Join(c.work, "volume", "shards")
	blocked := filepath.Join(parts, "5.json") // index 5 cannot write its report
	if err := errors.Join(os.Mkdir(parts, 0o777), os.Chmod(parts, 0o777), os.Mkdir(blocked, 0o755)); err != nil {
		t.Fatal(err)
	}
	held := c.hold(t, 4)
	began = time.Now()
	c.run(t, "create", "job", "check", "--from=cronjob/mcpctl-check")
	<-held.asked
	c.awaitFailed(t, 5)
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	c.kill(t, 3)
	c.awaitFailed(t, 3)
	close(held.open)
	c.until(t, is("0-7 2 Complete"), "get", "job", "check",
		"--output=jsonpath={.status.completedIndexes} {.status.failed} {.status.conditions[?(@.type=='Complete')].type}")
	c.run(t, "create", "job", "merge", "--from=cronjob/mcpctl-merge")
	exit := c.until(t, func(text string) bool { return text != "" }, "get", "pod", "--selector=batch.kubernetes.io/job-name=merge",
		"--output=jsonpath={.items[*].status.containerStatuses[*].state.terminated.exitCode}")
	if exit != strconv.Itoa(status) {
		t.Errorf("the merge ended with status %s, want %d: %s", exit, status, c.run(t, "logs", "job/merge"))
	}
	got := []byte(readText(t, filepath.Join(c.work, "volume/whole/check.json")))
	here := bytes.ReplaceAll(got, []byte("/etc/mcpctl/"), nil) // as the process in the folder names its files
	if difference := cmp.Diff(withoutTimes(t, want), withoutTimes(t, here)); difference != "" {
		t.Errorf("-whole +merged %s", difference)
	}
	var r struct{ Servers, Findings []any }
	if err := json.Unmarshal(got, &r); err != nil || len(r.Servers) != 500 || len(r.Findings) == 0 {
		t.Errorf("the report has %d servers and %d findings, %v", len(r.Servers), len(r.Findings), err)
	}
	t.Logf("8 indexes over 500 servers, one killed, one failed, both begun anew: after %s merged with status %s, %d findings, %d bytes "+
		"of report, as from one process",
		time.Since(began).Round(100*time.Millisecond), exit, len(r.Findings), len(got))
}

// awaitFailed waits until a pod of an index of the Job has failed.
func (c *cluster) awaitFailed(t *testing.T, index int) {
	failed := func(phases string) bool { return strings.Contains(phases, "Failed") }
	c.until(t, failed, "get", "pod", fmt.Sprintf(
		"--selector=batch.kubernetes.io/job-name=check,batch.kubernetes.io/job-completion-index=%d", index),
		"--output=jsonpath={.items[*].status.phase}")
}

// kill kills the process of an index, as the kernel does when memory is short.
func (c *cluster) kill(t *testing.T, index int) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environments {
		environment, _ := os.ReadFile(file)
		words, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if !bytes.Contains(environment, fmt.Appendf(nil, "JOB_COMPLETION_INDEX=%d\x00", index)) ||
			!bytes.Contains(words, []byte("--shard=auto/8")) {
			continue
		}
		process, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no process of index %d", index)
}
