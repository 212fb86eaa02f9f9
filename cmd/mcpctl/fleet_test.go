//go:build fleet

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/fixture"
)

// TestFleetOnSlurm checks 1,000 servers in the 8 tasks of a Slurm array, as examples/fleet does, with a controller and a node of
// Slurm's own on this machine. One task is killed and requeued while it runs. What merge makes of the reports is the report of one
// run over all.
func TestFleetOnSlurm(t *testing.T) {
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch", "scontrol"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("NOT TESTED: there is no " + program + ": install slurmctld, slurmd, slurm-client and munge")
		}
	}
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: a node of Slurm runs as root")
	}
	f := newFarm(t, 1000, "127.0.0.1")
	f.program = buildStatic(t, filepath.Join(f.dir, "bin", "mcpctl"))
	for _, script := range []string{"slurm.sh", "merge.sh"} {
		f.write(t, script, readText(t, filepath.Join("../../examples/fleet", script)))
	}
	if err := os.Mkdir(filepath.Join(f.dir, "reports"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := startSlurm(t, f.dir)
	want, status := f.check(t)
	held := f.hold(t, 3)
	parts := s.run(t, "sbatch", "--parsable", "--array=1-8", "slurm.sh")
	<-held.asked
	s.run(t, "scontrol", "requeue", parts+"_3")
	close(held.open)
	merge := s.command("sbatch", "--wait", "--dependency=afterany:"+parts, "merge.sh")
	err := merge.Run()
	if got := merge.ProcessState.ExitCode(); got != status {
		log, _ := os.ReadFile(filepath.Join(f.dir, "reports/merge.log"))
		t.Fatalf("merge: status %d (%v), want %d: %s", got, err, status, log)
	}
	got := []byte(readText(t, filepath.Join(f.dir, "check.json")))
	if difference := cmp.Diff(withoutTimes(t, want), withoutTimes(t, got)); difference != "" {
		t.Errorf("-whole +merged %s", difference)
	}
	if restarts := s.run(t, "scontrol", "show", "job", parts+"_3"); !strings.Contains(restarts, "Restarts=1 ") {
		t.Errorf("the task was not requeued: %s", restarts)
	}
	t.Logf("1,000 servers in 8 parts, one of them killed and requeued: status %d, %d bytes of report, as from one run", status, len(got))
}

// farm is a directory with the configuration of many servers, and the servers.
type farm struct {
	dir, program string
	servers      *http.ServeMux
	gate         atomic.Pointer[gate]
}

// gate holds a server back: it was asked, and answers once it is open.
type gate struct {
	server      string
	once        sync.Once
	asked, open chan struct{}
}

func newFarm(t *testing.T, servers int, host string) *farm {
	f := &farm{dir: t.TempDir(), servers: http.NewServeMux()}
	listener, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(f.serve)}}
	server.Start()
	t.Cleanup(server.Close)
	var entries []string
	for i := range servers {
		name, tools := fmt.Sprintf("s%04d", i), fmt.Sprintf(
			"tools: [{name: tool_%d, description: 'does what tool_%d does not'}, {name: own_%d}", i%97, i%89, i)
		if i%50 != 7 { // the others are not found
			script, err := fixture.Parse([]byte(tools + "]\n"))
			if err != nil {
				t.Fatal(err)
			}
			f.servers.Handle("/"+name+"/", http.StripPrefix("/"+name, fixture.HTTP(script)))
		}
		entries = append(entries, fmt.Sprintf("%q: {\"url\": \"%s/%s/mcp\"}", name, server.URL, name))
	}
	f.write(t, ".mcp.json", `{"mcpServers": {`+strings.Join(entries, ",\n")+`}}`)
	f.write(t, "mcpctl.yaml", fmt.Sprintf("include: [.mcp.json]\nbudgets: {tools: %d}\n", servers*3/2)+
		"waivers: [{rule: prompt-*, reason: of no use}, {rule: tool-name-shared, server: s00*, reason: known}]\n")
	return f
}

// serve answers for the servers.
func (f *farm) serve(w http.ResponseWriter, r *http.Request) {
	if g := f.gate.Load(); g != nil && strings.HasPrefix(r.URL.Path, "/"+g.server+"/") {
		g.once.Do(func() { close(g.asked) })
		select {
		case <-g.open:
		case <-r.Context().Done():
		}
	}
	f.servers.ServeHTTP(w, r)
}

func (f *farm) write(t *testing.T, name, text string) {
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// check is the report of one run over all servers, and its exit status.
func (f *farm) check(t *testing.T, more ...string) ([]byte, int) {
	cmd := exec.Command(f.program, append([]string{"check", "--config", "mcpctl.yaml", "--format", "json"}, more...)...)
	cmd.Dir = f.dir
	out, err := cmd.Output()
	if len(out) == 0 {
		t.Fatal(err)
	}
	return out, cmd.ProcessState.ExitCode()
}

// hold holds back a server of one of 8 shards.
func (f *farm) hold(t *testing.T, shard int) *gate {
	out, _ := f.check(t, "--shard", fmt.Sprintf("%d/8", shard))
	var r struct{ Servers []struct{ Name string } }
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	g := &gate{server: r.Servers[len(r.Servers)/2].Name, asked: make(chan struct{}), open: make(chan struct{})}
	f.gate.Store(g)
	return g
}

// slurm is a controller and a node on this machine.
type slurm struct{ dir, work string }

// conf is for one node that is this machine. Credentials last so briefly since a task that is requeued waits until its own is over.
const conf = `ClusterName=mcpctl
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket,cred_expire=5
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=HOST NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=HOST Default=YES MaxTime=INFINITE State=UP
`

func startSlurm(t *testing.T, work string) slurm {
	dir, err := os.MkdirTemp("/tmp", "slurm") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := slurm{dir, work}
	host, _ := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	for name, text := range map[string]string{
		"slurm.conf":  strings.NewReplacer("DIR", dir, "HOST", host).Replace(conf),
		"cgroup.conf": "CgroupPlugin=autodetect\nCgroupAutomount=no\n",
		"munge.key":   strings.Repeat("not a secret at all ", 10),
	} {
		writeText(t, filepath.Join(dir, name), text)
	}
	for _, folder := range []string{"state", "spool"} {
		_ = os.Mkdir(filepath.Join(dir, folder), 0o700)
	}
	_ = os.Chmod(dir, 0o755)
	s.start(t, "munged", "-F", "--force", "--key-file="+dir+"/munge.key", "--socket="+dir+"/munge.socket", "--pid-file="+dir+"/munged.pid",
		"--log-file="+dir+"/munged.log", "--seed-file="+dir+"/munged.seed")
	s.until(t, "munge", "-n", "-S", dir+"/munge.socket")
	s.start(t, "slurmctld", "-D", "-f", dir+"/slurm.conf")
	s.until(t, "scontrol", "ping")
	node := s.start(t, "slurmd", "-D", "-f", dir+"/slurm.conf")
	for s.command("sh", "-c", "sinfo -h -o %t | grep -q idle").Run() != nil {
		select {
		case says := <-node:
			t.Skip("NOT TESTED: a node of Slurm does not run on this machine: " + says)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return s
}

func (s slurm) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.work
	cmd.Env = append(os.Environ(), "SLURM_CONF="+s.dir+"/slurm.conf", "PATH="+filepath.Join(s.work, "bin")+":"+os.Getenv("PATH"))
	return cmd
}

// start runs a daemon until the end of the test. What it wrote is in the channel once it has ended.
func (s slurm) start(t *testing.T, name string, args ...string) <-chan string {
	cmd := s.command(name, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		_ = cmd.Wait()
		ended <- said.String()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		says := <-ended
		late.Stop()
		if t.Failed() {
			t.Logf("%s: %s", name, says)
		}
	})
	return ended
}

// until waits for a command to succeed.
func (s slurm) until(t *testing.T, name string, args ...string) {
	end := time.Now().Add(2 * time.Minute) // what never comes fails, late
	for s.command(name, args...).Run() != nil {
		if time.Now().After(end) {
			t.Fatalf("%s %v never succeeded", name, args)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// run is what a command writes.
func (s slurm) run(t *testing.T, name string, args ...string) string {
	out, err := s.command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}
