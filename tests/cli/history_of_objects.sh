# A submit of objects other than jobs also has an outcome: they were created.
. "$(dirname "$0")/lib.sh"
cat >objects.yaml <<'Y'
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 10
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
Y
expect 0 "$KML" submit -f objects.yaml
expect 0 "$KML" history
contains "$out" "priorityclass.scheduling.k8s.io/high +1"
contains "$out" "Created"
[[ $out != *Unknown* ]] || fail "$out"
expect 0 "$KML" history -o json
contains "$out" '"outcome": "Created"'
expect 0 "$KML" runs
[[ $out != *high* ]] || fail "what runs nothing is a run: $out"

# Objects that exist have the outcome "created" even if kml ended before the server answered.
runs=$XDG_STATE_HOME/kml/runs.jsonl
sed -i '/"sentOf"/d' "$runs"
expect 0 "$KML" history
contains "$out" "Created"
grep -q '"sentOf"' "$runs" || fail "what became of it is asked for each time"

# A deleted schedule is no longer "Created".
expect 0 "$KML" submit --name hourly --cron '0 * * * *' -- true
expect 0 "$KML" submit --name nightly --cron '0 3 * * *' -- true
expect 0 "$KML" schedule delete hourly
expect 0 "$KML" history -o json
python3 - "$out" <<'P'
import json, sys
outcomes = {run["objects"][0]["metadata"]["name"]: (run["outcome"], run["cause"]) for run in json.loads(sys.argv[1])}
assert outcomes["hourly"] == ("Cancelled", "deleted"), outcomes
assert outcomes["nightly"] == outcomes["high"] == ("Created", ""), outcomes
P
expect 0 "$KML" history
grep -q "hourly .*Cancelled: deleted" <<<"$out" || fail "$out"
