# In population-based training, trials start from the checkpoints of earlier trials. A killed engine changes no result.
. "$(dirname "$0")/lib.sh"
# A checkpoint is the list of the learning rates with which it was trained. Member 0 learns nothing.
cat >train.sh <<'T'
dir=$1
echo "$2" >>"$dir/rates"
echo "score=$(wc -l <"$dir/rates").$(head -n 1 "$dir/rates" | tr -dc 0-9)"
T
cat >sweep.yaml <<Y
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: pbt}
spec:
  objective: {type: maximize, objectiveMetricName: score}
  algorithm:
    algorithmName: pbt
    algorithmSettings:
      - {name: suggestion_trial_dir, value: $work/checkpoints/}
      - {name: n_population, value: "5"}
      - {name: truncation_threshold, value: "0.2"}
  parallelTrialCount: 3
  maxTrialCount: 20
  parameters: [{name: lr, parameterType: double, feasibleSpace: {min: "0.0001", max: "0.02", step: "0.0001"}}]
  trialTemplate:
    primaryContainerName: main
    trialParameters: [{name: rate, reference: lr}]
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers: [{name: main, command: [sh, train.sh, $work/checkpoints/, "\${trialParameters.rate}"], workingDir: $work}]
Y
run() { "$KML" sweep run -f sweep.yaml; }
expect 0 "$KML" local up
trials() { [ "$("$KML" list -o name | grep -c pbt-)" -ge "$1" ]; }
for begun in 4 9; do
  run >out 2>&1 &
  engine=$!
  eventually trials $begun
  pkill -9 -P $engine || true
  wait $engine || true
done
expect 0 run
contains "$err" "all 20 trials are done"
expect 0 "$KML" sweep replay pbt
contains "$out" "20 proposals, 0 differ"

expect 0 "$KML" sweep best pbt
best=$(sed -n 's/.*(trial \([0-9]*\), job .*, checkpoint \(.*\))$/\1 \2/p' <<<"$out")
[ "${best#* }" = "$(echo checkpoints/pbt-*-"${best% *}" | sed "s|^|$work/|")" ] && [ -s "${best#* }/rates" ] || fail "$out"
expect 0 "$KML" sweep best pbt -o yaml
contains "$err" "the trained model is ${best#* }"

# Each checkpoint equals its parent's, with one more line for the trial's own learning rate.
journal=$XDG_STATE_HOME/kml/sweeps/pbt/journal.jsonl
python3 - "$journal" "$work/checkpoints" <<'P' || fail "$(grep asked "$journal")"
import json, glob, sys
asked = [r for r in map(json.loads, open(sys.argv[1])) if "values" in r and "member" in r]
assert len(asked) == 20 and [r["trial"] for r in asked] == list(range(20)), asked
read = lambda trial: open(glob.glob(f"{sys.argv[2]}/pbt-*-{trial}/rates")[0]).read().split()
for r in asked:
    begin = read(r["parent"]) if "parent" in r else []
    assert read(r["trial"])[:-1] == begin, (r, read(r["trial"]), begin)
    assert float(read(r["trial"])[-1]) == r["values"]["lr"], r
    assert ("parent" in r) == (r["trial"] >= 5), r
assert len(glob.glob(f"{sys.argv[2]}/*")) == 20
P
sed 's/parallelTrialCount: 3/parallelTrialCount: 6/; s/name: pbt/name: wide/' sweep.yaml >wide.yaml
expect 2 "$KML" sweep run -f wide.yaml
contains "$err" "is more than the 5 members of the population"
