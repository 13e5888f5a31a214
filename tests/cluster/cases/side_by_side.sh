. "$(dirname "$0")/lib.sh"
# A second cluster with its own node runs at the same time as the first. The second cluster leaves nothing
# behind, neither after `down` nor if it was killed while starting. Checks only what a cluster could leave,
# because other programs also run on this machine.
name=$KML_CLUSTER-second
state=${TMPDIR:-/tmp}/kml-cluster/$name
second() { KML_CLUSTER=$name XDG_CACHE_HOME=$cache "$SOURCE/tests/cluster/cluster" "$@"; }
trap 'status=$?; second down; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT

machine() {
  grep -F "$name" /proc/mounts || true
  ps -eo args | grep "[/]$name" || true
  ip -o link | grep -oE ' (pods|veth)[^:]*' || true
  ls -d "$state" /run/{containerd,netns} /var/lib/{cni,kubelet,containerd} /var/log/{pods,containers} /opt/{cni,containerd} \
    /tmp/k8s-webhook-server 2>/dev/null || true
  [ ! -s containers ] || find /sys/fs/cgroup -type d | grep -Ff containers || true
}
unchanged() {
  local after; after=$(machine)
  [ "$after" = "$before" ] || fail "left behind: $(diff <(echo "$before") <(echo "$after"))"
}
second down
before=$(machine)

k create configmap of-the-first >/dev/null
expect 0 second up
expect 0 second node 1
expect 0 second kubectl get configmap --all-namespaces
[[ "$out" != *of-the-first* ]] || fail "the clusters are one: $out"
expect 0 second kubectl run two --image localhost/busybox:1 --restart Never --command -- sh -c 'echo second; sleep 1000'
expect 0 second kubectl wait --for=condition=Ready pod/two --timeout=1000s
ls "$state"/containerd/io.containerd.grpc.v1.cri/{sandboxes,containers} | grep -E '^[0-9a-f]{64}$' >containers
find /sys/fs/cgroup -type d | grep -Ff containers >/dev/null || fail "no control groups of its pod: this test looks in the wrong place"
expect 0 second down
unchanged
expect 0 k get configmap of-the-first

KML_CLUSTER=$name XDG_CACHE_HOME=$cache setsid "$SOURCE/tests/cluster/cluster" up >/dev/null 2>&1 &
up=$!
eventually test -f "$state/apiserver.pid"
kill -9 -- "-$up"
expect 0 second down
unchanged
