. "$(dirname "$0")/lib.sh"
# Each task is told its index, as a variable and in the command; one that fails leaves the others alone.
expect 0 "$KML" submit --array 0-4%2 --name tasks "${on_node1[@]}" -- \
  sh -c 'echo "task $JOB_COMPLETION_INDEX = $0"; [ $JOB_COMPLETION_INDEX != 1 ]' '$(JOB_COMPLETION_INDEX)'
expect 3 "$KML" wait tasks --timeout 120s
expect 0 k get job tasks -o 'jsonpath={.spec.parallelism} {.status.completedIndexes} {.status.failedIndexes}'
[ "$out" = "2 0,2-4 1" ] || fail "$out"
expect 0 "$KML" logs tasks
for index in 0 1 2 3 4; do contains "$out" "task $index = $index"; done
