. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cuts_lib.sh"
# A sweep whose connections are cut at random bytes: each trial's job is created once, according to the audit log, and
# no value of a trial is lost.
cuts=${CUTS:-60} seed=${SEED:-$RANDOM}
before=$(wc -l <"$cluster_state/audit.log")
run() {
  "$KML" sweep run s1 --param x=1..24 --maximize score --trials 24 --parallel 6 --algorithm grid "${on_node1[@]}" --grace 1s -- \
    sh -c 'for step in 1 2 3 4 5; do echo "step=$step score=$(({x} * step))"; sleep 0.3; done'
}
expect 0 through_cuts run
tail -1 <<<"$out"
contains "$err" "best: x=24"
"$KML" sweep export s1 -o jsonl | python3 -c '
import json, sys
for trial in map(json.loads, sys.stdin):
    x = trial["parameters"]["x"]
    assert trial["state"] == "complete" and trial["attempt"] == 0 and trial["curve"] == [[i, i * x] for i in range(1, 6)], trial
'
tail -n +$((before + 1)) "$cluster_state/audit.log" | python3 -c '
import collections, json, sys
made = collections.Counter()
for line in sys.stdin:
    if not line.endswith("\n"):
        break  # being written
    event = json.loads(line)
    what = event.get("objectRef", {})
    if what.get("resource") == "jobs" and what.get("namespace") == sys.argv[1] and event["verb"] == "create" and event["responseStatus"].get("code") == 201 \
            and "dryRun=" not in event["requestURI"]:
        made[what["name"]] += 1
assert all(count == 1 for count in made.values()), made
' "$namespace"
[ "$(k get jobs -l kml.dev/sweep=s1 -o name | wc -l)" = 24 ] || fail "$(k get jobs)"
expect 0 "$KML" sweep replay s1
contains "$out" "24 proposals, 0 differ"
