. "$(dirname "$0")/lib.sh"
cat >mine.yaml <<'Y'
kml: template/v1
help: Prints steps
parameters:
  max_steps: {type: int, default: 100}
pods: [{path: spec.template}]
body:
  apiVersion: batch/v1
  kind: Job
  spec:
    template:
      spec:
        restartPolicy: Never
        containers: [{name: main, command: [echo, "steps ${max_steps}"]}]
Y
expect 0 "$KML" submit -t ./mine.yaml --max_steps 500 --follow
contains "$out" "steps 500"
expect 2 "$KML" submit -t ./mine.yaml --max_stps 500
contains "$err" 'did you mean "--max_steps"'
expect 2 "$KML" submit -t ./mine.yaml -p max_steps=many
expect 0 "$KML" template check ./mine.yaml
contains "$out" "max_steps"
