# Several objectives: best shows the Pareto front, and status and the report show which trials are on it. Additional
# metrics are shown beside a single objective.
. "$(dirname "$0")/lib.sh"
json() { python3 -c 'import json, sys; print(json.dumps(eval(sys.argv[1], {"d": json.load(sys.stdin)})))' "$1" <<<"$out"; }
train='echo accuracy=0.{x}; echo size=$(( ({x} - 5) * ({x} - 5) ))'
run() { expect "$1" "$KML" sweep run f1 --param x=1..9 --maximize accuracy --minimize size --algorithm grid "${@:2}" -- sh -c "$train"; }
run 2 --goal 0.9
contains "$err" "--goal: cannot be combined with several objectives"
run 2 --early-stopping median
contains "$err" "--early-stopping: cannot be combined with several objectives: it compares trials by their learning curves for one metric"
run 0
contains "$err" "5 trials on the front of accuracy, size"
contains "$err" "front: kml sweep best f1"
contains "$out" "accuracy=0.3 size=4  x=3"

expect 0 "$KML" sweep best f1
[ "$(awk '{ print $2, $3, $4 }' <<<"$out" | tr '\n' ,)" = "ACCURACY SIZE x,0.9 16 9,0.8 9 8,0.7 4 7,0.6 1 6,0.5 0 5," ] || fail "$out"
contains "$err" "kml sweep best f1 TRIAL -o yaml prints the job of a trial"
expect 0 "$KML" sweep best f1 -o json
[ "$(json '[d[0]["metrics"]["accuracy"], d[0]["metrics"]["size"], d[0]["parameters"]["x"]]')" = "[0.9, 16.0, 9]" ] || fail "$out"
trial=$(json 'd[3]["trial"]')
expect 0 "$KML" sweep best f1 "$trial"
contains "$out" "accuracy=0.6 size=1 (trial $trial"
expect 0 "$KML" sweep best f1 "$trial" -o yaml
contains "$out" "accuracy=0.6"
expect 2 "$KML" sweep best f1 99
contains "$err" "has no trial 99"

expect 0 "$KML" sweep status f1
contains "$out" "5 trials on the front of accuracy, size"
[ "$(awk '$2 == "complete" { print $3, $4 }' <<<"$out" | head -n 5 | tail -n 1)" = "0.5 0" ] || fail "$out"
expect 0 "$KML" sweep status f1 -o json
[ "$(json '[d["best"], len(d["front"]), d["objectives"][1]["metric"]]')" = '[null, 5, "size"]' ] || fail "$out"
expect 0 "$KML" sweep list
contains "$out" "front of 5"
expect 0 "$KML" sweep report f1 -o -
contains "$out" '"front":['
expect 0 "$KML" sweep replay f1

cat >katib.yaml <<Y
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: k1}
spec:
  objective: {type: maximize, objectiveMetricName: accuracy, additionalMetricNames: [loss]}
  algorithm: {algorithmName: grid}
  parameters: [{name: x, parameterType: int, feasibleSpace: {min: "1", max: "2"}}]
  trialTemplate:
    trialParameters: [{name: x, reference: x}]
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, command: [sh, -c,
        "echo accuracy=0.\${trialParameters.x} loss=1.\${trialParameters.x}"]}]}}}
Y
expect 0 "$KML" sweep run -f katib.yaml
expect 0 "$KML" sweep best k1
contains "$out" "accuracy=0.2 loss=1.2 (trial 1"
expect 0 "$KML" sweep status k1
contains "$out" "ACCURACY  LOSS"
