. "$(dirname "$0")/lib.sh"
# Tests which lines kml logs prints, and in which format.
expect 3 "$KML" submit --name many --array 0-2 --wait -- sh -c \
  'echo "index $JOB_COMPLETION_INDEX"; echo "loss=0.$JOB_COMPLETION_INDEX"; [ "$JOB_COMPLETION_INDEX" != 2 ]'
lines() {
  local want=$1
  shift
  expect 0 "$KML" logs "$@"
  [ "$(sort <<<"$out" | xargs)" = "$want" ] || fail "of kml logs $*: $out"
}
lines "1 | index 1 1 | loss=0.1" many --rank 1
lines "0 | loss=0.0 1 | loss=0.1 2 | loss=0.2" many --include '^loss'
lines "0 | index 0 1 | index 1" many --exclude loss --exclude '2$'
lines "1 | index 1" many --include '(?i)INDEX' --pods 'many-1'
lines "" many --until 1h
lines "index 0 index 1 index 2 loss=0.0 loss=0.1 loss=0.2" many -o raw
lines "index 0 index 1 index 2 loss=0.0 loss=0.1 loss=0.2" many --raw
expect 0 "$KML" logs many --since-time 2020-01-01T00:00:00Z --until 2100-01-01T00:00:00Z --attempt 1
[ "$(wc -l <<<"$out")" = 6 ] || fail "$out"
expect 2 "$KML" logs many --attempt 2
contains "$err" "attempt 2 does not exist"
expect 0 "$KML" logs --pods '^many-' --include loss
[ "$(wc -l <<<"$out")" = 3 ] || fail "$out"
expect 0 "$KML" logs --pod-selector batch.kubernetes.io/job-name=many --include 'loss=0.2'
[[ "$out" == many-2*"| loss=0.2" ]] || fail "$out"

# Tests the trials of a sweep.
for trial in 1 2; do
  cat >trial.yaml <<EOF
apiVersion: batch/v1
kind: Job
metadata: {name: s-$trial, labels: {kml.dev/sweep: s}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: any, command: [echo, loss=$trial]}]}}}
EOF
  expect 0 "$KML" submit -f trial.yaml --wait
done
for more in "" -f; do
  expect 0 "$KML" logs --sweep s $more
  [ "$(sort <<<"$out" | grep -o 'loss.*' | xargs)" = "loss=1 loss=2" ] || fail "$out"
done
expect 0 "$KML" logs --sweep s -l kml.dev/user=nobody
contains "$err" "no matching jobs"
expect 2 "$KML" logs many --sweep s

expect 0 "$KML" logs many --rank 1 -o json
python3 - <<EOF
import json
first, second = map(json.loads, open("$work/out"))
assert first["text"] == "index 1" and second["text"] == "loss=0.1", (first, second)
assert (first["job"], first["rank"], first["attempt"], first["restart"]) == ("many", 1, 1, 0), first
assert first["time"].endswith("Z") and first["pod"].startswith("many-1"), first
EOF

# Tests ranks that share a pod.
expect 0 "$KML" submit --name shared --wait -- sh -c 'echo "[default0]:a"; echo launcher; echo "[default1]:b"; echo "[rank1]: c"'
lines "[default1]:b [rank1]: c" shared --rank 1
expect 0 "$KML" submit --name plain --wait -- echo word
expect 0 "$KML" logs plain --rank 1
contains "$err" "torchrun --tee 3"

for wrong in "--include a(" "--since 1h --since-time 2020-01-01T00:00:00Z" "--until soon" "--attempt 0" "--rank 1 --all-ranks" \
  "--raw -o json" "--pod-selector a=b"; do
  expect 2 "$KML" logs many $wrong
done
expect 2 "$KML" logs --pods a --rank 1
