# A submit of objects that are not jobs has an outcome too: they were created.
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

# Also where kml ended before it had heard from the server: what is there was made.
runs=$XDG_STATE_HOME/kml/runs.jsonl
sed -i '/"sentOf"/d' "$runs"
expect 0 "$KML" history
contains "$out" "Created"
grep -q '"sentOf"' "$runs" || fail "what became of it is asked for each time"
