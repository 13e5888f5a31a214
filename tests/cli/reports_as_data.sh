# sweep replay, local check, template check and gc print their reports as data with -o.
. "$(dirname "$0")/lib.sh"
echo 'echo loss=$1' >try.sh
expect 0 "$KML" sweep run s --param lr=1,2 --minimize loss -- sh try.sh '{lr}'
expect 0 "$KML" sweep replay s -o jsonpath='{.proposals} {.differences}'
[ "$out" = "2 []" ] || fail "replay: $out"
expect 0 "$KML" local check -o jsonpath='{range [*]}{.check}={.verdict} {end}'
contains "$out" "store=? identity=ok"
cat >own.yaml <<'Y'
kml: template/v1
help: my own
pods: [{path: spec.template}]
parameters:
  size: {type: int, default: 3, help: how large}
body:
  apiVersion: batch/v1
  kind: Job
  spec: {template: {spec: {containers: [{name: main, args: ["${size}"]}]}}}
Y
expect 0 "$KML" template check job ./own.yaml -o jsonpath='{[1].name} {[1].parameters[0].name} {[1].parameters[0].default}'
[ "$out" = "own size 3" ] || fail "template check: $out"
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {make: {command: [sh, -c, 'echo hi >"${out.text}"'], outputs: {text: dataset}}}}
Y
expect 0 "$KML" run pipeline.yaml --name r
expect 0 "$KML" gc -o jsonpath='{.dryRun} {.removed} {.keptBytes}'
[ "$out" = "false [] 3" ] || fail "gc: $out"
