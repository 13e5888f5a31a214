# Tests parts of Katib Experiments: a template in a ConfigMap, a metrics file per trial, TensorFlow event files, and
# unsupported parts, which are rejected in one sentence.
. "$(dirname "$0")/lib.sh"
unshare --user --map-root-user --mount true 2>/dev/null || { echo "no namespaces here: skipped"; exit 0; }
experiment() { # NAME COLLECTOR TEMPLATE
  cat <<Y
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: $1}
spec:
  objective: {type: maximize, objectiveMetricName: accuracy}
  algorithm: {algorithmName: grid}
  parallelTrialCount: 3
  maxTrialCount: 3
  parameters: [{name: x, parameterType: int, feasibleSpace: {min: "1", max: "3"}}]
  metricsCollectorSpec: $2
  trialTemplate:
    primaryContainerName: main
    trialParameters: [{name: value, reference: x}]
    $3
Y
}
trial() { # KIND COMMAND
  echo "{apiVersion: $1, kind: $2, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, command: [sh, -c, '$3']}]}}}}"
}
file='{source: {fileSystemPath: {path: /katib-of-a-test/metrics.log, kind: File}}, collector: {kind: File}}'

expect 0 "$KML" local up
# Each trial writes a line to its file, and then waits until all three trials have written one.
write='echo accuracy=0.${trialParameters.value} >>/katib-of-a-test/metrics.log; touch WORK/ran-${trialParameters.value}; until [ -e WORK/ran-1 ] && [ -e WORK/ran-2 ] && [ -e WORK/ran-3 ]; do sleep 0.05; done'
write=${write//WORK/$work}
"$KML" submit -f - <<Y >/dev/null
apiVersion: v1
kind: ConfigMap
metadata: {name: templates}
data: {"job.yaml": "$(trial batch/v1 Job "$write" | sed 's/"/\\"/g')"}
Y
experiment files "$file" "configMap: {configMapName: templates, configMapNamespace: default, templatePath: job.yaml}" >files.yaml
expect 0 "$KML" sweep run -f files.yaml
contains "$err" "best accuracy 0.3"
expect 0 "$KML" sweep export files
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } $at["accuracy"] * 10 == $at["x"]' <<<"$out" | wc -l)" = 3 ] || fail "$out"
! grep -q "no effect" <<<"$err" || fail "$err"
# The settings of the libraries that Katib uses are accepted, and kml says that it does not use them.
sed 's/algorithmName: grid/algorithmName: tpe, algorithmSettings: [{name: n_EI_candidates, value: "24"}, {name: random_state, value: "3"}, {name: gamma, value: "0.25"}]/; s/name: files/name: other/' files.yaml >other.yaml
expect 0 "$KML" sweep run -f other.yaml --dry-run
contains "$err" "settings of the algorithm that have no effect in kml: n_EI_candidates, gamma"
sed 's/job.yaml/jobs.yaml/; s/name: files/name: other/' files.yaml >other.yaml
expect 1 "$KML" sweep run -f other.yaml
contains "$err" "its keys: job.yaml"
sed 's/configMapName: templates/configMapName: nothing/; s/name: files/name: other/' files.yaml >other.yaml
expect 1 "$KML" sweep run -f other.yaml
contains "$err" "no ConfigMap nothing in namespace default"

# tests/unit/engine/watching/event_file_test.cc says how this file was made.
base64 -d >events <<'B'
GAAAAAAAAACjf0siCeGwA4nwwdpBGg1icmFpbi5FdmVudDoyyS2kZRwAAAAAAAAAyMGVHQnJVQSJ8MHaQSoRCg8KCGFjY3VyYWN5
FQAAAD9hEJ8OHQAAAAAAAABgL98jCZ5ZBInwwdpBKhIKEAoEbG9zc0IICAEqBAAAgD9Cxx4UHgAAAAAAAADZ3BIyCVhaBInwwdpB
EAEqEQoPCghhY2N1cmFjeRUAACA/1gjxHh8AAAAAAAAAUUtEGAmQWgSJ8MHaQRABKhIKEAoEbG9zc0IICAEqBAAAAD9Lrpu3HgAA
AAAAAADZ3BIyCdNaBInwwdpBEAIqEQoPCghhY2N1cmFjeRUAAEA/xWOdih8AAAAAAAAAUUtEGAkAWwSJ8MHaQRACKhIKEAoEbG9z
c0IICAEqBAAAgD4GSmGw
B
events='{source: {fileSystemPath: {path: /katib-of-a-test/, kind: Directory}}, collector: {kind: TensorFlowEvent}}'
log="mkdir /katib-of-a-test/test; cp $work/events /katib-of-a-test/test/out.tfevents.\${trialParameters.value}; echo accuracy=7"
experiment events "$events" "trialSpec: $(trial batch/v1 Job "$log")" >events.yaml
expect 0 "$KML" sweep run -f events.yaml
contains "$err" "best accuracy 0.75"
expect 0 "$KML" sweep logs events
[[ "$out" == *"accuracy=7"* && "$out" != *kml-events* ]] || fail "$out"
expect 0 "$KML" logs --sweep events
[[ "$out" == *"accuracy=7"* && "$out" != *kml-events* ]] || fail "$out"

# The namespace in an Experiment is meant for Katib; kml uses its own namespace, and says so.
sed 's/name: events}/name: elsewhere, namespace: kubeflow}/' events.yaml >elsewhere.yaml
expect 0 "$KML" sweep run -f elsewhere.yaml --dry-run
contains "$err" "namespace kubeflow of elsewhere.yaml is not used: the trials run in namespace default"
sed 's/kubeflow}/default}/' elsewhere.yaml >here.yaml
expect 0 "$KML" sweep run -f here.yaml --dry-run
[[ $err != *namespace* ]] || fail "$err"

# Unsupported parts are rejected in one sentence.
refused() { # FILE TEXT
  expect 2 "$KML" sweep run -f "$1" --dry-run
  contains "$err" "$2"
}
experiment nas "$file" "trialSpec: $(trial batch/v1 Job true)" | sed 's/algorithmName: grid/algorithmName: enas/; /parameters:/d' >nas.yaml
refused nas.yaml "searches for the architecture of a network (enas), but kml only tunes parameters"
[ "$(grep -c nas.yaml <<<"$err")" = 2 ] || fail "$err"
experiment custom '{collector: {kind: Custom, customCollector: {image: my/collector}}}' "trialSpec: $(trial batch/v1 Job true)" >custom.yaml
refused custom.yaml "a custom collector (my/collector) is not supported"
experiment flow '{}' "trialSpec: $(trial argoproj.io/v1alpha1 Workflow 'echo accuracy=${trialParameters.value}')" >flow.yaml
refused flow.yaml "the embedded server cannot run Workflows"
experiment bad '{}' "successCondition: status.conditions.#(type==Complete)#
    trialSpec: $(trial batch/v1 Job 'echo accuracy=${trialParameters.value}')" >bad.yaml
refused bad.yaml "spec.trialTemplate.successCondition: the path"

# A dry run does not start the server, not even for a template in a ConfigMap.
"$KML" local down --force
expect 1 "$KML" sweep run -f files.yaml --dry-run
contains "$err" "the embedded server is not running, and --dry-run does not start it"
[ "$("$KML" local status -o json | grep -c '"running": true')" = 0 ] || fail "the server runs"
