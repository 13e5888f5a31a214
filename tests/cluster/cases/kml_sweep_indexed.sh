. "$(dirname "$0")/lib.sh"
# A sweep as one Indexed Job on a real kubelet: its table on a volume, metrics from live logs, a killed engine, trials
# by name, a stop and a resume. Trials write into a folder on the node, so that the test can count them.
sweep() { "$KML" sweep "$@"; }
ran=$(mktemp -d -p "$cluster_state")
trap 'status=$?; rm -rf "$ran"; cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
run() { # NAME TRIALS
  exec "$KML" sweep run "$1" --fan-out indexed --param "x=0..$(($2 - 1))" --maximize score --algorithm grid --trials "$2" \
    --parallel 3 --mount "host$ran:/ran" "${on_node1[@]}" --grace 1s -- sh -c \
    'echo {x} >>/ran/began; for step in 1 2 3; do echo "step=$step score=$(({x} * step))"; done
     until [ -e /ran/go-{x} ]; do sleep 0.1; done; echo step=4 score=$(({x} * 10))'
}
began() { [ "$(wc -l <"$ran/began")" = "$1" ]; }
ended() { [ "$(sweep export "$1" | grep -c ,complete,)" = "$2" ]; }

# Values arrive while trials run. The engine is killed, and the cluster continues without it.
(run s1 9) >out1 2>&1 &
engine=$!
eventually began 3
status() { sweep status s1 | grep -qF "0 of 9 trials done, 3 running, 6 waiting"; }
eventually status
touch "$ran/go-0" "$ran/go-1"
eventually ended s1 2
kill -9 $engine
wait $engine || true
touch "$ran"/go-{2..5}
eventually began 9
(run s1 9) >out2 2>&1 &
engine=$!
eventually ended s1 6
touch "$ran"/go-{6..8}
wait $engine || fail "$(cat out2)"
contains "$(cat out2)" "best: x=8"
[ "$(sort -n "$ran/began" | tr '\n' ' ')" = "0 1 2 3 4 5 6 7 8 " ] || fail "$(sort -n "$ran/began")"
[ "$(k get jobs -o name)" = job.batch/s1 ] || fail "$(k get jobs)"
# All values of all trials are known, including trials that ran while no engine ran.
sweep export s1 -o jsonl | python3 -c '
import json, sys
for trial in map(json.loads, sys.stdin):
    x = trial["parameters"]["x"]
    assert trial["value"] == 10 * x and trial["curve"] == [[1, x], [2, 2 * x], [3, 3 * x], [4, 10 * x]], trial
'
expect 0 sweep replay s1
contains "$out" "9 proposals, 0 differ"
# Selects a trial by its name.
expect 0 "$KML" logs s1-7
contains "$out" "step=4 score=70"
[[ "$out" != *score=80* ]] || fail "another trial's line: $out"
expect 1 "$KML" logs s1-9
contains "$err" 'job s1 has no task 9'

# A stop stops running trials; a resume starts all of them again in another Job.
rm -f "$ran"/*
(run s2 7) >out3 2>&1 &
engine=$!
eventually began 3
seen() { sweep status s2 | grep -qF "3 running, 4 waiting"; }
eventually seen
expect 0 sweep stop s2
wait $engine && fail "it has a result" || true
contains "$(cat out3)" "ended: stopped"
contains "$(sweep status s2)" "0 of 7 trials done, 0 running, 7 withdrawn"
began 3 || fail "$(cat "$ran/began")"
touch "$ran"/go-{0..6}
expect 0 sweep resume s2
contains "$err" "best: x=6"
[ "$(sort -n "$ran/began" | tr '\n' ' ')" = "0 0 1 1 2 2 3 4 5 6 " ] || fail "$(sort -n "$ran/began")"
[ "$(k get job s2-w1 -o 'jsonpath={.spec.completions}')" = 7 ] || fail "$(k get jobs)"
contains "$(sweep export s2)" "2,complete,"

# Cancelling its Job stops all trials and the sweep.
rm -f "$ran"/*
(run s3 7) >out4 2>&1 &
engine=$!
eventually began 3
expect 0 "$KML" cancel s3
wait $engine && fail "it has a result: $(cat out4)" || true
began 3 || fail "$(cat "$ran/began")"
