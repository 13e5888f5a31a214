. "$(dirname "$0")/lib.sh"
# GPU hours of jobs that were preempted, suspended and admitted in part, compared with the run times in their
# Workloads.
cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: $namespace-high, labels: {case: $namespace}}
value: 1000
C
queue lq 8 "preemption: {withinClusterQueue: LowerPriority}"
export USER=ana
# has_run_for NAME SECONDS: whether the Workload of job NAME has been admitted for that long.
has_run_for() {
  k get workload "$(workload "$1")" -o json | python3 -c 'import datetime, json, sys
for one in json.load(sys.stdin)["status"]["conditions"]:
    if one["type"] == "Admitted" and one["status"] == "True":
        since = datetime.datetime.fromisoformat(one["lastTransitionTime"].replace("Z", "+00:00"))
        sys.exit(0 if (datetime.datetime.now(datetime.timezone.utc) - since).total_seconds() > float(sys.argv[1]) else 1)
sys.exit(1)' "$2"
}
# usage EXPRESSION: checks the sums of kml usage. `past(JOB)` is how many seconds the job ran before, as Kueue counts.
usage() {
  expect 0 "$KML" usage -o json
  k get workloads -o json >workloads.json
  python3 -c 'import json, sys
seconds = {one["metadata"]["ownerReferences"][0]["name"]: one["status"].get("accumulatedPastExecutionTimeSeconds", 0)
           for one in json.load(open("workloads.json"))["items"]}
past = lambda name: seconds[name]
total = json.load(sys.stdin)["total"]
hours = lambda use: total[use + "GpuHours"]
near = lambda value, seconds: abs(value * 3600 / 8 - seconds) < 2.5  # all of these jobs have 8 GPUs
assert '"$1"', (total, seconds)' <<<"$out" || fail "$1: $out"
}
job low 8
eventually runs low
eventually has_run_for low 6
job high 8 --priority "$namespace-high"
eventually runs high
eventually has_no_pods low
usage 'past("low") >= 6 and near(hours("unclear"), past("low")) and total["covered"] > 0.9'
eventually has_run_for high 6
expect 0 "$KML" suspend high
eventually has_no_pods high
eventually runs low
usage 'past("high") >= 6 and near(hours("stopped"), past("high")) and near(hours("unclear"), past("low")) and total["covered"] > 0.9'
expect 0 "$KML" history low
contains "$out" preempted

# Of twelve pods with a GPU each, the queue has room for eight.
expect 0 "$KML" cancel low high
eventually has_no_pods low
expect 0 "$KML" delete low high
expect 0 "$KML" submit -f - <<C
apiVersion: batch/v1
kind: Job
metadata:
  name: part
  labels: {kueue.x-k8s.io/queue-name: lq}
  annotations: {kueue.x-k8s.io/job-min-parallelism: "2"}
spec:
  parallelism: 12
  completions: 12
  suspend: true
  template:
    metadata: {annotations: {kwok/run-for: 1h}}
    spec:
      restartPolicy: Never
      nodeSelector: {type: kwok}
      containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 1}}}]
C
eight() { [ "$(pods part | wc -l)" = 8 ]; }
eventually eight
eventually has_run_for part 6
begun=$(k get workload "$(workload part)" -o json | python3 -c 'import json, sys
print(next(one["lastTransitionTime"] for one in json.load(sys.stdin)["status"]["conditions"] if one["type"] == "Admitted"))')
seconds=$(($(date +%s) - $(date -d "$begun" +%s)))
usage "abs(hours('open') * 3600 / 8 - $seconds) < 4"
