. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/cases/slice_lib.sh"
# A training run is preempted: it gets SIGTERM, writes a checkpoint within its grace period, returns to the
# queue, and later ends with the same weights, bit for bit. If kml was watching, it names the preemptor. A day
# later, without pods, events or a watching kml, the run's own lines still show everything else. The runs
# compete for a MIG slice that only this case has.
if ldd "$(dirname "$KML")/kml-trainer" | grep -Eq 'lib[at]san'; then echo "SKIPPED: 150 steps take long with sanitizers"; finish 77; fi
need_trainer
need_slices mig-1g.5gb 1
steps=150

training=(--max_steps $steps --checkpoint-every 20)
"$(dirname "$KML")/kml-trainer" --data "$cluster_state/mnist" "${training[@]}" --checkpoint-dir here >/dev/null 2>&1
# The first attempt waits after its first checkpoint until it gets SIGTERM, so that it cannot finish earlier.
hold='
if [ -e /ck/LATEST ]; then exec "$@"; fi
"$@" & trainer=$!
trap "kill -TERM $trainer; kill -CONT $trainer; wait $trainer; exit \$?" TERM
until [ -e /ck/LATEST ]; do sleep 0.02; done
kill -STOP $trainer
wait $trainer'
train() { # NAME FLAG...
  mkdir "$ck/$1"
  "$KML" submit --name "$1" --gpus $slice:1 "${with_trainer[@]}" --mount "host$ck/$1:/ck" "${@:2}" \
    -- sh -c "$hold" sh kml-trainer --data /data "${training[@]}" --checkpoint-dir /ck
}
trains() { [ -e "$ck/$1/LATEST" ]; }
told() { # NAME RESULT: checks for two attempts, without missing or repeated steps between them
  expect 0 "$KML" history "$1" -o json
  python3 -c '
import json, sys
first, second = json.load(sys.stdin)
assert first["result"] == sys.argv[1] and first["node"] == "node1" and first["pod"] != second["pod"], first
assert first["firstStep"] == 0 and 19 <= first["lastStep"] < int(sys.argv[2]) - 1, first
assert second["firstStep"] == first["lastStep"] + 1 and second["lastStep"] == int(sys.argv[2]) - 1, second
' "$2" $steps <<<"$out" || fail "$out"
  cmp "here/step-0000000$steps.safetensors" "$ck/$1/step-0000000$steps.safetensors" || fail "the weights differ"
}

# kml watches this run.
train watched --follow >watched.out 2>watched.err &
eventually trains watched
preempt rival
waits() { "$KML" queue >queue 2>note; grep -Eq "^- +$2 .*Running" queue && grep -q "job $1 was preempted by $2, .* ago" note; }
eventually waits watched rival
named() { grep -q 'pod watched-.* was preempted by rival' watched.err; }
eventually named
expect 0 "$KML" delete rival
wait $! || fail "$(cat watched.err)"
told watched "preempted by rival"

# kml does not watch this run. Afterwards, the preemptor and all events are deleted.
expect 0 train alone
eventually trains alone
preempt passer-by
running() { [ "$(k get job passer-by -o jsonpath='{.status.ready}')" = 1 ]; }
eventually running
expect 0 "$KML" delete passer-by
gone() { [ -z "$(k get pods -l 'job-name in (rival, passer-by)' -o name)" ]; }
eventually gone
expect 0 k wait --for=condition=complete job/alone --timeout=1000s
k delete events --all >/dev/null
told alone "stopped by SIGTERM from an unknown sender"
told watched "preempted by rival"
expect 0 "$KML" history watched
contains "$out" "preempted by rival"
