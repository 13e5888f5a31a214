# A sweep file: its time limit applies, flags change its trial, and flags that cannot be applied are rejected by name.
. "$(dirname "$0")/lib.sh"
cat >sweep.yaml <<'C'
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: f1}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  algorithm: {algorithmName: grid}
  parallelTrialCount: 2
  timeLimit: 20s
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
            containers:
              - name: main
                command: [sh, -c, 'if [ {x} = 1 ]; then sleep 1000; fi; echo score=${FACTOR}{x}']
C
sweep() { "$KML" sweep "$@"; }
expect 0 sweep run -f sweep.yaml --env FACTOR=4 --cpu 200m
contains "$out" "trial 1 complete  score=42  x=2"
contains "$out" "trial 0 failed  x=1"
contains "$out" "time limit"
expect 0 sweep best f1 -o yaml
contains "$out" "activeDeadlineSeconds: 20"
contains "$out" "cpu: 200m"
expect 0 sweep run -f sweep.yaml --env FACTOR=4 --cpu 200m
expect 2 sweep run -f sweep.yaml --env FACTOR=5 --cpu 200m
contains "$err" "spec.trialTemplate"
expect 0 sweep run f2 -f sweep.yaml --time-limit 30s --algorithm random --trials 1 --seed 3 --dry-run
expect 0 sweep run f2 -f sweep.yaml --algorithm grid -- sh -c 'echo score={x}'
contains "$out" "trial 0 complete  score=1  x=1"

expect 2 sweep run f3 -f sweep.yaml --max-steps 3
contains "$err" "--max-steps"
expect 2 sweep run f3 -f sweep.yaml --name other
contains "$err" 'two names: "f3" and --name other'
expect 2 sweep run f3 -f sweep.yaml -t job
contains "$err" "-t cannot be used with -f"
sed 's/timeLimit: 20s/timeLimit: 1h/' sweep.yaml >other.yaml
expect 2 sweep run f1 -f other.yaml --env FACTOR=4 --cpu 200m
contains "$err" "spec.timeLimit"
sed 's/kind: Job/kind: ConfigMap/; s/batch\/v1/v1/; /timeLimit/d' sweep.yaml >other.yaml
expect 2 sweep run f4 -f other.yaml
contains "$err" "this trial is a ConfigMap"

# The numbers of a list reach the command as the file has them.
sed 's/{name: x,.*/{name: x, parameterType: categorical, feasibleSpace: {list: [3.9, 3.10, 007, 1e-4, 8]}}/
/timeLimit/d' sweep.yaml >other.yaml
for type in categorical discrete; do
  sed "s/categorical/$type/" other.yaml >typed.yaml
  expect 0 sweep run f4 -f typed.yaml --dry-run
  contains "$out" "f4: 5 trials, 2 at once, by grid, of 5 points"
  for value in 3.9 3.10 007 1e-4 8; do contains "$out"$'\n' "  x=$value"$'\n'; done
done
sed 's/1e-4, 8/on, off, Yes, n, true/' other.yaml >typed.yaml
expect 0 sweep run f4 -f typed.yaml --dry-run
contains "$out" "f4: 8 trials, 2 at once, by grid, of 8 points"
sed -i 's/3.9, 3.10, 007, on/on/' typed.yaml
expect 0 sweep run f4 -f typed.yaml --dry-run
for value in on off Yes n true; do contains "$out"$'\n' "  x=$value"$'\n'; done

# The file can be read from standard input, which then cannot provide other values.
expect 0 sweep run f5 -f - --dry-run <sweep.yaml
contains "$out" "f5: "
expect 2 sweep run f5 -f - --secret TOKEN=- <sweep.yaml
contains "$err" "both -f - and --secret TOKEN=- read standard input"
echo 'kind: Job' >wrong.yaml
expect 2 sweep run f5 -f - <wrong.yaml
contains "$err" "standard input"
