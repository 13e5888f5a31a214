. "$(dirname "$0")/lib.sh"
# --queue is rejected without Kueue. With Kueue's definitions, jobs are created suspended and with Kueue's
# label, and run once they are admitted. Kueue itself is not running, so this test changes the jobs as Kueue
# would.
kueue() { cluster kubectl "$1" -f "$SOURCE/tests/cluster/kueue.yaml" "${@:2}" >/dev/null; }
trap 'status=$?; kueue delete --ignore-not-found; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
kueue delete --ignore-not-found
gone() { ! cluster kubectl get --raw /apis/kueue.x-k8s.io; }
eventually gone
expect 2 "$KML" submit --queue gpus "${on_node1[@]}" -- true
contains "$err" "the cluster has no Kueue"
expect 0 k get jobs -o name
[ -z "$out" ] || fail "made: $out"

kueue create
kueue wait --for=condition=Established --timeout=1000s
served() { k get localqueues,workloads,clusterqueues,resourceflavors; }
eventually served
expect 1 "$KML" submit --test-only --queue gpus "${on_node1[@]}" -- true
contains "$err" "localqueue \"gpus\" does not exist in namespace $namespace"
[[ $err != *deprecated* ]] || fail "asked for by an old version: $err"
k apply -f - >/dev/null <<'C'
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: gpus}
spec: {clusterQueue: all}
C
test_only() { # CODE TEXT: what --test-only says of a job with a GPU
  expect "$1" "$KML" submit --test-only --name t --queue gpus --gpus 1 "${on_node1[@]}" -- true
  contains "$out$err" "$2"
}
test_only 1 "ClusterQueue all doesn't exist"
quota() { # GPUS [MORE]: of ClusterQueue all
  local more='  namespaceSelector: {}'
  [ $# = 1 ] || more=$2
  cluster kubectl apply -f - >/dev/null <<C
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  resourceGroups: [{coveredResources: [cpu, memory, nvidia.com/gpu], flavors: [{name: any, resources: [{name: cpu, nominalQuota: 1k}, {name: memory, nominalQuota: 1Ti}, {name: nvidia.com/gpu, nominalQuota: $1}]}]}]
$more
C
}
queue_is() { k patch localqueue gpus --type=merge -p "{\"spec\": {\"stopPolicy\": \"$1\"}}" >/dev/null; }
quota 0
test_only 1 "asks for 1 GPU, and queue gpus never has more than 0 GPUs of flavor any"
quota 8
expect 0 "$KML" submit --test-only --name t --queue gpus "${on_node1[@]}" -- true
[ "$out" = "job t: starts now" ] || fail "$out"
queue_is Hold
test_only 0 "job t: would wait: queue gpus does not accept jobs: its stopPolicy is Hold"
queue_is None
quota 8 '  namespaceSelector: {matchLabels: {team: x}}'
test_only 1 "queue gpus never admits jobs of namespace $namespace"
quota 8
# Creates a Workload that holds the whole quota.
k apply -f - >/dev/null <<'C'
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: holder}
spec: {queueName: gpus, podSets: [{name: main, count: 1, template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}]}
C
k patch workload holder --subresource=status --type=merge -p '{"status": {
  "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
  "admission": {"clusterQueue": "all", "podSetAssignments": [{"name": "main", "flavors": {"nvidia.com/gpu": "any"}, "resourceUsage": {"nvidia.com/gpu": "8"}}]}}}' >/dev/null
test_only 0 "job t: would wait: queue gpus is full: needs 1 GPU of flavor any more"
k delete workload holder >/dev/null
quota 8 '  namespaceSelector: {}
  admissionChecksStrategy: {admissionChecks: [{name: budget}]}'
test_only 0 "once its queue's checks pass: budget"
cluster kubectl patch clusterqueue all --subresource=status --type=merge -p '{"status": {"conditions": [{"type": "Active", "status": "False", "reason": "FlavorNotFound", "message": "references missing ResourceFlavor(s): any."}]}}' >/dev/null
test_only 0 "would wait: queue gpus does not accept jobs: ClusterQueue all: references missing ResourceFlavor(s): any."
expect 1 "$KML" submit --queue gpu "${on_node1[@]}" -- true
contains "$err" 'existing ones: gpus'
contains "$err" 'did you mean "gpus"?'

waits() { # KIND PATH: checks that it is in the queue, has no pods, and that kml reports this
  expect 0 k get "$1" "$1" -o "jsonpath={.metadata.labels.kueue\.x-k8s\.io/queue-name} {$2}"
  [ "$out" = "gpus true" ] || fail "$1: $out"
  listed() { "$KML" list --no-headers | grep -Eq "^(pytorchjob/)?$1 .*Waiting .*waits in queue gpus"; }
  eventually listed "$1"
  expect 0 k get pods -o name
  [ -z "$out" ] || fail "pods of a suspended job: $out"
}
expect 0 "$KML" submit --queue gpus --name job --image localhost/busybox:1 -- sh -c 'echo admitted'
waits job .spec.suspend
# Kueue adds the node selector of the flavor that it chose.
k patch job job --type=merge -p '{"spec": {"suspend": false, "template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "node1"}}}}}' >/dev/null
expect 0 "$KML" wait job --timeout 1000s
expect 0 "$KML" logs job
contains "$out" admitted
expect 0 "$KML" delete job
gone() { [ -z "$(k get pods -o name)" ]; }
eventually gone

expect 0 "$KML" submit -t pytorchjob --queue gpus --name pytorchjob --nodes 2 "${on_node1[@]}" -- sh -c :
suspended() { [ "$(k get pytorchjob pytorchjob -o 'jsonpath={.status.conditions[?(@.type=="Suspended")].status}')" = True ]; }
eventually suspended # until the operator has seen it
waits pytorchjob .spec.runPolicy.suspend
k patch pytorchjob pytorchjob --type=merge -p '{"spec": {"runPolicy": {"suspend": false}}}' >/dev/null
expect 0 "$KML" wait pytorchjob --timeout 1000s
