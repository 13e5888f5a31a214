. "$(dirname "$0")/lib.sh"
# Tests kml why on the embedded server, which has neither events about volumes nor Kueue.
"$KML" local up --fake-gpus 2 >/dev/null 2>&1
code_is() { "$KML" why "$1" | grep -q "^  cause *$2\$"; }
expect 0 "$KML" submit --name holder --gpus 2 --grace 1s -- sleep 1000
eventually code_is holder running
expect 0 "$KML" submit --name held --gpus 1 -- true
eventually code_is held resources-held
expect 0 "$KML" why held
contains "$out" "job held: Waiting"
contains "$out" "needs 1 GPU more: a pod asks for 1 GPU; at most 0 of 2 GPUs are free on a node"
contains "$out" "held by   holder ($(id -un), priority 0): 2 GPUs"
contains "$out" "kml cancel holder"
# Unlike kube-scheduler, kml's own scheduler does not let a later job of the same size start first.
expect 0 "$KML" submit --name later --gpus 1 -- true
expect 0 "$KML" why held
contains "$out" "kml cancel holder"
[[ $out != *"may start first"* ]] || fail "$out"
expect 0 "$KML" delete later
expect 0 "$KML" submit --name large --gpus 4 --no-check -- true
eventually code_is large too-large
expect 0 "$KML" why large -o json
contains "$out" '"outlook": "never"'
# The tables also show that the job can never start: it has no position in the queue, and is not ahead of
# other jobs.
expect 0 "$KML" list large
grep -q 'Waiting.* no node has enough GPUs$' <<<"$out" || fail "$out"
expect 0 "$KML" queue
grep -q '^- *large .* no node has enough GPUs$' <<<"$out" || fail "$out"
grep -q '^1 *held ' <<<"$out" || fail "$out"
expect 0 "$KML" submit --name behind --gpus 1 -- true
eventually code_is behind resources-held
expect 0 "$KML" why behind
contains "$out" "number 2 of the 2 jobs that wait for a node, after held"
expect 0 "$KML" delete behind
expect 0 "$KML" submit --name labels --node-selector zone=b --no-check -- true
eventually code_is labels node-selector
expect 0 "$KML" submit --name paused -- true
expect 0 "$KML" suspend held
eventually code_is held suspended
expect 0 "$KML" cancel holder
eventually code_is holder cancelled
# A job that is being suspended has one state, although its pod needs its time to stop.
expect 0 "$KML" submit --name slow --gpus 1 --grace 100s -- sh -c 'trap "" TERM; touch slow; while :; do sleep 1; done'
eventually test -e slow
expect 0 "$KML" suspend slow
eventually code_is slow suspended
expect 0 "$KML" list slow --no-headers
[[ $out == slow*Suspended*1/1* ]] || fail "$out"
expect 0 "$KML" why slow
contains "$out" "job slow: Suspended"
contains "$out" "is suspended; its pods are stopping"
# If only a part of an array runs, kml list and kml why say so.
expect 0 "$KML" submit --name part --array 0-1 --gpus 1 -- sleep 1000
part_runs() { "$KML" list part --no-headers | grep -q 'Running *1/2'; }
eventually part_runs
expect 0 "$KML" why part
contains "$out" "job part: Running, 1 of 2 pods; the others will start soon"
expect 0 "$KML" delete slow part --yes
expect 0 "$KML" submit --name exits -- sh -c 'exit 3'
# Linux has 64 signals, so only the exit codes 129 to 192 stand for a signal.
for code in 192 193 255; do
  expect 3 "$KML" submit --name "exits-$code" --wait -- sh -c "exit $code"
  expect 0 "$KML" why "exits-$code"
  [ $code = 192 ] && contains "$out" "signal 64" || { contains "$out" "exit code $code"; [[ $out != *signal* ]] || fail "$out"; }
done
eventually code_is exits exit-code
expect 0 "$KML" submit --name none -- /nowhere/python
eventually code_is none command-cannot-run
expect 1 "$KML" why hold
contains "$err" 'did you mean "held"?'
expect 2 "$KML" why
