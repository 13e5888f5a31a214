. "$(dirname "$0")/lib.sh"
# A sweep on a real cluster: metrics from the kubelet's logs, a killed engine, and a Katib Experiment.
sweep() { "$KML" sweep "$@"; }
run() {
  sweep run s1 --param x=1..6 --maximize score --trials 6 --parallel 3 --algorithm grid "${on_node1[@]}" --grace 1s -- \
    sh -c 'echo step=1 score=0; /bin/busybox sleep 1; echo step=2 score={x}'
}
run >out 2>&1 &
engine=$!
begun() { [ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" -ge 2 ]; }
eventually begun
pkill -9 -P $engine || true
wait $engine || true
expect 0 run
contains "$err" "best: x=6"
[ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" = 6 ] || fail "$(k get jobs)"
expect 0 sweep replay s1
contains "$out" "6 proposals, 0 differ"

cat >experiment.yaml <<'C'
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: random}
spec:
  objective: {type: minimize, objectiveMetricName: loss}
  algorithm: {algorithmName: random}
  parallelTrialCount: 2
  maxTrialCount: 3
  parameters:
    - {name: lr, parameterType: double, feasibleSpace: {min: "0.01", max: "0.05"}}
  trialTemplate:
    primaryContainerName: main
    trialParameters: [{name: learningRate, reference: lr}]
    trialSpec:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      spec:
        pytorchReplicaSpecs:
          Master:
            replicas: 1
            restartPolicy: Never
            template:
              spec:
                nodeSelector: {kubernetes.io/hostname: node1}
                containers: [{name: pytorch, image: "localhost/busybox:1", command: [sh, -c, "echo loss=${trialParameters.learningRate}"]}]
C
expect 0 sweep run -f experiment.yaml
contains "$err" "all 3 trials are done"
expect 0 sweep best random
contains "$out" "loss=0.0"

# A metric in the termination message.
expect 0 sweep run last --param x=1..2 --maximize score --algorithm grid "${on_node1[@]}" -- \
  sh -c 'printf "score={x}0" >/dev/termination-log'
contains "$err" "best: x=2"
expect 0 sweep best last
contains "$out" "score=20"

# A trial that could never run is refused before the sweep begins.
expect 1 sweep run refused --param x=1..6 --maximize score --priority no-such-class "${on_node1[@]}" -- sh -c 'echo {x}'
contains "$err" "no-such-class"
