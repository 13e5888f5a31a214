# On a disk that is completely full, the commands below still work and remove files. The embedded server's store,
# journals, pod folders, records and artifacts are all on this disk. The error of `kml submit` names what uses the
# space, and the commands that free it.
export SMALL_SIZE=6m
. "$(dirname "$0")/small_disk.sh"
trap 'status=$?; rm -f "$SMALL"/ballast*; "$KML" local down --force >/dev/null 2>&1; finish $status' EXIT
cat >ends.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: ends}
spec:
  steps:
    one: {command: [sh, -c, 'echo one >"$0"', "${out.file}"], outputs: {file: file}}
Y
expect 0 "$KML" run ends.yaml --name ended
for run in stopped deleted; do
  sed "s/name: ends/name: runs/; s/echo one/sleep 1000; echo $run/" ends.yaml >"$run.yaml"
  "$KML" run "$run.yaml" --name "$run" >"$run.out" 2>&1 &
  echo $! >"$run.pid"
done
for sweep in s1 s2; do
  "$KML" sweep run "$sweep" --param x=0..3 --maximize score --algorithm grid --parallel 1 -- sh -c 'sleep 1000; echo score={x}' >"$sweep.out" 2>&1 &
done
expect 0 "$KML" submit --name done --wait -- true
for job in cancelled deleted suspended; do expect 0 "$KML" submit --name "$job" -- sh -c 'while :; do echo line; sleep 0.1; done'; done
expect 0 "$KML" submit --name array --array 0-9 -- sleep 1000
expect 0 "$KML" serve served -- python3 -m http.server '$(PORT)'
running() { [ "$("$KML" list --all --state running -o name | wc -l)" -ge 8 ]; }
eventually running

# Each file fills the space that the earlier files have left.
fill() {
  for file in ballast1 ballast2 ballast3; do cat /dev/zero >>"$SMALL/$file" 2>/dev/null || true; done
  for file in ballast4 ballast5; do while printf x >>"$SMALL/$file"; do :; done 2>/dev/null; done
}
gone() { [ -z "$("$KML" list --all -o name | grep -x "job.batch/$1")" ]; }
ended() { [ -z "$("$KML" list --all --state running -o name | grep -x "job.batch/$1")" ]; }

fill
expect 1 "$KML" submit --name new -- true
contains "$err" "of the embedded server"
contains "$err" "of jobs (kml delete JOB)"
contains "$err" "made by steps (kml gc"
# Each row has a command and its check: `command | check`. The disk is filled again before each command.
while IFS='|' read -r command seen; do
  fill
  code=0
  timeout 120 "$KML" $command >out 2>err </dev/null || code=$?
  [ $code = 0 ] || fail "kml $command on a full disk: exit $code: $(cat out err)"
  eval "eventually $seen"
done <<'END'
cancel cancelled | ended cancelled
suspend suspended | ended suspended
delete done | gone done
delete deleted | gone deleted
delete array | gone array
run stop stopped | ended stopped-one
run delete ended | true
sweep stop s1 | true
sweep delete s1 | true
sweep stop s2 | true
serve stop served | true
gc --keep 0d --keep-last 0 | true
END
fill
# The engine of this run can stop, because its journal has reserved space for the last record.
expect 0 timeout 120 "$KML" run stop deleted
wait "$(cat deleted.pid)" || true
contains "$(cat deleted.out)" stopped
fill
expect 0 "$KML" run delete deleted
wait  # a sweep's engine would start the server again
fill
expect 0 timeout 120 "$KML" local down --force
expect 0 "$KML" local status
contains "$out" "not running"
# Nothing keeps running, and a server that starts on the full disk can delete what is left.
fill
expect 0 timeout 120 "$KML" delete cancelled
rm -f "$SMALL"/ballast*
expect 0 "$KML" submit --name after --wait -- true
