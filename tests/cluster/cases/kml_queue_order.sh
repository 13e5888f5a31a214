. "$(dirname "$0")/lib.sh"
# The queue has the scheduler's order: priority, then age. A user who may see only one namespace gets a note. Uses its
# own node, so that jobs of other cases do not interfere.
trap 'status=$?; cluster kubectl delete node "$namespace" --ignore-not-found >/dev/null; cluster kubectl delete priorityclass "$namespace" --ignore-not-found >/dev/null
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
cluster kubectl apply -f - >/dev/null <<C
apiVersion: v1
kind: Node
metadata:
  name: $namespace
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {own: $namespace, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
spec: {taints: [{key: team, value: vision, effect: NoSchedule}]}
status:
  allocatable: {cpu: "64", memory: 512Gi, pods: "250", nvidia.com/gpu: "8", nvidia.com/mig-1g.5gb: "7"}
  capacity: {cpu: "64", memory: 512Gi, pods: "250", nvidia.com/gpu: "8", nvidia.com/mig-1g.5gb: "7"}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: $namespace}
value: 1000
preemptionPolicy: Never
C
cluster kubectl wait --for=condition=Ready "node/$namespace" --timeout=1000s >/dev/null
there=(--image none --node-selector "own=$namespace" --toleration team --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}')
expect 0 "$KML" submit --name holder "${there[@]}" --gpus 6 --time-limit 2h -- true
running() { [ "$(k get pods -l "job-name=$1" -o 'jsonpath={.items[*].status.phase}')" = Running ]; }
eventually running holder
expect 0 "$KML" submit --name slices "${there[@]}" --gpus mig-1g.5gb:2 -- true
# The order depends on the age of the pods, which the job controller may create late, so this waits for each pod.
has_pod() { [ -n "$(k get pods -l "job-name=$1" -o name)" ]; }
for name in old young; do
  expect 0 "$KML" submit --name $name "${there[@]}" --gpus 4 -- true
  eventually has_pod $name
  sleep 1.1 # creation times are whole seconds
done
expect 0 "$KML" submit --name urgent "${there[@]}" --gpus 4 --priority "$namespace" -- true
eventually running slices
eventually has_pod urgent
k run alone --image none --restart Never --overrides '{"spec": {"nodeSelector": {"own": "none"}}}' >/dev/null

told() {
  "$KML" queue --no-headers >now && [ "$(awk '$1 != "-" {print $2}' now | tr '\n' ' ')" = "urgent old young " ] &&
    grep -q '^- .*pod/alone ' now # no node has its label, so it has no position
}
(eventually told) || fail "$(cat now)"
grep -Eq '^- +holder .* 6 .* Running .*ends <1?[12][h0-9].* on '"$namespace" now || fail "$(cat now)"
grep -Eq '^- +slices .* mig-1g.5gb:2 ' now || fail "$(cat now)"
expect 0 "$KML" queue --start --no-headers
grep -Eq ' urgent .* ~20' <<<"$out" || fail "$out"

expect 0 "$KML" top nodes --no-headers
grep -Eq "^$namespace +h100 +8 +6 +2 +ready +team=vision:NoSchedule +6 holder" "$work/out" || fail "$out"
grep -Eq "^$namespace +mig-1g.5gb +7 +2 +5 +ready .* 2 slices" "$work/out" || fail "$out"
grep -Eq '^h100 .* nothing; 2 more GPUs on tainted nodes$' "$work/out" || fail "$out"

# The scheduler agrees. It waits up to ten seconds before it tries again a pod that did not fit.
sleep 10
expect 0 "$KML" delete holder
eventually running urgent

# Tests a user who may see only the namespace.
need_user ana
k create rolebinding ana --clusterrole edit --serviceaccount "$namespace:ana" >/dev/null
may ana list pods
cluster kubectl config --kubeconfig "$KUBECONFIG" use-context ana >/dev/null
expect 0 "$KML" queue --no-headers
contains "$err" "positions consider only namespace $namespace"
contains "$err" "you may not list priorityclasses, nodes"
grep -Eq '^1 +(young|old) ' "$work/out" || fail "$out"
expect 4 "$KML" top nodes
contains "$err" "cannot determine the GPUs of the cluster"
cluster kubectl -n "$namespace" create quota gpus --hard requests.nvidia.com/gpu=20 >/dev/null
counted() { "$KML" top nodes --no-headers >now 2>/dev/null && grep -Eq '^kml-queue-order +nvidia.com/gpu +- +12 +20 +8 +quota gpus' now; }
(eventually counted) || fail "$(cat now)"
