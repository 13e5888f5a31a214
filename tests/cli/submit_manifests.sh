. "$(dirname "$0")/lib.sh"
cat >all.yaml <<Y
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: made-}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, command: [echo, from-a-file]}]
Y
expect 0 "$KML" submit -f - --follow <all.yaml
contains "$out" "configmap/settings created"
contains "$out" "job made-"
contains "$out" "from-a-file"
expect 1 "$KML" submit -f all.yaml
contains "$err" "already exists"
# None of these objects can be waited for, so the command must not return as if a job had succeeded.
for object in '{apiVersion: v1, kind: ConfigMap, metadata: {name: alone}}' \
  '{apiVersion: example.com/v1, kind: Job, metadata: {name: of-another}, spec: {tasks: []}}' \
  '{apiVersion: example.com/v1, kind: Training, metadata: {name: of-training}, spec: {}}' \
  '{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, command: [sleep, "1"]}]}}'; do
  for flag in --wait --follow; do
    expect 2 "$KML" submit $flag -f - <<<"$object"
    contains "$err" "kml cannot wait for"
  done
done
expect 0 "$KML" list --no-headers
[[ $out != *of-another* && $out != *of-training* ]] || fail "created: $out"
