# Sourced by each case: the helpers of tests/cli, a running cluster (KML_CLUSTER), and a namespace for the case.
cache=${XDG_CACHE_HOME:-$HOME/.cache}
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/lib.sh"
# The long patience is needed because the Job controller retries after a minute, and the scheduler after five
# minutes. When a volume claim appears, the scheduler may examine the waiting pod too early, before its own
# cache has the claim.
patience=900
# kubectl is called most often, so it is called directly, with one cache of the server's resources.
cluster() {
  case $1 in
    kubectl) GOGC=1000 KUBECACHEDIR=$cluster_state/kubectl-cache "$cluster_state/kubectl" --kubeconfig "$cluster_state/kubeconfig" "${@:2}" ;;
    *) XDG_CACHE_HOME=$cache "$SOURCE/tests/cluster/cluster" "$@" ;;
  esac
}
k() { cluster kubectl -n "$namespace" "$@"; }

[ -n "${KML_CLUSTER:-}" ] ||
  { echo "$(basename "$0"): KML_CLUSTER names no cluster"$'\n'"  fix: export KML_CLUSTER=NAME && tests/cluster/cluster all" >&2; finish 2; }
cluster_state=${TMPDIR:-/tmp}/kml-cluster/$KML_CLUSTER
cp "$cluster_state/kubeconfig" "$work/kubeconfig" 2>/dev/null || { echo "SKIPPED: no cluster '$KML_CLUSTER' is up"; finish 77; }
if kubelet=$(cat "$cluster_state/kubelet.pid" 2>/dev/null) && ! cluster exec kill -0 "$kubelet" 2>/dev/null; then
  fail "the kubelet of node1 has ended: $(grep -m 1 -A 20 ^panic "$cluster_state/kubelet.log" || tail -n 5 "$cluster_state/kubelet.log")"
fi
export KUBECONFIG=$work/kubeconfig
namespace=$(basename "$0" .sh | tr _ -)
cluster kubectl create namespace "$namespace" >/dev/null 2>&1 ||
  { cluster kubectl delete namespace "$namespace" && cluster kubectl create namespace "$namespace"; } >/dev/null
sed -i "s/namespace: default/namespace: $namespace/" "$KUBECONFIG"
k wait --for=create serviceaccount/default --timeout=1000s >/dev/null
trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT

# Creates the context NAME, for a service account with that name.
need_user() { # NAME
  k create serviceaccount "$1" >/dev/null
  cluster kubectl config --kubeconfig "$KUBECONFIG" set-credentials "$1" --token "$(k create token "$1")" >/dev/null
  cluster kubectl config --kubeconfig "$KUBECONFIG" set-context "$1" --user "$1" --namespace "$namespace" \
    --cluster "$(cluster kubectl config --kubeconfig "$KUBECONFIG" view -o 'jsonpath={.clusters[0].name}')" >/dev/null
}
# Waits until a user has a right. The API server reads roles, and in the same way quotas, limits and priority classes, from
# a copy that is slightly behind.
may() { # NAME VERB RESOURCE...
  eventually k --kubeconfig "$KUBECONFIG" --context "$1" auth can-i "${@:2}"
}
# Waits until the server rejects a pod whose container has this field, for a reason that contains WORDS.
refuses_pod() { # FIELD WORDS
  local pod="{apiVersion: v1, kind: Pod, metadata: {name: probe}, spec: {containers: [{name: main, image: none, $1}]}}"
  refused() { [[ "$(k create --dry-run=server -f - 2>&1 <<<"$pod")" == *"$1"* ]]; }
  eventually refused "$2"
}

# Flags that place a job on the real node, with an image that exists there.
on_node1=(--image localhost/busybox:1 --node-selector kubernetes.io/hostname=node1)

# Loads the trainer's image and MNIST on node1, once for all cases. with_trainer then has the flags for jobs that use
# them.
with_trainer=(--image localhost/kml-trainer:0.1.0 --node-selector kubernetes.io/hostname=node1
  --mount "host$cluster_state/mnist:/data:ro")
need_trainer() {
  unset "${!OPENBLAS_@}" # pods do not have them, and other kernels of OpenBLAS give other weights
  load_once trainer "$(dirname "$KML")/kml-trainer" "$SOURCE/trainer/image"
  XDG_CACHE_HOME=$cache flock "$cluster_state/mnist.lock" "$SOURCE/trainer/get-mnist" "$cluster_state/mnist" 2>/dev/null
}
# Makes an image by `COMMAND FILE.tar BINARY` and loads it on node1, once for all cases.
load_once() { # NAME BINARY COMMAND
  local from
  from=$(stat -c '%Y %s' "$2")
  exec 9>"$cluster_state/$1.lock"; flock 9
  if [ "$(cat "$cluster_state/$1.from" 2>/dev/null)" != "$from" ]; then
    "$3" "$work/$1.tar" "$2" >/dev/null
    cluster image "$work/$1.tar"
    rm "$work/$1.tar"
    echo "$from" >"$cluster_state/$1.from"
  fi
  exec 9>&-
}

# Loads an image of kml for engines in the cluster; sets $image.
need_engine_image() {
  load_once kml "$KML" "$SOURCE/examples/engine-image"
  image=localhost/kml:$("$KML" --version | cut -d' ' -f2)
}

# Creates a volume on node1 and the claim NAME, and waits until they are bound, because the scheduler may
# examine a pod that was created earlier only minutes later. Sets $volume to the folder with its content.
need_volume() { # NAME ReadWriteMany|ReadWriteOnce
  volume=$cluster_state/$namespace
  rm -rf "$volume"; mkdir -m 777 "$volume"
  k apply -f - >/dev/null <<C
apiVersion: v1
kind: PersistentVolume
metadata: {name: $namespace}
spec:
  capacity: {storage: 1Gi}
  accessModes: [$2]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: ""
  hostPath: {path: $volume}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node1]}]}]}}
  claimRef: {namespace: $namespace, name: $1}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: $1}
spec: {accessModes: [$2], storageClassName: "", volumeName: $namespace, resources: {requests: {storage: 1Gi}}}
C
  k wait "pvc/$1" '--for=jsonpath={.status.phase}=Bound' --timeout=1000s >/dev/null
  trap 'status=$?; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
    cluster kubectl delete pv "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
}

# Changes into a copy of examples/$1, whose pipeline gets MNIST from the claim `shared`, in pods with the trainer's
# $image. A pod has only the code that is copied to it, and has no npm to download the files.
with_mnist_pipeline() { # EXAMPLE
  if ldd "$(dirname "$KML")/kml-trainer" | grep -Eq 'lib[at]san'; then echo "SKIPPED: it takes long with sanitizers"; finish 77; fi
  need_trainer
  need_volume shared ReadWriteMany
  mkdir -m 755 "$volume/mnist" && cp "$cluster_state"/mnist/*-ubyte "$volume/mnist"
  cp -r "$SOURCE/examples/$1" . && cd "$1"
  sed -i -e 's|code: {paths: \[.*\]}|code: .|' -e 's|\.\./\.\./trainer/get-mnist|cp, -r, /data|' pipeline.yaml
  echo 'mounts: ["pvc/shared/mnist:/data:ro"]' >kml.yaml
  image=localhost/kml-trainer:$("$(dirname "$KML")/kml-trainer" --version | cut -d' ' -f2)
}

# Starts an HTTP server for pods and the node; sets $server to its address and port. The Python code defines a class
# Handler. The server ends with the script, which then closes the server's stdin.
serve_http() { # CODE ARGUMENT...
  exec 8> >(cluster exec python3 -c "$1"'
import http.server, sys, threading
server = http.server.ThreadingHTTPServer(("", 0), type("Quiet", (Handler,), {"log_message": lambda *ignored: None}))
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()' "${@:2}" >"$work/port" 2>/dev/null)
  eventually test -s "$work/port"
  server=10.88.0.1:$(cat "$work/port")
}
