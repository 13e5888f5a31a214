# Sourced by each case in this folder. CONTRACT_SERVER selects the server: "embedded" for a new embedded one, or
# "real" for the test cluster KML_CLUSTER. `k` is kubectl in the case's own namespace. On both servers, a pod
# with the node selector {contract: here} runs real processes.
cache=${XDG_CACHE_HOME:-$HOME/.cache}
. "$SOURCE/tests/cli/lib.sh"
export KUBECONFIG=$work/kubeconfig
namespace=$(basename "$0" .sh | tr _ -)
kubectl() { GOGC=1000 "$kubectl" "$@"; }
k() { kubectl -n "$namespace" "$@"; }
if [ "${CONTRACT_SERVER:-embedded}" = real ]; then
  cluster_state=${TMPDIR:-/tmp}/kml-cluster/$KML_CLUSTER
  cp "$cluster_state/kubeconfig" "$KUBECONFIG" 2>/dev/null || { echo "SKIPPED: no cluster '$KML_CLUSTER' is up"; finish 77; }
  kubectl=$cluster_state/kubectl # of the cluster's own version
  node=node1
  trap 'status=$?; kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
else
  source_dir=$SOURCE/tests/cluster
  kubectl=$(XDG_CACHE_HOME=$cache; . "$source_dir/lib/build.sh"; echo "$bin")/kubectl
  [ -x "$kubectl" ] || { echo "SKIPPED: no kubectl; tests/cluster/cluster build makes it"; finish 77; }
  "$KML" local up --fake-gpus 4 >/dev/null
  "$KML" local kubeconfig >"$KUBECONFIG"
  node=$(kubectl get nodes -o jsonpath='{.items[0].metadata.name}')
fi
kubectl create namespace "$namespace" >/dev/null 2>&1 ||
  { kubectl delete namespace "$namespace" && kubectl create namespace "$namespace"; } >/dev/null
k wait --for=create serviceaccount/default --timeout=1000s >/dev/null
kubectl label node "$node" contract=here --overwrite >/dev/null

# matches TEXT REGEX
matches() { [[ "$1" =~ $2 ]] || fail "nothing matches \"$2\" in: $1"; }

# job NAME SCRIPT: prints the manifest of a job that runs a shell script.
job() {
  cat <<C
apiVersion: batch/v1
kind: Job
metadata: {name: $1, labels: {app: contract}}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {app: contract}}
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      nodeSelector: {contract: here}
      containers:
      - {name: main, image: "localhost/busybox:1", command: [sh, -c, '$2']}
C
}
