. "$(dirname "$0")/lib.sh"
# A trial of a raw Job whose pod is evicted runs again. This is not a failure, although no retries are allowed.
cat >sweep.yaml <<C
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: s1}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  algorithm: {algorithmName: grid}
  parallelTrialCount: 2
  parameters:
    - {name: x, parameterType: int, feasibleSpace: {min: "1", max: "2"}}
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            terminationGracePeriodSeconds: 1
            nodeSelector: {kubernetes.io/hostname: node1}
            containers:
              - name: main
                image: localhost/busybox:1
                command: [sh, -c, 'if [ {x} = 1 ] && [ \$(hostname | cut -d- -f4) = a0 ]; then /bin/busybox sleep 1000; fi; echo score={x}']
C
"$KML" sweep run -f sweep.yaml >out 2>&1 &
engine=$!
pod() { k get pods -l kml.dev/trial=0 --field-selector status.phase=Running -o 'jsonpath={.items[0].metadata.name}'; }
runs() { [ -n "$(pod)" ]; }
eventually runs
evicted=$(pod)
k create --raw "/api/v1/namespaces/$namespace/pods/$evicted/eviction" -f - >/dev/null <<C
{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"$evicted","namespace":"$namespace"}}
C
wait $engine || fail "$(cat out)"
contains "$(cat out)" "trial 0 complete  score=1"
contains "$(cat out)" "all of the space has been tried"
contains "$("$KML" sweep best s1)" "trial 1"
journal=$XDG_STATE_HOME/kml/sweeps/s1/journal.jsonl
grep '"disrupted":true' "$journal" | grep -q 'the pod was evicted' || fail "$(cat "$journal")"
[ "$(k get jobs -l kml.dev/trial=0 -o name | sort | tr '\n' ' ')" = "job.batch/s1-t00000-r0-a0 job.batch/s1-t00000-r0-a1 " ] || fail "$(k get jobs)"

# kml reports whether trials wait because of a quota, or because of the nodes.
expect 0 true
"$KML" sweep run w1 --param x=1..3 --maximize score --trials 3 --parallel 2 "${on_node1[@]}" --gpus 4 -- sh -c 'echo {x}; /bin/busybox sleep 1000' >out 2>&1 &
engine=$!
told() {
  "$KML" sweep status w1 >now && grep -q "waiting: [12]: not enough GPUs free on 1 node" now &&
    grep -q "^[01] .*waiting.*not enough GPUs free on 1 node" now
}
(eventually told) || fail "$(cat now)"
expect 0 "$KML" sweep stop w1
wait $engine || true
