# After an engine was killed, the time of the sweep ends with the engine, and the time of a trial ends with
# the trial's job.
. "$(dirname "$0")/lib.sh"
cat >t.sh <<T
until [ -e '$work/go' ]; do sleep 0.05; done
echo score=\$1
T
"$KML" sweep run s1 --param x=1..2 --maximize score --algorithm grid -- sh t.sh '{x}' >run.out 2>&1 &
engine=$!
eventually sh -c '"$KML" sweep status s1 | grep -q "2 running; [0-9]*[5-9]s"'
kill -9 $engine
wait $engine || true
expect 0 "$KML" sweep status s1
contains "$out" "no engine is running"
[[ "$out" != *" 0s"* ]] || fail "an engine ran for 5 seconds: $out"
touch go
ended() { [ "$("$KML" list --all | grep -c "s1-.*Succeeded")" = 2 ]; }
eventually ended
resumed=$(date -u +%FT%TZ)
later() { [[ "$(date -u +%FT%TZ)" > "$resumed" ]]; }
eventually later
expect 0 "$KML" sweep resume s1
[[ "$err" != *"; 0s"* ]] || fail "an engine ran for 5 seconds before: $err"
"$KML" sweep export s1 -o jsonl | python3 -c '
import json, sys
for trial in map(json.loads, sys.stdin):
    assert trial["began"] <= trial["ended"] <= sys.argv[1], (trial, sys.argv[1])
' "$resumed"
