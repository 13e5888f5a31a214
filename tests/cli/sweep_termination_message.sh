# The metrics are in the trials' termination messages.
. "$(dirname "$0")/lib.sh"
cat >sweep.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: s1}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  metricsCollectorSpec: {collector: {kind: TerminationMessage}}
  algorithm: {algorithmName: grid}
  parameters: [{name: x, parameterType: int, feasibleSpace: {min: 1, max: 3}}]
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers: [{name: main, image: trainer, command: [sh, -c, "echo score=0; echo score={x} >/dev/termination-log"]}]
Y
expect 0 "$KML" sweep run -f sweep.yaml
contains "$err" "3 of 3 trials done"
expect 0 "$KML" sweep best s1
contains "$out" "x=3"
