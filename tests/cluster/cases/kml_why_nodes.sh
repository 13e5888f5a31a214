. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/cases/why_lib.sh"
# kml why: causes that keep pods off nodes, most of them on a simulated node that only this case's jobs request. If
# kml names a remedy, the job runs once it is applied.
node=$namespace
drop_node() { cluster kubectl delete node "$node" --ignore-not-found "$@" >/dev/null; }
drop_classes() { cluster kubectl delete priorityclass "$namespace-high" --ignore-not-found >/dev/null; }
drop_node; drop_classes
trap 'status=$?; drop_node --wait=false || true; drop_classes || true; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
cluster kubectl create -f - >/dev/null <<C
apiVersion: v1
kind: Node
metadata: {name: $node, annotations: {kwok.x-k8s.io/node: fake}, labels: {type: kwok, case: $namespace}}
status:
  allocatable: {cpu: "8", memory: 64Gi, pods: "20", nvidia.com/gpu: "4"}
  capacity: {cpu: "8", memory: 64Gi, pods: "20", nvidia.com/gpu: "4"}
C
cluster kubectl wait --for=condition=Ready node "$node" --timeout=1000s >/dev/null
cluster kubectl create priorityclass "$namespace-high" --value=1000 >/dev/null
submit() { # NAME FLAG...: also submits jobs that can never run
  expect 0 "$KML" submit --no-check --name "$1" --image none --node-selector "case=$namespace" \
    --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' "${@:2}" -- train
}

submit labels --gpus 1 --node-selector zone=b
says labels node-selector "node $node comes closest, but lacks zone=b"
administrator labels "ask an administrator to put the label zone=b on node $node" label node "$node" zone=b
runs labels
expect 0 "$KML" delete labels

submit large --gpus 8
says large too-large "a pod asks for 8 GPUs, the largest node has 4 GPUs"
contains "$(cat "$work/screen")" "cannot start"
contains "$(cat "$work/screen")" "priority cannot help"
expect 0 "$KML" delete large

cluster kubectl taint node "$node" dedicated=team:NoSchedule >/dev/null
submit tainted --gpus 1
says tainted taint "dedicated=team:NoSchedule"
contains "$(cat "$work/screen")" "kml submit --toleration dedicated=team:NoSchedule"
submit tolerant --gpus 1 --toleration dedicated=team:NoSchedule
runs tolerant
administrator tainted "ask an administrator to remove the taint dedicated=team:NoSchedule from node $node" \
  taint node "$node" dedicated=team:NoSchedule-
runs tainted
expect 0 "$KML" delete tainted tolerant

cluster kubectl cordon "$node" >/dev/null
submit cordoned --gpus 1
says cordoned cordoned "$node"
administrator cordoned "ask an administrator to uncordon node $node, once its maintenance is over" uncordon "$node"
runs cordoned
expect 0 "$KML" delete cordoned

submit holder --gpus 3
runs holder
submit held --gpus 2
says held resources-held "needs 1 GPU more: a pod asks for 2 GPUs; at most 1 of 4 GPUs are free on a node"
contains "$(cat "$work/screen")" "held by   holder ("
contains "$(cat "$work/screen")" "a priority above 0 could preempt, and --priority " # the class may be another case's
[[ $(why held -o json) != *"$(k get job holder -o 'jsonpath={.metadata.uid}')"* ]] || fail "a UID is told: $(why held -o json)"
remedy held "kml cancel"
runs held

# A preempted job: kml names the preemptor and its priority.
submit urgent --gpus 4 --priority "$namespace-high"
runs urgent
preempted() { why held | grep -q '^  also *preempted:.*was stopped for urgent (.*priority 1000)'; }
eventually preempted
says held resources-held "held by   urgent"
[[ $(why held -o json | grep -v '"message"') != *"$(k get pod -l job-name=urgent -o 'jsonpath={.items[0].metadata.uid}')"* ]] || fail "a UID is told"
expect 0 "$KML" cancel urgent

k create -f - >/dev/null <<'C'
apiVersion: batch/v1
kind: Job
metadata: {name: gated}
spec:
  template:
    spec:
      restartPolicy: Never
      schedulingGates: [{name: example.com/budget}]
      containers: [{name: main, image: none}]
C
says gated scheduling-gate "example.com/budget"

# kml uses an autoscaler's message: no node is large enough now, but one is coming.
submit grows --gpus 8
says grows too-large
pod=$(k get pod -l job-name=grows -o 'jsonpath={.items[0].metadata.name}') uid=$(k get pod -l job-name=grows -o 'jsonpath={.items[0].metadata.uid}')
k create -f - >/dev/null <<C
apiVersion: v1
kind: Event
metadata: {name: grows}
involvedObject: {apiVersion: v1, kind: Pod, name: $pod, namespace: $namespace, uid: $uid}
reason: TriggeredScaleUp
message: 'pod triggered scale-up: [{pool 1->2 (max: 3)}]'
type: Normal
lastTimestamp: $(date -u +%Y-%m-%dT%H:%M:%SZ)
C
says grows scaling-up "no current node"
