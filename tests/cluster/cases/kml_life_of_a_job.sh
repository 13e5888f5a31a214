. "$(dirname "$0")/lib.sh"
# Two jobs request two GPUs each on a node with four. A third job waits, and its cause is reported.
state() { "$KML" queue --no-headers | grep -q "$1 .*$2"; }
submit() { expect 0 "$KML" submit --name "$1" "${on_node1[@]}" --gpus 2 --grace 1s -- /bin/busybox sleep 1000; }
submit first
submit second
eventually state first Running
eventually state second Running
submit third # only now: pods need not be created in the order of their jobs
eventually state third "not enough GPUs free"
expect 0 "$KML" list
for name in first second third; do contains "$out" $name; done
expect 0 "$KML" status third
contains "$out" "not enough GPUs free"

expect 0 "$KML" cancel first
eventually state third Running
cancelled() { "$KML" status first | grep -q '^State *Cancelled'; }
eventually cancelled
expect 0 "$KML" suspend second
eventually state second Suspended
expect 0 "$KML" resume second
eventually state second Running
expect 0 "$KML" delete first second third
expect 0 k get jobs -o name
[ -z "$out" ] || fail "still there: $out"
gone() { [ -z "$(k get pods -o name)" ]; }
eventually gone
