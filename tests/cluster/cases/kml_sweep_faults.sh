. "$(dirname "$0")/lib.sh"
# Tests faults of clusters during trials: a node that breaks all of them, a node that disappears, a deleted pod, a
# hanging trial.
sweep() { "$KML" sweep "$@"; }
node() { # NAME
  cluster kubectl apply -f - >/dev/null <<C
apiVersion: v1
kind: Node
metadata: {name: $1, annotations: {kwok.x-k8s.io/node: fake}, labels: {owner: $namespace, kubernetes.io/hostname: $1}}
status:
  allocatable: {cpu: "64", memory: 512Gi, pods: "250"}
  capacity: {cpu: "64", memory: 512Gi, pods: "250"}
C
}
a=$namespace-a b=$namespace-b
trap 'status=$?; cluster kubectl delete --wait=false node/$a node/$b namespace/"$namespace" --ignore-not-found >/dev/null || true; finish $status' EXIT
node $a
node $b
eventually cluster kubectl wait --for=condition=Ready node/$a node/$b --timeout=1s
simulated() { # NAME TRIALS PARALLEL ANNOTATIONS: trials whose pods prefer node a to node b
  cat <<C
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: $1}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  algorithm: {algorithmName: random}
  metricsCollectorSpec: {collector: {kind: TerminationMessage}}
  maxTrialCount: $2
  parallelTrialCount: $3
  parameters: [{name: x, parameterType: double, feasibleSpace: {min: 0, max: 1}}]
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        backoffLimit: 0
        podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
        template:
          metadata: {annotations: {kwok/metric: score, $4}}
          spec:
            restartPolicy: Never
            nodeSelector: {owner: $namespace}
            affinity:
              nodeAffinity:
                preferredDuringSchedulingIgnoredDuringExecution:
                - {weight: 20, preference: {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [$a]}]}}
            containers: [{name: main, image: none, command: [train, "{args}"]}]
C
}
# A bad node makes no more than two trials fail.
simulated bad 12 1 "kwok/run-for: 0s, kwok/bad-node: $a" >bad.yaml
expect 0 sweep run -f bad.yaml
contains "$err" "all 12 trials are done"
[ "$(sweep export bad | grep -c ,complete,)" = 10 ] || fail "$(sweep export bad)"
[ "$(k get pods -l kml.dev/sweep=bad -o 'jsonpath={.items[*].spec.nodeName}' | tr ' ' '\n' | grep -c "$a")" = 2 ] ||
  fail "$(k get pods -o wide)"

# If a node disappears with its pods, the same trials run elsewhere, and this is not a failure.
simulated gone 4 4 "kwok/run-for: 600s" >gone.yaml
sweep run -f gone.yaml >out1 2>&1 &
engine=$!
on() { [ "$(k get pods -l kml.dev/sweep=gone -o 'jsonpath={.items[*].spec.nodeName}' | tr ' ' '\n' | grep -c "$1")" = 4 ]; }
eventually on $a
cluster kubectl delete node $a >/dev/null
eventually on $b
for pod in $(k get pods -l kml.dev/sweep=gone --field-selector "spec.nodeName=$b" -o name); do k annotate "$pod" kwok/run-for=0s --overwrite >/dev/null; done
wait $engine || fail "$(cat out1)"
[ "$(sweep export gone | grep -c ,complete,)" = 4 ] || fail "$(sweep export gone)"
[ "$(k get jobs -l kml.dev/sweep=gone -o name | grep -c a0$)" = 4 ] || fail "$(k get jobs)"

# Deletes a pod, and another trial's job; a third trial hangs. Each trial is retried as often as requested.
ran=$(mktemp -d -p "$cluster_state")
chmod 777 "$ran"
"$KML" sweep run killed --param x=0..3 --maximize score --algorithm grid --parallel 4 --retries 1 --time-limit 1h \
  --mount "host$ran:/ran" "${on_node1[@]}" --grace 1s -- sh -c 'echo {x} >>/ran/began
    until [ -e /ran/go ] && [ {x} != 3 ]; do sleep 0.1; done; echo score={x}' >out2 2>&1 &
engine=$!
began() { [ "$(wc -l <"$ran/began")" -ge "$1" ]; }
eventually began 4
k delete pod -l kml.dev/trial=0 --wait=false >/dev/null
k delete job killed-t00001-r0-a0 --wait=false >/dev/null
eventually began 6
touch "$ran/go"
for attempt in a0 a1; do # of the one that hangs, whose time is over now
  eventually k patch job "killed-t00003-r0-$attempt" -p '{"spec": {"activeDeadlineSeconds": 1}}'
done
wait $engine || fail "$(cat out2)"
rm -rf "$ran"
contains "$(cat out2)" "best: x=2"
[ "$(sweep export killed | grep -c ,complete,)" = 3 ] || fail "$(sweep export killed)"
contains "$(sweep export killed -o jsonl | grep '"trial":3')" 'time limit'
expect 0 sweep replay killed
contains "$out" "4 proposals, 0 differ"
