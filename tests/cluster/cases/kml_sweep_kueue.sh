. "$(dirname "$0")/lib.sh"
# A sweep whose trials wait in a Kueue queue: status and the live table show the reason. A preempted trial waits
# again, in the same job, and this is not a failure. Kueue itself is not running; this test plays its part with
# recorded objects.
kueue() { cluster kubectl "$1" -f "$SOURCE/tests/cluster/kueue.yaml" "${@:2}" >/dev/null; }
folder=$cluster_state/$namespace
rm -rf "$folder"; mkdir -m 777 "$folder"
trap 'status=$?; kueue delete --ignore-not-found; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true
  rm -rf "$folder"; finish $status' EXIT
kueue apply
kueue wait --for=condition=Established --timeout=1000s
served() { k get localqueues,workloads,clusterqueues; }
eventually served
k apply -f - >/dev/null <<'C'
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec: {namespaceSelector: {}, resourceGroups: []}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq}
spec: {clusterQueue: team}
C

# workload FILE NAME JOB: turns the recorded Workload of job NAME into a Workload of JOB.
workload() {
  k get job "$3" -o json >job.json
  python3 - "$SOURCE/tests/recorded/kueue/$1" "$2" >workload.json <<'P'
import json, sys
job = json.load(open("job.json"))["metadata"]
of = lambda item: item["metadata"]["ownerReferences"][0]
one = next(item for item in json.load(open(sys.argv[1]))["items"] if of(item)["name"] == sys.argv[2])
of(one).update(name=job["name"], uid=job["uid"])
one["metadata"] = {"name": "job-" + job["name"], "namespace": job["namespace"], "ownerReferences": [of(one)],
                   "labels": {"kueue.x-k8s.io/job-uid": job["uid"]}}
print(json.dumps(one))
P
  k apply --validate=false -f workload.json >/dev/null
  k replace --validate=false --subresource=status -f workload.json >/dev/null
}
suspend() { k patch job "$1" --type=merge -p "{\"spec\": {\"suspend\": $2}}" >/dev/null; }
admit() { workload 1-pending.json run1 "$1"; suspend "$1" false; }
status_has() { "$KML" sweep status "$1" >status && grep -q "$2" status; }
screen_has() { grep -q "$2" "screen-$1"; }

# sweep NAME FLAG...: runs a sweep on a terminal, and stores the terminal's text in screen-NAME.
sweep() {
  local name=$1; shift
  script -qfc "stty cols 150 rows 30; exec '$KML' sweep run $name $* --queue lq --param x=1..2 --maximize score --algorithm grid --parallel 2 \
    --image localhost/busybox:1 --mount host$folder:/data --node-selector kubernetes.io/hostname=node1 --grace 1s -- \
    sh -c 'until [ -e /data/go ]; do /bin/busybox sleep 0.1; done; echo score={x}'" "screen-$name" >/dev/null &
  engine=$!
}
sweep s1
made() { [ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" = 2 ]; }
eventually made
for job in s1-t00000-r0-a0 s1-t00001-r0-a0; do workload 1-pending.json wait1 $job; done
eventually status_has s1 "0 running, 2 waiting"
eventually status_has s1 "waiting: 2: needs 2 GPUs more in queue lq"
eventually screen_has s1 "waiting: 2: needs 2 GPUs more in queue lq"
admit s1-t00000-r0-a0
eventually status_has s1 "1 running, 1 waiting"
eventually status_has s1 "waiting: 1: needs 2 GPUs more in queue lq"

workload 2-preempted.json run1 s1-t00000-r0-a0
suspend s1-t00000-r0-a0 true
eventually status_has s1 "0 running, 2 waiting"
eventually status_has s1 "waiting: 1: needs 2 GPUs more in queue lq; 1: preempted, back in the queue"
eventually screen_has s1 "1: preempted, back in the queue"
touch "$folder/go"
admit s1-t00000-r0-a0
admit s1-t00001-r0-a0
wait $engine || fail "$(cat screen-s1)"
grep -q '"record":"waiting"' "$XDG_STATE_HOME/kml/sweeps/s1/journal.jsonl" || fail "no record of it"
expect 0 "$KML" sweep status s1
contains "$out" "2 of 2 trials done, 0 running; best score 2 (trial 1)"
[ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" = 2 ] || fail "$(k get jobs)"

# Tests the same with all trials in one Indexed Job.
rm "$folder/go"
sweep s2 --fan-out indexed
made() { k get job s2; }
eventually made
workload 1-pending.json wait1 s2
eventually status_has s2 "0 running, 2 waiting"
eventually status_has s2 "waiting: 2: needs 2 GPUs more in queue lq"
eventually screen_has s2 "waiting: 2: needs 2 GPUs more in queue lq"
admit s2
eventually status_has s2 "2 running"
workload 2-preempted.json run1 s2
suspend s2 true
eventually status_has s2 "waiting: 2: preempted, back in the queue"
eventually screen_has s2 "waiting: 2: preempted, back in the queue"
touch "$folder/go"
admit s2
wait $engine || fail "$(cat screen-s2)"
expect 0 "$KML" sweep status s2
contains "$out" "2 of 2 trials done, 0 running; best score 2 (trial 1)"
