# Kueue copies jobs from this cluster, which has no nodes, to another one, and kml follows them there.
. "$(dirname "$0")/../lib.sh"
worker=$KML_CLUSTER-worker
there=${TMPDIR:-/tmp}/kml-cluster/$worker
kinds=jobs,workloads
w() { GOGC=1000 "$there/kubectl" --kubeconfig "$there/kubeconfig" -n "$namespace" "$@"; }
trap 'status=$?; for one in "cluster kubectl" w; do
    $one delete namespace "$namespace" --wait=false >/dev/null || true
    $one delete clusterqueues,resourceflavors,admissionchecks,multikueueconfigs -l "case=$namespace" --wait=false >/dev/null || true
  done; finish $status' EXIT
w delete namespace "$namespace" --ignore-not-found >/dev/null
w create namespace "$namespace" >/dev/null
w wait --for=create serviceaccount/default --timeout=1000s >/dev/null

queue() { # GPUS [FIELD]: prints the objects of queue lq, with one more field of its ClusterQueue
  cat <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: $namespace, labels: {case: $namespace}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: $namespace, labels: {case: $namespace}}
spec:
  namespaceSelector: {}
  resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: $namespace, resources: [{name: nvidia.com/gpu, nominalQuota: $1}]}]}]
  ${2:-}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: $namespace}
spec: {clusterQueue: $namespace}
C
}
queue 2 | w apply -f - >/dev/null
w wait --for=condition=Active localqueue/lq --timeout=1000s >/dev/null
cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueConfig
metadata: {name: $namespace, labels: {case: $namespace}}
spec: {clusters: [$worker]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: $namespace, labels: {case: $namespace}}
spec:
  controllerName: kueue.x-k8s.io/multikueue
  parameters: {apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: $namespace}
---
$(queue 8 "admissionChecksStrategy: {admissionChecks: [{name: $namespace}]}")
C
k wait --for=condition=Active localqueue/lq --timeout=1000s >/dev/null

# The user also has a context of the other cluster, but under another name than Kueue's name for the cluster.
config() { cluster kubectl config --kubeconfig "$KUBECONFIG" "$@" >/dev/null; }
sed "s/$worker/far/g; s/admin/far-admin/g; s/namespace: default/namespace: $namespace/" "$there/kubeconfig" >far
KUBECONFIG=$KUBECONFIG:$work/far "$cluster_state/kubectl" config view --flatten >both
export KUBECONFIG=$work/both

submit() { # NAME GPUS SCRIPT
  "$KML" submit --no-check --name "$1" --queue lq --gpus "$2" "${on_node1[@]}" -- sh -c "$3" >/dev/null
}
until_go='echo step 1; until [ -e /go ]; do sleep 0.2; done; echo step 2'
pod_of() { w get pods -l "job-name=$1" -o 'jsonpath={.items[0].metadata.name}'; }
runs_there() { [ "$(w get pods -l "job-name=$1" -o 'jsonpath={.items[0].status.phase}')" = Running ]; }
is_dispatched() { [ -n "$(k get workloads -o json | python3 -c 'import json, sys
for one in json.load(sys.stdin)["items"]:
    if one["metadata"]["ownerReferences"][0]["name"] == sys.argv[1]: print(one.get("status", {}).get("clusterName", ""))' "$1")" ]; }
is_listed() { [[ "$(listed "$1")" = "$2"* ]]; }

submit runs 1 "$until_go"
"$KML" logs -f runs >follow.out 2>follow.err & # before it has been copied
follow=$!
eventually runs_there runs
eventually is_dispatched runs
soon 60 is_listed runs Running || true
check "list: a job that runs in the other cluster" "Running 1/1 1" "$(listed runs)"
check_says "logs: its log" "step 1" 'step 1' "$(say logs runs)"
check "exec: its pod" "$(pod_of runs)" "$("$KML" exec runs -- hostname 2>/dev/null || true)"
check_says "why: it runs" "runs, one pod" 'runs: 1 of 1 pods' "$(say why runs)"
check_says "why: where" "in cluster $worker, context far" "runs in cluster $worker, your context far" "$(say why runs)"
check_says "queue: it runs" "Running" 'runs .* Running' "$(say queue)"
[ -z "${RECORDED:-}" ] || { mkdir -p "$RECORDED"; k get job,workload -o json >"$RECORDED/manager.json"; w get job,workload -o json >"$RECORDED/worker.json"; }
"$KML" cp runs:/etc/hostname copied >/dev/null 2>&1 || true
check "cp: a file of its pod" "$(pod_of runs)" "$(cat copied 2>/dev/null || true)"
"$KML" exec runs -- touch /go 2>/dev/null || true
code=0; timeout "$patience" tail --pid=$follow -f /dev/null || true
wait $follow || code=$?
check "logs -f, since before it was copied: exit code" 0 "$code"
check "logs -f: its lines" "step 1 step 2" "$(xargs <follow.out)"
check_says "logs -f: its end" "succeeded" 'runs succeeded' "$(cat follow.err)"
check_runs "wait: a job that has succeeded there" 0 "$KML" wait runs
check "list: it has succeeded" "Succeeded 1/1 1" "$(listed runs)"
check_says "logs: after its end" "it ran in the other cluster, no log is left" "ran in cluster $worker.*no log is left" "$(say logs runs)"
check_says "why: after its end" "succeeded" 'succeeded' "$(say why runs)"

submit fails 1 'echo no memory left; exit 7'
check_runs "wait: a job that fails there" 3 "$KML" wait fails
check "list: it has failed" "Failed 0/1 1" "$(listed fails)"

# Tests a full queue in the other cluster.
submit first 2 "$until_go"
eventually runs_there first
submit second 2 "$until_go"
held() { "$KML" why second -o json | grep -q queue-check; }
soon 60 held || true
check_says "why: the other cluster is full" "waits for the admission check of MultiKueue" 'waits for the admission check' "$(say why second)"
check "list: it waits" "Waiting 0/1 2" "$(listed second)"
timeout 20 "$KML" logs -f second >waits.out 2>waits.err || true
check_says "logs -f: why it waits" "waits for a check" 'second waits: waits for a check' "$(cat waits.err)"
# stopped NAME: whether all pods of the job in the other cluster have ended or are stopping.
stopped() { w get pods -l "job-name=$1" -o json | python3 -c 'import json, sys
on = [pod for pod in json.load(sys.stdin)["items"] if pod["status"]["phase"] in ("Pending", "Running") and "deletionTimestamp" not in pod["metadata"]]
print("no" if on else "yes")'; }
check_runs "cancel: a job that runs there" 0 "$KML" cancel first
check "cancel: its pods there are stopping when kml says so" yes "$(stopped first)"
gone_there() { [ -z "$(w get pods -l "job-name=$1" -o name)" ]; }
check "cancel: its pods there end" yes "$(soon 120 gone_there first && echo yes || echo no)"
eventually runs_there second
check_runs "suspend: a job that runs there" 0 "$KML" suspend second
check "suspend: its pods there are stopping when kml says so" yes "$(stopped second)"
check "suspend: its pods there end" yes "$(soon 120 gone_there second && echo yes || echo no)"
check_runs "resume" 0 "$KML" resume second
eventually runs_there second
eventually is_dispatched second

# Tests a user who may not read the Secret with the address, and has no context with the cluster's name.
need_user ana
config set-context ana --cluster "$KML_CLUSTER"
for role in edit batch-user-role; do k create rolebinding "ana-$role" --clusterrole="$role" --serviceaccount="$namespace:ana" >/dev/null; done
may ana get jobs.batch
may ana list workloads.kueue.x-k8s.io
refused=0; said=$("$KML" --context ana logs second 2>&1) || refused=$?
check_says "logs: no context is known" "an error that names the cluster, and says how to name the context" \
  "runs in cluster $worker, and kml does not know which of your contexts is for that cluster.*rename your context of that cluster to $worker" "$said"
check "logs: no context is known: exit code" 1 "$refused"
check_says "why: no context is known" "runs in cluster $worker" "Kueue runs it in cluster $worker.*rename your context of that cluster to $worker" "$(say --context ana why second)"
config rename-context far "$worker"
check_says "logs: a context with the cluster's name" "step 1" 'step 1' "$(say --context ana logs second)"
check "exec: a context with the cluster's name" "$(pod_of second)" "$("$KML" --context ana exec second -- hostname 2>/dev/null || true)"
