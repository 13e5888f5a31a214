. "$(dirname "$0")/lib.sh"
# A stopped sweep, and a stopped pipeline, leave nothing that Kueue starts later.
queue lq 1
"$KML" sweep run s --param x=1..3 --maximize score --algorithm grid --parallel 3 --queue lq --gpus 1 --image localhost/busybox:1 \
  --node-selector type=kwok --set 'spec.template.metadata.annotations={"kwok/run-for": "1h"}' -- train {x} >sweep.log 2>&1 &
engine=$!
made() { [ "$(k get workloads -o name | wc -l)" = 3 ]; }
eventually made
one_runs() { [ "$(k get pods --field-selector status.phase=Running -o name | wc -l)" = 1 ]; }
eventually one_runs
expect 0 "$KML" sweep stop s
wait $engine || true
none() { [ -z "$(k get pods --field-selector status.phase!=Failed -o name)" ]; }
job after 1
eventually runs after
[ "$(k get pods --field-selector status.phase!=Failed -o name | wc -l)" = 1 ] || fail "$(k get pods)"
[ "$(k get workloads -o json | python3 -c 'import json, sys
print(sum(1 for one in json.load(sys.stdin)["items"] if one["spec"].get("active", True)
          and not any(c["type"] == "Finished" and c["status"] == "True" for c in one.get("status", {}).get("conditions", []))))')" = 1 ] ||
  fail "$(k get workloads)"

cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec:
  defaults: {image: localhost/busybox:1, queue: lq, gpus: 1}
  steps:
    one: {command: [train], code: {paths: [pipeline.yaml]}}
Y
"$KML" run pipeline.yaml >run.log 2>&1 &
engine=$!
waits() { step=$(k get jobs -l kml.dev/run -o 'jsonpath={.items[*].metadata.name}'); [ -n "$step" ]; }
eventually waits
eventually is_pending "$step"
expect 0 "$KML" run stop "$("$KML" run list -o name)"
wait $engine || true
[ -z "$step" ] || ! is_active "$step" || fail "$(k get workloads)"
expect 0 "$KML" cancel after
job last 1
eventually runs last
[ -z "$step" ] || has_no_pods "$step" || fail "$(k get pods)"
