. "$(dirname "$0")/lib.sh"
# An elastic PyTorchJob starts with the only worker for which there is room. When there is room for the second
# worker, it joins: both workers meet and continue at the step where the first one stopped.
need_trainer
state=$cluster_state/$namespace
rm -rf "$state"; mkdir "$state"
allocatable=$(k get node node1 -o 'jsonpath={.status.allocatable.memory}')
part() { echo "$((${allocatable%Ki} * $1 / 100))Ki"; }

expect 0 "$KML" submit --name filler --memory "$(part 30)" "${on_node1[@]}" -- sh -c 'sleep 3600'
running() { "$KML" status filler | grep -q '^State *Running'; }
eventually running
expect 0 "$KML" submit -t pytorchjob-elastic --name grows --nodes 2 --memory "$(part 40)" "${with_trainer[@]}" \
  --mount "host$state:/state" -- kml-trainer --data /data --checkpoint-dir /state --threads 1 --max_steps 1000000
has_said() { "$KML" logs grows 2>/dev/null >"$work/log"; grep -qE "$1" "$work/log"; }
eventually has_said "Accuracy at step 20"
contains "$(cat "$work/log")" "rank 0 of 1 is connected to the others"

expect 0 "$KML" delete filler
eventually has_said "rank 1 of 2 is connected to the others"
eventually has_said "resumed at step"
stopped=$(grep -oE "all ranks connect again, at step [0-9]+" "$work/log" | grep -oE "[0-9]+$")
resumed=$(grep -oE "resumed at step [0-9]+" "$work/log" | grep -oE "[0-9]+$")
[ -n "$stopped" ] && [ "$stopped" = "$resumed" ] || fail "stopped at step '$stopped', resumed at '$resumed'"
expect 0 "$KML" delete grows
