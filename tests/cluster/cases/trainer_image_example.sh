. "$(dirname "$0")/lib.sh"
# examples/one-knob: the same PyTorchJob ends with the same weights on this machine and on the cluster.
if ldd "$(dirname "$KML")/kml-trainer" | grep -Eq 'lib[at]san'; then echo "SKIPPED: 500 steps take long with sanitizers"; finish 77; fi
need_trainer
trap 'status=$?; cluster kubectl delete --wait=false pv/"$namespace" namespace/"$namespace" --ignore-not-found >/dev/null || true; finish $status' EXIT
k apply -f - >/dev/null <<C
apiVersion: v1
kind: PersistentVolume
metadata: {name: $namespace}
spec:
  accessModes: [ReadOnlyMany]
  capacity: {storage: 100Mi}
  claimRef: {name: mnist, namespace: $namespace}
  hostPath: {path: $cluster_state/mnist}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node1]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: mnist}
spec: {accessModes: [ReadOnlyMany], storageClassName: "", volumeName: $namespace, resources: {requests: {storage: 100Mi}}}
C
expect 0 k wait --for=jsonpath='{.status.phase}'=Bound pvc/mnist --timeout=1000s
mkdir -p "$HOME/.cache/kml"; ln -s "$cluster_state/mnist" "$HOME/.cache/kml" # so that get-mnist need not download it
PATH=$(dirname "$KML"):$PATH
expect 0 "$SOURCE/examples/one-knob" "$KML_CLUSTER"
masters=$(grep -o 'master-0 | kml-trainer: finished at step 500.*' <<<"$out" | sed 's/in .* s;//')
[ "$(wc -l <<<"$masters") $(sort -u <<<"$masters" | wc -l)" = "2 1" ] || fail "not the same twice: $masters"
contains "$err" "a pod asks for 64 GPUs, the largest node has 8 GPUs"
