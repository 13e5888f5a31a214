. "$(dirname "$0")/lib.sh"
# examples/sweep-mnist.yaml on the cluster: promotion with checkpoints on a claim. Each promoted trial resumed, and
# the best was trained to the end.
if ldd "$(dirname "$KML")/kml-trainer" | grep -Eq 'lib[at]san'; then echo "SKIPPED: it takes long with sanitizers"; finish 77; fi
need_trainer
trap 'status=$?; cluster kubectl delete --wait=false pv/"$namespace"-mnist pv/"$namespace"-checkpoints namespace/"$namespace" --ignore-not-found >/dev/null || true; finish $status' EXIT
checkpoints=$cluster_state/$namespace
rm -rf "$checkpoints"; mkdir "$checkpoints"
claim() { # NAME FOLDER
  k apply -f - >/dev/null <<C
apiVersion: v1
kind: PersistentVolume
metadata: {name: $namespace-$1}
spec:
  accessModes: [ReadWriteMany]
  capacity: {storage: 1Gi}
  claimRef: {name: $1, namespace: $namespace}
  hostPath: {path: $2}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: $1}
spec: {accessModes: [ReadWriteMany], storageClassName: "", volumeName: $namespace-$1, resources: {requests: {storage: 1Gi}}}
C
  expect 0 k wait --for=jsonpath='{.status.phase}'=Bound "pvc/$1" --timeout=1000s
}
claim mnist "$cluster_state/mnist"
claim checkpoints "$checkpoints"
expect 0 "$KML" sweep run -f "$SOURCE/examples/sweep-mnist.yaml" --trials 6 --node-selector kubernetes.io/hostname=node1
contains "$err" "6 of 6 trials done"
expect 0 "$KML" sweep status mnist
contains "$out" "stopped early; best accuracy 0.9"
best=$("$KML" sweep best mnist -o json | python3 -c 'import json, sys; print(json.load(sys.stdin)["metadata"]["name"])')
[ "$best" = mnist-best ] || fail "$best"
promoted=$("$KML" sweep export mnist -o jsonl | python3 -c '
import json, sys
trials = [json.loads(line) for line in sys.stdin]
assert all(trial["value"] > 0.1 for trial in trials), trials
whole = [trial for trial in trials if trial["state"] == "complete"]
assert whole and all(trial["curve"][-1][0] == 480 for trial in whole), trials
print(whole[0]["job"])')
contains "$promoted" "-r"
expect 0 "$KML" logs "$promoted"
contains "$out" "resumed at step 240"
