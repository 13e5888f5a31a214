# The job of the best trial in a sweep with promotions trains to the end, in its own checkpoint folder, whatever step
# its trial started at.
. "$(dirname "$0")/lib.sh"
mkdir checkpoints
cat >sweep.yaml <<C
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: p1}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  algorithm: {algorithmName: grid}
  maxTrialCount: 4
  parameters:
    - {name: x, parameterType: int, feasibleSpace: {min: 1, max: 4}}
  fidelity: {metric: step, min: 1, max: 4, eta: 2}
  earlyStopping: {algorithmName: asha, mode: promote}
  checkpointDir: $work/checkpoints
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
              - name: main
                command: [sh, "$work/train.sh", "{x}", "{until}", "{checkpoint}"]
C
cat >train.sh <<'T'
[ "$3" = "$KML_CHECKPOINT" ] || exit 9
mkdir -p "$3"
from=$(cat "$3/step" 2>/dev/null || echo 0)
echo "begins at $from"
for step in $(seq $((from + 1)) "$2"); do echo "step=$step score=$(($1 * step))"; done
echo "$2" >"$3/step"
T
expect 0 "$KML" sweep run -f sweep.yaml
contains "$err" "best: x=4"
[ "$(cat checkpoints/p1-*-3/step)" = 4 ] || fail "$(head checkpoints/*/step)"
"$KML" sweep best p1 -o yaml >best.yaml
expect 0 "$KML" submit -f best.yaml --wait
expect 0 "$KML" logs p1-best
contains "$out" "begins at 0"
contains "$out" "step=4 score=16"
[ "$(cat checkpoints/p1-*-best/step)" = 4 ]
