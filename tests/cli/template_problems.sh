. "$(dirname "$0")/lib.sh"
# Several mistakes in a template are reported at once, with their positions and the nearest correct names.
cat >mine.yaml <<'YAML'
kml: template/v1
parameters:
  steps: {type: itn}
  rate: {type: float}
body:
  kind: ${rat}
YAML
expect 2 "$KML" template check ./mine.yaml
contains "$err" './mine.yaml:3:17 parameters.steps: unknown type "itn"; did you mean "int"?'
contains "$err" './mine.yaml:6:9 body.kind: no parameter "rat"; did you mean "rate"?'
# An invalid template hides neither the valid ones nor other invalid ones.
sed 's/itn/flot/' mine.yaml >other.yaml
expect 2 "$KML" template check ./mine.yaml job no-such-template ./other.yaml
contains "$out" "job.yaml: ok"
contains "$err" "3 templates are invalid"
contains "$err" './mine.yaml:3:17 parameters.steps: unknown type "itn"'
contains "$err" './other.yaml:3:17 parameters.steps: unknown type "flot"'
contains "$err" no-such-template
expect 2 "$KML" submit -t pytorchjb -- true
contains "$err" 'did you mean "pytorchjob"?'

# For a first template without pods, the error says what to add.
mkdir -p own
cat >own/first.yaml <<'Y'
kml: template/v1
help: A first template
body:
  apiVersion: batch/v1
  kind: Job
  spec: {template: {spec: {restartPolicy: Never, containers: [{name: main}]}}}
Y
expect 2 "$KML" submit -t ./own/first.yaml --dry-run -- true
contains "$err" "command: the template declares no pods that could run it; add to it:
      pods:
      - path: spec.template"
sed -i 's/^body:/pods:\n- path: spec.template\nbody:/' own/first.yaml
expect 0 "$KML" submit -t ./own/first.yaml --follow -- echo ran
contains "$out" ran
