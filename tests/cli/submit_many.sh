. "$(dirname "$0")/lib.sh"
# jobs COUNT NAME: prints that many suspended jobs; the one called NAME has an invalid request.
jobs() {
  for i in $(seq -w "$1"); do
    local wrong=""
    [ "job-$i" != "$2" ] || wrong="parallelism: -1,"
    echo "{apiVersion: batch/v1, kind: Job, metadata: {name: job-$i}, spec: {suspend: true, $wrong template: {spec: {restartPolicy: Never, containers: [{name: main, command: [echo, \"$i\"]}]}}}}"
    echo ---
  done
}
jobs 40 none >good.yaml
expect 0 "$KML" submit -f good.yaml -o name
[ "$out" = "$(seq -w 40 | sed 's/^/job.batch\/job-/')" ] || fail "not in the file's order: $out"
[ "$("$KML" list -o name | wc -l)" = 40 ] || fail "not all are there"

# Each rejected object is reported; created objects are printed and recorded.
expect 0 "$KML" delete job-07 job-09 job-11
jobs 40 job-09 >mixed.yaml
expect 1 "$KML" submit -f mixed.yaml -o name
[ "$out" = $'job.batch/job-07\njob.batch/job-11' ] || fail "printed: $out"
contains "$err" "38 of 40 objects were rejected"
contains "$err" "job.batch/job-01"
contains "$err" "18 more"
expect 0 "$KML" history -o json
[ "$(python3 -c 'import json, sys; print(len(json.load(sys.stdin)[-1]["objects"]))' <<<"$out")" = 2 ] || fail "$out"

# Objects after a rejected object of another kind are not sent, because they may need it.
cat >needs.yaml <<'Y'
{apiVersion: v1, kind: ConfigMap, metadata: {name: Wrong_Name}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: needy}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, command: ["true"]}]}}}}
Y
expect 1 "$KML" submit -f needs.yaml
contains "$err" "1 of 2 objects were rejected, and 1 more were not tried"
expect 1 "$KML" status needy
