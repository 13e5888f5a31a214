. "$(dirname "$0")/lib.sh"
# Every fault of a template is told, with its place and the nearest right name.
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
expect 2 "$KML" submit -t pytorchjb -- true
contains "$err" 'did you mean "pytorchjob"?'
