package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
)

// statefulSet is what a pod of a StatefulSet of Kubernetes belongs to. It divides itself as kube-state-metrics does
// (github.com/kubernetes/kube-state-metrics, "Automated sharding"): the ordinal in the pod's name says which part, and the API how
// many there are. All that it may do there is to get the scale of its own set.
type statefulSet struct {
	name    string
	ordinal int    // of this pod, from 0
	api     string // host and port
	account string // folder with what the pod shows to the API
}

const (
	accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount" // kubernetes.io/docs/tasks/run-application/access-api-from-pod
	apiTimeout    = 10 * time.Second
	mostAnswered  = 1 << 20
)

// podName is that of a pod of a StatefulSet (kubernetes.io/docs/concepts/workloads/controllers/statefulset, "Stable network ID").
var podName = match.Pattern(`^(.+)-(\d+)$`)

// statefulSetOf is what the environment says of the pod; nil = this is none that a StatefulSet made.
func statefulSetOf(lookup func(string) (string, bool)) *statefulSet {
	host, inside := lookup("KUBERNETES_SERVICE_HOST")
	pod, named := lookup("POD_NAME")
	if !named {
		pod, _ = lookup("HOSTNAME") // which is the name, unless the pod has the network of its node
	}
	words := podName().FindStringSubmatch(pod)
	if !inside || words == nil {
		return nil
	}
	port, _ := lookup("KUBERNETES_SERVICE_PORT")
	ordinal, _ := strconv.Atoi(words[2])
	return &statefulSet{name: words[1], ordinal: ordinal, api: net.JoinHostPort(host, port), account: accountFolder}
}

// shard is the part of this pod: of count parts, or of as many as the API says.
func (s *statefulSet) shard(count string) (Shard, error) {
	if count != "" {
		part, err := ParseShard(fmt.Sprintf("%d/%s", s.ordinal+1, count), nil)
		if err != nil {
			return part, fmt.Errorf("this is pod %d of %s, from 0, which is no part of %s", s.ordinal, s.name, count)
		}
		return part, nil
	}
	n, err := s.replicas(context.Background())
	if err != nil {
		return Shard{}, fmt.Errorf("asking how many pods %s has: %w: let the service account get statefulsets/scale, as examples/fleet/kubernetes does, or write auto/N", s.name, err)
	}
	return Shard{s.ordinal + 1, n, s}, nil
}

// replicas is how many pods the set is to have, 1 at least: a set without pods has nobody who asks.
func (s *statefulSet) replicas(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	secret := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(s.account, name)) // what is missing, the API misses
		return strings.TrimSpace(string(text))
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(secret("ca.crt")))
	url := fmt.Sprintf("https://%s/apis/apps/v1/namespaces/%s/statefulsets/%s/scale", s.api, secret("namespace"), s.name)
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	ask.Header.Set("Authorization", "Bearer "+secret("token"))
	carrier := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer carrier.CloseIdleConnections()
	answer, err := carrier.RoundTrip(ask)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the API answers %s", answer.Status)
	}
	var scale struct{ Spec struct{ Replicas int } }
	err = json.NewDecoder(io.LimitReader(answer.Body, mostAnswered)).Decode(&scale)
	return max(scale.Spec.Replicas, 1), err
}

// recountEvery is how often a watcher asks of how many it is one.
const recountEvery = 10 * time.Second

// Recounts are how many parts there are, whenever that is another number than before, until ctx ends; nil = it stays. The first
// failure after an answer is noted: the parts stay as they are then.
func (f *Fleet) Recounts(ctx context.Context) <-chan int {
	if f.selected.Shard.set == nil {
		return nil
	}
	return f.selected.Shard.recounts(ctx, f.process, recountEvery)
}

func (s Shard) recounts(ctx context.Context, p host.Process, every time.Duration) <-chan int {
	counts := make(chan int)
	go func() {
		var news chan int // counts while there is another one to tell
		for failed := false; ; {
			select {
			case <-ctx.Done():
				return
			case news <- s.Count:
				news = nil
			case <-time.After(every):
				n, err := s.set.replicas(ctx)
				if err != nil && !failed && ctx.Err() == nil {
					p.Note("asking how many pods %s has: %v: this stays part %d of %d", s.set.name, err, s.Index, s.Count)
				}
				if failed = err != nil; !failed && n != s.Count {
					s.Count, news = n, counts
				}
			}
		}
	}()
	return counts
}

// Divide makes the part one of another number of parts. A part that is none of them any more has no servers.
func (f *Fleet) Divide(count int) {
	f.process.Note("this is part %d of %d now, of %d before", f.selected.Shard.Index, count, f.selected.Shard.Count)
	f.selected.Shard.Count = count
}
