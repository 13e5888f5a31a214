. "$(dirname "$0")/lib.sh"
# Tests kml why on the embedded server, which has no quotas, events about volumes, or Kueue.
"$KML" local up --fake-gpus 2 >/dev/null 2>&1
code_is() { "$KML" why "$1" | grep -q "^  cause *$2\$"; }
expect 0 "$KML" submit --name holder --gpus 2 --grace 1s -- sleep 1000
eventually code_is holder running
expect 0 "$KML" submit --name held --gpus 1 -- true
eventually code_is held resources-held
expect 0 "$KML" why held
contains "$out" "job held: not yet"
contains "$out" "needs 1 GPU more: a pod asks for 1 GPU; at most 0 of 2 GPUs are free on a node"
contains "$out" "held by   holder ($(id -un), priority 0): 2 GPUs"
contains "$out" "kml cancel holder"
# Unlike kube-scheduler, kml's own scheduler keeps to the order.
expect 0 "$KML" submit --name later --gpus 1 -- true
expect 0 "$KML" why held
contains "$out" "kml cancel holder"
[[ $out != *"may start first"* ]] || fail "$out"
expect 0 "$KML" delete later
expect 0 "$KML" submit --name large --gpus 4 --no-check -- true
eventually code_is large too-large
expect 0 "$KML" why large -o json
contains "$out" '"outlook": "never"'
expect 0 "$KML" submit --name labels --node-selector zone=b --no-check -- true
eventually code_is labels node-selector
expect 0 "$KML" submit --name paused -- true
expect 0 "$KML" suspend held
eventually code_is held suspended
expect 0 "$KML" cancel holder
eventually code_is holder cancelled
expect 0 "$KML" submit --name exits -- sh -c 'exit 3'
# Linux has 64 signals, so only 129 to 192 stand for one.
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
