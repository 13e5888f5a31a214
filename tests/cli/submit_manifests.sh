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
