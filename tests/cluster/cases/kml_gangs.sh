. "$(dirname "$0")/lib.sh"
# Tests Kubernetes' own gangs (PodGroup of scheduling.k8s.io), if this cluster serves them (see KML_FEATURES).
# With gangs, a job's pods start together, and `kml why` reports how many have no room. Without gangs, the
# pods start one by one, which kml prints once.
trap 'status=$?; cluster kubectl delete nodes -l "case=$namespace" --wait=false >/dev/null || true
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
for node in 1 2 3; do
  cluster kubectl apply -f - >/dev/null <<N
apiVersion: v1
kind: Node
metadata:
  name: $namespace-$node
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {case: $namespace}
spec: {taints: [{key: case, value: $namespace, effect: NoSchedule}]}
status:
  allocatable: {cpu: "32", memory: 256Gi, pods: "110", nvidia.com/gpu: "8"}
  capacity: {cpu: "32", memory: 256Gi, pods: "110", nvidia.com/gpu: "8"}
N
done
ready() { k wait --for=condition=Ready nodes -l "case=$namespace" --timeout=10s; }
eventually ready
# gang NAME PODS [FLAG...]: a job of pods with 8 GPUs that runs for an hour on this case's nodes.
gang() {
  "$KML" submit --name "$1" --nodes "$2" --gpus 8 --image none --node-selector "case=$namespace" \
    --toleration "case=$namespace:NoSchedule" --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' "${@:3}" -- train
}
pending() { k get pods -l "job-name=$1" --field-selector status.phase=Pending -o name | wc -l; }
is_silent() { [[ "$err" != *'one by one'* ]] || fail "$err"; }
waits() { [ "$(pending "$1")" = "$2" ]; } # NAME PODS
verdict() { "$KML" why "$1" -o json | python3 -c 'import json, sys; cause = json.load(sys.stdin)["cause"]; print(cause["code"], cause["summary"])'; }
says() { [[ "$(verdict "$1")" = *"$2"* ]]; } # NAME TEXT

if ! k get podgroups.v1beta1.scheduling.k8s.io >/dev/null 2>&1; then
  expect 0 gang one 2
  contains "$err" 'the pods start one by one, as nodes have room: the cluster does not serve PodGroups'
  [ -z "$(k get job one -o 'jsonpath={.spec.template.spec.schedulingGroup}')" ] || fail "a group that nobody obeys"
  expect 0 gang two 2
  is_silent
  eventually waits two 1 # one of its pods has the last node
  finish 0
fi

expect 0 gang first 2
is_silent
eventually waits first 0
owner=$(k get podgroups -o 'jsonpath={.items[0].metadata.ownerReferences[0].name} {.items[0].spec.schedulingPolicy.gang.minCount}')
[ "$owner" = 'first 2' ] || fail "the PodGroup: $owner"

# Only one node is left, so none of the second job's pods starts.
expect 0 gang second 3
eventually waits second 3
eventually says second 'its 3 pods only start together, and 2 of them have no room'
says second resources-held || fail "$(verdict second)"
out=$("$KML" queue --no-headers)
[ "$(grep -c second <<<"$out")" = 1 ] || fail "the queue: $out"
contains "$out" 'no room for 2 of 3 pods'
expect 0 "$KML" delete first --yes
eventually waits second 0
[ "$(k get pods -l job-name=second -o name | wc -l)" = 3 ] || fail 'not three pods'

# Tests a manifest whose PodGroup asks for more pods than the job has, and one whose PodGroup does not exist.
expect 0 "$KML" submit -f - <<M
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: trio}
spec: {schedulingPolicy: {gang: {minCount: 3}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: duo}
spec:
  completions: 2
  parallelism: 2
  template: {spec: {schedulingGroup: {podGroupName: trio}, restartPolicy: Never, containers: [{name: main, image: none}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: lone}
spec:
  template: {spec: {schedulingGroup: {podGroupName: nothing}, restartPolicy: Never, containers: [{name: main, image: none}]}}
M
eventually says duo 'gang-incomplete its gang is short of 1 pod: PodGroup trio requires 3 pods to start together, but only 2 exist'
eventually says lone 'gang-incomplete its pods wait for PodGroup nothing, which does not exist'

# A gang that must be in one rack, if the scheduler obeys topologies (KML_FEATURES=racks): of the two racks,
# one has one node, and the other has two nodes, one too few for the gang. The remedy is to leave the topology
# out.
cluster kubectl label node "$namespace-1" "$namespace-2" "$namespace-3" rack- >/dev/null
cluster kubectl label node "$namespace-1" "$namespace-2" rack=r1 >/dev/null
cluster kubectl label node "$namespace-3" rack=r2 >/dev/null
in_rack() { # NAME PODS
  "$KML" submit -f - <<M
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: $1}
spec: {schedulingPolicy: {gang: {minCount: $2}}, schedulingConstraints: {topology: [{key: rack}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  completions: $2
  parallelism: $2
  template:
    metadata: {annotations: {kwok/run-for: 1h}}
    spec:
      schedulingGroup: {podGroupName: $1}
      restartPolicy: Never
      nodeSelector: {case: $namespace}
      tolerations: [{key: case, operator: Exists}]
      containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 8}}}]
M
}
expect 0 "$KML" delete second --yes
in_rack three 3 >/dev/null 2>&1 || true
if [ "$(k get podgroup three -o 'jsonpath={.spec.schedulingConstraints.topology[0].key}' 2>/dev/null)" = rack ]; then
  eventually says three 'too-large its 3 pods must be in one rack (rack), and even an empty one has room for at most 2'
  expect 0 "$KML" delete three --yes
  k delete podgroup three >/dev/null
  expect 0 gang holder 1
  eventually waits holder 0
  cluster kubectl label --overwrite node "$namespace-1" "$namespace-2" "$namespace-3" rack=r1 >/dev/null
  expect 0 in_rack trio3 3
  eventually says trio3 'resources-held its 3 pods must be in one rack (rack), and none has room for more than 2 of them now'
  expect 0 "$KML" delete holder --yes
  eventually waits trio3 0
  expect 0 "$KML" delete trio3 --yes
  k delete podgroup trio3 >/dev/null
else
  "$KML" delete three --yes >/dev/null 2>&1 || true
  k delete podgroup three --ignore-not-found >/dev/null
fi
expect 0 gang second 3
eventually waits second 0

# If the same job is submitted again, it gets its own PodGroup.
expect 0 "$KML" rerun second --name again
group=$(k get job again -o 'jsonpath={.spec.template.spec.schedulingGroup.podGroupName}')
[[ $group = again-* ]] && k get podgroup "$group" >/dev/null || fail "the group of a rerun: $group"

# A gang that preempts is named, although the event only has its PodGroup.
cluster kubectl create priorityclass "$namespace-high" --value=1000 >/dev/null
trap 'status=$?; cluster kubectl delete nodes -l "case=$namespace" --wait=false >/dev/null || true
  cluster kubectl delete priorityclass "$namespace-high" --ignore-not-found >/dev/null || true
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
expect 0 "$KML" delete again duo lone --yes
k delete podgroup trio >/dev/null
expect 0 gang urgent 2 --priority "$namespace-high"
eventually waits urgent 0
names_preemptor() { "$KML" why second | grep -q 'was stopped for urgent'; }
eventually names_preemptor
expect 0 "$KML" history second
contains "$out" 'preempted by urgent'
expect 0 "$KML" delete urgent --yes

# For a user who may not create PodGroups, the job is created without a PodGroup.
need_user plain
k create role submits --verb=create,get,patch --resource=jobs.batch,pods >/dev/null
k create rolebinding submits --role=submits --serviceaccount="$namespace:plain" >/dev/null
may plain create jobs
expect 0 gang third 2 --context plain
contains "$err" "one by one, as nodes have room: you may not create PodGroups in namespace $namespace"
expect 1 "$KML" doctor --context plain # it may not list pods, either
[[ "$out" = *'?'*'may create podgroups'*'the pods of a job with --nodes start one by one'* ]] || fail "$out"

# The trials of a sweep and the steps of a pipeline get PodGroups, too, which are deleted with their jobs.
k delete jobs --all >/dev/null
no_pods() { [ -z "$(k get pods -o name)" ]; }
eventually no_pods
groups() { k get podgroups -o json | python3 -c 'import json, sys
print(*sorted(one["metadata"]["ownerReferences"][0]["name"] + "/" + str(one["spec"]["schedulingPolicy"]["gang"]["minCount"]) for one in json.load(sys.stdin)["items"]))'; }
"$KML" sweep run twins --param x=1..2 --maximize score --algorithm grid --parallel 1 --nodes 2 --gpus 8 --image none \
  --node-selector "case=$namespace" --toleration "case=$namespace:NoSchedule" \
  --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' -- train '{x}' >sweep.out 2>&1 &
engine=$!
has_groups() { [ "$(groups)" = "$1" ]; }
eventually has_groups twins-t00000-r0-a0/2
eventually waits twins-t00000-r0-a0 0
expect 0 "$KML" sweep stop twins
wait $engine || true
cat >run.yaml <<C
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: pair}
spec:
  steps:
    both: {command: [train], image: none, nodes: 2, gpus: 8, node-selector: {case: $namespace}, tolerations: ["case=$namespace:NoSchedule"]}
C
k delete jobs --all >/dev/null
"$KML" run run.yaml >run.out 2>&1 &
engine=$!
has_pair() { [[ "$(groups)" =~ ^pair-.*/2$ ]]; }
eventually has_pair
kill $engine
wait $engine || true

# The trials of a sweep with an engine in the cluster get PodGroups, too, because the engine has the right to
# create them.
need_engine_image
need_volume runs ReadWriteOnce
k delete jobs --all >/dev/null
eventually no_pods
expect 0 "$KML" sweep run there --param x=1..2 --maximize score --algorithm grid --parallel 1 --nodes 2 --gpus 8 --image none \
  --in-cluster --engine-image "$image" --journal-volume pvc/runs --node-selector "case=$namespace" \
  --toleration "case=$namespace:NoSchedule" --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' -- train '{x}'
is_silent
[ "$(k get role there-engine -o json | grep -c podgroups)" = 1 ] || fail "$(k get role there-engine -o yaml)"
has_trial() { [[ "$(groups)" = *there-t00000-r0-a0/2* ]]; }
eventually has_trial
expect 0 "$KML" sweep stop there
expect 0 "$KML" sweep delete there
