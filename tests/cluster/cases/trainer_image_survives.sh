# The trainer as Job, Indexed Job and PyTorchJob (a master and two workers) on a real node, with its checkpoints on a
# volume claim. All of them are preempted, then the power of the node is cut, which kml reports. They end with the weights of one
# uninterrupted process. Uses its own cluster, because the other cases need the node.
export KML_CLUSTER=$KML_CLUSTER-survives KML_NODE_GRACE=50s
for part in down up "node 6" operator; do "$SOURCE/tests/cluster/cluster" $part >/dev/null || exit; done
. "$(dirname "$0")/lib.sh"
trap 'status=$?; cluster down; finish $status' EXIT
if ldd "$(dirname "$KML")/kml-trainer" | grep -Eq 'lib[at]san'; then echo "SKIPPED: training takes long with sanitizers"; finish 77; fi
need_trainer
runs=$cluster_state/runs
mkdir "$runs"
k apply -f - >/dev/null <<C
{apiVersion: v1, kind: PersistentVolume, metadata: {name: runs}, spec: {storageClassName: hostpath, capacity: {storage: 1Gi},
  accessModes: [ReadWriteMany], hostPath: {path: $runs}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: runs}, spec: {storageClassName: hostpath, accessModes: [ReadWriteMany],
  resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 1000}
C

# Without the file `steps`, an attempt has a million steps, so that none ends before the test wants it to.
train='
if [ -e /ck/steps ]; then steps=$(cat /ck/steps); else steps=1000000; fi
exec kml-trainer --data /data --threads 1 --checkpoint-dir /ck --checkpoint-every 20 --max_steps $steps'
kinds="job job-indexed pytorchjob"
submit() { # TEMPLATE PODS FLAG...
  local template=$1 pods=$2; shift 2
  expect 0 "$KML" submit -t "$template" --name "$template" --nodes "$pods" --gpus 1 --cpu 0.3 --memory 1Gi "${with_trainer[@]}" --mount "pvc/runs/$template:/ck" \
    "$@" -- sh -c "$train"
}
saved() { sed 's/[^0-9]*0*\([0-9]*\).*/\1/' "$runs/$1/LATEST"; }
each() { local kind; for kind in $kinds; do "$@" "$kind" || return; done; }
begun() { [ -s "$runs/$1/LATEST" ]; }
note() { saved "$1" >"$1.before"; }
has_gone_on() { [ "$(saved "$1")" -gt $(($(cat "$1.before") + 40)) ]; }
waits() { "$KML" queue | grep -Eq "^[0-9-]+ +(pytorchjob/)?$1 "; }

submit job 1 --retries 1
submit job-indexed 2 --retries 2
submit pytorchjob 3
eventually each begun

expect 0 "$KML" submit --name rival --gpus 6 --priority urgent "${on_node1[@]}" --grace 1s -- /bin/busybox sleep 1000
eventually each waits
each note
expect 0 "$KML" delete rival
eventually each has_gone_on

cluster power off
# Once the node is considered lost, each command reports this, and what will happen.
is_lost() { "$KML" why "$1" -o json | grep -q '"code": "node-lost"'; }
eventually each is_lost
expect 0 "$KML" list
lost=$(grep -Ec '^(pytorchjob/)?[a-z-]+ +Waiting .*node node1 does not answer' <<<"$out") || true
[ "$lost" = 3 ] || fail "list: $out"
for kind in $kinds; do
  expect 0 "$KML" why "$kind"
  grep -Eq "node node1 of pod $kind-[^ ]* does not answer since 20[^ ]*Z \([0-9ms]+\); the pod is (deleted in about [0-9ms]+|being deleted, but the node has not confirmed)" <<<"$out" || fail "$out"
  expect 0 "$KML" status "$kind"
  contains "$out" "Waiting: node node1 does not answer"
done
steps=0
for kind in $kinds; do [ $steps -gt "$(saved "$kind")" ] || steps=$(saved "$kind"); done
steps=$((steps + 60))
for kind in $kinds; do echo $steps >"$runs/$kind/steps"; done
cluster power on
"$(dirname "$KML")/kml-trainer" --data "$cluster_state/mnist" --max_steps $steps --checkpoint-dir alone >/dev/null 2>&1
for kind in $kinds; do
  expect 0 "$KML" wait "$kind" --timeout 1000s
  expect 0 "$KML" status "$kind"
  contains "$out" Succeeded
  cmp alone/step-*"$steps.safetensors" "$runs/$kind"/step-*"$steps.safetensors" || fail "$kind: the weights differ"
  python3 - "$runs/$kind/attempts.jsonl" $steps <<'P' || fail "$kind: $(cat "$runs/$kind/attempts.jsonl")"
import json, sys
attempts = {}
for line in open(sys.argv[1]):
    line = json.loads(line)
    attempts[line["attempt"]] = line
first, second, third = (attempts[n] for n in sorted(attempts))
assert first["reason"] == "SIGTERM" and second["first_step"] == first["last_step"] + 1, "after the preemption: not where it had stopped"
# A rank that dies a moment after another one may still have reported the loss of that rank.
assert second.get("reason") in (None, "error: lost another rank") and third["first_step"] % 20 == 0, "after the power cut: not at a checkpoint"
assert third["reason"] == "finished" and third["last_step"] == int(sys.argv[2]) - 1, "not finished"
P
done
