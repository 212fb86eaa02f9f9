#!/bin/sh
# Starts a cluster in the namespaces that this runs in, in the folder WORK, of the programs in the folder PROGRAMS, with the images
# WORK/*.tar. $WORK/kubeconfig is who may do everything.
set -eu
WORK=$1 PROGRAMS=$2 here=$(cd "$(dirname "$0")" && pwd)
cd "$WORK"
mount --make-rprivate /
for folder in /run /var/lib /var/log; do mount -t tmpfs tmpfs $folder; done
ip link set lo up
ip addr add 10.96.0.1/32 dev lo # what pods reach the API by
ip link add node type veth peer name other
ip link set other up
ip addr add 192.168.77.1/24 dev node
ip link set node up
ip route add default via 192.168.77.2
mkdir -p cni log pki
for file in containerd.toml 10-ptp.conflist kubelet.yaml; do sed "s|@WORK@|$WORK|g" "$here/$file" >"$file"; done
mv 10-ptp.conflist cni/

# start NAME PROGRAM WORD… runs a program for as long as the namespaces last.
start() {
	name=$1
	shift
	setsid "$@" >"log/$name" 2>&1 </dev/null &
}
# await NAME WORD… waits until a command succeeds.
await() {
	name=$1 tries=600
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo "$name does not come up"; tail -n 20 "log/$name"; exit 1; }
		sleep 0.2
	done
}

{
	openssl req -x509 -newkey rsa:2048 -nodes -keyout pki/ca.key -out pki/ca.crt -subj /CN=ca -days 2 -addext keyUsage=critical,keyCertSign,cRLSign
	openssl req -newkey rsa:2048 -nodes -keyout pki/api.key -out pki/api.csr -subj /CN=kube-apiserver
	printf 'subjectAltName=IP:127.0.0.1,IP:10.96.0.1\nextendedKeyUsage=serverAuth\n' >pki/api.ext
	openssl x509 -req -in pki/api.csr -CA pki/ca.crt -CAkey pki/ca.key -CAcreateserial -out pki/api.crt -days 2 -extfile pki/api.ext
	openssl genrsa -out pki/account.key 2048
	openssl rsa -in pki/account.key -pubout -out pki/account.pub
} 2>log/pki
token=$(openssl rand -hex 16)
echo "$token,admin,admin,system:masters" >pki/tokens.csv
cat >kubeconfig <<K
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://127.0.0.1:443", certificate-authority: $WORK/pki/ca.crt}}]
users: [{name: u, user: {token: $token}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
K
kubectl() { "$PROGRAMS/kubectl" --kubeconfig=kubeconfig "$@"; }

start containerd containerd --config containerd.toml
start etcd etcd --data-dir etcd --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
	--listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 --initial-cluster default=http://127.0.0.1:2380
await containerd ctr --address c.sock version
for image in *.tar; do ctr --address c.sock --namespace k8s.io images import "$image" >>log/images 2>&1; done
await etcd curl -fs http://127.0.0.1:2379/health
start apiserver "$PROGRAMS/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --secure-port=443 --advertise-address=192.168.77.1 \
	--tls-cert-file=pki/api.crt --tls-private-key-file=pki/api.key --service-account-key-file=pki/account.pub --service-account-signing-key-file=pki/account.key \
	--service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range=10.96.0.0/16 --authorization-mode=RBAC --token-auth-file=pki/tokens.csv \
	--kubelet-preferred-address-types=Hostname --endpoint-reconciler-type=none
await apiserver kubectl get --raw /readyz
start controllers "$PROGRAMS/kube-controller-manager" --kubeconfig=kubeconfig --bind-address=127.0.0.1 --leader-elect=false \
	--service-account-private-key-file=pki/account.key --root-ca-file=pki/ca.crt --use-service-account-credentials=false
start scheduler "$PROGRAMS/kube-scheduler" --kubeconfig=kubeconfig --bind-address=127.0.0.1 --leader-elect=false
start kubelet "$PROGRAMS/kubelet" --config=kubelet.yaml --kubeconfig=kubeconfig --hostname-override=localhost --root-dir="$WORK/kubelet" --cert-dir="$WORK/pki/kubelet"
await kubelet kubectl wait --for=condition=Ready node/localhost --timeout=1s
await controllers kubectl get serviceaccount default
