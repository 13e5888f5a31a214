. "$(dirname "$0")/lib.sh"
# A second cluster with a node of its own runs beside the first, and leaves nothing behind: neither after `down`, nor
# where it was killed half way.
k create configmap of-the-first >/dev/null
export KML_CLUSTER=$KML_CLUSTER-second
state=${TMPDIR:-/tmp}/kml-cluster/$KML_CLUSTER
machine() {
  awk '{print $2, $3}' /proc/mounts | sort
  ip -o link | cut -d: -f2
  find /sys/fs/cgroup -type d -path '*k8s.io*' | sort
  ls -d /run/* /opt/* /var/lib/* /var/log/* /etc/cni 2>/dev/null || true
  ps -eo args | grep "[/]$KML_CLUSTER" || true
  ls "${TMPDIR:-/tmp}/kml-cluster"
}
cluster down
before=$(machine)
unchanged() { local after; after=$(machine); [ "$after" = "$before" ] || fail "left behind: $(diff <(echo "$before") <(echo "$after"))"; }

expect 0 cluster up
expect 0 cluster node 1
expect 0 cluster kubectl get configmap --all-namespaces
[[ "$out" != *of-the-first* ]] || fail "the clusters are one: $out"
expect 0 cluster kubectl run two --image localhost/busybox:1 --restart Never --command -- sh -c 'echo second'
expect 0 cluster kubectl wait --for=jsonpath='{.status.phase}'=Succeeded pod/two --timeout=60s
expect 0 cluster down
unchanged
k() { KML_CLUSTER=${KML_CLUSTER%-second} cluster kubectl -n "$namespace" "$@"; }
expect 0 k get configmap of-the-first

setsid env XDG_CACHE_HOME="$cache" "$SOURCE/tests/cluster/cluster" up >/dev/null 2>&1 &
up=$!
eventually test -f "$state/apiserver.pid"
kill -9 -- "-$up"
expect 0 cluster down
unchanged
export KML_CLUSTER=${KML_CLUSTER%-second}
