. "$(dirname "$0")/lib.sh"
# A misspelled field is reported with its position before anything is created. A newer Kubernetes may have the
# field, so the server decides, if kml can reach one.
cat >typo.yaml <<'Y'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: fine}
- apiVersion: batch/v1
  kind: Job
  metadata:
    name: typo
  spec:
    template:
      spec:
        containres:
        - name: main
        restartPolicy: Never
Y
expect 2 "$KML" submit -f typo.yaml
contains "$err" "typo.yaml:14:9 items[1].spec.template.spec.containres: no such field; did you mean containers?"
contains "$err" 'unknown field "spec.template.spec.containres"'
for _ in once twice; do  # nothing was created: otherwise, the ConfigMap would exist the second time
  expect 2 "$KML" submit -f typo.yaml
  contains "$err" "the server rejects the manifests"
done
expect 0 "$KML" submit -f typo.yaml --dry-run
contains "$err" "typo.yaml:14:9 items[1].spec.template.spec.containres: no such field; did you mean containers? (in Kubernetes 1.37)"
# A wrong kind or apiVersion is also reported with its position.
wrong() { printf "$1" >kind.yaml; expect 2 "$KML" submit -f kind.yaml; contains "$err" "kind.yaml:$2"; }
wrong 'apiVersion: batch/v1\nkind: Jobb\nmetadata: {name: a}\n' '2:7 kind: "Jobb" is not a kind of batch/v1; did you mean Job?'
wrong 'apiVersion: batch/v1\nkind: job\nmetadata: {name: a}\n' '2:7 kind: "job" is not a kind of batch/v1; did you mean Job?'
wrong 'apiVersion: batch/v2\nkind: Job\nmetadata: {name: a}\n' '1:13 apiVersion: "batch/v2" does not have Jobs; did you mean batch/v1?'
wrong 'apiVersion: batch/v1\nkind: 5\nmetadata: {name: a}\n' '2:7 kind: this must be a string'
wrong '[a]\n' '1:1: not a Kubernetes object: it is not a mapping'
# A kind of another API group may have the same name as a known kind. A list of objects has a kind such as
# ConfigMapList.
printf 'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\n' >kind.yaml
expect 0 "$KML" submit -f kind.yaml --dry-run
printf 'apiVersion: v1\nkind: ConfigMapList\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]\n' >kind.yaml
expect 0 "$KML" submit -f kind.yaml --dry-run
# With --no-check, the file is sent unchanged.
expect 1 "$KML" submit -f typo.yaml --no-check
contains "$err" 'unknown field "spec.template.spec.containres"'
expect 0 "$KML" submit -f typo.yaml --dry-run --no-check
contains "$err" "Job spec.template.spec.containres: no such field; did you mean containers?"
: >empty.yaml
expect 2 "$KML" submit -f empty.yaml
contains "$err" "empty.yaml contains no objects"
# A sweep contacts the server late, so kml checks the manifest before that.
cat >sweep.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: typo}
spec:
  objective: {type: minimize, objectiveMetricName: loss}
  parameters: [{name: lr, parameterType: double, feasibleSpace: {min: 0, max: 1}}]
  trialTemplate:
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec: {template: {spec: {restartPolcy: Never, containers: [{name: main, command: [echo, "{lr}"]}]}}}
Y
expect 0 "$KML" sweep run -f sweep.yaml --dry-run
contains "$err" "Job spec.template.spec.restartPolcy: no such field; did you mean restartPolicy?"
cat >incomplete.yaml <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: incomplete}
spec: {restartPolicy: Never, containers: [{name: main, image: unknown, args: [x]}]}
Y
expect 1 "$KML" submit -f incomplete.yaml
[ "$(grep -c 'kml local image unknown=COMMAND' <<<"$err")" = 1 ] || fail "not told once: $err"
# If a file was cut off inside quotes, the value is not accepted as a shorter one.
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cut}\ndata:\n  a: "begun\n  b: 2\n' >cut.yaml
expect 2 "$KML" submit --dry-run -f cut.yaml
contains "$err" "cut.yaml:"
# A value of the wrong type (a mapping or a text is expected) is rejected with an explanation.
job() { printf 'apiVersion: batch/v1\nkind: Job\nmetadata: %s\nspec: {template: %s}\n' "$1" "$2" >job.yaml; }
job '{name: 5}' '{}'
expect 2 "$KML" submit -f job.yaml
contains "$err" 'job.yaml:3:18 metadata.name: this must be a string: write "5"'
job '[a]' '{}'
expect 2 "$KML" submit -f job.yaml
contains "$err" 'metadata: this must be a mapping'
for template in x '[1]' '{metadata: x}' '{metadata: {annotations: x}}' '{spec: {containers: x}}' '{spec: {containers: [1]}}'; do
  job '{name: a}' "$template"
  expect 2 "$KML" submit -f job.yaml
  contains "$err" 'job.yaml:4:'
  contains "$err" 'spec.template'
  expect 1 "$KML" submit -f job.yaml --no-check
  contains "$err" 'spec.template'
  expect 2 "$KML" submit -f job.yaml --gpus 1
  contains "$err" 'spec.template'
done
